package ktruss

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// TestWrite compares a sum over the edges that remain, which the file has, with their trussness and ends.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "truss.parquet")
	const k = 4
	foraytest.CompareScalar(t, func(x *traverse.Traversal, _ uint32) uint64 {
		if err := Write(t.Context(), x, k, path); err != nil {
			t.Error(err)
			return 0
		}
		if why := x.Stats().Why; why != "" {
			t.Errorf("not one kernel: %s", why)
		}
		return written(t, path)
	}, func(g *graph.Graph, _ uint32) (sum uint64) {
		truss := naive(g, k)
		for u := range uint32(g.NumVertices()) {
			for e := g.Out().Offsets[u]; e < g.Out().Offsets[u+1]; e++ {
				if v := g.Out().Targets[e]; u >= v && truss[e] >= k {
					sum += mixed(g.IDs().Int(v), g.IDs().Int(u), truss[e])
				}
			}
		}
		return sum
	}, foraytest.Options{Graphs: graphs(t)})
}

// written returns the sum of the edges of a file.
func written(t *testing.T, path string) (sum uint64) {
	g, err := arrow.Load(t.Context(), path, arrow.Options{EdgeColumns: []string{"trussness"}, Graph: graph.Options{Directed: true, KeepDuplicates: true, KeepSelfLoops: true}})
	if errors.Is(err, graph.ErrEmpty) {
		return 0
	}
	check(t, err)
	column, err := g.EdgeColumn("trussness")
	check(t, err)
	for u := range uint32(g.NumVertices()) {
		for e := g.Out().Offsets[u]; e < g.Out().Offsets[u+1]; e++ {
			sum += mixed(g.IDs().Int(u), g.IDs().Int(g.Out().Targets[e]), column.Values.([]uint32)[e])
		}
	}
	return sum
}

func mixed(u, v int64, truss uint32) uint64 {
	return (uint64(u)*0x9e3779b97f4a7c15 ^ uint64(v)) * 0xff51afd7ed558ccd * uint64(truss)
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

// naive takes edges away one by one, and counts all triangles again each time.
func naive(g *graph.Graph, first uint32) []uint32 {
	out := g.Out()
	truss := make([]uint32, len(out.Targets))
	sources := make([]uint32, len(out.Targets))
	var left []uint64
	for u := range uint32(g.NumVertices()) {
		for e := out.Offsets[u]; e < out.Offsets[u+1]; e++ {
			sources[e] = u // the other direction keeps 0
			if u >= out.Targets[e] {
				left = append(left, e)
			}
		}
	}
	for k := first; len(left) > 0; {
		support := map[uint64]uint32{}
		from := map[uint32][]uint64{} // remaining edges by source
		for _, e := range left {
			from[sources[e]] = append(from[sources[e]], e)
		}
		for _, ab := range left {
			for _, ac := range from[sources[ab]] {
				for _, bc := range from[out.Targets[ab]] {
					if a, b, c := sources[ab], out.Targets[ab], out.Targets[ac]; out.Targets[bc] == c && a > b && b > c {
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
				truss[e] = first - 1
			}
		}
		if len(rest) == len(left) {
			k = least + 1
		}
		left = rest
	}
	return truss
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
