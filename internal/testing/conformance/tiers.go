// This file tests graphs that are placed in tiers, since they are larger than the memory that they may take of a GPU.

package conformance

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
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

// TiersBudget searches graphs in tiers, which take no more of the driver's memory than the options name, and 2 percent.
func (s Suite) TiersBudget(t *testing.T) {
	for _, name := range []string{"urand12", "kron12"} {
		spec, err := gen.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gen.Build(t.Context(), spec, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		least := s.leastMemory(t, g)
		for _, o := range []dobfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {ByID: true}} {
			for _, memory := range []uint64{least, least + g.NumDirectedEdges()} {
				before := s.Device.Info().MemoryFree
				p, err := g.Place(s.Device, graph.PlaceOptions{Memory: memory})
				if err != nil {
					t.Fatal(err)
				}
				r, err := dobfs.Run(t.Context(), p, 0, o)
				if err != nil {
					t.Fatal(err)
				}
				if used := before - s.Device.Info().MemoryFree; used > memory+memory/50 {
					t.Errorf("%s, %+v: a search and its graph take %d bytes of %d", name, o, used, memory)
				}
				if err := errors.Join(r.Close(), p.Close()); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TiersWithoutMemory places a graph in tiers where the system doesn't pin its memory, and where less of the device's is free
// than the options name.
func (s Suite) TiersWithoutMemory(t *testing.T) {
	d, ok := s.Device.(*gpu.Device)
	if !ok {
		t.Fatalf("%T", s.Device)
	}
	g := s.caseOf("skewed-reverse").Graph(47)
	least, used := s.leastMemory(t, g), d.Used()
	for k := 1; ; k++ {
		d.Context().FailAlloc(k)
		p, err := g.Place(d, graph.PlaceOptions{Memory: least})
		d.Context().FailAlloc(0)
		if err == nil {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if k < 5 {
				t.Errorf("%d allocations only", k-1)
			}
			break
		}
		if !errors.Is(err, device.ErrMemory) || d.Used() != used {
			t.Errorf("without allocation %d: %v, %d bytes left", k, err, d.Used()-used)
		}
		if k == 1 && !strings.Contains(err.Error(), "ulimit -l") {
			t.Errorf("pinning fails: %v", err)
		}
	}
	d.Limit(used + 1000)
	defer d.Limit(0)
	if _, err := g.Place(d, graph.PlaceOptions{Memory: least}); !errors.Is(err, device.ErrMemory) || d.Used() != used {
		t.Errorf("within a smaller limit: %v, %d bytes left", err, d.Used()-used)
	}
	d.Limit(used + g.RemoteBytes() - 1) // it doesn't fit, and is in tiers though the options don't say so
	if p, err := g.On(d); err == nil {
		if _, ok := p.Tiers(); !ok {
			t.Error("the graph isn't in tiers")
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	} else if !errors.Is(err, device.ErrMemory) {
		t.Error(err)
	}
}
