// This file tests columns of edges in functors, against naive loops.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/arrival"
	"github.com/foray-graph/foray/examples/typedpath"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Columns tests columns of all types, in both directions, and traversals that read them.
func (s Suite) Columns(t *testing.T) {
	s.shapes(t, 173, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		p = columned(t, p, r)
		for i, e := range s.engines() {
			x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
			err := errors.Join(latest[int32](x, "i32"), latest[uint32](x, "kind"), latest[int64](x, "time"), latest[uint64](x, "u64"), latest[float32](x, "f32"), latest[float64](x, "f64"))
			if err := errors.Join(err, x.Close()); err != nil {
				t.Fatalf("%s: %v", e, err)
			}
			if p.NumVertices() == 0 {
				continue
			}
			source := uint32(r.IntN(p.NumVertices()))
			x = traverse.New(t.Context(), p, traverse.Options{Engine: e})
			err = equal(x, arrival.Times(x, source, 40), arrivals(p.Graph(), source, 40))
			if err := errors.Join(err, x.Close()); err != nil {
				t.Fatalf("%s: arrivals from %d: %v", e, source, err)
			}
			x = traverse.New(t.Context(), p, traverse.Options{Engine: e})
			err = equal(x, typedpath.Ends(x, source, 1, 0), ends(p.Graph(), source, 1, 0))
			if err := errors.Join(err, x.Close()); err != nil {
				t.Fatalf("%s: paths from %d: %v", e, source, err)
			}
			if i > 0 {
				continue
			}
			if err := reachedIn(t.Context(), p, source); err != nil {
				t.Fatalf("reach from %d: %v", source, err)
			}
		}
	})
}

// reachedIn compares the searches of package reach with those on one thread.
func reachedIn(ctx context.Context, p *graph.Placed, source uint32) error {
	o := reach.Options{Sources: []uint32{source}, Departure: 40, Duration: "duration"}
	for _, o.Expression = range []string{"(a|b,.)+,b?", "a*,b"} {
		depths, err := reach.Match(ctx, p, o)
		if err != nil {
			return err
		}
		all, err := depths.Slice()
		if err := errors.Join(err, reach.ValidateMatch(ctx, p.Graph(), o, all), depths.Close()); err != nil {
			return err
		}
	}
	times, err := reach.Arrivals(ctx, p, o)
	if err != nil {
		return err
	}
	all, err := times.Slice()
	return errors.Join(err, reach.ValidateArrivals(ctx, p.Graph(), o, all), times.Close())
}

// columned returns a graph with random columns.
func columned(t *testing.T, p *graph.Placed, r *rand.Rand) *graph.Placed {
	t.Helper()
	g := p.Graph()
	o := graph.CSROptions{Directed: g.Directed(), EdgeColumns: edgeColumns(g, r)}
	if g.Directed() {
		o.In = g.In()
	}
	with, err := graph.FromCSR(*g.Out(), o)
	if err != nil {
		t.Fatal(err)
	}
	placed, err := with.On(p.Device())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := placed.Close(); err != nil {
			t.Error(err)
		}
	})
	return placed
}

// edgeColumns returns random columns of all types.
func edgeColumns(g *graph.Graph, r *rand.Rand) []graph.Column {
	m := int(g.NumDirectedEdges())
	i32, kinds, times, takes, u64, f32, f64 := make([]int32, m), make([]uint32, m), make([]int64, m), make([]int64, m), make([]uint64, m), make([]float32, m), make([]float64, m)
	for e := range m {
		i32[e], kinds[e], times[e], takes[e] = int32(r.Uint32()), r.Uint32N(2), r.Int64N(100), r.Int64N(10)
		u64[e], f32[e], f64[e] = r.Uint64(), r.Float32(), r.Float64()
	}
	return []graph.Column{
		{Name: "i32", Values: i32}, {Name: "time", Values: times}, {Name: "duration", Values: takes}, {Name: "u64", Values: u64}, {Name: "f32", Values: f32}, {Name: "f64", Values: f64},
		{Name: "kind", Values: kinds, Dictionary: &graph.Strings{Offsets: []int64{0, 1, 2}, Data: []byte("ab")}},
	}
}

