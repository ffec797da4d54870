package walks_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// all returns all walks, each with its start, and how many ended early.
func all(p *graph.Placed, o walks.Options) (list [][]uint32, ended int, err error) {
	for b, err := range walks.Each(context.Background(), p, o) {
		if err != nil {
			return nil, 0, err
		}
		if err := walks.Validate(p.Graph(), b, o); err != nil {
			return nil, 0, err
		}
		for i := range b.Starts {
			list = append(list, slices.Clone(b.Vertices[b.Offsets[i]:b.Offsets[i+1]]))
		}
		ended += b.Ended
	}
	return list, ended, nil
}

// check compares walks with those of a loop.
func check(p *graph.Placed, o walks.Options) error {
	got, ended, err := all(p, o)
	if err != nil {
		return err
	}
	want := oracle.Walks(p.Graph(), oracle.WalkOptions{Starts: o.Starts, Count: max(o.Count, 1), Length: o.Length, Seed: o.Seed, Weighted: o.Weighted, P: o.P, Q: o.Q})
	short := 0
	for _, walk := range want {
		if len(walk) <= o.Length {
			short++
		}
	}
	if short != ended {
		return fmt.Errorf("%d walks ended early, want %d", ended, short)
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]uint32]) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

func TestRandomGraphs(t *testing.T) {
	graphs := testlong.Rounds(300, 100000)
	if testing.Short() || testgraph.Race {
		graphs = 300
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 16))
		n := 1 + r.IntN(40)
		var src, dst []int64
		var weights []float32
		for range 1 + r.IntN(4*n) {
			src, dst, weights = append(src, r.Int64N(1+r.Int64N(int64(n)))), append(dst, r.Int64N(int64(n))), append(weights, float32(r.IntN(4)))
		}
		p := testgraph.Placed(graph.Options{Directed: r.IntN(2) == 0, Weights: true, KeepSelfLoops: true, KeepDuplicates: r.IntN(2) == 0}, src, dst, weights...)
		n = p.NumVertices()
		o := walks.Options{Count: r.IntN(4), Length: 1 + r.IntN(12), Seed: r.Uint64N(3), Weighted: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			o.P, o.Q = []float64{0, 0.25, 1, 4, 1e6}[r.IntN(5)], []float64{0, 0.25, 1, 4, 1e6, 1e-6}[r.IntN(6)]
		}
		if r.IntN(2) == 0 {
			for range 1 + r.IntN(8) {
				o.Starts = append(o.Starts, r.Uint32N(uint32(n)))
			}
		}
		if err := check(testgraph.Place(p.Graph(), []int{1, 2, 3, 7}[seed%4]), o); err != nil {
			t.Fatalf("seed %d, %d vertices, %d edges, %+v: %v", seed, n, len(src), o, err)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.Tiny(), testgraph.Small()...) {
		for _, o := range []walks.Options{{Length: 5}, {Length: 7, Count: 2, Seed: 3}} {
			if err := check(testgraph.Place(c.Graph(3), 3), o); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}

// TestDistribution compares how often steps are taken with their probabilities, by the chi-square test: of second order, by
// rejection and, with extreme parameters, by the whole distribution, with and without weights.
func TestDistribution(t *testing.T) {
	// 0 is next to 1, 2, 3 and 4; 1 to 2 too, and 3 to 4.
	src, dst, weights := []int64{0, 0, 0, 0, 1, 3}, []int64{1, 2, 3, 4, 2, 4}, []float32{1, 2, 3, 4, 1, 1}
	p := testgraph.Placed(graph.Options{Weights: true, Order: graph.OrderGiven}, src, dst, weights...)
	for _, weighted := range []bool{false, true} {
		for _, f := range [][2]float64{{1, 1}, {0.25, 1}, {4, 0.5}, {1e-6, 1}, {1, 1e7}, {1e7, 1e7}} {
			o := walks.Options{Starts: []uint32{1}, Count: 60000, Length: 2, Seed: 5, Weighted: weighted, P: f[0], Q: f[1]}
			list, _, err := all(p, o)
			if err != nil {
				t.Fatal(err)
			}
			var count [5]float64 // of second steps from 0, where walks came from 1
			total := 0.0
			for _, walk := range list {
				if walk[1] == 0 {
					count[walk[2]]++
					total++
				}
			}
			w := [5]float64{0, 1, 1, 1, 1}
			if weighted {
				w = [5]float64{0, 1, 2, 3, 4}
			}
			w[1] /= f[0]
			w[3] /= f[1]
			w[4] /= f[1]
			sum := w[1] + w[2] + w[3] + w[4]
			chi := 0.0
			for v := 1; v < 5; v++ {
				if expected := total * w[v] / sum; expected > 1 {
					chi += (count[v] - expected) * (count[v] - expected) / expected
				} else if count[v] > 10 {
					t.Errorf("P %v, Q %v, weighted %v: %v steps to %d, want %v", f[0], f[1], weighted, count[v], v, expected)
				}
			}
			if chi > 16.3 { // 3 degrees of freedom: one in a thousand
				t.Errorf("P %v, Q %v, weighted %v: counts %v, chi-square %v", f[0], f[1], weighted, count, chi)
			}
		}
	}
}

// TestSinks: walks that come to a sink are shorter, and are counted.
func TestSinks(t *testing.T) {
	p := testgraph.Placed(graph.Options{Directed: true, Weights: true, Order: graph.OrderGiven}, []int64{1, 2, 3, 5}, []int64{2, 3, 4, 6}, 1, 1, 1, 0)
	list, ended, err := all(p, walks.Options{Length: 3})
	if err != nil || ended != 5 || fmt.Sprint(list) != "[[0 1 2 3] [1 2 3] [2 3] [3] [4 5] [5]]" {
		t.Error(list, ended, err)
	}
	list, ended, err = all(p, walks.Options{Length: 3, Weighted: true, Starts: []uint32{4}, P: 2})
	if err != nil || ended != 1 || fmt.Sprint(list) != "[[4]]" { // its only edge has weight 0
		t.Error(list, ended, err)
	}
}

// TestSame: a walk is the same among others, in several batches, and for any number of workers.
func TestSame(t *testing.T) {
	g := testgraph.Random(rand.New(rand.NewPCG(3, 3)), 3000, 8, true)
	p := testgraph.Place(g, 1)
	o := walks.Options{Count: 3, Length: 2000, Seed: 9, Q: 2}
	first, _, err := all(p, o)
	if err != nil || len(first) != 3*g.NumVertices() {
		t.Fatal(len(first), err)
	}
	for _, workers := range []int{2, 16} {
		again, _, err := all(testgraph.Place(g, workers), o)
		if err != nil || !slices.EqualFunc(first, again, slices.Equal[[]uint32]) {
			t.Errorf("%d workers: walks differ, %v", workers, err)
		}
	}
	o.Starts = []uint32{1234, 7}
	some, _, err := all(p, o)
	if err != nil || !slices.EqualFunc(some, slices.Concat(first[3702:3705], first[21:24]), slices.Equal[[]uint32]) {
		t.Error("walks of two starts differ", err)
	}
	o.Seed = 10
	if other, _, err := all(p, o); err != nil || slices.EqualFunc(some, other, slices.Equal[[]uint32]) {
		t.Error("another seed makes the same walks", err)
	}
	n := 0
	for range walks.Each(t.Context(), p, walks.Options{Count: 3, Length: 2000}) {
		n++
		break // no goroutine is left
	}
	if n != 1 {
		t.Error(n)
	}
}

func TestErrors(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1}, []int64{2})
	run := func(p *graph.Placed, o walks.Options) error {
		_, _, err := all(p, o)
		return err
	}
	for what, o := range map[string]walks.Options{
		"count": {Count: -1}, "many": {Count: walks.MostCount + 1}, "length": {Length: -1}, "long": {Length: walks.MostLength + 1}, "p": {P: -1}, "q": {Q: math.NaN()}, "large q": {Q: 1e10},
	} {
		if err := run(p, o); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := run(p, walks.Options{Starts: []uint32{2}}); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
	if err := run(p, walks.Options{Weighted: true}); !errors.Is(err, graph.ErrNoWeights) {
		t.Error(err)
	}
	if err := run(testgraph.Placed(graph.Options{Weights: true}, []int64{1}, []int64{2}, -1), walks.Options{Weighted: true}); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	if err := run(nil, walks.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	turned, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 2, 3, 4}, Targets: []uint32{2, 1, 0, 0}}, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(testgraph.Place(turned, 1), walks.Options{P: 2}); !errors.Is(err, graph.ErrMalformed) {
		t.Error(err)
	}
	if err := run(testgraph.Place(turned, 1), walks.Options{}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range walks.Each(ctx, p, walks.Options{}) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := run(p, walks.Options{}); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
}

