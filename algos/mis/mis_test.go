package mis_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/mis"
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
func check(p *graph.Placed, o mis.Options) error {
	r, err := mis.Run(context.Background(), p, o)
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := r.Member.Slice()
	if err != nil {
		return err
	}
	if want := oracle.Independent(p.Graph(), o.Seed); !slices.Equal(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return mis.Validate(p.Graph(), r)
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(300, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 13))
		n := r.IntN(60)
		if r.IntN(200) == 0 {
			n = 600
		}
		es := []testgraph.Edge{}
		for range r.IntN(6*n + 1) { // with loops and duplicates, and some vertices of many edges
			es = append(es, testgraph.Edge{From: r.Uint32N(1 + r.Uint32N(uint32(n))), To: r.Uint32N(uint32(n))})
		}
		kind := testgraph.Kind(r.IntN(3))
		p := testgraph.Place(testgraph.Build(n, es, kind), []int{1, 2, 3, 7}[seed%4])
		if err := check(p, mis.Options{Seed: r.Uint64N(4)}); err != nil {
			t.Fatalf("seed %d, %v, %d vertices, %d edges: %v", seed, kind, n, len(es), err)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		for _, workers := range []int{1, 3} {
			if err := check(testgraph.Place(c.Graph(3), workers), mis.Options{Seed: 5}); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}

// TestKarate: the set depends on the seed, and never is smaller than 4 or larger than 20. networkx 3.6.1 finds
// 228 maximal independent sets of these sizes, as the maximal cliques of the complement graph.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 2)
	sets := map[string]bool{}
	for seed := range uint64(50) {
		r, err := mis.Run(t.Context(), p, mis.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if err := mis.Validate(g, r); err != nil || r.Size < 4 || r.Size > 20 {
			t.Errorf("seed %d: %d vertices, %v", seed, r.Size, err)
		}
		members, _ := r.Member.ByID()
		sets[fmt.Sprint(members)] = true
		r.Close()
	}
	if len(sets) < 10 {
		t.Errorf("50 seeds find %d sets", len(sets))
	}
}

// TestOrders finds the same set in each order of vertices, for any number of workers and of runs, directed or not.
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
			if err := check(p, mis.Options{Seed: 9}); err != nil {
				t.Fatal(err)
			}
			res, err := mis.Run(t.Context(), p, mis.Options{Seed: 9})
			if err != nil {
				t.Fatal(err)
			}
			got, err := res.Member.ByID()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("directed %v, order %v: another set", directed, order)
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
		o    mis.Options
		want error
	}{
		"engine":   {context.Background(), plain, mis.Options{Engine: 99}, graph.ErrOptions},
		"freed":    {context.Background(), gone, mis.Options{}, device.ErrClosed},
		"no graph": {context.Background(), nil, mis.Options{}, graph.ErrNoGraph},
		"canceled": {ended, plain, mis.Options{}, context.Canceled},
	} {
		if r, err := mis.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := mis.Options{EachLevel: func(traverse.Level) { cancel() }}
	if _, err := mis.Run(ctx, testgraph.Place(testgraph.Path(5000).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1, 2, 3}, []int64{2, 3, 4})
	for name, spoil := range map[string]func(r *mis.Result, a []uint32){
		"neighbors":   func(r *mis.Result, a []uint32) { copy(a, []uint32{1, 1, 0, 0}) },
		"not maximal": func(r *mis.Result, a []uint32) { copy(a, []uint32{1, 0, 0, 0}); r.Size = 1 },
		"empty":       func(r *mis.Result, a []uint32) { clear(a); r.Size = 0 },
		"no member":   func(_ *mis.Result, a []uint32) { a[0] = 2 },
		"wrong size":  func(r *mis.Result, _ []uint32) { r.Size++ },
		"freed":       func(r *mis.Result, _ []uint32) { r.Close() },
	} {
		r, err := mis.Run(context.Background(), p, mis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := mis.Validate(p.Graph(), r); err != nil {
			t.Fatal(err)
		}
		all, _ := r.Member.Slice()
		spoil(r, all)
		if err := mis.Validate(p.Graph(), r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := mis.Validate(p.Graph(), nil); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := mis.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
