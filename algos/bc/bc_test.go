package bc_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// place places a graph on a host with a number of workers.
func place(t *testing.T, g *graph.Graph, workers int) *graph.Placed {
	t.Helper()
	p, err := g.On(host.New(workers))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// scores runs it and returns a copy of the scores.
func scores(t *testing.T, p *graph.Placed, sources []uint32, o bc.Options) []float64 {
	t.Helper()
	o.Sources = sources
	r, err := bc.Run(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Betweenness.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(s)
}

// near fails unless two lists of scores are the same, but for rounding.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d scores, want %d", what, len(got), len(want))
	}
	for v := range got {
		if math.IsNaN(want[v]) != math.IsNaN(got[v]) || math.Abs(got[v]-want[v]) > 1e-11*max(1, want[v]) {
			t.Fatalf("%s: vertex %d has %v, want %v", what, v, got[v], want[v])
		}
	}
}

// check compares runs, from all sources or some, with the oracle: by narrow searches as far as they
// go, and without them in both ways, where rows are short.
func check(t *testing.T, g *graph.Graph, workers int, sources []uint32) {
	t.Helper()
	defer func(rows uint64, narrow int) { tuning.ShortRows, tuning.NarrowEdges = rows, narrow }(tuning.ShortRows, tuning.NarrowEdges)
	compare(t, g, workers, sources)
	tuning.NarrowEdges = 0
	compare(t, g, workers, sources)
	tuning.ShortRows = 0
	compare(t, g, workers, sources)
}

func compare(t *testing.T, g *graph.Graph, workers int, sources []uint32) {
	t.Helper()
	p := place(t, g, workers)
	r, err := bc.Run(t.Context(), p, bc.Options{Sources: sources, Unnormalized: true})
	if g.In() == nil {
		if !errors.Is(err, graph.ErrNoReverse) {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := scaled(g, sources, bc.Options{Unnormalized: true})
	got, err := r.Betweenness.Slice()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "oracle", got, want)
	if err := bc.Validate(g, r); err != nil {
		t.Fatal(err)
	}
}

// scaled returns scores by the definition: sums of dependencies by the number of paths that a vertex may be
// on, by their first and last vertices.
func scaled(g *graph.Graph, sources []uint32, o bc.Options) []float64 {
	want, n := oracle.Betweenness(g, sources), float64(g.NumVertices())
	for v := range want {
		begins := n - 1 // of so many of the sources
		if sources != nil {
			begins = 0
			for _, s := range sources {
				if s != uint32(v) {
					begins++
				}
			}
		}
		switch {
		case n < 3:
		case !o.Unnormalized:
			want[v] /= begins * (n - 2)
		case g.Directed():
			want[v] *= (n - 1) / begins
		default:
			want[v] *= (n - 1) / begins / 2
		}
	}
	return want
}

func TestShapes(t *testing.T) {
	testlong.Project(t)
	for _, c := range append(testgraph.All(), testgraph.Tiny()...) {
		t.Run(c.Name+" "+c.Kind.String(), func(t *testing.T) {
			g := c.Graph(5)
			var sources []uint32
			if n := uint32(g.NumVertices()); n > 100 { // some of them
				sources = []uint32{0, n / 3, n - 1, n / 3}
			}
			for i, workers := range []int{1, 2, 3, 7} {
				if testgraph.Race && i%2 == 0 {
					continue // one worker does nothing at the same time, and three do as seven
				}
				check(t, g, workers, sources)
			}
		})
	}
}

// TestRandom runs small graphs whose ids aren't in the order of the vertices.
func TestRandom(t *testing.T) {
	for seed := range uint64(testlong.Rounds(50, 2500)) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := testgraph.Random(r, 1+r.IntN(40), 4, false)
		check(t, g, 1+r.IntN(3), nil)
	}
}

