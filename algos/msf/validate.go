// This file holds Validate.

package msf

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the spanning forest of its graph.
var errInvalid = text.Named("msf: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}

// Validate finds the forest again by Kruskal's algorithm, which takes edges in order, and compares: the edges, the names
// of trees, and the counts. It runs on one goroutine, sorts all edges, and takes 48 bytes an edge.
//
// The error wraps graph.ErrInvalid for a result that isn't the graph's, is nil or was closed. For a nil graph it
// is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	if g == nil {
		return fmt.Errorf("msf: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Tree == nil {
		return invalid("there is no forest")
	}
	tree, err := r.Tree.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if uint64(len(tree)) != g.NumDirectedEdges() {
		return invalid("%d values, the graph has %d directed edges", len(tree), g.NumDirectedEdges())
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("msf: validate: %w", err)
	}
	rank := func(v uint32) uint32 { return v }
	if ranks := g.IDs().Ranks(); ranks != nil {
		rank = func(v uint32) uint32 { return ranks[v] }
	}
	edges, root := inOrder(g, o, rank), make([]uint32, g.NumVertices())
	for v := range root {
		root[v] = uint32(v)
	}
	find := func(v uint32) uint32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	var taken []int
	for i, e := range edges {
		a, b := find(e.source), find(e.target)
		if a == b {
			continue
		}
		if rank(a) > rank(b) {
			a, b = b, a
		}
		root[b] = a // the one with the smaller id names the tree
		taken = append(taken, i)
	}
	left := 0
	for _, x := range tree {
		if x != graph.NoVertex {
			left++
		}
	}
	if left != len(taken) || r.Edges != left || r.Trees != len(root)-left {
		return invalid("%d edges are marked and %d counted, in %d trees; want %d in %d", left, r.Edges, r.Trees, len(taken), len(root)-len(taken))
	}
	for _, i := range taken {
		e := edges[i]
		want, got := find(e.source), graph.NoVertex
		for ; i < len(edges) && edges[i].equal(e); i++ { // parallel edges that are equal stand for one another
			got = min(got, tree[edges[i].at])
		}
		if got != want {
			return invalid("the edge between %s and %s has %d, want %d", g.IDs().Format(e.source), g.IDs().Format(e.target), got, want)
		}
	}
	return nil
}

// edge is one of the graph; of an undirected one from the larger to the smaller vertex.
type edge struct {
	key, id, ends, at uint64
	source, target    uint32
}

func (e edge) equal(f edge) bool {
	return e.key == f.key && e.id == f.id && e.source == f.source && e.target == f.target
}

// inOrder returns the edges in the order in which they enter the forest.
func inOrder(g *graph.Graph, o Options, rank func(uint32) uint32) []edge {
	c := g.Out()
	var edges []edge
	for v := range uint32(g.NumVertices()) {
		for at := c.Offsets[v]; at < c.Offsets[v+1]; at++ {
			w := c.Targets[at]
			if v == w || !g.Directed() && v < w {
				continue
			}
			e := edge{source: v, target: w, at: at, ends: uint64(min(rank(v), rank(w)))<<32 | uint64(max(rank(v), rank(w)))}
			switch {
			case o.Unweighted:
			case c.IntWeights != nil:
				e.key = uint64(c.IntWeights[at]) ^ 1<<63
			default:
				e.key = orderOf(c.FloatWeight(at))
			}
			if o.Maximum {
				e.key = ^e.key
			}
			if c.EdgeIDs != nil {
				e.id = c.EdgeIDs[at]
			}
			edges = append(edges, e)
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int {
		down := 0
		if g.Directed() {
			down = cmp.Compare(rank(a.source), rank(b.source))
		}
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id), cmp.Compare(a.ends, b.ends), down, cmp.Compare(a.at, b.at))
	})
	return edges
}
