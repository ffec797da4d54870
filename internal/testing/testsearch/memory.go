// This file holds the tests of memory: what results own, what searches share,
// and that levels allocate nothing.

package testsearch

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// memory tests that results that are alive at the same time have separate memory, and
// that a freed result's memory is reused.
func (s Search) memory(t *testing.T) {
	for _, name := range []string{"uniform-undirected", "road-undirected"} {
		g := testgraph.ByName(name).Graph(19)
		p := testgraph.Place(g, 2)
		o := bfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true}
		type kept struct {
			r       *bfs.Result
			sources []uint32
			depths  []int32
			parents []uint32
		}
		var alive []kept
		for v := range uint32(4) {
			src := []uint32{v * 100}
			r := s.search(t, p, src, o)
			alive = append(alive, kept{r, src, slices.Clone(testgraph.Array(r.Depths())), slices.Clone(testgraph.Array(r.Parents()))})
		}
		for i, k := range alive {
			if !slices.Equal(testgraph.Array(k.r.Depths()), k.depths) || !slices.Equal(testgraph.Array(k.r.Parents()), k.parents) {
				t.Fatalf("%s: a later search has written into result %d", name, i)
			}
			for _, other := range alive[:i] {
				if &testgraph.Array(other.r.Depths())[0] == &testgraph.Array(k.r.Depths())[0] || &testgraph.Array(other.r.Parents())[0] == &testgraph.Array(k.r.Parents())[0] {
					t.Fatalf("%s: two results share memory", name)
				}
			}
		}
		first := alive[0].r
		depths, parents := &testgraph.Array(first.Depths())[0], &testgraph.Array(first.Parents())[0]
		reached, edges := first.Reached, first.Edges
		for range 2 { // the second time it is left alone
			first.Close()
		}
		closedDepths, _ := first.Depths()
		closedParents, _ := first.Parents()
		if closedDepths != nil || closedParents != nil || first.Reached != reached || first.Edges != edges || first.TraversedEdges() != 0 {
			t.Errorf("%s: a freed result has arrays, or no counts", name)
		}
		again := s.search(t, p, []uint32{7}, o)
		if &testgraph.Array(again.Depths())[0] != depths || &testgraph.Array(again.Parents())[0] != parents {
			t.Errorf("%s: what a freed result had isn't used again", name)
		}
		next := s.search(t, p, []uint32{8}, o)
		if &testgraph.Array(next.Depths())[0] == depths || &testgraph.Array(next.Parents())[0] == parents {
			t.Errorf("%s: freed twice, the memory was given to two results", name)
		}
		for _, k := range alive[1:] {
			if err := Check(g, k.sources, o, k.r); err != nil {
				t.Errorf("%s: after another was freed: %v", name, err)
			}
		}
	}
}

// parallel runs many searches at once over one placed graph.
func (s Search) parallel(t *testing.T) {
	rounds := 8
	if s.quick() {
		rounds = 2
	}
	for _, name := range []string{"skewed-undirected", "road-undirected", "uniform-reverse"} {
		g := testgraph.ByName(name).Graph(20)
		p := testgraph.Place(g, 2)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				r := rand.New(rand.NewPCG(21, uint64(i)))
				for range rounds {
					o, src := s.options(r, g.NumVertices()), sources(r, g.NumVertices())
					res, err := s.Run(context.Background(), p, src, o)
					if err == nil {
						err = Check(g, src, o, res)
					}
					if err != nil {
						t.Errorf("%s, from %v, %s: %v", name, src, describe(o), err)
						return
					}
					if r.IntN(2) == 0 {
						res.Close()
					}
				}
			}()
		}
		wg.Wait()
	}
}

// repeated searches a small graph many times: whatever depends on who comes
// first shows sooner or later.
func (s Search) repeated(t *testing.T) {
	for spec, times := range map[string]int{"kron10": 200, "road:50x40": 60, "star:6000": 60} {
		if s.quick() {
			times /= 10
		}
		p := testgraph.Place(generated(t, spec), 4)
		n := p.NumVertices()
		r := rand.New(rand.NewPCG(22, uint64(n)))
		for range times {
			s.search(t, p, []uint32{uint32(r.IntN(n))}, bfs.Options{Outputs: Outputs(s.Depths || r.IntN(4) != 0, true), Stats: true}).Close()
		}
	}
}

// generated builds the undirected graph of a spec.
func generated(t *testing.T, spec string) *graph.Graph {
	t.Helper()
	gr, err := gen.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(context.Background(), gr, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// allocations: once warm, a search of four times as many levels allocates no
// more.
func (s Search) allocations(t *testing.T) {
	if testgraph.Race {
		t.Skip("needs a build without -race, whose detector allocates too")
	}
	for _, workers := range []int{1, 2} {
		for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}} {
			// A path gets ELL4 rows; so that both kinds of rows are
			// measured, the thick one has six parallel edges for each.
			for _, thick := range []int{1, 6} {
				measure := func(n int) float64 {
					var es []testgraph.Edge
					for v := uint32(1); int(v) < n; v++ {
						for range thick {
							es = append(es, testgraph.Edge{From: v - 1, To: v})
						}
					}
					p := testgraph.Place(testgraph.Build(n, es, testgraph.Undirected), workers)
					search := func() {
						r, err := s.Run(context.Background(), p, []uint32{0}, o)
						if err != nil || r.Levels != n {
							t.Fatalf("%v", err)
						}
						r.Close()
					}
					search()
					return testing.AllocsPerRun(3, search)
				}
				// The count is the whole process's, in which the runtime
				// allocates now and then; a level that did would add 3,000.
				if short, long := measure(1000), measure(4000); long > short+30 {
					t.Errorf("%d workers, %s, %d edges a step: %v allocations in 1,000 levels, %v in 4,000",
						workers, describe(o), thick, short, long)
				}
			}
		}
	}
}
