// This file counts requests, and gives up those that make no progress.

package s3

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Stats are counts since a Client was made.
type Stats struct {
	Requests int64 // HTTP requests sent, each attempt
	Retries  int64 // attempts after the first
	Fetched  int64 // bytes of objects that came, those of failed attempts too
	Sent     int64 // bytes of objects that were sent, likewise
}

type stats struct{ requests, retries, fetched, sent atomic.Int64 }

// Stats returns the counts so far.
func (c *Client) Stats() Stats {
	return Stats{c.stats.requests.Load(), c.stats.retries.Load(), c.stats.fetched.Load(), c.stats.sent.Load()}
}

// newTransport is net/http's with room for the connections that are in flight,
// and without compression, which would change what a range is.
func newTransport(idle int) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		MaxIdleConns:          4 * idle,
		MaxIdleConnsPerHost:   2 * idle,
		IdleConnTimeout:       30 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
	}
}

// transport watches over the requests of a Client.
type transport struct {
	base            http.RoundTripper
	stall, complete time.Duration
	stats           *stats
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.stats.requests.Add(1)
	limit := t.stall
	if q := req.URL.Query(); req.Method == http.MethodPost && q.Has("uploadId") {
		limit = t.complete
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watch{limit: limit, ctx: ctx, cancel: cancel}
	w.start()
	req = req.WithContext(ctx)
	if req.Body != nil {
		req.Body = &upBody{req.Body, w, t.stats}
	}
	resp, err := t.base.RoundTrip(req)
	w.stop()
	if err != nil {
		err = w.explain(err)
		cancel(nil)
		return nil, err
	}
	resp.Body = &downBody{resp.Body, w}
	return resp, nil
}

// watch ends a request that makes no progress while it is on.
type watch struct {
	limit  time.Duration
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	on    bool
	timer *time.Timer
}

func (w *watch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on = true
	if w.timer == nil {
		w.timer = time.AfterFunc(w.limit, w.expire)
	} else {
		w.timer.Reset(w.limit)
	}
}

// touch says that there was progress.
func (w *watch) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.on {
		w.timer.Reset(w.limit)
	}
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on = false
	w.timer.Stop()
}

func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.on {
		w.cancel(errStalled)
	}
}

// explain returns errStalled where that is why a request failed.
func (w *watch) explain(err error) error {
	if err != nil && err != io.EOF && errors.Is(context.Cause(w.ctx), errStalled) {
		return errStalled
	}
	return err
}

// upBody is what is sent.
type upBody struct {
	io.ReadCloser
	w     *watch
	stats *stats
}

func (b *upBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.stats.sent.Add(int64(n))
	b.w.touch()
	return n, err
}

// downBody is what comes. Only waiting for bytes is watched, not the time
// between two reads.
type downBody struct {
	io.ReadCloser
	w *watch
}

func (b *downBody) Read(p []byte) (int, error) {
	b.w.start()
	n, err := b.ReadCloser.Read(p)
	b.w.stop()
	return n, b.w.explain(err)
}

func (b *downBody) Close() error {
	err := b.ReadCloser.Close()
	b.w.stop()
	b.w.cancel(nil)
	return err
}
