// This file tests graphs that are placed in tiers, since they are larger than the memory that they may take of a GPU.

package conformance

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// Tiers searches all shapes of graphs with all, some and few of their rows on the device, in each way to search.
func (s Suite) Tiers(t *testing.T) {
	growth := tuning.DeepGrowth
	defer func() { tuning.DeepGrowth = growth }()
	spec, err := gen.Parse("urand13") // its degrees are alike
	if err != nil {
		t.Fatal(err)
	}
	alike, err := gen.Build(t.Context(), spec, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, names := []*graph.Graph{alike}, []string{"urand13"}
	for _, c := range s.cases() {
		graphs, names = append(graphs, c.Graph(45)), append(names, c.Name)
	}
	for i, g := range graphs {
		t.Run(names[i], func(t *testing.T) {
			if g.NumVertices() == 0 {
				return
			}
			r := rand.New(rand.NewPCG(46, uint64(g.NumVertices())))
			least, rows := s.leastMemory(t, g), 4*g.NumDirectedEdges()
			for _, near := range []uint64{0, rows / 4, rows / 2, rows} {
				p, err := g.Place(s.Device, graph.PlaceOptions{Memory: least + near})
				if err != nil {
					t.Fatal(err)
				}
				tiers, ok := p.Tiers()
				if ok && tiers.Near > near || !ok && least+near < g.RemoteBytes() {
					t.Errorf("within %d bytes of near rows: %+v, %t", near, tiers, ok)
				}
				vs := s.variants()[:8]
				for _, tuning.DeepGrowth = range []float64{0, growth} {
					s.searches(t, vs, p, r)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// leastMemory returns the least memory that the graph is placed in.
func (s Suite) leastMemory(t *testing.T, g *graph.Graph) uint64 {
	t.Helper()
	low, high := uint64(1), uint64(1)<<40
	for low < high {
		mid := (low + high) / 2
		p, err := g.Place(s.Device, graph.PlaceOptions{Memory: mid})
		switch {
		case err == nil:
			high = mid
		case errors.Is(err, device.ErrMemory):
			low = mid + 1
		default:
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return low
}
