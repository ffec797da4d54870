// This file holds the functors and the sinks that every device has.

package advance

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/bitmap"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/operators"
)

// All returns the functor that lets every target through: the next frontier is the
// list of all out-neighbors, a vertex as often as edges lead to it.
func All() Functor { return all{} }

type all struct{}

func (all) Visit(_ operators.Worker, _ uint32, _ uint64, targets, out []uint32) int {
	return copy(out, targets)
}

func (all) Kernels() ([]byte, string)      { return image, "all" }
func (all) ExtraKernels() ([]byte, string) { return laboratory(), "all" }
func (all) Params(*step.Params)            {}

// Claim returns the functor that adds every target to a bitmap and lets it through if it wasn't
// there: the next frontier holds what wasn't seen, once. seen is over the same placed graph, and not
// the output; anything else is operators.ErrFunctor. Its length isn't kept up to date: what a push
// lets through is what it adds.
func Claim(seen *frontier.Frontier) Functor { return &claim{seen} }

type claim struct{ seen *frontier.Frontier }

func (*claim) Unique() bool { return true }

func (f *claim) Visit(w operators.Worker, _ uint32, _ uint64, targets, out []uint32) int {
	k, words := 0, f.seen.Bits()
	for _, t := range targets {
		if w.Alone && bitmap.ClaimAlone(words, t) || !w.Alone && bitmap.Claim(words, t) {
			out[k] = t
			k++
		}
	}
	return k
}

func (*claim) Kernels() ([]byte, string)      { return image, "claim" }
func (*claim) ExtraKernels() ([]byte, string) { return laboratory(), "claim" }
func (f *claim) Params(words *step.Params)    { words[0] = f.seen.Remote().Words() }

// Parents returns the sink that notes the parent of every vertex that a pull finds. to has an entry
// per vertex, on the device of the graph; fewer are operators.ErrFunctor, and entries in other memory
// device.ErrNotSupported. Nil notes nothing.
func Parents(to *device.Buffer[uint32]) Sink { return &parents{to} }

type parents struct{ to *device.Buffer[uint32] }

func (s *parents) Found(_ operators.Worker, vertices, parents []uint32) {
	to := s.to.Host()
	if to == nil {
		return
	}
	for i, v := range vertices {
		to[v] = parents[i]
	}
}

func (*parents) Kernels() ([]byte, string)   { return image, "parents" }
func (s *parents) Params(words *step.Params) { words[0] = uint64(s.to.Pointer()) }

// InEdges returns the sink that notes for every vertex that a pull finds the in-edge by which it did:
// the first in the vertex's row whose source is in the frontier, an entry of In().Targets. to has an
// entry per vertex, on the device of the graph; fewer are operators.ErrFunctor, and entries in other memory
// device.ErrNotSupported. Nil notes nothing.
func InEdges(to *device.Buffer[uint64]) Sink { return &inEdges{to} }

type inEdges struct{ to *device.Buffer[uint64] }

func (*inEdges) Found(operators.Worker, []uint32, []uint32) {}

func (s *inEdges) FoundEdges(_ operators.Worker, vertices, _ []uint32, edges []uint64) {
	to := s.to.Host()
	if to == nil {
		return
	}
	for i, v := range vertices {
		to[v] = edges[i]
	}
}

func (*inEdges) Kernels() ([]byte, string)   { return edgesImage, "in_edges" }
func (s *inEdges) Params(words *step.Params) { words[0] = uint64(s.to.Pointer()) }
