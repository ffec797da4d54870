// This file holds the functors and the sinks that every device has.

package advance

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/operators/filter"
)

// All is the functor that lets every target through: the next frontier is the
// list of all out-neighbours, a vertex as often as edges lead to it.
type All struct{}

// Visit lets all targets through.
func (All) Visit(_ Worker, _ uint32, _ uint64, targets, out []uint32) int {
	return copy(out, targets)
}

// Kernels returns the kernels of this package.
func (All) Kernels() ([]byte, string) { return image, "all" }

// ExtraKernels returns the kernels of strategies and operators that are not used by
// default.
func (All) ExtraKernels() ([]byte, string) { return laboratory(), "all" }

// Params writes nothing: All has no fields.
func (All) Params(*Params) {}

// Claim is the functor that adds every target to a bitmap and lets it through
// if it wasn't there: the next frontier holds what wasn't seen, once.
type Claim struct {
	// Seen is a bitmap over the same placed graph, and not the output; anything
	// else is operators.ErrFunctor. Its length isn't kept up to date: what a push lets
	// through is what it adds.
	Seen *frontier.Frontier
}

// Unique says that no vertex is let through twice.
func (*Claim) Unique() bool { return true }

// Visit claims the targets.
func (f *Claim) Visit(w Worker, _ uint32, _ uint64, targets, out []uint32) int {
	k, words := 0, f.Seen.Bits()
	for _, t := range targets {
		if w.Alone && filter.ClaimAlone(words, t) || !w.Alone && filter.Claim(words, t) {
			out[k] = t
			k++
		}
	}
	return k
}

// Kernels returns the kernels of this package.
func (*Claim) Kernels() ([]byte, string) { return image, "claim" }

// ExtraKernels returns the kernels of strategies and operators that are not used by
// default.
func (*Claim) ExtraKernels() ([]byte, string) { return laboratory(), "claim" }

// Params is the address of the bitmap.
func (f *Claim) Params(words *Params) { words[0] = f.Seen.Remote().Words() }

// Parents is the sink that notes the parent of every vertex that a pull finds.
type Parents struct {
	// Array has an entry per vertex, on the device of the graph; fewer are
	// operators.ErrFunctor. Nil notes nothing.
	Array *device.Buffer[uint32]
}

// Found notes the parents.
func (s *Parents) Found(_ Worker, vertices, parents []uint32) {
	a := s.Array.Host()
	if a == nil {
		return
	}
	for i, v := range vertices {
		a[v] = parents[i]
	}
}

// Kernels returns the kernels of this package.
func (*Parents) Kernels() ([]byte, string) { return image, "parents" }

// Params is the address of the array.
func (s *Parents) Params(words *Params) { words[0] = uint64(s.Array.Pointer()) }

// InEdges is the sink that notes for every vertex that a pull finds the in-edge by which
// it did, as EdgeSink says. The parent is the edge's entry in In().Targets.
type InEdges struct {
	// Array has an entry per vertex, on the device of the graph; fewer are
	// operators.ErrFunctor. Nil notes nothing.
	Array *device.Buffer[uint64]
}

// Found does nothing; FoundEdges is called.
func (*InEdges) Found(Worker, []uint32, []uint32) {}

// FoundEdges notes the edges.
func (s *InEdges) FoundEdges(_ Worker, vertices, _ []uint32, edges []uint64) {
	a := s.Array.Host()
	if a == nil {
		return
	}
	for i, v := range vertices {
		a[v] = edges[i]
	}
}

// Kernels returns the kernels of this package.
func (*InEdges) Kernels() ([]byte, string) { return edgesImage, "in_edges" }

// Params is the address of the array.
func (s *InEdges) Params(words *Params) { words[0] = uint64(s.Array.Pointer()) }
