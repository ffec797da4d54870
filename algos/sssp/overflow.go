// This file holds distances past the largest number of their type.

package sssp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
)

// ErrOverflow: distances that their type doesn't hold.
var ErrOverflow = errors.New("distance overflow")

// overflowed is the error of a vertex that no path with a sum of a type leads to.
func overflowed(ids *graph.IDs, v uint32, typ graph.WeightType) error {
	most, remedy := "an int64", "load the weights as floats (graph.Options.WeightType)"
	switch typ {
	case graph.WeightsFloat32:
		most, remedy = "a float32", "leave out Options.Float32 and graph.WeightsFloat32"
	case graph.WeightsFloat64:
		most, remedy = "a float64", "scale the weights down before loading"
	}
	return fmt.Errorf("%w: the distance of vertex %s is more than %s holds; set Options.Limit, or %s", ErrOverflow, ids.Format(v), most, remedy)
}

// mayOverflow reports whether a path of a graph of n vertices may have a float sum of +Inf although its weights are finite.
// Let W be the largest weight. After k additions, each of which rounds, a sum is kW(1+2^-digits)^k at most, which is
// below 4kW for k up to 2^digits. A sum of 2^(digits+1) W or more stays as it is: W is less than half of its last digit.
func (w *weights) mayOverflow(n, digits int, largest float64) bool {
	return w.most > largest/min(4*float64(n-1), math.Ldexp(1, digits+2))
}

// overflow returns ErrOverflow if a float distance that is within the limit is past the largest number. The search took
// such a vertex for an unreached one. It looks for an edge that leads there from a reached vertex, which is a pass
// over all edges, but only if the weights are that large. It names the first such vertex.
func (r *Result) overflow(ctx context.Context, g *graph.Graph, w *weights) error {
	typ, digits, largest := r.Distances.Type(), digits64, math.MaxFloat64
	if typ == graph.WeightsFloat32 {
		digits, largest = digits32, math.MaxFloat32
	}
	if typ == graph.WeightsInt64 || r.Limit <= largest || !w.mayOverflow(g.NumVertices(), digits, largest) {
		return nil
	}
	distances, err := r.Distances.Slice()
	if err == nil {
		err = g.Fetch()
	}
	if err != nil {
		return err
	}
	c, first := g.Out(), graph.NoVertex
	if err := looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			if math.IsInf(distances[u], 1) {
				continue
			}
			for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
				v := c.Targets[e]
				if v >= first || !math.IsInf(distances[v], 1) {
					continue
				}
				if w := c.FloatWeight(e); w <= math.MaxFloat64 && distances[u]+w <= r.Limit {
					first = v
				}
			}
		}
	}); err != nil || first == graph.NoVertex {
		return err
	}
	return overflowed(g.IDs(), first, typ)
}
