// This file holds Writer: an object that is written whole or not at all.

package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/minio/minio-go/v7"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
)

// uploadMark is the metadata by which a completed upload is known again when
// the store's answer to the completion was lost.
const uploadMark = "Foray-Upload"

// unsure is appended to an error if the store may have made the object without reporting it.
const unsure = "; the store may have made the object all the same: look at it"

// Writer is an object that is being written. Nothing is at its key before
// Commit; an existing object stays until then. Use it from one goroutine at a time.
// It must be ended with Commit or Abort, or parts stay in the store. An
// upload whose id never arrived stays
// as well, but it has no parts, which are what stores bill; errors mention that it may
// exist.
//
// It holds parts in memory: the one that is being filled and those on their way,
// together up to four of PartSize for the first 35 GiB or so.
type Writer struct {
	c           *Client
	ctx         context.Context
	path        string
	bucket, key string
	contentType string
	mark        string
	group       *Group // or nil
	buf         []byte
	up          *upload // nil until there is more than a part
	size        int64
	err         error // the first, which all later calls return
	done        bool
	unsure      bool // the object may exist, though no answer reported it
	stray       bool // the store may have begun an upload whose id never arrived
}

// Create begins writing the object of that path, over one that may be there. A
// missing bucket is an error now, what else may be wrong one later. ctx ends all
// writing. contentType may be empty.
func (c *Client) Create(ctx context.Context, path, contentType string) (s3.Writer, error) {
	bucket, key, err := s3.SplitKey(path)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.CheckInputs(ctx, path); err != nil {
		return nil, err
	}
	w := &Writer{c: c, ctx: ctx, path: path, bucket: bucket, key: key, contentType: first(contentType, "application/octet-stream")}
	var random [12]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, w.Explain(err)
	}
	w.mark = hex.EncodeToString(random[:])
	exists := true
	err = c.do(ctx, w.request(nil), func(ctx context.Context, core *minio.Core) error {
		var err error
		exists, err = core.BucketExists(ctx, bucket)
		return err
	})
	if err == nil && !exists {
		err = &s3.Error{Op: "write", Path: path, Kind: s3.ErrNoBucket, Remedy: "make the bucket first, or check its spelling and the endpoint (AWS_ENDPOINT_URL)"}
	}
	var e *s3.Error
	if errors.As(err, &e) && e.Status/100 == 4 && e.Kind != s3.ErrNoBucket && e.Kind != s3.ErrUnavailable {
		err = nil // permission to write a bucket doesn't imply permission to look at it
	}
	if err != nil {
		return nil, w.Explain(err)
	}
	return w, nil
}

func (w *Writer) request(retried func()) request {
	return request{op: "write", path: w.path, bucket: w.bucket, retried: retried}
}

// Path returns the path that was given to Create.
func (w *Writer) Path() string { return w.path }

// Size returns how many bytes were written so far.
func (w *Writer) Size() int64 { return w.size }

// Write takes bytes, which it copies, and sends parts when they are full. It
// waits while as many as may be are on their way. After an error every
// later Write and Commit returns that error.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err == nil && w.done {
		w.fail(s3.ErrClosed)
	}
	total := 0
	for w.err == nil && len(p) > 0 {
		limit := w.partLimit()
		if int64(len(w.buf)) == limit {
			w.fail(w.flush())
			continue
		}
		n := int(min(limit-int64(len(w.buf)), int64(len(p))))
		w.grow(len(w.buf) + n)
		w.buf = append(w.buf, p[:n]...)
		p, total, w.size = p[n:], total+n, w.size+int64(n)
	}
	return total, w.err
}

// grow makes the buffer as large as it has to be, at most as a part.
func (w *Writer) grow(n int) {
	if n <= cap(w.buf) {
		return
	}
	limit := int(w.partLimit())
	to := limit
	if w.up == nil { // small objects don't need a part's memory
		to = min(limit, max(n, 2*cap(w.buf), 64<<10))
	}
	w.buf = append(make([]byte, 0, to), w.buf...)
}

// partLimit is the size of the part that is being filled.
func (w *Writer) partLimit() int64 {
	if w.up == nil {
		return w.c.set.partSize
	}
	return w.c.set.partLen(len(w.up.parts) + 1)
}

