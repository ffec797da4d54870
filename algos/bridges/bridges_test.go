package bridges_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// check compares a run with the definitions.
func check(p *graph.Placed) error {
	r, err := bridges.Run(context.Background(), p, bridges.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	g := p.Graph()
	component, bridge, cut := oracle.Blocks(g)
	gotComponent, err := r.Component.Slice()
	if err != nil {
		return err
	}
	gotBridge, err := r.Bridge.Slice()
	if err != nil {
		return err
	}
	gotCut, err := r.Articulation.Slice()
	if err != nil || !slices.Equal(gotCut, cut) {
		return fmt.Errorf("articulation points %v, want %v, %w", gotCut, cut, err)
	}
	c, names := g.Out(), map[uint32]bool{}
	for v := range uint32(g.NumVertices()) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			u := c.Targets[e]
			pair, want, is := oracle.PairOf(v, u), graph.NoVertex, uint32(0)
			if v != u && (g.Directed() || v > u) {
				want = component[pair]
				names[want] = true
				if bridge[pair] {
					is = 1
				}
			}
			if gotComponent[e] != want || gotBridge[e] != is {
				return fmt.Errorf("edge %v: component %d, bridge %d; want %d and %d", pair, gotComponent[e], gotBridge[e], want, is)
			}
		}
	}
	cuts := 0
	for _, x := range cut {
		cuts += int(x)
	}
	if r.Components != len(names) || r.Bridges != len(bridge) || r.Articulations != cuts {
		return fmt.Errorf("%d components, %d bridges, %d points; want %d, %d and %d", r.Components, r.Bridges, r.Articulations, len(names), len(bridge), cuts)
	}
	return bridges.Validate(g, r)
}

// random returns a graph of few edges more than vertices, in which trees, cycles and larger components meet.
func random(r *rand.Rand, n int) *graph.Graph {
	var es []testgraph.Edge
	for range r.IntN(1 + n*(1+r.IntN(3))/2 + n/2) {
		a := r.Uint32N(uint32(n))
		near := []uint32{r.Uint32N(uint32(n)), (a + 1) % uint32(n), a / 2, a}[min(r.IntN(7), 3)]
		if r.IntN(3) == 0 {
			near = r.Uint32N(uint32(n))
		}
		es = append(es, testgraph.Edge{From: a, To: near})
	}
	return testgraph.Build(n, es, testgraph.Kind(r.IntN(3)))
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(400, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 200
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 41))
		g := random(r, 1+r.IntN(14))
		if err := check(testgraph.Place(g, []int{1, 2, 3, 7}[seed%4])); err != nil {
			t.Fatalf("seed %d, %d vertices, directed %v: %v", seed, g.NumVertices(), g.Directed(), err)
		}
	}
}

// TestLarger compares with a depth-first search.
func TestLarger(t *testing.T) {
	for seed := range uint64(testlong.Rounds(60, 3000)) {
		r := rand.New(rand.NewPCG(seed, 42))
		g := random(r, 1+r.IntN(3000))
		res, err := bridges.Run(t.Context(), testgraph.Place(g, []int{1, 2, 3, 7}[seed%4]), bridges.Options{})
		if err == nil {
			err = bridges.Validate(g, res)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		res.Close()
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		for _, workers := range []int{1, 3} {
			r, err := bridges.Run(t.Context(), testgraph.Place(c.Graph(3), workers), bridges.Options{})
			if err == nil {
				err = bridges.Validate(r.Component.Graph(), r)
			}
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
			r.Close()
		}
	}
}

// TestDeep has a path and a cycle of a million vertices, in the order of their numbers and in another one.
func TestDeep(t *testing.T) {
	n := 1000000
	if testing.Short() || testgraph.Race {
		n = 30000
	}
	for _, cycle := range []bool{false, true} {
		for _, mixed := range []bool{false, true} {
			order := make([]uint32, n)
			for v := range order {
				order[v] = uint32(v)
			}
			if mixed {
				rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, k int) { order[i], order[k] = order[k], order[i] })
			}
			var es []testgraph.Edge
			for v := range n - 1 {
				es = append(es, testgraph.Edge{From: order[v], To: order[v+1]})
			}
			components, points := n-1, n-2
			if cycle {
				es = append(es, testgraph.Edge{From: order[n-1], To: order[0]})
				components, points = 1, 0
			}
			r, err := bridges.Run(t.Context(), testgraph.Place(testgraph.Build(n, es, testgraph.Undirected), 2), bridges.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if want := components; r.Components != want || r.Articulations != points || !cycle && r.Bridges != want || cycle && r.Bridges != 0 {
				t.Errorf("cycle %v: %d components, %d points, %d bridges", cycle, r.Components, r.Articulations, r.Bridges)
			}
			if err := bridges.Validate(r.Component.Graph(), r); err != nil || r.Stats.Rounds > 200 {
				t.Errorf("cycle %v: %v, %d rounds", cycle, err, r.Stats.Rounds)
			}
			r.Close()
		}
	}
}

