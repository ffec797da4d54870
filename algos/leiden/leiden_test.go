package leiden_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// find runs and validates.
func find(p *graph.Placed, o leiden.Options) (label []uint32, value float64, err error) {
	r, err := leiden.Run(context.Background(), p, o)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	if err := leiden.Validate(p.Graph(), r, o); err != nil {
		return nil, 0, err
	}
	all, err := r.Community.Slice()
	return slices.Clone(all), r.Modularity, err
}

// TestRandomGraphs compares the modularity of random graphs, in the mean, with that of the loop over one vertex after the other,
// and labels with those of other numbers of workers.
func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(400, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	got, want := 0.0, 0.0
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 47))
		n := r.IntN(60)
		if r.IntN(100) == 0 {
			n = 700
		}
		es := []testgraph.Edge{}
		for range r.IntN(4*n + 1) { // with loops and duplicates, and some vertices of many edges
			es = append(es, testgraph.Edge{From: r.Uint32N(1 + r.Uint32N(uint32(n))), To: r.Uint32N(uint32(n))})
		}
		kind := []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse}[r.IntN(2)]
		o := leiden.Options{Seed: r.Uint64N(4), Resolution: []float64{0, 0.5, 1, 3}[r.IntN(4)], Levels: r.IntN(2) == 0}
		g := testgraph.Build(n, es, kind)
		if r.IntN(2) == 0 {
			g, o.Weighted = testgraph.BuildWeighted(n, es, kind, seed), true
		}
		label, value, err := find(testgraph.Place(g, 1), o)
		if err != nil {
			t.Fatalf("seed %d, %v, %d vertices, %d edges, %+v: %v", seed, kind, n, len(es), o, err)
		}
		workers := []int{2, 3, 7}[seed%3]
		if again, value2, err := find(testgraph.Place(g, workers), o); err != nil || !slices.Equal(again, label) || value2 != value {
			t.Fatalf("seed %d, %v, %d vertices, %d edges, %+v: %d workers find others: %v", seed, kind, n, len(es), o, workers, err)
		}
		gamma := o.Resolution
		if gamma == 0 {
			gamma = 1
		}
		got += value
		want += oracle.Modularity(g, oracle.Leiden(g, gamma, o.Weighted, seed), gamma, o.Weighted)
	}
	if got < 0.995*want {
		t.Errorf("the mean modularity is %.5f, that of the reference %.5f", got/float64(graphs), want/float64(graphs))
	}
}

// TestReference compares the mean modularity of larger graphs with that of the loop over one vertex after the other.
func TestReference(t *testing.T) {
	for _, c := range []testgraph.Case{testgraph.Skewed(1000, 8, testgraph.Undirected), testgraph.Uniform(1000, 6, testgraph.WithReverse),
		testgraph.Skewed(3000, 16, testgraph.Undirected), testgraph.ByName("road-undirected"), testgraph.ByName("hubs"), testgraph.ByName("cycle"), testgraph.ByName("tree")} {
		g := c.Graph(3)
		got, want := 0.0, 0.0
		const seeds = 4
		for seed := range uint64(seeds) {
			_, value, err := find(testgraph.Place(g, 2), leiden.Options{Seed: seed})
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			got += value / seeds
			want += oracle.Modularity(g, oracle.Leiden(g, 1, false, seed), 1, false) / seeds
		}
		t.Logf("%s: %.5f, reference %.5f", c.Name, got, want)
		if got < 0.995*want {
			t.Errorf("%s: the modularity is %.5f, that of the reference %.5f", c.Name, got, want)
		}
	}
}

