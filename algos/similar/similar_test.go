package similar_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// name is the oracle's name of a measure.
func name(o similar.Options) string {
	if o.Weighted {
		return "weighted"
	}
	return o.Measure.String()
}

// check compares a run with the definition.
func check(p *graph.Placed, o similar.Options) error {
	r, err := similar.Run(context.Background(), p, o)
	if err != nil {
		return err
	}
	g := p.Graph()
	s := oracle.NewSimilarity(g)
	if err := similar.Validate(g, r, o); err != nil {
		return err
	}
	equal := func(a, b float64) bool { return a == b }
	if o.Weighted || o.Measure == similar.AdamicAdar {
		equal = func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	}
	if o.Pairs != nil {
		for i, pair := range o.Pairs {
			if want := s.Of(name(o), pair[0], pair[1]); r.Vertex[i] != pair[0] || r.Neighbor[i] != pair[1] || !equal(r.Score[i], want) {
				return fmt.Errorf("pair %v: got %d, %d, %v, want %v", pair, r.Vertex[i], r.Neighbor[i], r.Score[i], want)
			}
		}
		return nil
	}
	sources := o.Sources
	if sources == nil {
		for v := range g.NumVertices() {
			sources = append(sources, uint32(v))
		}
	}
	at := 0
	for _, u := range sources {
		var want []row
		for v := range uint32(g.NumVertices()) {
			if x := s.Of(name(o), u, v); u != v && x > 1e-12 {
				want = append(want, row{v, x})
			}
		}
		rank := func(v uint32) uint32 { return g.IDs().Rank(v) }
		slices.SortFunc(want, func(a, b row) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(rank(a.v), rank(b.v))) })
		want = want[:min(len(want), cmp.Or(o.K, 10))]
		for _, w := range want {
			if at == len(r.Vertex) || r.Vertex[at] != u || !equal(r.Score[at], w.score) {
				return fmt.Errorf("vertex %d: row %d of %d, want %v", u, at, len(r.Vertex), w)
			}
			if x := s.Of(name(o), u, r.Neighbor[at]); !equal(x, w.score) {
				return fmt.Errorf("row %d: the similarity of %d and %d is %v, not %v", at, u, r.Neighbor[at], x, w.score)
			}
			if !o.Weighted && o.Measure != similar.AdamicAdar && r.Neighbor[at] != w.v {
				return fmt.Errorf("row %d: got vertex %d, want %v", at, r.Neighbor[at], w)
			}
			at++
		}
	}
	if at != len(r.Vertex) {
		return fmt.Errorf("%d rows, want %d", len(r.Vertex), at)
	}
	return nil
}

type row struct {
	v     uint32
	score float64
}

// random returns random options for a graph of n vertices.
func random(r *rand.Rand, n int, weighted bool) similar.Options {
	o := similar.Options{Measure: similar.Measure(r.IntN(4)), K: r.IntN(8)}
	if weighted && r.IntN(2) == 0 {
		o.Measure, o.Weighted = similar.Cosine, true
	}
	switch {
	case n == 0:
	case r.IntN(3) == 0:
		o.K, o.Pairs = 0, [][2]uint32{}
		for range r.IntN(40) {
			o.Pairs = append(o.Pairs, [2]uint32{r.Uint32N(uint32(n)), r.Uint32N(uint32(n))})
		}
	case r.IntN(3) == 0:
		o.Sources = []uint32{}
		for range r.IntN(10) {
			o.Sources = append(o.Sources, r.Uint32N(uint32(n)))
		}
	}
	return o
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(300, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 14))
		n := r.IntN(60)
		if r.IntN(100) == 0 {
			n = 300
		}
		es := []testgraph.Edge{}
		for range r.IntN(6*n + 1) { // with loops and duplicates, and some vertices of many edges
			es = append(es, testgraph.Edge{From: r.Uint32N(1 + r.Uint32N(uint32(n))), To: r.Uint32N(uint32(n))})
		}
		kind := testgraph.Kind(r.IntN(3))
		p := testgraph.Place(testgraph.Build(n, es, kind), []int{1, 2, 3, 7}[seed%4])
		o := random(r, n, false)
		if err := check(p, o); err != nil {
			t.Fatalf("seed %d, %v, %d vertices, %d edges, %+v: %v", seed, kind, n, len(es), o, err)
		}
	}
}

