package lpa_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// check compares a run with the oracle.
func check(p *graph.Placed, rounds int) error {
	o := lpa.Options{Iterations: rounds}
	want := oracle.Labels(p.Graph(), cmp.Or(o.Iterations, 10))
	r, err := lpa.Run(context.Background(), p, o)
	if err != nil {
		return err
	}
	got, err := r.Labels.Slice()
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	if r.Iterations > rounds || r.Iterations < 1 && len(got) > 0 || r.Stats.Rounds != r.Iterations {
		return fmt.Errorf("%d rounds of %d", r.Iterations, rounds)
	}
	return errors.Join(lpa.Validate(p.Graph(), r), r.Close())
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(200, 5000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 11))
		n := 1 + r.IntN(60)
		es := make([]testgraph.Edge, r.IntN(6*n))
		for i := range es { // with loops and duplicates, and some vertices of many edges
			es[i] = testgraph.Edge{From: r.Uint32N(1 + r.Uint32N(uint32(n))), To: r.Uint32N(uint32(n))}
		}
		kind := []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse}[r.IntN(2)]
		p := testgraph.Place(testgraph.Build(n, es, kind), []int{1, 2, 3, 7}[seed%4])
		if err := check(p, 1+r.IntN(12)); err != nil {
			t.Fatalf("seed %d, %v, %d vertices, %d edges: %v", seed, kind, n, len(es), err)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		if c.Kind == testgraph.Directed {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				if err := check(testgraph.Place(c.Graph(3), workers), 4); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestHub has a vertex with more edges than a worker takes with others.
func TestHub(t *testing.T) {
	const n = 20000
	var es []testgraph.Edge
	for v := range uint32(n - 2) {
		es = append(es, testgraph.Edge{From: n - 1, To: v}, testgraph.Edge{From: v, To: n - 2}, testgraph.Edge{From: v, To: v * v % 4999})
	}
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse} {
		if err := check(testgraph.Place(testgraph.Build(n, es, kind), 2), 5); err != nil {
			t.Error(kind, err)
		}
	}
}

// TestOrders labels the same graph in each order of vertices: ties go by external id.
func TestOrders(t *testing.T) {
	for _, directed := range []bool{false, true} {
		var want []int64
		for _, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto} {
			b := graph.NewBuilder(graph.Options{Directed: directed, Reverse: true, Order: order})
			r := rand.New(rand.NewPCG(5, 5))
			src, dst := make([]int64, 3000), make([]int64, 3000)
			for i := range src {
				src[i], dst[i] = 7*r.Int64N(1000)-500, 7*r.Int64N(1+r.Int64N(1000))-500
			}
			if err := graph.AddInts(b, src, dst, nil); err != nil {
				t.Fatal(err)
			}
			g, err := b.Build(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.On(host.New(2))
			if err != nil {
				t.Fatal(err)
			}
			if err := check(p, 6); err != nil {
				t.Fatal(err)
			}
			res, err := lpa.Run(context.Background(), p, lpa.Options{})
			if err != nil {
				t.Fatal(err)
			}
			labels, err := res.Labels.ByID()
			if err != nil {
				t.Fatal(err)
			}
			got := make([]int64, len(labels))
			for i, v := range labels {
				got[i] = g.IDs().Int(v)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("directed %v, order %v: other labels", directed, order)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	plain := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.WithReverse), 1)
	oneWay := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed), 1)
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    lpa.Options
		want error
	}{
		"iterations": {context.Background(), plain, lpa.Options{Iterations: -1}, graph.ErrOptions},
		"no reverse": {context.Background(), oneWay, lpa.Options{}, graph.ErrNoReverse},
		"freed":      {context.Background(), gone, lpa.Options{}, device.ErrClosed},
		"no graph":   {context.Background(), nil, lpa.Options{}, graph.ErrNoGraph},
		"canceled":   {ended, plain, lpa.Options{}, context.Canceled},
	} {
		if r, err := lpa.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends a run from its callback. Two vertices exchange labels for ever.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := lpa.Options{Iterations: 1 << 30, EachLevel: func(l traverse.Level) {
		if l.Level == 3 {
			cancel()
		}
	}}
	if _, err := lpa.Run(ctx, testgraph.Place(testgraph.Path(2).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Place(testgraph.Skewed(300, 2, testgraph.Undirected).Graph(4), 2)
	for name, spoil := range map[string]func(r *lpa.Result, a []uint32){
		"another label":   func(_ *lpa.Result, a []uint32) { a[0] ^= 1 },
		"all alike":       func(_ *lpa.Result, a []uint32) { clear(a) },
		"no vertex":       func(_ *lpa.Result, a []uint32) { a[3] = 300 },
		"wrong count":     func(r *lpa.Result, _ []uint32) { r.Communities++ },
		"rounds left out": func(r *lpa.Result, _ []uint32) { r.Iterations = 0 },
		"rounds not made": func(r *lpa.Result, _ []uint32) { r.Iterations = 1 },
		"freed":           func(r *lpa.Result, _ []uint32) { r.Close() },
	} {
		r, err := lpa.Run(context.Background(), p, lpa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := lpa.Validate(p.Graph(), r); err != nil {
			t.Fatal(err)
		}
		all, _ := r.Labels.Slice()
		spoil(r, all)
		if err := lpa.Validate(p.Graph(), r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := lpa.Validate(p.Graph(), nil); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := lpa.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