// TestLarge: graphs of many vertices have more groups. Communities are the same for any number of workers there too.
func TestLarge(t *testing.T) {
	g := testgraph.Skewed(140_000, 3, testgraph.Undirected).Graph(3)
	want, _, err := find(testgraph.Place(g, 1), leiden.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := find(testgraph.Place(g, 3), leiden.Options{}); err != nil || !slices.Equal(got, want) {
		t.Error("other communities with 3 workers:", err)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		if c.Kind == testgraph.Directed {
			continue
		}
		for _, workers := range []int{1, 3} {
			if _, _, err := find(testgraph.Place(c.Graph(3), workers), leiden.Options{Seed: 5, Levels: true}); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}

// TestKarate: the largest modularity of any communities is 0.4198 (Brandes et al., 2008).
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 2)
	most, found := 0.0, map[string]bool{}
	for seed := range uint64(50) {
		label, value, err := find(p, leiden.Options{Seed: seed})
		if err != nil || value < 0.38 || value > 0.41981 {
			t.Errorf("seed %d: %v, %v", seed, value, err)
		}
		most = max(most, value)
		found[fmt.Sprint(label)] = true
	}
	if most < 0.4197 || len(found) < 3 {
		t.Errorf("the largest modularity of 50 seeds is %v, of %d divisions", most, len(found))
	}
}

// cliques returns a ring of cliques: one edge joins each to the next.
func cliques(n, size int, o graph.Options) *graph.Placed {
	var src, dst []int64
	for c := range int64(n) {
		for i := range int64(size) {
			for j := range i {
				src, dst = append(src, c*int64(size)+i), append(dst, c*int64(size)+j)
			}
		}
		src, dst = append(src, c*int64(size)), append(dst, (c+1)%int64(n)*int64(size)+1)
	}
	return testgraph.Placed(o, src, dst)
}

// TestPlanted finds planted communities, directed or not.
func TestPlanted(t *testing.T) {
	for _, o := range []graph.Options{{}, {Directed: true, Reverse: true}} {
		p := cliques(12, 8, o)
		label, _, err := find(p, leiden.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for v, c := range label {
			id := p.Graph().IDs().Int(uint32(v))
			if first := p.Graph().IDs().AtRank(uint32(id / 8 * 8)); label[first] != c {
				t.Errorf("directed %v: vertex %d isn't in the community of its clique", o.Directed, id)
			}
		}
		if n := slices.Max(label) + 1; n != 12 {
			t.Errorf("directed %v: %d communities", o.Directed, n)
		}
	}
}

// TestResolution: with the resolution 1, neighbors of 60 small cliques in a ring are merged, on the second level; with 8 they are not.
func TestResolution(t *testing.T) {
	p := cliques(60, 4, graph.Options{})
	for resolution, want := range map[float64][2]int{0.1: {2, 12}, 1: {12, 40}, 8: {60, 60}, 100: {240, 240}} {
		r, err := leiden.Run(t.Context(), p, leiden.Options{Resolution: resolution, Levels: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Communities < want[0] || r.Communities > want[1] {
			t.Errorf("resolution %v: %d communities, want %v", resolution, r.Communities, want)
		}
		if err := leiden.Validate(p.Graph(), r, leiden.Options{Resolution: resolution, Levels: true}); err != nil {
			t.Error(err)
		}
		r.Close()
	}
}

// TestWeights: communities follow the weights, of any scale and type; negative ones are refused, and so are missing ones.
func TestWeights(t *testing.T) {
	// A ring of 12 vertices, whose edges are heavy and light in turn, so that pairs are communities; 3 shifts them.
	for _, scale := range []float64{1, 3, 0.1, 1e-30, 1e30, 1e300} {
		for shift := range int64(2) {
			b := graph.NewBuilder(graph.Options{Weights: true, DenseIDs: true})
			batch := graph.Batch{Type: graph.Int64}
			for v := range int64(12) {
				w := scale
				if v%2 == shift {
					w *= 50
				}
				batch.Src, batch.Dst, batch.FloatWeights = append(batch.Src, v), append(batch.Dst, (v+1)%12), append(batch.FloatWeights, w)
			}
			if err := b.Add(batch); err != nil {
				t.Fatal(err)
			}
			g, err := b.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			label, _, err := find(testgraph.Place(g, 2), leiden.Options{Weighted: true, Resolution: 3})
			if err != nil {
				t.Fatal(err)
			}
			for v := shift; v < 12; v += 2 {
				a := g.IDs().AtRank(uint32(v))
				b := g.IDs().AtRank(uint32((v + 1) % 12))
				c := g.IDs().AtRank(uint32((v + 2) % 12))
				if label[a] != label[b] || label[b] == label[c] {
					t.Errorf("scale %v, shift %d: labels %v", scale, shift, label)
				}
			}
		}
	}
	o := graph.Options{Weights: true, WeightType: graph.WeightsFloat32}
	for _, w := range []float32{-1, float32(math.Inf(1)), float32(math.NaN())} {
		p := testgraph.Placed(o, []int64{7, 8}, []int64{8, 9}, 1, w)
		if r, err := leiden.Run(t.Context(), p, leiden.Options{Weighted: true}); !errors.Is(err, graph.ErrWeights) || r != nil {
			t.Errorf("%v: %v", w, err)
		}
	}
	if _, err := leiden.Run(t.Context(), cliques(3, 3, graph.Options{}), leiden.Options{Weighted: true}); !errors.Is(err, graph.ErrNoWeights) {
		t.Errorf("no weights: %v", err)
	}
}

// TestSelfLoops: a self-loop counts twice in an undirected graph. Two vertices, of which one has a loop and both an edge, have the modularity
// 0 as one community, and 2/4 - (3/4)^2 - (1/4)^2 = -1/8 as two.
func TestSelfLoops(t *testing.T) {
	p := testgraph.Placed(graph.Options{KeepSelfLoops: true}, []int64{1, 1}, []int64{1, 2})
	for resolution, want := range map[float64]float64{1: 0, 10: 0.5 - 10*(9.0/16+1.0/16)} {
		_, value, err := find(p, leiden.Options{Resolution: resolution})
		if err != nil || math.Abs(value-want) > 1e-12 {
			t.Errorf("resolution %v: modularity %v, want %v; %v", resolution, value, want, err)
		}
	}
}

// TestInitial begins in communities that a column has, and with the labels of an earlier run.
func TestInitial(t *testing.T) {
	p := cliques(10, 6, graph.Options{})
	label, value, err := find(p, leiden.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	wrong := make([]int64, len(label))
	for v := range wrong {
		wrong[v] = -7 * int64(p.Graph().IDs().Int(uint32(v))%6)
	}
	if err := p.Graph().AddVertexColumns(graph.Column{Name: "earlier", Values: label}, graph.Column{Name: "wrong", Values: wrong}, graph.Column{Name: "age", Values: make([]float64, len(label))}); err != nil {
		t.Fatal(err)
	}
	for _, column := range []string{"earlier", "wrong"} {
		again, value2, err := find(p, leiden.Options{Seed: 2, Initial: column, Levels: true})
		if err != nil {
			t.Fatal(err)
		}
		if column == "earlier" && (value2 < value || slices.Max(again) != slices.Max(label)) {
			t.Errorf("%s: modularity %v, before %v", column, value2, value)
		}
	}
	for column, want := range map[string]error{"none": graph.ErrNoColumn, "age": graph.ErrOptions} {
		if _, err := leiden.Run(t.Context(), p, leiden.Options{Initial: column}); !errors.Is(err, want) {
			t.Errorf("%s: %v", column, err)
		}
	}
}

// TestOrders finds the same communities in each order of vertices, for any number of workers and of runs.
func TestOrders(t *testing.T) {
	for _, directed := range []bool{false, true} {
		var want []uint32
		for i, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto, graph.OrderAuto} {
			b := graph.NewBuilder(graph.Options{Directed: directed, Order: order, Reverse: true})
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
			res, err := leiden.Run(t.Context(), p, leiden.Options{Seed: 9})
			if err != nil {
				t.Fatal(err)
			}
			got, err := res.Community.ByID()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("directed %v, order %v: other communities", directed, order)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	plain := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.WithReverse), 1)
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    leiden.Options
		want error
	}{
		"resolution": {context.Background(), plain, leiden.Options{Resolution: -1}, graph.ErrOptions},
		"no number":  {context.Background(), plain, leiden.Options{Resolution: math.NaN()}, graph.ErrOptions},
		"no reverse": {context.Background(), testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed), 1), leiden.Options{}, graph.ErrNoReverse},
		"freed":      {context.Background(), gone, leiden.Options{}, device.ErrClosed},
		"no graph":   {context.Background(), nil, leiden.Options{}, graph.ErrNoGraph},
		"canceled":   {ended, plain, leiden.Options{}, context.Canceled},
	} {
		if r, err := leiden.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := leiden.Options{EachLevel: func(traverse.Level) { cancel() }}
	if _, err := leiden.Run(ctx, testgraph.Place(testgraph.Path(5000).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := cliques(4, 5, graph.Options{})
	for name, spoil := range map[string]func(r *leiden.Result, a []uint32){
		"gap": func(_ *leiden.Result, a []uint32) {
			for v := range a {
				if a[v] == 3 {
					a[v] = 4
				}
			}
		},
		"too large":    func(_ *leiden.Result, a []uint32) { a[0] = 99 },
		"wrong count":  func(r *leiden.Result, _ []uint32) { r.Communities++ },
		"wrong value":  func(r *leiden.Result, _ []uint32) { r.Modularity += 1e-6 },
		"other labels": func(_ *leiden.Result, a []uint32) { a[0] = (a[0] + 1) % 4 },
		"no levels":    func(r *leiden.Result, _ []uint32) { r.Levels = nil },
		"level": func(r *leiden.Result, _ []uint32) {
			l, _ := r.Levels[0].Slice()
			slices.Reverse(l[:7])
		},
		"freed": func(r *leiden.Result, _ []uint32) { r.Close() },
	} {
		r, err := leiden.Run(context.Background(), p, leiden.Options{Levels: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := leiden.Validate(p.Graph(), r, leiden.Options{Levels: true}); err != nil {
			t.Fatal(err)
		}
		all, _ := r.Community.Slice()
		spoil(r, all)
		if err := leiden.Validate(p.Graph(), r, leiden.Options{Levels: true}); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := leiden.Validate(p.Graph(), nil, leiden.Options{}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := leiden.Validate(nil, nil, leiden.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