// TestWeighted compares cosines of weights, of undirected simple graphs, whose ids are in another order than vertices.
func TestWeighted(t *testing.T) {
	graphs := testlong.Rounds(200, 20000)
	if testing.Short() || testgraph.Race {
		graphs = 200
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 15))
		n := 1 + r.IntN(40)
		var src, dst []int64
		var weights []float32
		for range 1 + r.IntN(6*n) {
			src, dst, weights = append(src, int64(r.IntN(n))*7%41), append(dst, int64(r.IntN(n))*7%41), append(weights, float32(r.IntN(5)))
		}
		p := testgraph.Placed(graph.Options{Weights: true}, src, dst, weights...)
		o := random(r, p.NumVertices(), true)
		if err := check(p, o); err != nil {
			t.Fatalf("seed %d, %d edges, %+v: %v", seed, len(src), o, err)
		}
	}
}

// TestHub: a table that spans several pieces, tables of hashes beside those of all vertices, and sources of many blocks.
func TestHub(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 6000
	es := []testgraph.Edge{}
	for v := uint32(1); v < n; v++ {
		if v%3 > 0 {
			es = append(es, testgraph.Edge{From: 0, To: v})
		}
		es = append(es, testgraph.Edge{From: v, To: 1 + r.Uint32N(n-1)})
	}
	p := testgraph.Place(testgraph.Build(n, es, testgraph.Undirected), 2)
	for _, m := range []similar.Measure{similar.Jaccard, similar.AdamicAdar} {
		o := similar.Options{Measure: m, K: 5, Sources: []uint32{0, 3, 4, 5, 6, 0, 17}}
		if err := check(p, o); err != nil {
			t.Errorf("%v: %v", m, err)
		}
	}
	o := similar.Options{K: similar.MostK}
	rows, err := similar.Run(t.Context(), p, similar.Options{K: similar.MostK, Sources: []uint32{1, 2, 4, 5}})
	if err != nil || len(rows.Vertex) < similar.MostK {
		t.Error(len(rows.Vertex), err)
	}
	o.Sources = []uint32{1, 2, 4, 5}
	if err := similar.Validate(p.Graph(), rows, o); err != nil {
		t.Error(err)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		for _, workers := range []int{1, 3} {
			for m := range similar.AdamicAdar + 1 {
				p := testgraph.Place(c.Graph(3), workers)
				o := similar.Options{Measure: m, K: 3}
				if p.NumVertices() > 100 {
					o.Sources = []uint32{0, 7, uint32(p.NumVertices() - 1)}
				}
				if err := check(p, o); err != nil {
					t.Errorf("%s, %v: %v", c.Name, m, err)
				}
			}
		}
	}
}

// TestKarate has values of networkx 3.6.1: jaccard_coefficient and adamic_adar_index.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 2)
	var pairs [][2]uint32
	for _, ids := range [][2]string{{"1", "34"}, {"1", "2"}, {"33", "34"}, {"5", "11"}, {"12", "34"}} {
		a, _ := g.ParseVertex(ids[0])
		b, _ := g.ParseVertex(ids[1])
		pairs = append(pairs, [2]uint32{a, b})
	}
	for m, want := range map[similar.Measure][]float64{
		similar.Jaccard:    {0.13793103448275862, 0.3888888888888889, 0.5263157894736842, 0.2, 0.0},
		similar.AdamicAdar: {2.7110197222973085, 6.130716871863356, 10.456950741004253, 0.36067376022224085, 0},
	} {
		r, err := similar.Run(t.Context(), p, similar.Options{Measure: m, Pairs: pairs})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range r.Score {
			if math.Abs(x-want[i]) > 1e-12 {
				t.Errorf("%v of pair %d: got %v, want %v", m, i, x, want[i])
			}
		}
	}
}

