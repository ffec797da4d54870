package cc_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// check runs it on a graph with a number of workers, and compares with the oracle.
func check(t *testing.T, g *graph.Graph, workers int) {
	t.Helper()
	p, err := g.On(host.New(workers))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	compare(t, g, workers, oracle.Components(g), func() (*cc.Result, error) { return cc.Run(t.Context(), p, cc.Options{}) })
	if g.In() == nil {
		if _, err := cc.Strong(t.Context(), p, cc.Options{}); !errors.Is(err, graph.ErrNoReverse) {
			t.Fatal(err)
		}
		return
	}
	compare(t, g, workers, oracle.StrongComponents(g), func() (*cc.Result, error) { return cc.Strong(t.Context(), p, cc.Options{}) })
}

func compare(t *testing.T, g *graph.Graph, workers int, want []uint32, run func() (*cc.Result, error)) {
	t.Helper()
	r, err := run()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := r.Component.Slice()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d vertices, %d workers, strong %v: %.300v, want %.300v", g.NumVertices(), workers, r.Strong(), fmt.Sprint(got), fmt.Sprint(want))
	}
	if err := cc.Validate(g, r); err != nil {
		t.Fatal(err)
	}
	list, err := r.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, s := range list {
		sum += s.Vertices
	}
	if len(list) != r.Components || sum != g.NumVertices() {
		t.Errorf("%d sizes of %d vertices, want %d of %d", len(list), sum, r.Components, g.NumVertices())
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.All(), testgraph.Tiny()...) {
		t.Run(c.Name+" "+c.Kind.String(), func(t *testing.T) {
			for i, workers := range []int{1, 2, 3, 7} {
				if testgraph.Race && i%2 == 0 {
					continue // one worker does nothing at the same time, and three do as seven
				}
				check(t, c.Graph(uint64(workers)), workers)
			}
		})
	}
}

// TestTiles compares with the oracle on graphs that are united by tiles: meshes with missing edges, their vertices in
// order or nearly so, with isolated vertices, self-loops and repeated edges.
func TestTiles(t *testing.T) {
	for seed := range uint64(testlong.Rounds(30, 2000)) {
		r := rand.New(rand.NewPCG(seed, 46))
		n := []int{64, 65, 300, 5000, 40_000}[r.IntN(5)]
		width, missing, apart := 1+r.IntN(60), r.IntN(101), r.IntN(3)
		var es []testgraph.Edge
		add := func(v, u int) {
			if u < n && r.IntN(100) >= missing {
				es = append(es, testgraph.Edge{From: uint32(v), To: uint32(u)})
			}
		}
		for v := range n {
			add(v, v+1)
			add(v, v+width)
			if r.IntN(50) < apart {
				add(v, r.IntN(n))
				add(v, v)
				add(v, v+1)
			}
		}
		g := testgraph.Build(n, es, testgraph.Undirected)
		want := oracle.Components(g)
		for _, workers := range []int{1, 2, 7, 16} {
			p := testgraph.Place(g, workers)
			compare(t, g, workers, want, func() (*cc.Result, error) { return cc.Run(t.Context(), p, cc.Options{}) })
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestMethod: a result documents its method.
func TestMethod(t *testing.T) {
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse} {
		p, err := testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}, kind).On(host.New(1))
		if err != nil {
			t.Fatal(err)
		}
		weak := "neighbor sampling, then edges outside the largest tree"
		strong := weak // the same components
		if kind != testgraph.Undirected {
			weak, strong = "neighbor sampling, then all edges", "peeling, a search each way, colors"
		}
		for _, c := range []struct {
			find func(context.Context, *graph.Placed, cc.Options) (*cc.Result, error)
			want string
		}{{cc.Run, weak}, {cc.Strong, strong}} {
			r, err := c.find(t.Context(), p, cc.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Method != c.want {
				t.Errorf("%v: found by %q, want %q", kind, r.Method, c.want)
			}
			r.Close()
		}
		p.Close()
	}
}

// TestRandom runs small graphs whose ids aren't in the order of the vertices.
func TestRandom(t *testing.T) {
	for seed := range uint64(testlong.Rounds(150, 10000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := testgraph.Random(r, 1+r.IntN(40), 2, false)
		check(t, g, 1+r.IntN(3))
	}
}

// TestByDegree runs graphs in the order of degrees, whose vertices without edges are the last ones: some, all or none of them.
func TestByDegree(t *testing.T) {
	for seed := range uint64(testlong.Rounds(150, 10000)) {
		r := rand.New(rand.NewPCG(seed, 61))
		n := 1 + r.IntN(300)
		var es []testgraph.Edge
		for range r.IntN(n+1) * r.IntN(3) {
			e := testgraph.Edge{From: uint32(r.IntN(1 + r.IntN(n))), To: uint32(r.IntN(n))}
			if r.IntN(20) == 0 {
				e.To = e.From
			}
			es = append(es, e)
		}
		g, err := testgraph.Build(n, es, []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse}[r.IntN(2)]).Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
		if err != nil {
			t.Fatal(err)
		}
		check(t, g, 1+r.IntN(3))
	}
}

// TestValidate damages results.
func TestValidate(t *testing.T) {
	g := testgraph.Build(6, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 4}}, testgraph.Undirected)
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i, damage := range []func(c []uint32, r *cc.Result){
		func(c []uint32, _ *cc.Result) { c[2] = 2 },
		func(c []uint32, _ *cc.Result) { c[0], c[1], c[2] = 1, 1, 1 },
		func(c []uint32, _ *cc.Result) { c[3], c[4] = 0, 0 },
		func(c []uint32, _ *cc.Result) { c[4] = 6 },
		func(c []uint32, _ *cc.Result) { c[4] = 2 },
		func(_ []uint32, r *cc.Result) { r.Components++ },
		func(c []uint32, r *cc.Result) { c[3], c[4] = 0, 0; r.Components-- },
		func(c []uint32, r *cc.Result) { c[1], c[2] = 1, 1; r.Components++ },
	} {
		r, err := cc.Run(t.Context(), p, cc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		labels, _ := r.Component.Slice()
		damage(labels, r)
		if err := cc.Validate(g, r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("damage %d: %v", i, err)
		}
		r.Close()
	}
	if err := cc.Validate(g, nil); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
	if err := cc.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	g := testgraph.Path(10).Graph(1)
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, err := cc.Run(gone, p, cc.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r, err := cc.Run(t.Context(), p, cc.Options{Stats: true})
	if err != nil || len(r.Stats.Levels) == 0 {
		t.Fatal(err, r.Stats.Levels)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if _, err := r.Sizes(); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
	// Within a pass, a context ends it.
	ctx, stop := context.WithCancel(t.Context())
	if _, err := cc.Run(ctx, p, cc.Options{EachLevel: func(traverse.Level) { stop() }}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := cc.Run(t.Context(), p, cc.Options{}); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
	if _, err := cc.Run(t.Context(), nil, cc.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

func ExampleRun() {
	p := testgraph.Placed(graph.Options{}, []int64{10, 20, 7, 8}, []int64{20, 30, 8, 7})
	defer p.Close()
	r, err := cc.Run(context.Background(), p, cc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	list, _ := r.Sizes()
	for _, c := range list {
		fmt.Println(p.Graph().IDs().Format(c.Component), c.Vertices)
	}
	// Output:
	// 10 3
	// 7 2
}
