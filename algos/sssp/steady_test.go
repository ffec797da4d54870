package sssp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestSearcherAllocates: a search in steady state allocates next to nothing, whatever it searches.
func TestSearcherAllocates(t *testing.T) {
	testlong.Project(t)
	if testgraph.Race {
		t.Skip("needs a build without -race, whose detector allocates too")
	}
	r := rand.New(rand.NewPCG(25, 25))
	type kind struct {
		name     string
		g        *graph.Graph
		o        sssp.Options
		prepared bool
		q        sssp.Query
	}
	var kinds []kind
	add := func(name string, g *graph.Graph, o sssp.Options, prepared bool, q sssp.Query) {
		kinds = append(kinds, kind{name, g, o, prepared, q})
	}
	for _, name := range []string{"skewed-undirected", "road-undirected"} {
		g := testgraph.ByName(name).Graph(7)
		for _, weights := range []string{"integers", "floats"} {
			x := weighted(t, g, r, draws[weights])
			for _, parents := range []bool{false, true} {
				for _, prepared := range []bool{false, true} {
					o := sssp.Options{Parents: parents}
					add(fmt.Sprintf("%s of %s, parents %v, prepared %v", name, weights, parents, prepared), x, o, prepared, sssp.Query{})
				}
			}
			o := sssp.Options{Parents: true, Stats: true}
			add(name+" of "+weights+" to targets", x, o, false, sssp.Query{Targets: []uint32{5, 6}})
			add(name+" of "+weights+" to targets, prepared", x, o, true, sssp.Query{Targets: []uint32{5, 6}})
			add(name+" of "+weights+" with a limit", x, o, true, sssp.Query{Limit: 20})
		}
	}
	wide := map[string]graph.Batch{}
	for i := range int64(3000) {
		for name, w := range map[string]int64{"int64": 1<<40 + i, "more than 53 bits": 1<<53 + i, "float64": -1} {
			b := wide[name]
			b.Src, b.Dst = append(b.Src, i%800), append(b.Dst, i*i*7%800)
			if w > 0 {
				b.IntWeights = append(b.IntWeights, w)
			} else {
				b.FloatWeights = append(b.FloatWeights, math.Pi/float64(1+i))
			}
			wide[name] = b
		}
	}
	for name, b := range wide {
		add(name, built(t, graph.Options{}, b), sssp.Options{Parents: true}, false, sssp.Query{})
	}
	for _, k := range kinds {
		for _, workers := range []int{1, 3} {
			p := placed(t, k.g, workers)
			if k.prepared {
				prepare(t, p)
			}
			s, err := sssp.NewSearcher(p, k.o)
			if err != nil {
				t.Fatal(err)
			}
			q, n := k.q, uint32(min(100, k.g.NumVertices()))
			q.Sources = []uint32{0}
			bytes, pieces := testgraph.Steady(func() {
				q.Sources[0] = (q.Sources[0] + 7) % n
				if _, err := s.Run(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			})
			if t.Logf("%s, %d workers: a search takes %.0f bytes, in %v pieces", k.name, workers, bytes, pieces); bytes >= 1024 {
				t.Error("that is too much")
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
