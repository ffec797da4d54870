// This file tests invalid functors written in Go, and invalid arguments of functors:
// all devices return the same error.

package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/functor"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// A type that embeds a functor has a method of Go's that fits another step.
type (
	visitAsPush struct{ *composed.ArrivalsFunctor }
	keepAsPush  struct{ *composed.BelowFunctor }
	keepAsEach  struct{ *composed.BelowFunctor }
	eachAsKeep  struct{ *composed.ExcessFunctor }
)

func (keepAsEach) Visit(operators.Worker, []uint32) uint64                         { return 0 }
func (eachAsKeep) Keep(operators.Worker, []uint32, []uint32) int                   { return 0 }
func (visitAsPush) Visit(operators.Worker, uint32, uint64, []uint32, []uint32) int { return 0 }
func (keepAsPush) Visit(operators.Worker, uint32, uint64, []uint32, []uint32) int  { return 0 }

// ComposedErrors tests that errors of functors name the step, the functor and the mistake.
func (s Suite) ComposedErrors(t *testing.T) {
	e, err := gen.Parse("path:50")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), e, graph.Options{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	buffer := func(n int) *device.Buffer[uint32] {
		b, err := device.NewBuffer[uint32](s.Device, n)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	s.manyLengths(t, p)
	s.stale(t, p)
	freed, short := buffer(50), buffer(5)
	defer short.Close()
	if err := freed.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		step func(x *traverse.Traversal, a *device.Buffer[uint32]) operators.Step
		is   error
		want string
	}{
		{"visit as push", func(_ *traverse.Traversal, a *device.Buffer[uint32]) operators.Step {
			return advance.Push(visitAsPush{composed.NewArrivals(a)})
		}, graph.ErrOptions, "functor Arrivals: graph: bad option: Edge returns nothing, this step needs one that returns bool"},
		{"keep as push", func(_ *traverse.Traversal, a *device.Buffer[uint32]) operators.Step {
			return advance.Push(keepAsPush{composed.NewBelow(a, 1)})
		}, graph.ErrOptions, "functor Below: graph: bad option: it has no method Edge, which this step calls"},
		{"keep as foreach", func(_ *traverse.Traversal, a *device.Buffer[uint32]) operators.Step {
			return foreach.All(keepAsEach{composed.NewBelow(a, 1)}, nil)
		}, graph.ErrOptions, "functor Below: graph: bad option: Vertex returns bool, this step needs one that returns int64, uint64, float64 or nothing"},
		{"foreach as keep", func(x *traverse.Traversal, _ *device.Buffer[uint32]) operators.Step {
			return filter.Keep(eachAsKeep{composed.NewExcess(traverse.Array(x, 1.0), 1)})
		}, graph.ErrOptions, "functor Excess: graph: bad option: Vertex returns float64, this step needs one that returns bool"},
		{"freed", func(*traverse.Traversal, *device.Buffer[uint32]) operators.Step {
			return advance.Push(composed.NewLower(freed))
		}, device.ErrClosed, "functor Lower: closed: Label, by its Close"},
		{"short", func(*traverse.Traversal, *device.Buffer[uint32]) operators.Step {
			return advance.Push(composed.NewLower(short))
		}, graph.ErrOptions, "functor Lower: graph: bad option: Label has 5 elements, want 50"},
		{"twice the same", func(_ *traverse.Traversal, a *device.Buffer[uint32]) operators.Step {
			return advance.Push(composed.NewAstray(a, a, 1))
		}, graph.ErrOptions, "functor Astray: graph: bad option: Table and Mark are the same buffer, and the functor writes one of them; give it two"},
		{"no reverse", func(*traverse.Traversal, *device.Buffer[uint32]) operators.Step {
			return reduce.In(composed.NewLeast[int32, int64](nil, nil), nil)
		}, graph.ErrNoReverse, "reduce: graph: no reverse graph: build the graph with its reverse, or reduce over the out-edges"},
		{"no weights", func(x *traverse.Traversal, _ *device.Buffer[uint32]) operators.Step {
			return advance.Push(composed.NewRelax(traverse.Array[float32](x, 0), 3))
		}, nil, "graph: edges without weights"},
		{"by zero", func(x *traverse.Traversal, a *device.Buffer[uint32]) operators.Step {
			return advance.Push(composed.NewAstray(a, traverse.Array[uint32](x, 0), 0))
		}, nil, "functor Astray: composed.go:"},
		{"far", func(_ *traverse.Traversal, a *device.Buffer[uint32]) operators.Step {
			return foreach.All(composed.NewFar(a, int64(-1)), nil)
		}, nil, "functor Far[int64]: composed.go:"},
	} {
		for _, e := range s.engines() {
			for _, repeat := range []bool{false, true} {
				x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
				step := c.step(x, traverse.Array[uint32](x, 0))
				switch {
				case repeat && step.Name() == "push":
					x.Repeat(x.All(), step, filter.Unique(), traverse.MaxRounds(2))
				case repeat:
					x.Repeat(x.All(), step, traverse.MaxRounds(2))
				default:
					x.Do(x.All(), step)
				}
				err := x.Close()
				var fault *functor.Fault
				switch {
				case c.is != nil && !errors.Is(err, c.is), c.is == nil && strings.HasPrefix(c.want, "functor") && !errors.As(err, &fault),
					err == nil || !strings.HasPrefix(err.Error(), "traverse: step "+step.Name()) || !strings.Contains(err.Error(), c.want):
					t.Errorf("%s, %s, repeat %t: %v, want %s", c.name, e, repeat, err, c.want)
				case strings.Count(err.Error(), "traverse:") != 1, strings.Count(err.Error(), c.want) != 1:
					t.Errorf("%s, %s, repeat %t: %v says it twice", c.name, e, repeat, err)
				}
			}
		}
	}
}

