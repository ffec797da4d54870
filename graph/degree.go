// This file holds the degree histogram, a summary of a graph's shape.

package graph

import (
	"math/bits"
	"slices"
	"sync"
)

// DegreeHistogram summarizes the degrees of a graph's vertices: in a directed
// graph the out-degrees, in an undirected one the number of neighbors. Parallel
// edges count separately, and a self-loop counts once.
type DegreeHistogram struct {
	// Bins[0] is the number of vertices of degree 0, Bins[k] the number with
	// degrees from 2^(k-1) to 2^k-1. The last bin is not zero; without vertices
	// there is no bin.
	Bins []uint64
	// Max is the largest degree.
	Max uint64
	// MaxVertex is the first vertex of that degree; NoVertex without vertices.
	MaxVertex uint32
	// Mean is the mean degree; 0 without vertices.
	Mean float64
	// Isolated is the number of vertices without an edge in either direction.
	// In an undirected graph it is Bins[0].
	Isolated uint64
}

// histogram is the cached histogram of a graph.
type histogram struct {
	mu   sync.Mutex
	done bool
	h    DegreeHistogram
}

// DegreeHistogram counts the degrees, on the first call, in one pass over the offsets. For a directed
// graph without its reverse the isolated vertices take a pass over the targets too, and a bit for each
// vertex. See Graph.Close for its behavior on a closed graph.
func (g *Graph) DegreeHistogram() DegreeHistogram {
	g.counted.mu.Lock()
	defer g.counted.mu.Unlock()
	if !g.counted.done {
		defer g.keep()()
		g.counted.h, g.counted.done = g.countDegrees(), true
	}
	h := g.counted.h
	h.Bins = slices.Clone(h.Bins)
	return h
}

func (g *Graph) countDegrees() DegreeHistogram {
	h := DegreeHistogram{MaxVertex: NoVertex}
	n := g.out.NumVertices()
	if n == 0 {
		return h
	}
	h.Mean = float64(g.out.NumEdges()) / float64(n)
	var bins [65]uint64
	for v := range uint32(n) {
		d := g.out.Degree(v)
		bins[bits.Len64(d)]++
		if d > h.Max || v == 0 {
			h.Max, h.MaxVertex = d, v
		}
	}
	h.Bins = append(h.Bins, bins[:bits.Len64(h.Max)+1]...)
	h.Isolated = h.Bins[0]
	if g.directed {
		h.Isolated -= g.sinks()
	}
	return h
}

// sinks returns the number of vertices with in-edges and no out-edges.
func (g *Graph) sinks() uint64 {
	n := uint64(0)
	if g.in != nil {
		for v := range uint32(g.out.NumVertices()) {
			if g.out.Degree(v) == 0 && g.in.Degree(v) > 0 {
				n++
			}
		}
		return n
	}
	entered := make([]uint64, (g.out.NumVertices()+63)/64)
	for _, v := range g.Out().Targets {
		if bit := uint64(1) << (v % 64); entered[v/64]&bit == 0 {
			entered[v/64] |= bit
			if g.out.Degree(v) == 0 {
				n++
			}
		}
	}
	return n
}
