// This file tests uploads, and those that go wrong.

package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/tests3"
)

// small has parts of the given size, which stores wouldn't take.
func small(t *testing.T, f *tests3.Fake, part int64) *Client {
	c := client(t, quick(f))
	c.set.partSize, c.set.pause = part, time.Millisecond
	return c
}

func TestUploadFaults(t *testing.T) {
	data := noise(100_500)
	for name, c := range map[string]struct {
		op    tests3.Op
		w     fault
		good  bool  // for good, not once
		is    error // nil: it succeeds
		text  string
		stays int // uploads that can't be known of
	}{
		"part once":          {op: tests3.Part, w: fault{Status: 500, Code: "InternalError"}},
		"part cut":           {op: tests3.Part, w: fault{Cut: true}},
		"part's answer lost": {op: tests3.Part, w: fault{Cut: true, Effect: true}},
		"part without ETag":  {op: tests3.Part, w: fault{Header: map[string]string{"Etag": ""}}},
		"part for good":      {op: tests3.Part, w: fault{Status: 500, Code: "InternalError"}, good: true, is: ErrUnavailable, text: "try later"},
		"part denied":        {op: tests3.Part, w: fault{Status: 403, Code: "AccessDenied"}, good: true, is: fs.ErrPermission, text: "may write it"},
		"part too many":      {op: tests3.Part, w: fault{Status: 400, Code: "EntityTooLarge"}, good: true, text: "larger than the store allows", is: errAny},
		"full":               {op: tests3.Part, w: fault{Status: 507, Code: "XMinioStorageFull"}, good: true, is: ErrUnavailable, text: "XMinioStorageFull"},
		"begin once":         {op: tests3.Begin, w: fault{Status: 503, Code: "SlowDown"}},
		"begin denied":       {op: tests3.Begin, w: fault{Status: 403, Code: "AccessDenied"}, good: true, is: fs.ErrPermission},
		"begin's lost":       {op: tests3.Begin, w: fault{Cut: true, Effect: true}, stays: 1},
		"complete once":      {op: tests3.Complete, w: fault{Status: 500, Code: "InternalError"}},
		"complete 200":       {op: tests3.Complete, w: fault{Status: 200, Code: "InternalError"}},
		"complete's lost":    {op: tests3.Complete, w: fault{Cut: true, Effect: true}},
		"complete's spoilt":  {op: tests3.Complete, w: fault{Stop: true, Body: 20, Effect: true}},
		"complete for good":  {op: tests3.Complete, w: fault{Status: 500, Code: "InternalError"}, good: true, is: ErrUnavailable, text: "may have made the object"},
		"complete denied":    {op: tests3.Complete, w: fault{Status: 403, Code: "AccessDenied"}, good: true, is: ErrDenied},
		"invalid part":       {op: tests3.Complete, w: fault{Status: 400, Code: "InvalidPart"}, good: true, is: errAny, text: "InvalidPart"},
		"no such upload":     {op: tests3.Complete, w: fault{Status: 404, Code: "NoSuchUpload"}, good: true, is: errAny, text: "ended the upload"},
	} {
		t.Run(name, func(t *testing.T) {
			f := tests3.NewFake(t, "bucket")
			f.Put("bucket", "out", []byte("before"))
			cl := small(t, f, 10_000)
			f.SetFault(func(r tests3.Request) fault {
				if r.Op == c.op && (r.N == 0 || c.good) {
					return c.w
				}
				return fault{}
			})
			w := must(cl.Create(context.Background(), "s3://bucket/out", "text/plain"))
			_, werr := w.Write(data)
			err := w.Commit()
			if werr != nil && err != werr {
				t.Errorf("Commit says %v after %v", err, werr)
			}
			got, _ := f.Object("bucket", "out")
			want := data
			if c.is != nil {
				want = []byte("before")
				var e *Error
				if c.is != errAny && !errors.Is(err, c.is) || !errors.As(err, &e) || !strings.Contains(err.Error(), "cannot write s3://bucket/out") || !strings.Contains(err.Error(), c.text) {
					t.Error(err)
				}
				if len(f.Requests(tests3.Abort)) != 1 && c.op != tests3.Begin {
					t.Error("it wasn't aborted")
				}
				if again := w.Commit(); again != err {
					t.Errorf("then %v", again)
				}
			} else if err != nil {
				t.Error(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes are there", len(got))
			}
			if n := f.Uploads(); n != c.stays {
				t.Errorf("%d uploads are left", n)
			}
		})
	}
}

// TestBeginLost: where the answer to the beginning of an upload is lost, the store
// may have begun one that nobody knows the id of. An error says so, whatever it is
// about, and only then.
func TestBeginLost(t *testing.T) {
	lost, denied := fault{Cut: true, Effect: true}, fault{Status: 403, Code: "AccessDenied"}
	for name, c := range map[string]struct {
		faults map[string]fault // by the request: "begin 0" is the first of these
		is     error
		left   int
		says   bool
	}{
		"then denied":           {map[string]fault{"begin 0": lost, "begin 1": denied}, ErrDenied, 1, true},
		"then another bucket":   {map[string]fault{"begin 0": lost, "begin 1": {Status: 404, Code: "NoSuchBucket"}}, ErrNoBucket, 1, true},
		"failed, then denied":   {map[string]fault{"begin 0": {Status: 500, Code: "InternalError", Effect: true}, "begin 1": denied}, ErrDenied, 1, true},
		"each time":             {map[string]fault{"begin 0": lost, "begin 1": lost, "begin 2": lost, "begin 3": lost}, ErrUnavailable, 4, true},
		"then a part is denied": {map[string]fault{"begin 0": lost, "part 0": denied}, ErrDenied, 1, true},
		"cancelled":             {map[string]fault{"begin 0": {Stall: true, Effect: true}}, context.Canceled, 1, true},
		"denied at once":        {map[string]fault{"begin 0": denied}, ErrDenied, 0, false},
		"busy, then denied":     {map[string]fault{"begin 0": {Status: 503, Code: "SlowDown"}, "begin 1": denied}, ErrDenied, 0, false},
		"a part is denied":      {map[string]fault{"part 0": denied}, ErrDenied, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			for what, write := range map[string]func(ctx context.Context, cl *Client) error{
				"Writer": func(ctx context.Context, cl *Client) error {
					w, err := cl.Create(ctx, "s3://bucket/dir/out", "")
					if err != nil {
						return err
					}
					_, _ = w.Write(noise(5000))
					return w.Commit()
				},
				"CheckWrite": func(ctx context.Context, cl *Client) error { return cl.CheckWrite(ctx, "s3://bucket/dir/out") },
			} {
				if strings.Contains(name, "a part") && what == "CheckWrite" {
					continue
				}
				f := tests3.NewFake(t, "bucket")
				cl := small(t, f, 1000)
				cl.set.attempts = 4
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				f.SetFault(func(r tests3.Request) fault {
					w := c.faults[fmt.Sprint(r.Op, " ", r.N)]
					if w.Stall {
						time.AfterFunc(20*time.Millisecond, cancel)
					}
					return w
				})
				err := write(ctx, cl)
				if !errors.Is(err, c.is) {
					t.Errorf("%s: %v, want %v", what, err, c.is)
				}
				if n := f.Uploads(); n != c.left {
					t.Errorf("%s: %d uploads are left", what, n)
				}
				const says = "aws s3api list-multipart-uploads --bucket \"bucket\" --prefix \"dir/out\""
				if n := strings.Count(err.Error(), says); n != map[bool]int{true: 1}[c.says] {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

// TestUploadOfOthers: after a completion whose answer is lost, an object that
// somebody else put there isn't taken for ours.
func TestUploadOfOthers(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	cl := small(t, f, 1000)
	f.SetFault(func(r tests3.Request) fault {
		switch {
		case r.Op == tests3.Complete && r.N == 0:
			f.Put("bucket", "out", []byte("theirs"))
			return fault{Cut: true}
		case r.Op == tests3.Complete:
			return fault{Status: 404, Code: "NoSuchUpload"}
		}
		return fault{}
	})
	w := must(cl.Create(context.Background(), "s3://bucket/out", ""))
	must(w.Write(noise(5000)))
	if err := w.Commit(); !isCode(err, "NoSuchUpload") || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// errAny stands for an error without a sentinel.
var errAny = errors.New("any")

// TestUploadCancelled: while parts are under way, and with an Abort that is slow.
func TestUploadCancelled(t *testing.T) {
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
		if err := wr.Commit(); !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "parts of the upload may be left") {
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
		"s3://other/a":   ErrNoBucket,
		"s3://bucket":    ErrPath,
		"s3://bucket/":   ErrPath,
		"s3://bucket/d/": ErrPath,
		"s3:///a":        ErrPath,
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
	if err := w.Commit(); !errors.Is(err, ErrClosed) || !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if n := len(f.Requests(tests3.Put, tests3.Begin)); n != 1 {
		t.Errorf("%d requests of what was aborted", n)
	}
}

// TestPartsGrow: what S3 allows in size and number is enough for what it
// allows in all, and memory stays bounded.
func TestPartsGrow(t *testing.T) {
	s := (&Options{}).settings()
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
		if cap(w.buf) > 6400 {
			t.Fatalf("a buffer of %d bytes", cap(w.buf))
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
