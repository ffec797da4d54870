// This file counts requests, and gives up those that make no progress.

package client

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/text"
)

type stats struct{ requests, retries, fetched, sent atomic.Int64 }

// Stats returns the counts so far.
func (c *Client) Stats() s3.Stats {
	return s3.Stats{Requests: c.stats.requests.Load(), Retries: c.stats.retries.Load(), Fetched: c.stats.fetched.Load(), Sent: c.stats.sent.Load()}
}

// newTransport is net/http's transport with enough idle connections for all requests in flight,
// and without compression, which would change the bytes of a range.
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
	minRate         int64 // bytes a second, 0 for any
	stats           *stats
}

// transportKey is the key of a context's transport.
type transportKey struct{}

// WithTransport returns a context with which t sends requests.
func WithTransport(ctx context.Context, t http.RoundTripper) context.Context {
	return context.WithValue(ctx, transportKey{}, t)
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.stats.requests.Add(1)
	if p, ok := req.Context().Value(pagesKey{}).(*pages); ok {
		if p.n++; p.n > emptyPages {
			return nil, because(errPages, "%d answers in a row without an object, each with the word that there are more", emptyPages)
		}
	}
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
	base := t.base
	if own, ok := req.Context().Value(transportKey{}).(http.RoundTripper); ok {
		base = own
	}
	resp, err := base.RoundTrip(req)
	w.stop()
	if err != nil {
		err = w.explain(err)
		cancel(nil)
		return nil, err
	}
	body := &downBody{ReadCloser: resp.Body, w: w, minRate: t.minRate, left: math.MaxInt64}
	if req.URL.RawQuery != "" || resp.StatusCode >= http.StatusMultipleChoices {
		body.left = answerBytes
	}
	resp.Body = body
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

// touch records progress.
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

// explain returns errStalled if a request failed because it stalled.
func (w *watch) explain(err error) error {
	if err != nil && err != io.EOF && errors.Is(context.Cause(w.ctx), errStalled) {
		return errStalled
	}
	return err
}

// upBody is the body of a request.
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
	w       *watch
	minRate int64
	left    int64 // bytes that may still come

	waited time.Duration // since the rate was last looked at
	got    int64         // bytes since then
}

func (b *downBody) Read(p []byte) (int, error) {
	b.w.start()
	from := time.Now()
	n, err := b.ReadCloser.Read(p)
	b.w.stop()
	b.waited += time.Since(from)
	b.got += int64(n)
	b.left -= int64(n)
	switch {
	case err != nil:
		return n, b.w.explain(err)
	case b.left < 0:
		return n, because(s3.ErrAnswer, "more than %s, where it isn't an object's bytes", text.Bytes(answerBytes))
	case b.waited >= b.w.limit:
		if float64(b.got) < float64(b.minRate)*b.waited.Seconds() {
			return n, because(errSlow, "%s came in %v, less than %d B/s", text.Bytes(uint64(b.got)), b.waited.Round(time.Millisecond), b.minRate)
		}
		b.waited, b.got = 0, 0
	}
	return n, nil
}

// pages counts the answers of a listing since the last key.
type pages struct{ n int }

// pagesKey is the key of a context's pages.
type pagesKey struct{}

func (b *downBody) Close() error {
	err := b.ReadCloser.Close()
	b.w.stop()
	b.w.cancel(nil)
	return err
}
