// This file holds what a benchmark learns of where the time of a numbering goes.

package order

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/foray-graph/foray/device"
)

// trace adds up what parts of one numbering or several took, by name. A nil one
// takes no notice.
type trace struct {
	mu      sync.Mutex
	took    map[string]time.Duration
	kernels []kernelRun // under way
}

// kernelRun is a launch between two points in the stream.
type kernelRun struct {
	name          string
	before, after device.Event
}

type traceKey struct{}

// traceOf returns the context's trace, or nil.
func traceOf(ctx context.Context) *trace {
	t, _ := ctx.Value(traceKey{}).(*trace)
	return t
}

func (t *trace) add(name string, d time.Duration) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.took == nil {
		t.took = map[string]time.Duration{}
	}
	t.took[name] += d
}

// since adds the time from start on.
func (t *trace) since(name string, start time.Time) {
	if t != nil {
		t.add(name, time.Since(start))
	}
}

// around calls launch, between two events if there is a trace.
func (t *trace) around(s device.Stream, name string, launch func() error) error {
	if t == nil {
		return launch()
	}
	before, err := s.Record()
	if err != nil {
		return err
	}
	if err := launch(); err != nil {
		return errors.Join(err, before.Close())
	}
	after, err := s.Record()
	if err != nil {
		return errors.Join(err, before.Close())
	}
	t.kernels = append(t.kernels, kernelRun{name, before, after})
	return nil
}

// collect adds the times of the kernels, which have ended.
func (t *trace) collect() (err error) {
	if t == nil {
		return nil
	}
	for _, k := range t.kernels {
		seconds, e := k.after.Since(k.before)
		err = errors.Join(err, e, k.before.Close(), k.after.Close())
		t.add("kernel-"+k.name, time.Duration(seconds*1e9))
		t.add("kernels", time.Duration(seconds*1e9))
	}
	t.kernels = nil
	return err
}
