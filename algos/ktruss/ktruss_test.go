package ktruss

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// naive returns the trussness of edges by the definition: for each k it removes edges in fewer than k-2 triangles until none
// is left to remove.
func naive(g *graph.Graph) map[oracle.Pair]uint32 {
	is, truss := map[oracle.Pair]bool{}, map[oracle.Pair]uint32{}
	near := oracle.Neighbors(g)
	for v, row := range near {
		for _, u := range row {
			is[oracle.PairOf(uint32(v), u)] = true
		}
	}
	for k := uint32(3); len(is) > 0; k++ {
		for changed := true; changed; {
			changed = false
			for e := range is {
				triangles := uint32(0)
				for _, w := range near[e.A] {
					if w != e.B && is[oracle.PairOf(e.A, w)] && is[oracle.PairOf(e.B, w)] {
						triangles++
					}
				}
				if triangles+2 < k {
					delete(is, e)
					truss[e], changed = k-1, true
				}
			}
		}
	}
	return truss
}

// check compares a run with the definition.
func check(p *graph.Placed) error {
	r, err := Run(context.Background(), p, Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := r.Trussness.Slice()
	if err != nil {
		return err
	}
	g, want := p.Graph(), naive(p.Graph())
	c := g.Out()
	for v := range uint32(g.NumVertices()) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			u, truss := c.Targets[e], uint32(0)
			if v != u && (g.Directed() || v > u) {
				truss = want[oracle.PairOf(v, u)]
			}
			if got[e] != truss {
				return fmt.Errorf("the edge from %d to %d has trussness %d, want %d", v, u, got[e], truss)
			}
		}
	}
	return Validate(g, r)
}

// random returns a graph in which sparse and dense parts meet.
func random(r *rand.Rand, n, edges int) *graph.Graph {
	var es []testgraph.Edge
	width := uint32(1 + r.IntN(n))
	for range edges {
		a, b := r.Uint32N(uint32(n)), r.Uint32N(uint32(n))
		if r.IntN(3) > 0 {
			b = (a + r.Uint32N(width)) % uint32(n)
		}
		if r.IntN(4) == 0 {
			a, b = a%width, b%width
		}
		es = append(es, testgraph.Edge{From: a, To: b})
	}
	return testgraph.Build(n, es, testgraph.Kind(r.IntN(3)))
}

// inRounds runs f with and without the rounds of a GPU.
func inRounds(t *testing.T, f func(rounds bool)) {
	t.Cleanup(func() { byRounds = false })
	for _, byRounds = range []bool{false, true} {
		f(byRounds)
	}
	byRounds = false
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(1500, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	inRounds(t, func(rounds bool) {
		for seed := range uint64(graphs) {
			r := rand.New(rand.NewPCG(seed, 47))
			n := 1 + r.IntN(16)
			g := random(r, n, r.IntN(1+n*n))
			if err := check(testgraph.Place(g, []int{1, 2, 3, 7}[seed%4])); err != nil {
				t.Fatalf("seed %d, rounds %v, %d vertices, directed %v: %v", seed, rounds, n, g.Directed(), err)
			}
		}
	})
}

// TestLarger has graphs that workers share, in which rows get shorter.
func TestLarger(t *testing.T) {
	graphs := testlong.Rounds(16, 600)
	if testing.Short() || testgraph.Race {
		graphs = 4
	}
	inRounds(t, func(rounds bool) {
		for seed := range uint64(graphs) {
			r := rand.New(rand.NewPCG(seed, 48))
			n := 1 + r.IntN(2000)
			g := random(r, n, r.IntN(30*n))
			res, err := Run(t.Context(), testgraph.Place(g, []int{1, 2, 3, 7}[seed%4]), Options{})
			if err == nil {
				err = Validate(g, res)
			}
			if err != nil {
				t.Fatalf("seed %d, rounds %v: %v", seed, rounds, err)
			}
			res.Close()
		}
	})
}

func TestShapes(t *testing.T) {
	inRounds(t, func(rounds bool) {
		for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
			r, err := Run(t.Context(), testgraph.Place(c.Graph(3), 3), Options{})
			if err == nil {
				err = Validate(r.Trussness.Graph(), r)
			}
			if err != nil {
				t.Errorf("%s, rounds %v: %v", c.Name, rounds, err)
			}
			r.Close()
		}
	})
}

// complete returns a graph of n vertices that are all joined.
func complete(n int) *graph.Graph {
	var es []testgraph.Edge
	for v := range uint32(n) {
		for u := range v {
			es = append(es, testgraph.Edge{From: v, To: u})
		}
	}
	return testgraph.Build(n, es, testgraph.Undirected)
}

