// This file holds the tests of functors written in Go that count edges, and of several kinds in
// one Repeat.

package conformance

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// composedMeet counts the edges out of all vertices that are reached: self-loops too, and nothing
// that isn't an edge.
func composedMeet(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	source := r.Uint32N(uint32(p.NumVertices()))
	count := traverse.Array[uint32](x, 0)
	traverse.Set(x, count, source, 1)
	x.Repeat(x.From(source), advance.Push(composed.NewMeet(count)))
	want := make([]uint32, p.NumVertices())
	want[source] = 1
	for queue := []uint32{source}; len(queue) > 0; queue = queue[1:] {
		for _, u := range p.Graph().Out().Neighbors(queue[0]) {
			if want[u]++; want[u] == 1 {
				queue = append(queue, u)
			}
		}
	}
	return same(x, count, want)
}

// composedAll has functors of several kinds in one Repeat, which the persistent engine runs in one
// kernel: reductions of 32 and of 64 bits, a visit, and a push or piles.
func composedAll(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	g, n, source := p.Graph(), p.NumVertices(), r.Uint32N(uint32(p.NumVertices()))
	if g.In() == nil {
		return nil
	}
	few, many := traverse.Array[int32](x, 1<<20), traverse.Array[uint64](x, 1<<40)
	lessFew, lessMany := traverse.Array[int32](x, -1), traverse.Array[uint64](x, 0)
	values := filled[int32](n, 1<<20)
	for range min(n, 20) {
		v := r.Uint32N(uint32(n))
		values[v] = int32(v)
		traverse.Set(x, few, v, int32(v))
		traverse.Set(x, many, v, 1<<20*uint64(v))
	}
	count := traverse.Array[uint32](x, 0)
	depth, dist := traverse.Array[int32](x, -1), traverse.Array[uint32](x, math.MaxUint32)
	traverse.Set(x, depth, source, 0)
	traverse.Set(x, dist, source, 0)
	far, near := x.Pile(), composed.NewNear(dist, 1+r.Uint32N(200))
	steps := []operators.Step{reduce.In(composed.NewLeast[int32, int64](few, lessFew), nil), reduce.In(composed.NewLeast[uint64, int64](many, lessMany), nil)}
	piles, both, visits := r.IntN(2) == 0, r.IntN(3) > 0, r.IntN(3) > 0
	if !both {
		steps = steps[:1]
	}
	if visits {
		steps = append(steps, advance.Visit(composed.NewArrivals(count)))
	}
	if piles {
		steps = append(steps, advance.PushNear(near, far), pile.Refill(far, near))
	} else {
		steps = append(steps, advance.Push(composed.NewReach(depth)))
	}
	x.Repeat(x.From(source), steps...)
	reached := filled[int32](n, -1)
	reached[source] = 0
	met, least, wide := make([]uint32, n), filled[int32](n, -1), make([]uint64, n)
	for queue := []uint32{source}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		least[v] = values[v]
		for _, u := range g.In().Neighbors(v) {
			least[v] = min(least[v], values[u])
		}
		wide[v] = 1 << 20 * uint64(least[v])
		for _, u := range g.Out().Neighbors(v) {
			if met[u]++; reached[u] < 0 {
				reached[u] = reached[v] + 1
				queue = append(queue, u)
			}
		}
	}
	err := same(x, lessFew, least)
	if both {
		err = errors.Join(err, same(x, lessMany, wide))
	}
	if piles { // a vertex may come several times
		return err
	}
	if visits {
		err = errors.Join(err, same(x, count, met))
	}
	return errors.Join(err, same(x, depth, reached))
}
