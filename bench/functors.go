//go:build ignore

// This program compares functors written once, in Go, with hand-written loops in Go and kernels
// in CUDA C++ (internal/testing/functors/byhand): a relaxation of shortest paths, labels of components,
// PageRank's gather, and breadth-first search level by level (compared with algos/bfs). Their
// results are compared first.
//
//	go run bench/functors.go [-device cuda:0] [-trials 5] [-only bfs] kron22 urand22 road
//
// Weights are drawn from 1 to 255, Kronecker graphs ordered by degree. A time is from the call
// until the complete values are on the device: the median of the trials, which alternate. The
// program also prints the time of the first traversal of each kind, in which its kernels are
// compiled or loaded.
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

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/pagerank"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/functors/byhand"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

var (
	on      = flag.String("device", "cuda:0", "device to measure; host:16 is the CPU with 16 workers")
	trials  = flag.Int("trials", 5, "traversals timed of each kind")
	only    = flag.String("only", "", "the one contest to run: relax, labels, pagerank or bfs")
	workers = flag.Int("workers", 0, "workers of the host; 0 is as many as there are processors")
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

// run is a traversal. It returns its values as numbers, if they are to be kept.
type run func(x *traverse.Traversal, source uint32, keep bool) ([]float64, error)

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

func relax(f func(x *traverse.Traversal, dist *device.Buffer[float32]) advance.Functor) run {
	return func(x *traverse.Traversal, source uint32, keep bool) ([]float64, error) {
		dist := traverse.Array(x, float32(math.Inf(1)))
		traverse.Set(x, dist, source, 0)
		x.Repeat(x.From(source), advance.Push(f(x, dist)), filter.Unique())
		return values(x, dist, keep)
	}
}

func lower(f func(label *device.Buffer[uint32]) advance.Functor) run {
	return func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
		label := traverse.VertexIDs(x)
		x.Repeat(x.All(), advance.Push(f(label)), filter.Unique())
		return values(x, label, keep)
	}
}

func rank(steps func(x *traverse.Traversal, sum, rank, share *device.Buffer[float32], change *operators.Scalar[float64]) []operators.Step) run {
	return func(x *traverse.Traversal, _ uint32, keep bool) ([]float64, error) {
		sum, rank, share := traverse.Array[float32](x, 0), traverse.Array[float32](x, 0), traverse.Array[float32](x, 0)
		x.Repeat(x.All(), append(steps(x, sum, rank, share, traverse.Scalar[float64](x, operators.Sum)), traverse.MaxRounds(20))...)
		return values(x, rank, keep)
	}
}

const damping = 0.85