// TestComplete: all edges of a complete graph of n vertices have the trussness n, those of a star 2.
func TestComplete(t *testing.T) {
	n := 3000 // 4.5 thousand million triangles
	if !testlong.Long() {
		n = 600
	}
	if testing.Short() || testgraph.Race {
		n = 100
	}
	r, err := Run(t.Context(), testgraph.Place(complete(n), 2), Options{})
	if err != nil || int(r.Largest()) != n || r.Edges[n] != uint64(n*(n-1)/2) {
		t.Fatalf("%d edges, %v", r.Edges, err)
	}
	r.Close()
	var es []testgraph.Edge
	for v := range uint32(100000) {
		es = append(es, testgraph.Edge{From: 0, To: v + 1})
	}
	inRounds(t, func(bool) {
		r, err := Run(t.Context(), testgraph.Place(testgraph.Build(100001, es, testgraph.Undirected), 2), Options{})
		if err != nil || !slices.Equal(r.Edges, []uint64{0, 0, 100000}) {
			t.Fatalf("%d edges, %v", r.Edges, err)
		}
		r.Close()
	})
}

// TestDeep has edges that leave one after the other: a strip of triangles whose ends are open.
func TestDeep(t *testing.T) {
	n := 300000
	if testing.Short() || testgraph.Race {
		n = 5000
	}
	var es []testgraph.Edge
	for v := range uint32(n) { // without its first edge, each edge is in two triangles of which one leaves first
		for d := uint32(1); d < 4; d++ {
			if v+d < uint32(n) {
				es = append(es, testgraph.Edge{From: v, To: v + d})
			}
		}
	}
	g := testgraph.Build(n, es, testgraph.Undirected)
	r, err := Run(t.Context(), testgraph.Place(g, 2), Options{})
	if err == nil {
		err = Validate(g, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
}

// TestKarate has networkx 3.6.1's edges of the k-trusses.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	inRounds(t, func(rounds bool) {
		r, err := Run(t.Context(), testgraph.Place(g, 2), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var trusses []uint64
		for k := 2; k <= 6; k++ {
			edges := uint64(0)
			for _, more := range r.Edges[min(k, len(r.Edges)):] {
				edges += more
			}
			trusses = append(trusses, edges)
		}
		if !slices.Equal(trusses, []uint64{78, 67, 25, 14, 0}) || r.Largest() != 5 {
			t.Errorf("rounds %v: %d edges, largest %d", rounds, trusses, r.Largest())
		}
		r.Close()
	})
}

func TestErrors(t *testing.T) {
	plain := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed), 1)
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    Options
		want error
	}{
		"engine":   {context.Background(), plain, Options{Engine: 99}, graph.ErrOptions},
		"freed":    {context.Background(), gone, Options{}, device.ErrClosed},
		"no graph": {context.Background(), nil, Options{}, graph.ErrNoGraph},
		"canceled": {ended, plain, Options{}, context.Canceled},
	} {
		if r, err := Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends runs from their callbacks, at each of the first ones.
func TestCanceledWithin(t *testing.T) {
	g := random(rand.New(rand.NewPCG(5, 6)), 500, 9000)
	for after := 1; after < 6; after++ {
		ctx, cancel := context.WithCancel(context.Background())
		levels := 0
		o := Options{EachLevel: func(traverse.Level) {
			if levels++; levels == after {
				cancel()
			}
		}}
		if _, err := Run(ctx, testgraph.Place(g, 2), o); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d rounds: got %v", after, err)
		}
		cancel()
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{Order: graph.OrderGiven}, []int64{1, 2, 3, 3}, []int64{2, 3, 1, 4})
	for name, spoil := range map[string]func(r *Result, truss []uint32){
		"trussness": func(_ *Result, truss []uint32) { truss[len(truss)-1]++ },
		"loop":      func(_ *Result, truss []uint32) { truss[0] = 2 },
		"edges":     func(r *Result, _ []uint32) { r.Edges[2]++ },
		"largest":   func(r *Result, _ []uint32) { r.Edges = append(r.Edges, 0) },
		"freed":     func(r *Result, _ []uint32) { r.Close() },
	} {
		r, err := Run(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(p.Graph(), r); err != nil {
			t.Fatal(err)
		}
		truss, _ := r.Trussness.Slice()
		spoil(r, truss)
		if err := Validate(p.Graph(), r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := Validate(p.Graph(), nil); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
