// This file holds the order of vertices in files that number them.

package edgelist

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// fileOrder has vertices in another order than the graph's. label and vertex are nil where it is the same.
type fileOrder struct {
	path   string
	of     string   // what errors call the format
	label  []uint32 // the number of a vertex in the file
	vertex []uint32 // the vertex of a number in the file
	row    []entry
}

// number numbers the vertices by their external ids, which begin at first.
func (s *fileOrder) number(ids *graph.IDs, first int64, o WriteOptions) error {
	if o.VertexNumbers || first == 0 && ids.Dense() {
		return nil
	}
	const remedy = "set WriteOptions.VertexNumbers to write the graph's own numbers"
	last := first + int64(ids.Len) - 1
	if !ids.Type.Integer() {
		return fmt.Errorf("%s: %w: ids are of type %v, but %s has vertices %d to %d; %s", s.path, graph.ErrIDRange, ids.Type, s.of, first, last, remedy)
	}
	s.label, s.vertex = make([]uint32, ids.Len), make([]uint32, ids.Len)
	for v := range s.vertex {
		s.vertex[v] = graph.NoVertex
	}
	for v := range uint32(ids.Len) {
		at := ids.Int(v) - first
		if ids.Int(v) < first || at >= int64(ids.Len) || s.vertex[at] != graph.NoVertex {
			return fmt.Errorf("%s: %w: id %s; the ids of %s are %d to %d, each once; %s", s.path, graph.ErrIDRange, ids.Format(v), s.of, first, last, remedy)
		}
		s.label[v], s.vertex[at] = uint32(at), v
	}
	return nil
}

// entry is an entry of a row: the target's number in the file, and the edge.
type entry struct {
	to uint32
	e  uint64
}

// rowOf returns the row of vertex i of the file, in ascending order. It is valid until the next call.
func (s *fileOrder) rowOf(c *graph.CSR, i uint32) []entry {
	v := s.vertexOf(i)
	s.row = s.row[:0]
	for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
		to := c.Targets[e]
		if s.label != nil {
			to = s.label[to]
		}
		s.row = append(s.row, entry{to, e})
	}
	if s.label != nil {
		slices.SortStableFunc(s.row, func(a, b entry) int { return cmp.Compare(a.to, b.to) })
	}
	return s.row
}

func (s *fileOrder) vertexOf(i uint32) uint32 {
	if s.vertex != nil {
		return s.vertex[i]
	}
	return i
}
