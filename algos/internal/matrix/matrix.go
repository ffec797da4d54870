// Package matrix multiplies vectors, with an element per vertex, by the adjacency matrix of a graph: steps that algorithms
// of centrality share. It checks weights, and takes those of 64 bits as they are.
package matrix

import (
	"context"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Largest is the largest weight: the square of the sum of 2^32 such weights is finite.
const Largest = 1e100

// graph.ErrWeights: weights that are negative, not finite or too large.
var errWeights = text.Named("bad weights", graph.ErrWeights)

// Edges are the entries of the matrix: 1, or the weight, in row u and column v for an edge from u to v.
type Edges struct {
	t        *traverse.Traversal
	weighted bool
	in, out  *device.Buffer[float64] // weights that float32 doesn't hold
}

// Sides are rows of edges.
type Sides uint8

// The sides.
const (
	In Sides = 1 << iota
	Out
)

// Of returns the matrix of the graph that is traversed, and checks its weights. Sides are those that steps go over.
func Of(t *traverse.Traversal, name string, weighted bool, sides Sides) (*Edges, error) {
	m := &Edges{t: t, weighted: weighted}
	if !weighted {
		return m, nil
	}
	p := t.Placed()
	if p.Graph().State().ExactWeights() {
		return m, m.check(name)
	}
	var err error
	if sides&In != 0 {
		m.in, err = weightsOf(t.Context(), name, p, false)
	}
	if sides&Out != 0 && err == nil {
		m.out, err = weightsOf(t.Context(), name, p, true)
	}
	return m, err
}

// Wide returns the weights that float32 doesn't hold, by the edges of the sides that Of got; nil where float32 holds all.
func (m *Edges) Wide() (in, out *device.Buffer[float64]) { return m.in, m.out }

// check refuses weights of 32 bits that are negative or not finite.
func (m *Edges) check(name string) error {
	t := m.t
	least, bad := traverse.Scalar[float64](t, operators.Min), traverse.Scalar[uint64](t, operators.Sum)
	if t.Err() != nil {
		return t.Err()
	}
	t.Do(t.All(), reduce.Out(newExtent(least, bad), nil))
	if traverse.Get(t, least) < 0 || traverse.Get(t, bad) > 0 {
		return badWeight(name, t.Placed().Graph())
	}
	return t.Err()
}

// wrong reports a weight that no algorithm takes.
func wrong(w float64) bool { return !(w >= 0 && w <= Largest) }

// badWeight is the error of the first edge that has one.
func badWeight(name string, g *graph.Graph) error {
	c, ids := g.Out(), g.IDs()
	for v := range c.NumVertices() {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			if w := c.FloatWeight(e); wrong(w) {
				return fmt.Errorf("%s: %w: the edge from %s to %s weighs %v; want 0 to %v: leave such edges out, or change them before loading",
					name, errWeights, ids.Format(uint32(v)), ids.Format(c.Targets[e]), w, Largest)
			}
		}
	}
	return fmt.Errorf("%s: %w", name, errWeights)
}

type weightsKey struct {
	placed.Of[*device.Buffer[float64]]
	out bool
}

// weightsOf returns the weights of out-edges or in-edges as float64, made once per placed graph: 8 bytes an edge.
func weightsOf(ctx context.Context, name string, p *graph.Placed, out bool) (*device.Buffer[float64], error) {
	out = out || !p.Graph().Directed()
	return placed.LoadOrMakeIn(ctx, p.State(), weightsKey{out: out}, func() (*device.Buffer[float64], error) { return newWeights(ctx, name, p, out) })
}

func newWeights(ctx context.Context, name string, p *graph.Placed, out bool) (*device.Buffer[float64], error) {
	g := p.Graph()
	rows := g.In()
	if out {
		rows = g.Out()
	}
	weights, bad := make([]float64, rows.NumEdges()), false
	if err := looks.Pieces(ctx, len(weights), func(lo, hi int) {
		for e := lo; e < hi; e++ {
			weights[e] = rows.FloatWeight(uint64(e))
			bad = bad || wrong(weights[e])
		}
	}); err != nil {
		return nil, err
	}
	if bad {
		return nil, badWeight(name, g)
	}
	b, err := device.NewBuffer[float64](p.Device(), len(weights))
	if err != nil {
		return nil, err
	}
	if err := b.Write(p.Device(), 0, weights); err != nil {
		_ = b.Close() // the first error is the one to report
		return nil, err
	}
	return b, nil
}

// Affine is what becomes of a product: Factor times it, and Keep times the vertex's own value, and Constant.
type Affine struct {
	Factor, Keep, Constant float64
	Squares                bool // the scalar gets squares
}

// In is the step that multiplies the vector from by the transposed matrix, into the vector into: a vertex adds up the
// values of its in-neighbors, times the weights. Results are reduced into s, which may be nil.
func (m *Edges) In(from, into *device.Buffer[float64], a Affine, s *operators.Scalar[float64]) operators.Step {
	square := flag(a.Squares)
	switch {
	case !m.weighted:
		return reduce.In(newInflow(from, into, a.Factor, a.Keep, a.Constant, square), s)
	case m.in != nil:
		return reduce.In(newInflowWide(from, into, m.in, a.Factor, a.Keep, a.Constant, square), s)
	}
	return reduce.In(newInflowWeighted(from, into, a.Factor, a.Keep, a.Constant, square), s)
}

// Out is the step that multiplies by the matrix: a vertex adds up the values of its out-neighbors.
func (m *Edges) Out(from, into *device.Buffer[float64], s *operators.Scalar[float64]) operators.Step {
	switch {
	case !m.weighted:
		return reduce.Out(newOutflow(from, into), s)
	case m.out != nil:
		return reduce.Out(newOutflowWide(from, into, m.out), s)
	}
	return reduce.Out(newOutflowWeighted(from, into), s)
}

// Take is the step that sets x to next divided by the first element of by, or its square root. The change in the L1 norm
// is reduced into s.
func Take(x, next, by *device.Buffer[float64], root bool, s *operators.Scalar[float64]) operators.Step {
	return foreach.All(newTake(x, next, by, flag(root)), s)
}

// Measure is the step that reduces the elements of a vector, or their squares.
func Measure(x *device.Buffer[float64], squares bool, s *operators.Scalar[float64]) operators.Step {
	return foreach.All(newMeasure(x, flag(squares)), s)
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Tolerable checks options that runs to a tolerance have in common.
func Tolerable(name string, tolerance float64, iterations int) error {
	switch {
	case !(tolerance >= 0 && tolerance <= math.MaxFloat64):
		return fmt.Errorf("%s: %w: Tolerance is %v; want a finite number above 0, or 0 for the default", name, graph.ErrOptions, tolerance)
	case iterations < 0 || iterations > math.MaxInt32:
		return fmt.Errorf("%s: %w: Iterations is %d; want 1 to %d, or 0 for the default", name, graph.ErrOptions, iterations, math.MaxInt32)
	}
	return nil
}
