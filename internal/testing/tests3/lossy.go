// This file holds Lossy: a transport that loses a request.

package tests3

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// Lossy sends requests, except for one, which it loses, or the answer to it.
type Lossy struct {
	base   *http.Transport
	k      int64
	effect bool
	n      atomic.Int64
}

// NewLossy makes a transport that loses request k, from 0; with effect it is
// the answer that is lost.
func NewLossy(k int64, effect bool) *Lossy {
	return &Lossy{base: http.DefaultTransport.(*http.Transport).Clone(), k: k, effect: effect}
}

var errLost = errors.New("the test lost it")

// Hit reports whether there was a request k.
func (l *Lossy) Hit() bool { return l.n.Load() > l.k }

// Close lets connections go.
func (l *Lossy) Close() { l.base.CloseIdleConnections() }

// RoundTrip sends a request.
func (l *Lossy) RoundTrip(req *http.Request) (*http.Response, error) {
	if l.n.Add(1)-1 != l.k {
		return l.base.RoundTrip(req)
	}
	if l.effect {
		resp, err := l.base.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	} else if req.Body != nil {
		req.Body.Close()
	}
	return nil, errLost
}

// EveryRequest calls f with k from 0 on until f returns false. f makes the k-th request of a test go wrong, and reports
// whether there was one. atOnce calls run at once, since they mostly wait.
func EveryRequest(atOnce int, f func(k int) bool) {
	for k := 0; ; {
		var wg sync.WaitGroup
		var missed atomic.Bool
		for range atOnce {
			n := k
			k++
			wg.Go(func() {
				again := false // also where t.Fatal ends f
				defer func() {
					if !again {
						missed.Store(true)
					}
				}()
				again = f(n)
			})
		}
		wg.Wait()
		if missed.Load() {
			return
		}
	}
}
