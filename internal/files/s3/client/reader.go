// This file reads an object by ranges.

package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
)

// Reader reads an object as it was when it was listed; if it isn't that any
// more, reading is an ErrChanged. It holds nothing that has to be closed. It is
// safe for concurrent use.
type Reader struct {
	c           *Client
	ctx         context.Context
	o           s3.Object
	bucket, key string
}

// Open returns a reader of an object of List or Stat. It asks nothing of
// the store. ctx ends all reading.
func (c *Client) Open(ctx context.Context, o s3.Object) (s3.Reader, error) {
	bucket, key, err := s3.SplitKey(o.Path)
	if err == nil && o.ETag == "" && o.Modified.IsZero() {
		err = &s3.Error{Op: "read", Path: o.Path, Err: errors.New("it has neither an ETag nor a time"), Remedy: "get it from List or Stat"}
	}
	if err != nil {
		return nil, err
	}
	atomicfile.NoteObject(ctx, o.Path)
	return &Reader{c: c, ctx: ctx, o: o, bucket: bucket, key: key}, nil
}

// Size returns the object's size in bytes.
func (r *Reader) Size() int64 { return r.o.Size }

// Object returns what was opened.
func (r *Reader) Object() s3.Object { return r.o }

// ReadAt is io.ReaderAt's, by one request.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) { return r.ReadAtContext(r.ctx, p, off) }

// ReadAtContext is ReadAt with another context, which ends the
// reading in addition to Open's.
func (r *Reader) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	n, end, err := r.clip(len(p), off)
	if err != nil || n == 0 {
		return 0, errors.Join(err, end)
	}
	ctx, stop := both(ctx, r.ctx)
	defer stop()
	if got, err := r.fetch(ctx, p[:n], off); err != nil {
		return got, err
	}
	return n, end
}

// clip returns how many of n bytes from off on there are, and io.EOF if
// that is less.
func (r *Reader) clip(n int, off int64) (int, error, error) {
	switch {
	case off < 0:
		return 0, nil, &s3.Error{Op: "read", Path: r.o.Path, Err: fmt.Errorf("offset %d is negative", off), Remedy: "read from 0 on"}
	case off >= r.o.Size && n > 0:
		return 0, io.EOF, nil
	case int64(n) > r.o.Size-off:
		return int(r.o.Size - off), io.EOF, nil
	}
	return n, nil, nil
}

// both returns a context that ends with either.
func both(a, b context.Context) (context.Context, func()) {
	if a == b || b.Done() == nil {
		return a, func() {}
	}
	ctx, cancel := context.WithCancelCause(a)
	stop := context.AfterFunc(b, func() { cancel(b.Err()) })
	return ctx, func() { stop(); cancel(nil) }
}

// fetch fills p with the bytes from off on, which there are. It returns how
// many came; those that came before an answer broke off aren't asked for again.
func (r *Reader) fetch(ctx context.Context, p []byte, off int64) (int, error) {
	done := 0
	err := r.c.do(ctx, request{op: "read", path: r.o.Path, bucket: r.bucket}, func(ctx context.Context, core *minio.Core) error {
		n, err := r.attempt(ctx, core, p[done:], off+int64(done))
		done += n
		return err
	})
	if errors.Is(err, s3.ErrNotFound) && !errors.Is(err, s3.ErrNoBucket) {
		// It was there when it was listed.
		var e *s3.Error
		if errors.As(err, &e) {
			e.Kind, e.Err, e.Remedy = s3.ErrChanged, because(s3.ErrNotFound, "it isn't there any more"), "list again"
		}
	}
	return done, err
}

func (r *Reader) attempt(ctx context.Context, core *minio.Core, p []byte, off int64) (int, error) {
	var o minio.GetObjectOptions
	if err := o.SetRange(off, off+int64(len(p))-1); err != nil {
		return 0, err
	}
	if r.o.ETag != "" {
		if err := o.SetMatchETag(r.o.ETag); err != nil {
			return 0, err
		}
	}
	body, info, header, err := core.GetObject(ctx, r.bucket, r.key, o)
	if err != nil {
		var resp minio.ErrorResponse
		if errors.As(err, &resp) && resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
			return 0, because(s3.ErrChanged, "it has less than the %d bytes that it had", r.o.Size)
		}
		return 0, err
	}
	defer body.Close()
	if err := r.check(&info, header, off, len(p)); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(body, p)
	r.c.stats.fetched.Add(int64(n))
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return n, fmt.Errorf("%w after %d of %d bytes", err, n, len(p))
	}
	var more [1]byte
	if extra, _ := body.Read(more[:]); extra > 0 {
		return 0, because(s3.ErrAnswer, "more than the %d bytes from %d on", len(p), off)
	}
	return n, nil
}

// check verifies that an answer has the listed object, and the
// requested range. Not every store supports If-Match.
func (r *Reader) check(info *minio.ObjectInfo, h http.Header, off int64, n int) error {
	switch {
	case r.o.ETag != "" && info.ETag != "" && info.ETag != r.o.ETag:
		return because(s3.ErrChanged, "its ETag was %s and is %s", r.o.ETag, info.ETag)
	case r.o.ETag == "" && !info.LastModified.Truncate(time.Second).Equal(r.o.Modified.Truncate(time.Second)):
		return because(s3.ErrChanged, "it was of %v and is of %v", r.o.Modified, info.LastModified)
	}
	last := off + int64(n) - 1
	whole := off == 0 && int64(n) == r.o.Size
	ranged := h.Get("Content-Range")
	if ranged == "" {
		if !whole {
			return because(s3.ErrAnswer, "it ignores that bytes %d to %d were asked for", off, last)
		}
	} else if f, l, size, ok := parseRange(ranged); ok && size >= 0 && size != r.o.Size {
		return because(s3.ErrChanged, "it had %d bytes and has %d", r.o.Size, size)
	} else if !ok || f != off || l != last {
		return because(s3.ErrAnswer, "bytes %d to %d were asked for, and %q came", off, last, ranged)
	}
	if info.Size >= 0 && info.Size != int64(n) {
		if ranged == "" {
			return because(s3.ErrChanged, "it had %d bytes and has %d", r.o.Size, info.Size)
		}
		return because(s3.ErrAnswer, "%d bytes were asked for, and %d are announced", n, info.Size)
	}
	return nil
}

// parseRange reads a Content-Range. size is -1 if it is unknown.
func parseRange(s string) (first, last, size int64, ok bool) {
	s, ok = strings.CutPrefix(s, "bytes ")
	span, total, ok2 := strings.Cut(s, "/")
	from, to, ok3 := strings.Cut(span, "-")
	first, err1 := strconv.ParseInt(from, 10, 64)
	last, err2 := strconv.ParseInt(to, 10, 64)
	size, err3 := strconv.ParseInt(total, 10, 64)
	if total == "*" {
		size, err3 = -1, nil
	}
	return first, last, size, ok && ok2 && ok3 && err1 == nil && err2 == nil && err3 == nil
}
