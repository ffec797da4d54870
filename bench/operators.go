//go:build ignore

// This program times each operator separately, on the host or on a GPU:
//
//	go run bench/operators.go [-device cuda:0] [-trials 9] [-only push] kron20 road
//
// The input is a tenth of the vertices, drawn at random, or all; Kronecker graphs are ordered
// by degree. A time is from the call until the device is done: the least and the median of
// the trials, after two warm-up runs. The rate counts the edges or vertices of the input.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/scan"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/functors"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	_ "github.com/foray-graph/foray/operators/advance/laboratory"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

var (
	on     = flag.String("device", "cuda:0", "device to measure")
	trials = flag.Int("trials", 9, "times that each operator is timed")
	only   = flag.String("only", "", "operators whose name has this in it")
)

func main() {
	flag.Parse()
	dev, err := device.Open(*on)
	check(err)
	fmt.Println(dev.Info().Model)
	for _, name := range flag.Args() {
		measure(context.Background(), dev, name)
	}
	check(dev.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// line is an operator: before is what it needs, which isn't timed, do what is.
type line struct {
	name       string
	items      uint64
	before, do func() error
}

// bench is a graph on the device, and what operators work with.
type bench struct {
	g            *graph.Graph
	p            *graph.Placed
	s            device.Stream
	a            *advance.Advancer
	f            *filter.Filterer
	some, others []uint32
	edges        uint64 // out of some
	lines        []line
	free         []func() error
}

func measure(ctx context.Context, dev device.Device, name string) {
	spec, err := gen.Parse(name)
	check(err)
	o := graph.Options{}
	if strings.HasPrefix(name, "kron") {
		o.Order = graph.OrderDegree
	}
	b := &bench{}
	b.g, err = gen.Build(ctx, spec, o)
	check(err)
	b.p, err = b.g.On(dev)
	check(err)
	b.s, err = dev.NewStream(ctx)
	check(err)
	b.a, err = advance.New(b.s, b.p)
	check(err)
	b.f, err = filter.New(b.s, b.p)
	check(err)
	r := rand.New(rand.NewPCG(3, 3))
	for v := range uint32(b.g.NumVertices()) {
		if r.IntN(10) == 0 {
			b.some = append(b.some, v)
			b.edges += b.g.Degree(v)
		}
		if r.IntN(10) == 0 {
			b.others = append(b.others, v)
		}
	}
	r.Shuffle(len(b.some), func(i, j int) { b.some[i], b.some[j] = b.some[j], b.some[i] })
	b.advances()
	b.filters()
	b.scans()
	b.steps(ctx)
	fmt.Printf("%-10s %-34s %10s %10s %10s\n", name, "operator", "least ms", "median ms", "G items/s")
	for _, l := range b.lines {
		if strings.Contains(l.name, *only) {
			b.time(name, l)
		}
	}
	for _, free := range b.free {
		check(free())
	}
	check(errors.Join(b.f.Close(), b.a.Close(), b.s.Close(), b.p.Close()))
}

func (b *bench) time(graph string, l line) {
	var took []float64
	for i := range *trials + 2 {
		if l.before != nil {
			check(l.before())
		}
		check(b.s.Sync())
		began := time.Now()
		err := l.do()
		if errors.Is(err, device.ErrNotSupported) {
			return
		}
		check(err)
		check(b.s.Sync())
		if i >= 2 {
			took = append(took, float64(time.Since(began).Nanoseconds())/1e6)
		}
	}
	slices.Sort(took)
	median := took[len(took)/2]
	fmt.Printf("%-10s %-34s %10.3f %10.3f %10.2f\n", graph, l.name, took[0], median, float64(l.items)/median/1e6)
}

func (b *bench) add(name string, items uint64, before, do func() error) {
	b.lines = append(b.lines, line{name, items, before, do})
}

// empty returns a frontier that is closed in the end.
func (b *bench) empty() *frontier.Frontier {
	f := frontier.New(b.p)
	b.free = append(b.free, f.Close)
	return f
}

// array returns an entry per vertex.
func array[T device.Elem](b *bench) *device.Buffer[T] {
	x, err := device.NewBuffer[T](b.p.Device(), b.g.NumVertices())
	check(err)
	b.free = append(b.free, x.Close)
	return x
}

func (b *bench) queue(vs []uint32) *frontier.Frontier {
	f := b.empty()
	check(f.Clear(frontier.Queue))
	check(f.Add(vs...))
	return f
}

func (b *bench) bitmap(vs []uint32) *frontier.Frontier {
	f := b.empty()
	check(f.Clear(frontier.Bitmap))
	check(f.Add(vs...))
	return f
}

func (b *bench) advances() {
	in, out, seen := b.queue(b.some), b.empty(), b.bitmap(nil)
	empty := func() error { return seen.Clear(frontier.Bitmap) }
	for _, name := range strings.Fields("auto thread warp twc merge hubs buckets scan") {
		s, err := advance.ParseStrategy(name)
		check(err)
		if s != advance.AutoBalance && b.p.Remote() == nil {
			continue
		}
		b.add("advance.Push "+s.String(), b.edges, empty, func() error {
			b.a.Strategy = s
			_, err := b.a.Push(in, out, advance.Claim(seen))
			b.a.Strategy = advance.AutoBalance
			return err
		})
	}
	if !b.g.HasReverse() {
		return
	}
	front := b.bitmap(b.some)
	b.add("advance.Pull", b.g.NumDirectedEdges(), nil, func() error {
		_, err := b.a.Pull(front, front, out, advance.Parents(nil))
		return err
	})
	edges := advance.InEdges(array[uint64](b))
	b.add("advance.Pull with edges", b.g.NumDirectedEdges(), nil, func() error {
		_, err := b.a.Pull(front, front, out, edges)
		return err
	})
}

func (b *bench) filters() {
	n := uint64(len(b.some))
	f, seen := b.empty(), b.bitmap(nil)
	fresh := func() error {
		return errors.Join(f.Clear(frontier.Queue), f.Add(b.some...), seen.Clear(frontier.Bitmap), seen.Add(b.others...))
	}
	keys := array[uint32](b)
	all := make([]uint32, keys.Len())
	for v := range all {
		all[v] = uint32(v)
	}
	check(keys.Write(b.p.Device(), 0, all))
	below := composed.NewBelow(keys, uint32(len(all)/2))
	b.add("filter.Cull", n, fresh, func() error { return b.f.Cull(f, seen) })
	b.add("filter.Unvisited", n, fresh, func() error { return b.f.Unvisited(f, seen) })
	b.add("filter.Unique", n, fresh, func() error { return b.f.Unique(f) })
	b.add("filter.Keep", n, fresh, func() error { return b.f.Keep(f, below) })
	b.add("frontier.Convert to bitmap", n, fresh, func() error { return f.Convert(b.s, frontier.Bitmap) })
	b.add("frontier.Convert to queue", n, func() error { return errors.Join(fresh(), f.Convert(b.s, frontier.Bitmap)) },
		func() error { return f.Convert(b.s, frontier.Queue) })
}

// scans are scans and intersections.
func (b *bench) scans() {
	scanner, err := scan.New(b.s)
	check(err)
	b.free = append(b.free, scanner.Close)
	in, sums := array[uint32](b), array[uint64](b)
	b.add("scan.Exclusive", uint64(in.Len()), nil, func() error {
		_, err := scan.Exclusive(scanner, in, sums, in.Len())
		return err
	})
	cross, err := intersect.New(b.s, b.p)
	check(err)
	b.free = append(b.free, cross.Close)
	for _, s := range []string{"auto", "merge", "search", "table"} {
		b.add("intersect "+s, b.g.NumDirectedEdges(), nil, func() error {
			tuning.IntersectBy = s
			defer func() { tuning.IntersectBy = "auto" }()
			return cross.Run(intersect.Options{Triangles: true}, intersect.Count(nil))
		})
	}
}

// memory is what the steps of a traversal work on.
type memory struct {
	t                        *traverse.Traversal
	counts, totals, distance *device.Buffer[uint32]
	sum, most                *operators.Scalar[uint64]
	far                      *pile.Pile
}

// steps are operators of a traversal, a new one each time.
func (b *bench) steps(ctx context.Context) {
	n, m := uint64(b.g.NumVertices()), b.g.NumDirectedEdges()
	apart := make([]uint32, n) // distances: 0 in the frontier
	for v := range apart {
		apart[v] = math.MaxUint32
	}
	for _, v := range b.some {
		apart[v] = 0
	}
	var x memory
	var cur *traverse.Frontier
	var step operators.Step
	steps := func(name string, all bool, items uint64, before, s func() operators.Step) {
		b.add("step "+name, items, func() error {
			if x.t != nil {
				check(x.t.Close())
			}
			t := traverse.New(ctx, b.p)
			x = memory{t, traverse.Array[uint32](t, 0), traverse.Array[uint32](t, 0), traverse.Array[uint32](t, 0),
				traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Max), t.Pile()}
			check(t.Err())
			check(x.distance.Write(b.p.Device(), 0, apart))
			cur = t.All()
			if !all {
				cur = t.From(b.some...)
			}
			if before != nil {
				t.Do(cur, before())
				cur = t.From()
			}
			cur.Len()
			traverse.Get(t, x.sum) // waits
			step = s()
			return t.Err()
		}, func() error {
			x.t.Do(cur, step)
			traverse.Get(x.t, x.sum)
			return x.t.Err()
		})
	}
	half := &functors.Some{Share: 8}
	tally := func() *functors.Tally { return &functors.Tally{Counts: x.counts} }
	add := func() *functors.Add { return &functors.Add{Counts: x.counts} }
	gather := func() *functors.Gather { return &functors.Gather{Counts: x.counts, Totals: x.totals} }
	near := func(width uint32) func() operators.Step {
		return func() operators.Step {
			return advance.PushNear(&functors.Lower{Distance: x.distance, Width: width}, x.far)
		}
	}
	some := uint64(len(b.some))
	steps("advance.Push", false, b.edges, nil, func() operators.Step { return advance.Push(half) })
	steps("advance.PushBits", false, b.edges, nil, func() operators.Step { return advance.PushBits(half) })
	steps("advance.Visit", false, b.edges, nil, func() operators.Step { return advance.Visit(tally()) })
	steps("advance.VisitAll", true, m, nil, func() operators.Step { return advance.VisitAll(tally()) })
	steps("advance.PushNear, all near", false, b.edges, nil, near(1<<30))
	steps("advance.PushNear, most far", false, b.edges, nil, near(16))
	steps("pile.Refill", false, some, near(16), func() operators.Step {
		return pile.Refill(x.far, &functors.When{Distance: x.distance, Width: 16})
	})
	steps("filter.Keep", false, some, nil, func() operators.Step { return filter.Keep(&functors.Stay{Share: 8, Level: x.t.Level}) })
	steps("foreach.Each", false, some, nil, func() operators.Step { return foreach.Each(add(), x.sum) })
	steps("foreach.All", true, n, nil, func() operators.Step { return foreach.All(add(), x.sum) })
	steps("reduce.Out", false, b.edges, nil, func() operators.Step { return reduce.Out(gather(), x.most) })
	steps("reduce.Out of all", true, m, nil, func() operators.Step { return reduce.Out(gather(), x.most) })
	b.free = append(b.free, func() error {
		if x.t == nil {
			return nil
		}
		return x.t.Close()
	})
}
