package degree_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// directions are the three ways to count.
var directions = []degree.Options{{}, {In: true}, {Out: true}, {In: true, Out: true}}

// found are the values of a run.
type found struct {
	degree               []uint64
	centrality, strength []float64
}

func run(p *graph.Placed, o degree.Options) (f found, err error) {
	r, err := degree.Run(context.Background(), p, o)
	if err != nil {
		return f, err
	}
	if err := degree.Validate(p.Graph(), r, o); err != nil {
		return f, err
	}
	for _, copied := range []func() error{
		func() error { all, err := r.Degree.Slice(); f.degree = slices.Clone(all); return err },
		func() error { all, err := r.Centrality.Slice(); f.centrality = slices.Clone(all); return err },
		func() error {
			if r.Strength == nil {
				return nil
			}
			all, err := r.Strength.Slice()
			f.strength = slices.Clone(all)
			return err
		},
	} {
		if err := copied(); err != nil {
			return f, err
		}
	}
	return f, r.Close()
}

// same compares bit by bit.
func (f found) same(g found) bool {
	return slices.Equal(f.degree, g.degree) && slices.Equal(f.centrality, g.centrality) && slices.Equal(f.strength, g.strength)
}

// check compares runs, on several numbers of workers, with counts of the edges that a graph was made of.
func check(g *graph.Graph, es []testgraph.Edge) error {
	for _, o := range directions {
		o.Weighted = g.Out().Weights != nil
		counted := make([]uint64, g.NumVertices())
		for _, e := range es {
			if !g.Directed() || o.Out || !o.In {
				counted[e.From]++
			}
			if !g.Directed() || o.In || !o.Out {
				counted[e.To]++
			}
		}
		var first found
		for i, workers := range []int{1, 2, 3, 7} {
			f, err := run(testgraph.Place(g, workers), o)
			if err != nil {
				return fmt.Errorf("%+v: %w", o, err)
			}
			if i == 0 {
				first = f
			}
			if !f.same(first) {
				return fmt.Errorf("%+v: %d workers find %v, one %v", o, workers, f, first)
			}
		}
		if !slices.Equal(first.degree, counted) {
			return fmt.Errorf("%+v: %v, want %v", o, first.degree, counted)
		}
	}
	return nil
}

func TestRandomGraphs(t *testing.T) {
	for seed := range uint64(testlong.Rounds(150, 100_000)) {
		g, es := testgraph.Loaded(rand.New(rand.NewPCG(seed, 12)), 40)
		if err := check(g, es); err != nil {
			t.Fatalf("seed %d, directed %v, %d vertices, %d edges: %v", seed, g.Directed(), g.NumVertices(), len(es), err)
		}
	}
}

// TestShapes has graphs with hubs, and the empty one.
func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		t.Run(c.Name, func(t *testing.T) {
			for _, o := range directions {
				g := c.Weighted(3)
				if o.Weighted = true; g.Directed() && !g.HasReverse() && (o.In || !o.Out) {
					continue
				}
				var first found
				for _, workers := range []int{1, 3} {
					f, err := run(testgraph.Place(g, workers), o)
					if err != nil {
						t.Fatal(err)
					}
					if workers == 1 {
						first = f
					}
					if !f.same(first) {
						t.Errorf("%+v: %d workers find something else", o, workers)
					}
				}
			}
		})
	}
}

