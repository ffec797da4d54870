package kcore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/kcore"
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

// check runs it on a graph with a number of workers, and compares with the oracle.
func check(t *testing.T, g *graph.Graph, workers int) {
	t.Helper()
	p, err := g.On(host.New(workers))
	must(t, err)
	defer p.Close()
	r, err := kcore.Run(t.Context(), p, kcore.Options{})
	must(t, err)
	defer r.Close()
	core, err := r.Core.Slice()
	must(t, err)
	want := oracle.Cores(g)
	if !slices.Equal(core, want) {
		t.Fatalf("%d workers: %v, want %v", workers, core, want)
	}
	must(t, kcore.Validate(g, r))
	if g.NumVertices() > 0 && r.Degeneracy != slices.Max(want) {
		t.Fatalf("degeneracy %d of %v", r.Degeneracy, want)
	}
	k := r.Degeneracy/2 + 1
	sub, err := r.Subgraph(k)
	must(t, err)
	checkCore(t, g, sub, want, k)
}

// checkCore checks that a subgraph is the k-core: its vertices by their ids, and their edges.
func checkCore(t *testing.T, g, sub *graph.Graph, core []uint32, k uint32) {
	t.Helper()
	n := 0
	for _, c := range core {
		if c >= k {
			n++
		}
	}
	if sub.NumVertices() != n || sub.Directed() != g.Directed() || (sub.In() == nil) != (g.In() == nil) {
		t.Fatalf("the %d-core has %d vertices, want %d", k, sub.NumVertices(), n)
	}
	for v := range uint32(n) {
		old, err := g.Vertex(sub.IDs().Int(v))
		must(t, err)
		var want, got []int64
		for _, w := range g.Out().Neighbors(old) {
			if core[w] >= k {
				want = append(want, g.IDs().Int(w))
			}
		}
		for _, w := range sub.Out().Neighbors(v) {
			got = append(got, sub.IDs().Int(w))
		}
		if core[old] < k || !slices.Equal(got, want) {
			t.Fatalf("the %d-core: vertex %d of core number %d leads to %v, want %v", k, sub.IDs().Int(v), core[old], got, want)
		}
	}
}

func TestShapes(t *testing.T) {
	testlong.Project(t)
	for _, c := range append(testgraph.All(), testgraph.Tiny()...) {
		t.Run(c.Name+" "+c.Kind.String(), func(t *testing.T) {
			for i, workers := range []int{1, 2, 3, 7} {
				if testgraph.Race && i%2 == 0 {
					continue // one worker does nothing at the same time, and three do as seven
				}
				check(t, c.Graph(uint64(workers)), workers)
			}
		})
	}
}

// TestRandom runs small graphs, dense ones among them, in every order, with and without
// duplicates and self-loops.
func TestRandom(t *testing.T) {
	for seed := range uint64(testlong.Rounds(150, 10000)) {
		r := rand.New(rand.NewPCG(seed, 16))
		g := testgraph.Random(r, 1+r.IntN(60), 6, true)
		check(t, g, 1+r.IntN(3))
	}
}

// TestDeep has more stages than rounds of a stage, and more rounds than stages: cliques of rising
// size that are joined, and a path, whose ends leave first.
func TestDeep(t *testing.T) {
	var es []testgraph.Edge
	n := uint32(0)
	for size := uint32(2); size < 60; size++ {
		for v := range size {
			for u := range v {
				es = append(es, testgraph.Edge{From: n + u, To: n + v})
			}
		}
		n += size
		es = append(es, testgraph.Edge{From: n - 1, To: n})
	}
	for range 2000 {
		es = append(es, testgraph.Edge{From: n, To: n + 1})
		n++
	}
	check(t, testgraph.Build(int(n+1), es, testgraph.Undirected), 2)
	check(t, testgraph.Build(int(n+1), es, testgraph.Directed), 3)
}

