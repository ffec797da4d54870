package composed_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// BenchmarkFunctors runs generated functors and handwritten loops, one after
// the other, and reports the shortest time of each and how many times longer the generated
// one takes.
func BenchmarkFunctors(b *testing.B) {
	for _, spec := range []string{"kron18:weights=1.0:64", "urand18:weights=1.0:64"} {
		e, err := gen.Parse(spec)
		if err != nil {
			b.Fatal(err)
		}
		g, err := gen.Build(b.Context(), e, graph.Options{Weights: true})
		if err != nil {
			b.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			p, err := g.On(host.New(workers))
			if err != nil {
				b.Fatal(err)
			}
			for _, c := range cases {
				name := fmt.Sprintf("%s/%s/workers=%d", spec[:6], c.name, workers)
				b.Run(name, func(b *testing.B) { beside(b, p, c.run) })
			}
		}
	}
}

var cases = []struct {
	name string
	run  func(b *testing.B, p *graph.Placed, t *traverse.Traversal, generated bool)
}{
	{"relax", func(b *testing.B, p *graph.Placed, t *traverse.Traversal, generated bool) {
		dist := traverse.Array[float32](t, 1e30)
		traverse.Set(t, dist, 1, 0)
		var f advance.Functor = &handRelax{dist, traverse.Weights(t), 1e30}
		if generated {
			f = ready(b, p, composed.NewRelax(dist, 1e30))
		}
		t.Repeat(t.From(1), advance.Push(f), filter.Unique())
	}},
	{"lower", func(b *testing.B, p *graph.Placed, t *traverse.Traversal, generated bool) {
		label := traverse.VertexIDs(t)
		var f advance.Functor = &handLower{label}
		if generated {
			f = ready(b, p, composed.NewLower(label))
		}
		t.Repeat(t.All(), advance.Push(f), filter.Unique())
	}},
	{"hop", func(b *testing.B, p *graph.Placed, t *traverse.Traversal, generated bool) {
		depth := traverse.Array[int32](t, -1)
		traverse.Set(t, depth, 1, 0)
		var f advance.Functor = &handHop{depth, traverse.Weights(t), 32}
		if generated {
			f = ready(b, p, composed.NewHop(depth, 32))
		}
		t.Repeat(t.From(1), advance.Push(f))
	}},
	{"adopt", func(b *testing.B, p *graph.Placed, t *traverse.Traversal, generated bool) {
		parent, depth := traverse.Array[uint32](t, 0), traverse.Array[int32](t, -1)
		var f advance.Sink = &handAdopt{parent, depth}
		if generated {
			f = ready(b, p, composed.NewAdopt(parent, depth))
		}
		t.Repeat(t.From(1), advance.Pull(f, t.Bits(1)))
	}},
	{"cross", func(b *testing.B, p *graph.Placed, t *traverse.Traversal, generated bool) {
		depth, by, tries := traverse.Array[int32](t, -1), traverse.Array[uint64](t, 0), traverse.Array[uint32](t, 0)
		weights, err := p.InWeights()
		if err != nil {
			b.Fatal(err)
		}
		var f advance.Sink = &handCross{depth, by, tries, weights, 16}
		if generated {
			f = ready(b, p, composed.NewCross(depth, by, tries, 16))
		}
		t.Repeat(t.From(1), advance.Pull(f, t.Bits(1)))
	}},
	{"rank", func(b *testing.B, p *graph.Placed, t *traverse.Traversal, generated bool) {
		n := float32(p.NumVertices())
		share, next, rank := traverse.Array(t, 1/n), traverse.Array(t, 1/n), traverse.Array(t, 1/n)
		change := traverse.Scalar[float64](t, operators.Sum)
		var f reduce.Functor[float32, float64] = &handRank{share, next, rank, traverse.Degrees(t), 0.85, 0.15 / n}
		if generated {
			f = ready(b, p, composed.NewRank(share, next, rank, traverse.Degrees(t), 0.85, 0.15/n))
		}
		t.Repeat(t.All(), reduce.In(f, change), traverse.MaxRounds(5))
	}},
	{"excess", func(b *testing.B, p *graph.Placed, t *traverse.Traversal, generated bool) {
		value := traverse.Array[float64](t, 3)
		sum := traverse.Scalar[float64](t, operators.Sum)
		var f foreach.Functor[float64] = &handExcess{value, 2}
		if generated {
			f = ready(b, p, composed.NewExcess(value, 2))
		}
		t.Repeat(t.All(), foreach.All(f, sum), traverse.MaxRounds(20))
	}},
}