// TestNetworkx compares with what networkx 3.6 finds: degree, in_degree and out_degree, also by weight, and
// degree_centrality, of DiGraph.add_weighted_edges_from([(1, 2, 2), (1, 3, .5), (2, 3, 3), (3, 1, 1), (3, 4, 1.5),
// (4, 4, 2), (4, 2, .25), (5, 1, 4)]), and of the Graph [(1, 2, 2), (2, 3, .5), (3, 3, 1.5), (3, 1, 4)].
func TestNetworkx(t *testing.T) {
	loops := graph.Options{Reverse: true, KeepSelfLoops: true, Weights: true, Order: graph.OrderGiven}
	undirected := testgraph.Placed(loops, []int64{1, 2, 3, 3}, []int64{2, 3, 3, 1}, 2, .5, 1.5, 4)
	loops.Directed = true
	directed := testgraph.Placed(loops, []int64{1, 1, 2, 3, 3, 4, 4, 5}, []int64{2, 3, 3, 1, 4, 4, 2, 1}, 2, .5, 3, 1, 1.5, 2, .25, 4)
	for _, c := range []struct {
		p    *graph.Placed
		o    degree.Options
		want found
	}{
		{directed, degree.Options{}, found{[]uint64{4, 3, 4, 4, 1}, []float64{1, .75, 1, 1, .25}, []float64{7.5, 5.25, 6, 5.75, 4}}},
		{directed, degree.Options{In: true}, found{[]uint64{2, 2, 2, 2, 0}, []float64{.5, .5, .5, .5, 0}, []float64{5, 2.25, 3.5, 3.5, 0}}},
		{directed, degree.Options{Out: true}, found{[]uint64{2, 1, 2, 2, 1}, []float64{.5, .25, .5, .5, .25}, []float64{2.5, 3, 2.5, 2.25, 4}}},
		{undirected, degree.Options{}, found{[]uint64{2, 2, 4}, []float64{1, 1, 2}, []float64{6, 2.5, 7.5}}},
		{undirected, degree.Options{In: true}, found{[]uint64{2, 2, 4}, []float64{1, 1, 2}, []float64{6, 2.5, 7.5}}},
	} {
		c.o.Weighted = true
		if got, err := run(c.p, c.o); err != nil || !got.same(c.want) {
			t.Errorf("%+v: %v, %v; want %v", c.o, got, err, c.want)
		}
	}
}

// TestKarate compares with networkx' degree of Zachary's karate club, vertices 1 to 34.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []uint64{16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2, 2, 2, 2, 3, 2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17}
	r, err := degree.Run(t.Context(), testgraph.Place(g, 2), degree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := r.Degree.ByID()
	if err != nil || !slices.Equal(got, want) || r.Largest != 17 {
		t.Errorf("got %v, largest %d, %v", got, r.Largest, err)
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
		o    degree.Options
		want error
	}{
		"no reverse": {context.Background(), oneWay, degree.Options{}, graph.ErrNoReverse},
		"in-edges":   {context.Background(), oneWay, degree.Options{In: true}, graph.ErrNoReverse},
		"no weights": {context.Background(), plain, degree.Options{Weighted: true}, graph.ErrNoWeights},
		"freed":      {context.Background(), gone, degree.Options{}, device.ErrClosed},
		"no graph":   {context.Background(), nil, degree.Options{}, graph.ErrNoGraph},
		"canceled":   {ended, plain, degree.Options{}, context.Canceled},
	} {
		if r, err := degree.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
	if r, err := degree.Run(t.Context(), oneWay, degree.Options{Out: true}); err != nil || r.Close() != nil {
		t.Error("out-edges without the reverse:", err)
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
		_, err = degree.Run(t.Context(), testgraph.Place(g, 2), degree.Options{Weighted: true})
		if !errors.Is(err, graph.ErrWeights) || !strings.Contains(err.Error(), "2") || !strings.Contains(err.Error(), "3") {
			t.Errorf("%v: %v", w, err)
		}
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Place(testgraph.Skewed(300, 2, testgraph.Undirected).Weighted(4), 2)
	o := degree.Options{Weighted: true}
	for name, spoil := range map[string]func(r *degree.Result, d []uint64, c, s []float64){
		"a degree":     func(_ *degree.Result, d []uint64, _, _ []float64) { d[7]++ },
		"a centrality": func(_ *degree.Result, _ []uint64, c, _ []float64) { c[7] = math.NaN() },
		"a strength":   func(_ *degree.Result, _ []uint64, _, s []float64) { s[7] = math.NaN() },
		"the largest":  func(r *degree.Result, _ []uint64, _, _ []float64) { r.Largest++ },
		"no strength":  func(r *degree.Result, _ []uint64, _, _ []float64) { r.Strength = nil },
		"freed":        func(r *degree.Result, _ []uint64, _, _ []float64) { r.Close() },
	} {
		r, err := degree.Run(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		d, err1 := r.Degree.Slice()
		c, err2 := r.Centrality.Slice()
		s, err3 := r.Strength.Slice()
		if err := errors.Join(err1, err2, err3, degree.Validate(p.Graph(), r, o)); err != nil {
			t.Fatal(err)
		}
		spoil(r, d, c, s)
		if err := degree.Validate(p.Graph(), r, o); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := degree.Validate(nil, nil, o); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	if err := degree.Validate(p.Graph(), nil, o); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
}