// TestClosedForms has graphs whose scores are known, in pairs.
func TestClosedForms(t *testing.T) {
	const n = 24
	path, star, cycle, complete := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range path {
		path[i] = float64(i * (n - 1 - i))
		cycle[i] = float64((n-2)*(n-2)) / 8 // n is even
	}
	star[0] = (n - 1) * (n - 2) / 2
	for _, c := range []struct {
		name  string
		edges func(i int) []int
		want  []float64
	}{
		{"path", func(i int) []int { return []int{i + 1}[:min(1, n-1-i)] }, path},
		{"star", func(i int) []int { return []int{0}[:min(1, i)] }, star},
		{"cycle", func(i int) []int { return []int{(i + 1) % n} }, cycle},
		{"complete", func(i int) (to []int) {
			for j := range i {
				to = append(to, j)
			}
			return to
		}, complete},
	} {
		var edges []testgraph.Edge
		for i := range n {
			for _, j := range c.edges(i) {
				edges = append(edges, testgraph.Edge{From: uint32(i), To: uint32(j)})
			}
		}
		g := testgraph.Build(n, edges, testgraph.Undirected)
		near(t, c.name, scores(t, place(t, g, 2), nil, bc.Options{Unnormalized: true}), c.want)
	}
}

// stages is a graph whose levels have Width vertices each, joined with all of the next level's, but
// for a path beside them that ends in the last vertex, too.
func stages(levels, width int) *graph.Graph {
	var edges []testgraph.Edge
	at := func(level, i int) uint32 { return uint32(1 + level*width + i) }
	side := uint32(1 + levels*width)
	end := side + uint32(levels)
	for i := range width {
		edges = append(edges, testgraph.Edge{From: 0, To: at(0, i)}, testgraph.Edge{From: at(levels-1, i), To: end})
	}
	for l := range levels - 1 {
		for i := range width {
			for j := range width {
				edges = append(edges, testgraph.Edge{From: at(l, i), To: at(l+1, j)})
			}
		}
	}
	last := uint32(0)
	for l := range levels {
		edges = append(edges, testgraph.Edge{From: last, To: side + uint32(l)})
		last = side + uint32(l)
	}
	edges = append(edges, testgraph.Edge{From: last, To: end})
	return testgraph.Build(int(end)+1, edges, testgraph.Undirected)
}

// TestPowers has counts that don't fit a float64.
func TestPowers(t *testing.T) {
	g := stages(testlong.Of(800, 5000), 3) // 3^800 is 2^1268
	n := uint32(g.NumVertices())
	sources := []uint32{0, n - 1, n / 2, 0, n/2 + 1} // with other levels that have powers each time
	for _, workers := range []int{1, 3} {
		check(t, g, workers, sources)
	}
	one := scores(t, place(t, g, 2), []uint32{0}, bc.Options{Unnormalized: true})
	for v := 1; v+2 < int(n-1)/4*3; v += 3 {
		near(t, "thirds", one[v:v+2], one[v+1:v+3])
	}
}

// TestLattice begins in a corner, from which the counts are binomial coefficients.
func TestLattice(t *testing.T) {
	side := testlong.Of(300, 2000)
	var edges []testgraph.Edge
	for i := range side {
		for j := range side {
			if v := uint32(i*side + j); j+1 < side {
				edges = append(edges, testgraph.Edge{From: v, To: v + 1})
			}
			if v := uint32(i*side + j); i+1 < side {
				edges = append(edges, testgraph.Edge{From: v, To: v + uint32(side)})
			}
		}
	}
	g := testgraph.Build(side*side, edges, testgraph.Undirected)
	// From the middle counts need no powers, from the corner they do.
	check(t, g, 2, []uint32{uint32(side*side/2 + side/2), 0, uint32(side * side / 2)})

	got := scores(t, place(t, g, 2), []uint32{0}, bc.Options{Unnormalized: true})
	scale := float64(side*side-1) / 2
	log := func(n int) float64 { x, _ := math.Lgamma(float64(n) + 1); return x }
	for i := range side {
		for j := range i + 1 {
			near(t, "symmetry", got[i*side+j:][:1], got[j*side+i:][:1])
		}
		// What ends behind v in its row or column goes through it in this share of the paths.
		if i+1 < side {
			want := 0.0
			for a := i; a < side; a++ {
				for b := range side {
					if a == i && b == 0 || i%97 != 0 {
						continue
					}
					// From (0,0) to (a,b) through (i,0), all of whose paths are one.
					want += math.Exp(log(a-i+b) - log(a-i) - log(b) - log(a+b) + log(a) + log(b))
				}
			}
			if i > 0 && i%97 == 0 && math.Abs(got[i*side]/scale-want) > 1e-7*want {
				t.Fatalf("vertex (%d,0) has %v, want %v", i, got[i*side]/scale, want)
			}
		}
	}
}

