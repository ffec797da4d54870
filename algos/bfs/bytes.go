// This file works out how much of a device's memory a search takes.

package bfs

import (
	"unsafe"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// What a search holds whatever the graph: of the host's operators for each
// worker, of a GPU's stream for its ring of slots.
const (
	workerBytes = 64 << 10
	ringBytes   = 1 << 20
)

// spaceBytes returns what a search takes at most: the workspace and the arrays
// of the result.
func spaceBytes(p *graph.Placed, so SpaceOptions, o Options) uint64 {
	n := uint64(p.NumVertices())
	arrays := uint64(0)
	for _, has := range []bool{so.Depths, so.Parents} {
		if has {
			arrays += 4 * n
		}
	}
	if so.ByID {
		arrays *= 2
	}
	bitmap := (n + 63) / 64 * 8
	if p.Remote() == nil {
		workers := uint64(1)
		if d, ok := p.Device().(*host.Device); ok {
			workers = uint64(d.Workers())
		}
		return arrays + 2*4*(n+frontier.Slack) + 3*bitmap + workers*workerBytes
	}
	width := uint64(4)
	if p.Remote().Wide {
		width = 8
	}
	queue := (4 + width) * n // vertices, and the edge prefix
	bytes := arrays + 2*queue + 4*bitmap + ringBytes
	if so.Fused {
		bytes += (fusedPlanes + 1) * ((n + 1023) / 1024 * 128)
		if so.ByID && so.Depths {
			bytes += codesBytes(n)
		}
		if o.Stats {
			bytes += min(n, mostNotes) * uint64(unsafe.Sizeof(fusedLevel{}))
		}
		return bytes
	}
	edges := p.Graph().NumDirectedEdges()
	if o.Balance != advance.AutoBalance {
		bytes += 3*queue + 4*edges // rows put aside; sources of edges
	}
	if o.Culls != 0 && o.Culls&filter.Exactly == 0 {
		bytes += 2*(4+width)*edges + edges // vertices that enter a frontier by every edge
	}
	if o.edgeFrontiers(p) { // which hold no more than the graph's edges
		ends := uint64(1)
		if so.Parents {
			ends = 2
		}
		bytes += 2 * ends * 4 * (edges + n)
	}
	return bytes
}

// edgeFrontiers reports whether a search on a GPU goes from edge frontier to
// edge frontier.
func (o Options) edgeFrontiers(p *graph.Placed) bool {
	switch o.Coupling {
	case ContractExpand, TwoPhase, HybridCoupling:
		return true
	case AutoCoupling:
		return o.Balance == advance.AutoBalance && p.MaxDegree() <= lowDegree
	}
	return false
}
