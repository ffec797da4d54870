// This file holds the writing of serialised graphs. The layout is described
// in sg.go.

package edgelist

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// writeSG is Write for .sg and .wsg files.
func writeSG(ctx context.Context, path string, g *graph.Graph, o WriteOptions, weights bool) error {
	if g.NumVertices() > math.MaxInt32 {
		return fmt.Errorf("%s: %w: %d vertices, but a serialised graph has at most %d", path, graph.ErrIDRange, g.NumVertices(), math.MaxInt32)
	}
	s := sgWriter{weights: weights}
	if !o.VertexNumbers && !g.IDs().Dense() {
		if err := s.number(g.IDs()); err != nil {
			return fmt.Errorf("%s: %w; set WriteOptions.VertexNumbers to write the graph's own numbers", path, err)
		}
	}
	sides := []*graph.CSR{g.Out()}
	if g.Directed() {
		rev := g.In()
		if rev == nil {
			t := g.Out().Transpose()
			rev = &t
		}
		sides = append(sides, rev)
	}
	return writeFile(ctx, path, &o, uint64(len(sides))*g.NumDirectedEdges(), func(out *output) error {
		directed := byte(0)
		if g.Directed() {
			directed = 1
		}
		out.buf = append(out.buf, directed)
		out.buf = binary.LittleEndian.AppendUint64(out.buf, g.NumDirectedEdges())
		out.buf = binary.LittleEndian.AppendUint64(out.buf, uint64(g.NumVertices()))
		for _, c := range sides {
			if err := s.side(out, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// sgWriter writes rows in another order than the graph's. The fields are nil
// where it is the same.
type sgWriter struct {
	weights bool
	label   []uint32 // the number of a vertex in the file
	vertex  []uint32 // the vertex of a number in the file
	done    uint64
}

// number numbers the vertices by their external ids.
func (s *sgWriter) number(ids *graph.IDs) error {
	if !ids.Type.Integer() {
		return fmt.Errorf("%w: ids are of type %v, but a serialised graph has vertices 0 to %d", graph.ErrIDRange, ids.Type, ids.Len-1)
	}
	s.label, s.vertex = make([]uint32, ids.Len), make([]uint32, ids.Len)
	for v := range s.vertex {
		s.vertex[v] = graph.NoVertex
	}
	for v := range uint32(ids.Len) {
		id := ids.Int(v)
		if id < 0 || id >= int64(ids.Len) || s.vertex[id] != graph.NoVertex {
			return fmt.Errorf("%w: id %s; the ids of a serialised graph are 0 to %d, each once", graph.ErrIDRange, ids.Format(v), ids.Len-1)
		}
		s.label[v], s.vertex[id] = uint32(id), v
	}
	return nil
}

// side writes offsets and targets.
func (s *sgWriter) side(out *output, c *graph.CSR) error {
	n := uint32(c.NumVertices())
	at := uint64(0)
	for i := range n {
		out.buf = binary.LittleEndian.AppendUint64(out.buf, at)
		at += c.Degree(s.vertexOf(i))
		if err := s.flush(out); err != nil {
			return err
		}
	}
	out.buf = binary.LittleEndian.AppendUint64(out.buf, at)

	var row []sgTarget
	for i := range n {
		v := s.vertexOf(i)
		row = row[:0]
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			t := sgTarget{v: c.Targets[e]}
			if s.label != nil {
				t.v = s.label[t.v]
			}
			if s.weights {
				w := c.FloatWeight(e)
				if w == math.Trunc(w) && -1<<31 <= w && w < 1<<31 {
					t.w = int32(w)
				} else {
					return fmt.Errorf("%w: weight %g isn't a whole number of 32 bits; write a .wel file", errWeights, w)
				}
			}
			row = append(row, t)
		}
		if s.label != nil {
			slices.SortFunc(row, sgTarget.compare)
		}
		for _, t := range row {
			out.buf = binary.LittleEndian.AppendUint32(out.buf, t.v)
			if s.weights {
				out.buf = binary.LittleEndian.AppendUint32(out.buf, uint32(t.w))
			}
			s.done++
			if err := s.flush(out); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sgWriter) vertexOf(i uint32) uint32 {
	if s.vertex != nil {
		return s.vertex[i]
	}
	return i
}

func (s *sgWriter) flush(out *output) error {
	if len(out.buf) < flushBytes {
		return nil
	}
	return out.flush(s.done)
}

// sgTarget is an entry of a row.
type sgTarget struct {
	v uint32
	w int32
}

func (a sgTarget) compare(b sgTarget) int {
	switch {
	case a.v != b.v:
		return int(a.v) - int(b.v)
	case a.w < b.w:
		return -1
	case a.w > b.w:
		return 1
	}
	return 0
}