// BenchmarkLoops runs the loops alone, in the form for one worker and that for several, on one
// goroutine over a graph that fits a cache: what the processor does, and nothing else.
func BenchmarkLoops(b *testing.B) {
	for _, spec := range []string{"kron14:weights=1.0:64", "urand14:weights=1.0:64"} {
		e, err := gen.Parse(spec)
		if err != nil {
			b.Fatal(err)
		}
		g, err := gen.Build(b.Context(), e, graph.Options{Weights: true})
		if err != nil {
			b.Fatal(err)
		}
		p, err := g.On(host.New(1))
		if err != nil {
			b.Fatal(err)
		}
		n := p.NumVertices()
		dist, label, depth := make([]float32, n), make([]uint32, n), make([]int32, n)
		share, rank, next, degree := make([]float32, n), make([]float32, n), make([]float32, n), make([]uint32, n)
		ids, totals := make([]uint32, n), make([]float32, n)
		var rows []operators.Row
		for v := range uint32(n) {
			rows = append(rows, operators.Row{First: g.Out().Offsets[v], Source: v, Len: uint32(g.Out().Degree(v))})
			ids[v] = v
			degree[v] = uint32(g.Out().Degree(v))
		}
		reset := func() {
			for v := range dist {
				dist[v], label[v], depth[v] = float32(v*2654435761%1000), uint32(v*2654435761%100000), -int32(v*2654435761>>3&1)
			}
		}
		weights, err := p.State().Weights()
		if err != nil {
			b.Fatal(err)
		}
		d, l, h := device.Wrap(dist), device.Wrap(label), device.Wrap(depth)
		s, r, x, deg := device.Wrap(share), device.Wrap(rank), device.Wrap(next), device.Wrap(degree)
		out := make([]uint32, len(g.Out().Targets))
		push := func(f interface {
			VisitRows(operators.Worker, []operators.Row, []uint32, []uint32) int
		}) func(operators.Worker) {
			return func(w operators.Worker) {
				for at := 0; at < len(rows); at += 64 {
					f.VisitRows(w, rows[at:min(at+64, len(rows))], g.Out().Targets, out)
				}
			}
		}
		gather := func(f reduce.Functor[float32, float64]) func(operators.Worker) {
			return func(w operators.Worker) {
				for at := 0; at < len(rows); at += 64 {
					f.Gather(w, rows[at:min(at+64, len(rows))], g.Out().Targets, totals[at:])
					f.Apply(w, ids[at:min(at+64, len(rows))], totals[at:min(at+64, len(rows))])
				}
			}
		}
		values := device.Wrap(make([]float64, n))
		each := func(f foreach.Functor[float64]) func(operators.Worker) {
			return func(w operators.Worker) {
				for at := 0; at < n; at += 1024 {
					f.Visit(w, ids[at:min(at+1024, n)])
				}
			}
		}
		kept := make([]uint32, n)
		keep := func(f filter.Predicate) func(operators.Worker) {
			return func(w operators.Worker) {
				for at := 0; at < n; at += 1024 {
					f.Keep(w, ids[at:min(at+1024, n)], kept[at:])
				}
			}
		}
		for _, c := range []struct {
			name  string
			forms [2]func(operators.Worker)
		}{
			{"relax", [2]func(operators.Worker){push(&handRelax{d, weights, 1e30}), push(ready(b, p, composed.NewRelax(d, 1e30)))}},
			{"lower", [2]func(operators.Worker){push(&handLower{l}), push(ready(b, p, composed.NewLower(l)))}},
			{"hop", [2]func(operators.Worker){push(&handHop{h, weights, 32}), push(ready(b, p, composed.NewHop(h, 32)))}},
			{"rank", [2]func(operators.Worker){gather(&handRank{s, x, r, deg, 0.85, 0.1}), gather(ready(b, p, composed.NewRank(s, x, r, deg, 0.85, 0.1)))}},
			{"excess", [2]func(operators.Worker){each(&handExcess{values, 2}), each(ready(b, p, composed.NewExcess(values, 2)))}},
			{"below", [2]func(operators.Worker){keep(&handBelow{deg, 20}), keep(ready(b, p, composed.NewBelow(deg, 20)))}},
		} {
			for _, alone := range []bool{true, false} {
				b.Run(fmt.Sprintf("%s/%s/alone=%t", e.Name()[:5], c.name, alone), func(b *testing.B) {
					var least [2]time.Duration
					for b.Loop() {
						for i, f := range c.forms {
							reset()
							began := time.Now()
							f(operators.Worker{Alone: alone, Level: 1})
							if took := time.Since(began); least[i] == 0 || took < least[i] {
								least[i] = took
							}
						}
					}
					report(b, least)
				})
			}
		}
	}
}

func report(b *testing.B, least [2]time.Duration) {
	b.ReportMetric(least[0].Seconds()*1e3, "hand-ms")
	b.ReportMetric(least[1].Seconds()*1e3, "generated-ms")
	b.ReportMetric(float64(least[1])/float64(least[0]), "ratio")
	b.ReportMetric(0, "ns/op")
}

// beside times both forms.
func beside(b *testing.B, p *graph.Placed, run func(*testing.B, *graph.Placed, *traverse.Traversal, bool)) {
	var least [2]time.Duration
	for b.Loop() {
		for i := range least {
			t := traverse.New(b.Context(), p)
			began := time.Now()
			run(b, p, t, i == 1)
			took := time.Since(began)
			err := t.Err()
			if err := errors.Join(err, t.Close()); err != nil {
				b.Fatal(err)
			}
			if least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	report(b, least)
}

func ready[F link.Functor](b *testing.B, p *graph.Placed, f F) F {
	if err := link.Begin(f, p, 1, nil, f.Code().GatherResult != "", 0, nil); err != nil {
		b.Fatal(err)
	}
	if err := link.End(f); err != nil { // the weights stay
		b.Fatal(err)
	}
	return f
}
