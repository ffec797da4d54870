// This file holds the writing of serialized graphs. The layout is described
// in sg.go.

package edgelist

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
)

// writeSG is Write for .sg and .wsg files.
func writeSG(ctx context.Context, path string, g *graph.Graph, o WriteOptions, weights bool) error {
	if g.NumVertices() > math.MaxInt32 {
		return fmt.Errorf("%s: %w: %d vertices, but a serialized graph has at most %d", path, graph.ErrIDRange, g.NumVertices(), math.MaxInt32)
	}
	s := sgWriter{fileOrder: fileOrder{path: path, of: "a serialized graph"}, weights: weights}
	if err := s.number(g.IDs(), 0, o); err != nil {
		return err
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

// sgWriter writes rows as .sg and .wsg files have them.
type sgWriter struct {
	fileOrder
	weights bool
	done    uint64
}

// side writes offsets and targets.
func (s *sgWriter) side(out *output, c *graph.CSR) error {
	n := uint32(c.NumVertices())
	at := uint64(0)
	for i := range n {
		out.buf = binary.LittleEndian.AppendUint64(out.buf, at)
		at += c.Degree(s.vertexOf(i))
		if err := out.flushFull(s.done); err != nil {
			return err
		}
	}
	out.buf = binary.LittleEndian.AppendUint64(out.buf, at)

	for i := range n {
		for _, t := range s.rowOf(c, i) {
			out.buf = binary.LittleEndian.AppendUint32(out.buf, t.to)
			if s.weights {
				w := c.FloatWeight(t.e)
				if w != math.Trunc(w) || w < -1<<31 || w >= 1<<31 {
					return fmt.Errorf("%w: weight %g isn't a whole number of 32 bits; write a .wel file", errWeights, w)
				}
				out.buf = binary.LittleEndian.AppendUint32(out.buf, uint32(int32(w)))
			}
			s.done++
			if err := out.flushFull(s.done); err != nil {
				return err
			}
		}
	}
	return nil
}
