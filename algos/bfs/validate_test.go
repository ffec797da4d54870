package bfs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// found is a search whose result a test may spoil.
type found struct {
	g       *graph.Graph
	r       *bfs.Result
	depths  []int32
	parents []uint32
}

func find(t *testing.T, g *graph.Graph, o bfs.Options, sources ...uint32) *found {
	t.Helper()
	r, err := bfs.RunMultiSource(context.Background(), testgraph.Place(g, 1), sources, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := bfs.Validate(g, r); err != nil {
		t.Fatalf("a right result: %v", err)
	}
	return &found{g, r, testgraph.Array(r.Depths()), testgraph.Array(r.Parents())}
}

// wantRule wants Validate to find fault with the result, by one of the rules;
// 0 stands for an error that names no vertex.
func (f *found) wantRule(t *testing.T, what string, rules ...int) {
	t.Helper()
	err := bfs.Validate(f.g, f.r)
	if !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("%s: %v", what, err)
		return
	}
	rule, vertex := 0, 0
	if n, _ := fmt.Sscanf(err.Error()[max(strings.Index(err.Error(), "rule "), 0):], "rule %d: vertex %d", &rule, &vertex); n < 2 {
		rule = 0
	}
	for _, want := range rules {
		if rule == want {
			return
		}
	}
	t.Errorf("%s: want rule %v, got: %v", what, rules, err)
}

// The graph of the mutations: a diamond 0-1, 0-2, 1-3, 2-3, a tail 3-4-5, and
// apart from that an edge 6-7 and the isolated vertex 8.
func mutable() *graph.Graph {
	return testgraph.Build(9, []testgraph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3},
		{From: 3, To: 4}, {From: 4, To: 5}, {From: 6, To: 7}}, testgraph.Undirected)
}

// TestValidateFindsMutations spoils right results in each of the five ways.
func TestValidateFindsMutations(t *testing.T) {
	both := bfs.Options{Outputs: bfs.Depths | bfs.Parents}
	alone := bfs.Options{Outputs: bfs.Parents}
	const none = graph.NoVertex
	for _, c := range []struct {
		what  string
		o     bfs.Options
		spoil func(f *found)
		rules []int
	}{
		{"the source has a parent", both, func(f *found) { f.parents[0] = 1 }, []int{1}},
		{"another root", both, func(f *found) { f.parents[4] = 4 }, []int{1}},
		{"a cycle of two", both, func(f *found) { f.parents[3] = 4 }, []int{1}},
		{"a cycle of three, without depths", alone, func(f *found) { f.parents[1], f.parents[3], f.parents[2] = 3, 2, 1 }, []int{1}},
		{"a parent that is no vertex", both, func(f *found) { f.parents[4] = 9 }, []int{1}},
		{"a parent that wasn't reached", alone, func(f *found) { f.parents[4] = 6 }, []int{1}},
		{"a parent that wasn't reached, and depths", both, func(f *found) { f.parents[4] = 6 }, []int{1}},

		{"a depth too large", both, func(f *found) { f.depths[5]++ }, []int{2}},
		{"a depth too small", both, func(f *found) { f.depths[5]-- }, []int{2}},
		{"a second vertex at depth 0", both, func(f *found) { f.depths[1] = 0 }, []int{2}},
		{"the source at depth 1", both, func(f *found) { f.depths[0] = 1 }, []int{2}},
		{"the source at depth 1, depths alone", bfs.Options{}, func(f *found) { f.depths[0] = 1 }, []int{2}},
		{"no vertex above", bfs.Options{}, func(f *found) { f.depths[5] = 3; f.r.Levels = 4 }, []int{2}},
		{"depth -2", bfs.Options{}, func(f *found) { f.depths[8] = -2 }, []int{2}},
		{"an isolated vertex reached", bfs.Options{}, func(f *found) { f.depths[8] = 2; f.r.Reached++ }, []int{2}},

		{"an edge over two levels", bfs.Options{}, func(f *found) { f.depths[4], f.depths[5] = 5, 6; f.r.Levels = 7 }, []int{3}},
		{"a longer way round", both, func(f *found) { // 2 hangs below 3
			f.parents[2], f.depths[2] = 3, 3
		}, []int{3}},
		{"a longer way round, without depths", alone, func(f *found) { f.parents[2] = 3 }, []int{3}},

		{"the last vertex left out", both, func(f *found) { f.depths[5], f.parents[5] = -1, none; f.r.Reached--; f.r.Levels-- }, []int{4}},
		{"the last vertex left out, depths alone", bfs.Options{}, func(f *found) { f.depths[5] = -1; f.r.Reached--; f.r.Levels-- }, []int{4}},
		{"the last vertex left out, parents alone", alone, func(f *found) { f.parents[5] = none; f.r.Reached--; f.r.Levels-- }, []int{4}},
		{"a depth without a parent", both, func(f *found) { f.parents[5] = none }, []int{4}},
		{"a parent without a depth", both, func(f *found) { f.depths[5] = -1 }, []int{4}},
		{"another component reached", both, func(f *found) {
			f.depths[6], f.parents[6], f.depths[7], f.parents[7] = 5, 5, 6, 6
			f.r.Reached, f.r.Levels = 8, 7
		}, []int{5}},
		{"too few counted", both, func(f *found) { f.r.Reached-- }, []int{0}},
		{"too many levels", both, func(f *found) { f.r.Levels++ }, []int{0}},

		{"a parent that isn't a neighbor", both, func(f *found) { f.parents[3] = 1; f.dropEdge() }, []int{5}},
		{"a parent two levels up", alone, func(f *found) { f.parents[5] = 3; f.r.Levels-- }, []int{5}},

		{"another source", both, func(f *found) { f.r.Sources = []uint32{1} }, []int{1}},
		{"another source, depths alone", bfs.Options{}, func(f *found) { f.r.Sources = []uint32{1} }, []int{2}},
		{"one source more", both, func(f *found) { f.r.Sources = []uint32{0, 8} }, []int{1}},
		{"no source", both, func(f *found) { f.r.Sources = nil }, []int{1}},
		{"freed", both, func(f *found) { f.r.Close() }, []int{0}},
		{"another graph", both, func(f *found) { f.g = testgraph.Path(10).Graph(1) }, []int{0}},
	} {
		f := find(t, mutable(), c.o, 0)
		c.spoil(f)
		f.wantRule(t, c.what, c.rules...)
	}
	f := find(t, mutable(), bfs.Options{Outputs: bfs.Parents}, 0)
	f.r.Close()
	f.wantRule(t, "nothing to check", 0)
}

