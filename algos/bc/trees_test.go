package bc_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// built is a graph from ids in order, and weights of one type; nil are none.
func built(t *testing.T, o graph.Options, n int, es []testgraph.Edge, ints []int64, floats []float64) *graph.Graph {
	t.Helper()
	o.DenseIDs, o.Vertices, o.Order, o.Weights = true, uint64(n), graph.OrderGiven, ints != nil || floats != nil
	batch := graph.Batch{Type: graph.Int64, IntWeights: ints, FloatWeights: floats}
	for _, e := range es {
		batch.Src, batch.Dst = append(batch.Src, int64(e.From)), append(batch.Dst, int64(e.To))
	}
	b := graph.NewBuilder(o)
	if err := b.Add(batch); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// naive is betweenness by its definition: it goes along all shortest paths, one by one. Lengths are sums from the source on.
func naive(g *graph.Graph, sources []uint32, weighted bool) (score, edges []float64) {
	n, c := g.NumVertices(), g.Out()
	score, edges = make([]float64, n), make([]float64, c.NumEdges())
	plus := func(length float64, e uint64) float64 {
		switch {
		case !weighted:
			return length + 1
		case g.WeightType() == graph.WeightsFloat32:
			return float64(float32(length) + c.Weights[e])
		}
		return length + c.FloatWeight(e)
	}
	oracle.EachSource(g, sources, func(source uint32) {
		length := make([]float64, n)
		for v := range length {
			length[v] = math.Inf(1)
		}
		length[source] = 0
		for range n {
			for v := range uint32(n) {
				for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
					length[c.Targets[e]] = min(length[c.Targets[e]], plus(length[v], e))
				}
			}
		}
		total, through, over := make([]float64, n), make([][]float64, n), make([][]float64, n)
		for v := range n {
			through[v], over[v] = make([]float64, n), make([]float64, c.NumEdges())
		}
		var path []uint32
		var along []uint64
		var walk func(v uint32)
		walk = func(v uint32) {
			total[v]++
			for _, u := range path {
				through[v][u]++
			}
			for _, e := range along {
				over[v][e]++
			}
			if v != source {
				path = append(path, v)
			}
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				if w := c.Targets[e]; w != v && !math.IsInf(length[w], 1) && plus(length[v], e) == length[w] {
					along = append(along, e)
					walk(w)
					along = along[:len(along)-1]
				}
			}
			if v != source {
				path = path[:len(path)-1]
			}
		}
		walk(source)
		for v := range n {
			for u, x := range through[v] {
				if x > 0 {
					score[u] += x / total[v]
				}
			}
			for e, x := range over[v] {
				if x > 0 {
					edges[e] += x / total[v]
				}
			}
		}
	})
	if !g.Directed() {
		directed := slices.Clone(edges)
		for v := range uint32(n) {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				if edges[e] = 0; c.Targets[e] < v {
					row := c.Neighbors(c.Targets[e])
					f := slices.IndexFunc(row, func(u uint32) bool { return u == v })
					for weighted && c.FloatWeight(c.Offsets[c.Targets[e]]+uint64(f)) != c.FloatWeight(e) {
						f += 1 + slices.IndexFunc(row[f+1:], func(u uint32) bool { return u == v })
					}
					edges[e] = directed[e] + directed[c.Offsets[c.Targets[e]]+uint64(f)]
				}
			}
		}
	}
	return score, edges
}

