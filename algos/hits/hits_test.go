package hits_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/hits"
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
	values    []float64 // hubs, and then authorities
	rounds    int
	change    float64
	converged bool
}

func run(p *graph.Placed, o hits.Options) (f found, err error) {
	r, err := hits.Run(context.Background(), p, o)
	if err != nil {
		return f, err
	}
	if err := hits.Validate(p.Graph(), r, o); err != nil {
		return f, err
	}
	f.rounds, f.change, f.converged = r.Iterations, r.Change, r.Converged
	for _, of := range []*traverse.Values[float64]{r.Hubs, r.Authorities} {
		all, err := of.Slice()
		if err != nil {
			return f, err
		}
		f.values = append(f.values, all...)
	}
	return f, r.Close()
}

// onWorkers runs on several numbers of workers, and compares bit by bit.
func onWorkers(g *graph.Graph, o hits.Options) (first found, err error) {
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
func check(g *graph.Graph, o hits.Options) error {
	f, err := onWorkers(g, o)
	if err != nil {
		return err
	}
	want, authorities, rounds, _ := oracle.Hits(g, oracle.Powers{Tolerance: o.Tolerance, Iterations: o.Iterations, Weighted: o.Weighted})
	want = append(want, authorities...)
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
		r := rand.New(rand.NewPCG(seed, 14))
		g, es := testgraph.Loaded(r, 40)
		o := hits.Options{Tolerance: math.Pow(10, -2-8*r.Float64()), Iterations: 1 + r.IntN(200), Weighted: g.Out().Weights != nil && r.IntN(4) > 0}
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
				if err := check(g, hits.Options{Iterations: 12, Tolerance: 1e-10, Weighted: weighted}); err != nil {
					t.Errorf("weighted %v: %v", weighted, err)
				}
			}
		})
	}
}

// TestKarate compares with what networkx 3.6 finds for Zachary's karate club: both vectors of hits of vertices 1 to 34.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		0.0714127288, 0.0534272312, 0.0637190645, 0.0424227371, 0.0152609597, 0.0159669135, 0.0159669135, 0.0343431672, 0.0456819251, 0.0206256678,
		0.0152609597, 0.0106178915, 0.0169254508, 0.0454948641, 0.0203703458, 0.0203703458, 0.00474803184, 0.018561637, 0.0203703458, 0.0297133339,
		0.0203703458, 0.018561637, 0.0203703458, 0.0301564975, 0.0114609522, 0.0118936644, 0.0151827343, 0.0268134941, 0.0263315058, 0.0271115396,
		0.035106238, 0.0383757419, 0.0620018465, 0.0750029421,
	}
	p := testgraph.Place(g, 2)
	r, err := hits.Run(t.Context(), p, hits.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, of := range []*traverse.Values[float64]{r.Hubs, r.Authorities} {
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
// (3, 1, 4)]: _hits_python(tol=1e-14, max_iter=1000).
func TestNetworkx(t *testing.T) {
	loops := graph.Options{Reverse: true, KeepSelfLoops: true, Weights: true, Order: graph.OrderGiven}
	undirected := testgraph.Placed(loops, []int64{1, 2, 3, 3}, []int64{2, 3, 3, 1}, 2, .5, 1.5, 4)
	loops.Directed = true
	directed := testgraph.Placed(loops, []int64{1, 1, 2, 3, 3, 4, 4, 5}, []int64{2, 3, 3, 1, 4, 4, 2, 1}, 2, .5, 3, 1, 1.5, 2, .25, 4)
	for _, c := range []struct {
		p    *graph.Placed
		o    hits.Options
		want []float64
	}{
		{directed, hits.Options{Weighted: true, Tolerance: 1e-14, Iterations: 1000}, []float64{
			0.0019779469146219454, 0.00036156678823257043, 0.2194549916973708, 0.05016680217921361, 0.728038692420561,
			0.8748253427889793, 0.00460865649081187, 0.0005792875071973958, 0.11998671321301138, 0}},
		{undirected, hits.Options{Weighted: true, Tolerance: 1e-14, Iterations: 1000}, []float64{
			0.38813817340461965, 0.18490293815186257, 0.42695888844351787, 0.38813817340461965, 0.18490293815186257, 0.42695888844351787}},
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
		o    hits.Options
		want error
	}{
		"iterations": {context.Background(), plain, hits.Options{Iterations: -1}, graph.ErrOptions},
		"tolerance":  {context.Background(), plain, hits.Options{Tolerance: math.NaN()}, graph.ErrOptions},
		"no reverse": {context.Background(), oneWay, hits.Options{}, graph.ErrNoReverse},
		"no weights": {context.Background(), plain, hits.Options{Weighted: true}, graph.ErrNoWeights},
		"freed":      {context.Background(), gone, hits.Options{}, device.ErrClosed},
		"no graph":   {context.Background(), nil, hits.Options{}, graph.ErrNoGraph},
		"canceled":   {ended, plain, hits.Options{}, context.Canceled},
	} {
		if r, err := hits.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
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
		_, err = hits.Run(t.Context(), testgraph.Place(g, 2), hits.Options{Weighted: true})
		if !errors.Is(err, graph.ErrWeights) || !strings.Contains(err.Error(), "2") || !strings.Contains(err.Error(), "3") {
			t.Errorf("%v: %v", w, err)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := hits.Options{Iterations: 1 << 30, Tolerance: 1e-300, EachLevel: func(l traverse.Level) {
		if l.Level == 3 {
			cancel()
		}
	}}
	if _, err := hits.Run(ctx, testgraph.Place(testgraph.Skewed(300, 4, testgraph.Undirected).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Place(testgraph.Skewed(300, 2, testgraph.Undirected).Weighted(4), 2)
	o := hits.Options{Iterations: 1000}
	for name, spoil := range map[string]func(r *hits.Result, x []float64){
		"a value":         func(_ *hits.Result, x []float64) { x[7] *= 1.001 },
		"no number":       func(_ *hits.Result, x []float64) { x[7] = math.NaN() },
		"negative":        func(_ *hits.Result, x []float64) { x[7] = -x[7] },
		"scaled":          func(_ *hits.Result, x []float64) { double(x) },
		"rounds left out": func(r *hits.Result, _ []float64) { r.Iterations = 0 },
		"rounds not made": func(r *hits.Result, _ []float64) { r.Iterations++ },
		"not converged":   func(r *hits.Result, _ []float64) { r.Converged = false },
		"change":          func(r *hits.Result, _ []float64) { r.Change /= 2 },
		"freed":           func(r *hits.Result, _ []float64) { r.Close() },
	} {
		for i := range 2 {
			r, err := hits.Run(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			x, err := []*traverse.Values[float64]{r.Hubs, r.Authorities}[i].Slice()
			if err := errors.Join(err, hits.Validate(p.Graph(), r, o)); err != nil {
				t.Fatal(err)
			}
			spoil(r, x)
			if err := hits.Validate(p.Graph(), r, o); !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := hits.Validate(nil, nil, o); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	if err := hits.Validate(p.Graph(), nil, o); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
}

func double(x []float64) {
	for v := range x {
		x[v] *= 2
	}
}
