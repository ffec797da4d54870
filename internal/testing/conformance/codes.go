// This file holds the test of depths in the order of ids that a GPU writes as codes
// of a byte first.

package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Codes searches graphs of about as many levels as there are codes for, and of more:
// alone, and in batches, in which the search after is under way when the one before
// turns out to have too many. The hub keeps them from being searched by one cluster.
func (s Suite) Codes(t *testing.T) {
	r := rand.New(rand.NewPCG(97, 1))
	lengths := []int{1, 240, 249, 250, 251, 252, 400}
	if s.Small {
		lengths = []int{1, 251}
	}
	for _, length := range lengths {
		for _, o := range []bfs.Options{{ByID: true}, {ByID: true, Outputs: bfs.Depths | bfs.Parents}} {
			for _, pull := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d/parents=%t/pull=%t", length, o.Outputs.Has(bfs.Parents), pull), func(t *testing.T) { s.codes(t, length, o, pull, r) })
			}
		}
	}
}

func (s Suite) codes(t *testing.T, length int, o bfs.Options, pull bool, r *rand.Rand) {
	g, end := broom(t, length, r)
	searcher := func(p *graph.Placed, c string) *bfs.Searcher {
		o.Tuning.Coupling = c
		one, err := bfs.NewSearcher(p, o)
		if pull {
			one, err = dobfs.NewSearcher(p, dobfs.Options{Outputs: testsearch.Outputs(true, o.Outputs.Has(bfs.Parents)), ByID: o.ByID, Tuning: bfs.Tuning{Coupling: c}})
		}
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	sources := []uint32{end, uint32(r.IntN(g.NumVertices())), end}
	want := make([][]int32, len(sources))
	for i, v := range sources {
		want[i] = oracle.Depths(g.Out(), v)
	}
	check := func(i int, res *bfs.Result) {
		t.Helper()
		// By id first: depths by vertex may be computed from them.
		byID, depths := testgraph.Array(res.DepthsByID()), testgraph.Array(res.Depths())
		for id, v := range g.IDs().ByID() {
			if byID[id] != want[i][v] || depths[v] != want[i][v] {
				t.Fatalf("sources[%d]: vertex %d has depth %d, by id %d; want %d", i, v, depths[v], byID[id], want[i][v])
			}
		}
		if err := checkByID(g, res); err != nil {
			t.Fatal(err)
		}
	}
	for _, batch := range []bool{false, true} {
		p, err := g.On(s.Device) // a placed graph for which the number of levels isn't known yet
		if err != nil {
			t.Fatal(err)
		}
		one := searcher(p, "fused")
		if batch {
			err := testgraph.Each(one.Batch(context.Background(), sources), func(i int, res *bfs.Result) error {
				check(i, res)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, v := range sources {
			res, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{v}})
			if err != nil {
				t.Fatal(err)
			}
			check(i, res)
		}
		// The same memory, in a search without codes.
		loop := searcher(p, "expand-contract")
		res, err := loop.Run(context.Background(), bfs.Query{Sources: []uint32{sources[0]}})
		if err != nil {
			t.Fatal(err)
		}
		check(0, res)
		for _, x := range []*bfs.Searcher{one, loop} {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// broom returns a hub with many leaves and a path of that many edges from it, in
// random ids, and the end of the path.
func broom(t *testing.T, length int, r *rand.Rand) (g *graph.Graph, end uint32) {
	t.Helper()
	const leaves = 900
	n := 1 + leaves + length
	perm := r.Perm(n)
	var src, dst []int64
	edge := func(a, b int) { src, dst = append(src, int64(perm[a])), append(dst, int64(perm[b])) }
	for i := range leaves {
		edge(0, 1+i)
	}
	edge(0, 1+leaves)
	for i := range length - 1 {
		edge(1+leaves+i, 2+leaves+i)
	}
	g = built(t, graph.Options{Order: graph.OrderDegree, DenseIDs: true}, src, dst)
	var err error
	if end, err = g.Vertex(int64(perm[n-1])); err != nil {
		t.Fatal(err)
	}
	return g, end
}

// CodesBytes compares the device memory of searches by id with
// Searcher.Bytes, on a graph with so many vertices that the memory for
// small things can't hide an array.
func (s Suite) CodesBytes(t *testing.T) {
	const n = 2500000
	var src, dst []int64
	for i := range int64(100) { // few levels: not for one cluster
		src, dst = append(src, 0), append(dst, 1+i)
	}
	g := built(t, graph.Options{Order: graph.OrderDegree, DenseIDs: true, Vertices: n}, src, dst)
	used := s.used()
	for _, pull := range []bool{false, true} {
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		one, err := bfs.NewSearcher(p, bfs.Options{ByID: true, Tuning: bfs.Tuning{Coupling: "fused"}})
		if pull {
			if _, err := p.PrepareRemote(); err != nil { // only they need it
				t.Fatal(err)
			}
			one, err = dobfs.NewSearcher(p, dobfs.Options{ByID: true, Tuning: bfs.Tuning{Coupling: "fused"}})
		}
		if err != nil {
			t.Fatal(err)
		}
		before := used()
		res, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{0}})
		if err != nil {
			t.Fatal(err)
		}
		if res.Reached != 101 {
			t.Errorf("%d reached", res.Reached)
		}
		const shared = 2 * 4 * n // the order of ids, and every vertex's place in it
		if took := used() - before; took > one.Bytes()+shared {
			t.Errorf("pull %v: a search takes %d bytes, Bytes says %d", pull, took-shared, one.Bytes())
		}
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
