package katz_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/katz"
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

func run(p *graph.Placed, o katz.Options) (f found, err error) {
	r, err := katz.Run(context.Background(), p, o)
	if err != nil {
		return f, err
	}
	if err := katz.Validate(p.Graph(), r, o); err != nil {
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
func onWorkers(g *graph.Graph, o katz.Options) (first found, err error) {
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
func check(g *graph.Graph, o katz.Options) error {
	f, err := onWorkers(g, o)
	if err != nil {
		return err
	}
	if o.Alpha == 0 {
		o.Alpha = 0.1
	}
	if o.Beta == 0 {
		o.Beta = 1
	}
	want, rounds, _ := oracle.Katz(g, oracle.Powers{Tolerance: o.Tolerance, Iterations: o.Iterations, Weighted: o.Weighted, Alpha: o.Alpha, Beta: o.Beta})
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
		r := rand.New(rand.NewPCG(seed, 15))
		g, es := testgraph.Loaded(r, 40)
		o := katz.Options{Tolerance: math.Pow(10, -2-8*r.Float64()), Iterations: 1 + r.IntN(200), Weighted: g.Out().Weights != nil && r.IntN(4) > 0}
		o.Beta = []float64{0, 0.5, 20}[r.IntN(3)]
		o.Alpha = small(g, o.Weighted) * (0.1 + r.Float64())
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
				if err := check(g, katz.Options{Alpha: small(g, weighted), Iterations: 12, Tolerance: 1e-10, Weighted: weighted}); err != nil {
					t.Errorf("weighted %v: %v", weighted, err)
				}
			}
		})
	}
}

