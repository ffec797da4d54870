// This file holds the tests of functors with type parameters.

package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/functor"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// meters is a named type with the values of float32.
type meters float32

// composedGeneric shortens paths, in two of the types that distances may have; over all graphs
// each type has its turn.
func composedGeneric(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	source := r.Uint32N(uint32(p.NumVertices()))
	all := []func(*graph.Placed, uint32, *traverse.Traversal) error{
		shorten[int32], shorten[uint32], shorten[int64], shorten[uint64], shorten[float32], shorten[float64], shorten[meters],
	}
	first := r.IntN(len(all))
	return errors.Join(all[first](p, source, x), all[(first+1)%len(all)](p, source, x))
}

// shorten is a traversal that is generic itself.
func shorten[T device.Elem](p *graph.Placed, source uint32, x *traverse.Traversal) error {
	const most = 1 << 20
	dist := traverse.Array[T](x, most)
	traverse.Set(x, dist, source, 0)
	x.Repeat(x.From(source), advance.Push(composed.NewShorten(dist, most)), filter.Unique())
	want := filled[T](p.NumVertices(), most)
	want[source] = 0
	g := p.Graph().Out()
	if err := same(x, dist, fixpoint(g, want, func(d T, e uint64) T { return d + T(g.Weights[e]) })); err != nil {
		return fmt.Errorf("%T: %w", want[0], err)
	}
	return nil
}

// composedGenericReduce takes the least of neighbors.
func composedGenericReduce(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	if p.Graph().In() == nil {
		return nil
	}
	all := []func(*graph.Placed, *rand.Rand, *traverse.Traversal) error{least[int32, int64], least[uint64, int64], least[float32, float64]}
	return all[r.IntN(len(all))](p, r, x)
}

func least[T int32 | uint64 | float32, V int64 | float64](p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	n, in := p.NumVertices(), p.Graph().In()
	value, next := traverse.Array[T](x, 1<<20), traverse.Array[T](x, 0)
	before, want := filled[T](n, 1<<20), make([]T, n)
	for range min(n, 20) {
		v := r.Uint32N(uint32(n))
		before[v] = T(r.Uint32N(1 << 20))
		traverse.Set(x, value, v, before[v])
	}
	change := traverse.Scalar[V](x, operators.Sum)
	x.Do(x.All(), reduce.In(composed.NewLeast[T, V](value, next), change))
	var sum V
	for v := range want {
		want[v] = before[v]
		for _, u := range in.Neighbors(uint32(v)) {
			want[v] = min(want[v], before[u])
		}
		sum += V(before[v]) - V(want[v])
	}
	if got := traverse.Get(x, change); got != sum {
		return fmt.Errorf("%T: values got less by %v, want %v; %w", sum, got, sum, x.Err())
	}
	return same(x, next, want)
}

// Far tests indices of 64 bits: an index that doesn't fit into a fault's bits is reported as the nearest one that does.
func (s Suite) Far(t *testing.T) {
	s.some(t, 173, []string{"path"}, func(t *testing.T, p *graph.Placed, _ *rand.Rand) {
		if p.NumVertices() > 200 {
			return
		}
		const most = 1<<47 - 1
		for _, e := range s.engines() {
			for _, err := range []error{
				far(t, p, e, int64(-1), -1, "index -1 of Mark"), far(t, p, e, int64(most-1), most-1, "index 140737488355326 of Mark"),
				far(t, p, e, int64(most+1), most, "index 140737488355327 or more of Mark"), far(t, p, e, int64(1<<62), most, "or more of Mark"),
				far(t, p, e, int64(-1<<47-1), -1<<47, "index -140737488355328 or less of Mark"), far(t, p, e, int64(math.MinInt64), -1<<47, "or less of Mark"),
				far(t, p, e, uint64(1<<62), most, "or more of Mark"), far(t, p, e, uint64(math.MaxUint64), most, "or more of Mark"),
				far(t, p, e, uint64(1<<40), 1<<40, "index 1099511627776 of Mark"),
			} {
				if err != nil {
					t.Errorf("%s: %v", e, err)
				}
			}
		}
	})
}

func far[T int64 | uint64](t *testing.T, p *graph.Placed, e traverse.Engine, at T, index int64, want string) error {
	x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
	x.Repeat(x.All(), foreach.All(composed.NewFar(traverse.Array[uint32](x, 0), at), nil), traverse.MaxRounds(1))
	err := x.Close()
	var fault *functor.Fault
	if !errors.As(err, &fault) || fault.Index != index || !strings.Contains(err.Error(), want+" is out of range") {
		return fmt.Errorf("at %d: %w, want index %d, %s", at, err, index, want)
	}
	return nil
}
