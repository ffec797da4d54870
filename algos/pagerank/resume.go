// This file holds the start from earlier ranks.

package pagerank

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// checkStart returns graph.ErrOptions for a start out of range.
func (o Options) checkStart() error {
	sum, none := 0.0, 0
	for v, x := range o.Start {
		switch {
		case math.IsNaN(x):
			none++
		case !(x >= 0 && x <= math.MaxFloat64):
			return fmt.Errorf("pagerank: %w: Start[%d] is %v; want a finite number, 0 or more, or NaN for a vertex without an earlier rank", graph.ErrOptions, v, x)
		default:
			sum += x
		}
	}
	switch {
	case sum > math.MaxFloat64:
		return fmt.Errorf("pagerank: %w: Start adds up to more than a float64 holds; scale it down", graph.ErrOptions)
	case sum == 0 && none < len(o.Start):
		return fmt.Errorf("pagerank: %w: Start is 0 at every vertex that has one; give ranks of an earlier run, or leave it nil", graph.ErrOptions)
	}
	return nil
}

// start returns the ranks that a run begins with, which add up to 1. Vertices without an earlier rank have the share
// of walkers that jump to them. The others divide the rest in proportion to their earlier ranks.
func (o Options) start() []float64 {
	n, sum, jumped := len(o.Start), 0.0, 0.0
	jumps, total := func(int) float64 { return 1 / float64(n) }, 1.0
	if o.Personalization != nil {
		total, _ = o.sum() // which check has seen
		jumps = func(v int) float64 { return o.Personalization[v] / total }
	}
	begin := make([]float64, n)
	for v, x := range o.Start {
		if math.IsNaN(x) {
			begin[v] = (1 - o.Damping) * jumps(v)
			jumped += begin[v]
		} else {
			sum += x
		}
	}
	for v, x := range o.Start {
		switch {
		case !math.IsNaN(x):
			begin[v] = x / sum * (1 - jumped)
		case sum == 0: // none has one
			begin[v] /= 1 - o.Damping
		}
	}
	return begin
}

// resume begins with the earlier ranks. Vertices without edges may have the rank isolated, times their share of jumps;
// the others then share factors.mass. It reports false if none of these has an earlier rank.
func (r *ranking[T]) resume(isolated float64) (done bool, err error) {
	t := r.t
	ranks := make([]T, len(r.o.Start))
	for v, x := range r.o.start() {
		ranks[v] = T(x)
	}
	traverse.Get(t, r.change) // waits for earlier steps that use the array
	if err := t.Err(); err != nil {
		return false, err
	}
	if err := run.Write(t.Placed(), r.share, ranks); err != nil {
		return false, err
	}
	scale, p := 1.0, t.Placed()
	if hastens(p, r.o) || known(p, r.o) {
		sum := traverse.Scalar[float64](t, operators.Sum)
		if t.Err() != nil {
			return false, t.Err()
		}
		t.Do(t.All(), foreach.All(newBegun(r.strength, r.share), sum))
		switch all := traverse.Get(t, sum); {
		case !hastens(p, r.o):
			r.factors.mass = all
		case !(all > 0):
			return false, t.Err()
		default:
			scale = r.factors.mass / all
		}
	}
	t.Do(t.All(), foreach.All(newResume(r.strength, r.share, r.own(r.sum), r.even, isolated, scale), nil))
	return true, t.Err()
}
