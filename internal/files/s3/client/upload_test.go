// This file tests uploads, and those that go wrong.

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// small has parts of the given size, which stores wouldn't take.
func small(t *testing.T, f *tests3.Fake, part int64) *Client {
	c := client(t, quick(f))
	c.set.partSize, c.set.pause = part, time.Millisecond
	return c
}

func TestUploadFaults(t *testing.T) {
	testlong.Only(t)
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
		"part for good":      {op: tests3.Part, w: fault{Status: 500, Code: "InternalError"}, good: true, is: s3.ErrUnavailable, text: "try later"},
		"part denied":        {op: tests3.Part, w: fault{Status: 403, Code: "AccessDenied"}, good: true, is: fs.ErrPermission, text: "may write it"},
		"part too many":      {op: tests3.Part, w: fault{Status: 400, Code: "EntityTooLarge"}, good: true, text: "larger than the store allows", is: errAny},
		"full":               {op: tests3.Part, w: fault{Status: 507, Code: "XMinioStorageFull"}, good: true, is: s3.ErrUnavailable, text: "XMinioStorageFull"},
		"begin once":         {op: tests3.Begin, w: fault{Status: 503, Code: "SlowDown"}},
		"begin denied":       {op: tests3.Begin, w: fault{Status: 403, Code: "AccessDenied"}, good: true, is: fs.ErrPermission},
		"begin's lost":       {op: tests3.Begin, w: fault{Cut: true, Effect: true}, stays: 1},
		"complete once":      {op: tests3.Complete, w: fault{Status: 500, Code: "InternalError"}},
		"complete 200":       {op: tests3.Complete, w: fault{Status: 200, Code: "InternalError"}},
		"complete's lost":    {op: tests3.Complete, w: fault{Cut: true, Effect: true}},
		"complete's spoilt":  {op: tests3.Complete, w: fault{Stop: true, Body: 20, Effect: true}},
		"complete for good":  {op: tests3.Complete, w: fault{Status: 500, Code: "InternalError"}, good: true, is: s3.ErrUnavailable, text: "may have made the object"},
		"complete denied":    {op: tests3.Complete, w: fault{Status: 403, Code: "AccessDenied"}, good: true, is: s3.ErrDenied},
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
				var e *s3.Error
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

// TestBeginLost: if the answer to the beginning of an upload is lost, the store
// may have begun an upload with an unknown id. An error reports that, whatever its
// cause, and only in that case.
func TestBeginLost(t *testing.T) {
	testlong.Only(t)
	lost, denied := fault{Cut: true, Effect: true}, fault{Status: 403, Code: "AccessDenied"}
	for name, c := range map[string]struct {
		faults map[string]fault // by the request: "begin 0" is the first of these
		is     error
		left   int
		says   bool
	}{
		"then denied":           {map[string]fault{"begin 0": lost, "begin 1": denied}, s3.ErrDenied, 1, true},
		"then another bucket":   {map[string]fault{"begin 0": lost, "begin 1": {Status: 404, Code: "NoSuchBucket"}}, s3.ErrNoBucket, 1, true},
		"failed, then denied":   {map[string]fault{"begin 0": {Status: 500, Code: "InternalError", Effect: true}, "begin 1": denied}, s3.ErrDenied, 1, true},
		"each time":             {map[string]fault{"begin 0": lost, "begin 1": lost, "begin 2": lost, "begin 3": lost}, s3.ErrUnavailable, 4, true},
		"then a part is denied": {map[string]fault{"begin 0": lost, "part 0": denied}, s3.ErrDenied, 1, true},
		"canceled":              {map[string]fault{"begin 0": {Stall: true, Effect: true}}, context.Canceled, 1, true},
		"denied at once":        {map[string]fault{"begin 0": denied}, s3.ErrDenied, 0, false},
		"busy, then denied":     {map[string]fault{"begin 0": {Status: 503, Code: "SlowDown"}, "begin 1": denied}, s3.ErrDenied, 0, false},
		"a part is denied":      {map[string]fault{"part 0": denied}, s3.ErrDenied, 0, false},
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

// TestUploadOfOthers: after a completion whose answer is lost, an object of
// another writer isn't taken for ours.
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
