package msbfs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// deepSources draws sources: some far from each other, some side by side, whose lanes meet at once, and one twice.
func deepSources(r *rand.Rand, g *graph.Graph, n int) []uint32 {
	vertices := g.NumVertices()
	from := []uint32{0, uint32(vertices - 1), 0}[:min(3, n)]
	for len(from) < n {
		v := uint32(r.IntN(vertices))
		from = append(from, v)
		for _, w := range g.Out().Neighbors(v) {
			if len(from) < n && r.IntN(2) == 0 {
				from = append(from, w)
			}
		}
	}
	return from
}

// checkDeep compares searches from many sources of a deep graph with a naive loop from each, and from two of them
// with those of package bfs.
func checkDeep(t *testing.T, g *graph.Graph, levels, workers, sources, lanes int, seed uint64) {
	t.Helper()
	defer narrow(seed + uint64(workers))()
	p := testgraph.Place(g, workers)
	defer p.Close()
	r := rand.New(rand.NewPCG(seed, uint64(lanes)))
	from := deepSources(r, g, sources)
	got, err := msbfs.Run(t.Context(), p, from, msbfs.Options{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	deepest := 0
	for i, want := range oracle.Counts(g, from) {
		deepest = max(deepest, len(want)-1)
		if !slices.Equal(got.Counts[i], want) {
			t.Fatalf("%d workers, %d lanes, source %d, %d of %d: %d levels, want %d: %.300v, want %.300v", workers, lanes, from[i], i, sources,
				len(got.Counts[i]), len(want), fmt.Sprint(got.Counts[i]), fmt.Sprint(want))
		}
	}
	if deepest < levels*9/10 {
		t.Fatalf("the deepest search has %d levels, want about %d", deepest, levels)
	}
	var pairs []msbfs.Pair
	for _, v := range from[:min(len(from), 40)] {
		for range sources / 40 {
			pairs = append(pairs, msbfs.Pair{From: v, To: uint32(r.IntN(g.NumVertices()))})
		}
	}
	distances, err := msbfs.Reach(t.Context(), p, pairs, msbfs.Options{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	var naive []int32
	for i, pair := range pairs {
		if i == 0 || pair.From != pairs[i-1].From {
			naive = oracle.Depths(g.Out(), pair.From)
		}
		if want := naive[pair.To]; distances[i] != want {
			t.Fatalf("%d workers, %d lanes, pair %v: %d, want %d", workers, lanes, pair, distances[i], want)
		}
	}
	for i := range min(2, len(from)) {
		one, err := bfs.Run(t.Context(), p, from[i], bfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		depths := testgraph.Array(one.Depths())
		counts := make([]uint64, len(got.Counts[i]))
		for _, d := range depths {
			if d >= 0 {
				counts[d]++
			}
		}
		if !slices.Equal(got.Counts[i], counts) {
			t.Fatalf("%d workers, %d lanes, source %d: %.300v, one search has %.300v", workers, lanes, from[i], fmt.Sprint(got.Counts[i]), fmt.Sprint(counts))
		}
		one.Close()
	}
}

// TestDeep searches from many sources where most lanes never meet, for more levels than a lane has bits, and more
// than 8 bits count.
func TestDeep(t *testing.T) {
	testlong.Project(t)
	for _, levels := range []int{100, 700} {
		if testgraph.Race && levels > 100 {
			continue
		}
		for i, c := range testgraph.Deep(levels, 7) {
			t.Run(fmt.Sprint(c.Name, " ", levels), func(t *testing.T) {
				for k, lanes := range []int{64, 256, 512} {
					for _, workers := range []int{1, 3} {
						sources := []int{lanes, lanes + 7, 40}[(i+k)%3]
						checkDeep(t, c.Graph(1), levels, workers, sources, lanes, uint64(i))
					}
				}
			})
		}
	}
}

// TestDeepest searches for more levels than 16 bits count.
func TestDeepest(t *testing.T) {
	testlong.Only(t)
	if testgraph.Race {
		t.Skip("needs a build without -race: it takes minutes")
	}
	const levels = 74000
	for i, c := range testgraph.Deep(levels, 7) {
		t.Run(c.Name, func(t *testing.T) {
			lanes, sources := []int{64, 256, 512}[i%3], []int{24, 40, 60}[i%3]
			checkDeep(t, c.Graph(1), levels, []int{1, 3}[i%2], sources, lanes, uint64(i))
		})
	}
}

// TestDeepAllocates: a level of few edges allocates nothing but what its counts take, which double now and then.
func TestDeepAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		p := testgraph.Place(testgraph.Path(n).Graph(1), 2)
		defer p.Close()
		s, err := msbfs.NewSearcher(p, msbfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return testing.AllocsPerRun(3, func() {
			if _, err := s.Run(t.Context(), []uint32{0, uint32(n / 2)}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(100), allocations(10_000); many > few+100 {
		t.Errorf("%v allocations for a path of 10,000 vertices, %v for one of 100", many, few)
	}
}
