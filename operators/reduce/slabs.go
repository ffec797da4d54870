// This file holds when a reduce goes over slabs, and what they take.

package reduce

import (
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/hubs"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// slabbed reports whether slabs are worth it on a graph, and can be.
func slabbed(p *graph.Placed) bool {
	n, edges := uint64(p.NumVertices()), p.Graph().NumDirectedEdges()
	return edges >= tuning.SlabEdges && edges >= tuning.SlabDegree*n && n <= slabsMost<<tuning.SlabBits && edges <= 1<<32-slabsMost*slabPiece
}

// SlabBytes returns how much of a GPU's memory a reduce over all vertices takes at most on a placed graph,
// for a layout that stays with the placed graph and is made when a reduce first needs it. Without
// that memory reduces go over rows, which takes longer. On the host it takes none.
func SlabBytes(p *graph.Placed) uint64 {
	if p.Err() != nil || !slabbed(p) || p.Remote().InTiers() {
		return 0
	}
	n, edges := uint64(p.NumVertices()), p.Graph().NumDirectedEdges()
	slabs, tiles := n>>tuning.SlabBits+1, edges/slabTile+1
	pieces := edges/slabPiece + slabs
	runs := edges / tuning.SlabRun // with more it isn't kept
	bins := 2*runs/uint64(binMost(slabs)) + n/binRows + 2
	keeps := 2*slabPiece*pieces + 4*pieces + 8*(slabs+1) + 4*(n+1) + 2*runs + (bins+1)*(4+6*slabs) + 4*runs // those of long rows
	making := 4*runs + 3*(edges/8+4) + 4*slabs*tiles + 4*tiles + 8*slabs + slabPiece/8*pieces + 64
	values := 4*runs + 16 + 16*(runs/hubs.ShortRow) + 12*(runs/hubs.Segment+runs/hubs.ShortRow) + 8
	return keeps + max(making, values)
}

// binMost returns how many runs a bin of several rows has at most. Values are copied four at a time, so up to six more of each
// slab are in its table.
func binMost(slabs uint64) uint32 { return uint32(binTable - 6*slabs) }
