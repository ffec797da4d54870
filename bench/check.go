// This file holds the comparison of results with those of the sequential
// search.

package bench

import (
	"fmt"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
)

// describe summarizes the result of a search from the source, given its depths.
func describe(g *graph.Graph, source uint32, depths []int32) Source {
	s := Source{ID: g.IDs().Format(source)}
	sum, deepest := uint64(0), int32(-1)
	for v, d := range depths {
		if d >= 0 {
			s.Reached++
			sum += g.Degree(uint32(v))
			deepest = max(deepest, d)
		}
	}
	s.Levels = int(deepest) + 1
	if s.Edges = sum; !g.Directed() {
		s.Edges = sum / 2
	}
	return s
}

// compare compares what was found with the depths of the sequential search.
func (s *suite) compare(f found, depths []int32, want Source) error {
	g := s.p.Graph()
	if f.res != nil && (f.res.Reached != want.Reached || f.res.Levels != want.Levels) {
		return fmt.Errorf("%d vertices reached in %d levels, want %d in %d", f.res.Reached, f.res.Levels, want.Reached, want.Levels)
	}
	if s.o.Outputs.Has(bfs.Depths) {
		if err := same(g, f.depths, depths, func(v uint32) uint32 { return v }); err != nil {
			return err
		}
	}
	if f.parents != nil {
		if err := bfs.Validate(g, f.res); err != nil {
			return err
		}
	}
	if f.given == nil {
		return nil
	}
	if s.o.Outputs.Has(bfs.Depths) {
		if err := same(g, f.given.depths, depths, s.order.Vertex); err != nil {
			return fmt.Errorf("in the given order: %w", err)
		}
	}
	for r, p := range f.given.parents {
		v := s.order.Vertex(uint32(r))
		if p != graph.NoVertex {
			p = s.order.Vertex(p)
		}
		if p != f.parents[v] {
			return fmt.Errorf("in the given order: the parent of vertex %s is another", g.IDs().Format(v))
		}
	}
	return nil
}

// same compares depths, got[i] being that of vertex(i).
func same(g *graph.Graph, got, want []int32, vertex func(uint32) uint32) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d depths, want %d", len(got), len(want))
	}
	for i, d := range got {
		if v := vertex(uint32(i)); d != want[v] {
			return fmt.Errorf("vertex %s is at depth %d, want %d", g.IDs().Format(v), d, want[v])
		}
	}
	return nil
}
