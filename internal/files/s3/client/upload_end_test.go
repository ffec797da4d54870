// This file tests uploads that are canceled, aborted, or made of many parts.

package client

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// errAny stands for an error without a sentinel.
var errAny = errors.New("any")

// TestUploadCanceled: while parts are under way, and with an Abort that is slow.
func TestUploadCanceled(t *testing.T) {
	testlong.Project(t)
	f := tests3.NewFake(t, "bucket")
	cl := small(t, f, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	f.SetFault(func(r tests3.Request) fault {
		switch {
		case r.Op == tests3.Part && r.Part == 5:
			cancel()
			return fault{Stall: true}
		case r.Op == tests3.Part && r.Part > 3:
			return fault{Stall: true, Effect: true}
		case r.Op == tests3.Abort && r.N == 0:
			return fault{Status: 503, Code: "SlowDown"}
		}
		return fault{}
	})
	w := must(cl.Create(ctx, "s3://bucket/out", ""))
	_, err := w.Write(noise(100_000))
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "cannot write s3://bucket/out") || !strings.Contains(err.Error(), "run it again") {
		t.Error(err)
	}
	w.Abort()
	w.Abort()
	if _, ok := f.Object("bucket", "out"); ok || f.Uploads() != 0 || len(f.Requests(tests3.Abort)) != 2 {
		t.Errorf("%d uploads are left", f.Uploads())
	}
	if err := w.Commit(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAbortFails: what stays is said.
func TestAbortFails(t *testing.T) {
	for _, w := range []fault{{Stall: true}, {Status: 403, Code: "AccessDenied"}} {
		f := tests3.NewFake(t, "bucket")
		cl := small(t, f, 1000)
		cl.set.abort = 100 * time.Millisecond
		f.SetFault(func(r tests3.Request) fault {
			switch r.Op {
			case tests3.Part:
				return fault{Status: 403, Code: "AccessDenied"}
			case tests3.Abort:
				return w
			}
			return fault{}
		})
		wr := must(cl.Create(context.Background(), "s3://bucket/out", ""))
		_, _ = wr.Write(noise(100_000))
		if err := wr.Commit(); !errors.Is(err, s3.ErrDenied) || !strings.Contains(err.Error(), "parts of the upload may be left") {
			t.Error(err)
		}
	}
}

func TestPutFaults(t *testing.T) {
	for _, w := range []fault{{Status: 500}, {Cut: true}, {Cut: true, Effect: true}} {
		f := tests3.NewFake(t, "bucket")
		f.SetFault(once(tests3.Put, w))
		wr := must(client(t, quick(f)).Create(context.Background(), "s3://bucket/out", ""))
		must(wr.Write([]byte("hello")))
		if err := wr.Commit(); err != nil {
			t.Error(err)
		}
		if got, _ := f.Object("bucket", "out"); string(got) != "hello" {
			t.Errorf("%q", got)
		}
		if _, err := wr.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
			t.Error(err)
		}
	}
}

func TestCreate(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	cl := client(t, quick(f))
	for path, want := range map[string]error{
		"s3://other/a":   s3.ErrNoBucket,
		"s3://bucket":    s3.ErrPath,
		"s3://bucket/":   s3.ErrPath,
		"s3://bucket/d/": s3.ErrPath,
		"s3:///a":        s3.ErrPath,
	} {
		if _, err := cl.Create(context.Background(), path, ""); !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	f.SetFault(always(tests3.Bucket, fault{Status: 403}))
	w, err := cl.Create(context.Background(), "s3://bucket/a", "text/plain")
	if err != nil {
		t.Fatalf("where only writing is allowed: %v", err)
	}
	if err := w.Commit(); err != nil || w.Path() != "s3://bucket/a" {
		t.Error(err)
	}
	if got, ok := f.Object("bucket", "a"); !ok || len(got) != 0 {
		t.Errorf("%q, %v", got, ok)
	}
	w = must(cl.Create(context.Background(), "s3://bucket/b", ""))
	w.Abort()
	if err := w.Commit(); !errors.Is(err, s3.ErrClosed) || !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if n := len(f.Requests(tests3.Put, tests3.Begin)); n != 1 {
		t.Errorf("%d requests of what was aborted", n)
	}
}

// TestPartsGrow: the sizes and numbers of parts that S3 permits suffice for the largest object that it
// permits, and memory stays bounded.
func TestPartsGrow(t *testing.T) {
	s := settingsOf(&s3.Options{})
	var sum, equal int64
	for n := 1; n <= maxParts; n++ {
		size := s.partLen(n)
		if size < minPart || size > 5<<30 || n > 1 && size < s.partLen(n-1) {
			t.Fatalf("part %d has %d bytes", n, size)
		}
		if sum += size; size == s.partSize {
			equal = sum
		}
	}
	if sum < 5<<40 || equal < 35<<30 {
		t.Errorf("%d parts have %d bytes, %d of them in equal ones", maxParts, sum, equal)
	}

	f := tests3.NewFake(t, "bucket")
	cl := small(t, f, 100)
	cl.set.growAfter, cl.set.growEvery = 6, 3
	data := noise(30_050)
	w := must(cl.Create(context.Background(), "s3://bucket/out", ""))
	for rest := data; len(rest) > 0; {
		n := min(len(rest), 777)
		must(w.Write(rest[:n]))
		rest = rest[n:]
		if cap(w.(*Writer).buf) > 6400 {
			t.Fatalf("a buffer of %d bytes", cap(w.(*Writer).buf))
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, _ := f.Object("bucket", "out"); !bytes.Equal(got, data) {
		t.Errorf("%d bytes are there", len(got))
	}
	var sizes []string
	for _, r := range f.Requests(tests3.Part)[:3] {
		sizes = append(sizes, r.Header.Get("Content-Length"))
	}
	if n := len(f.Requests(tests3.Part)); n > 30 {
		t.Errorf("%d parts, the first of %q", n, sizes)
	}
}
