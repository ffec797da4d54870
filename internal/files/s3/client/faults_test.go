// This file tests reading from a store whose answers go wrong.

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

type fault = tests3.Fault

// once has the first request of a kind go wrong.
func once(op tests3.Op, w fault) func(tests3.Request) fault {
	return func(r tests3.Request) fault {
		if r.Op == op && r.N == 0 {
			return w
		}
		return fault{}
	}
}

func always(op tests3.Op, w fault) func(tests3.Request) fault {
	return func(r tests3.Request) fault {
		if r.Op == op {
			return w
		}
		return fault{}
	}
}

// passing are faults after which the same request may succeed.
var passing = map[string]struct {
	w    fault
	kind error // where they don't pass
}{
	"slow down":        {fault{Status: 503, Code: "SlowDown"}, s3.ErrUnavailable},
	"internal error":   {fault{Status: 500, Code: "InternalError"}, s3.ErrUnavailable},
	"bad gateway":      {fault{Status: 502}, s3.ErrUnavailable},
	"too many":         {fault{Status: 429}, s3.ErrUnavailable},
	"request timeout":  {fault{Status: 400, Code: "RequestTimeout"}, s3.ErrUnavailable},
	"cut at once":      {fault{Cut: true}, s3.ErrUnavailable},
	"cut in the body":  {fault{Cut: true, Body: 500}, s3.ErrUnavailable},
	"truncated":        {fault{Stop: true, Body: 500}, s3.ErrUnavailable},
	"stalled":          {fault{Stall: true}, s3.ErrUnavailable},
	"stalled in body":  {fault{Hang: true, Body: 500}, s3.ErrUnavailable},
	"another range":    {fault{Header: map[string]string{"Content-Range": "bytes 1-1000/5000"}}, s3.ErrAnswer},
	"another begin":    {fault{Header: map[string]string{"Content-Range": "bytes 1999-2999/5000"}}, s3.ErrAnswer},
	"another end":      {fault{Header: map[string]string{"Content-Range": "bytes 2000-3000/5000"}}, s3.ErrAnswer},
	"too long":         {fault{Header: map[string]string{"Content-Length": ""}, Trailer: []byte("more")}, s3.ErrAnswer},
	"range ignored":    {fault{Whole: true}, s3.ErrAnswer},
	"no range":         {fault{Header: map[string]string{"Content-Range": ""}}, s3.ErrAnswer},
	"no range at all":  {fault{Header: map[string]string{"Content-Range": "lines 1 to 7"}}, s3.ErrAnswer},
	"more than it":     {fault{Trailer: []byte("more")}, s3.ErrAnswer},
	"no decent time":   {fault{Header: map[string]string{"Last-Modified": "yesterday"}}, s3.ErrUnavailable},
	"endless and more": {fault{Stop: true, Body: 1 << 20, Whole: true}, s3.ErrAnswer},
}

func TestReadFaults(t *testing.T) {
	data := noise(5000)
	for name, c := range passing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := tests3.NewFake(t, "bucket")
			f.Put("bucket", "a", data)
			o := quick(f)
			if c.w.Stall || c.w.Hang {
				o.Stall = 500 * time.Millisecond
			}
			cl := client2(t, o)
			ctx := context.Background()
			r := must(cl.Open(ctx, must(cl.Stat(ctx, "s3://bucket/a"))))
			f.SetFault(once(tests3.Get, c.w))
			b := make([]byte, 1000)
			if n, err := r.ReadAt(b, 2000); n != 1000 || err != nil || !bytes.Equal(b, data[2000:3000]) {
				t.Errorf("%d bytes, %v", n, err)
			}
			// net/http resends automatically if a kept connection closes at once.
			closed := c.w.Cut && c.w.Body == 0
			if s := cl.Stats(); s.Retries < 1 && !closed || s.Fetched < 1000 || s.Fetched > 2000 {
				t.Errorf("%+v", s)
			}
			f.SetFault(always(tests3.Get, c.w))
			before := len(f.Requests(tests3.Get))
			// More than may come through of a body in all attempts.
			_, err := r.ReadAt(make([]byte, 3000), 10)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), "cannot read s3://bucket/a") {
				t.Errorf("for good: %v", err)
			}
			if (c.w.Stall || c.w.Hang) && !errors.Is(err, errStalled) || c.w.Stop && c.kind == s3.ErrUnavailable && !errors.Is(err, errTruncated) {
				t.Errorf("for good: %v", err)
			}
			if n := len(f.Requests(tests3.Get)) - before; n != o.Attempts && !(closed && n == o.Attempts+1) {
				t.Errorf("%d attempts", n)
			}
		})
	}
}