// TestValidate: Validate finds every kind of error.
func TestValidate(t *testing.T) {
	p := testgraph.Placed(graph.Options{Directed: true, Order: graph.OrderGiven}, []int64{0, 1, 2}, []int64{1, 2, 3})
	o := walks.Options{Length: 2}
	good := func() walks.Batch {
		return walks.Batch{Starts: []uint32{0, 2}, Offsets: []int{0, 3, 5}, Vertices: []uint32{0, 1, 2, 2, 3}, Ended: 1}
	}
	if err := walks.Validate(p.Graph(), good(), o); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*walks.Batch){
		"start": func(b *walks.Batch) { b.Starts[0] = 1 }, "offsets": func(b *walks.Batch) { b.Offsets[1] = 0 }, "lengths": func(b *walks.Batch) { b.Offsets = b.Offsets[1:] },
		"edge": func(b *walks.Batch) { b.Vertices[1] = 2 }, "vertex": func(b *walks.Batch) { b.Vertices[4] = 9 }, "ended": func(b *walks.Batch) { b.Ended = 0 },
		"early": func(b *walks.Batch) { b.Offsets[1], b.Vertices = 2, []uint32{0, 1, 2, 3}; b.Offsets[2] = 4 },
	} {
		b := good()
		change(&b)
		if err := walks.Validate(p.Graph(), b, o); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := walks.Validate(nil, good(), o); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}
