// This file holds what a predicate is, and the one that every device has.

package filter

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
)

// ErrPredicate: a Predicate that is nil, whose fields don't fit the graph, or that
// doesn't do what it promises; the message has the details.
var ErrPredicate = errors.New("filter: bad predicate")

// Predicate selects the vertices of a frontier to keep. On a GPU it is a
// KernelPredicate.
type Predicate interface {
	// Keep writes those of in that stay to the front of out, in their order, and
	// returns how many there are: 0 to len(in). out is as long as in and may be in
	// itself. It is called for pieces of the frontier, by several workers at once
	// unless w.Alone.
	Keep(w operators.Worker, in, out []uint32) int
}

// KernelPredicate is a Predicate that a GPU runs too. The package documentation
// shows how to write one.
type KernelPredicate interface {
	Predicate
	// Kernels returns the fatbin that FORAY_KEEP was compiled to, the same slice
	// each time, and the name that was given there. It stays the predicate's.
	Kernels() (image []byte, name string)
	// Params writes the predicate's fields, as its device side has them, to
	// words, before each launch. words may hold those of another predicate.
	Params(words *Params)
}

// Params is a predicate's fields on the device, 64 bytes at most, in the order
// and alignment that C++ has.
type Params [8]uint64

// Func makes a Predicate of a function, for the host.
type Func func(w operators.Worker, in, out []uint32) int

// Keep calls the function.
func (f Func) Keep(w operators.Worker, in, out []uint32) int { return f(w, in, out) }

// Below is the predicate that keeps the vertices whose key is less than a limit:
// near from far in a search by distance, a degree below k. It works on the host
// and on a GPU. A NaN, as key or limit, is never less.
type Below[T device.Elem] struct {
	// Keys has an entry per vertex, on the device of the graph; anything else is
	// ErrPredicate. It stays the caller's.
	Keys  *device.Buffer[T]
	Limit T
}

// Keep keeps the vertices whose key is below the limit.
func (p *Below[T]) Keep(_ operators.Worker, in, out []uint32) int {
	keys, limit, k := p.Keys.Host(), p.Limit, 0
	for _, v := range in {
		out[k] = v
		is := 0 // no branch: it would be mispredicted
		if keys[v] < limit {
			is = 1
		}
		k += is
	}
	return k
}

// Kernels returns the kernels of this package.
func (*Below[T]) Kernels() ([]byte, string) { return image, "below" }

// Params is the address of the keys, the limit and their type.
func (p *Below[T]) Params(words *Params) {
	words[0], words[1], words[2] = uint64(p.Keys.Pointer()), limitBits(p.Limit), uint64(kindOf[T]())
}

// The types of keys, as the device has them (below.cuh).
const (
	kindInt32 = iota
	kindUint32
	kindInt64
	kindUint64
	kindFloat32
	kindFloat64
)

func kindOf[T device.Elem]() (kind uint32) {
	one, two, zero := T(1), T(2), T(0)
	switch {
	case one/two != 0:
		kind = kindFloat32
	case zero-one > 0:
		kind = kindUint32
	}
	if unsafe.Sizeof(one) == 8 {
		if kind == kindFloat32 {
			return kindFloat64
		}
		return kind + kindInt64
	}
	return kind
}

func limitBits[T device.Elem](x T) uint64 {
	if unsafe.Sizeof(x) == 8 {
		return *(*uint64)(unsafe.Pointer(&x))
	}
	return uint64(*(*uint32)(unsafe.Pointer(&x)))
}

// fits returns why the predicate can't be used on a graph of n vertices.
func (p *Below[T]) fits(n int, on backend) error {
	if p == nil {
		return fmt.Errorf("it is nil")
	}
	if p.Keys.Len() < n {
		return fmt.Errorf("Below.Keys has %d entries for %d vertices; a nil or freed buffer has none", p.Keys.Len(), n)
	}
	if n > 0 && !on.addresses(p.Keys.Host() != nil) {
		return fmt.Errorf("Below.Keys is in the memory of another device than the graph")
	}
	return nil
}

// indexer is a predicate of this package that uses vertices as indices.
type indexer interface{ fits(int, backend) error }

// checkPredicate returns why an operator can't take a predicate.
func (f *Filterer) checkPredicate(what string, p Predicate) error {
	if fn, ok := p.(Func); p == nil || ok && fn == nil {
		return fmt.Errorf("%w: %s: the predicate is nil", ErrPredicate, what)
	}
	if i, ok := p.(indexer); ok {
		if err := i.fits(f.p.NumVertices(), f.on); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrPredicate, what, err)
		}
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
	return fmt.Errorf("%w: Keep of predicate %T returned %d for %d vertices; it must be from 0 to that", ErrPredicate, p, k, most)
}

func keptNoVertex(p Predicate, v, n uint32) error {
	return fmt.Errorf("%w: Keep of predicate %T kept what it wasn't given: %w: vertex %d of %d", ErrPredicate, p, graph.ErrNoVertex, v, n)
}

func keptOther(p Predicate, v uint32) error {
	return fmt.Errorf("%w: Keep of predicate %T kept what it wasn't given, or in another order: vertex %d", ErrPredicate, p, v)
}
