//go:build ignore

// This program times functors that find the same in several ways (internal/testing/functors/compared),
// by turns: the gains that docs/slow.md states for remedies. Their results are compared first.
//
//	go run bench/slow.go [-device cuda:0] [-trials 7] [-order given] kron20 urand20 road
//
// Weights are drawn from 1 to 255, Kronecker graphs ordered by degree unless -order says
// otherwise. A time is from the call to the values standing complete on the device, the median
// of the trials; a ratio is by the first of a group. On a GPU all runs level by level but where
// a line says otherwise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/functors/compared"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

var (
	on      = flag.String("device", "host", "device to measure")
	workers = flag.Int("workers", 0, "workers of the host; 0 is as many as there are processors")
	trials  = flag.Int("trials", 7, "times that each way is timed")
	order   = flag.String("order", "", "given: vertices as they are numbered by the generator")
	only    = flag.String("only", "", "groups whose name has this in it")
)

func main() {
	flag.Parse()
	var dev device.Device = host.New(*workers)
	if *on != "host" {
		var err error
		dev, err = device.Open(*on)
		check(err)
	}
	fmt.Println(dev.Info().Model, dev.Info().Units)
	for _, name := range flag.Args() {
		check(measure(context.Background(), dev, name))
	}
	check(dev.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// way is one of several that find the same. It returns its values as numbers, if they are kept.
type way struct {
	name   string
	engine traverse.Engine
	run    func(x *traverse.Traversal, source uint32, keep bool) ([]float64, error)
}

func values[T device.Elem](x *traverse.Traversal, b *device.Buffer[T], keep bool) ([]float64, error) {
	r, err := traverse.Result(x, b)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if !keep {
		return nil, nil
	}
	all, err := r.Slice()
	numbers := make([]float64, len(all))
	for v, y := range all {
		numbers[v] = float64(y)
	}
	return numbers, err
}

// depths is a breadth-first search by a functor and what may follow it.
func depths(name string, e traverse.Engine, f func(*device.Buffer[int32]) advance.Functor, more ...operators.Step) way {
	return way{name, e, func(x *traverse.Traversal, source uint32, keep bool) ([]float64, error) {
		depth := traverse.Array[int32](x, -1)
		traverse.Set(x, depth, source, 0)
		x.Repeat(x.From(source), append([]operators.Step{advance.Push(f(depth))}, more...)...)
		return values(x, depth, keep)
	}}
}

func labels(name string, more ...operators.Step) way {
	return way{name, traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
		label := traverse.VertexIDs(x)
		x.Repeat(x.All(), append([]operators.Step{advance.Push(composed.NewLower(label))}, more...)...)
		return values(x, label, keep)
	}}
}

// sums runs one step over all edges that leaves a float32 per vertex.
func sums(name string, step func(share, sum *device.Buffer[float32]) operators.Step) way {
	return way{name, traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
		share, sum := traverse.Array[float32](x, 0.25), traverse.Array[float32](x, 0)
		x.Do(x.All(), step(share, sum))
		return values(x, sum, keep)
	}}
}

func look(d *device.Buffer[int32]) advance.Functor  { return compared.NewLook(d) }
func blind(d *device.Buffer[int32]) advance.Functor { return compared.NewBlind(d) }
func twice(d *device.Buffer[int32]) advance.Functor { return compared.NewTwice(d) }

var groups = []struct {
	name string
	ways []way
}{
	{"compare-and-swap", []way{
		depths("with a look before", traverse.LevelByLevel, look),
		depths("without", traverse.LevelByLevel, blind),
	}},
	{"levels", []way{
		depths("in one kernel", traverse.AutoEngine, look),
		depths("level by level", traverse.LevelByLevel, look),
	}},
	{"unique", []way{
		depths("//foray:unique", traverse.LevelByLevel, look),
		depths("filter.Unique", traverse.LevelByLevel, twice, filter.Unique()),
		depths("neither", traverse.LevelByLevel, twice),
	}},
	{"duplicates", []way{labels("filter.Unique", filter.Unique()), labels("no filter")}},
	{"count", []way{
		{"reduce into a scalar", traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
			n := traverse.Scalar[uint64](x, operators.Sum)
			x.Do(x.All(), reduce.Out(compared.NewOnes(traverse.Array[uint64](x, 0)), n))
			return []float64{float64(traverse.Get(x, n))}, x.Err()
		}},
		{"an element per target", traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
			count := traverse.Array[uint64](x, 0)
			x.Do(x.All(), advance.VisitAll(compared.NewSpread(count)))
			all, err := values(x, count, keep)
			sum := 0.0
			for _, n := range all {
				sum += n
			}
			return []float64{sum}, err
		}},
		{"one element", traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
			count := traverse.Array[uint64](x, 0)
			x.Do(x.All(), advance.VisitAll(compared.NewTally(count)))
			all, err := values(x, count, keep)
			return all[:min(1, len(all))], err
		}},
	}},
	{"sums", []way{
		sums("reduce.In", func(share, sum *device.Buffer[float32]) operators.Step {
			return reduce.In(compared.NewCollect(share, sum), nil)
		}),
		sums("VisitAll with atomics.Add", func(share, sum *device.Buffer[float32]) operators.Step {
			return advance.VisitAll(compared.NewScatter(share, sum))
		}),
	}},
	{"index", []way{
		sums("the edge's own", func(share, sum *device.Buffer[float32]) operators.Step {
			return reduce.In(compared.NewCollect(share, sum), nil)
		}),
		sums("checked", func(share, sum *device.Buffer[float32]) operators.Step {
			return reduce.In(compared.NewChecked(share, sum, math.MaxUint32), nil)
		}),
	}},
	{"slices", []way{
		sums("one of the neighbor", func(share, sum *device.Buffer[float32]) operators.Step {
			return reduce.In(compared.NewCollect(share, sum), nil)
		}),
		{"four side by side", traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
			sum := traverse.Array[float32](x, 0)
			x.Do(x.All(), reduce.In(compared.NewTogether(four(x), sum), nil))
			return values(x, sum, keep)
		}},
		{"four slices", traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
			var a [4]*device.Buffer[float32]
			for i := range a {
				a[i] = traverse.Array[float32](x, 0.0625)
			}
			sum := traverse.Array[float32](x, 0)
			x.Do(x.All(), reduce.In(compared.NewApart(a[0], a[1], a[2], a[3], sum), nil))
			return values(x, sum, keep)
		}},
	}},
	{"order", []way{
		{"weights of edges", traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
			sum := traverse.Array[float32](x, 0)
			x.Do(x.All(), reduce.In(compared.NewWeigh(sum), nil))
			_, err := values(x, sum, keep)
			return nil, err
		}},
		{"a slice at the neighbor", traverse.LevelByLevel, func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
			share, sum := traverse.Array[float32](x, 0.25), traverse.Array[float32](x, 0)
			x.Do(x.All(), reduce.In(compared.NewCollect(share, sum), nil))
			_, err := values(x, sum, keep)
			return nil, err
		}},
	}},
}

