package msbfs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/internal/lanes"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// narrow sets how many edges a level has at most that a plain loop goes through: as usual, a few or none.
// It returns what sets it back.
func narrow(seed uint64) func() {
	usual := tuning.NarrowEdges
	tuning.NarrowEdges = []int{usual, 0, 3}[seed%3]
	return func() { tuning.NarrowEdges = usual }
}

// check searches from some sources, and compares with plain searches.
func check(t *testing.T, g *graph.Graph, workers, sources, lanes int, seed uint64) {
	t.Helper()
	defer narrow(seed)()
	p, err := g.On(host.New(workers))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	n := g.NumVertices()
	r := rand.New(rand.NewPCG(seed, 3))
	var from []uint32
	var pairs []msbfs.Pair
	for range sources {
		if n > 0 {
			from = append(from, uint32(r.IntN(n)))
			pairs = append(pairs, msbfs.Pair{From: uint32(r.IntN(n)), To: uint32(r.IntN(n))})
		}
	}
	got, err := msbfs.Run(t.Context(), p, from, msbfs.Options{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	want := oracle.Counts(g, from)
	for i := range want {
		if !slices.Equal(got.Counts[i], want[i]) {
			t.Fatalf("%d vertices, %d workers, source %d, %d of %d: %.300v, want %.300v", n, workers, from[i], i, sources, fmt.Sprint(got.Counts[i]), fmt.Sprint(want[i]))
		}
	}
	distances, err := msbfs.Reach(t.Context(), p, pairs, msbfs.Options{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	for i, pair := range pairs {
		if want := oracle.Depths(g.Out(), pair.From)[pair.To]; distances[i] != want {
			t.Fatalf("%d vertices, %d workers, pair %v: %d, want %d", n, workers, pair, distances[i], want)
		}
	}
}

func TestShapes(t *testing.T) {
	testlong.Project(t)
	for _, c := range append(testgraph.Small(), testgraph.Tiny()...) {
		t.Run(c.Name+" "+c.Kind.String(), func(t *testing.T) {
			for i, workers := range []int{1, 2, 3, 7} {
				if testgraph.Race && i%2 == 0 {
					continue // one worker does nothing at the same time, and three do as seven
				}
				check(t, c.Graph(uint64(workers)), workers, []int{1, 130, 64, 63}[i], 0, uint64(i))
				check(t, c.Graph(uint64(workers)), workers, []int{65, 512, 300, 600}[i], []int{65, 512, 256, 257}[i], uint64(i))
			}
		})
	}
}

// TestRandom searches small graphs of every order.
func TestRandom(t *testing.T) {
	for seed := range uint64(testlong.Rounds(75, 5000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		check(t, testgraph.Random(r, 1+r.IntN(60), 3, false), 1+r.IntN(3), 1+r.IntN(70), []int{0, 1, 100}[r.IntN(3)], seed)
	}
}

func TestErrors(t *testing.T) {
	p, err := testgraph.Path(200).Graph(1).On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := msbfs.Run(t.Context(), p, []uint32{1, 200}, msbfs.Options{}); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
	if _, err := msbfs.Reach(t.Context(), p, []msbfs.Pair{{From: 1, To: 200}}, msbfs.Options{}); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	if _, err := msbfs.Run(ctx, p, []uint32{1}, msbfs.Options{EachLevel: func(l traverse.Level) { stop() }}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s, err := msbfs.NewSearcher(p, msbfs.Options{Stats: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := testgraph.Each(s.Batch(t.Context(), [][]uint32{{0}, {199, 100}}), func(i int, r *msbfs.Result) error {
		if len(r.Counts[0]) != 200 || len(r.Stats.Levels) == 0 {
			t.Error(i, len(r.Counts[0]))
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	tr := traverse.New(t.Context(), p)
	for _, most := range []int{-1, 513} {
		if _, err := msbfs.Run(t.Context(), p, []uint32{1}, msbfs.Options{Lanes: most}); !errors.Is(err, graph.ErrOptions) {
			t.Error(most, err)
		}
		if _, err := lanes.NewLanes(tr, most); !errors.Is(err, graph.ErrOptions) {
			t.Error(most, err)
		}
	}
	l, err := lanes.NewLanes(tr, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(make([]uint32, 65)); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	if err := errors.Join(tr.Close(), s.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	if _, err := msbfs.Run(t.Context(), p, []uint32{1}, msbfs.Options{}); !errors.Is(err, device.ErrClosed) {
		t.Error(err)
	}
	if _, err := msbfs.Reach(t.Context(), nil, nil, msbfs.Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

func ExampleRun() {
	p := testgraph.Placed(graph.Options{}, []int64{1, 2, 3}, []int64{2, 3, 4})
	defer p.Close()
	r, err := msbfs.Run(context.Background(), p, []uint32{0, 1}, msbfs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Counts)
	d, err := msbfs.Reach(context.Background(), p, []msbfs.Pair{{From: 0, To: 3}, {From: 2, To: 1}}, msbfs.Options{})
	fmt.Println(d, err)
	// Output:
	// [[1 1 1 1] [1 2 1]]
	// [3 1] <nil>
}

// TestOneWay searches to the end of directed graphs without their reverse, where it isn't known how
// many edges are left.
func TestOneWay(t *testing.T) {
	for _, n := range []int{2, 3, 10, 1000} {
		var es []testgraph.Edge
		for v := range uint32(n - 1) {
			es = append(es, testgraph.Edge{From: v, To: v + 1})
		}
		for _, sources := range []int{1, 2, 64} {
			check(t, testgraph.Build(n, es, testgraph.Directed), 2, sources, 0, 1)
			check(t, testgraph.Build(n, es, testgraph.Directed), 2, 5*sources, 5*sources, 1)
		}
	}
}

func TestFastLanes(t *testing.T) {
	p := testgraph.Place(testgraph.Uniform(250, 3, testgraph.Undirected).Graph(1), 1)
	for _, sources := range []int{0, 1, 250, 1 << 20} {
		if n := lanes.FastLanes(p, sources); n != 64 {
			t.Errorf("%d sources on the host: %d lanes, want 64", sources, n)
		}
	}
}
