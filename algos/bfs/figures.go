// This file holds figures of a graph that decide how to search it.

package bfs

import (
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// figures of a graph that say how to search it, kept with the placed graph.
type figures struct {
	// uniformDegree: degrees are near one another, and near what a warp has of lanes.
	uniformDegree bool
	// growth is the mean out-degree of the targets of edges, the sum of the squared
	// degrees by the sum of the degrees: how many times the edges of a small
	// frontier those of the next one are, as long as little was visited.
	growth     float64
	hub        uint32      // a vertex of the most edges
	fusedEdges uint64      // levels of so many edges at most are for one kernel
	long       atomic.Bool // a search had many levels, small ones
	// levelEdges is about how many edges a level had in the last search that reached a good part of the
	// graph; 0 before there was one.
	levelEdges      atomic.Uint64
	local           atomic.Bool // the first pull of a search found few of the candidates
	tooDeepForCodes atomic.Bool // a search had more levels than there are codes for
	notTogether     atomic.Bool // the blocks of a search in one kernel didn't all run at once
}

type figuresKey struct{ placed.Of[*figures] }

// figuresOf works the figures out on the first call. Of a placed graph that was
// closed there are none, and no searches.
func figuresOf(p *graph.Placed) *figures {
	f, err := placed.LoadOrMake(p.State(), figuresKey{}, func() (*figures, error) {
		g := p.Graph()
		f := &figures{growth: growth(g), hub: hubOf(g)}
		mean := float64(g.NumDirectedEdges()) / float64(max(p.NumVertices(), 1))
		f.fusedEdges = tuning.FusedEdges
		if mean >= tuning.FusedLongRow {
			f.fusedEdges = tuning.FusedLongEdges
		}
		f.uniformDegree = mean >= uniformLeast && mean <= uniformMost && f.growth < 2*mean
		return f, nil
	})
	if err != nil {
		return &figures{}
	}
	return f
}

func growth(g *graph.Graph) (squares float64) {
	for v := range g.NumVertices() {
		d := float64(g.Degree(uint32(v)))
		squares += d * d
	}
	return squares / float64(max(g.NumDirectedEdges(), 1))
}

// deep reports whether searches of the graph may have many levels with small
// frontiers, for which one cluster is faster than the whole grid.
func (f *figures) deep(p *graph.Placed) bool {
	return (f.growth <= tuning.DeepGrowth || f.long.Load()) && p.NumVertices() < 1<<31
}

// mesh reports whether levels of searches of the graph are likely to be many and
// small, as on meshes and roads.
func (f *figures) mesh() bool {
	edges := f.levelEdges.Load()
	return f.growth <= tuning.MeshGrowth && edges <= f.fusedEdges || f.long.Load()
}

// small reports whether the levels of a search were small enough for one kernel to be faster than a kernel for each level.
func (f *figures) small() bool {
	edges := f.levelEdges.Load()
	return 0 < edges && edges <= f.fusedEdges
}

// learn notes how large the levels of a search of the graph were.
func (f *figures) learn(g *graph.Graph, r *Result) {
	n := max(g.NumVertices(), 1)
	switch {
	case r.Levels > manyLevels && r.Reached < r.Levels*smallLevel:
		f.long.Store(true)
	case len(r.Sources) <= 1 && !r.Limited && r.Levels > 0 && r.Reached > n/goodPart:
		mean := float64(g.NumDirectedEdges()) / float64(n)
		f.levelEdges.Store(max(uint64(float64(r.Reached)*mean/float64(r.Levels)), 1))
	}
}

// hubOf returns a vertex of the most edges.
func hubOf(g *graph.Graph) (hub uint32) {
	if g.Order() == graph.OrderDegree {
		return 0
	}
	most := uint64(0)
	for v := range g.NumVertices() {
		if d := g.Degree(uint32(v)); d > most {
			hub, most = uint32(v), d
		}
	}
	return hub
}