// TestWorkers peels with any number of workers: long chains, few vertices that peel many, and hubs. Its graphs are larger
// than one worker does alone.
func TestWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name string
		n    uint32
		edge func(add func(from, to uint32))
	}{
		{"path", 100_000, func(add func(from, to uint32)) {
			for v := range uint32(99_999) {
				add(v, v+1)
			}
		}},
		{"lattice", 200 * 200, func(add func(from, to uint32)) {
			for v := range uint32(200 * 200) {
				if v%200 != 199 {
					add(v, v+1)
				}
				if v < 199*200 {
					add(v, v+200)
				}
			}
		}},
		{"lattice with diagonals", 200 * 200, func(add func(from, to uint32)) { // a few rows are longer than four
			for v := range uint32(199 * 200) {
				if v%200 != 199 && r.IntN(10) > 0 {
					add(v, v+1)
				}
				if r.IntN(10) > 0 {
					add(v, v+200)
				}
				if v%50 == 7 {
					add(v, v+201)
				}
			}
		}},
		{"hubs found", 5000 + 60, func(add func(from, to uint32)) { // whose neighbors all leave before
			for v := range uint32(5000) {
				for h := range uint32(6) {
					add(60+v, h*10)
				}
				add(60+v, 1+v%7)
			}
		}},
		{"stars", 40_000, func(add func(from, to uint32)) {
			for v := range uint32(40_000) {
				add(v, v%5*8000)
			}
		}},
		{"cliques in a tree", 30_000, func(add func(from, to uint32)) {
			for v := uint32(1); v < 30_000; v++ {
				add(v, uint32(r.IntN(int(v))))
			}
			for range 50 {
				first, size := uint32(r.IntN(29_000)), uint32(2+r.IntN(40))
				for v := range size {
					for u := range v {
						add(first+u, first+v)
					}
				}
			}
		}},
		{"skewed", 20_000, func(add func(from, to uint32)) {
			for range 300_000 {
				add(uint32(r.IntN(1+r.IntN(20_000))), uint32(r.IntN(1+r.IntN(1+r.IntN(20_000)))))
			}
		}},
		{"uniform", 20_000, func(add func(from, to uint32)) { // most of it leaves in wide frontiers
			for range 400_000 {
				add(uint32(r.IntN(20_000)), uint32(r.IntN(20_000)))
			}
		}},
		{"uniform, few leave together", 3000, func(add func(from, to uint32)) {
			for range 150_000 {
				add(uint32(r.IntN(3000)), uint32(r.IntN(3000)))
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var es []testgraph.Edge
			c.edge(func(from, to uint32) { es = append(es, testgraph.Edge{From: from, To: to}) })
			given := testgraph.Build(int(c.n), es, testgraph.Undirected)
			byDegree, err := given.Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
			must(t, err)
			for i, workers := range []int{1, 2, 7, 16, 5, 16} {
				g := given
				if i > 3 {
					g = byDegree
				}
				want := oracle.Cores(g)
				p := testgraph.Place(g, workers)
				for round := range testlong.Rounds(2, 20) {
					o := kcore.Options{}
					if round == 1 {
						o.EachLevel = func(traverse.Level) {} // each round is told
					}
					res, err := kcore.Run(t.Context(), p, o)
					must(t, err)
					core, err := res.Core.Slice()
					must(t, err)
					if !slices.Equal(core, want) || res.Degeneracy != slices.Max(want) {
						t.Fatalf("%d workers: other core numbers than the oracle, degeneracy %d", workers, res.Degeneracy)
					}
					must(t, res.Close())
				}
				must(t, p.Close())
			}
		})
	}
}

// TestTiles peels lattices whose neighbors are near in number, and random changes of them, from few vertices on.
func TestTiles(t *testing.T) {
	for seed := range uint64(testlong.Rounds(25, 3000)) {
		r := rand.New(rand.NewPCG(seed, 47))
		width, height := 2+r.IntN(40), 100+r.IntN(400)
		n, missing, far := width*height, r.IntN(3)*r.IntN(4), r.IntN(2)*r.IntN(30)
		var es []testgraph.Edge
		add := func(from, to int) { es = append(es, testgraph.Edge{From: uint32(from), To: uint32(to)}) }
		torus := r.IntN(3) == 0
		for v := range n {
			if r.IntN(1000) >= missing && (v%width < width-1) {
				add(v, v+1)
			}
			if r.IntN(1000) >= missing && (v+width < n || torus) {
				add(v, (v+width)%n)
			}
			if seed%5 == 4 && v+2*width < n && v%2 == 0 { // rows of more than four
				add(v, v+2*width)
			}
		}
		for range far {
			add(r.IntN(n), r.IntN(n))
		}
		g := testgraph.Build(n, es, testgraph.Undirected)
		want := oracle.Cores(g)
		workers := []int{8, 9, 16}[r.IntN(3)]
		p := testgraph.Place(g, workers)
		for range 3 {
			res, err := kcore.Run(t.Context(), p, kcore.Options{Stats: r.IntN(2) == 0})
			must(t, err)
			core, err := res.Core.Slice()
			must(t, err)
			if !slices.Equal(core, want) || res.Degeneracy != slices.Max(want) {
				t.Fatalf("seed %d, %d workers: other core numbers than the oracle, degeneracy %d", seed, workers, res.Degeneracy)
			}
			must(t, res.Close())
		}
		must(t, p.Close())
	}
}