// latest compares the greatest value of a column over out-edges, and in-edges if the graph has its reverse.
func latest[T int32 | uint32 | int64 | uint64 | float32 | float64](x *traverse.Traversal, name string) error {
	g := x.Placed().Graph()
	c, err := g.EdgeColumn(name)
	if err != nil {
		return err
	}
	values := c.Values.([]T)
	least := values[:0:0]
	for range g.NumVertices() {
		least = append(least, T(0))
	}
	in := append([]T(nil), least...)
	seenOut, seenIn := make([]bool, len(least)), make([]bool, len(least))
	out := g.Out()
	for v := range uint32(out.NumVertices()) {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			u := out.Targets[e]
			if !seenOut[v] || values[e] > least[v] {
				least[v], seenOut[v] = values[e], true
			}
			if !seenIn[u] || values[e] > in[u] {
				in[u], seenIn[u] = values[e], true
			}
		}
	}
	check := func(step func(f reduce.Functor[T, uint64]) operators.Step, column *device.Buffer[T], want []T, seen []bool) error {
		last := traverse.Array(x, T(0))
		if x.Err() != nil {
			return x.Err()
		}
		x.Do(x.All(), step(composed.NewLatest(column, last)))
		r, err := traverse.Result(x, last)
		if err != nil {
			return err
		}
		got, err := r.Slice()
		for v := range got {
			if seen[v] && got[v] != want[v] {
				err = errors.Join(err, fmt.Errorf("%s: vertex %d has %v, want %v", name, v, got[v], want[v]))
				break
			}
		}
		return errors.Join(err, r.Close())
	}
	err = check(func(f reduce.Functor[T, uint64]) operators.Step { return reduce.Out(f, nil) }, traverse.EdgeColumn[T](x, name), least, seenOut)
	if err == nil && g.Directed() && g.HasReverse() { // rows of an undirected graph here have other values in each direction
		err = check(func(f reduce.Functor[T, uint64]) operators.Step { return reduce.In(f, nil) }, traverse.InEdgeColumn[T](x, name), in, seenIn)
	}
	return err
}

// equal compares an array of a traversal.
func equal[T device.Elem](x *traverse.Traversal, b *device.Buffer[T], want []T) error {
	if x.Err() != nil {
		return x.Err()
	}
	r, err := traverse.Result(x, b)
	if err != nil {
		return err
	}
	got, err := r.Slice()
	for v := range got {
		if got[v] != want[v] {
			err = errors.Join(err, fmt.Errorf("vertex %d has %v, want %v", v, got[v], want[v]))
			break
		}
	}
	return errors.Join(err, r.Close())
}

// arrivals is arrival.Times by a naive loop.
func arrivals(g *graph.Graph, source uint32, start int64) []int64 {
	columns, out, at := g.EdgeColumns(), g.Out(), make([]int64, g.NumVertices())
	time, takes := columns[1].Values.([]int64), columns[2].Values.([]int64)
	for v := range at {
		at[v] = math.MaxInt64
	}
	at[source] = start
	for changed := true; changed; {
		changed = false
		for v := range at {
			for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
				if there := time[e] + takes[e]; at[v] <= time[e] && there < at[out.Targets[e]] {
					at[out.Targets[e]], changed = there, true
				}
			}
		}
	}
	return at
}

// ends is typedpath.Ends by a naive loop.
func ends(g *graph.Graph, source, along, last uint32) []uint32 {
	columns, out, found := g.EdgeColumns(), g.Out(), make([]uint32, g.NumVertices())
	kind, seen, queue := columns[6].Values.([]uint32), map[uint32]bool{source: true}, []uint32{source}
	for ; len(queue) > 0; queue = queue[1:] {
		for e := out.Offsets[queue[0]]; e < out.Offsets[queue[0]+1]; e++ {
			u := out.Targets[e]
			if kind[e] == last {
				found[u] = 1
			}
			if kind[e] == along && !seen[u] {
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	return found
}
