package topo_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// check compares a run with the naive levels.
func check(p *graph.Placed, o topo.Options) error {
	level, length := oracle.Levels(p.Graph())
	r, err := topo.Run(context.Background(), p, o)
	if level == nil {
		return isCycle(p.Graph(), err)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := r.Level.Slice()
	if err != nil || !slices.Equal(got, level) {
		return fmt.Errorf("levels %v, want %v, %w", got, level, err)
	}
	levels := 0
	if len(level) > 0 {
		levels = int(slices.Max(level)) + 1
	}
	if r.Levels != levels {
		return fmt.Errorf("%d levels, want %d", r.Levels, levels)
	}
	if (r.Length != nil) != o.Weighted {
		return fmt.Errorf("lengths %v", r.Length)
	}
	if o.Weighted {
		if got, err := r.Length.Slice(); err != nil || !slices.Equal(got, length) {
			return fmt.Errorf("lengths %v, want %v, %w", got, length, err)
		}
	}
	if err := isLongest(p.Graph(), r, level, length); err != nil {
		return err
	}
	return topo.Validate(p.Graph(), r)
}

// isCycle checks that an error has a cycle of the graph, and lists its ids.
func isCycle(g *graph.Graph, err error) error {
	var cycle *topo.CycleError
	if !errors.As(err, &cycle) {
		return fmt.Errorf("the graph has a cycle, but got %w", err)
	}
	for i, v := range cycle.Cycle {
		if !slices.Contains(g.Out().Neighbors(v), cycle.Cycle[(i+1)%len(cycle.Cycle)]) || slices.Contains(cycle.Cycle[:i], v) {
			return fmt.Errorf("not a cycle: %v", cycle.Cycle)
		}
		if i < 20 && !strings.Contains(err.Error(), " "+g.IDs().Format(v)+" -> ") {
			return fmt.Errorf("vertex %d isn't in the message: %w", v, err)
		}
	}
	return nil
}

// isLongest checks the longest path.
func isLongest(g *graph.Graph, r *topo.Result, level []uint32, length []float64) error {
	way, err := r.Longest()
	if err != nil || len(level) == 0 {
		return err
	}
	c, sum := g.Out(), 0.0
	for i, v := range way[1:] {
		most := math.Inf(-1)
		for e := c.Offsets[way[i]]; e < c.Offsets[way[i]+1]; e++ {
			if c.Targets[e] == v && c.Weights != nil {
				most = max(most, c.FloatWeight(e))
			} else if c.Targets[e] == v {
				most = 0
			}
		}
		sum += most
	}
	if want := slices.Max(length); r.Length != nil && sum != want {
		return fmt.Errorf("the longest path %v weighs %v, want %v", way, sum, want)
	}
	if want := slices.Max(level); r.Length == nil && (len(way) != int(want)+1 || math.IsInf(sum, -1)) {
		return fmt.Errorf("the longest path is %v, want %d edges", way, want)
	}
	return nil
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(300, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	cycles := 0
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 12))
		n := r.IntN(60)
		if r.IntN(200) == 0 {
			n = 600
		}
		order := r.Perm(n)
		src, dst, weights := []int64{}, []int64{}, []float64{}
		for range r.IntN(5*n + 1) {
			a, b := r.IntN(n), r.IntN(1+r.IntN(n))
			if a > b {
				a, b = b, a
			}
			if a == b && r.IntN(20) > 0 {
				continue
			}
			src, dst, weights = append(src, int64(order[a])), append(dst, int64(order[b])), append(weights, float64(r.IntN(9))/8)
		}
		if r.IntN(4) == 0 && len(src) > 0 { // an edge back, which may close a cycle
			i, k := r.IntN(len(src)), r.IntN(len(src))
			src, dst, weights = append(src, dst[i]), append(dst, src[k]), append(weights, 1)
		}
		o := graph.Options{Directed: true, Weights: true, KeepSelfLoops: true, KeepDuplicates: r.IntN(2) == 0, DenseIDs: true, Vertices: uint64(n),
			Order: []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto}[r.IntN(3)]}
		if !o.KeepDuplicates {
			o.Combine = graph.CombineMax
		}
		if n == 0 {
			o.Vertices, o.DenseIDs = 0, false
		}
		wide := r.IntN(3)
		for i := range weights {
			switch wide {
			case 1:
				weights[i] += 1e-9 // float32 doesn't hold them
			case 2:
				weights[i] = float64(int64(weights[i]*8) + 1<<30) // integers
			}
		}
		p, err := place(o, src, dst, weights, []int{1, 2, 3, 7}[seed%4])
		if err != nil {
			if n == 0 && errors.Is(err, graph.ErrEmpty) {
				continue
			}
			t.Fatal(err)
		}
		if level, _ := oracle.Levels(p.Graph()); level == nil {
			cycles++
		}
		for _, weighted := range []bool{false, true} {
			if err := check(p, topo.Options{Weighted: weighted}); err != nil {
				t.Fatalf("seed %d, weighted %v, %d vertices, %d edges: %v", seed, weighted, n, len(src), err)
			}
		}
	}
	if cycles == 0 || cycles > graphs/2 {
		t.Errorf("%d graphs of %d have cycles", cycles, graphs)
	}
}

