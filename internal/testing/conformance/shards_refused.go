// This file holds steps that several devices refuse.

package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/compared"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// refusedSteps is an algorithm that claims to run on several devices, and uses steps that they don't support.
func (s Suite) refusedSteps(t *testing.T, p *graph.Placed) {
	t.Helper()
	for _, c := range []struct {
		name  string
		steps func(x *traverse.Traversal) []operators.Step
	}{
		{"unvisited", func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{filter.Unvisited(x.Bits(0))}
		}},
		{"foreach", func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{foreach.All(composed.NewFar[uint64](traverse.ArrayN[uint32](x, 2, 0), 1), nil)}
		}},
		{"visit", func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{advance.VisitAll(compared.NewTally(traverse.ArrayN[uint64](x, 1, 0)))}
		}},
		{"push", func(x *traverse.Traversal) []operators.Step { // at no end of the edge
			return []operators.Step{advance.Push(composed.NewAstray(traverse.Array[uint32](x, 0), traverse.Array[uint32](x, 0), 1))}
		}},
		{"push to bits", func(x *traverse.Traversal) []operators.Step { // what isn't sharded
			edges := int(p.Graph().NumDirectedEdges())
			return []operators.Step{advance.PushBits(composed.NewNoteWide(traverse.ArrayN[float64](x, edges, 0), traverse.ArrayN[float64](x, edges, 0)))}
		}},
		{"push", func(x *traverse.Traversal) []operators.Step { // one GPU's counts aren't the totals
			return []operators.Step{advance.Push(composed.NewMeet(traverse.Array[uint32](x, 0))), filter.Unique()}
		}},
		{"pull", func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{advance.Pull(composed.NewAdopt(traverse.Array[uint32](x, 0), traverse.Array[int32](x, 0)), x.Bits(0))}
		}},
		{"push near", func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{advance.PushNear(composed.NewNear(traverse.Array[uint32](x, 0), 1), nil)}
		}},
	} {
		steps := func(x *traverse.Traversal, _ int) (int, error) {
			x.Do(x.All(), c.steps(x)...)
			return 0, x.Err()
		}
		a := traverse.Algorithm[int, int]{Name: "refused", Run: steps, RunShards: steps}
		_, err := traverse.Run(t.Context(), p, a, 0, traverse.Options{})
		if !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), "step "+c.name) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
