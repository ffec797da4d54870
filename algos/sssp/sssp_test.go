package sssp_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

var inf = float32(math.Inf(1))

// draws are ways to draw weights.
var draws = map[string]func(r *rand.Rand) float32{
	"integers": func(r *rand.Rand) float32 { return float32(1 + r.IntN(255)) },
	"floats":   func(r *rand.Rand) float32 { return r.Float32() },
	"zeros":    func(r *rand.Rand) float32 { return float32(r.IntN(3) / 2) },
	"nothing":  func(*rand.Rand) float32 { return 0 },
	// Sums round, overflow, and add nothing.
	"scales": func(r *rand.Rand) float32 {
		return float32(math.Ldexp(r.Float64(), []int{-149, -130, -20, 0, 20, 100, 127}[r.IntN(7)]))
	},
	"closed": func(r *rand.Rand) float32 { return []float32{inf, 1, 2.5, math.MaxFloat32}[r.IntN(4)] },
	"-0":     func(r *rand.Rand) float32 { return float32(math.Copysign(0, -1)) * float32(r.IntN(2)) },
	"large":  func(r *rand.Rand) float32 { return []float32{1, 1e38}[r.IntN(2)] },
}

// weighted returns the graph with other weights, the same in both directions of an edge where it
// is undirected.
func weighted(t testing.TB, g *graph.Graph, r *rand.Rand, draw func(r *rand.Rand) float32) *graph.Graph {
	t.Helper()
	seed := r.Uint64()
	of := func(c *graph.CSR, turned bool) graph.CSR {
		w := make([]float32, len(c.Targets))
		for v := range c.NumVertices() {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				a, b := uint64(v), uint64(c.Targets[e])
				if turned || !g.Directed() && a > b {
					a, b = b, a
				}
				w[e] = draw(rand.New(rand.NewPCG(seed, a<<32|b)))
			}
		}
		return graph.CSR{Offsets: c.Offsets, Targets: c.Targets, Weights: w}
	}
	var in *graph.CSR
	if g.Directed() && g.In() != nil {
		c := of(g.In(), true)
		in = &c
	}
	x, err := graph.FromCSR(of(g.Out(), false), graph.CSROptions{In: in, Directed: g.Directed(), WeightType: graph.WeightsFloat32})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// placed places a graph on so many workers of the host.
