// Package compared has pairs of functors with equal results, one of them slow. bench/slow.go times
// them in turn, for docs/slow.md.
package compared

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../../../cmd/generate

// Blind reaches vertices by a compare-and-swap at every edge.
//
//foray:functor
type Blind struct {
	Depth []int32 // of every vertex; -1: not reached
}

// Edge lets the target through if it is reached now.
//
//foray:unique
func (f *Blind) Edge(e traverse.Edge) bool {
	return atomics.CompareAndSwap(&f.Depth[e.Target], -1, e.Level)
}

// Look looks before it writes.
//
//foray:functor
type Look struct {
	Depth []int32 // of every vertex; -1: not reached
}

// Edge lets the target through if it is reached now.
//
//foray:unique
func (f *Look) Edge(e traverse.Edge) bool {
	return atomics.Load(&f.Depth[e.Target]) < 0 && atomics.CompareAndSwap(&f.Depth[e.Target], -1, e.Level)
}

// Twice is Look without the promise that no vertex comes twice, so that a filter has to see
// to that.
//
//foray:functor
type Twice struct {
	Depth []int32 // of every vertex; -1: not reached
}

// Edge lets the target through if it is reached now.
func (f *Twice) Edge(e traverse.Edge) bool {
	return atomics.Load(&f.Depth[e.Target]) < 0 && atomics.CompareAndSwap(&f.Depth[e.Target], -1, e.Level)
}

// Tally counts all edges in one element.
//
//foray:functor
type Tally struct{ Count []uint64 }

// Edge counts an edge.
func (f *Tally) Edge(e traverse.Edge) { atomics.Add(&f.Count[0], 1) }

// Spread counts the edges into every vertex.
//
//foray:functor
type Spread struct {
	Count []uint64 // of every vertex
}

// Edge counts an edge.
func (f *Spread) Edge(e traverse.Edge) { atomics.Add(&f.Count[e.Target], 1) }

// Ones counts edges by a reduction.
//
//foray:functor
type Ones struct {
	Count []uint64 // of every vertex
}

// Gather counts an edge, Apply returns how many edges a vertex has.
func (f *Ones) Gather(e traverse.Edge) uint64 { return 1 }

// Apply keeps the number of edges of a vertex, and returns it.
func (f *Ones) Apply(v traverse.Vertex, total uint64) uint64 {
	f.Count[v.ID] = total
	return total
}

// Scatter adds a vertex's share to all of its neighbors.
//
//foray:functor
type Scatter struct {
	Share, Sum []float32 // of every vertex
}

// Edge adds to the sum of the target.
func (f *Scatter) Edge(e traverse.Edge) { atomics.Add(&f.Sum[e.Target], f.Share[e.Source]) }

// Collect adds up the shares of all neighbors.
//
//foray:functor
type Collect struct {
	Share, Sum []float32 // of every vertex
}

// Gather returns the share of a neighbor.
func (f *Collect) Gather(e traverse.Edge) float32 { return f.Share[e.Source] }

// Apply keeps the sum.
func (f *Collect) Apply(v traverse.Vertex, total float32) { f.Sum[v.ID] = total }

// Weigh adds up the weights of edges, which are in the order of the edges.
//
//foray:functor
type Weigh struct {
	Sum []float32 // of every vertex
}

// Gather returns the weight of an edge.
func (f *Weigh) Gather(e traverse.Edge) float32 { return e.Weight }

// Apply keeps the sum.
func (f *Weigh) Apply(v traverse.Vertex, total float32) { f.Sum[v.ID] = total }

// Apart reads four numbers of a neighbor from four slices.
//
//foray:functor
type Apart struct {
	A, B, C, D []float32 // of every vertex
	Sum        []float32
}

// Gather returns their sum.
func (f *Apart) Gather(e traverse.Edge) float32 {
	return f.A[e.Source] + f.B[e.Source] + f.C[e.Source] + f.D[e.Source]
}

// Apply keeps the sum.
func (f *Apart) Apply(v traverse.Vertex, total float32) { f.Sum[v.ID] = total }

// Together reads them from one slice, in which they are contiguous.
//
//foray:functor
type Together struct {
	Four []float32 // four of every vertex
	Sum  []float32
}

// Gather returns their sum.
func (f *Together) Gather(e traverse.Edge) float32 {
	at := 4 * int(e.Source)
	return f.Four[at] + f.Four[at+1] + f.Four[at+2] + f.Four[at+3]
}

// Apply keeps the sum.
func (f *Together) Apply(v traverse.Vertex, total float32) { f.Sum[v.ID] = total }

// Checked is Collect with an index that has to be checked at every edge.
//
//foray:functor
type Checked struct {
	Share, Sum []float32 // of every vertex
	Mask       uint32    // of all ones
}

// Gather returns the share of a neighbor.
func (f *Checked) Gather(e traverse.Edge) float32 { return f.Share[e.Source&f.Mask] }

// Apply keeps the sum.
func (f *Checked) Apply(v traverse.Vertex, total float32) { f.Sum[v.ID] = total }

// Learn has vertices take over the largest value of their out-neighbors, and 1 more.
//
//foray:functor
type Learn struct {
	Value, Next []uint32 // of every vertex
}

// Gather is a neighbor's value.
//
//foray:reduce max
func (f *Learn) Gather(e traverse.Edge) uint32 { return f.Value[e.Target] }

// Apply adds 1. It returns the value.
func (f *Learn) Apply(v traverse.Vertex, most uint32) uint64 {
	x := max(f.Value[v.ID], most) + 1
	f.Next[v.ID] = x
	return uint64(x)
}
