// This file holds the functors that every device has.

package intersect

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
)

// Count is the functor that counts, on every device. How many common neighbours
// there are in all is what Totals returns, for any functor.
type Count struct {
	// PerEdge has an entry for every directed edge, on the device of the graph:
	// PerEdge[e] grows by the number of common neighbours of edge e, each time
	// that the edge is visited. Nil counts none per edge. It stays the caller's.
	PerEdge *device.Buffer[uint32]
}

// Common adds to PerEdge. The operators of this package count without it.
func (f *Count) Common(_ int, pairs []Pair, _ []uint32) {
	if per := f.PerEdge.Host(); per != nil {
		for _, p := range pairs {
			atomic.AddUint32(&per[p.Edge], p.Len)
		}
	}
}

// Kernels returns the kernels of this package.
func (*Count) Kernels() ([]byte, string) { return image, "count" }

// Params is the address of the array.
func (f *Count) Params(words *Params) { words[0] = uint64(f.PerEdge.Pointer()) }

// Corners is the functor that counts at vertices, on every device: for each
// common neighbour w of an edge from u to v one at each of the three. With
// Options.Triangles these are the triangles that every vertex of an undirected
// graph is in.
type Corners struct {
	// PerVertex has an entry per vertex, on the device of the graph, and grows. It
	// stays the caller's.
	PerVertex *device.Buffer[uint32]
}

// Common adds to PerVertex.
func (f *Corners) Common(_ int, pairs []Pair, common []uint32) {
	at := f.PerVertex.Host()
	for _, p := range pairs {
		atomic.AddUint32(&at[p.U], p.Len)
		atomic.AddUint32(&at[p.V], p.Len)
	}
	for _, w := range common {
		atomic.AddUint32(&at[w], 1)
	}
}

// Kernels returns the kernels of this package.
func (*Corners) Kernels() ([]byte, string) { return image, "corners" }

// Params is the address of the array.
func (f *Corners) Params(words *Params) { words[0] = uint64(f.PerVertex.Pointer()) }

// Opposite is the functor that counts opposite edges, on every device: for each edge visited,
// it adds one at every common neighbor of its two ends. With Options.Ascending PerVertex[w]
// grows by the number of edges between neighbors of w, which in an undirected graph is the
// number of triangles of w.
type Opposite struct {
	// PerVertex has an entry per vertex, on the device of the graph, and grows. It
	// stays the caller's.
	PerVertex *device.Buffer[uint64]
	// Twice has a bit for every directed edge, in words of 64: that edge counts twice. In an
	// undirected graph both directions have the same. It stays the caller's. Nil
	// means that none does.
	Twice *device.Buffer[uint64]
}

// Common adds to PerVertex.
func (f *Opposite) Common(_ int, pairs []Pair, common []uint32) {
	at, twice := f.PerVertex.Host(), f.Twice.Host()
	for _, p := range pairs {
		k := uint64(1)
		if twice != nil {
			k += twice[p.Edge>>6] >> (p.Edge & 63) & 1
		}
		for _, w := range common[p.First : p.First+p.Len] {
			atomic.AddUint64(&at[w], k)
		}
	}
}

// Kernels returns the kernels of this package.
func (*Opposite) Kernels() ([]byte, string) { return image, "opposite" }

// Params are the addresses of the arrays.
func (f *Opposite) Params(words *Params) {
	words[0], words[1] = uint64(f.PerVertex.Pointer()), uint64(f.Twice.Pointer())
}

var errNil = fmt.Errorf("%w: it is nil; &Count{} only counts", errFunctor)

// checkFunctor returns why there can be no run with a functor.
func (x *Intersector) checkFunctor(f Functor) error {
	switch f := f.(type) {
	case nil:
		return errNil
	case Func:
		if f == nil {
			return errNil
		}
	case *Count:
		if f == nil {
			return errNil
		}
		if f.PerEdge != nil {
			if err := fits(x, "Count.PerEdge", f.PerEdge, x.p.Graph().NumDirectedEdges(), "directed edges"); err != nil {
				return err
			}
		}
	case *Corners:
		if f == nil {
			return errNil
		}
		if err := fits(x, "Corners.PerVertex", f.PerVertex, uint64(x.p.NumVertices()), "vertices"); err != nil {
			return err
		}
	case *Opposite:
		if f == nil {
			return errNil
		}
		if err := fits(x, "Opposite.PerVertex", f.PerVertex, uint64(x.p.NumVertices()), "vertices"); err != nil {
			return err
		}
		if f.Twice != nil {
			if err := fits(x, "Opposite.Twice", f.Twice, (x.p.Graph().NumDirectedEdges()+63)/64, "words of 64 directed edges"); err != nil {
				return err
			}
		}
	}
	return x.on.takes(f)
}

// fits returns why a functor's array doesn't.
func fits[T device.Elem](x *Intersector, name string, b *device.Buffer[T], n uint64, of string) error {
	if uint64(b.Len()) < n {
		return fmt.Errorf("%w: %s has %d entries for %d %s; a nil or freed buffer has none", errFunctor, name, b.Len(), n, of)
	}
	if n > 0 && !x.on.addresses(b.Host() != nil) {
		return fmt.Errorf("%w: %s is in the memory of another device than the graph", errFunctor, name)
	}
	return nil
}
