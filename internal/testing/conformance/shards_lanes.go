// This file holds the tests of searches from many sources over several devices.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// ShardsLanes searches from many sources in graphs that are divided into shards on several devices. Counts, distances of
// pairs and the vertices that each source reaches match plain searches, and no memory stays in use on any device.
func (s Suite) ShardsLanes(t *testing.T) {
	s.lanesLayered(t)
	s.shardsInputs(t, 151, testlong.Rounds(s.times(100, 5), s.times(4000, 60)), s.lanesOnce)
}

// lanesLayered searches from the first of four layers, each of which has all edges to the next one. The second level is
// pulled, and the last layer's rows are long and bring nothing, so that they are looked at in pieces.
func (s Suite) lanesLayered(t *testing.T) {
	t.Helper()
	const first, width = 64, 300
	b := graph.NewBuilder(graph.Options{})
	from, to := make([]int64, 0, first), make([]int64, 0, width)
	for v := range int64(first) {
		from = append(from, v)
	}
	for v := int64(first); v < first+3*width; {
		for to = to[:0]; len(to) < width; v++ {
			to = append(to, v)
		}
		e := graph.Batch{Type: graph.Int64}
		for _, x := range from {
			for _, y := range to {
				e.Src, e.Dst = append(e.Src, x), append(e.Dst, y)
			}
		}
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		from = append(from[:0], to...)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	var sources []uint32
	for id := range uint32(first) {
		sources = append(sources, g.IDs().AtRank(id))
	}
	res, err := msbfs.Run(t.Context(), p, sources, msbfs.Options{})
	if err := errors.Join(err, p.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	for i, c := range res.Counts {
		if !slices.Equal(c, []uint64{1, width, width + first - 1, width}) {
			t.Errorf("source %d: %v", i, c)
		}
	}
}

func (s Suite) lanesOnce(t *testing.T, r *rand.Rand) {
	t.Helper()
	var g *graph.Graph
	kind := []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse}[r.IntN(2)]
	switch all := append(testgraph.Tiny(), testgraph.Small()...); r.IntN(6) {
	case 0, 1:
		g = all[r.IntN(len(all))].Graph(r.Uint64())
	case 2: // rows in pieces, of which many vertices miss something
		all = []testgraph.Case{testgraph.Skewed(700, 12, kind), testgraph.Uniform(400, 150+r.IntN(400), kind)}
		g = all[r.IntN(2)].Graph(r.Uint64())
	default:
		g = s.shardsGraph(t, r)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	err = s.lanesOf(t.Context(), p, r)
	if err := errors.Join(err, p.Close(), g.Close()); err != nil {
		t.Errorf("%d vertices, %d edges, directed %v, reverse %v: %v", g.NumVertices(), g.NumEdges(), g.Directed(), g.HasReverse(), err)
	}
}

func (s Suite) lanesOf(ctx context.Context, p *graph.Placed, r *rand.Rand) (err error) {
	g := p.Graph()
	n := uint32(g.NumVertices())
	o := msbfs.Options{Lanes: []int{0, 0, 1, 100, 512}[r.IntN(5)]}
	search, err := msbfs.NewSearcher(p, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, search.Close()) }()
	if _, err := search.Run(ctx, []uint32{0, n}); !errors.Is(err, graph.ErrNoVertex) {
		return fmt.Errorf("from vertex %d: %v", n, err)
	}
	if n == 0 {
		return nil
	}
	known := map[uint32][]int32{}
	from := func(v uint32) []int32 {
		if known[v] == nil {
			known[v] = oracle.Depths(g.Out(), v)
		}
		return known[v]
	}
	draw := func(most int) (vs []uint32) {
		for range most {
			vs = append(vs, r.Uint32N(min(n, 50))+r.Uint32N(max(n, 50)-49))
		}
		return vs
	}
	for range 1 + r.IntN(3) {
		sources := draw([]int{0, 1, 2, 63, 64, 65, 130}[r.IntN(7)])
		res, err := search.Run(ctx, sources)
		if err != nil {
			return err
		}
		for i, v := range sources {
			var want []uint64
			for _, d := range from(v) {
				for int(d) >= len(want) {
					want = append(want, 0)
				}
				if d >= 0 {
					want[d]++
				}
			}
			if !slices.Equal(res.Counts[i], want) {
				return fmt.Errorf("source %d of %d, vertex %d: %v, want %v", i, len(sources), v, res.Counts[i], want)
			}
		}
		if res.Stats.Device != s.Device.Info().Name {
			return fmt.Errorf("it ran on %q", res.Stats.Device)
		}
		if r.IntN(3) == 0 {
			if err := lanesEnded(ctx, p, sources, r.IntN(4)); err != nil {
				return err
			}
		}
	}
	var pairs []msbfs.Pair
	for range []int{0, 1, 90, 300}[r.IntN(4)] {
		pairs = append(pairs, msbfs.Pair{From: draw(1)[0], To: draw(1)[0]})
	}
	distances, err := msbfs.Reach(ctx, p, pairs, o)
	if err != nil {
		return err
	}
	for i, x := range pairs {
		if want := from(x.From)[x.To]; distances[i] != want {
			return fmt.Errorf("pair %v: %d, want %d", x, distances[i], want)
		}
	}
	e := msbfs.EachOptions{Parents: r.IntN(2) == 0, DepthLimit: r.IntN(4)}
	if r.IntN(2) == 0 {
		e.Targets = draw(1 + r.IntN(20))
	}
	return lanesEach(ctx, p, draw(1+r.IntN(80)), e, from)
}

// lanesEach compares what Each hands out with plain searches.
func lanesEach(ctx context.Context, p *graph.Placed, sources []uint32, o msbfs.EachOptions, from func(uint32) []int32) error {
	at := 0
	for f, err := range msbfs.Each(ctx, p, sources, o) {
		if err != nil {
			return err
		}
		want, reached := from(sources[at]), 0
		for v, d := range want {
			if d >= 0 && (o.DepthLimit == 0 || int(d) <= o.DepthLimit) && (o.Targets == nil || slices.Contains(o.Targets, uint32(v))) {
				reached++
			}
		}
		if f.Source != sources[at] || len(f.Vertices) != reached {
			return fmt.Errorf("source %d, %d of %d, %+v: %d vertices, want %d", f.Source, at, len(sources), o, len(f.Vertices), reached)
		}
		for i, v := range f.Vertices {
			if f.Depths[i] != want[v] {
				return fmt.Errorf("source %d, vertex %d at depth %d, want %d", f.Source, v, f.Depths[i], want[v])
			}
			if !o.Parents || v == f.Source {
				continue
			}
			if u := f.Parents[i]; want[u] != want[v]-1 || !slices.Contains(p.Graph().Out().Neighbors(u), v) {
				return fmt.Errorf("source %d, vertex %d has parent %d", f.Source, v, u)
			}
		}
		at++
	}
	if at != len(sources) {
		return fmt.Errorf("%d of %d sources were handed out", at, len(sources))
	}
	return nil
}

// lanesEnded ends searches after some levels.
func lanesEnded(ctx context.Context, p *graph.Placed, sources []uint32, level int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	levels := 0
	_, err := msbfs.Run(ctx, p, sources, msbfs.Options{EachLevel: func(traverse.Level) {
		if levels++; levels > level {
			cancel()
		}
	}})
	if levels > level && len(sources) <= 64 && err == nil {
		return nil // the last level had ended
	}
	if levels > level != errors.Is(err, context.Canceled) || levels <= level && err != nil {
		return fmt.Errorf("ended after level %d of %d: %v", level, levels, err)
	}
	return nil
}

// lanesRight searches from all vertices, a hundred at a time.
func lanesRight(ctx context.Context, p *graph.Placed) error {
	var sources []uint32
	for v := range uint32(p.NumVertices()) {
		sources = append(sources, v)
	}
	res, err := msbfs.Run(ctx, p, sources, msbfs.Options{Lanes: 100})
	if err != nil {
		return err
	}
	for i, want := range oracle.Counts(p.Graph(), sources) {
		if !slices.Equal(res.Counts[i], want) {
			return fmt.Errorf("source %d: %v, want %v", i, res.Counts[i], want)
		}
	}
	return nil
}

// ShardsCloseness finds closeness, and bounds of eccentricities, of graphs that are sharded over several devices.
func (s Suite) ShardsCloseness(t *testing.T) {
	s.closeness(t)
	s.shardsInputs(t, 157, testlong.Rounds(s.times(15, 2), s.times(600, 20)), func(t *testing.T, r *rand.Rand) {
		kind := []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse, testgraph.Directed}[r.IntN(3)]
		cases := append(testgraph.Tiny(), testgraph.Skewed(1+r.IntN(200), 1+r.IntN(8), kind), testgraph.Uniform(1+r.IntN(200), 1+r.IntN(3), kind))
		g := cases[r.IntN(len(cases))].Graph(r.Uint64())
		ofs := [][]uint32{nil}
		if n := uint32(g.NumVertices()); n > 0 && (!g.Directed() || g.HasReverse()) {
			ofs = append(ofs, []uint32{r.Uint32N(n), r.Uint32N(n)})
		}
		s.closenessOf(t, g, ofs)
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
}