// ofEdges runs it with Edges, validates the result, and returns copies of all scores.
func ofEdges(t *testing.T, p *graph.Placed, o bc.Options) (vertices, edges []float64) {
	t.Helper()
	o.Edges = true
	r, err := bc.Run(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := bc.Validate(p.Graph(), r); err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	s, err := r.Betweenness.Slice()
	if err != nil {
		t.Fatal(err)
	}
	e, err := r.Edges.Slice()
	if err != nil {
		t.Fatal(err)
	}
	for i := range e {
		if e[i] != 0 && !o.Unnormalized { // as near compares
			e[i] /= r.EdgeScale
		}
	}
	return slices.Clone(s), slices.Clone(e)
}

// times multiplies values.
func times(x []float64, by float64) []float64 {
	for i := range x {
		x[i] *= by
	}
	return x
}

// sums returns sums over pairs from sums over sources, as Unnormalized has them.
func sums(g *graph.Graph, sources []uint32, vertices, edges []float64) ([]float64, []float64) {
	n, k := float64(g.NumVertices()), float64(len(sources))
	if sources == nil {
		k = n
	}
	by := n / k
	if !g.Directed() {
		by /= 2
	}
	if n > 1 {
		times(edges, by)
	}
	for v := range vertices {
		begins := k
		for _, s := range sources {
			if s == uint32(v) {
				begins--
			}
		}
		if sources == nil {
			begins = n - 1
		}
		if by := (n - 1) / begins; n >= 3 && g.Directed() {
			vertices[v] *= by
		} else if n >= 3 {
			vertices[v] *= by / 2
		}
	}
	return vertices, edges
}

// TestTreesByDefinition compares random small graphs with all of their shortest paths: directed or not, with parallel edges and
// loops, without weights and with weights of each type.
func TestTreesByDefinition(t *testing.T) {
	for seed := range uint64(testlong.Rounds(2000, 100000)) {
		r := rand.New(rand.NewPCG(seed, 47))
		n := 1 + r.IntN(9)
		es := make([]testgraph.Edge, r.IntN(3*n))
		for i := range es {
			es[i] = testgraph.Edge{From: r.Uint32N(uint32(n)), To: r.Uint32N(1 + r.Uint32N(uint32(n)))}
		}
		o := graph.Options{Directed: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: r.IntN(2) == 0}
		var ints []int64
		var floats []float64
		kind, most := r.IntN(6), 1+r.IntN(4)
		for range es {
			switch kind {
			case 1: // few lengths
				ints = append(ints, 1+r.Int64N(int64(most)))
			case 2: // more than float32 holds
				ints = append(ints, 1<<40+r.Int64N(int64(most)))
			case 3: // exact
				floats = append(floats, float64(1+r.IntN(most))/4)
			case 4, 5: // rounded, and equal sometimes
				floats = append(floats, []float64{.1, .2, .3, .7, math.Inf(1)}[r.IntN(2+r.IntN(4))])
			}
		}
		if kind == 5 {
			o.WeightType = graph.WeightsFloat32
		}
		g := built(t, o, n, es, ints, floats)
		var sources []uint32
		if r.IntN(2) == 0 {
			for range 1 + r.IntN(n) {
				sources = append(sources, r.Uint32N(uint32(n)))
			}
		}
		weighted := g.WeightType() != graph.WeightsAuto && r.IntN(4) > 0
		vertices, edges := naive(g, sources, weighted)
		vertices, edges = sums(g, sources, vertices, edges)
		gotVertices, gotEdges := ofEdges(t, place(t, g, 1+r.IntN(3)), bc.Options{Weighted: weighted, Sources: sources, Unnormalized: true})
		what := fmt.Sprintf("seed %d, kind %d, weighted %v", seed, kind, weighted)
		near(t, what, gotVertices, vertices)
		near(t, what+", edges", gotEdges, edges)
		if weighted {
			near(t, what+", without edges", scores(t, place(t, g, 1+r.IntN(3)), sources, bc.Options{Weighted: true, Unnormalized: true}), vertices)
		}
	}
}

// TestTreesShapes compares larger graphs with the oracle, with weights and without, and the bits for each number of workers.
func TestTreesShapes(t *testing.T) {
	testlong.Project(t)
	for _, c := range append(testgraph.All(), testgraph.Tiny()...) {
		t.Run(c.Name+" "+c.Kind.String(), func(t *testing.T) {
			plain := c.Graph(5)
			n := plain.NumVertices()
			var sources []uint32
			if n > 100 {
				sources = []uint32{0, uint32(n) / 3, uint32(n) - 1, uint32(n) / 3}
			}
			for _, weighted := range []bool{false, true}[:min(n, 1)+1] {
				g := plain
				if weighted {
					var es []testgraph.Edge
					var ints []int64
					for v := range uint32(n) {
						for _, w := range plain.Out().Neighbors(v) {
							if plain.Directed() || w <= v {
								es, ints = append(es, testgraph.Edge{From: v, To: w}), append(ints, 1+int64(v+w)%5)
							}
						}
					}
					g = built(t, graph.Options{Directed: plain.Directed(), KeepDuplicates: true, KeepSelfLoops: true}, n, es, ints, nil)
				}
				vertices, edges := oracle.EdgeBetweenness(g, sources, weighted)
				vertices, edges = sums(g, sources, vertices, edges)
				var first []float64
				for _, workers := range []int{1, 2, 7} {
					a, b := ofEdges(t, place(t, g, workers), bc.Options{Weighted: weighted, Sources: sources, Unnormalized: true})
					near(t, "vertices", a, vertices)
					near(t, "edges", b, edges)
					for _, x := range a { // NaN equals NaN
						b = append(b, float64(math.Float64bits(x)>>32), float64(uint32(math.Float64bits(x))))
					}
					if first == nil {
						first = b
					} else if !slices.Equal(first, b) {
						t.Fatalf("%d workers: other bits than one worker", workers)
					}
				}
			}
		})
	}
}

// TestTreesPowers has counts that don't fit a float64, and compares the scores with those of levels.
func TestTreesPowers(t *testing.T) {
	plain := stages(800, 3)
	n := uint32(plain.NumVertices())
	sources := []uint32{0, n - 1, n / 2, 0, n/2 + 1}
	want := scores(t, place(t, plain, 2), sources, bc.Options{Unnormalized: true})
	var es []testgraph.Edge
	var floats []float64
	for v := range n {
		for _, w := range plain.Out().Neighbors(v) {
			if w < v {
				es, floats = append(es, testgraph.Edge{From: v, To: w}), append(floats, 2.5)
			}
		}
	}
	equal := built(t, graph.Options{}, int(n), es, nil, floats)
	_, edges := oracle.EdgeBetweenness(plain, sources, false)
	_, edges = sums(plain, sources, nil, edges)
	for _, g := range []*graph.Graph{plain, equal} {
		vertices, got := ofEdges(t, place(t, g, 2), bc.Options{Sources: sources, Unnormalized: true, Weighted: g == equal})
		near(t, "vertices", vertices, want)
		slices.Sort(edges) // rows of the other graph have another order
		slices.Sort(got)
		near(t, "edges", got, edges)
	}
}

// byEnds returns the scores of edges by their ids, the smaller one first.
func byEnds(t *testing.T, g *graph.Graph, edges []float64) map[[2]string]float64 {
	t.Helper()
	all := map[[2]string]float64{}
	for v := range uint32(g.NumVertices()) {
		for i, w := range g.Out().Neighbors(v) {
			a, b := g.IDs().Format(v), g.IDs().Format(w)
			if w < v {
				all[[2]string{min(a, b), max(a, b)}] = edges[g.Out().Offsets[v]+uint64(i)]
			}
		}
	}
	return all
}

// TestKnownEdges has values of networkx 3.6.1: edges of Zachary's karate club, and marriages of Florentine families with
// the sum of the letters of both names as weights.
func TestKnownEdges(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := bc.Run(t.Context(), place(t, g, 2), bc.Options{Edges: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	edges, err := r.Edges.Slice()
	if err != nil {
		t.Fatal(err)
	}
	got := byEnds(t, g, edges)
	for ends, want := range karateEdges {
		if x := got[ends]; math.Abs(x-want) > 1e-14 {
			t.Errorf("%v has %v, want %v", ends, x, want)
		}
	}
	b := graph.NewBuilder(graph.Options{Weights: true})
	for _, pair := range strings.Fields(marriages) {
		x, y, _ := strings.Cut(pair, "-")
		name := func(x string) graph.Strings {
			return graph.Strings{Offsets: []int64{0, int64(len(x))}, Data: []byte(x)}
		}
		if err := b.AddStrings(name(x), name(y), []float32{float32(len(x) + len(y))}); err != nil {
			t.Fatal(err)
		}
	}
	if g, err = b.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err = bc.Run(t.Context(), place(t, g, 2), bc.Options{Edges: true, Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if edges, err = r.Edges.Slice(); err != nil {
		t.Fatal(err)
	}
	vertices, err := r.Betweenness.Slice()
	if err != nil {
		t.Fatal(err)
	}
	got = byEnds(t, g, edges)
	for ends, want := range familyEdges {
		if x := got[ends]; math.Abs(x-want) > 1e-14 {
			t.Errorf("%v has %v, want %v", ends, x, want)
		}
	}
	for v, x := range vertices {
		if want := families[g.IDs().Format(uint32(v))]; math.Abs(x-want) > 1e-14 {
			t.Errorf("%s has %v, want %v", g.IDs().Format(uint32(v)), x, want)
		}
	}
}

// marriages of Florentine families of the 15th century (Padgett and Ansell 1993), which networkx' florentine_families_graph has.
const marriages = "Acciaiuoli-Medici Medici-Barbadori Medici-Ridolfi Medici-Tornabuoni Medici-Albizzi Medici-Salviati Castellani-Peruzzi Castellani-Strozzi Castellani-Barbadori Peruzzi-Strozzi Peruzzi-Bischeri Strozzi-Ridolfi Strozzi-Bischeri Ridolfi-Tornabuoni Tornabuoni-Guadagni Albizzi-Ginori Albizzi-Guadagni Salviati-Pazzi Bischeri-Guadagni Guadagni-Lamberteschi"

var karateEdges = map[[2]string]float64{
	{"1", "32"}: 0.1272599949070537,
	{"1", "7"}:  0.07813428401663695,
	{"1", "6"}:  0.07813428401663694,
	{"1", "3"}:  0.0777876807288572,
	{"1", "9"}:  0.07423959482783014,
	{"3", "33"}: 0.06898678663384543,
	{"4", "8"}:  0.003365588659706307,
	{"6", "7"}:  0.0029708853238265003,
	{"11", "5"}: 0.0029708853238265,
}

var familyEdges = map[[2]string]float64{
	{"Acciaiuoli", "Medici"}:     0.13333333333333336,
	{"Barbadori", "Medici"}:      0.1523809523809524,
	{"Medici", "Ridolfi"}:        0.2,
	{"Medici", "Tornabuoni"}:     0.06666666666666668,
	{"Albizzi", "Medici"}:        0.2666666666666667,
	{"Medici", "Salviati"}:       0.24761904761904763,
	{"Castellani", "Peruzzi"}:    0.0380952380952381,
	{"Castellani", "Strozzi"}:    0.05714285714285715,
	{"Barbadori", "Castellani"}:  0.09523809523809525,
	{"Peruzzi", "Strozzi"}:       0.06666666666666668,
	{"Bischeri", "Peruzzi"}:      0.06666666666666668,
	{"Ridolfi", "Strozzi"}:       0.2,
	{"Bischeri", "Strozzi"}:      0.09523809523809525,
	{"Ridolfi", "Tornabuoni"}:    0.05714285714285715,
	{"Guadagni", "Tornabuoni"}:   0.04761904761904762,
	{"Albizzi", "Ginori"}:        0.13333333333333336,
	{"Albizzi", "Guadagni"}:      0.17142857142857143,
	{"Pazzi", "Salviati"}:        0.13333333333333336,
	{"Bischeri", "Guadagni"}:     0.12380952380952381,
	{"Guadagni", "Lamberteschi"}: 0.13333333333333336,
}

var families = map[string]float64{
	"Acciaiuoli":   0.0,
	"Medici":       0.5384615384615385,
	"Castellani":   0.03296703296703297,
	"Peruzzi":      0.02197802197802198,
	"Strozzi":      0.16483516483516486,
	"Barbadori":    0.06593406593406594,
	"Ridolfi":      0.18681318681318682,
	"Tornabuoni":   0.02197802197802198,
	"Albizzi":      0.2527472527472528,
	"Salviati":     0.14285714285714288,
	"Pazzi":        0.0,
	"Bischeri":     0.08791208791208792,
	"Guadagni":     0.19780219780219782,
	"Ginori":       0.0,
	"Lamberteschi": 0.0,
}

// TestTreesRefuse: weights that paths can't be counted by.
func TestTreesRefuse(t *testing.T) {
	line := []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}
	inf := math.Inf(1)
	for _, c := range []struct {
		ints   []int64
		floats []float64
		want   string
	}{
		{ints: []int64{1, 0, 1}, want: "from 1 to 2 weighs 0; weights must be above 0"},
		{ints: []int64{1, 2, -1}, want: "weighs -1"},
		{floats: []float64{1, math.NaN(), 1}, want: "weighs NaN"},
		{floats: []float64{1, 1, -inf}, want: "weighs -Inf"},
		{floats: []float64{1e20, 1, 1}, want: "makes no difference"},
		{floats: []float64{1, 1e20, 1}, want: "makes no difference"},
		{floats: []float64{1e308, 1e308, 1e308}, want: "longer than the largest number"},
		{ints: []int64{math.MaxInt64 - 5, 3, 9}, want: "longer than the largest number"},
		{floats: []float64{1, inf, 1}},
		{ints: []int64{math.MaxInt64 - 5, 1, 1}},
	} {
		g := built(t, graph.Options{Directed: true}, 4, line, c.ints, c.floats)
		_, err := bc.Run(t.Context(), place(t, g, 2), bc.Options{Weighted: true})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, graph.ErrWeights) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v %v: %v, want %s", c.ints, c.floats, err, c.want)
		}
	}
	// An edge that isn't on a shortest path may weigh as little as it likes.
	g := built(t, graph.Options{}, 3, []testgraph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}, {From: 1, To: 1}}, nil, []float64{1e20, inf, 1e20, 1e-20})
	_, edges := ofEdges(t, place(t, g, 1), bc.Options{Weighted: true, Unnormalized: true})
	if got := byEnds(t, g, edges); got[[2]string{"0", "1"}] != 2 || got[[2]string{"1", "2"}] != 2 || got[[2]string{"0", "2"}] != 0 || edges[3] != 0 {
		t.Error(got, edges)
	}
	// The same in a graph whose counts have powers: each vertex has a loop that adds nothing.
	var es []testgraph.Edge
	var floats []float64
	for v := range uint32(3000) {
		es, floats = append(es, testgraph.Edge{From: v, To: v}), append(floats, 1e-20)
		if v%3 == 0 {
			for _, w := range []uint32{v + 1, v + 2} {
				es, floats = append(es, testgraph.Edge{From: v, To: w}, testgraph.Edge{From: w, To: v + 3}), append(floats, 1, 1)
			}
		}
	}
	g = built(t, graph.Options{Directed: true, KeepSelfLoops: true}, 3001, es, nil, floats)
	ofEdges(t, place(t, g, 1), bc.Options{Weighted: true, Sources: []uint32{0, 1500}})
	g = testgraph.Path(10).Graph(1)
	if _, err := bc.Run(t.Context(), place(t, g, 1), bc.Options{Weighted: true}); !errors.Is(err, graph.ErrNoWeights) {
		t.Error(err)
	}
	if _, err := bc.Run(t.Context(), place(t, g, 1), bc.Options{Edges: true, Sources: []uint32{10}}); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
}

