// This file holds Validate.

package ktruss

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the trussness of its graph's edges.
var errInvalid = text.Named("ktruss: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}

// Validate removes edges one at a time, the one in the fewest triangles first, and compares. It runs on one goroutine, takes
// 40 bytes an edge, and m^1.5 steps at most.
//
// The error wraps graph.ErrInvalid for a result that isn't the graph's, is nil or was closed. For a nil graph it is
// graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error {
	switch {
	case g == nil:
		return fmt.Errorf("ktruss: validate: %w", graph.ErrNoGraph)
	case r == nil:
		return invalid("it is nil")
	}
	got, err := r.Trussness.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	c := g.Out()
	if len(got) != len(c.Targets) {
		return invalid("%d values for %d edges", len(got), len(c.Targets))
	}
	s := newSequential(g)
	s.remove()
	for v := range uint32(g.NumVertices()) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			want, u := uint32(0), c.Targets[e]
			if v != u && (g.Directed() || v > u) {
				want = s.truss[s.find(max(u, v), min(u, v))]
			}
			if got[e] != want {
				return invalid("the edge from vertex %d to %d has trussness %d, want %d", v, u, got[e], want)
			}
		}
	}
	if edges := count(s.truss); !slices.Equal(r.Edges, edges) {
		return invalid("%d edges by trussness, want %d", r.Edges, edges)
	}
	return nil
}

// sequential is a graph from which edges are removed.
type sequential struct {
	near  [][]uint32
	first []int    // of every vertex: the number of its first edge to a smaller one
	truss []uint32 // of every edge; 0 as long as it remains
}

func newSequential(g *graph.Graph) *sequential {
	s := &sequential{near: oracle.Neighbors(g)}
	m := 0
	for v, row := range s.near {
		s.first = append(s.first, m)
		smaller, _ := slices.BinarySearch(row, uint32(v))
		m += smaller
	}
	s.truss = make([]uint32, m)
	return s
}

// find returns the number of an edge, or -1.
func (s *sequential) find(a, b uint32) int {
	at, ok := slices.BinarySearch(s.near[max(a, b)], min(a, b))
	if !ok {
		return -1
	}
	return s.first[max(a, b)] + at
}

// triangles calls do with the other edges of the triangles that an edge is in.
func (s *sequential) triangles(a, b uint32, do func(other, third int)) {
	if len(s.near[a]) > len(s.near[b]) {
		a, b = b, a
	}
	for _, w := range s.near[a] {
		if w == b {
			continue
		}
		if third := s.find(b, w); third >= 0 && s.truss[third] == 0 {
			if other := s.find(a, w); s.truss[other] == 0 {
				do(other, third)
			}
		}
	}
}

// remove finds the trussness of all edges. Edges wait in lists, by triangles; one that lost triangles waits again.
func (s *sequential) remove() {
	left := make([]int, len(s.truss))
	ends := make([][2]uint32, len(s.truss))
	var waiting [][]int
	wait := func(e int) {
		for len(waiting) <= left[e] {
			waiting = append(waiting, nil)
		}
		waiting[left[e]] = append(waiting[left[e]], e)
	}
	for v, row := range s.near {
		for i, u := range row {
			if u >= uint32(v) {
				break
			}
			e := s.first[v] + i
			ends[e] = [2]uint32{uint32(v), u}
			s.triangles(uint32(v), u, func(_, _ int) { left[e]++ })
			wait(e)
		}
	}
	for k := 0; k < len(waiting); k++ {
		for len(waiting[k]) > 0 {
			e := waiting[k][len(waiting[k])-1]
			waiting[k] = waiting[k][:len(waiting[k])-1]
			if s.truss[e] != 0 || left[e] > k {
				continue // it waits elsewhere, or left
			}
			lower := func(f int) {
				if left[f] > k {
					left[f]--
					wait(f)
				}
			}
			s.triangles(ends[e][0], ends[e][1], func(other, third int) { lower(other); lower(third) })
			s.truss[e] = uint32(k) + 2
		}
	}
}
