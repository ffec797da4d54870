// This file holds distances past the largest number of their type.

package sssp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/traverse"
)

// ErrOverflow: distances that their type doesn't hold.
var ErrOverflow = errors.New("distance overflow")

// overflowed is the error of a vertex that no path with a sum of the type leads to.
func overflowed[T int64 | float32 | float64](ids *graph.IDs, v uint32) error {
	most, remedy := "an int64", "load the weights as floats (graph.Options.WeightType)"
	switch any(T(0)).(type) {
	case float32:
		most, remedy = "a float32", "leave out Options.Float32 and graph.WeightsFloat32"
	case float64:
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
// over all edges, but only if the weights are that large.
func (r *Result) overflow(ctx context.Context, g *graph.Graph, w *weights) error {
	d, n := r.Distances, g.NumVertices()
	if d.Float32 != nil && w.mayOverflow(n, digits32, math.MaxFloat32) && r.Limit > math.MaxFloat32 {
		return overflow(ctx, g, d.Float32, r.Limit)
	}
	if d.Float64 != nil && w.mayOverflow(n, digits64, math.MaxFloat64) && math.IsInf(r.Limit, 1) {
		return overflow(ctx, g, d.Float64, r.Limit)
	}
	return nil
}

// overflow is Result.overflow for distances of one type. It names the first such vertex.
func overflow[T float32 | float64](ctx context.Context, g *graph.Graph, values *traverse.Values[T], limit float64) error {
	distances, err := values.Slice()
	if err == nil {
		err = g.Fetch()
	}
	if err != nil {
		return err
	}
	c, none, first := g.Out(), infinite[T](), graph.NoVertex
	if err := looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			if distances[u] == none {
				continue
			}
			for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
				v := c.Targets[e]
				if distances[v] < none || v >= first {
					continue
				}
				if w := c.FloatWeight(e); w <= math.MaxFloat64 && float64(distances[u])+w <= limit {
					first = v
				}
			}
		}
	}); err != nil {
		return err
	}
	if first == graph.NoVertex {
		return nil
	}
	return overflowed[T](g.IDs(), first)
}
