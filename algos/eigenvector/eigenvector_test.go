package eigenvector_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// found is what a run found.
type found struct {
	values    []float64
	rounds    int
	change    float64
	converged bool
}

func run(p *graph.Placed, o eigenvector.Options) (f found, err error) {
	r, err := eigenvector.Run(context.Background(), p, o)
	if err != nil {
		return f, err
	}
	if err := eigenvector.Validate(p.Graph(), r, o); err != nil {
		return f, err
	}
	f.rounds, f.change, f.converged = r.Iterations, r.Change, r.Converged
	for _, of := range []*traverse.Values[float64]{r.Centrality} {
		all, err := of.Slice()
		if err != nil {
			return f, err
		}
		f.values = append(f.values, all...)
	}
	return f, r.Close()
}

// onWorkers runs on several numbers of workers, and compares bit by bit.
func onWorkers(g *graph.Graph, o eigenvector.Options) (first found, err error) {
	for i, workers := range []int{1, 2, 3, 7} {
		f, err := run(testgraph.Place(g, workers), o)
		if err != nil {
			return f, err
		}
		if i == 0 {
			first = f
		}
		if !slices.Equal(f.values, first.values) || f.change != first.change || f.rounds != first.rounds {
			return f, fmt.Errorf("%d workers find %v, one %v", workers, f, first)
		}
	}
	return first, nil
}

// check compares runs with networkx' loops.
func check(g *graph.Graph, o eigenvector.Options) error {
	f, err := onWorkers(g, o)
	if err != nil {
		return err
	}
	want, rounds, _ := oracle.Eigenvector(g, oracle.Powers{Tolerance: o.Tolerance, Iterations: o.Iterations, Weighted: o.Weighted})
	if len(f.values) != len(want) || f.rounds != rounds {
		return fmt.Errorf("%d values after %d rounds, want %d after %d", len(f.values), f.rounds, len(want), rounds)
	}
	for v, x := range f.values {
		if !(math.Abs(x-want[v]) <= 1e-9*want[v]+1e-200) {
			return fmt.Errorf("value %d is %v, want %v", v, x, want[v])
		}
	}
	return nil
}

func TestRandomGraphs(t *testing.T) {
	for seed := range uint64(testlong.Rounds(150, 100_000)) {
		r := rand.New(rand.NewPCG(seed, 13))
		g, es := testgraph.Loaded(r, 40)
		o := eigenvector.Options{Tolerance: math.Pow(10, -2-8*r.Float64()), Iterations: 1 + r.IntN(200), Weighted: g.Out().Weights != nil && r.IntN(4) > 0}
		if err := check(g, o); err != nil {
			t.Fatalf("seed %d, directed %v, %d vertices, %d edges, %+v: %v", seed, g.Directed(), g.NumVertices(), len(es), o, err)
		}
	}
}

// TestShapes has graphs with hubs, disconnected ones, and the empty one.
func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		if c.Kind == testgraph.Directed {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			for _, weighted := range []bool{false, true} {
				g := c.Weighted(3)
				if err := check(g, eigenvector.Options{Iterations: 12, Tolerance: 1e-10, Weighted: weighted}); err != nil {
					t.Errorf("weighted %v: %v", weighted, err)
				}
			}
		})
	}
}

// TestKarate compares with what networkx 3.6 finds for Zachary's karate club: eigenvector_centrality of vertices 1 to 34.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		0.355483494, 0.26595387, 0.31718939, 0.211174078, 0.0759664588, 0.0794805779, 0.0794805779, 0.170955115, 0.227405091, 0.10267519,
		0.0759664588, 0.0528541695, 0.0842519209, 0.226469698, 0.101406278, 0.101406278, 0.0236347943, 0.0923967567, 0.101406278, 0.14791134,
		0.101406278, 0.0923967567, 0.101406278, 0.150123287, 0.0570537356, 0.0592082025, 0.0755819222, 0.133479327, 0.131079256, 0.134965287,
		0.174760278, 0.19103627, 0.308651048, 0.373371213,
	}
	p := testgraph.Place(g, 2)
	r, err := eigenvector.Run(t.Context(), p, eigenvector.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, of := range []*traverse.Values[float64]{r.Centrality} {
		got, err := of.ByID()
		if err != nil || !r.Converged {
			t.Fatal(r.Converged, err)
		}
		for i, x := range got {
			if math.Abs(x-want[i]) > 1e-8 {
				t.Errorf("vertex %d has %v, want %v", i+1, x, want[i])
			}
		}
	}
}

