// This file holds predicates.

package filter

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
)

// errFunctor is operators.ErrFunctor as errors of this package have it.
var errFunctor = fmt.Errorf("filter: %w", operators.ErrFunctor)

// Predicate selects the vertices of a frontier to keep. On a GPU it is a functor written in Go
// (foray generate); the step Keep also takes an operators.KernelFunctor.
type Predicate interface {
	// Keep writes those of in that stay to the front of out, in their order, and
	// returns how many there are: 0 to len(in). out is as long as in and may be in
	// itself. It is called for pieces of the frontier, by several workers at once
	// unless w.Alone.
	Keep(w operators.Worker, in, out []uint32) int
}

// Func makes a Predicate of a function, for the host.
func Func(f func(w operators.Worker, in, out []uint32) int) Predicate { return hostFunc(f) }

type hostFunc func(w operators.Worker, in, out []uint32) int

func (f hostFunc) Keep(w operators.Worker, in, out []uint32) int { return f(w, in, out) }

// checkPredicate returns why an operator can't take a predicate.
func (f *Filterer) checkPredicate(what string, p Predicate) error {
	if fn, ok := p.(hostFunc); p == nil || ok && fn == nil {
		return fmt.Errorf("%w: %s: the predicate is nil", errFunctor, what)
	}
	if err := f.on.takes(p); err != nil {
		return fmt.Errorf("filter: %s: %w", what, err)
	}
	return nil
}

// areVertices reports whether all are vertices of a graph of n.
func areVertices(vs []uint32, n uint32) bool { return len(vs) == 0 || slices.Max(vs) < n }

func noVertex(v, n uint32) error {
	return fmt.Errorf("filter: %w: vertex %d of %d; a functor or caller wrote it there", graph.ErrNoVertex, v, n)
}

func wrongCount(p Predicate, k, most int) error {
	return fmt.Errorf("%w: Keep of predicate %T returned %d for %d vertices; it must be from 0 to that", errFunctor, p, k, most)
}

func keptNoVertex(p Predicate, v, n uint32) error {
	return fmt.Errorf("%w: Keep of predicate %T kept what it wasn't given: %w: vertex %d of %d", errFunctor, p, graph.ErrNoVertex, v, n)
}

func keptOther(p Predicate, v uint32) error {
	return fmt.Errorf("%w: Keep of predicate %T kept what it wasn't given, or in another order: vertex %d", errFunctor, p, v)
}
