// This file holds the tests of traversals over several devices whose frontiers are of some vertices.

package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/widest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/functors/compared"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// shardLoop is a traversal from a vertex: an array, as float64s, and a number.
type shardLoop struct {
	name  string
	exact bool // the array is the same in every run
	run   func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64)
}

// taken takes an array out of a traversal.
func taken[T uint32 | int32 | uint64 | float32 | float64](b func() (*traverse.Values[T], error)) func() ([]float64, error) {
	return func() (all []float64, err error) {
		v, err := b()
		if err != nil {
			return nil, err
		}
		a, err := v.Slice()
		for _, y := range a {
			all = append(all, float64(y))
		}
		return all, errors.Join(err, v.Close())
	}
}

var shardLoops = []shardLoop{
	{"lower", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		label := traverse.Array[uint32](x, 1<<31)
		traverse.Set(x, label, source, 7)
		x.Repeat(x.From(source), advance.Push(composed.NewLower(label)), filter.Unique())
		return taken(func() (*traverse.Values[uint32], error) { return traverse.Result(x, label) }), 0
	}},
	{"relax, duplicates and bits", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		dist := traverse.Array[float32](x, 1e9)
		traverse.Set(x, dist, source, 0)
		f := composed.NewRelax(dist, 300)
		cur := x.From(source, source)
		x.Repeat(cur, advance.Push(f), traverse.MaxRounds(3))
		for x.Next(cur) {
			x.Do(cur, advance.PushBits(f))
		}
		return taken(func() (*traverse.Values[float32], error) { return traverse.Result(x, dist) }), float64(cur.Len())
	}},
	{"widest", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		width := widest.Paths(x, source)
		return taken(func() (*traverse.Values[float32], error) { return traverse.Result(x, width) }), 0
	}},
	{"shorten integers", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		dist := traverse.Array[int32](x, 1<<30)
		traverse.Set(x, dist, source, -5)
		x.Repeat(x.From(source), advance.Push(composed.NewShorten(dist, 1<<20)), filter.Unique())
		return taken(func() (*traverse.Values[int32], error) { return traverse.Result(x, dist) }), 0
	}},
	{"hops", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		depth := traverse.Array[int32](x, -1)
		traverse.Set(x, depth, source, 0)
		cur := x.From(source)
		x.Repeat(cur, advance.Push(composed.NewHop(depth, 200)), traverse.MaxRounds(5))
		return taken(func() (*traverse.Values[int32], error) { return traverse.Result(x, depth) }), float64(cur.Len())
	}},
	{"reach", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		depth := traverse.Array[int32](x, -1)
		traverse.Set(x, depth, source, 0)
		seen, cur := x.Bits(source), x.From(source)
		for x.Next(cur) {
			x.Do(cur, advance.Push(composed.NewReach(depth)), filter.Unvisited(seen))
		}
		return taken(func() (*traverse.Values[int32], error) { return traverse.Result(x, depth) }), float64(seen.Len())
	}},
	{"every neighbor that wasn't seen", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		mark, seen, cur := traverse.Array[float64](x, 1), x.Bits(source), x.From(source)
		n := 0
		for x.Next(cur) {
			x.Do(cur, advance.Push(composed.NewAll()), filter.Unvisited(seen), foreach.Each(composed.NewDouble(mark), nil))
			n += cur.Len()
		}
		return taken(func() (*traverse.Values[float64], error) { return traverse.Result(x, mark) }), float64(n)
	}},
	{"low degrees", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		depth := traverse.Array[int32](x, -1)
		traverse.Set(x, depth, source, 0)
		x.Repeat(x.From(source), advance.Push(composed.NewReach(depth)), filter.Keep(composed.NewBelow(traverse.Degrees(x), 9)))
		all := x.All()
		x.Do(all, filter.Keep(composed.NewBelow(traverse.Degrees(x), 3)))
		return taken(func() (*traverse.Values[int32], error) { return traverse.Result(x, depth) }), float64(all.Len())
	}},
	{"least of neighbors", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		depth, next := traverse.Array[int32](x, 100), traverse.Array[int32](x, 100)
		traverse.Set(x, depth, source, 0)
		sum, cur := traverse.Scalar[int64](x, operators.Sum), x.From(source)
		for range 3 {
			x.Do(cur, advance.Push(composed.NewAll()), filter.Unique())
			x.Do(cur, reduce.Out(composed.NewLeast[int32, int64](next, depth), sum))
		}
		return taken(func() (*traverse.Values[int32], error) { return traverse.Result(x, depth) }), float64(traverse.Get(x, sum))
	}},
	{"arrivals", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		count := traverse.Array[uint32](x, 3)
		traverse.Set(x, count, source, 1<<31)
		cur := x.From(source)
		x.Do(cur, advance.Visit(composed.NewArrivals(count)), advance.Push(composed.NewAll()), filter.Unique(), advance.Visit(composed.NewArrivals(count)))
		x.Do(cur, advance.VisitAll(composed.NewArrivals(count)))
		return taken(func() (*traverse.Values[uint32], error) { return traverse.Result(x, count) }), float64(cur.Len())
	}},
	{"spread", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		count := traverse.Array(x, uint64(1<<40))
		cur := x.From(source)
		x.Do(cur, advance.VisitAll(compared.NewSpread(count)), advance.Visit(compared.NewSpread(count)))
		return taken(func() (*traverse.Values[uint64], error) { return traverse.Result(x, count) }), 0
	}},
	{"blend", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		from, into := traverse.Array(x, uint64(9)), traverse.Array(x, uint64(0))
		traverse.Set(x, from, source, 1<<40+4)
		x.Do(x.From(source), advance.VisitAll(composed.NewBlend(from, into)))
		return taken(func() (*traverse.Values[uint64], error) { return traverse.Result(x, into) }), 0
	}},
	{"entries of some", true, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		of := [2]*device.Buffer[uint32]{traverse.Array(x, uint32(1)), traverse.Array(x, uint32(source))}
		r, n, sum := rand.New(rand.NewPCG(uint64(source), 3)), uint32(x.Placed().NumVertices()), traverse.Scalar[uint64](x, operators.Sum)
		fronts, total := []*traverse.Frontier{x.From(source), x.From(r.Uint32N(n), r.Uint32N(n)), x.All()}, uint64(0)
		for range 30 {
			i := r.IntN(10) / 4
			cur := fronts[i]
			switch k := r.IntN(2); r.IntN(8) {
			case 0:
				x.Do(cur, advance.Push(composed.NewAll()), filter.Unique())
			case 1:
				x.Replace(cur, r.Uint32N(n), r.Uint32N(n), r.Uint32N(n))
			case 2:
				x.Do(cur, filter.Keep(composed.NewBelow(of[k], r.Uint32N(40))))
			case 3:
				traverse.Set(x, of[k], r.Uint32N(n), r.Uint32N(20))
			case 4:
				x.Fill(fronts[2])
			default:
				x.Do(cur, reduce.Out(compared.NewLearn(of[k], of[1-k]), sum))
				if r.IntN(2) == 0 {
					total += traverse.Get(x, sum)
				}
			}
		}
		return taken(func() (*traverse.Values[uint32], error) { return traverse.Result(x, of[0]) }), float64(total)
	}},
	{"discover", false, func(x *traverse.Traversal, source uint32) (func() ([]float64, error), float64) {
		parent, depth := traverse.Array(x, graph.NoVertex), traverse.Array[int32](x, -1)
		traverse.Set(x, depth, source, 0)
		x.Repeat(x.From(source), advance.Push(composed.NewDiscover(parent, depth)), filter.Unique())
		return taken(func() (*traverse.Values[uint32], error) { return traverse.Result(x, parent) }), 0
	}},
}

