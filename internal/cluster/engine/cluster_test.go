// This file compares searches over ranks with those of package bfs.

package engine

import (
	"context"
	"errors"
	"fmt"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// input is a graph for tests.
type input struct {
	name            string
	src, dst        []int64
	vertices        []int64 // without edges
	directed, dense bool
	unsigned        bool
	n               uint64 // where dense
	// place brings parts to where they are searched, if not on the host.
	place func(context.Context, *Part) (io.Closer, error)
	// before are searches of the same part before the one that is compared.
	before []SearchOptions
}

// edges is a rank's share: blocks of some edges, sharded in turn.
func (in *input) edges(rank, size int) Edges {
	return Edges{Directed: in.directed, Dense: in.dense, Vertices: in.n, Unsigned: in.unsigned,
		Read: func(_ context.Context, yield func(src, dst []int64) error) error {
			const each = 7
			for i := 0; i*each < len(in.src); i++ {
				if to := min(i*each+each, len(in.src)); i%size == rank {
					if err := yield(in.src[i*each:to], in.dst[i*each:to]); err != nil {
						return err
					}
				}
			}
			if len(in.vertices) > 0 && rank == size-1 {
				return yield(in.vertices, nil)
			}
			return nil
		}}
}

// depths are those that package bfs finds, by id.
func (in *input) depths(t testing.TB, sources, targets []int64, limit int) (map[int64]int32, *bfs.Result) {
	t.Helper()
	o := graph.Options{Directed: in.directed, DenseIDs: in.dense, Vertices: in.n}
	kind := graph.Int64
	if in.unsigned {
		kind = graph.Uint64
	}
	b := graph.NewBuilder(o)
	err := b.Add(graph.Batch{Type: kind, Src: in.src, Dst: in.dst})
	if err == nil && len(in.vertices) > 0 {
		err = b.Add(graph.Batch{Type: kind, Src: in.vertices, Vertices: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	find := func(ids []int64) (vs []uint32) {
		for _, id := range ids {
			v, ok := g.IDs().FindInt(graph.Source, id)
			if !ok {
				t.Fatalf("no vertex %d", id)
			}
			vs = append(vs, v)
		}
		return vs
	}
	r, err := bfs.RunMultiSource(t.Context(), p, find(sources), bfs.Options{Targets: find(targets), DepthLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	depths := map[int64]int32{}
	for v, d := range testgraph.Array(r.Depths()) {
		depths[g.IDs().Int(uint32(v))] = d
	}
	return depths, r
}

// onRanks runs f on ranks of this process.
func onRanks(t testing.TB, n int, f func(c comm.Comm) error) {
	t.Helper()
	var all sync.WaitGroup
	for _, c := range comm.InProcess(n) {
		all.Go(func() {
			if err := comm.Do(c, func() error { return f(c) }); err != nil {
				t.Errorf("rank %d of %d: %v", c.Rank(), n, err)
				return
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// compare searches and compares depths, counts and parents.
func (in *input) compare(t *testing.T, ranks int, o Options, so SearchOptions, sources []int64, want map[int64]int32, ref *bfs.Result) {
	t.Helper()
	var mu sync.Mutex
	got, parents := map[int64]int32{}, map[int64]int64{}
	onRanks(t, ranks, func(c comm.Comm) error {
		ctx := t.Context()
		p, err := Build(ctx, c, in.edges(c.Rank(), c.Size()), o)
		if err != nil {
			return err
		}
		if in.place != nil {
			placed, err := in.place(ctx, p)
			if err != nil {
				return err
			}
			defer placed.Close()
		}
		for _, b := range in.before {
			r, err := p.Search(ctx, sources[:1], b)
			if err != nil {
				return err
			}
			if err := r.Check(ctx); err != nil {
				return fmt.Errorf("before: %w", err)
			}
		}
		r, err := p.Search(ctx, sources, so)
		if err != nil {
			return err
		}
		if err := r.Check(ctx); err != nil {
			return err
		}
		sum, err := r.Checksum(ctx)
		if err != nil {
			return err
		}
		expected := uint64(0)
		for id, d := range want {
			expected += DepthHash(id, d)
		}
		if sum != expected {
			t.Errorf("the checksum is %x, not %x", sum, expected)
		}
		if r.Reached != uint64(ref.Reached) || r.Levels != ref.Levels || r.Limited != ref.Limited || r.TraversedEdges != ref.TraversedEdges() {
			t.Errorf("reached %d in %d levels over %d edges, limited %t; package bfs: %d in %d over %d, %t", r.Reached, r.Levels, r.TraversedEdges,
				r.Limited, ref.Reached, ref.Levels, ref.TraversedEdges(), ref.Limited)
		}
		if p.Stats.Vertices != uint64(len(want)) {
			t.Errorf("%d vertices, not %d", p.Stats.Vertices, len(want))
		}
		mu.Lock()
		defer mu.Unlock()
		for i, id := range p.IDs() {
			got[id] = r.Depths[i]
			if so.Parents && r.Depths[i] >= 0 {
				parents[id] = r.Parents[i]
			}
		}
		return nil
	})
	if t.Failed() {
		return
	}
	for id, d := range want {
		if g, ok := got[id]; !ok || g != d {
			t.Fatalf("vertex %d: depth %d (there: %t), want %d", id, g, ok, d)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d vertices, want %d", len(got), len(want))
	}
	in.checkParents(t, got, parents, sources, so.Parents)
}

// checkParents checks independently what Result.Check checks too.
func (in *input) checkParents(t *testing.T, depths map[int64]int32, parents map[int64]int64, sources []int64, any bool) {
	t.Helper()
	if !any {
		return
	}
	edges := map[[2]int64]bool{}
	for i, u := range in.src {
		edges[[2]int64{u, in.dst[i]}] = true
		if !in.directed {
			edges[[2]int64{in.dst[i], u}] = true
		}
	}
	for v, d := range depths {
		p, ok := parents[v]
		switch {
		case ok != (d >= 0):
			t.Fatalf("vertex %d at depth %d: has a parent: %t", v, d, ok)
		case d == 0 && (p != v || !slices.Contains(sources, v)):
			t.Fatalf("vertex %d at depth 0 has parent %d", v, p)
		case d > 0 && (depths[p] != d-1 || !edges[[2]int64{p, v}]):
			t.Fatalf("vertex %d at depth %d: parent %d is at depth %d, an edge: %t", v, d, p, depths[p], edges[[2]int64{p, v}])
		}
	}
}

// shapes makes a random graph of one of many shapes.
func shape(r *rand.Rand, kind int) *input {
	n := int64(1 + r.IntN(120))
	in := &input{directed: r.IntN(3) == 0}
	add := func(u, v int64) { in.src, in.dst = append(in.src, u), append(in.dst, v) }
	random := func(m int) {
		for range m {
			add(r.Int64N(n), r.Int64N(n))
		}
	}
	switch kind {
	case 0:
		in.name = "star"
		for v := range n {
			add(0, v)
		}
	case 1:
		in.name = "path"
		for v := range n {
			add(v, v+1)
		}
		n++
	case 2:
		in.name = "one loop"
		add(0, 0)
		n = 1
	case 3:
		in.name = "loops and duplicates"
		random(int(n))
		for i := range slices.Clone(in.src) {
			add(in.dst[i], in.src[i])
			add(in.src[i], in.dst[i])
			add(in.src[i], in.src[i])
		}
	case 4:
		in.name = "components"
		for i := 0; i < int(n); i++ {
			u := r.Int64N(n)
			add(u, min(u/10*10+r.Int64N(10), n-1))
		}
	case 5:
		in.name = "complete"
		n = min(n, 30)
		for u := range n {
			for v := range u + 1 {
				add(u, v)
			}
		}
	case 6:
		in.name = "skewed"
		for range 6 * n {
			add(int64(math.Pow(r.Float64(), 4)*float64(n)), r.Int64N(n))
		}
	case 7:
		in.name = "double star"
		for v := range n {
			add(v%min(2, n), v)
			add(v, r.Int64N(n))
		}
	default:
		in.name = "random"
		random(int(n) * r.IntN(8))
		add(0, r.Int64N(n))
	}
	switch r.IntN(4) {
	case 0:
		in.dense, in.n, in.name = true, uint64(n)+uint64(r.IntN(5)), in.name+", dense"
	case 1:
		in.dense, in.name = true, in.name+", dense without a count"
	case 2: // ids far apart, some negative or of 2^63 and more
		in.unsigned = r.IntN(2) == 0
		key := r.Uint64() | 1
		for _, ids := range [][]int64{in.src, in.dst} {
			for i := range ids {
				ids[i] = int64((uint64(ids[i]) + 7) * key)
			}
		}
		in.name += ", scattered"
		in.vertices = []int64{int64(8 * key), math.MinInt64}
	}
	return in
}

// smallTiles lets small graphs keep several workers busy for several rounds.
func smallTiles(t *testing.T) {
	a, b, c, d, e := batchEdges, tileEdges, tileRows, tilePush, tileWords
	batchEdges, tileEdges, tileRows, tilePush, tileWords = 50, 5, 3, 2, 1
	t.Cleanup(func() { batchEdges, tileEdges, tileRows, tilePush, tileWords = a, b, c, d, e })
	f, g, h, i, j := sortAtOnce, radixLeast, fineRows, coarseRows, bucketEntries
	sortAtOnce, radixLeast, fineRows, coarseRows, bucketEntries = 20, 6, 3, 4, 7
	t.Cleanup(func() { sortAtOnce, radixLeast, fineRows, coarseRows, bucketEntries = f, g, h, i, j })
}

// randomCase makes a random graph and a random search of it.
func randomCase(r *rand.Rand, seed uint64) (in *input, o Options, so SearchOptions, sources []int64) {
	in = shape(r, int(seed%9))
	o = Options{Threshold: []int64{Auto, 0, 1, 2, 5, 1 << 40}[r.IntN(6)], Workers: 1 + r.IntN(3)}
	so = SearchOptions{Parents: r.IntN(2) == 0, Twice: r.IntN(2) == 0}
	sources = []int64{in.src[r.IntN(len(in.src))]}
	if r.IntN(3) == 0 {
		sources = append(sources, in.dst[r.IntN(len(in.dst))], sources[0])
	}
	switch r.IntN(4) {
	case 0:
		so.DepthLimit = int(1 + r.IntN(4))
	case 1:
		so.Targets = []int64{in.src[r.IntN(len(in.src))], in.dst[r.IntN(len(in.src))]}
	}
	for i := range so.Directions {
		if so.Directions[i] = Direction(r.IntN(3)); in.directed {
			so.Directions[i] = Direction(r.IntN(2))
		}
	}
	so.LocalAllToAll, o.PerMachine = r.IntN(2) == 0, r.IntN(4)
	return in, o, so, sources
}

func TestRandom(t *testing.T) {
	smallTiles(t)
	rounds := testlong.Rounds(30, 20_000)
	for seed := testlong.Seed(0); seed < testlong.Seed(0)+uint64(rounds); seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		ranks := 1 + r.IntN(5)
		in, o, so, sources := randomCase(r, seed)
		name := fmt.Sprintf("%d %s, directed %t, %d ranks, %d a machine, threshold %d, %+v", seed, in.name, in.directed, ranks, o.PerMachine, o.Threshold, so)
		if !t.Run(name, func(t *testing.T) {
			want, ref := in.depths(t, sources, so.Targets, so.DepthLimit)
			in.compare(t, ranks, o, so, sources, want, ref)
		}) {
			break
		}
	}
}

func TestEmpty(t *testing.T) {
	onRanks(t, 3, func(c comm.Comm) error {
		in := input{dense: true, n: 5}
		p, err := Build(t.Context(), c, in.edges(c.Rank(), c.Size()), Options{Threshold: Auto})
		if err != nil {
			return err
		}
		r, err := p.Search(t.Context(), []int64{3}, SearchOptions{Parents: true})
		if err != nil {
			return err
		}
		if r.Reached != 1 || r.Levels != 1 || p.Stats.Vertices != 5 {
			t.Errorf("%d reached in %d levels, %d vertices", r.Reached, r.Levels, p.Stats.Vertices)
		}
		return r.Check(t.Context())
	})
}

func TestNoVertex(t *testing.T) {
	in := input{src: []int64{1, 2, -3}, dst: []int64{2, 3, 4}}
	for _, what := range []string{"source", "target"} {
		var all sync.WaitGroup
		for _, c := range comm.InProcess(3) {
			all.Go(func() {
				p, err := Build(t.Context(), c, in.edges(c.Rank(), c.Size()), Options{Threshold: Auto})
				if err != nil {
					t.Error(err)
					return
				}
				o := SearchOptions{}
				source := int64(9)
				if what == "target" {
					source, o.Targets = 1, []int64{2, 9}
				}
				_, err = p.Search(t.Context(), []int64{source}, o)
				var none *ErrNoVertex
				if !errors.As(err, &none) || none.ID != 9 || none.What != what || none.First != -3 || none.Last != 4 {
					t.Errorf("%v: %+v", err, none)
				}
				if _, err := p.Search(t.Context(), []int64{1}, SearchOptions{}); err != nil { // so that ranks continue
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// TestOwnParts: each rank knows what its time went to; the local step is timed only where there is one.
func TestOwnParts(t *testing.T) {
	g, err := gen.Parse("kron10")
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{1, 2, 4} {
		onRanks(t, ranks, func(c comm.Comm) error {
			p, err := Build(t.Context(), c, generated(g, c.Rank(), c.Size()), Options{Threshold: 16, Workers: 1, PerMachine: 2})
			if err != nil {
				return err
			}
			source, _, err := p.LargestDegree(t.Context())
			if err != nil {
				return err
			}
			for _, local := range []bool{false, true} {
				r, err := p.Search(t.Context(), []int64{source}, SearchOptions{LocalAllToAll: local})
				if err != nil {
					return err
				}
				o := r.Own
				if o.Computing <= 0 || o.Counting <= 0 || o.Uniting <= 0 || o.Exchanging < 0 || o.Computing+o.Counting+o.Uniting+o.Exchanging+o.Local > r.Elapsed {
					t.Errorf("%d ranks: %+v of %v", ranks, o, r.Elapsed)
				}
				if (o.Exchanging > 0) != (ranks > 1) || (o.Local > 0) != (local && ranks == 4) {
					t.Errorf("%d ranks, local all-to-all %t: %+v", ranks, local, o)
				}
			}
			return nil
		})
	}
}
