package triangles_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// check counts in a graph with a number of workers, and compares with the oracle if compare is set.
func check(t *testing.T, g *graph.Graph, workers int, compare bool) {
	t.Helper()
	p, err := g.On(host.New(workers))
	must(t, err)
	defer p.Close()
	r, err := triangles.Run(t.Context(), p, triangles.Options{})
	must(t, err)
	defer r.Close()
	must(t, triangles.Validate(g, r))
	if compare {
		counts, rates, total := oracle.Triangles(g)
		got, err := r.Triangles.Slice()
		must(t, err)
		rate, err := r.Coefficient.Slice()
		must(t, err)
		if !slices.Equal(got, counts) || !slices.Equal(rate, rates) || r.Total != total {
			t.Fatalf("%d workers: %d triangles %v, coefficients %v; want %d %v, %v", workers, r.Total, got, rate, total, counts, rates)
		}
	}
	only, err := triangles.Run(t.Context(), p, triangles.Options{CountOnly: true})
	must(t, err)
	if only.Total != r.Total {
		t.Fatalf("%d triangles counted alone, %d with those of vertices", only.Total, r.Total)
	}
	must(t, triangles.Validate(g, only))
}

func TestShapes(t *testing.T) {
	testlong.Project(t)
	for _, c := range append(testgraph.All(), testgraph.Tiny()...) {
		t.Run(c.Name+" "+c.Kind.String(), func(t *testing.T) {
			for i, workers := range []int{1, 2, 3, 7} {
				if testgraph.Race && i%2 == 0 {
					continue // one worker does nothing at the same time, and three do as seven
				}
				g := c.Graph(uint64(workers))
				check(t, g, workers, workers == 1 && g.DegreeHistogram().Max < 100)
			}
		})
	}
}

// TestRandom counts in small graphs, dense ones among them, in every order, with and without
// duplicates and self-loops.
func TestRandom(t *testing.T) {
	for seed := range uint64(testlong.Rounds(150, 10000)) {
		r := rand.New(rand.NewPCG(seed, 15))
		n := 1 + r.IntN(40)
		if seed%50 == 0 {
			n = 150 // more than two words
		}
		g := testgraph.Random(r, n, 8, true)
		check(t, g, 1+r.IntN(3), n < 100)
	}
}

// TestManyVertices counts in rows that aren't those of hubs alone: the graph has more vertices
// than there are bit rows.
func TestManyVertices(t *testing.T) {
	const n = 70000
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.Directed} {
		r := rand.New(rand.NewPCG(3, 4))
		var es []testgraph.Edge
		for v := range uint32(n) {
			for range 5 { // near each other, or a hub
				to := (v + 1 + r.Uint32N(12)) % n
				if r.IntN(4) == 0 {
					to = r.Uint32N(1+r.Uint32N(100)) * 700
				}
				es = append(es, testgraph.Edge{From: v, To: to})
			}
		}
		check(t, testgraph.Build(n, es, kind), 3, false)
	}
}

// TestCoefficients has LDBC Graphalytics' definition by hand: in a directed graph the edge
// between two neighbors counts by its directions, whatever those to the vertex are.
func TestCoefficients(t *testing.T) {
	es := []testgraph.Edge{{From: 0, To: 1}, {From: 2, To: 0}, {From: 1, To: 2}, {From: 2, To: 1}, {From: 0, To: 3}}
	for kind, want := range map[testgraph.Kind][]float64{
		testgraph.Directed:    {2. / 6, 1. / 2, 1. / 2, 0},
		testgraph.WithReverse: {2. / 6, 1. / 2, 1. / 2, 0},
	} {
		p := testgraph.Place(testgraph.Build(4, es, kind), 2)
		r, err := triangles.Run(t.Context(), p, triangles.Options{})
		must(t, err)
		got, err := r.Coefficient.Slice()
		must(t, err)
		if !slices.Equal(got, want) || r.Total != 1 || r.Average != (2./6+1)/4 {
			t.Errorf("%v: coefficients %v, want %v, %d triangles, average %v", kind, got, want, r.Total, r.Average)
		}
		must(t, r.Close())
		must(t, p.Close())
	}
}

