// This file holds tests of functors written in Go where something is unusual: contexts that
// are canceled, traversals that are closed, graphs with next to nothing, one buffer for two
// fields.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// ComposedUse tests them.
func (s Suite) ComposedUse(t *testing.T) {
	place := func(t *testing.T, offsets []uint64, targets []uint32, weights []float32) *graph.Placed {
		g, err := graph.FromCSR(graph.CSR{Offsets: offsets, Targets: targets, Weights: weights}, graph.CSROptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		return p
	}
	each := func(t *testing.T, test func(o traverse.Options) error) {
		for _, e := range s.engines() {
			if err := test(traverse.Options{Engine: e}); err != nil {
				t.Errorf("%s: %v", e, err)
			}
		}
	}
	t.Run("within a level", func(t *testing.T) {
		p := place(t, []uint64{0, 1, 3, 5, 7, 8}, []uint32{1, 0, 2, 1, 3, 2, 4, 3}, nil) // a path
		each(t, func(o traverse.Options) error { return withinLevels(traverse.New(t.Context(), p, o)) })
	})
	t.Run("canceled", func(t *testing.T) {
		p := place(t, []uint64{0, 1, 2}, []uint32{1, 0}, nil) // there and back, for ever
		each(t, func(o traverse.Options) error {
			for _, after := range []time.Duration{0, 30 * time.Millisecond} {
				ctx, cancel := context.WithTimeout(t.Context(), after)
				x := traverse.New(ctx, p, o)
				x.Repeat(x.From(0), advance.Push(composed.NewAll()), filter.Unique())
				err := x.Close()
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					return fmt.Errorf("after %s: %w", after, err)
				}
			}
			x := traverse.New(t.Context(), p, o) // the next one isn't harmed
			label := traverse.VertexIDs(x)
			x.Repeat(x.All(), advance.Push(composed.NewLower(label)), filter.Unique())
			return errors.Join(same(x, label, []uint32{0, 0}), x.Close())
		})
	})
	t.Run("closed", func(t *testing.T) {
		p := place(t, []uint64{0, 1, 2}, []uint32{1, 0}, nil)
		each(t, func(o traverse.Options) error {
			x := traverse.New(t.Context(), p, o)
			label, cur := traverse.VertexIDs(x), x.All()
			f := composed.NewLower(label)
			x.Do(cur, advance.Push(f))
			if err := x.Close(); err != nil {
				return err
			}
			x.Do(cur, advance.Push(f))
			x.Repeat(cur, advance.Push(f), filter.Unique())
			if err := x.Err(); !errors.Is(err, device.ErrClosed) {
				return fmt.Errorf("closed: %w", err)
			}
			return nil
		})
	})
	for _, c := range []struct {
		name    string
		offsets []uint64
		targets []uint32
		weights []float32
	}{{"nobody", []uint64{0}, nil, nil}, {"one vertex", []uint64{0, 0}, nil, nil}, {"no edges", []uint64{0, 0, 0, 0}, nil, []float32{}}, {"loop", []uint64{0, 1}, []uint32{0}, []float32{2}}} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t, c.offsets, c.targets, c.weights)
			n := p.NumVertices()
			each(t, func(o traverse.Options) error {
				x := traverse.New(t.Context(), p, o)
				label, count, value := traverse.VertexIDs(x), traverse.Array[uint32](x, 0), traverse.Array(x, 1.0)
				x.Repeat(x.All(), advance.Push(composed.NewLower(label)), filter.Unique())
				x.Do(x.All(), advance.Visit(composed.NewArrivals(count)))
				sum := traverse.Scalar[float64](x, operators.Sum)
				x.Do(x.All(), foreach.All(composed.NewExcess(value, 0.5), sum))
				x.Repeat(x.All(), reduce.Out(composed.NewRank(traverse.Array[float32](x, 1), traverse.Array[float32](x, 1), traverse.Array[float32](x, 1), traverse.Degrees(x), 1, 0), nil), traverse.MaxRounds(2))
				x.Do(x.All(), filter.Keep(composed.NewBelow(count, 1)))
				if got := traverse.Get(x, sum); got != float64(n)/2 {
					return fmt.Errorf("sum %v of %d vertices; %w", got, n, x.Err())
				}
				want := make([]uint32, n)
				for _, v := range c.targets {
					want[v]++
				}
				return errors.Join(same(x, count, want), x.Close())
			})
		})
	}
	t.Run("one buffer", func(t *testing.T) {
		p := place(t, []uint64{0, 1, 3, 4}, []uint32{1, 0, 2, 1}, nil)
		each(t, func(o traverse.Options) error {
			x := traverse.New(t.Context(), p, o)
			value := traverse.Array[float32](x, 9)
			x.Repeat(x.All(), reduce.In(composed.NewLeast[float32, float64](value, value), nil), traverse.MaxRounds(3))
			if err := x.Close(); !errors.Is(err, graph.ErrOptions) || !strings.HasSuffix(err.Error(), "Value and Next are the same buffer, and the functor writes one of them; give it two") {
				return fmt.Errorf("one of two fields is written: %w", err)
			}
			return nil // fields that are only read may have one: PageRank's update has Strength twice
		})
	})
}

// withinLevels searches a path of five vertices, and in each level finds components by a Repeat, and another vertex's
// neighbors by a loop.
func withinLevels(x *traverse.Traversal) error {
	parent, depth := traverse.Array(x, ^uint32(0)), traverse.Array(x, int32(-1))
	traverse.Set(x, depth, 0, 0)
	seen, cur, levels := x.Bits(0), x.From(0), ""
	for x.Next(cur) {
		levels += fmt.Sprint(x.Level(), " ")
		x.Do(cur, advance.Push(composed.NewDiscover(parent, depth)), filter.Unvisited(seen))
		x.Repeat(x.From(4), advance.Push(composed.NewLower(traverse.VertexIDs(x))), filter.Unique())
		other := x.From(2)
		for x.Next(other) {
			x.Do(other, advance.Push(composed.NewAll()), filter.Unique())
			if x.Level() > 9 {
				break
			}
		}
	}
	err := equal(x, depth, []int32{0, 1, 2, 3, 4})
	if levels != "1 2 3 4 5 " {
		err = errors.Join(err, fmt.Errorf("levels %s", levels))
	}
	return errors.Join(err, x.Close())
}
