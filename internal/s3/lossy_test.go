// This file holds a transport that loses a request, or the answer to it.

package s3

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// lossy loses request k, from 0; with effect, the answer to it.
type lossy struct {
	base   *http.Transport
	k      int
	effect bool
	n      atomic.Int64
}

var errLost = errors.New("the test lost it")

func (l *lossy) hit() bool { return int(l.n.Load()) > l.k }

func (l *lossy) RoundTrip(req *http.Request) (*http.Response, error) {
	if int(l.n.Add(1))-1 != l.k {
		return l.base.RoundTrip(req)
	}
	if l.effect {
		resp, err := l.base.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return nil, errLost
	}
	if req.Body != nil {
		req.Body.Close()
	}
	return nil, errLost
}
