// This file holds the tests of searches over several devices.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// Shards searches graphs that are divided into shards on several devices, with all options. Depths match
// the definition, parents are valid, and no memory stays in use on any device.
func (s Suite) Shards(t *testing.T) {
	r := rand.New(rand.NewPCG(testlong.Seed(131), 1))
	row, heavy, alike, share, grain := tuning.ShardRow, tuning.ShardHeavy, tuning.ShardAlike, tuning.ShardAlikeShare, tuning.ShardGrain
	usual := func() {
		tuning.ShardRow, tuning.ShardHeavy, tuning.ShardAlike, tuning.ShardAlikeShare, tuning.ShardGrain, tuning.WideOffsets = row, heavy, alike, share, grain, false
	}
	defer usual()
	used := s.used()
	before := used()
	for i := range testlong.Rounds(s.times(100, 8), s.times(4000, 60)) {
		usual()
		tuning.WideOffsets = r.IntN(4) == 0
		if r.IntN(3) == 0 {
			tuning.ShardRow, tuning.ShardHeavy = r.Uint64N(8), 1+r.Uint64N(1000)
		}
		if r.IntN(2) == 0 {
			tuning.ShardAlike, tuning.ShardAlikeShare = r.Uint64N(1<<r.IntN(16)), 1+r.Uint64N(1<<r.IntN(30))
		}
		tuning.ShardGrain = []uint32{0, 1, 3, grain}[r.IntN(4)]
		s.shardsOnce(t, r)
		if left := used(); left != before {
			t.Errorf("%d bytes are left", left-before)
		}
		if t.Failed() {
			t.Fatalf("input %d", i)
		}
	}
}

// shardsGraph returns a random graph.
func (s Suite) shardsGraph(t *testing.T, r *rand.Rand) *graph.Graph {
	return s.shardsWeighted(t, r, nil)
}

