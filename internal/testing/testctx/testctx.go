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

// Polled is a context that counts calls of its Err, and is canceled at one of them:
// the calls after that measure how much work the code does too much, a piece of work per call.
type Polled struct {
	done  chan struct{}
	at    int64
	polls atomic.Int64
}

// NewPolled returns a context that is canceled when its error is asked for the at-th time, counted from 1; never
// where at is 0.
func NewPolled(at int64) *Polled { return &Polled{done: make(chan struct{}), at: at} }

// Polls is how often the error was asked for, and Late how often it was once the context was done.
func (c *Polled) Polls() int64 { return c.polls.Load() }

// Late is how often the error was asked for after the time that canceled the context.
func (c *Polled) Late() int64 { return max(0, c.polls.Load()-c.at) }

// Deadline returns none.
func (c *Polled) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is closed when the context is canceled.
func (c *Polled) Done() <-chan struct{} { return c.done }

// Value returns nil.
func (c *Polled) Value(any) any { return nil }

// Err returns context.Canceled once the context is canceled.
func (c *Polled) Err() error {
	n := c.polls.Add(1)
	if c.at == 0 || n < c.at {
		return nil
	}
	if n == c.at {
		close(c.done)
	}
	return context.Canceled
}
