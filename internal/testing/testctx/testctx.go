// Package testctx makes contexts for tests of cancellation.
package testctx

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// Late is a context that is canceled at a moment that a test can't hit
// otherwise: just after an operator has looked at the context's error and
// before its workers look at the stream.
type Late struct {
	done  chan struct{}
	blind atomic.Int32
}

// NewLate returns a context that isn't done.
func NewLate() *Late { return &Late{done: make(chan struct{})} }

// Cancel cancels the context and waits until stopped reports that this was
// seen. The next looks calls of Err still return nil.
func (c *Late) Cancel(looks int32, stopped func() bool) {
	close(c.done)
	for !stopped() {
		runtime.Gosched()
	}
	c.blind.Store(looks)
}

// Deadline returns none.
func (c *Late) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is closed by Cancel.
func (c *Late) Done() <-chan struct{} { return c.done }

// Value returns nil.
func (c *Late) Value(any) any { return nil }

// Err returns context.Canceled after Cancel, except for the first looks.
func (c *Late) Err() error {
	select {
	case <-c.done:
		if c.blind.Add(-1) >= 0 {
			return nil
		}
		return context.Canceled
	default:
		return nil
	}
}