// client2 is client for tests that run in parallel, whose goroutines can't be
// told apart.
func client2(t *testing.T, o s3.Options) *Client {
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// TestFinal covers failures that aren't retried.
func TestFinal(t *testing.T) {
	for _, c := range []struct {
		w    fault
		is   []error
		text string
	}{
		{fault{Status: 403, Code: "AccessDenied"}, []error{s3.ErrDenied, fs.ErrPermission}, "credentials"},
		{fault{Status: 403}, []error{s3.ErrDenied, fs.ErrPermission}, "credentials"},
		{fault{Status: 403, Code: "SignatureDoesNotMatch"}, []error{s3.ErrDenied}, "AWS_SECRET_ACCESS_KEY"},
		{fault{Status: 403, Code: "RequestTimeTooSkewed"}, []error{s3.ErrDenied}, "clock"},
		{fault{Status: 403, Code: "InvalidObjectState"}, []error{s3.ErrDenied}, "restore"},
		{fault{Status: 400, Code: "ExpiredToken"}, []error{s3.ErrDenied}, "has expired"},
		{fault{Status: 404, Code: "NoSuchKey"}, []error{s3.ErrChanged, s3.ErrNotFound, fs.ErrNotExist}, "list again"},
		{fault{Status: 404, Code: "NoSuchBucket"}, []error{s3.ErrNoBucket, fs.ErrNotExist}, "bucket"},
		{fault{Status: 404}, []error{s3.ErrChanged, fs.ErrNotExist}, "list again"},
		{fault{Status: 412, Code: "PreconditionFailed"}, []error{s3.ErrChanged}, "run it again"},
		{fault{Status: 416, Code: "InvalidRange"}, []error{s3.ErrChanged}, "less than"},
		{fault{Header: map[string]string{"Etag": `"other"`}}, []error{s3.ErrChanged}, "other"},
		{fault{Header: map[string]string{"Content-Range": "bytes 0-9/6000"}}, []error{s3.ErrChanged}, "6000"},
		{fault{Status: 501, Code: "NotImplemented"}, nil, "NotImplemented, HTTP 501"},
		{fault{Status: 418, Code: "Teapot"}, nil, "Teapot, HTTP 418"},
	} {
		f := tests3.NewFake(t, "bucket")
		f.Put("bucket", "a", noise(5000))
		cl := client(t, quick(f))
		ctx := context.Background()
		r := must(cl.Open(ctx, must(cl.Stat(ctx, "s3://bucket/a"))))
		f.SetFault(always(tests3.Get, c.w))
		_, err := r.ReadAt(make([]byte, 10), 0)
		var e *s3.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "s3://bucket/a") || !strings.Contains(err.Error(), c.text) || e.Remedy == "" {
			t.Errorf("%+v: %v", c.w, err)
		}
		for _, is := range c.is {
			if !errors.Is(err, is) {
				t.Errorf("%+v: %v isn't %v", c.w, err, is)
			}
		}
		if n := len(f.Requests(tests3.Get)); n != 1 {
			t.Errorf("%+v: %d requests", c.w, n)
		}
	}
}