// stale tests arrays of an earlier traversal: code that still has one can't write to its
// memory, which belongs to a result or to the next traversal.
func (s Suite) stale(t *testing.T, p *graph.Placed) {
	for _, e := range s.engines() {
		// fails runs a push that writes the array.
		fails := func(what string, x *traverse.Traversal, stale *device.Buffer[uint32]) {
			x.Repeat(x.From(0), advance.Push(composed.NewLower(stale)), filter.Unique())
			if err := x.Close(); !errors.Is(err, device.ErrClosed) || !strings.Contains(err.Error(), "functor Lower: closed: Label, by its Close, or by Result or Close of the traversal") {
				t.Errorf("%s, %s: %v", e, what, err)
			}
		}
		x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
		closed := traverse.Array[uint32](x, 7)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = traverse.New(t.Context(), p, traverse.Options{Engine: e})
		taken := traverse.Array[uint32](x, 8) // which may have the same memory
		fails("after Close", traverse.New(t.Context(), p, traverse.Options{Engine: e}), closed)
		kept, err := traverse.Result(x, taken)
		if err != nil {
			t.Fatal(err)
		}
		fails("after Result", x, taken)
		all, err := kept.Slice()
		if err != nil || slices.ContainsFunc(all, func(v uint32) bool { return v != 8 }) {
			t.Errorf("%s: the result is %v, %v", e, all, err)
		}
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
		fails("after a result's Free", traverse.New(t.Context(), p, traverse.Options{Engine: e}), taken)
		x = traverse.New(t.Context(), p, traverse.Options{Engine: e})
		traverse.Set(x, taken, 0, 1)
		if err := x.Close(); !errors.Is(err, device.ErrClosed) || !strings.Contains(err.Error(), "closed: the array") {
			t.Errorf("%s: setting an entry: %v", e, err)
		}
	}
}

// ComposedShared tests that a functor can't write the graph's arrays, which other
// traversals read, and which are in a mapped file if the graph is.
func (s Suite) ComposedShared(t *testing.T) {
	g := testgraph.BuildWeighted(3, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}, {From: 0, To: 2}}, testgraph.WithReverse, 1)
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	must := func(b *device.Buffer[float32], err error) *device.Buffer[float32] {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for want, step := range map[string]func(x *traverse.Traversal) operators.Step{
		"Relax: graph: bad option: Dist is the weights of edges of the graph": func(x *traverse.Traversal) operators.Step {
			return advance.Push(composed.NewRelax(traverse.Weights(x), 100))
		},
		"Relax: graph: bad option: Dist is the weights of in-edges of the graph": func(x *traverse.Traversal) operators.Step {
			return advance.Push(composed.NewRelax(must(p.InWeights()), 100))
		},
		"Lower: graph: bad option: Label is the degrees of the graph": func(x *traverse.Traversal) operators.Step {
			return advance.Push(composed.NewLower(traverse.Degrees(x)))
		},
	} {
		x := traverse.New(t.Context(), p, traverse.Options{})
		defer x.Close() // before Close, which waits for it
		x.Do(x.All(), step(x))
		if err := x.Close(); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), want+", which no functor may write; give it a copy") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
