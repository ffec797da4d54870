// This file holds the accumulators of functors that are written in Go, for methods that Go code
// calls directly, as tests do. foray generate makes loops and kernels that do the same.

package traverse

import (
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/operators"
)

// Sum is a field of a functor written in Go: it adds up values over all edges or vertices of a
// step. The constructor of the generated functor takes the Scalar for the sum, which reduces by
// operators.Sum. Integers wrap. A count is a sum of ones. The zero value is ready to use.
//
// There are no sums of floats, since they would depend on the order of the edges: return the
// value from Vertex or Apply, or gather it by a reduce.
type Sum[T int64 | uint64] struct{ sum atomic.Uint64 }

// Add adds a value. It may be called by several goroutines at once.
func (s *Sum[T]) Add(x T) { s.sum.Add(uint64(x)) }

// Value returns the sum so far, if Go code calls the functor's methods directly. Functors can't
// call it.
func (s *Sum[T]) Value() T { return T(s.sum.Load()) }

// Min is Sum for the smallest value; the scalar reduces by operators.Min. NaN is ignored, and
// -0 counts as 0. Without values it is +Inf, or the largest integer.
type Min[T operators.Number] struct{ extreme[T] }

// Add includes a value. It may be called by several goroutines at once.
func (m *Min[T]) Add(x T) { m.add(x, operators.Min) }

// Value returns the smallest value so far, if Go code calls the functor's methods directly.
// Functors can't call it.
func (m *Min[T]) Value() T { return m.value(operators.Min) }

// Max is Min for the largest value: without values -Inf, or the smallest integer. The scalar
// reduces by operators.Max.
type Max[T operators.Number] struct{ extreme[T] }

// Add includes a value. It may be called by several goroutines at once.
func (m *Max[T]) Add(x T) { m.add(x, operators.Max) }

// Value returns the largest value so far, if Go code calls the functor's methods directly.
// Functors can't call it.
func (m *Max[T]) Value() T { return m.value(operators.Max) }

// Or is Sum for the union of bits; the scalar reduces by operators.Or.
type Or[T int64 | uint64] struct{ bits atomic.Uint64 }

// Add adds bits. It may be called by several goroutines at once.
func (o *Or[T]) Add(x T) { o.bits.Or(uint64(x)) }

// Value returns the bits so far, if Go code calls the functor's methods directly. Functors can't
// call it.
func (o *Or[T]) Value() T { return T(o.bits.Load()) }

// extreme is the smallest or the largest value.
type extreme[T operators.Number] struct {
	mu  sync.Mutex
	any bool
	x   T
}

func (e *extreme[T]) add(x T, how operators.Reduction) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.any {
		e.x, e.any = operators.Identity[T](how), true
	}
	e.x = operators.Join(how, e.x, x+0) // -0 becomes 0, so that the order doesn't count
}

func (e *extreme[T]) value(how operators.Reduction) T {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.any {
		return operators.Identity[T](how)
	}
	return e.x
}