// TestChanged: other bytes are never mixed in, with ETags and without.
func TestChanged(t *testing.T) {
	for _, hide := range []bool{false, true} {
		f := tests3.NewFake(t, "bucket")
		if hide {
			f.HideETags()
		}
		old := noise(5000)
		f.Put("bucket", "a", old)
		cl := client(t, quick(f))
		ctx := context.Background()
		o := must(cl.List(ctx, "s3://bucket/a"))[0]
		if (o.ETag == "") != hide {
			t.Fatalf("%+v", o)
		}
		r := must(cl.Open(ctx, o))
		b := make([]byte, 100)
		must(r.ReadAt(b, 0))
		// It changes when a part of the answer has come.
		f.SetFault(func(q tests3.Request) fault {
			if q.Op == tests3.Get && q.N == 1 {
				return fault{Cut: true, Body: 50}
			}
			if q.Op == tests3.Get {
				f.Put("bucket", "a", noise(5001)[:5000])
			}
			return fault{}
		})
		if n, err := r.ReadAt(b, 0); !errors.Is(err, s3.ErrChanged) || !bytes.Equal(b[:n], old[:n]) {
			t.Errorf("hidden %v: %d bytes, %v", hide, n, err)
		}
		f.SetFault(nil)
		f.Delete("bucket", "a")
		if _, err := r.ReadAt(b, 0); !errors.Is(err, s3.ErrChanged) || !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// TestListFaults: after a failure, a listing continues behind the last key it has.
func TestListFaults(t *testing.T) {
	testlong.Only(t)
	f := tests3.NewFake(t, "bucket")
	f.SetPage(10)
	for i := range 95 {
		f.Put("bucket", fmt.Sprintf("d/%03d", i), []byte("x"))
	}
	f.Put("bucket", "d-other", nil)
	for _, name := range []string{"internal error", "cut in the body", "truncated", "stalled in body"} {
		c := passing[name]
		o := quick(f)
		o.Attempts = 4
		if c.w.Stall || c.w.Hang {
			o.Stall = 500 * time.Millisecond
		}
		cl := client(t, o)
		start := len(f.Requests(tests3.List))
		f.SetFault(func(q tests3.Request) fault {
			if q.Op == tests3.List && (q.N-start == 0 || q.N-start == 5) {
				return c.w
			}
			return fault{}
		})
		objects, err := cl.List(context.Background(), "s3://bucket/d")
		if err != nil || len(objects) != 95 || objects[94].Path != "s3://bucket/d/094" {
			t.Errorf("%s: %d objects, %v", name, len(objects), err)
		}
		cl.set.attempts = 2
		f.SetFault(always(tests3.List, c.w))
		if _, err := cl.List(context.Background(), "s3://bucket/d"); !errors.Is(err, s3.ErrUnavailable) || !strings.Contains(err.Error(), "cannot list s3://bucket/d") {
			t.Errorf("%s for good: %v", name, err)
		}
	}
	f.SetFault(always(tests3.List, fault{Status: 403, Code: "AccessDenied"}))
	if _, err := client(t, quick(f)).List(context.Background(), "s3://bucket/d"); !errors.Is(err, s3.ErrDenied) {
		t.Error(err)
	}
}

// TestRegion: a bucket that is elsewhere is found there.
func TestRegion(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	f.Put("bucket", "a", noise(10))
	cl := client(t, quick(f))
	signed := func(r tests3.Request) bool {
		return strings.Contains(r.Header.Get("Authorization"), "/eu-north-1/s3/")
	}
	f.SetFault(func(r tests3.Request) fault {
		if !signed(r) {
			return fault{Status: 400, Code: "AuthorizationHeaderMalformed", Region: "eu-north-1"}
		}
		return fault{}
	})
	if _, err := cl.List(context.Background(), "s3://bucket/"); err != nil {
		t.Error(err)
	}
	if _, err := cl.Stat(context.Background(), "s3://bucket/a"); err != nil {
		t.Error(err)
	}
	if n := len(f.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
	f.SetFault(always(tests3.List, fault{Status: 301, Code: "PermanentRedirect", Region: "eu-south-2"}))
	if _, err := cl.List(context.Background(), "s3://bucket/"); err == nil || !strings.Contains(err.Error(), "AWS_REGION=eu-south-2") {
		t.Errorf("sent back and forth: %v", err)
	}
}

// TestRegionAtOnce: many requests learn at the same time where a bucket is.
func TestRegionAtOnce(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	data := noise(50_000)
	f.Put("bucket", "a", data)
	o := quick(f)
	o.PieceSize, o.MergeGap, o.InFlight = 1000, -1, 20
	cl := client(t, o)
	object := must(cl.Stat(context.Background(), "s3://bucket/a"))
	f.SetFault(func(r tests3.Request) fault {
		if !strings.Contains(r.Header.Get("Authorization"), "/eu-north-1/s3/") {
			return fault{Status: 400, Code: "AuthorizationHeaderMalformed", Region: "eu-north-1"}
		}
		return fault{}
	})
	got, err := must(cl.Open(context.Background(), object)).ReadRanges(context.Background(), []s3.Range{{Offset: 0, Length: 50_000}})
	if err != nil || !bytes.Equal(got[0], data) {
		t.Error(err)
	}
}

func TestUnreachable(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	o := quick(f)
	f.Close()
	for endpoint, text := range map[string]string{
		o.Endpoint:                      "refused",
		"http://no-such-host.invalid:1": "AWS_ENDPOINT_URL",
	} {
		o.Endpoint = endpoint
		if _, err := client(t, o).List(context.Background(), "s3://bucket/a"); !errors.Is(err, s3.ErrUnavailable) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	secure := httptest.NewUnstartedServer(f)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	o.Endpoint = secure.URL
	if _, err := client(t, o).List(context.Background(), "s3://bucket/a"); err == nil || !strings.Contains(err.Error(), "AWS_CA_BUNDLE") {
		t.Error(err)
	}
	g := tests3.NewFake(t, "bucket")
	o.Endpoint = strings.Replace(g.Endpoint, "http:", "https:", 1)
	if _, err := client(t, o).List(context.Background(), "s3://bucket/a"); err == nil || !strings.Contains(err.Error(), "write it with http://") {
		t.Error(err)
	}
}
