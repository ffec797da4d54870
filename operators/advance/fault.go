// This file holds what an operator asks of a functor before the first visit,
// and how it learns that a functor broke its promise: the checks are one
// comparison per call of the functor, and the first fault ends the operator.

package advance

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
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

// checkFunctor reports a functor that is none, or one of this package's whose
// fields don't fit the operator's graph and output. out is nil where the
// operator has none.
func checkFunctor(what string, f Functor, p *graph.Placed, out *frontier.Frontier) error {
	switch f := f.(type) {
	case nil:
		return fmt.Errorf("%w: %s: it is nil", ErrFunctor, what)
	case Func:
		if f == nil {
			return fmt.Errorf("%w: %s: it is nil", ErrFunctor, what)
		}
	case *Claim:
		if f == nil {
			return fmt.Errorf("%w: %s: it is nil", ErrFunctor, what)
		}
		if err := f.Seen.Check(p, frontier.Bitmap); err != nil {
			return fmt.Errorf("%w: %s: Claim.Seen: %w", ErrFunctor, what, err)
		}
		if f.Seen == out {
			return fmt.Errorf("%w: %s: Claim.Seen: %w: it is the output too; use another", ErrFunctor, what, frontier.ErrAliased)
		}
	}
	return nil
}

// checkSink does so for a sink.
func checkSink(what string, s Sink, p *graph.Placed) error {
	switch s := s.(type) {
	case nil:
		return fmt.Errorf("%w: %s: the sink is nil", ErrFunctor, what)
	case *Parents:
		if s == nil {
			return fmt.Errorf("%w: %s: the sink is nil", ErrFunctor, what)
		}
		if n := p.NumVertices(); s.Array != nil && s.Array.Len() < n {
			return fmt.Errorf("%w: %s: Parents.Array has %d entries for %d vertices", ErrFunctor, what, s.Array.Len(), n)
		}
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
	j.fault.report(fmt.Errorf("%w: %s of functor %T returned %d for %d targets; it must be from 0 to that", ErrFunctor, method, j.f, k, most))
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
	j.fault.report(fmt.Errorf("%w: functor %T lets more vertices through than the graph has, %d, although it says that it is unique",
		ErrFunctor, j.f, j.a.p.NumVertices()))
}
