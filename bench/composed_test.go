package bench_test

import (
	"cmp"
	"errors"
	"os"
	"testing"

	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/examples/closetriangles"
	"github.com/foray-graph/foray/examples/louvain"
	"github.com/foray-graph/foray/examples/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// BenchmarkComposed times what is composed over columns, on the graph FORAY_BENCH_GRAPH (kron16 if not set) and the device
// FORAY_BENCH_DEVICE (host if not set): filtering edges, contracting, examples, and the searches of package reach.
//
//	FORAY_BENCH_GRAPH=kron20 FORAY_BENCH_DEVICE=cuda:0 go test -run '^$' -bench Composed ./bench
func BenchmarkComposed(b *testing.B) {
	ctx := b.Context()
	g := columned(b, cmp.Or(os.Getenv("FORAY_BENCH_GRAPH"), "kron16"))
	labels := make([]uint32, g.NumVertices())
	for v := range labels {
		labels[v] = uint32(v / 64)
	}
	run := func(name string, do func() error) {
		b.Run(name, func(b *testing.B) {
			if err := do(); err != nil { // the first launch on a GPU compiles kernels
				b.Fatal(err)
			}
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("filter edges by kind and time", func() error {
		_, err := arrow.FilterEdges(ctx, g, "kind = 'follows' and time >= 500000")
		return err
	})
	run("contract 64 vertices to one", func() error {
		_, err := g.Contract(ctx, labels, graph.Options{Weights: true, Combine: graph.CombineSum, KeepSelfLoops: true})
		return err
	})
	dev, err := device.Open(cmp.Or(os.Getenv("FORAY_BENCH_DEVICE"), "host"))
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	for _, c := range []struct {
		name string
		o    graph.Options
	}{
		{"contract 64 vertices to one, on the device", graph.Options{Weights: true, Combine: graph.CombineSum, KeepSelfLoops: true}},
		{"contract and fold times, on the device", graph.Options{KeepSelfLoops: true, EdgeColumns: []string{"time"}, Fold: map[string]graph.Combine{"time": graph.CombineMin}}},
	} {
		run(c.name, func() error {
			q, err := p.Contract(ctx, device.Wrap(labels), c.o)
			return errors.Join(err, q.Close())
		})
	}
	compose := func(name string, do func(t *traverse.Traversal)) {
		run(name, func() error {
			t := traverse.New(ctx, p)
			do(t)
			return errors.Join(t.Sync(), t.Close())
		})
	}
	compose("louvain, a round", func(t *traverse.Traversal) { louvain.Phase(t, 1) })
	compose("louvain, 11 rounds", func(t *traverse.Traversal) { louvain.Phase(t, 11) })
	compose("walks of 20 steps", func(t *traverse.Traversal) { walks.Visits(t, 7, 20) })
	compose("triangles close in time", func(t *traverse.Traversal) { closetriangles.Count(t, 1000) })
	run("lpa, 10 rounds", func() error {
		r, err := lpa.Run(ctx, p, lpa.Options{})
		return errors.Join(err, r.Close())
	})
	o := reach.Options{Sources: []uint32{g.DegreeHistogram().MaxVertex}, Expression: "follows+,likes"}
	run("match", func() error {
		r, err := reach.Match(ctx, p, o)
		return errors.Join(err, r.Close())
	})
	run("arrivals", func() error {
		r, err := reach.Arrivals(ctx, p, o)
		return errors.Join(err, r.Close())
	})
}

// columned returns a generated graph with weights of 1 to 16, times below 2^20 and two kinds, which its ends determine.
func columned(b *testing.B, spec string) *graph.Graph {
	b.Helper()
	x, err := gen.Parse(spec)
	if err != nil {
		b.Fatal(err)
	}
	g, err := gen.Build(b.Context(), x, graph.Options{})
	if err != nil {
		b.Fatal(err)
	}
	out := *g.Out()
	m := len(out.Targets)
	times, kinds := make([]int64, m), make([]uint32, m)
	out.Weights = make([]float32, m)
	for u := range uint32(g.NumVertices()) {
		for e := out.Offsets[u]; e < out.Offsets[u+1]; e++ {
			v := out.Targets[e]
			h := (uint64(min(u, v))<<32 | uint64(max(u, v))) * 0x9e3779b97f4a7c15
			times[e], kinds[e], out.Weights[e] = int64(h>>44), uint32(h>>33&1), float32(1+h>>60)
		}
	}
	with, err := graph.FromCSR(out, graph.CSROptions{Order: graph.OrderGiven, WeightType: graph.WeightsFloat32, EdgeColumns: []graph.Column{{Name: "time", Values: times},
		{Name: "kind", Values: kinds, Dictionary: &graph.Strings{Offsets: []int64{0, 7, 12}, Data: []byte("followslikes")}}}})
	if err != nil {
		b.Fatal(err)
	}
	return with
}