// TestKarate compares with what networkx 3.6 finds for Zachary's karate club: katz_centrality of vertices 1 to 34.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		0.321324597, 0.235484253, 0.265765885, 0.194913202, 0.121904406, 0.130972279, 0.130972279, 0.166233052, 0.200717811, 0.1242015,
		0.121904406, 0.0966167418, 0.116108056, 0.199373681, 0.125133426, 0.125133426, 0.0906787439, 0.120165159, 0.125133426, 0.153305788,
		0.125133426, 0.120165159, 0.125133426, 0.166790648, 0.110211069, 0.111564613, 0.112935521, 0.151901666, 0.143581655, 0.153106037,
		0.168753618, 0.193801602, 0.275085143, 0.331406398,
	}
	p := testgraph.Place(g, 2)
	r, err := katz.Run(t.Context(), p, katz.Options{})
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
// (3, 1, 4)]: katz_centrality(weight="weight", tol=1e-12), the first also with alpha=.2, beta=3 and no weight.
func TestNetworkx(t *testing.T) {
	loops := graph.Options{Reverse: true, KeepSelfLoops: true, Weights: true, Order: graph.OrderGiven}
	undirected := testgraph.Placed(loops, []int64{1, 2, 3, 3}, []int64{2, 3, 3, 1}, 2, .5, 1.5, 4)
	loops.Directed = true
	directed := testgraph.Placed(loops, []int64{1, 1, 2, 3, 3, 4, 4, 5}, []int64{2, 3, 3, 1, 4, 4, 2, 1}, 2, .5, 3, 1, 1.5, 2, .25, 4)
	for _, c := range []struct {
		p    *graph.Placed
		o    katz.Options
		want []float64
	}{
		{directed, katz.Options{Weighted: true, Tolerance: 1e-12}, []float64{0.49598181068598635, 0.431798254891451, 0.4747038696589179, 0.4894636038823965, 0.3203653026572218}},
		{directed, katz.Options{Alpha: .2, Beta: 3, Tolerance: 1e-12}, []float64{0.45162416716387277, 0.48428683293925534, 0.48303057656328596, 0.4905681148191289, 0.29584837654269774}},
		{undirected, katz.Options{Weighted: true, Tolerance: 1e-12}, []float64{0.6249126132765531, 0.43603574397884975, 0.6475778375922697}},
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
		o    katz.Options
		want error
	}{
		"iterations": {context.Background(), plain, katz.Options{Iterations: -1}, graph.ErrOptions},
		"tolerance":  {context.Background(), plain, katz.Options{Tolerance: math.NaN()}, graph.ErrOptions},
		"alpha":      {context.Background(), plain, katz.Options{Alpha: -0.1}, graph.ErrOptions},
		"beta":       {context.Background(), plain, katz.Options{Beta: math.Inf(1)}, graph.ErrOptions},
		"no reverse": {context.Background(), oneWay, katz.Options{}, graph.ErrNoReverse},
		"no weights": {context.Background(), plain, katz.Options{Weighted: true}, graph.ErrNoWeights},
		"freed":      {context.Background(), gone, katz.Options{}, device.ErrClosed},
		"no graph":   {context.Background(), nil, katz.Options{}, graph.ErrNoGraph},
		"canceled":   {ended, plain, katz.Options{}, context.Canceled},
	} {
		if r, err := katz.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
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
		_, err = katz.Run(t.Context(), testgraph.Place(g, 2), katz.Options{Weighted: true})
		if !errors.Is(err, graph.ErrWeights) || !strings.Contains(err.Error(), "2") || !strings.Contains(err.Error(), "3") {
			t.Errorf("%v: %v", w, err)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := katz.Options{Alpha: 1e-4, Iterations: 1 << 30, Tolerance: 1e-300, EachLevel: func(l traverse.Level) {
		if l.Level == 3 {
			cancel()
		}
	}}
	if _, err := katz.Run(ctx, testgraph.Place(testgraph.Skewed(300, 4, testgraph.Undirected).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Place(testgraph.Skewed(300, 2, testgraph.Undirected).Weighted(4), 2)
	o := katz.Options{Alpha: small(p.Graph(), false), Iterations: 1000}
	for name, spoil := range map[string]func(r *katz.Result, x []float64){
		"a value":         func(_ *katz.Result, x []float64) { x[7] *= 1.001 },
		"no number":       func(_ *katz.Result, x []float64) { x[7] = math.NaN() },
		"negative":        func(_ *katz.Result, x []float64) { x[7] = -x[7] },
		"scaled":          func(_ *katz.Result, x []float64) { double(x) },
		"rounds left out": func(r *katz.Result, _ []float64) { r.Iterations = 0 },
		"rounds not made": func(r *katz.Result, _ []float64) { r.Iterations++ },
		"not converged":   func(r *katz.Result, _ []float64) { r.Converged = false },
		"change":          func(r *katz.Result, _ []float64) { r.Change /= 2 },
		"freed":           func(r *katz.Result, _ []float64) { r.Close() },
	} {
		for i := range 1 {
			r, err := katz.Run(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			x, err := []*traverse.Values[float64]{r.Centrality}[i].Slice()
			if err := errors.Join(err, katz.Validate(p.Graph(), r, o)); err != nil {
				t.Fatal(err)
			}
			spoil(r, x)
			if err := katz.Validate(p.Graph(), r, o); !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := katz.Validate(nil, nil, o); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	if err := katz.Validate(p.Graph(), nil, o); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
}

func double(x []float64) {
	for v := range x {
		x[v] *= 2
	}
}

// small returns an Alpha with which values end: 1 divided by the largest sum of a vertex's weights.
func small(g *graph.Graph, weighted bool) float64 {
	sums, most := make([]float64, g.NumVertices()), 1e-3
	out := g.Out()
	for v := range sums {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			w := 1.0
			if weighted {
				w = out.FloatWeight(e)
			}
			sums[out.Targets[e]] += w
			most = max(most, sums[out.Targets[e]])
		}
	}
	return 0.9 / most
}

// TestEndless: an Alpha with which values grow without end is refused, and the error names one that is small enough.
func TestEndless(t *testing.T) {
	g := testgraph.Skewed(300, 20, testgraph.Undirected).Weighted(1)
	for _, weighted := range []bool{false, true} {
		p := testgraph.Place(g, 2)
		_, err := katz.Run(t.Context(), p, katz.Options{Weighted: weighted})
		if !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "without end") {
			t.Fatalf("weighted %v: %v", weighted, err)
		}
		var alpha float64
		words := strings.Fields(err.Error()[:strings.Index(err.Error(), " is small enough")])
		if _, err := fmt.Sscan(words[len(words)-1], &alpha); err != nil {
			t.Fatal(err)
		}
		if f, err := run(p, katz.Options{Weighted: weighted, Alpha: alpha}); err != nil || !f.converged {
			t.Errorf("weighted %v, Alpha %v: converged %v, %v", weighted, alpha, f.converged, err)
		}
	}
}
