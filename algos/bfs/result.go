// This file holds Result, what a search found.

package bfs

import (
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Result is what a search found, in the memory of the device that it ran on.
type Result struct {
	// Sources as given.
	Sources []uint32
	// Reached is the number of vertices reached, sources included.
	Reached int
	// Levels is the number of levels that have a vertex: the largest depth and
	// one more.
	Levels int
	// Edges is the number of edges looked at; 0 without Options.Stats.
	Edges uint64
	// Algorithm and Device are what ran: "bfs" or "dobfs", "host" or "cuda:0".
	Algorithm, Device string
	// Elapsed is the time from the call to the arrays standing complete.
	Elapsed time.Duration
	// Stats has an entry per level, where Options.Stats asked for them.
	Stats []Level
	// Limited says that the search ended at the depth limit or the targets
	// with vertices still to expand.
	Limited bool

	p       *graph.Placed
	depths  *device.Buffer[int32]
	parents *device.Buffer[uint32]
}

// Depths returns the depth of every vertex, by internal vertex: the number of
// edges from the nearest source, -1 where not reached. It is nil where depths
// were left out. On the host it is the result's own memory, valid until Free.
func (r *Result) Depths() []int32 {
	if r.depths == nil {
		return nil
	}
	return r.depths.Host()
}

// Parents returns the parent of every vertex, by internal vertex: the vertex
// that it was reached from, itself for a source, graph.NoVertex where not
// reached. It is nil where parents weren't asked for. On the host it is the
// result's own memory, valid until Free.
func (r *Result) Parents() []uint32 {
	if r.parents == nil {
		return nil
	}
	return r.parents.Host()
}

// TraversedEdges returns the number of edges in the part of the graph that was
// reached: what rates are counted by. Undirected edges count once. It costs a
// pass over the vertices.
func (r *Result) TraversedEdges() uint64 {
	g, sum := r.p.Graph(), uint64(0)
	out := g.Out()
	if d := r.Depths(); d != nil {
		for v := range d {
			if d[v] >= 0 {
				sum += out.Degree(uint32(v))
			}
		}
	} else if ps := r.Parents(); ps != nil {
		for v := range ps {
			if ps[v] != graph.NoVertex {
				sum += out.Degree(uint32(v))
			}
		}
	}
	if !g.Directed() {
		sum /= 2
	}
	return sum
}

// Free gives the arrays back, so that the next search on the same placed graph
// uses their memory again. The arrays must not be used afterwards. A result
// that is never freed is the garbage collector's (on the host).
func (r *Result) Free() {
	if r.depths != nil {
		r.p.KeepScratch(depthsKey, r.depths)
	}
	if r.parents != nil {
		r.p.KeepScratch(parentsKey, r.parents)
	}
	r.depths, r.parents = nil, nil
}

// scratchKey names what is kept with a placed graph between searches.
type scratchKey string

const (
	depthsKey  scratchKey = "bfs.depths"
	parentsKey scratchKey = "bfs.parents"
	spaceKey   scratchKey = "bfs.space"
)

func buffer[T device.Elem](p *graph.Placed, key scratchKey) (*device.Buffer[T], error) {
	if b, ok := p.TakeScratch(key).(*device.Buffer[T]); ok && b.Len() == p.NumVertices() {
		return b, nil
	}
	return device.NewBuffer[T](p.Device(), p.NumVertices())
}
