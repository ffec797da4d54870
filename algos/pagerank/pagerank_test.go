package pagerank_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// near reports an error where ranks differ from the oracle's by more than a share of each, or
// by more than so much.
func near(got, want []float64, relative, absolute float64) error {
	for v := range want {
		if d := math.Abs(got[v] - want[v]); !(d <= relative*want[v]+absolute) {
			return fmt.Errorf("vertex %d has %v, want %v: off by %v", v, got[v], want[v], d)
		}
	}
	return nil
}

// check runs and compares with the oracle.
func check(p *graph.Placed, o pagerank.Options) error {
	r, err := pagerank.Run(context.Background(), p, o)
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := r.Ranks.Slice()
	if err != nil {
		return err
	}
	exact := o
	if o.Tolerance > 0 {
		exact.Tolerance, exact.Iterations = 1e-15, 1000
	}
	want, _, err := pagerank.Sequential(p.Graph(), exact)
	if err != nil {
		return err
	}
	off := 0.0
	if o.Tolerance > 0 {
		if !r.Converged || r.Change >= o.Tolerance {
			return fmt.Errorf("%d rounds, the last changed %v", r.Iterations, r.Change)
		}
		off = o.Tolerance / (1 - 0.85)
	}
	if o.Tolerance < 0 && p.NumVertices() > 0 && r.Iterations != o.Iterations {
		return fmt.Errorf("%d rounds", r.Iterations)
	}
	single := 5e-7
	if o.Tolerance > 0 && o.Tolerance < 1e-6 {
		single = 1e-12
	}
	return errors.Join(near(got, want, single, off), pagerank.Validate(p.Graph(), r, o))
}

// options draws a number of rounds or a tolerance.
func options(r *rand.Rand, n int, weighted bool) pagerank.Options {
	o := pagerank.Options{Tolerance: -1, Iterations: 1 + r.IntN(20), Weighted: weighted && r.IntN(2) == 0}
	switch r.IntN(3) {
	case 0:
		o.Tolerance, o.Iterations = 1e-5, 1000
	case 1:
		o.Tolerance, o.Iterations = 1e-10, 1000
	}
	if n > 0 && r.IntN(3) == 0 {
		o.Personalization = make([]float64, n)
		for v := range o.Personalization {
			if r.IntN(3) == 0 {
				o.Personalization[v] = r.Float64() * 7
			}
		}
		o.Personalization[r.IntN(n)] = 1
	}
	if n > 0 && r.IntN(3) == 0 {
		o.Start = make([]float64, n)
		for v := range o.Start {
			o.Start[v] = []float64{0, 3 * r.Float64(), r.Float64(), math.NaN()}[r.IntN(4)]
		}
		o.Start[r.IntN(n)] = 2
	}
	return o
}

func TestRandomGraphs(t *testing.T) {
	rounds := testlong.Rounds(200, 5000)
	if testing.Short() || testgraph.Race {
		rounds = 300
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 1 + r.IntN(40)
		es := make([]testgraph.Edge, r.IntN(4*n))
		for i := range es { // with loops and duplicates; vertices without edges are common
			es[i] = testgraph.Edge{From: r.Uint32N(uint32(n)), To: r.Uint32N(uint32(n))}
		}
		kind := []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse}[r.IntN(2)]
		p := testgraph.Place(testgraph.BuildWeighted(n, es, kind, seed), []int{1, 2, 3, 7}[seed%4])
		if o := options(r, n, true); true {
			if err := check(p, o); err != nil {
				t.Fatalf("seed %d, %v, %d vertices, %+v: %v", seed, kind, n, o, err)
			}
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		if c.Kind == testgraph.Directed {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			g := c.Graph(3)
			for _, workers := range []int{1, 3} {
				p := testgraph.Place(g, workers)
				for _, o := range []pagerank.Options{{Iterations: 10, Tolerance: -1}, {Tolerance: 1e-4, Iterations: 500}, {Tolerance: 1e-9, Iterations: 500}} {
					if err := check(p, o); err != nil {
						t.Errorf("%d workers, %+v: %v", workers, o, err)
					}
				}
			}
		})
	}
}

