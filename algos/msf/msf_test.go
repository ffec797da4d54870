package msf_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// edgesOf returns the edges of a result, and the names of their trees.
func edgesOf(g *graph.Graph, r *msf.Result, unweighted bool) (map[oracle.ForestEdge]uint32, error) {
	tree, err := r.Tree.Slice()
	if err != nil {
		return nil, err
	}
	found, c := map[oracle.ForestEdge]uint32{}, g.Out()
	for v := range uint32(g.NumVertices()) {
		for at := c.Offsets[v]; at < c.Offsets[v+1]; at++ {
			if tree[at] == graph.NoVertex {
				continue
			}
			e := oracle.EdgeAt(g, v, at, unweighted)
			if _, twice := found[e]; twice || !g.Directed() && v < c.Targets[at] {
				return nil, fmt.Errorf("%v is marked twice, or in the wrong direction", e)
			}
			found[e] = tree[at]
		}
	}
	return found, nil
}

// check compares a run with the definition.
func check(p *graph.Placed, o msf.Options) error {
	g := p.Graph()
	r, err := msf.Run(context.Background(), p, o)
	if err != nil {
		return err
	}
	defer r.Close()
	found, err := edgesOf(g, r, o.Unweighted)
	if err != nil {
		return err
	}
	names, want := map[uint32]bool{}, oracle.Forest(g, o.Maximum, o.Unweighted)
	for e, name := range found {
		if names[name] = true; !want[e] {
			return fmt.Errorf("%v isn't in the forest %v", e, want)
		}
	}
	if len(found) != len(want) || r.Edges != len(want) || r.Trees != g.NumVertices()-len(want) {
		return fmt.Errorf("%d edges found, %d counted in %d trees, want %v", len(found), r.Edges, r.Trees, want)
	}
	return msf.Validate(g, r, o)
}

// random returns a graph whose weights often tie, of one of several types, with ids that repeat, or without.
func random(r *rand.Rand) (*graph.Graph, error) {
	n := 1 + r.IntN(30)
	kind, numbered := r.IntN(5), r.IntN(2) == 0
	b := graph.NewBuilder(graph.Options{Directed: r.IntN(3) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: r.IntN(2) == 0,
		Weights: kind > 0, EdgeIDs: numbered, Order: []graph.Order{graph.OrderGiven, graph.OrderDegree}[r.IntN(2)]})
	batch := graph.Batch{Type: graph.Int64}
	for range r.IntN(3*n) + 1 {
		batch.Src = append(batch.Src, 3*int64(r.IntN(n))-40)
		batch.Dst = append(batch.Dst, 3*int64(r.IntN(1+r.IntN(n)))-40)
		switch kind {
		case 1:
			batch.Weights = append(batch.Weights, float32(r.IntN(5)-2)/2)
		case 2:
			batch.FloatWeights = append(batch.FloatWeights, []float64{0, math.Copysign(0, -1), -1e300, 1e300, math.Inf(1), math.Inf(-1), .1, 1. / 3}[r.IntN(8)])
		case 3:
			batch.IntWeights = append(batch.IntWeights, []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}[r.IntN(7)])
		case 4:
			batch.IntWeights = append(batch.IntWeights, 1<<60+r.Int64N(4))
		}
		if numbered {
			batch.EdgeIDs = append(batch.EdgeIDs, []uint64{r.Uint64N(1000), r.Uint64N(3), math.MaxUint64 - r.Uint64N(2)}[r.IntN(3)])
		}
	}
	if err := b.Add(batch); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(400, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 31))
		g, err := random(r)
		if err != nil {
			t.Fatal(err)
		}
		o := msf.Options{Maximum: r.IntN(2) == 0, Unweighted: g.WeightType() == graph.WeightsAuto || r.IntN(4) == 0}
		if err := check(testgraph.Place(g, []int{1, 2, 3, 7}[seed%4]), o); err != nil {
			t.Fatalf("seed %d, %d vertices, directed %v, weights %v, %+v: %v", seed, g.NumVertices(), g.Directed(), g.WeightType(), o, err)
		}
	}
}

// TestRows: rows that don't ascend, as graph.FromCSR takes them.
func TestRows(t *testing.T) {
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 3, 6, 9, 12}, Targets: []uint32{3, 1, 2, 2, 0, 3, 0, 3, 1, 0, 2, 1},
		Weights: []float32{5, 1, 2, 4, 1, 6, 2, 3, 4, 5, 3, 6}}, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []msf.Options{{}, {Maximum: true}, {Unweighted: true}} {
		if err := check(testgraph.Place(g, 2), o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		for _, workers := range []int{1, 3} {
			for _, o := range []msf.Options{{}, {Maximum: true}, {Unweighted: true}} {
				r, err := msf.Run(t.Context(), testgraph.Place(c.Weighted(3), workers), o)
				if err == nil {
					err = msf.Validate(r.Tree.Graph(), r, o)
				}
				if err != nil {
					t.Errorf("%s: %v", c.Name, err)
				}
				r.Close()
			}
		}
	}
}

