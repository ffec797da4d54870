// This file holds what an operator asks of a functor before the first visit,
// and how it learns that a functor broke its promise: the checks are one
// comparison per call of the functor, and the first fault ends the operator.

package advance

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
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

// checkFunctor reports a nil functor, or a functor of this package whose fields don't
// fit the operator's graph and output. out is nil if the operator has no output.
func checkFunctor(what string, f Functor, p *graph.Placed, out *frontier.Frontier) error {
	switch f := f.(type) {
	case nil:
		return fmt.Errorf("%w: %s: the functor is nil", errFunctor, what)
	case hostFunc:
		if f == nil {
			return fmt.Errorf("%w: %s: the functor is nil", errFunctor, what)
		}
	case *claim:
		if err := f.seen.Check(p, frontier.Bitmap); err != nil {
			return fmt.Errorf("%w: %s: Claim: %w", errFunctor, what, err)
		}
		if f.seen == out {
			return fmt.Errorf("%w: %s: Claim: %w: it is the output too; use another", errFunctor, what, frontier.ErrAliased)
		}
	}
	return nil
}

// checkSink does so for a sink.
func (a *Advancer) checkSink(what string, s Sink) error {
	switch s := s.(type) {
	case nil:
		return fmt.Errorf("%w: %s: the sink is nil", errFunctor, what)
	case *parents:
		return checkArray(a, what, "Parents", s.to)
	case *inEdges:
		return checkArray(a, what, "InEdges", s.to)
	}
	return nil
}

// checkArray does so for the array of one, which may be nil.
func checkArray[T device.Elem](a *Advancer, what, sink string, to *device.Buffer[T]) error {
	if err := link.CheckBuffer("the array of "+sink, to, a.on.remote()); err != nil {
		return fmt.Errorf("advance: %s: %w", what, err)
	}
	if n := a.p.NumVertices(); to != nil && to.Len() < n {
		return fmt.Errorf("%w: %s: the array of %s has %d entries for %d vertices", errFunctor, what, sink, to.Len(), n)
	}
	return nil
}

// stopped reports whether the push is to end early.
func (j *pushHost) stopped() bool { return j.a.s.Stopped() || j.fault.set.Load() }

// emits returns k, the number of entries that a functor reports, if it is possible:
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
	f, called := j.given(), j.f
	if c := culledOf(called); c != nil {
		called = c.Functor
		if c.rows == nil && method == "VisitRows" {
			method = "Visit"
		}
	}
	if _, ok := called.(*sorted); ok {
		method = "Sort"
	}
	j.fault.report(fmt.Errorf("%w: %s of functor %T returned %d for %d targets; it must be from 0 to that", errFunctor, method, f, k, most))
}

// given returns the functor as the caller gave it, for errors.
func (j *pushHost) given() any {
	f := j.f
	if c := culledOf(f); c != nil {
		f = c.Functor
	}
	switch f := f.(type) {
	case *sorted:
		return f.s
	case *visiting:
		return f.v
	}
	return f
}

// trusted is a functor of Foray's own, which lets through nothing but targets of the
// graph. Trusted returns the functor itself: a type that embeds it, and may do what it
// likes, gets the embedded one.
type trusted interface{ Trusted(step.Trust) any }

// isTrusted reports whether what a functor lets through needn't be checked.
func isTrusted(f Functor) bool {
	if c := culledOf(f); c != nil {
		f = c.Functor
	}
	switch f := f.(type) {
	case all, *claim:
		return true
	case trusted:
		return f.Trusted(step.Trust{}) == any(f)
	}
	return false
}

// through returns k if the entries that a functor has let through are vertices,
// else the call counts for nothing. What is counted only needn't be.
func (j *pushHost) through(out []uint32, k int) int {
	if j.trusted || k == 0 || j.room == nil && !j.bits && !j.async.on {
		return k
	}
	if v := slices.Max(out[:k]); int(v) >= j.csr.NumVertices() {
		j.fault.report(fmt.Errorf("%w: push: functor %T let through what isn't one of its targets: %w: vertex %d of %d",
			errFunctor, j.given(), graph.ErrNoVertex, v, j.csr.NumVertices()))
		return 0
	}
	return k
}

// noVertex is the error of an entry of the input.
func (j *pushHost) noVertex(v uint32) error {
	return fmt.Errorf("advance: push: input frontier: %w: vertex %d of %d; a functor or caller wrote it there", graph.ErrNoVertex, v, j.csr.NumVertices())
}

// vertices reports whether all entries of a part of the input are vertices.
func (j *pushHost) vertices(vs []uint32) bool {
	n := uint32(len(j.csr.Offsets) - 1)
	// Four at a time, or one waits for the other: 0.4 ns a vertex, of the 10 that
	// a search of a mesh takes.
	var a, b, c, d uint32
	rest := vs
	for ; len(rest) >= 4; rest = rest[4:] {
		a, b, c, d = max(a, rest[0]), max(b, rest[1]), max(c, rest[2]), max(d, rest[3])
	}
	for _, v := range rest {
		a = max(a, v)
	}
	if most := max(a, b, c, d); len(vs) > 0 && most >= n {
		j.fault.report(j.noVertex(most))
		return false
	}
	return true
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
		errFunctor, j.given(), j.a.p.NumVertices()))
}