func placed(t testing.TB, g *graph.Graph, workers int) *graph.Placed {
	t.Helper()
	p, err := g.On(host.New(workers))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// drawQuery draws options and a query.
func drawQuery(r *rand.Rand, n int) (q sssp.Query, o sssp.Options) {
	for range []int{1, 1, 1, 2, 5}[r.IntN(5)] {
		q.Sources = append(q.Sources, r.Uint32N(uint32(n)))
	}
	if r.IntN(3) == 0 {
		for range 1 + r.IntN(3) {
			q.Targets = append(q.Targets, r.Uint32N(uint32(n)))
		}
	}
	if r.IntN(3) == 0 {
		q.Limit = []float64{1e-30, 0.5, 3, 200, 1e30, 5e38, math.Inf(1)}[r.IntN(7)]
	}
	o.Delta = []float64{0, 0, math.Inf(1), 1, 1e-40, 50, 1e30}[r.IntN(7)]
	o.Parents = r.IntN(3) > 0
	return q, o
}

// compare compares a result with the oracle's.
func compare(g *graph.Graph, q sssp.Query, res *sssp.Result) error {
	want := oracle.ShortestPaths[float32](g.Out(), q.Sources, q.Targets, q.Limit)
	got, err := res.Distances.Float32.Slice()
	if err != nil {
		return err
	}
	for v, d := range got {
		if math.Float32bits(d) != math.Float32bits(want.Distances[v]) {
			return fmt.Errorf("vertex %d is at distance %v, want %v", v, d, want.Distances[v])
		}
	}
	if res.Parents != nil {
		got, err := res.Parents.Slice()
		if err != nil {
			return err
		}
		for v, u := range got {
			if u != want.Parents[v] {
				return fmt.Errorf("vertex %d has vertex %d as parent, want %d", v, u, want.Parents[v])
			}
		}
	}
	return sssp.Validate(g, res)
}

func TestRandom(t *testing.T) {
	const first = 14 // has distances of MaxFloat32 by edges from before the last window
	times := testlong.Rounds(4, 40)
	if testing.Short() || testgraph.Race {
		times = 2
	}
	for _, c := range testgraph.Tiny() {
		for name, draw := range draws {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				for seed := uint64(first); seed < first+uint64(times); seed++ {
					r := rand.New(rand.NewPCG(seed, 5))
					g := weighted(t, c.Graph(seed), r, draw)
					if g.NumVertices() == 0 {
						continue
					}
					p := placed(t, g, []int{1, 2, 3, 7}[r.IntN(4)])
					if r.IntN(2) == 0 {
						prepare(t, p)
					}
					q, o := drawQuery(r, g.NumVertices())
					o.Targets, o.Limit = q.Targets, q.Limit
					res, err := sssp.RunMultiSource(t.Context(), p, q.Sources, o)
					if oracle.ShortestPaths[float32](g.Out(), q.Sources, q.Targets, q.Limit).Overflow {
						if !errors.Is(err, sssp.ErrOverflow) || res != nil {
							t.Fatalf("seed %d, %+v, %+v: %v, want ErrOverflow", seed, q, o, err)
						}
						continue
					}
					if err != nil {
						t.Fatalf("seed %d, %+v, %+v: %v", seed, q, o, err)
					}
					if err := compare(g, q, res); err != nil {
						t.Fatalf("seed %d, %+v, %+v: %v", seed, q, o, err)
					}
					if err := res.Close(); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// TestSearcher searches again and again in the same memory, with other queries.
func TestSearcher(t *testing.T) {
	for _, name := range []string{"skewed-directed", "road-undirected", "hubs", "lattice", "components"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(8, 8))
			g := weighted(t, testgraph.ByName(name).Graph(3), r, draws["integers"])
			p := placed(t, g, 3)
			for i, parents := range []bool{false, true, false, true} {
				if i == 2 {
					prepare(t, p)
				}
				s, err := sssp.NewSearcher(p, sssp.Options{Parents: parents})
				if err != nil {
					t.Fatal(err)
				}
				for range 12 {
					q, _ := drawQuery(r, g.NumVertices())
					res, err := s.Run(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					if err := compare(g, q, res); err != nil {
						t.Fatalf("%+v: %v", q, err)
					}
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestPool searches from several goroutines at once.
func TestPool(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	g := weighted(t, testgraph.ByName("skewed-undirected").Graph(3), r, draws["floats"])
	p := placed(t, g, 2)
	pool, err := sssp.NewPool(p, sssp.Options{Parents: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for i := range 6 {
		q, _ := drawQuery(rand.New(rand.NewPCG(uint64(i), 1)), g.NumVertices())
		go func() {
			done <- pool.Do(t.Context(), func(s *sssp.Searcher) error {
				res, err := s.Run(t.Context(), q)
				if err != nil {
					return err
				}
				return compare(g, q, res)
			})
		}()
	}
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

// TestOrders says that distances don't depend on how vertices are numbered.
func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var src, dst []int64
	var weights []float32
	for range 3000 {
		x := r.Float64()
		src, dst = append(src, int64(x*x*x*400)), append(dst, r.Int64N(400))
		weights = append(weights, r.Float32())
	}
	for _, directed := range []bool{false, true} {
		var want []float32
		for _, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto} {
			b := graph.NewBuilder(graph.Options{Weights: true, Directed: directed, Order: order})
			if err := graph.AddInts(b, src, dst, weights); err != nil {
				t.Fatal(err)
			}
			g, err := b.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			source, err := g.Vertex(src[0])
			if err != nil {
				t.Fatal(err)
			}
			res, err := sssp.Run(t.Context(), placed(t, g, 2), source, sssp.Options{Parents: true, Float32: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := compare(g, sssp.Query{Sources: []uint32{source}}, res); err != nil {
				t.Fatal(err)
			}
			got, err := res.Distances.Float32.ByID()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = slices.Clone(got)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v: distances differ from those of the order as given", order)
			}
			if err := res.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// edge makes a graph with one edge more than a path of ten vertices, whose ids are 100 and more.
func edge(t *testing.T, weight float32) *graph.Placed {
	t.Helper()
	b := graph.NewBuilder(graph.Options{Weights: true, Directed: true})
	for i := range int64(9) {
		if err := graph.AddInts(b, []int64{100 + i}, []int64{101 + i}, []float32{1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := graph.AddInts(b, []int64{104}, []int64{102}, []float32{weight}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return placed(t, g, 2)
}

func TestErrors(t *testing.T) {
	for _, w := range []float32{-1, float32(math.NaN()), -inf, -1e-45} {
		p := edge(t, w)
		for range 2 {
			_, err := sssp.Run(t.Context(), p, 0, sssp.Options{})
			if want := fmt.Sprintf("sssp: bad weight: the edge from 104 to 102 weighs %v; weights must be 0 or more: leave such edges out, or change them before loading", w); !errors.Is(err, graph.ErrWeights) || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	p := edge(t, 3)
	none := placed(t, testgraph.ByName("two").Graph(1), 1)
	empty := placed(t, testgraph.ByName("none").Graph(1), 1)
	for _, test := range []struct {
		p    *graph.Placed
		q    sssp.Query
		o    sssp.Options
		want error
	}{
		{p, sssp.Query{Sources: []uint32{10}}, sssp.Options{}, graph.ErrNoVertex},
		{p, sssp.Query{}, sssp.Options{}, graph.ErrNoVertex},
		{p, sssp.Query{Sources: []uint32{0}}, sssp.Options{Targets: []uint32{1, 11}}, graph.ErrNoVertex},
		{p, sssp.Query{Sources: []uint32{0}}, sssp.Options{Limit: -1}, graph.ErrOptions},
		{p, sssp.Query{Sources: []uint32{0}}, sssp.Options{Delta: math.NaN()}, graph.ErrOptions},
		{p, sssp.Query{Sources: []uint32{0}}, sssp.Options{Engine: 9}, graph.ErrOptions},
		{none, sssp.Query{Sources: []uint32{0}}, sssp.Options{}, graph.ErrNoWeights},
		{empty, sssp.Query{Sources: []uint32{0}}, sssp.Options{}, graph.ErrNoVertex},
		{nil, sssp.Query{Sources: []uint32{0}}, sssp.Options{}, graph.ErrNoGraph},
	} {
		if res, err := sssp.RunMultiSource(t.Context(), test.p, test.q.Sources, test.o); !errors.Is(err, test.want) || res != nil {
			t.Errorf("%+v, %+v: %v, want %v", test.q, test.o, err, test.want)
		}
	}
	s, err := sssp.NewSearcher(p, sssp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), sssp.Query{Sources: []uint32{0}, Limit: math.NaN()}); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	if s.Bytes() == 0 {
		t.Error("a search takes no memory")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