// TestDeep: trees of one round that are as deep as the graph.
func TestDeep(t *testing.T) {
	n := 1000000
	if testing.Short() || testgraph.Race {
		n = 50000
	}
	r, err := msf.Run(t.Context(), testgraph.Place(testgraph.Path(n).Graph(1), 2), msf.Options{Unweighted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Trees != 1 || r.Edges != n-1 || r.Stats.Rounds > 60 {
		t.Errorf("%d trees, %d edges, %d rounds", r.Trees, r.Edges, r.Stats.Rounds)
	}
	if err := msf.Validate(r.Tree.Graph(), r, msf.Options{Unweighted: true}); err != nil {
		t.Error(err)
	}
}

// TestOrders finds the same forest in each order of vertices and for any number of workers.
func TestOrders(t *testing.T) {
	for _, o := range []msf.Options{{}, {Maximum: true}, {Unweighted: true}} {
		for _, directed := range []bool{false, true} {
			var want []string
			for i, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto, graph.OrderAuto} {
				b := graph.NewBuilder(graph.Options{Order: order, Weights: true, Directed: directed})
				r := rand.New(rand.NewPCG(5, 5))
				src, dst, weights := make([]int64, 3000), make([]int64, 3000), make([]float32, 3000)
				for i := range src {
					src[i], dst[i], weights[i] = 7*r.Int64N(1000)-500, 7*r.Int64N(1+r.Int64N(1000))-500, float32(r.IntN(4))
				}
				if err := graph.AddInts(b, src, dst, weights); err != nil {
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
				res, err := msf.Run(t.Context(), p, o)
				if err != nil {
					t.Fatal(err)
				}
				found, err := edgesOf(g, res, o.Unweighted)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for e, name := range found {
					got = append(got, fmt.Sprint(e, g.IDs().Format(name)))
				}
				if slices.Sort(got); want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%+v, directed %v, order %v: another forest", o, directed, order)
				}
			}
		}
	}
}

// TestKarate: networkx 3.6.1 finds weights of 52 and 330 for minimum and maximum spanning trees of the karate club whose
// edges weigh the product of the ids, modulo 17.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := graph.NewBuilder(graph.Options{Weights: true})
	var src, dst []int64
	var weights []float32
	for v := range uint32(g.NumVertices()) {
		for _, w := range g.Out().Neighbors(v) {
			from, to := g.IDs().Int(v), g.IDs().Int(w)
			src, dst, weights = append(src, from), append(dst, to), append(weights, float32(from*to%17))
		}
	}
	if err := graph.AddInts(b, src, dst, weights); err != nil {
		t.Fatal(err)
	}
	if g, err = b.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[float64]msf.Options{52: {}, 330: {Maximum: true}, 0: {Unweighted: true}} {
		r, err := msf.Run(t.Context(), testgraph.Place(g, 2), o)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := r.Weight(); r.Edges != 33 || r.Trees != 1 || w != want || err != nil {
			t.Errorf("%+v: %d edges, %d trees, weight %v, %v", o, r.Edges, r.Trees, w, err)
		}
		r.Close()
	}
}

func TestWeight(t *testing.T) {
	inf := math.Inf(1)
	for want, weights := range map[float64][]float64{6: {1, 2, 3}, 1: {1e308, 1, -1e308}, inf: {1, inf, 2}, -inf: {3, -inf, 4}} {
		b := graph.NewBuilder(graph.Options{Weights: true})
		if err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{1, 2, 3}, Dst: []int64{2, 3, 4}, FloatWeights: weights}); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, err := msf.Run(t.Context(), testgraph.Place(g, 1), msf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Weight(); got != want || err != nil {
			t.Errorf("%v: %v, %v", weights, got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	plain := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed), 1)
	nan := testgraph.Placed(graph.Options{Weights: true}, []int64{1, 2}, []int64{2, 3}, float32(math.NaN()), 1)
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    msf.Options
		want error
	}{
		"engine":     {context.Background(), plain, msf.Options{Unweighted: true, Engine: 99}, graph.ErrOptions},
		"freed":      {context.Background(), gone, msf.Options{}, device.ErrClosed},
		"no graph":   {context.Background(), nil, msf.Options{}, graph.ErrNoGraph},
		"no weights": {context.Background(), plain, msf.Options{}, graph.ErrNoWeights},
		"NaN":        {context.Background(), nan, msf.Options{}, graph.ErrWeights},
		"canceled":   {ended, plain, msf.Options{Unweighted: true}, context.Canceled},
	} {
		if r, err := msf.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := msf.Options{Unweighted: true, EachLevel: func(traverse.Level) { cancel() }}
	if _, err := msf.Run(ctx, testgraph.Place(testgraph.Path(5000).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{Weights: true, Order: graph.OrderGiven}, []int64{1, 2, 3, 1}, []int64{2, 3, 1, 4}, 1, 2, 3, 9)
	for name, spoil := range map[string]func(r *msf.Result, a []uint32){
		"heavier edge": func(_ *msf.Result, a []uint32) { a[5], a[6] = a[6], a[5] }, // 3-1 for 3-2
		"missing":      func(r *msf.Result, a []uint32) { a[6] = graph.NoVertex; r.Edges--; r.Trees++ },
		"name":         func(_ *msf.Result, a []uint32) { a[6] = 1 },
		"edges":        func(r *msf.Result, _ []uint32) { r.Edges++ },
		"trees":        func(r *msf.Result, _ []uint32) { r.Trees++ },
		"freed":        func(r *msf.Result, _ []uint32) { r.Close() },
	} {
		r, err := msf.Run(context.Background(), p, msf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := msf.Validate(p.Graph(), r, msf.Options{}); err != nil {
			t.Fatal(err)
		}
		all, _ := r.Tree.Slice()
		spoil(r, all)
		if err := msf.Validate(p.Graph(), r, msf.Options{}); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := msf.Validate(p.Graph(), nil, msf.Options{}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := msf.Validate(nil, nil, msf.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
