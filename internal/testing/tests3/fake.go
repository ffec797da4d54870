// This file holds Fake: objects in memory behind the protocol of S3.

// Package tests3 has object stores for tests: Fake, in the process, whose answers a test can
// damage, and Gateway, a versitygw on loopback. Neither imports package s3.
package tests3

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Keys that Fake is happy with, as it is with all.
const (
	AccessKey = "testkey"
	SecretKey = "testsecret"
)

// Op is what a request asks for.
type Op string

// The requests that Fake knows.
const (
	Get      Op = "get"
	Head     Op = "head"
	List     Op = "list"
	Bucket   Op = "bucket" // HEAD of a bucket
	Put      Op = "put"
	Begin    Op = "begin" // of a multipart upload
	Part     Op = "part"
	Complete Op = "complete"
	Abort    Op = "abort"
	Uploads  Op = "uploads" // a listing of multipart uploads
	Parts    Op = "parts"   // a listing of an upload's parts
	Remove   Op = "remove"
)

// Request is a request that came.
type Request struct {
	Op          Op
	Bucket, Key string
	Prefix      string // of a listing
	Range       string // as its header has it
	Part        int    // its number
	N           int    // how many of the same Op came before
	All         int    // how many came before
	Header      http.Header
}

// Fault is what goes wrong with an answer. The zero value is nothing.
type Fault struct {
	Status  int    // answer with this and Code instead
	Code    string // S3's, in the body
	Region  string // named in the body
	Delay   time.Duration
	Stall   bool              // don't answer until the client has gone
	Body    int               // let so many bytes of the body through, if Stop, Cut or Hang is set
	Stop    bool              // end the body there, as if it were whole, without a Content-Length
	Cut     bool              // cut the connection there
	Hang    bool              // stop sending there until the client has gone
	Header  map[string]string // replaces headers of the answer; "" removes one
	Effect  bool              // of a write: let it happen, though the answer is spoilt
	Whole   bool              // answer with the whole object instead of a range
	Trailer []byte            // more bytes after the body
}

type object struct {
	data     []byte
	etag     string
	modified time.Time
	meta     http.Header
}

type upload struct {
	bucket, key string
	meta        http.Header
	parts       map[int][]byte
}

// Fake is a store in this process. It checks no signatures.
type Fake struct {
	Endpoint string

	server *httptest.Server
	quit   chan struct{}

	mu       sync.Mutex
	fault    func(Request) Fault
	buckets  map[string]map[string]*object
	uploads  map[string]*upload
	requests []Request
	counts   map[Op]int
	next     int
	noETag   bool
	page     int
}

// NewFake starts a store that ends with the test.
func NewFake(t testing.TB, buckets ...string) *Fake {
	t.Helper()
	f := &Fake{quit: make(chan struct{}), buckets: map[string]map[string]*object{}, uploads: map[string]*upload{}, counts: map[Op]int{}, page: 1000}
	for _, b := range buckets {
		f.buckets[b] = map[string]*object{}
	}
	f.server = httptest.NewServer(f)
	f.Endpoint = f.server.URL
	t.Cleanup(f.Close)
	return f
}

// Close ends all requests and the server. It may be called twice.
func (f *Fake) Close() {
	f.mu.Lock()
	select {
	case <-f.quit:
	default:
		close(f.quit)
	}
	f.mu.Unlock()
	f.server.Close()
}

// Env returns variables of the environment with which clients find the store.
func (f *Fake) Env() map[string]string {
	return map[string]string{"AWS_ENDPOINT_URL": f.Endpoint, "AWS_ACCESS_KEY_ID": AccessKey, "AWS_SECRET_ACCESS_KEY": SecretKey}
}

// SetFault passes each request to fault, which returns what goes wrong with it.
// nil turns faults off.
func (f *Fake) SetFault(fault func(Request) Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// SetPage sets how many keys a listing has per answer, at most.
func (f *Fake) SetPage(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.page = n
}

// HideETags has the store answer without ETags, as some do.
func (f *Fake) HideETags() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noETag = true
}