// TestWorkers: results are the same for any number of workers.
func TestWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	g := testgraph.Random(r, 2000, 12, false)
	var first *similar.Result
	for _, workers := range []int{1, 2, 5, 16} {
		got, err := similar.Run(t.Context(), testgraph.Place(g, workers), similar.Options{Measure: similar.AdamicAdar})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(got.Vertex, first.Vertex) || !slices.Equal(got.Neighbor, first.Neighbor) || !slices.Equal(got.Score, first.Score) {
			t.Errorf("%d workers: the table is another", workers)
		}
	}
}

// TestBlocks: the blocks of many sources, and of many pairs, follow each other.
func TestBlocks(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1, 1, 2, 3}, []int64{2, 3, 4, 4})
	pairs := make([][2]uint32, 1<<20+17)
	for i := range pairs {
		pairs[i] = [2]uint32{uint32(i % 4), uint32(i / 4 % 4)}
	}
	r, err := similar.Run(t.Context(), p, similar.Options{Pairs: pairs})
	if err != nil || len(r.Score) != len(pairs) {
		t.Fatal(err)
	}
	for i := range pairs {
		if r.Score[i] != r.Score[i%16] {
			t.Fatalf("pair %d: %v, %v", i, r.Score[i], r.Score[i%16])
		}
	}
	o := similar.Options{K: similar.MostK, Sources: make([]uint32, 1<<20+5)}
	if r, err = similar.Run(t.Context(), p, o); err != nil || len(r.Score) != len(o.Sources) {
		t.Fatal(len(r.Score), err)
	}
}

func TestErrors(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1}, []int64{2})
	for what, o := range map[string]similar.Options{
		"measure": {Measure: 9}, "weighted": {Weighted: true}, "k": {K: -1}, "large k": {K: similar.MostK + 1}, "pairs and k": {K: 3, Pairs: [][2]uint32{}},
	} {
		if _, err := similar.Run(t.Context(), p, o); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	for what, o := range map[string]similar.Options{"source": {Sources: []uint32{2}}, "pair": {Pairs: [][2]uint32{{0, 2}}}} {
		if _, err := similar.Run(t.Context(), p, o); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	weighted := similar.Options{Measure: similar.Cosine, Weighted: true}
	if _, err := similar.Run(t.Context(), p, weighted); !errors.Is(err, graph.ErrNoWeights) {
		t.Error(err)
	}
	if _, err := similar.Run(t.Context(), testgraph.Placed(graph.Options{Weights: true}, []int64{1}, []int64{2}, -1), weighted); !errors.Is(err, graph.ErrWeights) {
		t.Error(err)
	}
	if _, err := similar.Run(t.Context(), testgraph.Placed(graph.Options{Weights: true, Directed: true}, []int64{1}, []int64{2}, 1), weighted); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	if _, err := similar.Run(t.Context(), nil, similar.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := similar.Run(t.Context(), p, similar.Options{}); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
}

// TestValidate: Validate finds every kind of error.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1, 1, 2, 3, 4, 5}, []int64{2, 3, 4, 4, 5, 1})
	g := p.Graph()
	for what, o := range map[string]similar.Options{"best": {}, "pairs": {Pairs: [][2]uint32{{0, 1}, {0, 3}, {1, 2}}}} {
		run := func() *similar.Result {
			r, err := similar.Run(t.Context(), p, o)
			if err != nil || similar.Validate(g, r, o) != nil {
				t.Fatal(what, err, similar.Validate(g, r, o))
			}
			return r
		}
		for wrong, change := range map[string]func(*similar.Result){
			"score":    func(r *similar.Result) { r.Score[1] += 0.1 },
			"vertex":   func(r *similar.Result) { r.Vertex[2] = 9 },
			"neighbor": func(r *similar.Result) { r.Neighbor[1] = r.Vertex[1] },
			"length":   func(r *similar.Result) { r.Score = r.Score[1:] },
			"row":      func(r *similar.Result) { r.Vertex, r.Neighbor, r.Score = r.Vertex[1:], r.Neighbor[1:], r.Score[1:] },
		} {
			r := run()
			change(r)
			if err := similar.Validate(g, r, o); !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("%s, %s: got %v", what, wrong, err)
			}
		}
	}
	if err := similar.Validate(nil, nil, similar.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, err := testgraph.Placed(graph.Options{}, []int64{1}, []int64{2}).Graph().On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := similar.Run(ctx, p, similar.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