// TestSame: a run leaves the same bits, whatever the number of workers.
func TestSame(t *testing.T) {
	g := testgraph.Skewed(5000, 8, testgraph.WithReverse).Graph(1)
	var want []float64
	for _, workers := range []int{1, 2, 3, 7, 7} {
		r, err := pagerank.Run(context.Background(), testgraph.Place(g, workers), pagerank.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := r.Ranks.Slice()
		if want == nil {
			want = got
		}
		if err := near(got, want, 0, 0); err != nil {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

// TestMomentum: a long path converges slowly, and takes fewer rounds than the oracle's.
func TestMomentum(t *testing.T) {
	p := testgraph.Place(testgraph.Path(3000).Graph(1), 2)
	o := pagerank.Options{Tolerance: 1e-8, Iterations: 500}
	var levels []int
	o.Stats, o.EachLevel = true, func(l traverse.Level) { levels = append(levels, l.Level) }
	r, err := pagerank.Run(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	_, plain, err := pagerank.Sequential(p.Graph(), o)
	if err != nil || r.Iterations*3/2 > plain || !r.Converged {
		t.Errorf("%d rounds, plain ones are %d; converged %v; %v", r.Iterations, plain, r.Converged, err)
	}
	if len(levels) != r.Iterations || levels[len(levels)-1] != r.Iterations || len(r.Stats.Levels) != r.Iterations || r.Stats.Levels[4].Level != 5 {
		t.Errorf("%d rounds were told as %v and kept as %v", r.Iterations, levels, r.Stats.Levels)
	}
}

func TestErrors(t *testing.T) {
	nan := math.NaN()
	plain := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.WithReverse), 1)
	oneWay := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed), 1)
	weights := func(w ...float32) *graph.Placed {
		return testgraph.Placed(graph.Options{Directed: true, Reverse: true, Weights: true}, []int64{0, 1}, []int64{1, 2}, w...)
	}
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    pagerank.Options
		want error
	}{
		"damping 1":         {nil, plain, pagerank.Options{Damping: 1}, graph.ErrOptions},
		"damping NaN":       {nil, plain, pagerank.Options{Damping: nan}, graph.ErrOptions},
		"tolerance NaN":     {nil, plain, pagerank.Options{Tolerance: nan}, graph.ErrOptions},
		"tolerance Inf":     {nil, plain, pagerank.Options{Tolerance: math.Inf(1)}, graph.ErrOptions},
		"iterations":        {nil, plain, pagerank.Options{Iterations: -1}, graph.ErrOptions},
		"few jumps":         {nil, plain, pagerank.Options{Personalization: []float64{1}}, graph.ErrOptions},
		"no jumps":          {nil, plain, pagerank.Options{Personalization: []float64{0, 0, 0}}, graph.ErrOptions},
		"negative jump":     {nil, plain, pagerank.Options{Personalization: []float64{2, -1, 0}}, graph.ErrOptions},
		"endless jumps":     {nil, plain, pagerank.Options{Personalization: []float64{1e308, 1e308, 0}}, graph.ErrOptions},
		"few starts":        {nil, plain, pagerank.Options{Start: []float64{1}}, graph.ErrOptions},
		"starts of 0":       {nil, plain, pagerank.Options{Start: []float64{0, 0, nan}}, graph.ErrOptions},
		"negative start":    {nil, plain, pagerank.Options{Start: []float64{2, -1, 0}}, graph.ErrOptions},
		"endless starts":    {nil, plain, pagerank.Options{Start: []float64{1e308, 1e308, 0}}, graph.ErrOptions},
		"a start of Inf":    {nil, plain, pagerank.Options{Start: []float64{1, math.Inf(1), 0}}, graph.ErrOptions},
		"half-life 0":       {nil, plain, pagerank.Options{Decay: pagerank.Decay{Column: "t"}}, graph.ErrOptions},
		"decay by nothing":  {nil, plain, pagerank.Options{Decay: pagerank.Decay{HalfLife: 1}}, graph.ErrOptions},
		"reference NaN":     {nil, plain, pagerank.Options{Decay: pagerank.Decay{Column: "t", HalfLife: 1, Reference: nan}}, graph.ErrOptions},
		"no such column":    {nil, plain, pagerank.Options{Decay: pagerank.Decay{Column: "t", HalfLife: 1}}, graph.ErrNoColumn},
		"no reverse":        {nil, oneWay, pagerank.Options{}, graph.ErrNoReverse},
		"no weights":        {nil, plain, pagerank.Options{Weighted: true}, graph.ErrNoWeights},
		"a negative weight": {nil, weights(1, -2), pagerank.Options{Weighted: true}, graph.ErrWeights},
		"a weight of NaN":   {nil, weights(1, float32(nan)), pagerank.Options{Weighted: true}, graph.ErrWeights},
		"an endless weight": {nil, weights(1, float32(math.Inf(1))), pagerank.Options{Weighted: true}, graph.ErrWeights},
		"freed":             {nil, gone, pagerank.Options{}, device.ErrClosed},
		"no graph":          {nil, nil, pagerank.Options{}, graph.ErrNoGraph},
		"canceled":          {ended, plain, pagerank.Options{}, context.Canceled},
	} {
		if c.ctx == nil {
			c.ctx = context.Background()
		}
		if r, err := pagerank.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := pagerank.Options{Iterations: 1 << 30, Tolerance: -1, EachLevel: func(l traverse.Level) {
		if l.Level == 3 {
			cancel()
		}
	}}
	if _, err := pagerank.Run(ctx, testgraph.Place(testgraph.Path(100).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestOrders ranks the same graph in each order of vertices.
func TestOrders(t *testing.T) {
	var want []float64
	for _, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto} {
		b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, Order: order})
		r := rand.New(rand.NewPCG(5, 5))
		src, dst := make([]int64, 3000), make([]int64, 3000)
		for i := range src {
			src[i], dst[i] = r.Int64N(1000), r.Int64N(1+r.Int64N(1000))
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
		res, err := pagerank.Run(context.Background(), p, pagerank.Options{Tolerance: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		got, err := res.Ranks.ByID()
		if want == nil {
			want = got
		}
		if err := errors.Join(err, near(got, want, 1e-9, 0)); err != nil {
			t.Errorf("order %v: %v", order, err)
		}
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Place(testgraph.Skewed(300, 5, testgraph.WithReverse).Graph(4), 2)
	for name, spoil := range map[string]func(a []float64){
		"two exchanged": func(a []float64) { a[0], a[1] = a[1], a[0] },
		"one too large": func(a []float64) { a[5] *= 1.2 },
		"all scaled": func(a []float64) {
			for v := range a {
				a[v] *= 1.001
			}
		},
		"moved":    func(a []float64) { a[7] += a[9] / 2; a[9] /= 2 },
		"negative": func(a []float64) { a[3] = -a[3] },
		"NaN":      func(a []float64) { a[2] = math.NaN() },
	} {
		r, err := pagerank.Run(context.Background(), p, pagerank.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := pagerank.Validate(p.Graph(), r, pagerank.Options{}); err != nil {
			t.Fatal(err)
		}
		all, _ := r.Ranks.Slice()
		spoil(all)
		if err := pagerank.Validate(p.Graph(), r, pagerank.Options{}); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
		if err := pagerank.Validate(p.Graph(), r, pagerank.Options{}); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("freed: got %v", err)
		}
	}
	if err := pagerank.Validate(p.Graph(), nil, pagerank.Options{}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
}

// TestPasses ranks graphs that converge slowly and fast, of more vertices than a worker takes at a
// time: the ranks are right, and the same for any number of workers.
func TestPasses(t *testing.T) {
	testlong.Project(t)
	n := 100_000
	if testing.Short() {
		n = 40_000
	}
	for _, c := range []testgraph.Case{testgraph.Path(n), testgraph.Uniform(n, 3, testgraph.Undirected), testgraph.Uniform(n/2, 20, testgraph.Undirected)} {
		for _, o := range []pagerank.Options{{Tolerance: 1e-5, Iterations: 500}, {Tolerance: 1e-8, Iterations: 500, Weighted: true}, {Tolerance: 1e-9, Iterations: 3}} {
			g := c.Weighted(1)
			var want []float64
			for _, workers := range []int{1, 2, 7} {
				r, err := pagerank.Run(t.Context(), testgraph.Place(g, workers), o)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := r.Ranks.Slice()
				if want == nil {
					want = got
					if o.Iterations > 3 {
						if err := pagerank.Validate(g, r, o); err != nil || !r.Converged {
							t.Errorf("%s, %+v: converged %v, %v", c.Name, o, r.Converged, err)
						}
					} else if r.Iterations != 3 || r.Converged {
						t.Errorf("%s: %d rounds of 3, converged %v", c.Name, r.Iterations, r.Converged)
					}
				}
				if err := near(got, want, 0, 0); err != nil {
					t.Errorf("%s, %d workers: %v", c.Name, workers, err)
				}
			}
		}
	}
}

// TestIterationsKeepTolerance: options that set one field keep the defaults of the others.
func TestIterationsKeepTolerance(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("complete").Graph(1), 1)
	defer p.Close()
	r, err := pagerank.Run(context.Background(), p, pagerank.Options{Iterations: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !r.Converged || r.Iterations == 1000 {
		t.Errorf("%d rounds, converged %t: the tolerance is lost", r.Iterations, r.Converged)
	}
}