// Put stores an object.
func (f *Fake) Put(bucket, key string, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(bucket, key, slices.Clone(data), nil)
}

func (f *Fake) put(bucket, key string, data []byte, meta http.Header) *object {
	f.next++
	sum := md5.New()
	fmt.Fprint(sum, f.next, " ") // another one each time
	sum.Write(data)
	o := &object{data, hex.EncodeToString(sum.Sum(nil)), time.Unix(1_700_000_000+int64(f.next), 0), meta}
	f.buckets[bucket][key] = o
	return o
}

// Delete removes an object.
func (f *Fake) Delete(bucket, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.buckets[bucket], key)
}

// Object returns the bytes of an object, and whether it is there.
func (f *Fake) Object(bucket, key string) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.buckets[bucket][key]
	if o == nil {
		return nil, false
	}
	return o.data, true
}

// Keys returns the keys of a bucket's objects, sorted.
func (f *Fake) Keys(bucket string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.buckets[bucket]))
}

// Uploads returns how many multipart uploads were begun and not ended.
func (f *Fake) Uploads() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.uploads)
}

// Requests returns those that came so far, of the given kinds or of all.
func (f *Fake) Requests(ops ...Op) []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []Request
	for _, r := range f.requests {
		if len(ops) == 0 || slices.Contains(ops, r.Op) {
			out = append(out, r)
		}
	}
	return out
}

// admit notes a request and returns its fault.
func (f *Fake) admit(r *http.Request) (Request, Fault) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := Request{Bucket: bucket, Key: key, Range: r.Header.Get("Range"), Header: r.Header.Clone()}
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodGet && query.Has("uploads"):
		q.Op = Uploads
	case r.Method == http.MethodGet && query.Has("uploadId"):
		q.Op = Parts
	case r.Method == http.MethodGet && key == "":
		q.Op, q.Prefix = List, query.Get("prefix")
	case r.Method == http.MethodGet:
		q.Op = Get
	case r.Method == http.MethodHead && key == "":
		q.Op = Bucket
	case r.Method == http.MethodHead:
		q.Op = Head
	case r.Method == http.MethodPut && query.Has("partNumber"):
		q.Op = Part
		fmt.Sscan(query.Get("partNumber"), &q.Part)
	case r.Method == http.MethodPut:
		q.Op = Put
	case r.Method == http.MethodPost && query.Has("uploads"):
		q.Op = Begin
	case r.Method == http.MethodPost:
		q.Op = Complete
	case r.Method == http.MethodDelete && query.Has("uploadId"):
		q.Op = Abort
	case r.Method == http.MethodDelete:
		q.Op = Remove
	}
	f.mu.Lock()
	q.All, q.N = len(f.requests), f.counts[q.Op]
	f.counts[q.Op]++
	f.requests = append(f.requests, q)
	fault := f.fault
	f.mu.Unlock()
	if fault == nil {
		return q, Fault{}
	}
	return q, fault(q)
}

// gone waits until the client has gone or the store is closed.
func (f *Fake) gone(r *http.Request, d time.Duration) {
	var after <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		after = t.C
	}
	select {
	case <-r.Context().Done():
	case <-f.quit:
	case <-after:
	}
}

// ServeHTTP answers a request.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, fault := f.admit(r)
	if fault.Delay > 0 {
		f.gone(r, fault.Delay)
		if r.Context().Err() != nil {
			panic(http.ErrAbortHandler)
		}
	}
	var body []byte
	if r.Body != nil && !(fault.Stall && !fault.Effect) {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return
		}
	}
	spoilt := fault.Status != 0 || fault.Stall || fault.Cut && fault.Body == 0
	a := &answer{header: http.Header{}}
	if !spoilt || fault.Effect {
		f.answer(a, q, r, body, fault)
	}
	if fault.Stall {
		f.gone(r, 0)
		panic(http.ErrAbortHandler)
	}
	if fault.Status != 0 {
		a = &answer{header: http.Header{}}
		a.fail(fault.Status, fault.Code, fault.Region)
	}
	f.send(w, r, a, fault)
}
