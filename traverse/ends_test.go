// This file tests that Do refuses the steps that end a Repeat.

package traverse_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

func TestEndsInDo(t *testing.T) {
	p := testgraph.Place(testgraph.Path(10).Graph(1), 1)
	for name, end := range map[string]func(*traverse.Traversal) operators.Step{
		"at most":      func(*traverse.Traversal) operators.Step { return traverse.MaxRounds(3) },
		"at most none": func(*traverse.Traversal) operators.Step { return traverse.MaxRounds(0) },
		"wide":         func(*traverse.Traversal) operators.Step { return traverse.UntilFrontierExceeds(3) },
		"wide, bad":    func(*traverse.Traversal) operators.Step { return traverse.UntilFrontierExceeds(-1) },
		"below": func(x *traverse.Traversal) operators.Step {
			return traverse.Below(traverse.Scalar[float64](x, operators.Sum), 0.5)
		},
		"below, nothing": func(*traverse.Traversal) operators.Step { return traverse.Below[uint64](nil, 1) },
	} {
		for at := range 3 {
			x := traverse.New(t.Context(), p)
			cur := x.From(0)
			steps := []operators.Step{advance.Push(advance.All()), filter.Unique()}
			steps = append(steps[:at], append([]operators.Step{end(x)}, steps[at:]...)...)
			for x.Next(cur) {
				x.Do(cur, steps...)
			}
			err := x.Err()
			if !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "ends a Repeat, but was given to Do; give it to Repeat") || x.Stats().Rounds != 1 {
				t.Errorf("%s, step %d: %v", name, at, err)
			}
			x.Close()
		}
	}
}

// TestScalarFirst gives a scalar a first value, which Below looks at until a step reduces into the scalar.
func TestScalarFirst(t *testing.T) {
	p := testgraph.Place(testgraph.Path(10).Graph(1), 1)
	for first, rounds := range map[uint64]int{0: 1, 5: 10} {
		x := traverse.New(t.Context(), p)
		s := traverse.Scalar[uint64](x, operators.Sum)
		traverse.Set(x, s.Array(), 0, first)
		if got := traverse.Get(x, s); got != first {
			t.Errorf("%d, want %d", got, first)
		}
		x.Repeat(x.From(0), advance.Push(advance.All()), filter.Unvisited(x.Bits(0)), traverse.Below(s, 3))
		if got := x.Stats().Rounds; got != rounds || x.Err() != nil {
			t.Errorf("from %d: %d rounds, want %d; %v", first, got, rounds, x.Err())
		}
		x.Close()
	}
}
