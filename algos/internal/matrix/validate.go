// This file holds what validations have in common.

package matrix

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
)

// rounding is how far values may be from those of another order of additions, relative: they are sums of products that
// aren't negative, so that nothing cancels. Values below least may have lost digits.
const (
	rounding = 1e-9
	least    = 1e-290
)

// Ended checks what a result says about its rounds: the number, the last change, and whether that is below the bound.
func Ended(g *graph.Graph, rounds, most int, change, bound float64, converged bool) error {
	switch {
	case g.NumVertices() == 0 && converged && rounds == 0:
	case rounds < 1 || rounds > most:
		return fmt.Errorf("%d rounds; want 1 to %d", rounds, most)
	case converged != (change < bound):
		return fmt.Errorf("converged is %v, and the last round changed values by %v; the bound is %v", converged, change, bound)
	case !converged && rounds < most:
		return fmt.Errorf("%d rounds of %d, but not converged", rounds, most)
	}
	return nil
}

// Near compares values with those that a definition has, and the changes of the last rounds.
func Near(x, want []float64, change, wantChange float64) error {
	if len(x) != len(want) {
		return fmt.Errorf("%d values, the graph has %d vertices", len(x), len(want))
	}
	sum := 1.0
	for v, a := range x {
		if !(math.Abs(a-want[v]) <= rounding*want[v]+least) {
			return fmt.Errorf("vertex %d has %v, want %v", v, a, want[v])
		}
		sum += want[v]
	}
	if len(x) > 0 && !(math.Abs(change-wantChange) <= rounding*(sum+wantChange)) {
		return fmt.Errorf("the last round changed values by %v, not %v", wantChange, change)
	}
	return nil
}
