// This file tests that a context ends each wait at once.

package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// waits are where a request may wait.
var waits = map[string]fault{
	"for an answer":     {Stall: true},
	"in the body":       {Hang: true, Body: 3},
	"before a retry":    {Status: 503, Code: "SlowDown"},
	"after a cut":       {Cut: true},
	"for a slow answer": {Delay: time.Hour},
}

func TestCancel(t *testing.T) {
	testlong.Project(t)
	data := noise(3 * minPart)
	const part = 64 << 10 // less than S3 allows, for speed
	calls := map[string]struct {
		op tests3.Op
		f  func(ctx context.Context, c *Client, o s3.Object) error
	}{
		"List": {tests3.List, func(ctx context.Context, c *Client, _ s3.Object) error {
			_, err := c.List(ctx, "s3://bucket/d/")
			return err
		}},
		"Stat": {tests3.Head, func(ctx context.Context, c *Client, _ s3.Object) error {
			_, err := c.Stat(ctx, "s3://bucket/d/a")
			return err
		}},
		"ReadAt": {tests3.Get, func(ctx context.Context, c *Client, o s3.Object) error {
			_, err := must(c.Open(ctx, o)).ReadAt(make([]byte, 1000), 0)
			return err
		}},
		"ReadAtContext": {tests3.Get, func(ctx context.Context, c *Client, o s3.Object) error {
			_, err := must(c.Open(context.Background(), o)).ReadAtContext(ctx, make([]byte, 1000), 0)
			return err
		}},
		"ReadRanges": {tests3.Get, func(ctx context.Context, c *Client, o s3.Object) error {
			_, err := must(c.Open(ctx, o)).ReadRanges(context.Background(), []s3.Range{{Offset: 0, Length: 1000}, {Offset: 4 << 20, Length: 1000}, {Offset: 8 << 20, Length: 1000}})
			return err
		}},
		"Prefetch": {tests3.Get, func(ctx context.Context, c *Client, o s3.Object) error {
			p := must(must(c.Open(context.Background(), o)).Prefetch(ctx, []s3.Range{{Offset: 0, Length: o.Size}}, s3.PrefetchOptions{}))
			defer p.Close()
			_, err := p.ReadAt(make([]byte, 1000), 0)
			return err
		}},
		"Create": {tests3.Bucket, func(ctx context.Context, c *Client, _ s3.Object) error {
			_, err := c.Create(ctx, "s3://bucket/out", "")
			return err
		}},
		"put":      {tests3.Put, func(ctx context.Context, c *Client, _ s3.Object) error { return write(ctx, c, data[:1000]) }},
		"begin":    {tests3.Begin, func(ctx context.Context, c *Client, _ s3.Object) error { return write(ctx, c, data[:3*part]) }},
		"part":     {tests3.Part, func(ctx context.Context, c *Client, _ s3.Object) error { return write(ctx, c, data[:3*part]) }},
		"complete": {tests3.Complete, func(ctx context.Context, c *Client, _ s3.Object) error { return write(ctx, c, data[:3*part]) }},
	}
	var all sync.WaitGroup // they mostly wait until they give up
	defer all.Wait()
	free := make(chan struct{}, 8) // each has megabytes
	for name, call := range calls {
		for where, w := range waits {
			free <- struct{}{}
			all.Go(func() {
				defer func() { <-free }()
				f := tests3.NewFake(t, "bucket")
				if call.op == tests3.Get { // copies of it take most of the time
					f.Put("bucket", "d/a", data)
				} else {
					f.Put("bucket", "d/a", data[:1000])
				}
				o := quick(f)
				o.Backoff, o.Stall, o.PartSize, o.Attempts = time.Hour, time.Hour, minPart, 100
				c := client(t, o)
				c.set.partSize, c.set.abort = part, time.Second
				object := must(c.Stat(context.Background(), "s3://bucket/d/a"))
				ctx, cancel := context.WithCancel(context.Background())
				f.SetFault(func(r tests3.Request) fault {
					if r.Op != call.op {
						return fault{}
					}
					time.AfterFunc(5*time.Millisecond, cancel)
					return w
				})
				err := call.f(ctx, c, object)
				if !errors.Is(err, context.Canceled) {
					// An answer without a body can't hang in it.
					if !(err == nil && w.Hang && (call.op == tests3.Head || call.op == tests3.Bucket || call.op == tests3.Put || call.op == tests3.Part)) {
						t.Errorf("%s, %s: %v", name, where, err)
					}
				} else if n := f.Uploads(); n != 0 && !(call.op == tests3.Begin && w.Hang) { // see Writer
					t.Errorf("%s, %s: %d uploads are left", name, where, n)
				} else if _, ok := f.Object("bucket", "out"); ok && !w.Hang {
					t.Errorf("%s, %s: it is there", name, where)
				}
				cancel()
				c.Close()
				f.Close()
			})
		}
	}
}

func write(ctx context.Context, c *Client, data []byte) error {
	w, err := c.Create(ctx, "s3://bucket/out", "")
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		w.Abort()
		return err
	}
	return w.Commit()
}

// TestCancelCredentials: the service that may have credentials doesn't answer,
// and neither do those who wait for them.
func TestCancelCredentials(t *testing.T) {
	asked := make(chan struct{}, 10)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer s.Close()
	c := New(s3.Options{Getenv: func(name string) string {
		if name == "AWS_EC2_METADATA_SERVICE_ENDPOINT" {
			return s.URL
		}
		return ""
	}})
	c.set.metadata = time.Hour
	c.opts.Endpoint = "http://127.0.0.1:1"
	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error)
	for range 2 {
		go func() {
			_, err := c.List(ctx, "s3://bucket/")
			errs <- err
		}()
	}
	<-asked
	cancel()
	for range 2 {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	noGoroutines(t)
}

// TestDeadline: whose deadline it was doesn't matter.
func TestDeadline(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	f.Put("bucket", "a", noise(1000))
	c := client(t, quick(f))
	o := must(c.Stat(context.Background(), "s3://bucket/a"))
	f.SetFault(always(tests3.Get, fault{Stall: true}))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	own, cancelOwn := context.WithCancel(context.Background())
	defer cancelOwn()
	if _, err := must(c.Open(ctx, o)).ReadAtContext(own, make([]byte, 10), 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := must(c.Open(own, o)).ReadAtContext(ctx, make([]byte, 10), 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
