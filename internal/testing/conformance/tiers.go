// This file tests graphs that are placed in tiers, since they are larger than the memory that they may take of a GPU.

package conformance

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/traverse"
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

// TiersLimit runs algorithms within the memory of the device that the options name. All of them fit if as much is left for
// them as they say.
func (s Suite) TiersLimit(t *testing.T) {
	d, ok := s.Device.(*gpu.Device)
	if !ok {
		t.Fatalf("%T", s.Device)
	}
	spec, err := gen.Parse("urand:n=2000,edgefactor=128,weights=1:9")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), spec, graph.Options{Weights: true})
	if err != nil {
		t.Fatal(err)
	}
	at, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	run := 80*uint64(g.NumVertices()) + 8<<20
	memory, used := s.leastMemory(t, g)+run, d.Used()
	d.Limit(used + memory)
	defer d.Limit(0)
	for name, find := range limited {
		want, err := find(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Place(d, graph.PlaceOptions{Memory: memory, Run: run})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := p.Tiers(); !ok {
			t.Errorf("%s: the graph isn't in tiers", name)
		}
		got, err := find(t.Context(), p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			for i, w := range want {
				if math.Abs(w-got[i]) > 1e-6*math.Abs(w) {
					t.Errorf("%s: %v of %d, want %v", name, got[i], i, w)
					break
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if d.Used() != used {
			t.Errorf("%s: %d bytes left", name, d.Used()-used)
		}
	}
}

// limited are algorithms, with what they find as numbers.
var limited = map[string]func(context.Context, *graph.Placed) ([]float64, error){
	"pagerank": func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := pagerank.Run(ctx, p, pagerank.Options{Tolerance: -1, Iterations: 5})
		if err != nil {
			return nil, err
		}
		return closed(r.Ranks)
	},
	"pagerank by weight": func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := pagerank.Run(ctx, p, pagerank.Options{Tolerance: -1, Iterations: 5, Weighted: true})
		if err != nil {
			return nil, err
		}
		return closed(r.Ranks)
	},
	"cc": func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := cc.Run(ctx, p, cc.Options{})
		if err != nil {
			return nil, err
		}
		return closed(r.Component)
	},
	"sssp": func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := sssp.Run(ctx, p, 1, sssp.Options{Float32: true})
		if err != nil {
			return nil, err
		}
		all, err := r.Distances.Slice()
		all = slices.Clone(all)
		for i, d := range all {
			if math.IsInf(d, 1) {
				all[i] = -1
			}
		}
		return all, errors.Join(err, r.Close())
	},
	"kcore": func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := kcore.Run(ctx, p, kcore.Options{})
		if err != nil {
			return nil, err
		}
		return closed(r.Core)
	},
	"bfs": func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := bfs.Run(ctx, p, 1, bfs.Options{})
		if err != nil {
			return nil, err
		}
		all, err := r.Depths()
		return floats(all), errors.Join(err, r.Close())
	},
	"msbfs": func(ctx context.Context, p *graph.Placed) (all []float64, err error) {
		r, err := msbfs.Run(ctx, p, []uint32{1, 2, 3}, msbfs.Options{})
		if err != nil {
			return nil, err
		}
		for _, c := range r.Counts {
			all = append(all, floats(c)...)
		}
		return all, nil
	},
	"triangles": func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := triangles.Run(ctx, p, triangles.Options{CountOnly: true})
		if err != nil {
			return nil, err
		}
		return []float64{float64(r.Total)}, r.Close()
	},
}

func closed[T uint32 | float64](v *traverse.Values[T]) ([]float64, error) {
	all, err := v.Slice()
	return floats(all), errors.Join(err, v.Close())
}

func floats[T int32 | uint32 | uint64 | float64](a []T) []float64 {
	to := make([]float64, len(a))
	for i, x := range a {
		to[i] = float64(x)
	}
	return to
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
