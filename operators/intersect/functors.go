// This file holds the functors that every device has.

package intersect

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
)

// Count returns the functor that counts, on every device. How many common neighbors there are in all
// is what Totals returns, for any functor. perEdge has an entry for every directed edge, on the device of
// the graph: perEdge[e] grows by the number of common neighbors of edge e, each time that the edge is
// visited. Nil counts none per edge. It stays the caller's.
func Count(perEdge *device.Buffer[uint32]) Functor { return &count{perEdge} }

type count struct{ perEdge *device.Buffer[uint32] }

// Common adds to perEdge. The operators of this package count without it.
func (f *count) Common(_ int, pairs []Pair, _ []uint32) {
	if per := f.perEdge.Host(); per != nil {
		for _, p := range pairs {
			atomic.AddUint32(&per[p.Edge], p.Len)
		}
	}
}

func (*count) Kernels() ([]byte, string)   { return image, "count" }
func (f *count) Params(words *step.Params) { words[0] = uint64(f.perEdge.Pointer()) }

// Corners returns the functor that counts at vertices, on every device: for each common neighbor w of an
// edge from u to v one at each of the three. With Options.Triangles these are the triangles that every
// vertex of an undirected graph is in. perVertex has an entry per vertex, on the device of the graph, and
// grows. It stays the caller's.
func Corners(perVertex *device.Buffer[uint32]) Functor { return &corners{perVertex} }

type corners struct{ perVertex *device.Buffer[uint32] }

func (f *corners) Common(_ int, pairs []Pair, common []uint32) {
	at := f.perVertex.Host()
	for _, p := range pairs {
		atomic.AddUint32(&at[p.U], p.Len)
		atomic.AddUint32(&at[p.V], p.Len)
	}
	for _, w := range common {
		atomic.AddUint32(&at[w], 1)
	}
}

func (*corners) Kernels() ([]byte, string)   { return image, "corners" }
func (f *corners) Params(words *step.Params) { words[0] = uint64(f.perVertex.Pointer()) }

// Opposite returns the functor that counts opposite edges, on every device: for each edge visited,
// it adds one at every common neighbor of its two ends. With Options.Ascending perVertex[w]
// grows by the number of edges between neighbors of w, which in an undirected graph is the
// number of triangles of w. perVertex has an entry per vertex, on the device of the graph. twice has a bit
// for every directed edge, in words of 64: that edge counts twice. In an undirected graph both directions
// have the same; nil means that none does. Both arrays stay the caller's.
func Opposite(perVertex, twice *device.Buffer[uint64]) Functor { return &opposite{perVertex, twice} }

type opposite struct{ perVertex, twice *device.Buffer[uint64] }

func (f *opposite) Common(_ int, pairs []Pair, common []uint32) {
	at, twice := f.perVertex.Host(), f.twice.Host()
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

func (*opposite) Kernels() ([]byte, string) { return image, "opposite" }

func (f *opposite) Params(words *step.Params) {
	words[0], words[1] = uint64(f.perVertex.Pointer()), uint64(f.twice.Pointer())
}

var errNil = fmt.Errorf("%w: it is nil; Count(nil) only counts", errFunctor)

// checkFunctor returns why there can be no run with a functor.
func (x *Intersector) checkFunctor(f Functor) error {
	switch f := f.(type) {
	case nil:
		return errNil
	case hostFunc:
		if f == nil {
			return errNil
		}
	case *count:
		if f.perEdge != nil {
			if err := fits(x, "the array of Count", f.perEdge, x.p.Graph().NumDirectedEdges(), "directed edges"); err != nil {
				return err
			}
		}
	case *corners:
		if err := fits(x, "the array of Corners", f.perVertex, uint64(x.p.NumVertices()), "vertices"); err != nil {
			return err
		}
	case *opposite:
		if err := fits(x, "the array of Opposite", f.perVertex, uint64(x.p.NumVertices()), "vertices"); err != nil {
			return err
		}
		if f.twice != nil {
			if err := fits(x, "the bits of Opposite", f.twice, (x.p.Graph().NumDirectedEdges()+63)/64, "words of 64 directed edges"); err != nil {
				return err
			}
		}
	}
	return x.on.takes(f)
}

// fits returns why a functor's array doesn't.
func fits[T device.Elem](x *Intersector, name string, b *device.Buffer[T], n uint64, of string) error {
	if err := link.CheckBuffer(name, b, x.on.remote()); err != nil {
		return fmt.Errorf("intersect: %w", err)
	}
	if uint64(b.Len()) < n {
		return fmt.Errorf("%w: %s has %d entries for %d %s; a nil buffer has none", errFunctor, name, b.Len(), n, of)
	}
	return nil
}