// dropEdge takes the edge between 1 and 3 out of the graph. All levels stay
// right, because of 2.
func (f *found) dropEdge() {
	f.g = testgraph.Build(9, []testgraph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 2, To: 3},
		{From: 3, To: 4}, {From: 4, To: 5}, {From: 6, To: 7}}, testgraph.Undirected)
}

// TestValidateLimited: only the last level of a search that ended early may
// have neighbors that weren't reached.
func TestValidateLimited(t *testing.T) {
	for _, o := range []bfs.Options{{Outputs: bfs.Depths | bfs.Parents}, {}, {Outputs: bfs.Parents}} {
		o.DepthLimit = 2
		f := find(t, mutable(), o, 0)
		f.r.Limited = false
		f.wantRule(t, "not limited after all", 4)
		f = find(t, mutable(), o, 0)
		if f.depths != nil {
			f.depths[2] = -1
		}
		if f.parents != nil {
			f.parents[2], f.parents[3] = graph.NoVertex, 1
		}
		f.r.Reached--
		f.wantRule(t, "one of the level before the last left out", 4)
	}
}

// TestValidateAnyMutation changes one entry at random, on graphs of all
// shapes. What must be found is decided by the definition: depths that aren't
// the true ones, parents that make no tree of such.
func TestValidateAnyMutation(t *testing.T) {
	for _, c := range testgraph.All() {
		g := c.Graph(6)
		n := g.NumVertices()
		if n < 2 {
			continue
		}
		r := rand.New(rand.NewPCG(5, uint64(n)))
		rounds := 8
		if testing.Short() || testgraph.Race {
			rounds = 2
		}
		for _, o := range []bfs.Options{{Outputs: bfs.Depths | bfs.Parents}, {}, {Outputs: bfs.Parents}} {
			for range rounds {
				source := uint32(r.IntN(n))
				f := find(t, g, o, source)
				v := uint32(r.IntN(n))
				right := false
				what := fmt.Sprintf("%s from %d, vertex %d", c.Name, source, v)
				if f.depths != nil && (f.parents == nil || r.IntN(2) == 0) {
					was := f.depths[v]
					for f.depths[v] == was {
						f.depths[v] = int32(r.IntN(7)) - 1
					}
					what += fmt.Sprintf(": depth %d instead of %d", f.depths[v], was)
				} else {
					was := f.parents[v]
					for f.parents[v] == was {
						f.parents[v] = uint32(r.IntN(n + 1))
					}
					p := f.parents[v]
					right = v != source && was != graph.NoVertex && int(p) < n && parentRight(g, source, v, p)
					what += fmt.Sprintf(": parent %d instead of %d", p, int64(int32(was)))
				}
				switch err := bfs.Validate(g, f.r); {
				case right && err != nil:
					t.Errorf("%s: another right parent is refused: %v", what, err)
				case !right && !errors.Is(err, graph.ErrInvalid):
					t.Errorf("%s: not found: %v", what, err)
				}
			}
		}
	}
}

// parentRight reports whether p may be the parent of v.
func parentRight(g *graph.Graph, source, v, p uint32) bool {
	depths := oracle.Depths(g.Out(), source)
	if depths[p] < 0 || depths[p]+1 != depths[v] {
		return false
	}
	for _, u := range g.Out().Neighbors(p) {
		if u == v {
			return true
		}
	}
	return false
}