// TestKarate: networkx 3.6.1 finds the bridge from 1 to 12, the articulation point 1, and three components.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := bridges.Run(t.Context(), testgraph.Place(g, 2), bridges.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	points, err := r.Articulation.ByID()
	if err != nil || r.Components != 3 || r.Bridges != 1 || r.Articulations != 1 || points[0] != 1 {
		t.Errorf("%d components, %d bridges, points %v, %v", r.Components, r.Bridges, points, err)
	}
	bridge, err := r.Bridge.Slice()
	if err != nil {
		t.Fatal(err)
	}
	for v := range uint32(g.NumVertices()) {
		for e := g.Out().Offsets[v]; e < g.Out().Offsets[v+1]; e++ {
			if to := g.IDs().Int(g.Out().Targets[e]); bridge[e] == 1 && g.IDs().Int(v)*to != 12 {
				t.Errorf("the edge from %d to %d is a bridge", g.IDs().Int(v), to)
			}
		}
	}
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
		o    bridges.Options
		want error
	}{
		"engine":   {context.Background(), plain, bridges.Options{Engine: 99}, graph.ErrOptions},
		"freed":    {context.Background(), gone, bridges.Options{}, device.ErrClosed},
		"no graph": {context.Background(), nil, bridges.Options{}, graph.ErrNoGraph},
		"canceled": {ended, plain, bridges.Options{}, context.Canceled},
	} {
		if r, err := bridges.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestCanceledWithin ends a run from its callback.
func TestCanceledWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := bridges.Options{EachLevel: func(traverse.Level) { cancel() }}
	if _, err := bridges.Run(ctx, testgraph.Place(testgraph.Path(5000).Graph(1), 2), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{Order: graph.OrderGiven}, []int64{1, 2, 3, 3}, []int64{2, 3, 1, 4})
	for name, spoil := range map[string]func(r *bridges.Result, component, bridge, cut []uint32){
		"component":  func(_ *bridges.Result, c, _, _ []uint32) { c[len(c)-1] = c[2] },
		"name":       func(_ *bridges.Result, c, _, _ []uint32) { c[len(c)-1] = 0 },
		"bridge":     func(_ *bridges.Result, _, b, _ []uint32) { b[len(b)-1] = 0 },
		"no bridge":  func(_ *bridges.Result, _, b, _ []uint32) { b[2] = 1 },
		"point":      func(_ *bridges.Result, _, _, c []uint32) { c[0] = 1 },
		"components": func(r *bridges.Result, _, _, _ []uint32) { r.Components++ },
		"bridges":    func(r *bridges.Result, _, _, _ []uint32) { r.Bridges++ },
		"points":     func(r *bridges.Result, _, _, _ []uint32) { r.Articulations++ },
		"freed":      func(r *bridges.Result, _, _, _ []uint32) { r.Close() },
	} {
		r, err := bridges.Run(context.Background(), p, bridges.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := bridges.Validate(p.Graph(), r); err != nil {
			t.Fatal(err)
		}
		a, _ := r.Component.Slice()
		b, _ := r.Bridge.Slice()
		c, _ := r.Articulation.Slice()
		spoil(r, a, b, c)
		if err := bridges.Validate(p.Graph(), r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := bridges.Validate(p.Graph(), nil); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := bridges.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