// TestTreesSearcher: runs of a Searcher have the bits of a Run, also after one that was canceled.
func TestTreesSearcher(t *testing.T) {
	g := testgraph.ByName("skewed-undirected").Graph(4)
	n := uint32(g.NumVertices())
	p := place(t, g, 3)
	ctx, stop := context.WithCancel(t.Context())
	cancel := false
	s, err := bc.NewSearcher(p, bc.Options{Edges: true, Samples: 60, Seed: 3, Progress: func(x graph.Progress) {
		if cancel && x.Done == 2 {
			stop()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, sources := range [][]uint32{{n / 2}, {0, n - 1, n / 2}, nil, {n / 2}, {0}, nil} {
		if cancel = i == 3; cancel {
			if _, err := s.Run(ctx, nil); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			cancel = false
		}
		r, err := s.Run(t.Context(), sources)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Edges.Slice()
		if err != nil {
			t.Fatal(err)
		}
		want, err := bc.Run(t.Context(), p, bc.Options{Edges: true, Samples: 60, Seed: 3, Sources: sources})
		if err != nil {
			t.Fatal(err)
		}
		if x, err := want.Edges.Slice(); err != nil || !slices.Equal(got, x) || !slices.Equal(r.Sources, want.Sources) {
			t.Errorf("run %d: others than those of Run: %v", i, err)
		}
		want.Close()
	}
}

// TestValidateEdges damages scores of edges.
func TestValidateEdges(t *testing.T) {
	g := testgraph.Build(6, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 1, To: 3}, {From: 3, To: 4}}, testgraph.Undirected)
	for i, damage := range []func(e []float64, r *bc.Result){
		func(e []float64, _ *bc.Result) { e[1] *= 1.001 },
		func(e []float64, _ *bc.Result) { e[0] = 0.1 }, // of the smaller vertex
		func(e []float64, _ *bc.Result) { e[1] = -e[1] },
		func(e []float64, _ *bc.Result) { e[1] = math.NaN() },
		func(_ []float64, r *bc.Result) { r.EdgeScale *= 2 },
		func(_ []float64, r *bc.Result) { r.EdgeScale = 0 },
	} {
		r, err := bc.Run(t.Context(), place(t, g, 1), bc.Options{Edges: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := bc.Validate(g, r); err != nil {
			t.Fatal(err)
		}
		e, _ := r.Edges.Slice()
		damage(e, r)
		if err := bc.Validate(g, r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("damage %d: %v", i, err)
		}
		r.Close()
	}
}
