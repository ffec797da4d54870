// This file holds the writing of .bin, .adj and .mtx files. The first two are described in gbbs.go.

package edgelist

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/foray-graph/foray/graph"
)

// writeBIN is Write for .bin files: offsets and targets of the out-edges.
func writeBIN(ctx context.Context, path string, g *graph.Graph, o WriteOptions) error {
	s := sgWriter{fileOrder: fileOrder{path: path, of: "a .bin file"}}
	if err := s.number(g.IDs(), 0, o); err != nil {
		return err
	}
	return writeFile(ctx, path, &o, g.NumDirectedEdges(), func(out *output) error {
		n, m := uint64(g.NumVertices()), g.NumDirectedEdges()
		for _, x := range [...]uint64{n, m, binHead + 8*(n+1) + 4*m} {
			out.buf = binary.LittleEndian.AppendUint64(out.buf, x)
		}
		return s.side(out, g.Out())
	})
}

// writeADJ is Write for .adj files.
func writeADJ(ctx context.Context, path string, g *graph.Graph, o WriteOptions, weights bool) error {
	s := fileOrder{path: path, of: "an .adj file"}
	if err := s.number(g.IDs(), 0, o); err != nil {
		return err
	}
	return writeFile(ctx, path, &o, g.NumDirectedEdges(), func(out *output) error {
		head, c, n := adjHead, g.Out(), uint32(g.NumVertices())
		if weights {
			head = weightedADJHead
		}
		out.buf = append(append(out.buf, head...), '\n')
		out.buf = append(strconv.AppendUint(out.buf, uint64(n), 10), '\n')
		out.buf = append(strconv.AppendUint(out.buf, g.NumDirectedEdges(), 10), '\n')
		at := uint64(0)
		for i := range n {
			out.buf = append(strconv.AppendUint(out.buf, at, 10), '\n')
			if err := out.flushFull(0); err != nil {
				return err
			}
			at += c.Degree(s.vertexOf(i))
		}
		done := uint64(0)
		for _, targets := range []bool{true, false} {
			if !targets && !weights {
				break
			}
			for i := range n {
				for _, t := range s.rowOf(c, i) {
					if targets {
						out.buf = strconv.AppendUint(out.buf, uint64(t.to), 10)
						done++
					} else {
						out.buf = appendWeight(out.buf, c, g.WeightType(), t.e)
					}
					out.buf = append(out.buf, '\n')
					if err := out.flushFull(done); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// writeMTX is Write for .mtx files: of an undirected graph the lower triangle.
func writeMTX(ctx context.Context, path string, g *graph.Graph, o WriteOptions, weights bool) error {
	s := fileOrder{path: path, of: "a matrix"}
	if err := s.number(g.IDs(), 1, o); err != nil {
		return err
	}
	return writeFile(ctx, path, &o, g.NumDirectedEdges(), func(out *output) error {
		c, n := g.Out(), uint32(g.NumVertices())
		field, symmetry, entries := "pattern", "general", g.NumDirectedEdges()
		switch {
		case weights && g.WeightType() == graph.WeightsInt64:
			field = "integer"
		case weights:
			field = "real"
		}
		if !g.Directed() {
			symmetry, entries = "symmetric", 0
			for u := range n {
				for _, v := range c.Neighbors(u) {
					if v <= u {
						entries++
					}
				}
			}
		}
		out.buf = fmt.Appendf(out.buf, "%s matrix coordinate %s %s\n%d %d %d\n", banner, field, symmetry, n, n, entries)
		done := uint64(0)
		for i := range n {
			for _, t := range s.rowOf(c, i) {
				done++
				if !g.Directed() && t.to > i {
					continue
				}
				out.buf = append(strconv.AppendUint(out.buf, uint64(i)+1, 10), ' ')
				out.buf = strconv.AppendUint(out.buf, uint64(t.to)+1, 10)
				if weights {
					if w := c.FloatWeight(t.e); math.IsNaN(w) || math.IsInf(w, 0) {
						return fmt.Errorf("%w: weight %g isn't a number of Matrix Market; write a .wel file", errWeights, w)
					}
					out.buf = appendWeight(append(out.buf, ' '), c, g.WeightType(), t.e)
				}
				out.buf = append(out.buf, '\n')
				if err := out.flushFull(done); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
