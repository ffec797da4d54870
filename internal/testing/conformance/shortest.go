// This file holds the tests of shortest paths (algos/sssp).

package conformance

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// ShortestPaths tests shortest paths by every engine against Dijkstra's algorithm: with targets,
// limits and several sources, in stages of any width.
func (s Suite) ShortestPaths(t *testing.T) {
	inf := float32(math.Inf(1))
	few := []string{"loop", "dense-64", "skewed-directed", "road-reverse", "star", "path", "components"}
	s.some(t, 190, few, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		s.shortestPaths(t, weighted(t, p, r), r, inf)
	})
	t.Run("exact", s.exactPaths)
}

// ShortestPathsByWeight tests shortest paths over rows by weight, of graphs of any degree.
func (s Suite) ShortestPathsByWeight(t *testing.T) {
	inf := float32(math.Inf(1))
	degree := tuning.ByWeightDegree
	tuning.ByWeightDegree = 0
	defer func() { tuning.ByWeightDegree = degree }()
	few := []string{"loop", "dense-64", "skewed-reverse", "road-undirected", "hubs", "star", "components"}
	s.some(t, 191, few, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil {
			return
		}
		p = bothWays(t, p, r)
		says, err := sssp.Prepare(t.Context(), p)
		if err != nil || !says.ByWeight {
			t.Fatalf("prepared %+v: %v", says, err)
		}
		s.shortestPaths(t, p, r, inf)
	})
	s.farWindow(t)
	t.Run("by itself", s.preparedByItself)
	t.Run("any order", s.inAnyOrder)
}

// inAnyOrder tests the search in windows over rows that aren't sorted, of graphs whose edges have the weights of the reverse,
// and of graphs whose edges don't.
func (s Suite) inAnyOrder(t *testing.T) {
	inf := float32(math.Inf(1))
	few := []string{"loop", "dense-64", "skewed-reverse", "road-undirected", "hubs", "star", "components"}
	s.some(t, 193, few, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil {
			return
		}
		s.shortestPaths(t, bothWays(t, p, r), r, inf)
		s.shortestPaths(t, weighted(t, p, r), r, inf)
	})
	s.longInRow(t)
}

