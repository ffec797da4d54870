// This file holds the tests of functors written in Go that fault.

package conformance

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/functor"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// Astray tests functors that use an index out of range, or divide by zero: the traversal ends
// with an error that says where.
func (s Suite) Astray(t *testing.T) {
	push := func(_ *traverse.Traversal, table, mark *device.Buffer[uint32], unit uint32) []operators.Step {
		return []operators.Step{advance.Push(composed.NewAstray(table, mark, unit)), filter.Unique()}
	}
	pull := func(x *traverse.Traversal, table, mark *device.Buffer[uint32], unit uint32) []operators.Step {
		return []operators.Step{advance.Pull(composed.NewAstrayPull(table, mark, unit), x.Bits())}
	}
	s.shapes(t, 173, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().NumDirectedEdges() == 0 {
			return
		}
		for _, e := range s.engines() {
			astray(t, p, r, e, "Astray", push)
		}
		if p.Graph().In() != nil {
			astray(t, p, r, traverse.LevelByLevel, "AstrayPull", pull)
		}
	})
}

func astray(t *testing.T, p *graph.Placed, r *rand.Rand, e traverse.Engine, name string,
	steps func(x *traverse.Traversal, table, mark *device.Buffer[uint32], unit uint32) []operators.Step) {
	edge := r.Uint64N(p.Graph().NumDirectedEdges())
	source := uint32(0)
	for p.Graph().Out().Offsets[source+1] <= edge {
		source++
	}
	for _, unit := range []uint32{1, 0} {
		x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
		table, mark := traverse.Array[uint32](x, 2), traverse.Array[uint32](x, 0)
		n := uint32(p.NumVertices())
		if n > 2 {
			traverse.Set(x, table, source, n)
		}
		x.Repeat(x.All(), append(steps(x, table, mark, unit), traverse.AtMost(3))...)
		_, err := traverse.Result(x, mark)
		var fault *functor.Fault
		switch {
		case !errors.As(err, &fault):
			t.Fatalf("%s: %v", e, err)
		case unit == 0 && !strings.Contains(err.Error(), "composed.go") || fault.Functor != name:
			t.Fatalf("%s: %v", e, err)
		case unit == 1 && n > 2 && (fault.Index != int64(n) || !strings.Contains(err.Error(), "of Mark is out of range")):
			t.Fatalf("%s: %v", e, err)
		}
		if again := x.Close(); !errors.As(again, &fault) {
			t.Fatalf("%s: closed with %v", e, again)
		}
		// The stream is as good as new.
		y := traverse.New(t.Context(), p, traverse.Options{Engine: e})
		if err := errors.Join(composedLower(p, r, y), y.Close()); err != nil {
			t.Fatalf("%s, after a fault: %v", e, err)
		}
	}
}
