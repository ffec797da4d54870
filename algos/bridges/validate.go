// This file holds Validate.

package bridges

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the biconnected components of its graph.
var errInvalid = text.Named("bridges: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}

// Validate finds the components again by a depth-first search (Hopcroft and Tarjan, 1973), and compares. It runs on one
// goroutine, and takes 16 bytes an edge and 50 a vertex.
//
// The error wraps graph.ErrInvalid for a result that isn't the graph's, is nil or was closed. For a nil graph it
// is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return fmt.Errorf("bridges: validate: %w", graph.ErrNoGraph)
	}
	if r == nil {
		return invalid("there is none")
	}
	component, err := r.Component.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	bridge, err := r.Bridge.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	cut, err := r.Articulation.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	n, m := g.NumVertices(), g.NumDirectedEdges()
	if uint64(len(component)) != m || uint64(len(bridge)) != m || len(cut) != n {
		return invalid("%d components, %d bridges and %d vertices, the graph has %d directed edges and %d vertices", len(component), len(bridge), len(cut), m, n)
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("bridges: validate: %w", err)
	}
	b := blocksOf(g)
	c, ids := g.Out(), g.IDs()
	for v := range uint32(n) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			u := c.Targets[e]
			wantComponent, wantBridge := graph.NoVertex, uint32(0)
			if v != u && (g.Directed() || v > u) {
				low := u
				if b.order[v] > b.order[u] {
					low = v
				}
				wantComponent = b.name[b.block[low]]
				if b.edges[b.block[low]] == 1 {
					wantBridge = 1
				}
			}
			if component[e] != wantComponent || bridge[e] != wantBridge {
				return invalid("the edge from %s to %s has component %d and bridge %d, want %d and %d", ids.Format(v), ids.Format(u), component[e], bridge[e], wantComponent, wantBridge)
			}
		}
	}
	bridges, cuts := 0, 0
	for _, edges := range b.edges {
		if edges == 1 {
			bridges++
		}
	}
	for v, want := range b.cut {
		cuts += int(want)
		if cut[v] != want {
			return invalid("vertex %s has %d, want %d", ids.Format(uint32(v)), cut[v], want)
		}
	}
	if r.Components != len(b.name) || r.Bridges != bridges || r.Articulations != cuts {
		return invalid("%d components, %d bridges and %d articulation points are counted, want %d, %d and %d", r.Components, r.Bridges, r.Articulations, len(b.name), bridges, cuts)
	}
	return nil
}

// blocks are biconnected components.
type blocks struct {
	order []uint32 // of every vertex: when it was found
	block []uint32 // of every vertex that has a parent: the component of the edge to that
	name  []uint32 // of every component
	edges []int    // likewise
	cut   []uint32 // of every vertex
}

// blocksOf searches from the smallest ids on. It keeps its stack in a slice, and doesn't call itself.
func blocksOf(g *graph.Graph) *blocks {
	n := g.NumVertices()
	near, ranks := neighborsOf(g), g.IDs().Ranks()
	rank := func(v uint32) uint32 { return v }
	if ranks != nil {
		rank = func(v uint32) uint32 { return ranks[v] }
	}
	b := &blocks{order: make([]uint32, n), block: make([]uint32, n), cut: make([]uint32, n)}
	low, parent, next := make([]uint32, n), make([]uint32, n), make([]int, n)
	starts := make([]uint32, n)
	for v := range uint32(n) {
		starts[rank(v)] = v
	}
	time := uint32(0)
	find := func(v, from uint32) {
		time++
		b.order[v], low[v], parent[v] = time, time, from
	}
	for _, start := range starts {
		if b.order[start] > 0 {
			continue
		}
		find(start, graph.NoVertex)
		path, open, children := []uint32{start}, []uint32(nil), 0 // open: vertices whose edge to the parent has no component
		for len(path) > 0 {
			v := path[len(path)-1]
			if next[v] < len(near[v]) {
				u := near[v][next[v]]
				next[v]++
				switch {
				case b.order[u] == 0:
					find(u, v)
					path, open = append(path, u), append(open, u)
				case u != parent[v]:
					low[v] = min(low[v], b.order[u])
				}
				continue
			}
			path = path[:len(path)-1]
			p := parent[v]
			if p == graph.NoVertex {
				continue
			}
			low[p] = min(low[p], low[v])
			if low[v] < b.order[p] {
				continue
			}
			if p != start {
				b.cut[p] = 1
			} else if children++; children == 2 {
				b.cut[p] = 1
			}
			at := len(open) - 1
			for open[at] != v {
				at--
			}
			name := v
			for _, u := range open[at:] {
				b.block[u] = uint32(len(b.name))
				if rank(u) < rank(name) {
					name = u
				}
			}
			open = open[:at]
			b.name, b.edges = append(b.name, name), append(b.edges, 0)
		}
	}
	for v, row := range near {
		for _, u := range row {
			if b.order[u] < b.order[v] {
				b.edges[b.block[v]]++
			}
		}
	}
	return b
}

// neighborsOf returns the neighbors of each vertex, each once.
func neighborsOf(g *graph.Graph) [][]uint32 {
	near := make([][]uint32, g.NumVertices())
	for v := range near {
		for _, u := range g.Out().Neighbors(uint32(v)) {
			if int(u) != v {
				near[v] = append(near[v], u)
				if g.Directed() {
					near[u] = append(near[u], uint32(v))
				}
			}
		}
	}
	for v := range near {
		slices.Sort(near[v])
		near[v] = slices.Compact(near[v])
	}
	return near
}
