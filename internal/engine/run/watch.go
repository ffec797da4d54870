// This file holds watch, which reports the state of a Pool.

package run

import (
	"context"
	"sync"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/metrics"
)

// watch counts the calls of a Pool, and reports each change. nil does nothing.
type watch struct {
	to     metrics.Recorder
	name   string // of the searches
	device string
	budget *device.Budget

	mu               sync.Mutex // held while an event is passed on, so that the last event has the last state
	waiting, running int
}

// clock returns the time, if anything is reported.
func (w *watch) clock() (now time.Time) {
	if w != nil {
		now = time.Now()
	}
	return now
}

// change adds to the counts and reports them. e has what else happened.
func (w *watch) change(ctx context.Context, waiting, running int, e metrics.Pool) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting += waiting
	w.running += running
	e.Name, e.Device, e.Waiting, e.Running = w.name, w.device, w.waiting, w.running
	e.Used, e.Total = w.budget.Used(), w.budget.Total()
	w.to.Pool(ctx, e)
}

// waits reports a call that begins to wait. It doesn't count if the recorder panics, since the call ends then.
func (w *watch) waits(ctx context.Context) {
	if w == nil {
		return
	}
	told := false
	defer func() {
		if !told {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.waiting--
		}
	}()
	w.change(ctx, 1, 0, metrics.Pool{})
	told = true
}

// began reports that a call that waits since then has a searcher.
func (w *watch) began(ctx context.Context, since time.Time) {
	if w != nil {
		w.change(ctx, -1, 1, metrics.Pool{Began: true, Waited: time.Since(since)})
	}
}

// refused reports that a call that waits gets no searcher.
func (w *watch) refused(ctx context.Context, err error) { w.change(ctx, -1, 0, metrics.Pool{Err: err}) }
