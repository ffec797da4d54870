package dobfs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestSmallSearches has a searcher go from small to large searches and back, with limits and targets, in the
// same arrays, of which small ones clear what the last has written alone.
func TestSmallSearches(t *testing.T) {
	for _, kind := range searchers {
		for _, c := range testgraph.All() {
			g := c.Graph(41)
			if g.NumVertices() < 2 || !g.HasReverse() {
				continue
			}
			t.Run(kind.name+" "+c.Name+" "+c.Kind.String(), func(t *testing.T) {
				r := rand.New(rand.NewPCG(41, 26))
				for _, workers := range []int{1, 3} {
					o := bfs.Options{Outputs: []bfs.Outputs{0, bfs.Depths, bfs.Parents, bfs.Depths | bfs.Parents}[r.IntN(4)], ByID: r.IntN(2) == 0}
					p := testgraph.Place(g, workers)
					s, err := kind.one(p, o)
					if err != nil {
						t.Fatal(err)
					}
					for i := range 12 {
						q := bfs.Query{Sources: []uint32{uint32(r.IntN(g.NumVertices())), uint32(r.IntN(g.NumVertices()))}[:1+r.IntN(2)]}
						if r.IntN(4) > 0 {
							q.DepthLimit = 1 + r.IntN(3)
						}
						if r.IntN(4) == 0 {
							q.Targets = []uint32{uint32(r.IntN(g.NumVertices()))}
						}
						res, err := s.Run(t.Context(), q)
						if err != nil {
							t.Fatal(err)
						}
						checkSmall(t, fmt.Sprintf("search %d, %+v, %+v", i, o, q), g, q, res)
						if r.IntN(8) == 0 {
							res.Close()
						}
						if r.IntN(5) == 0 { // another one takes arrays of the placed graph, if it has some
							other, err := bfs.Run(t.Context(), p, 0, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
							if err != nil {
								t.Fatal(err)
							}
							other.Close()
						}
					}
					s.Close()
				}
			})
		}
	}
}

// checkSmall compares with depths found on a queue.
func checkSmall(t *testing.T, what string, g *graph.Graph, q bfs.Query, res *bfs.Result) {
	t.Helper()
	want := make([]int32, g.NumVertices())
	for v := range want {
		want[v] = -1
	}
	var queue []uint32
	for _, v := range q.Sources {
		if want[v] < 0 {
			want[v] = 0
			queue = append(queue, v)
		}
	}
	last := int32(res.Levels - 1) // where targets have ended it
	for i := 0; i < len(queue); i++ {
		if v := queue[i]; want[v] < last {
			for _, w := range g.Out().Neighbors(v) {
				if want[w] < 0 {
					want[w] = want[v] + 1
					queue = append(queue, w)
				}
			}
		}
	}
	if res.Reached != len(queue) {
		t.Fatalf("%s: reached %d, want %d", what, res.Reached, len(queue))
	}
	depths, parents := testgraph.Array(res.Depths()), testgraph.Array(res.Parents())
	if depths != nil && !slices.Equal(depths, want) {
		t.Fatalf("%s: depths are wrong", what)
	}
	for v, u := range parents {
		switch {
		case want[v] < 0 && u != graph.NoVertex, want[v] == 0 && u != uint32(v), want[v] > 0 && (u == graph.NoVertex || want[u] != want[v]-1):
			t.Fatalf("%s: the parent of %d at depth %d is %d", what, v, want[v], u)
		}
	}
	for rank, d := range testgraph.Array(res.DepthsByID()) {
		if d != want[g.IDs().AtRank(uint32(rank))] {
			t.Fatalf("%s: depth %d by id is %d", what, rank, d)
		}
	}
	for rank, u := range testgraph.Array(res.ParentsByID()) {
		want := parents[g.IDs().AtRank(uint32(rank))]
		if want != graph.NoVertex {
			want = g.IDs().Rank(want)
		}
		if u != want {
			t.Fatalf("%s: parent %d by id is %d, want %d", what, rank, u, want)
		}
	}
	var got []uint32
	for v, d := range res.Visited() {
		if depths != nil && d != want[v] || depths == nil && d != -1 {
			t.Fatalf("%s: %d was visited at depth %d, want %d", what, v, d, want[v])
		}
		got = append(got, v)
	}
	slices.Sort(got)
	slices.Sort(queue)
	if !slices.Equal(got, queue) {
		t.Fatalf("%s: visited %d vertices, want %d", what, len(got), len(queue))
	}
}

// BenchmarkHops searches for few levels, as a service does: its time is proportional to the vertices that it reaches.
func BenchmarkHops(b *testing.B) {
	for _, n := range []int{50_000, 500_000, 5_000_000} {
		g := testgraph.Uniform(n, 4, testgraph.Undirected).Graph(1)
		p := testgraph.Place(g, 1)
		for _, kind := range searchers {
			for hops := range 3 {
				b.Run(fmt.Sprintf("%s/%d/%d", kind.name, n, hops+1), func(b *testing.B) {
					s, err := kind.one(p, bfs.Options{DepthLimit: hops + 1})
					if err != nil {
						b.Fatal(err)
					}
					defer s.Close()
					r := rand.New(rand.NewPCG(1, 2))
					reached := 0
					for b.Loop() {
						res, err := s.Run(b.Context(), bfs.Query{Sources: []uint32{uint32(r.IntN(n))}})
						if err != nil {
							b.Fatal(err)
						}
						reached += res.Reached
					}
					b.ReportMetric(float64(reached)/float64(b.N), "reached")
				})
			}
		}
	}
}
