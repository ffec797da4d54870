// This file holds how an operator learns that a functor broke its promise: the
// checks are one comparison per call of the functor, and the first fault ends
// the operator.

package advance

import (
	"fmt"
	"sync/atomic"
)

// fault is the first broken promise of a functor, seen on any worker.
type fault struct {
	set atomic.Bool
	err atomic.Pointer[error]
}

func (f *fault) report(err error) {
	f.err.CompareAndSwap(nil, &err)
	f.set.Store(true)
}

// clear returns what was reported and forgets it.
func (f *fault) clear() error {
	if !f.set.Load() {
		return nil
	}
	f.set.Store(false)
	return *f.err.Swap(nil)
}

// checkFunctor reports a functor that is none.
func checkFunctor(what string, f Functor) error {
	if fn, ok := f.(Func); f == nil || ok && fn == nil {
		return fmt.Errorf("%w: %s: it is nil", ErrFunctor, what)
	}
	return nil
}

// stopped reports whether the push is to end early.
func (j *pushHost) stopped() bool { return j.a.s.Stopped() || j.fault.set.Load() }

// emits returns k, what a functor says that it has written, if it can have:
// from 0 to most. Else the call counts for nothing.
func (j *pushHost) emits(method string, k, most int) int {
	if uint(k) > uint(most) {
		j.wrote(method, k, most)
		return 0
	}
	return k
}

//go:noinline
func (j *pushHost) wrote(method string, k, most int) {
	j.fault.report(fmt.Errorf("%w: %s of a %T returned %d for %d targets; it must be from 0 to that", ErrFunctor, method, j.f, k, most))
}

// spare returns room for most more entries of the output, nil where there is
// too little, which a functor brings about that isn't unique and says it is.
func (j *pushHost) spare(most int) []uint32 {
	out := j.out.Spare()
	if len(out) < most {
		j.tooMany()
		return nil
	}
	return out
}

func (j *pushHost) tooMany() {
	j.fault.report(fmt.Errorf("%w: a %T lets more vertices through than the graph has, %d, although it says that it is unique",
		ErrFunctor, j.f, j.a.p.NumVertices()))
}