// shardsWeighted returns a random graph whose edges have the weights that draw draws, if it isn't nil.
func (s Suite) shardsWeighted(t *testing.T, r *rand.Rand, draw func(*rand.Rand) float32) *graph.Graph {
	n := 1 + r.IntN(1<<r.IntN(s.times(17, 13)))
	degree := 1 + r.IntN(12)
	o := graph.Options{Directed: r.IntN(3) == 0, KeepSelfLoops: r.IntN(3) == 0, KeepDuplicates: r.IntN(3) == 0, Order: []graph.Order{graph.OrderDegree, graph.OrderGiven}[r.IntN(2)]}
	o.Reverse = o.Directed && r.IntN(4) > 0
	far := int64(1)
	if r.IntN(2) == 0 {
		far = 1 + r.Int64N(1<<40)
	}
	m := n * degree
	e := graph.Batch{Type: graph.Int64, Src: make([]int64, m), Dst: make([]int64, m)}
	skew := r.IntN(3)
	pick := func() int64 {
		v := r.IntN(n)
		for range skew {
			v = min(v, r.IntN(n))
		}
		return int64(v) * far
	}
	for i := range m {
		e.Src[i], e.Dst[i] = pick(), pick()
		if skew == 0 && r.IntN(8) > 0 { // long ways
			e.Dst[i] = (e.Src[i]/far + 1) % int64(n) * far
		}
	}
	if draw != nil {
		o.Weights, e.Weights = true, make([]float32, m)
		for i := range e.Weights {
			e.Weights[i] = draw(r)
		}
	}
	b := graph.NewBuilder(o)
	if err := b.Add(e); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (s Suite) shardsOnce(t *testing.T, r *rand.Rand) {
	t.Helper()
	var g *graph.Graph
	what := "random"
	if r.IntN(3) == 0 {
		all := testgraph.Small()
		c := all[r.IntN(len(all))]
		g, what = c.Graph(r.Uint64()), fmt.Sprint(c.Name, " ", c.Kind)
	} else {
		g = s.shardsGraph(t, r)
	}
	if g.NumVertices() == 0 {
		return
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(p.Close(), g.Close()); err != nil {
			t.Error(err)
		}
	}()
	for range 1 + r.IntN(6) {
		s.shardsSearch(t, r, g, p, what)
	}
}

func (s Suite) shardsSearch(t *testing.T, r *rand.Rand, g *graph.Graph, p *graph.Placed, what string) {
	t.Helper()
	n := g.NumVertices()
	some := func(most int) (vs []uint32) {
		for range 1 + r.IntN(most) {
			vs = append(vs, uint32(r.IntN(n)))
		}
		return vs
	}
	sources := some(1)
	if r.IntN(3) == 0 {
		sources = some(40)
	}
	o := dobfs.Options{Outputs: []bfs.Outputs{0, bfs.Depths, bfs.Parents, bfs.Depths | bfs.Parents}[r.IntN(4)], ByID: r.IntN(3) == 0, Stats: r.IntN(3) == 0, DeviceTime: r.IntN(4) == 0}
	if r.IntN(4) == 0 {
		o.DepthLimit = 1 + r.IntN(6)
	}
	if r.IntN(4) == 0 {
		o.Targets = some(10)
		if r.IntN(3) == 0 {
			o.Targets = append(o.Targets, sources[0])
		}
	}
	told := 0
	if r.IntN(4) == 0 {
		o.EachLevel = func(bfs.Level) { told++ }
	}
	algorithm := "bfs"
	var res *bfs.Result
	var err error
	if g.HasReverse() && r.IntN(4) > 0 {
		algorithm = "dobfs"
		if r.IntN(3) == 0 {
			o.Tuning.Alpha, o.Tuning.Beta = []float64{0.5, 15, 1e6}[r.IntN(3)], []float64{1e-3, 18, 1e6}[r.IntN(3)]
		}
		res, err = dobfs.RunMultiSource(context.Background(), p, sources, o)
	} else {
		res, err = bfs.RunMultiSource(context.Background(), p, sources, bfs.Options{Outputs: o.Outputs, ByID: o.ByID, Stats: o.Stats,
			DeviceTime: o.DeviceTime, DepthLimit: o.DepthLimit, Targets: o.Targets, EachLevel: o.EachLevel})
	}
	if err != nil {
		t.Errorf("%s on %s, %d vertices: %v", algorithm, what, n, err)
		return
	}
	defer res.Close()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s on %s, %d vertices, %d edges, directed %v, from %v, %+v: %s", algorithm, what, n, g.NumEdges(), g.Directed(), sources, o, fmt.Sprintf(format, args...))
	}
	want := oracle.Depths(g.Out(), sources...)
	cut(want, o.DepthLimit, o.Targets)
	reached, levels := 0, 0
	for _, d := range want {
		if d >= 0 {
			reached, levels = reached+1, max(levels, int(d)+1)
		}
	}
	if res.Reached != reached || res.Levels != levels {
		fail("%d reached in %d levels, want %d in %d", res.Reached, res.Levels, reached, levels)
	}
	if got := testgraph.Array(res.Depths()); o.Outputs.Has(bfs.Depths) && !slices.Equal(got, want) {
		for v := range want {
			if len(got) != n || got[v] != want[v] {
				fail("vertex %d of %d has depth %v, want %d", v, len(got), at(got, v), want[v])
				return
			}
		}
	}
	if o.Outputs.Has(bfs.Parents) {
		s.shardsParents(t, g, res, want, sources, fail)
	}
	if o.ByID {
		byID := testgraph.Array(res.DepthsByID())
		for v := range n {
			if o.Outputs.Has(bfs.Depths) && byID[g.IDs().Rank(uint32(v))] != want[v] {
				fail("by id, vertex %d has depth %d, want %d", v, byID[g.IDs().Rank(uint32(v))], want[v])
				return
			}
		}
		for i, p := range testgraph.Array(res.ParentsByID()) {
			v := g.IDs().AtRank(uint32(i))
			of := graph.NoVertex
			if p != graph.NoVertex {
				of = g.IDs().AtRank(p)
			}
			if of != testgraph.Array(res.Parents())[v] {
				fail("by id, vertex %d has parent %d, want %d", v, of, testgraph.Array(res.Parents())[v])
				return
			}
		}
	}
	expanded := levels
	if res.Limited {
		expanded--
	}
	if o.Stats && len(res.Stats) != expanded && expanded <= 2048 {
		fail("%d levels in the statistics, want %d", len(res.Stats), expanded)
	}
	if o.EachLevel != nil && told != expanded && expanded <= 2048 {
		fail("%d levels told, want %d", told, expanded)
	}
	if o.Stats && expanded <= 2048 {
		counts := make([]int, levels)
		for _, d := range want {
			if d >= 0 {
				counts[d]++
			}
		}
		for i, l := range res.Stats {
			if l.Frontier != counts[i] {
				fail("level %d has %d vertices in the statistics, want %d", i, l.Frontier, counts[i])
			}
		}
	}
	if len(o.Targets) == 0 && r.IntN(8) == 0 {
		m, err := res.Metadata(context.Background())
		if want := fmt.Sprintf(`"parents":%v`, o.Outputs.Has(bfs.Parents)); err != nil || strings.Contains(m["foray.options"], want) != o.Outputs.Has(bfs.Parents) ||
			strings.Contains(m["foray.options"], "noDepths") != !o.Outputs.Has(bfs.Depths) {
			fail("metadata %v, %v", m["foray.options"], err)
		}
	}
	if res.Device != s.Device.Info().Name {
		fail("it ran on %s", res.Device)
	}
}

