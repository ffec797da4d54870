// This file holds the tests of triangles that are counted in rows by degree.

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/intersect"
)

// Oriented tests counts of triangles in graphs in order of degree and in another order, whose rows are
// oriented by degree or unchanged: with bit rows of all vertices, of some and of none, by blocks
// and by warps.
func (s Suite) Oriented(t *testing.T) {
	long, hubs, streamed := tuning.LongRow, tuning.MostHubs, tuning.MostStreamed
	defer func() { tuning.LongRow, tuning.MostHubs, tuning.MostStreamed = long, hubs, streamed }()
	count := func(t *testing.T, g *graph.Graph, want expected) {
		for _, tuning.LongRow = range []int{long, 2} {
			for _, tuning.MostHubs = range []int{hubs, 40, 0} {
				s.oriented(t, g, want, 2)
			}
		}
	}
	for _, c := range s.quick() {
		if c.Kind != testgraph.Undirected {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			g := byDegree(t, sortRows(t, c.Graph(54)))
			want := expect(g, intersect.Options{Triangles: true}, allVertices(g))
			want.across = expect(g, intersect.Options{Ascending: true}, allVertices(g)).across
			count(t, g, want)
			g = sortRows(t, c.Graph(54))
			want = expect(g, intersect.Options{Triangles: true}, allVertices(g))
			want.across = expect(g, intersect.Options{Ascending: true}, allVertices(g)).across
			for _, tuning.MostStreamed = range []uint64{streamed, 0} {
				for _, tuning.LongRow = range []int{long, 2} {
					s.oriented(t, g, want, 2)
				}
			}
			tuning.LongRow, tuning.MostStreamed = long, streamed
		})
	}
	t.Run("complete", func(t *testing.T) {
		for _, n := range []uint64{3, 65, 200, 520} {
			if n == 520 && !s.GPU {
				continue // as 200, on the host
			}
			var es []testgraph.Edge
			for v := range uint32(n) {
				for u := range v {
					es = append(es, testgraph.Edge{From: u, To: v})
				}
			}
			want := expected{edges: n * (n - 1) / 2, common: n * (n - 1) * (n - 2) / 6, perVertex: make([]uint32, n), across: make([]uint64, n)}
			for v := range n {
				want.across[v] = (n - 1) * (n - 2) / 2
				want.perVertex[v] = uint32(want.across[v])
			}
			g := byDegree(t, testgraph.Build(int(n), es, testgraph.Undirected))
			if n == 520 {
				s.oriented(t, g, want, 1) // graphs above show that counts add up
				g = testgraph.Build(int(n), es, testgraph.Undirected)
				tuning.MostStreamed = 0
				s.oriented(t, g, want, 1) // in rows that were made, of several parts
				tuning.MostStreamed = streamed
			} else {
				count(t, g, want)
			}
		}
	})
}

func byDegree(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	g, err := g.Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// oriented counts by all functors, rounds times. Existing counts grow.
func (s Suite) oriented(t *testing.T, g *graph.Graph, want expected, rounds uint64) {
	t.Helper()
	x := s.rig(t, g, 55)
	in, err := intersect.New(x.s, x.p)
	x.must(err)
	defer func() { x.must(in.Close()) }()
	what := fmt.Sprintf("%d hubs, long rows from %d on", tuning.MostHubs, tuning.LongRow)
	n := g.NumVertices()
	narrow, err := device.NewBuffer[uint32](x.p.Device(), n)
	x.must(err)
	wide, err := device.NewBuffer[uint64](x.p.Device(), n)
	x.must(err)
	defer func() { x.must(narrow.Close()); x.must(wide.Close()) }()
	for round := range rounds {
		for _, run := range []struct {
			o    intersect.Options
			f    intersect.Functor
			each uint64
		}{
			{intersect.Options{Triangles: true}, intersect.Count(nil), 1},
			{intersect.Options{Triangles: true}, intersect.Corners(narrow), 1},
			{intersect.Options{Ascending: true}, intersect.Opposite(wide, nil), 3},
		} {
			x.must(in.Run(run.o, run.f))
			edges, common, err := in.Totals()
			x.must(err)
			total := want.common
			if run.each == 3 {
				total = 0
				for _, k := range want.across {
					total += k
				}
			}
			if edges != want.edges || common != total {
				t.Fatalf("%s: %T: %d edges, %d in common, want %d and %d", what, run.f, edges, common, want.edges, total)
			}
		}
		x.twice(what, in, round)
		corners, across := make([]uint32, n), make([]uint64, n)
		x.must(narrow.Read(x.p.Device(), 0, corners))
		x.must(wide.Read(x.p.Device(), 0, across))
		for v := range n {
			corners[v] /= uint32(round + 1)
			across[v] /= round + 1
		}
		if !slices.Equal(corners, want.perVertex) || !slices.Equal(across, want.across) {
			t.Fatalf("%s: corners %v, want %v; across %v, want %v", what, corners, want.perVertex, across, want.across)
		}
	}
}

// twice counts with some edges that count twice.
func (x *rig) twice(what string, in *intersect.Intersector, seed uint64) {
	x.t.Helper()
	c, n, d := x.g.Out(), x.g.NumVertices(), x.p.Device()
	isTwice := func(u, v uint32) bool { return (uint64(min(u, v))*31+uint64(max(u, v))*17+seed)%3 == 0 }
	bits, want, in1 := make([]uint64, (c.NumEdges()+63)/64), make([]uint64, n), make([]uint32, n)
	for u := range uint32(n) {
		for _, w := range c.Neighbors(u) {
			in1[w] = u + 1
		}
		for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
			v, k := c.Targets[e], uint64(1)
			if isTwice(u, v) {
				k = 2
				bits[e>>6] |= 1 << (e & 63)
			}
			last := graph.NoVertex
			for _, w := range c.Neighbors(v) {
				if u < v && in1[w] == u+1 && w != last {
					want[w] += k
				}
				last = w
			}
		}
	}
	which, err := device.NewBuffer[uint64](d, len(bits))
	x.must(err)
	at, err := device.NewBuffer[uint64](d, n)
	x.must(err)
	x.must(which.Write(d, 0, bits))
	x.must(in.Run(intersect.Options{Ascending: true}, intersect.Opposite(at, which)))
	_, _, err = in.Totals()
	x.must(err)
	got := make([]uint64, n)
	x.must(at.Read(d, 0, got))
	x.must(errors.Join(at.Close(), which.Close()))
	if !slices.Equal(got, want) {
		x.t.Fatalf("%s: with edges that count twice %v, want %v", what, got, want)
	}
}
