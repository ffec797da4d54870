// This file holds what Fake answers to each request.

package tests3

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// answer is what is sent.
type answer struct {
	status int
	header http.Header
	body   []byte
	length int64 // of the object that HEAD describes
}

func (a *answer) fail(status int, code, region string) {
	a.status, a.length = status, -1
	a.header.Set("Content-Type", "application/xml")
	if region != "" {
		a.header.Set("X-Amz-Bucket-Region", region)
	}
	if code != "" {
		a.body = fmt.Appendf(nil, "<Error><Code>%s</Code><Message>the test says so</Message><Region>%s</Region></Error>", code, region)
	}
}

func (a *answer) xml(v any) {
	a.status, a.length = http.StatusOK, -1
	a.header.Set("Content-Type", "application/xml")
	a.body, _ = xml.Marshal(v)
}

// answer does what a request asks for.
func (f *Fake) answer(a *answer, q Request, r *http.Request, body []byte, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	objects, ok := f.buckets[q.Bucket]
	if !ok {
		a.fail(http.StatusNotFound, "NoSuchBucket", "")
		return
	}
	query := r.URL.Query()
	id := query.Get("uploadId")
	up := f.uploads[id]
	if (q.Op == Part || q.Op == Parts || q.Op == Complete || q.Op == Abort) && up == nil {
		a.fail(http.StatusNotFound, "NoSuchUpload", "")
		return
	}
	meta := http.Header{}
	for k, v := range r.Header {
		if strings.HasPrefix(k, "X-Amz-Meta-") || k == "Content-Type" {
			meta[k] = v
		}
	}
	a.status = http.StatusOK
	switch q.Op {
	case Bucket:
	case List:
		f.list(a, objects, query)
	case Get, Head:
		f.get(a, objects[q.Key], q, fault)
	case Put:
		f.etag(a, f.put(q.Bucket, q.Key, body, meta).etag)
	case Begin:
		f.next++
		id := fmt.Sprintf("upload%d", f.next)
		f.uploads[id] = &upload{q.Bucket, q.Key, meta, map[int][]byte{}}
		a.xml(struct {
			XMLName               xml.Name `xml:"InitiateMultipartUploadResult"`
			Bucket, Key, UploadId string
		}{Bucket: q.Bucket, Key: q.Key, UploadId: id})
	case Part:
		up.parts[q.Part] = body
		f.etag(a, fmt.Sprintf("part%d", q.Part))
	case Complete:
		f.complete(a, up, body)
		if a.status == http.StatusOK {
			delete(f.uploads, id)
		}
	case Abort:
		delete(f.uploads, id)
		a.status = http.StatusNoContent
	case Uploads:
		f.listUploads(a, q.Bucket, query)
	case Parts:
		a.xml(struct {
			XMLName xml.Name `xml:"ListPartsResult"`
		}{})
	case Remove:
		delete(objects, q.Key)
		a.status = http.StatusNoContent
	}
}

type listedUpload struct{ Key, UploadId string }

// listUploads lists multipart uploads, as many a page as objects.
func (f *Fake) listUploads(a *answer, bucket string, query url.Values) {
	var out struct {
		XMLName            xml.Name `xml:"ListMultipartUploadsResult"`
		IsTruncated        bool
		NextKeyMarker      string
		NextUploadIdMarker string
		EncodingType       string
		Upload             []listedUpload
	}
	for id, up := range f.uploads {
		u := listedUpload{up.key, id}
		after := cmp.Or(cmp.Compare(u.Key, query.Get("key-marker")), cmp.Compare(id, query.Get("upload-id-marker")))
		if up.bucket == bucket && strings.HasPrefix(up.key, query.Get("prefix")) && after > 0 {
			out.Upload = append(out.Upload, u)
		}
	}
	slices.SortFunc(out.Upload, func(a, b listedUpload) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.UploadId, b.UploadId))
	})
	if len(out.Upload) > f.page {
		out.Upload = out.Upload[:f.page]
		last := out.Upload[f.page-1]
		out.IsTruncated, out.NextKeyMarker, out.NextUploadIdMarker = true, url.QueryEscape(last.Key), last.UploadId
	}
	out.EncodingType = "url"
	for i := range out.Upload {
		out.Upload[i].Key = url.QueryEscape(out.Upload[i].Key)
	}
	a.xml(out)
}

func (f *Fake) etag(a *answer, etag string) {
	if !f.noETag {
		a.header.Set("ETag", strconv.Quote(etag))
	}
}