func place(o graph.Options, src, dst []int64, weights []float64, workers int) (*graph.Placed, error) {
	b := graph.NewBuilder(o)
	if err := b.Add(graph.Batch{Type: graph.Int64, Src: src, Dst: dst, FloatWeights: weights}); err != nil {
		return nil, err
	}
	g, err := b.Build(context.Background())
	if err != nil {
		return nil, err
	}
	return g.On(host.New(workers))
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		if c.Kind == testgraph.Undirected {
			continue
		}
		for _, workers := range []int{1, 3} {
			if err := check(testgraph.Place(c.Graph(3), workers), topo.Options{}); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}

// TestKarate has the values of networkx 3.6.1, topological_generations and dag_longest_path_length, of the karate club
// with each edge directed to the larger id, and the weight source·target mod 7.
func TestKarate(t *testing.T) {
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var src, dst []int64
	var weights []float64
	for v := range uint32(g.NumVertices()) {
		for _, w := range g.Out().Neighbors(v) {
			if a, b := g.IDs().Int(v), g.IDs().Int(w); a < b {
				src, dst, weights = append(src, a), append(dst, b), append(weights, float64(a*b%7))
			}
		}
	}
	p, err := place(graph.Options{Directed: true, Weights: true}, src, dst, weights, 2)
	if err != nil {
		t.Fatal(err)
	}
	r, err := topo.Run(t.Context(), p, topo.Options{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := topo.Validate(p.Graph(), r); err != nil {
		t.Error(err)
	}
	levels := []uint32{0, 1, 2, 3, 1, 1, 2, 4, 3, 3, 2, 1, 4, 4, 0, 0, 3, 2, 0, 2, 0, 2, 0, 0, 0, 1, 0, 3, 3, 1, 4, 4, 5, 6}
	if got, err := r.Level.ByID(); err != nil || !slices.Equal(got, levels) {
		t.Errorf("levels %v, %v", got, err)
	}
	lengths := []float64{0, 2, 8, 13, 5, 6, 6, 17, 14, 10, 11, 5, 16, 13, 0, 0, 10, 4, 0, 7, 0, 4, 0, 0, 0, 6, 0, 8, 11, 6, 20, 15, 21, 24}
	if got, err := r.Length.ByID(); err != nil || !slices.Equal(got, lengths) {
		t.Errorf("lengths %v, %v", got, err)
	}
	way, err := r.Longest()
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, v := range way {
		ids = append(ids, p.Graph().IDs().Int(v))
	}
	if want := []int64{1, 2, 3, 9, 31, 34}; !slices.Equal(ids, want) {
		t.Errorf("longest path %v, want %v", ids, want)
	}
}

// TestCycles: messages list external ids, each cycle from its smallest id on.
func TestCycles(t *testing.T) {
	long := make([]int64, 100)
	for i := range long {
		long[i] = int64(10 * i)
	}
	for _, c := range []struct {
		src, dst []int64
		want     string
	}{
		{[]int64{5, 30, 20, 10, 30}, []int64{30, 20, 10, 30, 40}, "topo: the graph has a cycle of 3 vertices: 10 -> 30 -> 20 -> 10"},
		{[]int64{5, 7}, []int64{7, 7}, "topo: the graph has a cycle of 1 vertex: 7 -> 7"},
		{long, append(slices.Clone(long[1:]), 0), "190 -> 80 more -> 0"},
	} {
		p, err := place(graph.Options{Directed: true, KeepSelfLoops: true}, c.src, c.dst, nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := topo.Run(t.Context(), p, topo.Options{}); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestWeights: bad weights are refused, and named; sums that float64 rounds, too.
func TestWeights(t *testing.T) {
	src, dst := []int64{1, 2, 1}, []int64{2, 3, 3}
	for name, c := range map[string]struct {
		weights []float64
		typ     graph.WeightType
		want    string
	}{
		"negative":  {[]float64{1, -2, 3}, graph.WeightsAuto, "from 2 to 3 weighs -2"},
		"NaN":       {[]float64{1, 2, math.NaN()}, graph.WeightsAuto, "from 1 to 3 weighs NaN"},
		"infinite":  {[]float64{math.Inf(1), 2, 3}, graph.WeightsAuto, "from 1 to 2 weighs +Inf"},
		"too large": {[]float64{1.7e308, 1.7e308, 3}, graph.WeightsAuto, "path to 3 is beyond"},
		"inexact":   {[]float64{1 << 52, 1 << 52, 3}, graph.WeightsInt64, "path to 3 is 2^53 or more"},
	} {
		p, err := place(graph.Options{Directed: true, Weights: true, WeightType: c.typ}, src, dst, c.weights, 2)
		if err != nil {
			t.Fatal(err)
		}
		r, err := topo.Run(t.Context(), p, topo.Options{Weighted: true})
		if r != nil || !errors.Is(err, graph.ErrWeights) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if err := check(p, topo.Options{}); name != "NaN" && err != nil { // weights don't count
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrors(t *testing.T) {
	plain := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Directed), 1)
	both := testgraph.Place(testgraph.Build(3, []testgraph.Edge{{From: 0, To: 1}}, testgraph.Undirected), 1)
	gone := testgraph.Place(plain.Graph(), 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		p    *graph.Placed
		o    topo.Options
		want error
	}{
		"undirected": {context.Background(), both, topo.Options{}, graph.ErrOptions},
		"engine":     {context.Background(), plain, topo.Options{Engine: 99}, graph.ErrOptions},
		"no weights": {context.Background(), plain, topo.Options{Weighted: true}, graph.ErrNoWeights},
		"freed":      {context.Background(), gone, topo.Options{}, device.ErrClosed},
		"no graph":   {context.Background(), nil, topo.Options{}, graph.ErrNoGraph},
		"canceled":   {ended, plain, topo.Options{}, context.Canceled},
	} {
		if r, err := topo.Run(c.ctx, c.p, c.o); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
		}
	}
}

// TestValidate corrupts results, each in a different way.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{1, 2, 1, 3, 5}, []int64{2, 3, 3, 4, 4}, 1, 2, 3, 4, 5)
	for name, spoil := range map[string]func(r *topo.Result, level []uint32, length []float64){
		"level too low":   func(_ *topo.Result, a []uint32, _ []float64) { a[2] = 1 },
		"level too high":  func(_ *topo.Result, a []uint32, _ []float64) { a[3] = 4 },
		"source too high": func(_ *topo.Result, a []uint32, _ []float64) { a[4] = 1 },
		"length too low":  func(_ *topo.Result, _ []uint32, a []float64) { a[2] = 2 },
		"length too high": func(_ *topo.Result, _ []uint32, a []float64) { a[3] = 8 },
		"wrong count":     func(r *topo.Result, _ []uint32, _ []float64) { r.Levels++ },
		"freed":           func(r *topo.Result, _ []uint32, _ []float64) { r.Close() },
	} {
		r, err := topo.Run(context.Background(), p, topo.Options{Weighted: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := topo.Validate(p.Graph(), r); err != nil {
			t.Fatal(err)
		}
		level, _ := r.Level.Slice()
		length, _ := r.Length.Slice()
		spoil(r, level, length)
		if err := topo.Validate(p.Graph(), r); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
		r.Close()
	}
	if err := topo.Validate(p.Graph(), nil); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("nil: got %v", err)
	}
	if err := topo.Validate(nil, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("no graph: got %v", err)
	}
}
