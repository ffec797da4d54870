// This file holds what a traversal takes of a device's memory, estimated.

package traverse

import (
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/windows"
)

// Memory describes the memory that a traversal holds in addition to its frontiers, so that it can be
// refused before anything is allocated.
type Memory struct {
	// Arrays has, for each array of an entry per vertex, the bytes of an entry.
	Arrays []int
	// EdgeArrays has, for each array of an entry per edge, the bytes of an entry: EdgeArray, PrefixSums, and columns that
	// the device doesn't have yet. On several GPUs these arrays are divided with the rows.
	EdgeArrays []int
	// Bitmaps is the number of bitmaps (Traversal.Bits).
	Bitmaps int
	// Frontiers is the number of frontiers; 0 means one, less means none: steps over all vertices
	// need none on several GPUs.
	Frontiers int
	// Piles is the number of far piles (Traversal.Pile).
	Piles int
	// Windows is the number of windows (Traversal.Windows). They take memory if rows are
	// by weight, on a GPU.
	Windows int
	// Keyed is the number of directions in which edges are totaled by key (reduce.InByKey, reduce.OutByKey). They take
	// memory on a GPU.
	Keyed int
}

// Bytes returns the maximum memory of a traversal on the graph's device, of several GPUs on each. It doesn't include the graph:
// graph.Graph.RemoteBytes, 4 bytes an edge for weights, and 8 for WeightSums.
func (m Memory) Bytes(p *graph.Placed) uint64 {
	if p.Err() != nil {
		return 0
	}
	e, err := newEngine(&space{p: p})
	if err != nil {
		return 0
	}
	return m.bytes(e, p)
}

// bytes is Bytes on an engine.
func (m Memory) bytes(e engine, p *graph.Placed) uint64 {
	frontiers := uint64(0)
	if m.Frontiers >= 0 {
		frontiers = uint64(max(m.Frontiers, 1)) + 1 // the spare one
	}
	n, bytes := uint64(run.Numbers(p)), e.room(frontiers)
	for _, a := range m.Arrays {
		bytes += uint64(max(a, 0)) * n
	}
	for _, a := range m.EdgeArrays {
		bytes += uint64(max(a, 0)) * uint64(run.Edges(p))
	}
	return bytes + uint64(max(m.Bitmaps, 0))*run.BitmapBytes(n) + uint64(max(m.Piles, 0))*(farpile.Bytes(p)+e.piled()) + uint64(max(m.Windows, 0))*windows.Bytes(p) +
		uint64(max(m.Keyed, 0))*e.keyed()
}