func (f *Fake) get(a *answer, o *object, q Request, fault Fault) {
	if o == nil {
		a.fail(http.StatusNotFound, "NoSuchKey", "")
		return
	}
	if m := q.Header.Get("If-Match"); m != "" && m != strconv.Quote(o.etag) {
		a.fail(http.StatusPreconditionFailed, "PreconditionFailed", "")
		return
	}
	f.etag(a, o.etag)
	for k, v := range o.meta {
		a.header[k] = v
	}
	a.header.Set("Last-Modified", o.modified.UTC().Format(http.TimeFormat))
	a.body = o.data
	if from, to, ok := strings.Cut(strings.TrimPrefix(q.Range, "bytes="), "-"); ok && !fault.Whole {
		first, _ := strconv.Atoi(from)
		last, _ := strconv.Atoi(to)
		if first >= len(o.data) {
			a.fail(http.StatusRequestedRangeNotSatisfiable, "InvalidRange", "")
			return
		}
		last = min(last, len(o.data)-1)
		a.status, a.body = http.StatusPartialContent, o.data[first:last+1]
		a.header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(o.data)))
	}
	a.length = int64(len(a.body))
}

type listed struct {
	Key          string
	LastModified time.Time
	ETag         string `xml:",omitempty"`
	Size         int
}

func (f *Fake) list(a *answer, objects map[string]*object, query url.Values) {
	after := max(query.Get("start-after"), query.Get("continuation-token"))
	most, _ := strconv.Atoi(query.Get("max-keys"))
	if most == 0 || most > f.page {
		most = f.page
	}
	var keys []string
	for k := range objects {
		if strings.HasPrefix(k, query.Get("prefix")) && k > after {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var out struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		EncodingType          string
		Contents              []listed
	}
	out.EncodingType = "url"
	if len(keys) > most {
		keys = keys[:most]
		out.IsTruncated, out.NextContinuationToken = true, keys[most-1]
	}
	for _, k := range keys {
		o := objects[k]
		l := listed{Key: url.QueryEscape(k), LastModified: o.modified, Size: len(o.data)}
		if !f.noETag {
			l.ETag = strconv.Quote(o.etag)
		}
		out.Contents = append(out.Contents, l)
	}
	a.xml(out)
}

func (f *Fake) complete(a *answer, up *upload, body []byte) {
	var want struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	if err := xml.Unmarshal(body, &want); err != nil {
		a.fail(http.StatusBadRequest, "MalformedXML", "")
		return
	}
	var data []byte
	for i, p := range want.Part {
		part, ok := up.parts[p.PartNumber]
		if !ok || i > 0 && p.PartNumber <= want.Part[i-1].PartNumber || strings.Trim(p.ETag, `"`) != fmt.Sprintf("part%d", p.PartNumber) {
			a.fail(http.StatusBadRequest, "InvalidPart", "")
			return
		}
		data = append(data, part...)
	}
	o := f.put(up.bucket, up.key, data, up.meta)
	a.xml(struct {
		XMLName           xml.Name `xml:"CompleteMultipartUploadResult"`
		Bucket, Key, ETag string
	}{Bucket: up.bucket, Key: up.key, ETag: o.etag})
}

// send sends an answer with its fault.
func (f *Fake) send(w http.ResponseWriter, r *http.Request, a *answer, fault Fault) {
	for k, v := range a.header {
		w.Header()[k] = v
	}
	body := a.body
	if a.length >= 0 && r.Method == http.MethodHead {
		w.Header().Set("Content-Length", strconv.FormatInt(a.length, 10))
	}
	if r.Method == http.MethodHead {
		body = nil
	} else if !fault.Stop {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+len(fault.Trailer)))
	}
	for k, v := range fault.Header {
		if v == "" {
			w.Header().Del(k)
		} else {
			w.Header().Set(k, v)
		}
	}
	if fault.Cut && fault.Body == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(a.status)
	if _, ok := fault.Header["Content-Length"]; ok {
		_ = http.NewResponseController(w).Flush() // or the server sets a Content-Length
	}
	if !fault.Cut && !fault.Stop && (!fault.Hang || fault.Body >= len(body)) { // what is whole can't hang
		_, _ = w.Write(append(slices.Clip(body), fault.Trailer...))
		return
	}
	_, _ = w.Write(body[:min(fault.Body, len(body))])
	_ = http.NewResponseController(w).Flush()
	switch {
	case fault.Hang:
		f.gone(r, 0)
		panic(http.ErrAbortHandler)
	case fault.Cut:
		panic(http.ErrAbortHandler)
	}
}