func at(a []int32, i int) any {
	if i < len(a) {
		return a[i]
	}
	return "none"
}

// cut limits depths to those of a search that ends at a limit, or once all targets are reached.
func cut(depths []int32, limit int, targets []uint32) {
	most := int32(1<<31 - 1)
	if limit > 0 {
		most = int32(limit)
	}
	if len(targets) > 0 {
		last := int32(0)
		for _, v := range targets {
			if depths[v] < 0 {
				last = most
				break
			}
			last = max(last, depths[v])
		}
		most = min(most, last)
	}
	for v, d := range depths {
		if d > most {
			depths[v] = -1
		}
	}
}

func (s Suite) shardsParents(t *testing.T, g *graph.Graph, res *bfs.Result, want []int32, sources []uint32, fail func(string, ...any)) {
	t.Helper()
	parents := testgraph.Array(res.Parents())
	if len(parents) != len(want) {
		fail("%d parents", len(parents))
		return
	}
	for v, p := range parents {
		switch {
		case want[v] < 0:
			if p != graph.NoVertex {
				fail("vertex %d, not reached, has parent %d", v, p)
				return
			}
		case want[v] == 0:
			if p != uint32(v) {
				fail("source %d has parent %d", v, p)
				return
			}
		case int(p) >= len(want) || want[p] != want[v]-1 || !slices.Contains(g.Out().Neighbors(p), uint32(v)):
			fail("vertex %d at depth %d has parent %d", v, want[v], p)
			return
		}
	}
}

// ShardsTogether searches from several goroutines at once, on two placed graphs.
func (s Suite) ShardsTogether(t *testing.T) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for seed := range uint64(2) {
		g := testgraph.Skewed(s.times(20_000, 300), 8, testgraph.Undirected).Graph(seed)
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		var searches sync.WaitGroup
		for i := range uint32(3) {
			searches.Add(1)
			go func() {
				defer searches.Done()
				want := oracle.Depths(g.Out(), i)
				for range s.times(100, 3) {
					res, err := dobfs.Run(context.Background(), p, i, dobfs.Options{})
					if err != nil {
						t.Error(err)
						return
					}
					if !slices.Equal(testgraph.Array(res.Depths()), want) {
						t.Errorf("depths from %d differ", i)
					}
					res.Close()
				}
			}()
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			searches.Wait()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
}

// ShardsCanceled ends searches by their context, and by memory that there isn't.
func (s Suite) ShardsCanceled(t *testing.T) {
	g := testgraph.Path(s.times(50_000, 60)).Graph(1)
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i := range s.times(8, 3) {
		ctx, cancel := context.WithCancel(context.Background())
		levels := 0
		if i == 0 {
			cancel()
		}
		_, err := bfs.Run(ctx, p, 0, bfs.Options{EachLevel: func(bfs.Level) {
			if levels++; levels == i {
				cancel()
			}
		}})
		if i == 0 && !errors.Is(err, context.Canceled) {
			t.Errorf("canceled before: %v", err)
		}
		cancel()
		res, err := bfs.Run(context.Background(), p, 0, bfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Reached != g.NumVertices() {
			t.Errorf("after a canceled search %d are reached", res.Reached)
		}
		res.Close()
	}
	s.shardsSearcher(t, g, p)
	if _, err := bfs.Run(context.Background(), p, 0, bfs.Options{Tuning: bfs.Tuning{Coupling: "two-phase"}}); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("a coupling of one GPU: %v", err)
	}
	if _, err := s.Device.NewStream(context.Background()); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("a stream on several GPUs: %v", err)
	}
}

// shardsSearcher searches in one Searcher, also after searches that failed, and closes it.
func (s Suite) shardsSearcher(t *testing.T, g *graph.Graph, p *graph.Placed) {
	used := s.used()
	before := used()
	one, err := dobfs.NewSearcher(p, dobfs.Options{Outputs: bfs.Depths | bfs.Parents})
	if err != nil {
		t.Fatal(err)
	}
	after := uint64(0)
	for i := range 4 {
		if _, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{0}, Targets: []uint32{uint32(g.NumVertices())}}); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("a target that isn't there: %v", err)
		}
		res, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{uint32(i)}})
		if err != nil || res.Reached != g.NumVertices() {
			t.Fatalf("search %d: %v", i, err)
		}
		if err := bfs.Validate(g, res); err != nil {
			t.Error(err)
		}
		if i == 0 {
			after = used()
		} else if left := used(); left != after {
			t.Errorf("search %d took %d bytes more", i, left-after)
		}
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if left := used(); left > before {
		t.Errorf("a closed searcher has %d bytes", left-before)
	}
}