// longInRow has a vertex with more in-edges than any vertex has edges, which a sweep reaches.
func (s Suite) longInRow(t *testing.T) {
	const first, second = 100, 200
	b := graph.NewBuilder(graph.Options{Weights: true, Directed: true, Reverse: true})
	var from, to []int64
	var weights []float32
	add := func(u, v int64, w float32) { from, to, weights = append(from, u), append(to, v), append(weights, w) }
	for v := range int64(first) {
		add(0, 1+v, 1)
	}
	for v := range int64(second) {
		add(1+v/2, 1+first+v, 1)
		add(1+first+v, 1+first+second, 1000-float32(v))
	}
	if err := graph.AddInts(b, from, to, weights); err != nil {
		t.Fatal(err)
	}
	p := s.built(t, b)
	defer p.Close()
	source, err := p.Graph().Vertex(0)
	if err != nil {
		t.Fatal(err)
	}
	res, err := sssp.Run(t.Context(), p, source, sssp.Options{Delta: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := comparePaths(p.Graph(), sssp.Query{Sources: res.Sources}, res); err != nil {
		t.Error(err)
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
}

// preparedByItself searches a graph until its rows are sorted by weight, which isn't requested: by Run, by a Searcher, and
// by a Pool, whose first search has them on a GPU.
func (s Suite) preparedByItself(t *testing.T) {
	edges := tuning.ByWeightEdges
	tuning.ByWeightEdges = 0
	defer func() { tuning.ByWeightEdges = edges }()
	s.some(t, 192, []string{"dense-64", "hubs"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil || p.NumVertices() == 0 {
			return
		}
		for _, by := range []string{"Run", "Searcher", "Pool"} {
			placed := bothWays(t, p, r)
			search, closes := searchedBy(t, placed, by)
			before := r.IntN(p.NumVertices())
			for i := 0; ; i++ {
				q := sssp.Query{Sources: []uint32{uint32(before)}}
				byWeight := false
				if err := search(q, func(r *sssp.Result) error {
					byWeight = r.ByWeight
					return comparePaths(placed.Graph(), q, r)
				}); err != nil {
					t.Fatalf("%s, search %d: %v", by, i, err)
				}
				if byWeight {
					break
				}
				before = int(placed.Graph().DegreeHistogram().MaxVertex) // reaches most
				if i == 1000 {
					t.Fatalf("%s: search %d doesn't go over rows by weight", by, i)
				}
			}
			if err := closes(); err != nil {
				t.Error(err)
			}
		}
	})
}

// searchedBy returns a function that searches, and one that ends this.
func searchedBy(t *testing.T, p *graph.Placed, by string) (search func(sssp.Query, func(*sssp.Result) error) error, closes func() error) {
	t.Helper()
	switch by {
	case "Run":
		return func(q sssp.Query, use func(*sssp.Result) error) error {
			r, err := sssp.Run(t.Context(), p, q.Sources[0], sssp.Options{})
			if err != nil {
				return err
			}
			return errors.Join(use(r), r.Close())
		}, func() error { return nil }
	case "Searcher":
		s, err := sssp.NewSearcher(p, sssp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return func(q sssp.Query, use func(*sssp.Result) error) error {
			r, err := s.Run(t.Context(), q)
			if err != nil {
				return err
			}
			return use(r)
		}, s.Close
	}
	pool, err := sssp.NewPool(p, sssp.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(q sssp.Query, use func(*sssp.Result) error) error { return pool.Run(t.Context(), q, use) }, pool.Close
}

// farWindow has a window that begins with an edge far beyond the one before: to a vertex that is first
// found farther away, pushed, and then found at just that distance.
func (s Suite) farWindow(t *testing.T) {
	b := graph.NewBuilder(graph.Options{Weights: true})
	from, to, weights := []int64{0, 1, 4, 0, 2}, []int64{1, 4, 2, 2, 3}, []float32{100, 0, 0, 100.5, 0.25}
	for v := int64(3); v < 40; v++ { // so that no pull costs less
		from, to, weights = append(from, v+2), append(to, v+3), append(weights, 1000)
	}
	from, to, weights = append(from, 3), append(to, 5), append(weights, 1000)
	if err := graph.AddInts(b, from, to, weights); err != nil {
		t.Fatal(err)
	}
	p := s.built(t, b)
	defer p.Close()
	if _, err := sssp.Prepare(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	res, err := sssp.Run(t.Context(), p, 0, sssp.Options{Delta: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := comparePaths(p.Graph(), sssp.Query{Sources: []uint32{0}}, res); err != nil {
		t.Error(err)
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
}

// bothWays returns the graph with weights that are the same in both directions of an edge, and in
// the reverse; some are equal, and some 0.
func bothWays(t *testing.T, p *graph.Placed, r *rand.Rand) *graph.Placed {
	t.Helper()
	g, seed, most := p.Graph(), r.Uint64(), []int{2, 10, 256}[r.IntN(3)]
	of := func(c *graph.CSR, turned bool) *graph.CSR {
		x := *c
		x.Weights = make([]float32, c.NumEdges())
		for v := range c.NumVertices() {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				a, b := uint64(v), uint64(c.Targets[e])
				if turned || !g.Directed() && a > b {
					a, b = b, a
				}
				x.Weights[e] = float32(rand.New(rand.NewPCG(seed, a<<32|b)).IntN(most))
			}
		}
		return &x
	}
	parts := graph.CSROptions{Directed: g.Directed()}
	if g.Directed() {
		parts.In = of(g.In(), true)
	}
	with, err := graph.FromCSR(*of(g.Out(), false), parts)
	if err != nil {
		t.Fatal(err)
	}
	placed, err := with.On(p.Device())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := placed.Close(); err != nil {
			t.Error(err)
		}
	})
	return placed
}

func (s Suite) shortestPaths(t *testing.T, p *graph.Placed, r *rand.Rand, inf float32) {
	t.Helper()
	n, g := uint32(p.NumVertices()), p.Graph()
	{
		for _, e := range s.engines() {
			o := sssp.Options{Parents: true, Engine: e, Float32: r.IntN(2) == 0, Delta: []float64{0, 0, math.Inf(1), 7, 1000}[r.IntN(5)]}
			search, err := sssp.NewSearcher(p, o)
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.times(4, 2) {
				q := sssp.Query{Sources: []uint32{r.Uint32N(n)}}
				for r.IntN(3) == 0 {
					q.Sources = append(q.Sources, r.Uint32N(n))
				}
				if i == 0 {
					q.Targets = []uint32{r.Uint32N(n)}
				}
				if r.IntN(3) == 0 {
					q.Limit = float64(r.IntN(300))
				}
				res, err := search.Run(t.Context(), q)
				if err != nil {
					t.Fatalf("%s, %+v: %v", e, q, err)
				}
				if err := comparePaths(g, q, res); err != nil {
					t.Fatalf("%s, stages of %v, %+v: %v", e, res.Delta, q, err)
				}
				if err := sssp.Validate(g, res); err != nil {
					t.Fatalf("%s, %+v: %v", e, q, err)
				}
			}
			if err := search.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// ShortestPathsWeightless searches when all edges have equal weights: parents are found round by round.
func (s Suite) ShortestPathsWeightless(t *testing.T) {
	g := testgraph.ByName("tree").Graph(4)
	out := *g.Out()
	out.Weights = make([]float32, out.NumEdges())
	g, err := graph.FromCSR(out, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, e := range s.engines() {
		res, err := sssp.Run(t.Context(), p, 0, sssp.Options{Parents: true, Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		if err := comparePaths(g, sssp.Query{Sources: []uint32{0}}, res); err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		if err := res.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
