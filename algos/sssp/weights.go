// This file holds what a search has to know of a graph's weights, found once per placed graph.

package sssp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sort"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// weights describes a graph's weights.
type weights struct {
	mean   float64 // of those that are finite
	most   float64 // of those that are finite
	degree float64 // mean degree of vertices with an edge
	typ    graph.WeightType
	wide   bool // float32 doesn't hold them all
	finite bool // all are
	// All are multiples of 2 to the power of unit; math.MaxInt where all are 0.
	unit   int
	passed atomic.Bool // a search in float32 found distances that may not be exact
}

type weightsKey struct{ placed.Of[*weights] }

// weightsOf looks at the weights of a placed graph, on the first call. A weight that is negative
// or NaN is graph.ErrWeights.
func weightsOf(ctx context.Context, p *graph.Placed) (*weights, error) {
	return placed.LoadOrMakeIn(ctx, p.State(), weightsKey{}, func() (*weights, error) { return look(ctx, p.Graph()) })
}

// look goes over all weights, on all processors.
func look(ctx context.Context, g *graph.Graph) (*weights, error) {
	if err := g.Fetch(); err != nil {
		return nil, err
	}
	c := g.Out()
	if c.Weights == nil && c.NumEdges() > 0 {
		return nil, fmt.Errorf("%w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", graph.ErrNoWeights)
	}
	w := &weights{typ: g.WeightType(), wide: !g.State().ExactWeights(), unit: math.MaxInt}
	if w.typ == graph.WeightsAuto { // no edges
		w.typ = graph.WeightsFloat64
	}
	workers := min(runtime.GOMAXPROCS(0), 1+len(c.Weights)/weightsEach)
	parts := make([]part, workers)
	var wg panics.Group
	for i := range parts {
		lo, hi := len(c.Weights)/workers*i, len(c.Weights)/workers*(i+1)
		if i == workers-1 {
			hi = len(c.Weights)
		}
		wg.Go(func() {
			x := &parts[i]
			x.bad, x.unit = -1, math.MaxInt
			for ; lo < hi && x.bad < 0 && ctx.Err() == nil; lo += lookWeights {
				end := min(lo+lookWeights, hi)
				switch {
				case c.IntWeights != nil:
					x.lookInts(c.IntWeights[lo:end], lo)
				case c.FloatWeights != nil:
					x.lookFloats(c.FloatWeights[lo:end], lo)
				default:
					x.look(c.Weights[lo:end], lo)
				}
			}
		})
	}
	if err := cmp.Or(wg.Err(), ctx.Err()); err != nil {
		return nil, err
	}
	var sum, most float64
	var finite, vertices int
	for _, x := range parts {
		if x.bad >= 0 {
			return nil, badWeight(g, uint64(x.bad))
		}
		sum, most, finite = sum+x.sum, max(most, x.most), finite+x.finite
		w.unit = min(w.unit, x.unit)
	}
	if err := looks.Pieces(ctx, c.NumVertices(), func(lo, hi int) {
		for v := lo; v < hi; v++ {
			if c.Offsets[v] < c.Offsets[v+1] {
				vertices++
			}
		}
	}); err != nil {
		return nil, err
	}
	if w.typ == graph.WeightsInt64 {
		w.unit = max(w.unit, 0)
	}
	w.finite = finite == len(c.Weights)
	w.mean, w.most, w.degree = min(sum/float64(max(finite, 1)), math.MaxFloat64), most, float64(c.NumEdges())/float64(max(vertices, 1))
	return w, nil
}

// part is what a part of the weights comes to.
type part struct {
	sum    float64
	most   float64
	finite int
	bad    int // the first weight that can't be; -1: none
	unit   int // as weights has it
}

func (x *part) look(ws []float32, first int) {
	for i, w := range ws {
		switch {
		case !(w >= 0):
			x.bad = first + i
			return
		case w <= math.MaxFloat32:
			x.sum += float64(w)
			x.most = max(x.most, float64(w))
			x.finite++
			if b := math.Float32bits(w + 0); b != 0 { // -0 + 0 is 0
				x.unit = min(x.unit, unitOf(b))
			}
		}
	}
}

// unitOf returns the power of two that a float32 above 0 is an odd multiple of.
func unitOf(b uint32) int {
	const fraction = 23
	exponent, mantissa := int(b>>fraction), b&(1<<fraction-1)
	if exponent == 0 { // below the least normal number
		exponent = 1
	} else {
		mantissa |= 1 << fraction
	}
	return exponent - 127 - fraction + bits.TrailingZeros32(mantissa)
}

func (x *part) lookInts(ws []int64, first int) {
	x.unit = 0
	for i, w := range ws {
		if w < 0 {
			x.bad = first + i
			return
		}
		x.sum += float64(w)
		x.most = max(x.most, float64(w))
	}
	x.finite += len(ws)
}

func (x *part) lookFloats(ws []float64, first int) {
	x.unit = math.MinInt32 // unit is not used for float64 weights
	for i, w := range ws {
		switch {
		case !(w >= 0):
			x.bad = first + i
			return
		case w <= math.MaxFloat64:
			x.sum += w
			x.most = max(x.most, w)
			x.finite++
		}
	}
}

// badWeight is the error of an edge.
func badWeight(g *graph.Graph, edge uint64) error {
	c, ids := g.Out(), g.IDs()
	from := sort.Search(c.NumVertices(), func(v int) bool { return c.Offsets[v+1] > edge })
	return fmt.Errorf("%w: the edge from %s to %s weighs %v; weights must be 0 or more: leave such edges out, or change them before loading",
		errWeights, ids.Format(uint32(from)), ids.Format(c.Targets[edge]), weightText(c, edge))
}

// weightText is the weight of an edge as text.
func weightText(c *graph.CSR, edge uint64) string {
	if c.IntWeights != nil {
		return fmt.Sprint(c.IntWeights[edge])
	}
	if c.FloatWeights != nil {
		return fmt.Sprint(c.FloatWeights[edge])
	}
	return fmt.Sprint(c.Weights[edge])
}

// fine reports whether weights may be much lighter than a stage is wide. Those from 1 to 255 can't.
func (w *weights) fine() bool { return w.delta(deltaFine) >= math.Ldexp(fineUnits, w.unit) }

// delta returns the width of a stage that suits the graph, wider by a factor.
func (w *weights) delta(wider float64) float64 {
	d := wider * w.mean * deltaWidth / math.Pow(max(w.degree-1, 1), deltaPower) // one edge leads back
	if !(d > 0) {                                                               // no edges, or none that weighs anything
		return math.Inf(1)
	}
	return min(d, math.MaxFloat64)
}