// TestNetworkx compares with what networkx 3.6 finds for DiGraph.add_weighted_edges_from([(1, 2, 2), (1, 3, .5), (2, 3, 3),
// (3, 1, 1), (3, 4, 1.5), (4, 4, 2), (4, 2, .25), (5, 1, 4)]), and for the Graph [(1, 2, 2), (2, 3, .5), (3, 3, 1.5),
// (3, 1, 4)]: eigenvector_centrality(weight="weight", tol=1e-12, max_iter=1000), the first also without weight.
func TestNetworkx(t *testing.T) {
	loops := graph.Options{Reverse: true, KeepSelfLoops: true, Weights: true, Order: graph.OrderGiven}
	undirected := testgraph.Placed(loops, []int64{1, 2, 3, 3}, []int64{2, 3, 3, 1}, 2, .5, 1.5, 4)
	loops.Directed = true
	directed := testgraph.Placed(loops, []int64{1, 1, 2, 3, 3, 4, 4, 5}, []int64{2, 3, 3, 1, 4, 4, 2, 1}, 2, .5, 3, 1, 1.5, 2, .25, 4)
	for _, c := range []struct {
		p    *graph.Placed
		o    eigenvector.Options
		want []float64
	}{
		{directed, eigenvector.Options{Weighted: true, Tolerance: 1e-12, Iterations: 1000}, []float64{0.10569565508921783, 0.18601372427817667, 0.25410295764059004, 0.9432173714439996, 0}},
		{directed, eigenvector.Options{Tolerance: 1e-12, Iterations: 1000}, []float64{0.27199729474901535, 0.5346304390742738, 0.46840213649065826, 0.6486811264369062, 0}},
		{undirected, eigenvector.Options{Weighted: true, Tolerance: 1e-12, Iterations: 1000}, []float64{0.6405808011739996, 0.30516264664635695, 0.704650265208967}},
	} {
		got, err := run(c.p, c.o)
		if err != nil || !got.converged || len(got.values) != len(c.want) {
			t.Fatalf("%+v: %v, %v", c.o, got, err)
		}
		for i, x := range got.values {
			if math.Abs(x-c.want[i]) > 1e-9 {
				t.Errorf("%+v: value %d is %v, want %v", c.o, i, x, c.want[i])
			}
		}
	}
}

func TestErrors(t *testing.T) {
	pair := []testgraph.Edge{{From: 0, To: 1}}
	plain := testgraph.Place(testgraph.Build(3, pair, testgraph.WithReverse), 1)
	oneWay := testgraph.Place(testgraph.Build(3, pair, testgraph.Directed), 1)
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    eigenvector.Options
		want error
	}{
		"iterations": {context.Background(), plain, eigenvector.Options{Iterations: -1}, graph.ErrOptions},
		"tolerance":  {context.Background(), plain, eigenvector.Options{Tolerance: math.NaN()}, graph.ErrOptions},
		"no reverse": {context.Background(), oneWay, eigenvector.Options{}, graph.ErrNoReverse},
		"no weights": {context.Background(), plain, eigenvector.Options{Weighted: true}, graph.ErrNoWeights},
		"freed":      {context.Background(), gone, eigenvector.Options{}, device.ErrClosed},
		"no graph":   {context.Background(), nil, eigenvector.Options{}, graph.ErrNoGraph},
		"canceled":   {ended, plain, eigenvector.Options{}, context.Canceled},
	} {
		if r, err := eigenvector.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestBadWeights: weights that are negative, not finite or too large are refused, and the error names the edge.
func TestBadWeights(t *testing.T) {
	for _, w := range []float64{-1, -1e-50, math.NaN(), math.Inf(1), 1e200} {
		b := graph.NewBuilder(graph.Options{Weights: true})
		if err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{1, 2}, Dst: []int64{2, 3}, FloatWeights: []float64{1, w}}); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = eigenvector.Run(t.Context(), testgraph.Place(g, 2), eigenvector.Options{Weighted: true})
		if !errors.Is(err, graph.ErrWeights) || !strings.Contains(err.Error(), "2") || !strings.Contains(err.Error(), "3") {
			t.Errorf("%v: %v", w, err)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := eigenvector.Options{Iterations: 1 << 30, Tolerance: 1e-300, EachLevel: func(l traverse.Level) {
		if l.Level == 3 {
			cancel()
		}
	}}
	if _, err := eigenvector.Run(ctx, testgraph.Place(testgraph.Skewed(300, 4, testgraph.Undirected).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Place(testgraph.Skewed(300, 2, testgraph.Undirected).Weighted(4), 2)
	o := eigenvector.Options{Iterations: 1000}
	for name, spoil := range map[string]func(r *eigenvector.Result, x []float64){
		"a value":         func(_ *eigenvector.Result, x []float64) { x[7] *= 1.001 },
		"no number":       func(_ *eigenvector.Result, x []float64) { x[7] = math.NaN() },
		"negative":        func(_ *eigenvector.Result, x []float64) { x[7] = -x[7] },
		"scaled":          func(_ *eigenvector.Result, x []float64) { double(x) },
		"rounds left out": func(r *eigenvector.Result, _ []float64) { r.Iterations = 0 },
		"rounds not made": func(r *eigenvector.Result, _ []float64) { r.Iterations++ },
		"not converged":   func(r *eigenvector.Result, _ []float64) { r.Converged = false },
		"change":          func(r *eigenvector.Result, _ []float64) { r.Change /= 2 },
		"freed":           func(r *eigenvector.Result, _ []float64) { r.Close() },
	} {
		for i := range 1 {
			r, err := eigenvector.Run(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			x, err := []*traverse.Values[float64]{r.Centrality}[i].Slice()
			if err := errors.Join(err, eigenvector.Validate(p.Graph(), r, o)); err != nil {
				t.Fatal(err)
			}
			spoil(r, x)
			if err := eigenvector.Validate(p.Graph(), r, o); !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := eigenvector.Validate(nil, nil, o); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	if err := eigenvector.Validate(p.Graph(), nil, o); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
}

func double(x []float64) {
	for v := range x {
		x[v] *= 2
	}
}
