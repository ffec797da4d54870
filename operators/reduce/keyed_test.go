// This file tests that wrong uses of reduces by key are refused.

package reduce_test

import (
	"errors"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/keyed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// embedded isn't what the generator made.
type embedded struct {
	reduce.KeyFunctor[float32, uint64]
}

func TestByKeyMisused(t *testing.T) {
	p := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 1}}, testgraph.Directed), 2)
	defer p.Close()
	for name, x := range map[string]struct {
		step func(x *traverse.Traversal) operators.Step
		want error
	}{
		"nil": {func(x *traverse.Traversal) operators.Step { return reduce.OutByKey[float32, uint64](nil, nil) }, operators.ErrFunctor},
		"nil functor": {func(x *traverse.Traversal) operators.Step {
			return reduce.OutByKey[float32, uint64]((*keyed.CommonFunctor)(nil), nil)
		}, graph.ErrOptions},
		"by hand": {func(x *traverse.Traversal) operators.Step { return reduce.OutByKey(embedded{}, nil) }, operators.ErrFunctor},
		"no reverse": {func(x *traverse.Traversal) operators.Step {
			return reduce.InByKey(keyed.NewCommon(traverse.VertexIDs(x), traverse.VertexIDs(x)), nil)
		}, graph.ErrNoReverse},
		"no array": {func(x *traverse.Traversal) operators.Step {
			return reduce.OutByKey(keyed.NewCommon(nil, traverse.VertexIDs(x)), nil)
		}, graph.ErrOptions},
		"a short array": {func(x *traverse.Traversal) operators.Step {
			return reduce.OutByKey(keyed.NewCommon(traverse.ArrayN[uint32](x, 2, 0), traverse.VertexIDs(x)), nil)
		}, graph.ErrOptions},
		"a sum of floats over keys": {func(x *traverse.Traversal) operators.Step {
			worth, mixed := traverse.Array[float64](x, 1), traverse.Array[uint64](x, 0)
			return reduce.OutByKey(keyed.NewMost(traverse.VertexIDs(x), worth, mixed), traverse.Scalar[float64](x, operators.Sum))
		}, graph.ErrOptions},
	} {
		tr := traverse.New(t.Context(), p)
		tr.Do(tr.All(), x.step(tr))
		if err := errors.Join(tr.Err(), tr.Close()); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
}
