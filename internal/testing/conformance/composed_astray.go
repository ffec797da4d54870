// This file holds the tests of functors written in Go that fault.

package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/functor"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Astray tests functors that use an index out of range, or divide by zero: the traversal ends
// with an error that names the place.
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
			s.astrayOfTwo(t, p, e)
			s.astrayEverywhere(t, p, e)
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
		x.Repeat(x.All(), append(steps(x, table, mark, unit), traverse.MaxRounds(3))...)
		_, err := traverse.Result(x, mark)
		var fault *functor.Fault
		switch {
		case !errors.As(err, &fault):
			t.Fatalf("%s: %v", e, err)
		case unit == 0 && (fault.Len != -1 || !strings.Contains(err.Error(), "composed.go")) || fault.Functor != name:
			t.Fatalf("%s: %v", e, err)
		case unit == 1 && n > 2 && (fault.Index != int64(n) || fault.Len != int(n) || !strings.HasSuffix(err.Error(), fmt.Sprintf("index %d of Mark is out of range with length %d", n, n))):
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

// astrayOfTwo tests two functors of one type in steps of one name: each fault is reported with the length of the
// functor's own slice.
func (s Suite) astrayOfTwo(t *testing.T, p *graph.Placed, e traverse.Engine) {
	short, err := device.NewBuffer[uint32](s.Device, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer short.Close()
	long, err := device.NewBuffer[uint32](s.Device, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer long.Close()
	for _, once := range []bool{false, true} {
		x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
		var steps []operators.Step
		for _, mark := range []*device.Buffer[uint32]{long, short, long} {
			steps = append(steps, foreach.All(composed.NewFar(mark, int64(2)), nil))
		}
		if once {
			x.Do(x.All(), steps...)
		} else {
			x.Repeat(x.All(), append(steps, traverse.MaxRounds(1))...)
		}
		err := x.Close()
		var fault *functor.Fault
		if !errors.As(err, &fault) || fault.Index != 2 || fault.Len != 2 || !strings.HasSuffix(err.Error(), "index 2 of Mark is out of range with length 2") {
			t.Fatalf("%s, once %t: %v", e, once, err)
		}
	}
}

// astrayEverywhere tests functors that fault at every edge, each with another index: one of the faults is reported, in one
// line.
func (s Suite) astrayEverywhere(t *testing.T, p *graph.Placed, e traverse.Engine) {
	none, err := device.NewBuffer[uint32](s.Device, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
	id := traverse.VertexIDs(x)
	push := func() operators.Step { return advance.Push(composed.NewAstray(id, none, 1)) }
	x.Repeat(x.All(), push(), filter.Unique(), push(), filter.Unique(), traverse.MaxRounds(1))
	var fault *functor.Fault
	if err := x.Close(); !errors.As(err, &fault) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%s: %v", e, err)
	}
}

// manyLengths tests a traversal whose functors keep getting other lengths: it continues, and its final fault
// is reported. On a GPU the report lacks the length, since a stream keeps only so many.
func (s Suite) manyLengths(t *testing.T, p *graph.Placed) {
	x := traverse.New(t.Context(), p, traverse.Options{})
	for i := range 600 {
		mark, err := device.NewBuffer[uint32](s.Device, 600-i)
		if err != nil {
			t.Fatal(err)
		}
		defer mark.Close()
		x.Do(x.All(), foreach.All(composed.NewFar(mark, int64(0)), nil))
	}
	if x.All().Len(); x.Err() != nil {
		t.Error(x.Err())
	}
	mark := traverse.Array[uint32](x, 0)
	x.Do(x.All(), foreach.All(composed.NewFar(mark, int64(-3)), nil))
	err := x.Close()
	var fault *functor.Fault
	if !errors.As(err, &fault) || fault.Index != -3 || fault.Len != p.NumVertices() && fault.Len != -1 || !strings.Contains(err.Error(), "index -3 of Mark is out of range") {
		t.Errorf("after many lengths: %v", err)
	}
}
