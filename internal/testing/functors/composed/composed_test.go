package composed_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/functor"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/functors/keyed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// onGraphs calls a test on graphs, with one worker and with several.
func onGraphs(t *testing.T, test func(t *testing.T, x *traverse.Traversal, g *graph.Graph)) {
	for _, spec := range []string{"kron:scale=10,weights=1:9", "urand:n=2000,weights=0.5:9.5", "grid2d:40x30,weights=1:3", "star:5000,weights=1:9", "path:50,weights=1:9"} {
		e, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gen.Build(t.Context(), e, graph.Options{Weights: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2, 5} {
			p, err := g.On(host.New(workers))
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("%s/workers=%d", spec, workers), func(t *testing.T) {
				x := traverse.New(t.Context(), p)
				test(t, x, g)
				if err := x.Err(); err != nil {
					t.Error(err)
				}
				if err := x.Close(); err != nil {
					t.Error(err)
				}
			})
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// same compares an array with what it should hold.
func same[T comparable](t *testing.T, got, want []T) {
	t.Helper()
	for v := range want {
		if got[v] != want[v] {
			t.Fatalf("vertex %d has %v, want %v", v, got[v], want[v])
		}
	}
}

// settle goes through all edges until nothing changes.
func settle(g *graph.Graph, relax func(source, target uint32, weight float32) bool) {
	for changed := true; changed; {
		changed = false
		for v := range uint32(g.NumVertices()) {
			for i := g.Out().Offsets[v]; i < g.Out().Offsets[v+1]; i++ {
				changed = relax(v, g.Out().Targets[i], g.Out().Weights[i]) || changed
			}
		}
	}
}

const far = float32(1e30)

func TestRelax(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		dist := traverse.Array(x, far)
		traverse.Set(x, dist, 1, 0)
		x.Repeat(x.From(1), advance.Push(composed.NewRelax(dist, 20)), filter.Unique())
		want := make([]float32, g.NumVertices())
		for v := range want {
			want[v] = far
		}
		want[1] = 0
		settle(g, func(s, v uint32, w float32) bool {
			d := want[s] + w
			if d < 20 && d < want[v] {
				want[v] = d
				return true
			}
			return false
		})
		same(t, dist.Host(), want)
	})
}

func TestLower(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		label := traverse.VertexIDs(x)
		x.Repeat(x.All(), advance.Push(composed.NewLower(label)), filter.Unique())
		want := make([]uint32, g.NumVertices())
		for v := range want {
			want[v] = uint32(v)
		}
		settle(g, func(s, v uint32, _ float32) bool {
			if want[s] < want[v] {
				want[v] = want[s]
				return true
			}
			return false
		})
		same(t, label.Host(), want)
	})
}

func TestHop(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		depth := traverse.Array[int32](x, -1)
		traverse.Set(x, depth, 1, 0)
		x.Repeat(x.From(1), advance.Push(composed.NewHop(depth, 5)))
		want := make([]int32, g.NumVertices())
		for v := range want {
			want[v] = math.MaxInt32
		}
		want[1] = 0
		settle(g, func(s, v uint32, w float32) bool {
			if w <= 5 && want[s] < math.MaxInt32 && want[s]+1 < want[v] {
				want[v] = want[s] + 1
				return true
			}
			return false
		})
		for v := range want {
			if want[v] == math.MaxInt32 {
				want[v] = -1
			}
		}
		same(t, depth.Host(), want)
	})
}

func TestRank(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		share, next, rank := traverse.Array[float32](x, 0.5), traverse.Array[float32](x, 0), traverse.Array[float32](x, 0.25)
		change := traverse.Scalar[float64](x, operators.Sum)
		x.Do(x.All(), reduce.In(composed.NewRank(share, next, rank, traverse.Degrees(x), 0.75, 0.125), change))
		moved := 0.0
		for v := range uint32(g.NumVertices()) {
			d := float32(g.Out().Degree(v))
			want := 0.125 + 0.75*0.5*d
			moved += math.Abs(float64(want) - 0.25)
			if rank.Host()[v] != want || next.Host()[v] != want/max(d, 1) {
				t.Fatalf("vertex %d: rank %v, next %v; want %v, %v", v, rank.Host()[v], next.Host()[v], want, want/max(d, 1))
			}
		}
		if got := traverse.Get(x, change); math.Abs(got-moved) > 1e-9*moved {
			t.Errorf("change %v, want %v", got, moved)
		}
	})
}

func TestExcess(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		value := traverse.Array[float64](x, 0)
		for v := range value.Host() {
			value.Host()[v] = float64(v % 7)
		}
		for _, how := range []operators.Reduction{operators.Sum, operators.Min, operators.Max} {
			into := traverse.Scalar[float64](x, how)
			x.Do(x.All(), foreach.All(composed.NewExcess(value, 3), into))
			want := operators.Identity[float64](how)
			for v := range g.NumVertices() {
				want = operators.Join(how, want, max(float64(v%7)-3, 0))
			}
			if got := traverse.Get(x, into); got != want {
				t.Errorf("reduction %d: %v, want %v", how, got, want)
			}
		}
	})
}

func TestBelow(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		cur := x.All()
		x.Do(cur, filter.Keep(composed.NewBelow(traverse.Degrees(x), 4)))
		want := 0
		for v := range uint32(g.NumVertices()) {
			if g.Out().Degree(v) < 4 {
				want++
			}
		}
		if cur.Len() != want {
			t.Errorf("%d kept, want %d", cur.Len(), want)
		}
	})
}