// TestShortRows peels random graphs of short rows, few of which are longer than four, by as many workers as peel such
// graphs without rounds.
func TestShortRows(t *testing.T) {
	for seed := range uint64(testlong.Rounds(60, 5000)) {
		r := rand.New(rand.NewPCG(seed, 46))
		n := 1 + r.IntN(3000)
		var es []testgraph.Edge
		degree := make([]int, n)
		add := func(from, to, most int) {
			if max(degree[from], degree[to]) < most {
				es = append(es, testgraph.Edge{From: uint32(from), To: uint32(to)})
				degree[from], degree[to] = degree[from]+1, degree[to]+1
			}
		}
		for range r.IntN(3 * n) {
			from := r.IntN(n)
			add(from, (from+1+r.IntN(1+r.IntN(n)))%n, 4)
		}
		for range r.IntN(1 + n/64) {
			for from := r.IntN(n); degree[from] < 16 && r.IntN(8) > 0; {
				add(from, r.IntN(n), 16)
			}
		}
		check(t, testgraph.Build(n, es, testgraph.Undirected), []int{8, 16}[r.IntN(2)])
	}
}

// TestValidate damages results.
func TestValidate(t *testing.T) {
	g := testgraph.Build(6, []testgraph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}}, testgraph.Undirected)
	p := testgraph.Place(g, 1)
	defer p.Close()
	for i, damage := range []func(core []uint32, r *kcore.Result){
		func(_ []uint32, r *kcore.Result) { r.Degeneracy++ },
		func(core []uint32, _ *kcore.Result) { core[5] = 1 },                                          // too large
		func(core []uint32, _ *kcore.Result) { core[3] = 2 },                                          // too large
		func(core []uint32, _ *kcore.Result) { core[3] = 0 },                                          // too small
		func(core []uint32, r *kcore.Result) { core[0], core[1], core[2], r.Degeneracy = 1, 1, 1, 1 }, // too small
		func(core []uint32, _ *kcore.Result) { core[0] = 1 },
		func(_ []uint32, r *kcore.Result) { r.Close() },
	} {
		r, err := kcore.Run(t.Context(), p, kcore.Options{})
		must(t, err)
		core, err := r.Core.Slice()
		must(t, err)
		damage(core, r)
		if err := kcore.Validate(g, r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("damage %d: %v", i, err)
		}
		must(t, r.Close())
	}
	if err := kcore.Validate(g, nil); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
	if err := kcore.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	if _, err := kcore.Run(t.Context(), nil, kcore.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.Directed} {
		p := testgraph.Place(testgraph.Uniform(5000, 8, kind).Graph(1), 2)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := kcore.Run(ctx, p, kcore.Options{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, err := kcore.Run(t.Context(), p, kcore.Options{Engine: 9}); !errors.Is(err, graph.ErrOptions) {
			t.Error(err)
		}
		must(t, kcore.Prepare(t.Context(), p))
		levels := 0
		r, err := kcore.Run(t.Context(), p, kcore.Options{Stats: true, EachLevel: func(traverse.Level) { levels++ }})
		must(t, err)
		if levels == 0 || len(r.Stats.Levels) != levels {
			t.Errorf("%d calls of EachLevel, %d levels", levels, len(r.Stats.Levels))
		}
		must(t, r.Close())
		must(t, r.Close())
		if _, err := r.Subgraph(1); !errors.Is(err, device.ErrClosed) {
			t.Error(err)
		}
		if bytes := kcore.Bytes(p, kcore.Options{}); bytes < 8*uint64(p.NumVertices()) {
			t.Errorf("%d bytes", bytes)
		}
		must(t, p.Close())
		if _, err := kcore.Run(t.Context(), p, kcore.Options{}); !errors.Is(err, device.ErrClosed) {
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
				r, err := kcore.Run(t.Context(), p, kcore.Options{})
				if err == nil {
					err = errors.Join(kcore.Validate(p.Graph(), r), r.Close())
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		r, err := kcore.Run(t.Context(), p, kcore.Options{EachLevel: func(traverse.Level) {
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
	r, err := kcore.Run(context.Background(), p, kcore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	core, err := r.Core.Slice()
	if err != nil {
		fmt.Println(err)
		return
	}
	inner, err := r.Subgraph(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(core, "of", r.Degeneracy, "at most; the 2-core has", inner.NumEdges(), "edges")
	// Output:
	// [2 2 2 1 1] of 2 at most; the 2-core has 3 edges
}
