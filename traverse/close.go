// This file holds the end of a traversal, and what is called back meanwhile.

package traverse

import (
	"cmp"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
)

// Close ends the traversal and leaves its memory, except results, to the next one over the same
// placed graph. It returns Err. Closing again does nothing. If it is called from within a
// callback, the traversal ends once the callback has returned.
func (t *Traversal) Close() error {
	if t.closed || t.closing && t.calling {
		return t.err
	}
	if t.calling {
		err := t.err
		t.closing = true
		t.fail(errOver)
		return err
	}
	t.closed = true
	failed := t.err
	if failed == nil {
		failed = t.failed
	}
	if failed == nil && t.running { // and yet it is closed
		failed = run.Panicked(cmp.Or(t.o.name, noName))
	}
	defer t.reportEnd(failed) // last, when all is given back
	defer t.hold.Let()
	if t.space == nil {
		return t.err
	}
	t.fail(t.space.lease.Wait()) // kernels may still write to the arrays
	t.fail(t.give(t.space, t.arrays, t.fronts))
	clear(t.arrays)
	clear(t.fronts)
	t.arrays, t.fronts, t.size = t.arrays[:0], t.fronts[:0], 0
	if s := t.space; t.lasts && failed == nil && !t.running && t.err == nil && !s.lease.Failed() {
		s.rest()
		t.rests, t.space = s, nil
	} else {
		t.fail(t.forget(s))                   // steps may be in any state
		t.env = &step.Env{Level: t.env.Level} // what it was belongs to the next traversal
		t.fail(s.leave())
		t.space = nil
	}
	if t.err == nil {
		t.err = errOver
		return nil
	}
	return t.err
}

// errOver is the error of a traversal that has ended.
var errOver = fmt.Errorf("traverse: %w: the traversal", device.ErrClosed)

// call calls back, and holds nothing meanwhile: the placed graph may be freed in there, and
// the traversal then ends with device.ErrClosed.
func (t *Traversal) call(back func()) {
	t.calling = true
	defer func() { // also where it panics, for Close
		t.calling = false
		t.fail(t.hold.Err())
		if t.closing {
			t.Close() // which set its error
		}
	}()
	_ = t.hold.Call(back) // Hold.Err has the error
}