// ShardsPushes runs traversals over graphs that are divided into shards on several devices: arrays match the host's.
func (s Suite) ShardsPushes(t *testing.T) {
	s.shardsInputs(t, 151, testlong.Rounds(s.times(75, 3), s.times(3000, 40)), func(t *testing.T, r *rand.Rand) {
		g := s.shardsWeighted(t, r, shardsWeights[0])
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		onHost, err := g.On(host.New(2))
		if err != nil {
			t.Fatal(err)
		}
		source := r.Uint32N(uint32(g.NumVertices()))
		for _, l := range shardLoops {
			if err := l.compare(t, onHost, p, source); err != nil {
				t.Errorf("%s, %d vertices, %d edges, directed %v, from %d: %v", l.name, g.NumVertices(), g.NumEdges(), g.Directed(), source, err)
			}
		}
		if err := errors.Join(p.Close(), onHost.Close(), g.Close()); err != nil {
			t.Error(err)
		}
	})
}

func (l *shardLoop) on(t *testing.T, p *graph.Placed, source uint32) (all []float64, x float64, err error) {
	search := func(t *traverse.Traversal, source uint32) (int, error) {
		result, number := l.run(t, source)
		if t.Err() != nil {
			return 0, t.Err()
		}
		var err error
		all, err = result()
		x = number
		return 0, err
	}
	a := traverse.Algorithm[uint32, int]{Name: l.name, Run: search, RunShards: search}
	_, err = traverse.Run(t.Context(), p, a, source, traverse.Options{Engine: traverse.LevelByLevel})
	return all, x, err
}

func (l *shardLoop) compare(t *testing.T, onHost, p *graph.Placed, source uint32) error {
	want, number, err := l.on(t, onHost, source)
	if err != nil {
		return fmt.Errorf("on the host: %w", err)
	}
	for range 2 {
		got, x, err := l.on(t, p, source)
		if err != nil {
			return err
		}
		if x != number {
			return fmt.Errorf("it comes to %v, want %v", x, number)
		}
		if !l.exact {
			if err := discovered(p, got, source); err != nil {
				return err
			}
			continue
		}
		if !slices.Equal(got, want) {
			for v := range want {
				if got[v] != want[v] {
					return fmt.Errorf("vertex %d has %v, want %v", v, got[v], want[v])
				}
			}
		}
	}
	return nil
}

// discovered checks parents, which are numbers of the devices' own.
func discovered(p *graph.Placed, parents []float64, source uint32) error {
	g := p.Graph()
	want := oracle.Depths(g.Out(), source)
	for v, number := range parents {
		switch {
		case want[v] <= 0:
			if number != float64(graph.NoVertex) {
				return fmt.Errorf("vertex %d at depth %d has a parent", v, want[v])
			}
			continue
		case number == float64(graph.NoVertex):
			return fmt.Errorf("vertex %d at depth %d has no parent", v, want[v])
		}
		u := run.ShardsOf(p).Vertex(uint32(number))
		row := g.Out().Targets[g.Out().Offsets[u]:g.Out().Offsets[u+1]]
		if want[u] != want[v]-1 || !slices.Contains(row, uint32(v)) {
			return fmt.Errorf("vertex %d has parent %d", v, u)
		}
	}
	return nil
}
