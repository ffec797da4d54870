// This file holds the search over rows by rising weight on a GPU, in two kernels.

package sssp

import (
	"math"

	"github.com/foray-graph/foray/algos/sssp/internal/functors"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// inOneKernel does what windows and sweeps do, each in one kernel, which decides when to
// end. It returns what sweeps returns.
func (x *lightSearch) inOneKernel(cur *traverse.Frontier) float32 {
	t, most := x.t, x.most()
	w := t.Windows(advance.WindowOptions{Key: x.dist, Width: x.width, Most: most, PullCost: pullCost, Full: float32(2 * x.w.mean)})
	t.Repeat(cur, advance.PushWindow(functors.NewLower(x.dist, most), w), advance.NextWindow(w))
	least := traverse.Scalar[float64](t, operators.Min)
	if t.Err() != nil {
		return inf
	}
	t.Fill(cur)
	t.Repeat(cur,
		filter.Keep(functors.NewPromising(x.dist, x.b.light, w.Low(), least.Array())),
		reduce.InByWeight(functors.NewNearest(x.dist, most), reduce.Within{Key: x.dist, LeastOf: least}, least),
		traverse.Above(least, math.MaxFloat64), traverse.MaxRounds(sweeps))
	if !t.Stats().Limited {
		return inf
	}
	return float32(traverse.Get(t, least))
}
