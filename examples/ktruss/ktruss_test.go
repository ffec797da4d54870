package ktruss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

func TestTrussness(t *testing.T) {
	for _, k := range []uint32{3, 5} {
		known := map[*graph.Graph][]uint32{}
		foraytest.CompareEdges(t, func(x *traverse.Traversal, _ uint32) *device.Buffer[uint32] { return Trussness(x, k) },
			func(g *graph.Graph, _ uint32) []uint32 {
				if known[g] == nil {
					known[g] = naive(g, k)
				}
				return known[g]
			},
			foraytest.Options{Graphs: graphs(t)})
	}
}

// graphs returns undirected graphs with triangles, and the small ones of foraytest.
func graphs(t *testing.T) (all []foraytest.Graph) {
	for _, g := range foraytest.Graphs(1) {
		if !g.Graph.Directed() && g.Graph.NumDirectedEdges() < 500 {
			all = append(all, g)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i, n := range []int{8, 20, 30} {
		b := graph.NewBuilder(graph.Options{})
		for u := range int64(n) {
			for v := range u {
				if r.IntN(4+2*i) > 2*i {
					check(t, graph.AddInts(b, []int64{u}, []int64{v}, nil))
				}
			}
		}
		g, err := b.Build(t.Context())
		check(t, err)
		all = append(all, foraytest.Graph{Name: fmt.Sprintf("dense of %d", n), Graph: g})
	}
	return all
}

// naive takes edges away one by one, and counts all triangles anew each time.
func naive(g *graph.Graph, first uint32) []uint32 {
	out := g.Out()
	truss := make([]uint32, len(out.Targets))
	sources := make([]uint32, len(out.Targets))
	var left []uint64
	for u := range uint32(g.NumVertices()) {
		for e := out.Offsets[u]; e < out.Offsets[u+1]; e++ {
			sources[e], truss[e] = u, remains // the other direction keeps it
			if u <= out.Targets[e] {
				left = append(left, e)
			}
		}
	}
	for k := first; len(left) > 0; {
		support := map[uint64]uint32{}
		from := map[uint32][]uint64{} // what is left of the row of a vertex
		for _, e := range left {
			from[sources[e]] = append(from[sources[e]], e)
		}
		for _, ab := range left {
			for _, ac := range from[sources[ab]] {
				for _, bc := range from[out.Targets[ab]] {
					if a, b, c := sources[ab], out.Targets[ab], out.Targets[ac]; out.Targets[bc] == c && a < b && b < c {
						support[ab], support[ac], support[bc] = support[ab]+1, support[ac]+1, support[bc]+1
					}
				}
			}
		}
		var rest []uint64
		least := uint32(math.MaxUint32)
		for _, e := range left {
			least = min(least, support[e]+2)
			if support[e]+2 >= k {
				rest = append(rest, e)
			} else if truss[e] = k - 1; k == first {
				truss[e] = 0
			}
		}
		if len(rest) == len(left) {
			k = least + 1
		}
		left = rest
	}
	return truss
}

// TestWrite: the file has the edges that remain.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "truss.parquet")
	g, err := arrow.Load(t.Context(), "../../testdata/karate.parquet", arrow.Options{})
	check(t, err)
	dev, err := device.Open("host")
	check(t, err)
	defer dev.Close()
	p, err := g.On(dev)
	check(t, err)
	defer p.Close()
	x := traverse.New(t.Context(), p)
	defer x.Close()
	check(t, Write(t.Context(), x, 4, path))
	again, err := arrow.Load(t.Context(), path, arrow.Options{EdgeColumns: []string{"trussness"}})
	check(t, err)
	column, err := again.EdgeColumn("trussness")
	check(t, err)
	want := map[uint32]int{}
	for _, k := range naive(g, 4) {
		want[k]++
	}
	got := map[uint32]int{0: want[0], remains: want[remains]}
	for _, k := range column.Values.([]uint32) {
		got[k]++
	}
	for k, n := range want {
		if k != 0 && k != remains && got[k] != 2*n { // in both directions
			t.Errorf("%d edges of trussness %d, want %d", got[k]/2, k, n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("edges by trussness: %v, want %v", got, want)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
