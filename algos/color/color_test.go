package color_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// check compares a run with the loop over vertices by descending priority.
func check(p *graph.Placed, o color.Options) error {
	r, err := color.Run(context.Background(), p, o)
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := r.Color.Slice()
	if err != nil {
		return err
	}
	if want := oracle.Colors(p.Graph(), o.Seed, o.LargestFirst); !slices.Equal(got, want) {
		return fmt.Errorf("%+v: got %v, want %v", o, got, want)
	}
	return color.Validate(p.Graph(), r)
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(300, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 13))
		n := r.IntN(60)
		switch r.IntN(200) { // degrees of 64 and more have another loop
		case 0:
			n = 600
		case 1, 2, 3, 4, 5, 6, 7, 8, 9:
			n = 80 + r.IntN(80)
		}
		es := []testgraph.Edge{}
		for range r.IntN(6*n + 1) { // with loops and duplicates, and some vertices of many edges
			es = append(es, testgraph.Edge{From: r.Uint32N(1 + r.Uint32N(uint32(n))), To: r.Uint32N(uint32(n))})
		}
		if n >= 80 {
			for v := range uint32(n) {
				es = append(es, testgraph.Edge{From: 1, To: v})
			}
		}
		kind := testgraph.Kind(r.IntN(3))
		p := testgraph.Place(testgraph.Build(n, es, kind), []int{1, 2, 3, 7}[seed%4])
		if err := check(p, color.Options{Seed: r.Uint64N(4), LargestFirst: r.IntN(2) == 0}); err != nil {
			t.Fatalf("seed %d, %v, %d vertices, %d edges: %v", seed, kind, n, len(es), err)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		for _, workers := range []int{1, 3} {
			if err := check(testgraph.Place(c.Graph(3), workers), color.Options{Seed: 5, LargestFirst: workers == 1}); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}

// TestKarate: networkx 3.6.1's greedy_color takes 5 colors by largest_first, and 5 or 6 in 2,000 random orders. The largest
// clique has 5 vertices.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 2)
	found := map[string]bool{}
	for seed := range uint64(50) {
		for _, largest := range []bool{false, true} {
			o := color.Options{Seed: seed, LargestFirst: largest}
			r, err := color.Run(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := color.Validate(g, r); err != nil || r.Colors < 5 || r.Colors > 6 || largest && r.Colors > 5 {
				t.Errorf("%+v: %d colors, %v", o, r.Colors, err)
			}
			colors, _ := r.Color.ByID()
			found[fmt.Sprint(colors)] = true
			r.Close()
		}
	}
	if len(found) < 20 {
		t.Errorf("50 seeds find %d colorings", len(found))
	}
}

// TestManyColors: a clique takes more colors than a vertex looks at at once, and some of its vertices have more neighbors.
func TestManyColors(t *testing.T) {
	for _, n := range []uint32{63, 64, 65, 128, 129, 300} {
		var es []testgraph.Edge
		for v := range n {
			for w := range v {
				es = append(es, testgraph.Edge{From: v, To: w})
			}
			es = append(es, testgraph.Edge{From: v, To: n + v%7})
		}
		p := testgraph.Place(testgraph.Build(int(n)+7, es, testgraph.Undirected), 2)
		for _, largest := range []bool{false, true} {
			if err := check(p, color.Options{Seed: 1, LargestFirst: largest}); err != nil {
				t.Errorf("%d: %v", n, err)
			}
		}
	}
}

// TestOrders finds the same colors in each order of vertices, for any number of workers and of runs, directed or not.
func TestOrders(t *testing.T) {
	var want []uint32
	for _, directed := range []bool{false, true} {
		for i, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto, graph.OrderAuto} {
			b := graph.NewBuilder(graph.Options{Directed: directed, Order: order})
			r := rand.New(rand.NewPCG(5, 5))
			src, dst := make([]int64, 3000), make([]int64, 3000)
			for i := range src {
				src[i], dst[i] = 7*r.Int64N(1000)-500, 7*r.Int64N(1+r.Int64N(1000))-500
			}
			if err := graph.AddInts(b, src, dst, nil); err != nil {
				t.Fatal(err)
			}
			g, err := b.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.On(host.New(1 + i))
			if err != nil {
				t.Fatal(err)
			}
			if err := check(p, color.Options{Seed: 9, LargestFirst: true}); err != nil {
				t.Fatal(err)
			}
			res, err := color.Run(t.Context(), p, color.Options{Seed: 9, LargestFirst: true})
			if err != nil {
				t.Fatal(err)
			}
			got, err := res.Color.ByID()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("directed %v, order %v: other colors", directed, order)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	plain := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed), 1)
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    color.Options
		want error
	}{
		"engine":   {context.Background(), plain, color.Options{Engine: 99}, graph.ErrOptions},
		"freed":    {context.Background(), gone, color.Options{}, device.ErrClosed},
		"no graph": {context.Background(), nil, color.Options{}, graph.ErrNoGraph},
		"canceled": {ended, plain, color.Options{}, context.Canceled},
	} {
		if r, err := color.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := color.Options{EachLevel: func(traverse.Level) { cancel() }}
	if _, err := color.Run(ctx, testgraph.Place(testgraph.Path(5000).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1, 2, 3}, []int64{2, 3, 4})
	for name, spoil := range map[string]func(r *color.Result, a []uint32){
		"neighbors":   func(_ *color.Result, a []uint32) { copy(a, []uint32{0, 0, 1, 0}) },
		"not least":   func(r *color.Result, a []uint32) { copy(a, []uint32{2, 0, 1, 0}); r.Colors = 3 },
		"no color":    func(_ *color.Result, a []uint32) { a[0] = 9 },
		"wrong count": func(r *color.Result, _ []uint32) { r.Colors++ },
		"freed":       func(r *color.Result, _ []uint32) { r.Close() },
	} {
		r, err := color.Run(context.Background(), p, color.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := color.Validate(p.Graph(), r); err != nil {
			t.Fatal(err)
		}
		all, _ := r.Color.Slice()
		spoil(r, all)
		if err := color.Validate(p.Graph(), r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := color.Validate(p.Graph(), nil); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := color.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