// TestValidate damages results.
func TestValidate(t *testing.T) {
	g := testgraph.Build(4, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}, {From: 2, To: 3}}, testgraph.Undirected)
	p := testgraph.Place(g, 1)
	defer p.Close()
	for i, damage := range []func(counts []uint64, rates []float64, r *triangles.Result){
		func(_ []uint64, _ []float64, r *triangles.Result) { r.Total++ },
		func(_ []uint64, _ []float64, r *triangles.Result) { r.Average += 0.1 },
		func(counts []uint64, _ []float64, _ *triangles.Result) { counts[3]++ },
		func(counts []uint64, _ []float64, _ *triangles.Result) { counts[0], counts[3] = 0, 1 },
		func(_ []uint64, rates []float64, _ *triangles.Result) { rates[2] = 1 },
		func(_ []uint64, rates []float64, _ *triangles.Result) { rates[0], rates[2] = rates[2], rates[0] },
		func(_ []uint64, _ []float64, r *triangles.Result) { r.Close() },
	} {
		r, err := triangles.Run(t.Context(), p, triangles.Options{})
		must(t, err)
		counts, err := r.Triangles.Slice()
		must(t, err)
		rates, err := r.Coefficient.Slice()
		must(t, err)
		damage(counts, rates, r)
		if err := triangles.Validate(g, r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("damage %d: %v", i, err)
		}
		must(t, r.Close())
	}
	if err := triangles.Validate(g, nil); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
	if err := triangles.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	if _, err := triangles.Run(t.Context(), nil, triangles.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.Directed} {
		p := testgraph.Place(testgraph.ByName("complete").Graph(1), 2)
		if kind == testgraph.Directed {
			must(t, p.Close())
			p = testgraph.Place(testgraph.Uniform(5000, 8, kind).Graph(1), 2)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := triangles.Run(ctx, p, triangles.Options{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		levels := 0
		r, err := triangles.Run(t.Context(), p, triangles.Options{Stats: true, EachLevel: func(traverse.Level) { levels++ }})
		must(t, err)
		if levels == 0 || len(r.Stats.Levels) != levels {
			t.Errorf("%d calls of EachLevel, %d levels", levels, len(r.Stats.Levels))
		}
		must(t, r.Close())
		must(t, r.Close())
		if bytes := triangles.Bytes(p, triangles.Options{}); bytes < 28*uint64(p.NumVertices()) {
			t.Errorf("%d bytes", bytes)
		}
		must(t, p.Close())
		if _, err := triangles.Run(t.Context(), p, triangles.Options{}); !errors.Is(err, device.ErrClosed) {
			t.Error(err)
		}
	}
}

// TestFreed frees the graph while a run calls back, and runs side by side.
func TestFreed(t *testing.T) {
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.Directed} {
		p := testgraph.Place(testgraph.Uniform(3000, 8, kind).Graph(1), 2)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				r, err := triangles.Run(t.Context(), p, triangles.Options{})
				if err == nil {
					err = errors.Join(triangles.Validate(p.Graph(), r), r.Close())
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		r, err := triangles.Run(t.Context(), p, triangles.Options{EachLevel: func(traverse.Level) {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}})
		if !errors.Is(err, device.ErrClosed) {
			t.Errorf("%v: %v", kind, err)
		}
		must(t, r.Close())
	}
}

func Example() {
	g := testgraph.Build(5, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}, {From: 2, To: 3}, {From: 3, To: 4}}, testgraph.Undirected)
	p, err := g.On(host.New(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	r, err := triangles.Run(context.Background(), p, triangles.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	counts, err := r.Triangles.Slice()
	if err != nil {
		fmt.Println(err)
		return
	}
	rates, err := r.Coefficient.Slice()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Total, "triangle, at the vertices", counts)
	fmt.Printf("coefficients %.2f, on average %.3f\n", rates, r.Average)
	// Output:
	// 1 triangle, at the vertices [1 1 1 0 0]
	// coefficients [1.00 1.00 0.33 0.00 0.00], on average 0.467
}
