package oracle

import (
	"cmp"

	"github.com/foray-graph/foray/graph"
)

// ForestEdge is an edge of a graph, from the smaller to the larger id if the graph is undirected. Parallel edges that are
// equal in all of this stand for one another.
type ForestEdge struct {
	Int      int64 // the weight, if weights are integers of 64 bits
	Float    float64
	ID       uint64
	From, To uint32 // ranks of ids
}

// before reports whether an edge comes before another one in the forest's order.
func (e ForestEdge) before(f ForestEdge, maximum bool) bool {
	order := cmp.Or(cmp.Compare(e.Int, f.Int), cmp.Compare(e.Float, f.Float))
	if maximum {
		order = -order
	}
	return cmp.Or(order, cmp.Compare(e.ID, f.ID), cmp.Compare(min(e.From, e.To), min(f.From, f.To)), cmp.Compare(max(e.From, e.To), max(f.From, f.To)),
		cmp.Compare(e.From, f.From)) < 0
}

// EdgeAt returns the edge at an entry of the row of v. An unweighted one has weight 0.
func EdgeAt(g *graph.Graph, v uint32, at uint64, unweighted bool) ForestEdge {
	c, ranks := g.Out(), g.IDs().Ranks()
	e := ForestEdge{From: v, To: c.Targets[at]}
	if ranks != nil {
		e.From, e.To = ranks[e.From], ranks[e.To]
	}
	if !g.Directed() && e.From > e.To {
		e.From, e.To = e.To, e.From
	}
	switch {
	case unweighted:
	case c.IntWeights != nil:
		e.Int = c.IntWeights[at]
	default:
		e.Float = c.FloatWeight(at)
	}
	if c.EdgeIDs != nil {
		e.ID = c.EdgeIDs[at]
	}
	return e
}

// Forest returns the edges of the spanning forest: each edge whose ends no path of edges that come before it joins.
func Forest(g *graph.Graph, maximum, unweighted bool) map[ForestEdge]bool {
	n, c, forest := g.NumVertices(), g.Out(), map[ForestEdge]bool{}
	var all []ForestEdge
	for v := range uint32(n) {
		for at := c.Offsets[v]; at < c.Offsets[v+1]; at++ {
			all = append(all, EdgeAt(g, v, at, unweighted))
		}
	}
	label := make([]uint32, n)
	for _, e := range all {
		for v := range label {
			label[v] = uint32(v)
		}
		for changed := true; changed; { // the least vertex that is reached over edges before e
			changed = false
			for _, f := range all {
				if f.before(e, maximum) && label[f.From] != label[f.To] {
					low := min(label[f.From], label[f.To])
					label[f.From], label[f.To], changed = low, low, true
				}
			}
		}
		if label[e.From] != label[e.To] {
			forest[e] = true
		}
	}
	return forest
}