var contests = []struct {
	name         string
	made, byHand run
}{
	{"relax", relax(func(_ *traverse.Traversal, d *device.Buffer[float32]) advance.Functor {
		return composed.NewRelax(d, math.MaxFloat32)
	}), relax(func(x *traverse.Traversal, d *device.Buffer[float32]) advance.Functor {
		return &byhand.Relax{Dist: d, Weights: traverse.Weights(x)}
	})},
	{"labels", lower(func(l *device.Buffer[uint32]) advance.Functor { return composed.NewLower(l) }),
		lower(func(l *device.Buffer[uint32]) advance.Functor { return &byhand.Lower{Label: l} })},
	{"pagerank", rank(func(x *traverse.Traversal, sum, rank, share *device.Buffer[float32], change *operators.Scalar[float64]) []operators.Step {
		return []operators.Step{reduce.In(pagerank.NewReceive(share, sum), nil),
			foreach.All(pagerank.NewUpdate(sum, rank, share, traverse.Degrees(x), damping, (1-damping)/float32(rank.Len())), change)}
	}), rank(func(x *traverse.Traversal, sum, rank, share *device.Buffer[float32], change *operators.Scalar[float64]) []operators.Step {
		return []operators.Step{reduce.In(&byhand.Sum{Values: share, Totals: sum}, nil),
			foreach.All(&byhand.Update{Sum: sum, Rank: rank, Share: share, Degree: traverse.Degrees(x), Damping: damping}, change)}
	})},
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
	if strings.HasPrefix(name, "kron") {
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
	engines := []traverse.Engine{traverse.LevelByLevel, traverse.Persistent}
	if dev.Info().Kind == device.Host {
		engines = engines[:1]
	}
	for _, c := range contests {
		if *only != "" && c.name != *only {
			continue
		}
		for _, e := range engines {
			if err := compete(ctx, p, name+" "+c.name, e, source, c.made, c.byHand); err != nil {
				return fmt.Errorf("%s, %s, %s: %w", name, c.name, e, err)
			}
		}
	}
	if *only != "" && *only != "bfs" {
		return p.Close()
	}
	o1, o2 := bfs.Options{}, dobfs.Options{Outputs: bfs.Depths | bfs.Parents}
	if dev.Info().Kind != device.Host {
		o1.Tuning.Coupling, o2.Tuning.Coupling = "expand-contract", "expand-contract"
	}
	plain := func() (*bfs.Result, error) { return bfs.Run(ctx, p, source, o1) }
	both := func() (*bfs.Result, error) { return dobfs.Run(ctx, p, source, o2) }
	if err := errors.Join(search(ctx, p, name+" bfs by depths", source, reach, plain), search(ctx, p, name+" bfs by bits", source, look, plain),
		search(ctx, p, name+" dobfs with parents", source, turn, both)); err != nil {
		return err
	}
	if err := direct(ctx, p, name); err != nil {
		return err
	}
	return p.Close()
}

// compete times two ways by turns.
func compete(ctx context.Context, p *graph.Placed, what string, e traverse.Engine, source uint32, ways ...run) error {
	one := func(w run, keep bool) ([]float64, float64, error) {
		x := traverse.New(ctx, p, traverse.Options{Engine: e})
		began := time.Now()
		all, err := w(x, source, keep)
		took := float64(time.Since(began).Microseconds()) / 1000
		return all, took, errors.Join(err, x.Close())
	}
	var first [2]float64
	var want []float64
	for i, w := range ways {
		all, took, err := one(w, true)
		if err != nil {
			return err
		}
		first[i] = took
		if i == 0 {
			want = all
		}
		for v := range all {
			if d := math.Abs(all[v] - want[v]); d > 1e-5*math.Abs(want[v]) {
				return fmt.Errorf("vertex %d has %v and %v", v, want[v], all[v])
			}
		}
		if _, _, err := one(w, false); err != nil {
			return err
		}
	}
	var times [2][]float64
	for range *trials {
		for i, w := range ways {
			_, took, err := one(w, false)
			if err != nil {
				return err
			}
			times[i] = append(times[i], took)
		}
	}
	report(what+", "+e.String(), times, first)
	return nil
}

func report(what string, times [2][]float64, first [2]float64) {
	for i := range times {
		slices.Sort(times[i])
	}
	a, b := times[0][len(times[0])/2], times[1][len(times[1])/2]
	fmt.Printf("%-34s in Go %9.3f ms (%.3f to %.3f), by hand %9.3f (%.3f to %.3f), ratio %.3f; the first %.0f and %.0f ms\n", what,
		a, times[0][0], times[0][len(times[0])-1], b, times[1][0], times[1][len(times[1])-1], a/b, first[0], first[1])
}

// reach searches by depths alone, look by a bitmap and depths.
func reach(x *traverse.Traversal, source uint32) *device.Buffer[int32] {
	depth := traverse.Array[int32](x, -1)
	traverse.Set(x, depth, source, 0)
	x.Repeat(x.From(source), advance.Push(composed.NewReach(depth)))
	return depth
}

func look(x *traverse.Traversal, source uint32) *device.Buffer[int32] {
	depth, seen := traverse.Array[int32](x, -1), traverse.Array[uint32](x, 0) // a word for each bit: longer than needed
	traverse.Set(x, depth, source, 0)
	traverse.Set(x, seen, source/32, 1<<(source%32))
	x.Repeat(x.From(source), advance.Push(composed.NewSearch(seen, depth)))
	return depth
}

// turn pushes small frontiers and pulls large ones, and notes depths and parents.
func turn(x *traverse.Traversal, source uint32) *device.Buffer[int32] {
	parent, depth := traverse.VertexIDs(x), traverse.Array[int32](x, -1)
	traverse.Set(x, depth, source, 0)
	seen, large := x.Bits(source), x.Placed().NumVertices()/pullAbove
	discover, adopt := composed.NewDiscover(parent, depth), composed.NewAdopt(parent, depth)
	for cur := x.From(source); x.Next(cur); {
		if cur.Len() < large {
			x.Do(cur, advance.Push(discover), filter.Unvisited(seen))
		} else {
			x.Do(cur, advance.Pull(adopt, seen))
		}
	}
	return depth
}

// pullAbove is the part of the vertices above which a frontier pulls, one in so many.
const pullAbove = 50

// search times a breadth-first search by functors in Go beside algos/bfs or algos/dobfs, level by
// level on a GPU.
func search(ctx context.Context, p *graph.Placed, what string, source uint32, way func(*traverse.Traversal, uint32) *device.Buffer[int32],
	rival func() (*bfs.Result, error)) error {
	var times [2][]float64
	var first [2]float64
	for i := range *trials + 2 {
		x := traverse.New(ctx, p, traverse.Options{Engine: traverse.LevelByLevel})
		began := time.Now()
		got, err := values(x, way(x, source), i == 0)
		a := float64(time.Since(began).Microseconds()) / 1000
		if err = errors.Join(err, x.Close()); err != nil {
			return err
		}
		began = time.Now()
		r, err := rival()
		if err != nil {
			return err
		}
		b := float64(time.Since(began).Microseconds()) / 1000
		if i == 0 {
			depths, err := r.Depths()
			if err != nil {
				return err
			}
			for v, d := range depths {
				if got[v] != float64(d) {
					return fmt.Errorf("%s: vertex %d has depth %v and %v", what, v, got[v], d)
				}
			}
			first = [2]float64{a, b}
		} else if i > 1 {
			times[0], times[1] = append(times[0], a), append(times[1], b)
		}
		r.Close()
	}
	report(what+", level by level", times, first)
	return nil
}

// direct times one call of an operator with All and Claim, in Go and by hand, without a
// traversal around it: a push from every vertex.
func direct(ctx context.Context, p *graph.Placed, name string) (err error) {
	s, err := p.Device().NewStream(ctx)
	if err != nil {
		return err
	}
	a, err := advance.New(s, p)
	if err != nil {
		return err
	}
	from, out, seen := frontier.New(p), frontier.New(p), frontier.New(p)
	bits, err := device.NewBuffer[uint32](p.Device(), (p.NumVertices()+31)/32)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, a.Close(), from.Close(), out.Close(), seen.Close(), bits.Close(), s.Close())
	}()
	if err := from.Fill(); err != nil {
		return err
	}
	zeros := make([]uint32, bits.Len())
	all := func(f advance.Functor) func() error {
		return func() error { _, err := a.Push(from, out, f); return err }
	}
	for _, c := range []struct {
		name     string
		clear    func() error
		push, by func() error
	}{
		{"all", func() error { return nil }, all(composed.NewAll()), all(advance.All())},
		{"claim", func() error { return errors.Join(bits.Write(p.Device(), 0, zeros), seen.Clear(frontier.Bitmap)) },
			all(composed.NewClaim(bits)), all(advance.Claim(seen))},
	} {
		var times [2][]float64
		var first [2]float64
		var found [2]int
		for i := range *trials + 1 {
			for j, push := range []func() error{c.push, c.by} {
				if err := errors.Join(c.clear(), s.Sync()); err != nil {
					return err
				}
				began := time.Now()
				if err := errors.Join(push(), s.Sync()); err != nil {
					return err
				}
				took := float64(time.Since(began).Microseconds()) / 1000
				if found[j] = out.Len(); i == 0 {
					first[j] = took
				} else {
					times[j] = append(times[j], took)
				}
			}
			if found[0] != found[1] {
				return fmt.Errorf("%s: push lets %d vertices through in Go, %d by hand", c.name, found[0], found[1])
			}
		}
		report(name+" push "+c.name, times, first)
	}
	return nil
}