// partLen is the size of the nth part, from 1.
func (s *settings) partLen(n int) int64 {
	doubled := max(0, n-s.growAfter+s.growEvery-1) / s.growEvery
	size := s.partSize
	for ; doubled > 0 && size < maxPart; doubled-- {
		size *= 2
	}
	return min(size, maxPart)
}

// flush sends the buffer as a part, and begins the upload if it is the first.
func (w *Writer) flush() error {
	if w.up == nil {
		up, err := w.begin()
		if err != nil {
			return err
		}
		w.up = up
	}
	buf := w.buf
	w.buf = nil
	if err := w.up.send(buf); err != nil {
		return err
	}
	w.buf = w.up.spare(w.partLimit())
	return nil
}

// Commit makes the object, and returns once the store has it; for one of a
// Group's, see Group.Create. On an error, and if
// an earlier Write had one, it does what Abort does and returns the error.
func (w *Writer) Commit() error {
	if w.done {
		if w.err == nil {
			w.fail(s3.ErrClosed)
		}
		return w.err
	}
	if w.err == nil {
		w.fail(w.finish())
	}
	if w.err != nil {
		w.Abort()
		return w.err
	}
	w.done = true
	if w.group == nil {
		w.buf = nil
	}
	return nil
}

func (w *Writer) finish() error {
	if w.group != nil {
		return w.group.seal(w)
	}
	if err := atomicfile.CheckInputs(w.ctx, w.path); err != nil { // some are opened while the output is written
		return err
	}
	if w.up == nil {
		return w.put()
	}
	if len(w.buf) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if err := w.up.wait(); err != nil {
		return err
	}
	return w.up.complete()
}

// put sends an object in one request.
func (w *Writer) put() error {
	sum := sha256.Sum256(w.buf)
	w.unsure = true
	return w.c.do(w.ctx, w.request(nil), func(ctx context.Context, core *minio.Core) error {
		o := minio.PutObjectOptions{ContentType: w.contentType, DisableContentSha256: true}
		_, err := core.PutObject(ctx, w.bucket, w.key, bytes.NewReader(w.buf), int64(len(w.buf)), "", hex.EncodeToString(sum[:]), o)
		return err
	})
}

// Abort discards what was written and leaves the object at the key unchanged. It waits
// for requests in flight, at most half a minute, whether or not
// the context is done. For a Writer of a Group, the group's Abort does that. After Commit or Abort
// it does nothing, so that it can be deferred.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	if w.group != nil { // which ends the upload, since it may be at work on it, and on w.buf
		w.fail(s3.ErrClosed)
		w.group.fail(w.err)
		return
	}
	w.buf = nil
	if w.up == nil {
		return
	}
	if err := w.up.abort(); err != nil {
		var e *s3.Error
		if errors.As(w.err, &e) {
			e.Remedy += fmt.Sprintf("; parts of the upload may be left (%v): remove it with aws s3api abort-multipart-upload, or by a lifecycle rule", err)
		}
	}
	w.up = nil
}

// Explain returns err, an error from writing the object, as an *Error
// that names the path and a remedy. It returns err itself if that is an *Error, and nil
// for nil.
func (w *Writer) Explain(err error) error {
	var e *s3.Error
	if err == nil {
		return nil
	}
	if errors.As(err, &e) {
		if w.unsure && e.Kind == s3.ErrUnavailable {
			e.Remedy += unsure
		}
		return err
	}
	e = &s3.Error{Op: "write", Path: w.path, Err: err}
	switch {
	case errors.Is(err, context.Canceled):
		e.Remedy = "run it again"
	case errors.Is(err, context.DeadlineExceeded):
		e.Remedy = "run it again with more time"
	case errors.Is(err, fs.ErrClosed):
		e.Kind, e.Err, e.Remedy = s3.ErrClosed, nil, "an object can't be written any more once it is committed or aborted"
	default:
		e.Remedy = "write elsewhere"
	}
	if w.unsure && e.Kind != s3.ErrClosed {
		e.Remedy += unsure
	}
	return e
}

func (w *Writer) fail(err error) {
	if err == nil || w.err != nil {
		return
	}
	if w.group != nil { // what ended the group is why this one ended
		if first := w.group.failure(); first != nil {
			err = first
		}
	}
	w.err = w.straying(w.Explain(err))
}