// ell4 are slices of four numbers a vertex, of placed graphs.
var ell4 = map[*graph.Placed]*device.Buffer[float32]{}

func four(x *traverse.Traversal) *device.Buffer[float32] {
	p := x.Placed()
	if ell4[p] == nil {
		all := make([]float32, 4*p.NumVertices())
		for i := range all {
			all[i] = 0.0625
		}
		b, err := device.NewBuffer[float32](p.Device(), len(all))
		check(err)
		check(b.Write(p.Device(), 0, all))
		ell4[p] = b
	}
	return ell4[p]
}

func measure(ctx context.Context, dev device.Device, name string) error {
	sep := ":"
	if strings.Contains(name, ":") {
		sep = ","
	}
	spec, err := gen.Parse(name + sep + "weights=1:255")
	if err != nil {
		return err
	}
	o := graph.Options{Weights: true}
	switch {
	case *order == "given":
		o.Order = graph.OrderGiven
	case strings.HasPrefix(name, "kron"):
		o.Order = graph.OrderDegree
	}
	g, err := gen.Build(ctx, spec, o)
	if err != nil {
		return err
	}
	p, err := g.On(dev)
	if err != nil {
		return err
	}
	source := uint32(0)
	for g.Degree(source) == 0 {
		source++
	}
	fmt.Printf("%s: %d vertices, %d edges\n", name, g.NumVertices(), g.NumDirectedEdges())
	for _, c := range groups {
		if !strings.Contains(c.name, *only) || c.name == "levels" && dev.Info().Kind == device.Host {
			continue
		}
		if err := compete(ctx, p, name+" "+c.name, source, c.ways); err != nil {
			return fmt.Errorf("%s, %s: %w", name, c.name, err)
		}
	}
	err = ell4[p].Close()
	delete(ell4, p)
	return errors.Join(err, p.Close())
}

// compete times ways by turns.
func compete(ctx context.Context, p *graph.Placed, what string, source uint32, ways []way) error {
	var want []float64
	times, first, engines := make([][]float64, len(ways)), make([]float64, len(ways)), make([]string, len(ways))
	for trial := range *trials + 2 {
		for i, w := range ways {
			x := traverse.New(ctx, p, traverse.Options{Engine: w.engine})
			began := time.Now()
			all, err := w.run(x, source, trial == 0)
			took := float64(time.Since(began).Microseconds()) / 1000
			engines[i] = x.Stats().Engine.String()
			if err := errors.Join(err, x.Close()); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			switch {
			case trial == 0 && i == 0:
				want, first[i] = all, took
			case trial == 0:
				first[i] = took
				if len(all) != len(want) {
					return fmt.Errorf("%s: %d values, want %d", w.name, len(all), len(want))
				}
				for v := range all {
					if d := math.Abs(all[v] - want[v]); d > 1e-5*math.Abs(want[v]) {
						return fmt.Errorf("%s: element %d has %v, want %v", w.name, v, all[v], want[v])
					}
				}
			case trial > 1:
				times[i] = append(times[i], took)
			}
		}
	}
	base := 0.0
	for i, w := range ways {
		slices.Sort(times[i])
		t := times[i]
		m := t[len(t)/2]
		if i == 0 {
			base = m
		}
		fmt.Printf("%-26s %-26s %9.3f ms (%.3f to %.3f), ratio %.2f, %s; the first %.0f ms\n", what, w.name, m, t[0], t[len(t)-1], m/base, engines[i], first[i])
	}
	return nil
}
