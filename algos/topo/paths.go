// This file holds what is read off levels on the host: cycles and the longest path.

package topo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/traverse"
)

// namedVertices is how many vertices of a cycle the text of the error names.
const namedVertices = 20

// CycleError is the error of a graph that isn't acyclic. Its text lists external ids, the first 20.
type CycleError struct {
	Cycle []uint32 // the internal vertices of one cycle; each has an edge to the next, the last to the first
	text  string
}

// Error lists the ids of the cycle.
func (e *CycleError) Error() string { return e.text }

// cycleOf finds a cycle among the vertices that weren't peeled. All of them have an in-edge from another one, so the
// way back from any of them comes to a cycle. It goes by the smallest ids, so that the cycle is the same in each run.
func cycleOf(ctx context.Context, t *traverse.Traversal, left *device.Buffer[uint32]) error {
	values, err := traverse.Result(t, left)
	if err != nil {
		return err
	}
	in, err := values.Slice()
	if err := errors.Join(err, values.Close()); err != nil {
		return err
	}
	g := t.Placed().Graph()
	before, err := tight(ctx, g, func(v, w uint32, _ float64) bool { return in[v] > 0 && in[w] > 0 })
	if err != nil {
		return err
	}
	rank := ranks(g)
	start := graph.NoVertex
	for v, n := range in {
		if n > 0 && (start == graph.NoVertex || rank(uint32(v)) < rank(start)) {
			start = uint32(v)
		}
	}
	place, way := make(map[uint32]int), []uint32(nil)
	for v := start; ; v = before[v] {
		if i, met := place[v]; met {
			way = way[i:]
			break
		}
		place[v] = len(way)
		way = append(way, v)
	}
	slices.Reverse(way)
	least := 0
	for i, v := range way {
		if rank(v) < rank(way[least]) {
			least = i
		}
	}
	way = slices.Concat(way[least:], way[:least])
	names := make([]string, 0, namedVertices+1)
	for _, v := range way[:min(len(way), namedVertices)] {
		names = append(names, g.IDs().Format(v))
	}
	if more := len(way) - namedVertices; more > 0 {
		names = append(names, text.Count(more)+" more")
	}
	names = append(names, g.IDs().Format(way[0]))
	return &CycleError{Cycle: way, text: fmt.Sprintf("topo: the graph has a cycle of %s: %s", text.Plural(len(way), "vertex"), strings.Join(names, " -> "))}
}

// ranks returns the order of the external ids.
func ranks(g *graph.Graph) func(uint32) uint32 {
	if r := g.IDs().Ranks(); r != nil {
		return func(v uint32) uint32 { return r[v] }
	}
	return func(v uint32) uint32 { return v }
}

// tight returns for each vertex the source with the smallest id among the edges that is takes, or graph.NoVertex.
func tight(ctx context.Context, g *graph.Graph, is func(v, w uint32, weight float64) bool) ([]uint32, error) {
	if err := g.Fetch(); err != nil {
		return nil, err
	}
	c, rank, before := g.Out(), ranks(g), make([]uint32, g.NumVertices())
	for v := range before {
		before[v] = graph.NoVertex
	}
	err := looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for v := uint32(lo); v < uint32(hi); v++ {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				weight := 0.0
				if c.Weights != nil {
					weight = c.FloatWeight(e)
				}
				if w := c.Targets[e]; is(v, w, weight) && (before[w] == graph.NoVertex || rank(v) < rank(before[w])) {
					before[w] = v
				}
			}
		}
	})
	return before, err
}

// Longest returns the vertices of the longest path, the heaviest with Options.Weighted; of several that of the
// smallest ids, from the end backwards. It takes a pass over the edges on the host, and 4 bytes a vertex. Errors are
// those of reading the values.
func (r *Result) Longest() ([]uint32, error) {
	level, err := r.Level.Slice()
	if err != nil || len(level) == 0 {
		return nil, err
	}
	g := r.Level.Graph()
	longer := func(v, w uint32) int { return int(level[v]) - int(level[w]) }
	is := func(v, w uint32, _ float64) bool { return level[v]+1 == level[w] }
	ends := func(v uint32) bool { return level[v] == 0 }
	if r.Length != nil {
		length, err := r.Length.Slice()
		if err != nil {
			return nil, err
		}
		longer = func(v, w uint32) int {
			switch {
			case length[v] < length[w]:
				return -1
			case length[v] > length[w]:
				return 1
			}
			return 0
		}
		is = func(v, w uint32, weight float64) bool { return length[v]+weight == length[w] }
		ends = func(v uint32) bool { return length[v] == 0 } // edges of weight 0 before it add nothing
	}
	before, err := tight(context.Background(), g, is)
	if err != nil {
		return nil, fmt.Errorf("topo: %w", err)
	}
	rank, last := ranks(g), uint32(0)
	for v := range level {
		if d := longer(uint32(v), last); d > 0 || d == 0 && rank(uint32(v)) < rank(last) {
			last = uint32(v)
		}
	}
	way := []uint32{last}
	for !ends(last) {
		last = before[last]
		way = append(way, last)
	}
	slices.Reverse(way)
	return way, nil
}
