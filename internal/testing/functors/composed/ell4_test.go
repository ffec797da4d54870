package composed_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// TestEll4 runs pushes on graphs whose rows have a fixed width: with self-loops, which only a
// walk through the rows tells from padding, and without. Every edge of a reached vertex is counted.
func TestEll4(t *testing.T) {
	for name, loops := range map[string]bool{"road-undirected": true, "road-reverse": true, "lattice": false, "path": false, "cycle": false} {
		g, has := testgraph.ByName(name).Graph(1), false
		for v := range uint32(g.NumVertices()) {
			row := g.Out().Neighbors(v)
			has = has || slices.Contains(row[:min(4, len(row))], v)
		}
		if has != loops {
			t.Fatalf("%s: self-loops %t, want %t", name, has, loops)
		}
		for _, workers := range []int{1, 3} {
			p := testgraph.Place(g, workers)
			if p.State().Ell4() == nil {
				t.Fatalf("%s has no ELL4 rows", name)
			}
			edges := uint64(0)
			x := traverse.New(t.Context(), p, traverse.Options{EachLevel: func(l traverse.Level) { edges += l.Edges }})
			depth, count, label := traverse.Array[int32](x, -1), traverse.Array[uint32](x, 0), traverse.VertexIDs(x)
			traverse.Set(x, depth, 7, 0)
			traverse.Set(x, count, 7, 1)
			x.Repeat(x.From(7), advance.Push(composed.NewReach(depth)))
			x.Repeat(x.From(7), advance.Push(composed.NewMeet(count)))
			looked := edges
			x.Repeat(x.All(), advance.Push(composed.NewLower(label)), filter.Unique())
			depths, counts, labels := slices.Clone(depth.Host()), slices.Clone(count.Host()), slices.Clone(label.Host())
			if err := errors.Join(x.Err(), x.Close()); err != nil {
				t.Fatal(err)
			}
			reached := uint64(0)
			met, least := make([]uint32, g.NumVertices()), make([]uint32, g.NumVertices())
			met[7] = 1
			for v, d := range depths {
				if least[v] = uint32(v); d < 0 {
					continue
				}
				for _, u := range g.Out().Neighbors(uint32(v)) {
					reached++
					met[u]++
					if du := depths[u]; du < 0 || du > d+1 {
						t.Fatalf("%s: depth %d of vertex %d, %d of its neighbor %d", name, d, v, du, u)
					}
				}
			}
			same(t, counts, met)
			if looked != 2*reached {
				t.Errorf("%s, %d workers: %d edges, want two times %d", name, workers, looked, reached)
			}
			for changed := true; changed; {
				changed = false
				for v := range least {
					for _, u := range g.Out().Neighbors(uint32(v)) {
						if least[v] < least[u] {
							least[u], changed = least[v], true
						}
					}
				}
			}
			same(t, labels, least)
		}
	}
}