func TestNear(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		dist := traverse.Array[uint32](x, 1<<30)
		traverse.Set(x, dist, 1, 0)
		f, later := composed.NewNear(dist, 6), x.Pile()
		x.Repeat(x.From(1), advance.PushNear(f, later), pile.Refill(later, f))
		want := make([]uint32, g.NumVertices())
		for v := range want {
			want[v] = 1 << 30
		}
		want[1] = 0
		settle(g, func(s, v uint32, w float32) bool {
			if d := want[s] + uint32(w); want[s] < 1<<30 && d < want[v] {
				want[v] = d
				return true
			}
			return false
		})
		same(t, dist.Host(), want)
	})
}

func TestArrivals(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		count := traverse.Array[uint32](x, 0)
		x.Do(x.All(), advance.VisitAll(composed.NewArrivals(count)))
		want := make([]uint32, g.NumVertices())
		for _, v := range g.Out().Targets {
			want[v]++
		}
		same(t, count.Host(), want)
	})
}

// TestNil: a functor that is a nil pointer is an error of every step, not a panic.
func TestNil(t *testing.T) {
	e, err := gen.Parse("path:50")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), e, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []operators.Step{
		advance.Push((*composed.LowerFunctor)(nil)), advance.PushBits((*composed.LowerFunctor)(nil)),
		advance.Visit((*composed.ArrivalsFunctor)(nil)), foreach.All((*composed.DoubleFunctor)(nil), nil),
		reduce.Out((*composed.RankFunctor)(nil), nil), filter.Keep((*composed.BelowFunctor)(nil)),
	} {
		x := traverse.New(t.Context(), p)
		x.Do(x.From(1), step)
		if err := x.Close(); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "it is a nil") {
			t.Errorf("%s: %v", step.Name(), err)
		}
	}
}

// TestNoValue: a scalar of a step whose functor returns nothing is an error, as it would keep an old value.
func TestNoValue(t *testing.T) {
	onGraphs(t, func(t *testing.T, _ *traverse.Traversal, g *graph.Graph) {
		p, err := g.On(host.New(2))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for name, step := range map[string]func(x *traverse.Traversal) operators.Step{
			"Vertex returns nothing": func(x *traverse.Traversal) operators.Step {
				return foreach.All(composed.NewDouble(traverse.Array[float64](x, 1)), traverse.Scalar[uint64](x, operators.Sum))
			},
			"Apply returns nothing": func(x *traverse.Traversal) operators.Step {
				return reduce.OutByKey(keyed.NewCommon(traverse.VertexIDs(x), traverse.Array[uint32](x, 0)), traverse.Scalar[uint64](x, operators.Sum))
			},
		} {
			x := traverse.New(t.Context(), p)
			x.Do(x.All(), step(x))
			if err := x.Close(); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), name) {
				t.Errorf("%v, want %q", err, name)
			}
		}
	})
}

// TestShared: a functor that several traversals use at once is an error of some of them, and
// nothing worse; one after the other they may use it.
func TestShared(t *testing.T) {
	e, err := gen.Parse("kron:scale=10,weights=1:9")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), e, graph.Options{Weights: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	dist, err := device.NewBuffer[float32](p.Device(), g.NumVertices())
	if err != nil {
		t.Fatal(err)
	}
	f := composed.NewRelax(dist, 7)
	run := func() error {
		x := traverse.New(t.Context(), p)
		x.Do(x.All(), advance.Push(f), filter.Unique())
		x.Do(x.All(), advance.Push(f))
		x.Do(x.All(), advance.PushBits(f))
		return x.Close()
	}
	for range 2 {
		if err := run(); err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if err := run(); err != nil && (!errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "in a step of another traversal")) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := run(); err != nil {
		t.Error(err)
	}
	panics := panicking{composed.NewRelax(dist, 7)}
	for range 2 { // it isn't busy after a panic
		func() {
			x := traverse.New(t.Context(), p)
			defer x.Close()
			defer func() {
				if recover() != "made to fail" {
					t.Errorf("no panic: %v", x.Err())
				}
			}()
			x.Do(x.All(), advance.Push(panics))
		}()
	}
}

// panicking is a functor whose loop panics.
type panicking struct{ *composed.RelaxFunctor }

func (panicking) VisitRows(operators.Worker, []operators.Row, []uint32, []uint32) int {
	panic("made to fail")
}

// TestPushLevel: a push by level readies a functor, and reports its fault.
func TestPushLevel(t *testing.T) {
	onGraphs(t, func(t *testing.T, x *traverse.Traversal, g *graph.Graph) {
		p, err := g.On(host.New(2))
		if err != nil {
			t.Fatal(err)
		}
		stream, err := p.Device().NewStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a, err := advance.New(stream, p)
		if err != nil {
			t.Fatal(err)
		}
		levels, err := device.NewBuffer[int32](p.Device(), g.NumVertices())
		if err != nil {
			t.Fatal(err)
		}
		depth, err := device.NewBuffer[int32](p.Device(), g.NumVertices())
		if err != nil {
			t.Fatal(err)
		}
		if edges, _, err := a.PushLevel(levels, 0, nil, composed.NewHop(depth, 5)); err != nil || edges != g.Out().NumEdges() {
			t.Errorf("%d edges, %v", edges, err)
		}
		marks, err := device.NewBuffer[uint32](p.Device(), g.NumVertices())
		if err != nil {
			t.Fatal(err)
		}
		table, err := device.NewBuffer[uint32](p.Device(), g.NumVertices())
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		var fault *functor.Fault
		if _, _, err := a.PushLevel(levels, 0, nil, composed.NewAstray(table, marks, 0)); !errors.As(err, &fault) {
			t.Errorf("a division by zero: %v", err)
		}
		if err := errors.Join(stream.Close(), p.Close()); err != nil {
			t.Error(err)
		}
	})
}