// TestSampledScale has scores from some sources as networkx scales them since version 3.5 and cugraph since
// 25.06 (cugraph issue 4941): the score of a vertex doesn't count paths from itself.
func TestSampledScale(t *testing.T) {
	const i, a, b, c, d, e = 0, 1, 2, 3, 4, 5
	nan := math.NaN()
	edges := []testgraph.Edge{{From: i, To: a}, {From: a, To: b}, {From: b, To: c}, {From: c, To: e}, {From: e, To: d}, {From: a, To: d}, {From: d, To: i}, {From: d, To: c}}
	star := []testgraph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 0, To: 3}, {From: 0, To: 4}}
	for _, x := range []struct {
		name    string
		edges   []testgraph.Edge
		n       int
		kind    testgraph.Kind
		o       bc.Options
		sources []uint32
		want    []float64
	}{
		{"cugraph 4941", edges, 6, testgraph.WithReverse, bc.Options{}, []uint32{i}, []float64{nan, 1, .25, .25, .25, 0}},
		{"star from a leaf", star, 5, testgraph.Undirected, bc.Options{}, []uint32{1}, []float64{1, nan, 0, 0, 0}},
		{"star from its center", star, 5, testgraph.Undirected, bc.Options{}, []uint32{0}, []float64{nan, 0, 0, 0, 0}},
		{"star from two", star, 5, testgraph.Undirected, bc.Options{}, []uint32{0, 1}, []float64{1, 0, 0, 0, 0}},
		{"star, sums", star, 5, testgraph.Undirected, bc.Options{Unnormalized: true}, []uint32{1, 2}, []float64{6, 0, 0, 0, 0}},
		{"pair", star[:1], 2, testgraph.Undirected, bc.Options{}, []uint32{1}, []float64{0, 0}},
	} {
		g := testgraph.Build(x.n, x.edges, x.kind)
		got := scores(t, place(t, g, 1), x.sources, x.o)
		byID := make([]float64, len(got))
		for v := range got {
			id, err := g.Vertex(int64(v))
			if err != nil {
				t.Fatal(err)
			}
			byID[v] = got[id]
		}
		near(t, x.name, byID, x.want)
	}
	// Sources at random, some of them several times.
	r := rand.New(rand.NewPCG(41, 5))
	for range 60 {
		n := 2 + r.IntN(9)
		var edges []testgraph.Edge
		for range r.IntN(3 * n) {
			edges = append(edges, testgraph.Edge{From: uint32(r.IntN(n)), To: uint32(r.IntN(n))})
		}
		kind := []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse}[r.IntN(2)]
		g := testgraph.Build(n, edges, kind)
		var sources []uint32
		for range 1 + r.IntN(n) {
			sources = append(sources, uint32(r.IntN(n)))
		}
		o := bc.Options{Unnormalized: r.IntN(2) == 0}
		near(t, "random", scores(t, place(t, g, 2), sources, o), scaled(g, sources, o))
	}
}

// TestKarate compares with networkx's scores of Zachary's karate club.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := scores(t, place(t, g, 2), nil, bc.Options{})
	for id, want := range map[int64]float64{1: 0.43763528138528146, 34: 0.30407497594997596, 33: 0.14524711399711399,
		3: 0.14365680615680618, 32: 0.13827561327561325, 9: 0.05592682780182781, 2: 0.053936688311688304, 14: 0.04586339586339586, 8: 0, 12: 0} {
		v, err := g.Vertex(id)
		if err != nil || math.Abs(got[v]-want) > 1e-14 {
			t.Errorf("%d has %v, want %v", id, got[v], want)
		}
	}
	// All of them as a sample, or given, are the same.
	sources := make([]uint32, g.NumVertices())
	for v := range sources {
		sources[v] = uint32(v)
	}
	near(t, "given", scores(t, place(t, g, 2), sources, bc.Options{}), got)
	near(t, "samples", scores(t, place(t, g, 2), nil, bc.Options{Samples: 34}), got)
	pairs := scores(t, place(t, g, 2), nil, bc.Options{Unnormalized: true})
	for v := range pairs {
		pairs[v] /= 33 * 32 / 2
	}
	near(t, "pairs", pairs, got)
}
