// This file tests sums of weights along rows, random walks by them, and local arrays, against naive loops.

package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

// Walks tests sums by weights and by columns of all types, and weighted random walks.
func (s Suite) Walks(t *testing.T) {
	s.shapes(t, 191, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		p = weighed(t, p, r)
		c := p.Graph().Out()
		for _, e := range s.engines() {
			x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
			err := errors.Join(summed(x, traverse.WeightSums(x), c.FloatWeight),
				prefixed[uint32](x, "kind"), prefixed[uint64](x, "u64"), prefixed[float32](x, "f32"), prefixed[float64](x, "f64"), prefixed[int64](x, "time"))
			if err := errors.Join(err, x.Close()); err != nil {
				t.Fatalf("%s: %v", e, err)
			}
			for range 3 {
				seed, length := r.Uint64(), r.Uint64N(20)
				x = traverse.New(t.Context(), p, traverse.Options{Engine: e})
				err := equal(x, walks.Visits(x, seed, length), visits(c, seed, length))
				if err := errors.Join(err, x.Close()); err != nil {
					t.Fatalf("%s: walks of %d steps, seed %d: %v", e, length, seed, err)
				}
			}
		}
	})
}

// weighed returns a graph with columns and weights, some of which are zero.
func weighed(t *testing.T, p *graph.Placed, r *rand.Rand) *graph.Placed {
	p = columned(t, p, r)
	g := p.Graph()
	c := *g.Out()
	c.Weights = make([]float32, c.NumEdges())
	for e := range c.Weights {
		if r.IntN(3) > 0 {
			c.Weights[e] = float32(math.Ldexp(r.Float64(), r.IntN(30)))
		}
	}
	with, err := graph.FromCSR(c, graph.CSROptions{Directed: true, EdgeColumns: g.EdgeColumns()}) // both directions of an undirected edge have different weights
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

// prefixed compares sums by a column.
func prefixed[T device.Elem](x *traverse.Traversal, name string) error {
	c, err := x.Placed().Graph().EdgeColumn(name)
	if err != nil {
		return err
	}
	values := c.Values.([]T)
	return summed(x, traverse.PrefixSums(x, traverse.EdgeColumn[T](x, name)), func(e uint64) float64 { return float64(values[e]) })
}

// summed compares sums with those of a loop.
func summed(x *traverse.Traversal, sums *device.Buffer[float64], weight func(e uint64) float64) error {
	if err := x.Sync(); err != nil {
		return err
	}
	c := x.Placed().Graph().Out()
	got := make([]float64, c.NumEdges())
	if err := sums.Read(x.Placed().Device(), 0, got); err != nil {
		return err
	}
	for v := range c.NumVertices() {
		sum := 0.0
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			if sum += weight(e); got[e] != sum {
				return fmt.Errorf("the sum up to edge %d is %v, want %v", e, got[e], sum)
			}
		}
	}
	return nil
}

// visits is walks.Visits by naive loops.
func visits(c *graph.CSR, seed, length uint64) []uint32 {
	visits := make([]uint32, c.NumVertices())
	for v := range visits {
		at := uint32(v)
		for step := range length {
			all, sum, next := 0.0, 0.0, -1
			for e := c.Offsets[at]; e < c.Offsets[at+1]; e++ {
				all += c.FloatWeight(e)
			}
			for e := c.Offsets[at]; e < c.Offsets[at+1] && next < 0; e++ {
				if sum += c.FloatWeight(e); sum > all*random.Float64(seed, uint64(v), step) {
					next = int(c.Targets[e])
				}
			}
			if next < 0 {
				break
			}
			at = uint32(next)
			visits[at]++
		}
	}
	return visits
}

// Arrays tests a functor with local arrays, and calls of another package.
func (s Suite) Arrays(t *testing.T) {
	s.shapes(t, 193, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		c, seed := p.Graph().Out(), r.Uint64()
		for _, e := range s.engines() {
			x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
			offsets, targets := traverse.Rows(x)
			remainder, mixed := traverse.Array[uint32](x, 9), traverse.Array[uint64](x, 0)
			total := traverse.Scalar[uint64](x, operators.Sum)
			x.Do(x.All(), foreach.All(composed.NewCommonest(offsets, targets, remainder, mixed, seed), total))
			wantRemainder, wantMixed, want := commonest(c, seed)
			if got := traverse.Get(x, total); x.Err() == nil && got != want {
				t.Errorf("%s: %d neighbors have the commonest remainder, want %d", e, got, want)
			}
			err := equal(x, remainder, wantRemainder)
			if err = errors.Join(err, x.Close()); err != nil {
				t.Fatalf("%s: %v", e, err)
			}
			x = traverse.New(t.Context(), p, traverse.Options{Engine: e})
			offsets, targets = traverse.Rows(x)
			remainder, mixed = traverse.Array[uint32](x, 9), traverse.Array[uint64](x, 0)
			x.Do(x.All(), foreach.All(composed.NewCommonest(offsets, targets, remainder, mixed, seed), nil))
			if err := errors.Join(equal(x, mixed, wantMixed), x.Close()); err != nil {
				t.Fatalf("%s: %v", e, err)
			}
		}
	})
}

// commonest is what composed.Commonest computes, in another way.
func commonest(c *graph.CSR, seed uint64) (remainder []uint32, mixed []uint64, total uint64) {
	for v := range uint32(c.NumVertices()) {
		counts, first := map[uint32]uint64{}, []uint64{}
		for i, u := range c.Neighbors(v) {
			counts[u%8]++
			if i < 4 {
				first = append(first, random.Uint64(seed, uint64(v), uint64(i))^uint64(u))
			}
		}
		first = append(first, make([]uint64, 4-len(first))...)
		best := uint32(8)
		for i := range uint32(8) {
			if counts[i] > counts[best] {
				best = i
			}
		}
		for i := 3; i > 0; i-- {
			j := random.Below(uint64(i+1), seed, uint64(v), uint64(4+i))
			first[i], first[j] = first[j], first[i]
		}
		x := uint64(0)
		for _, y := range first {
			x = x*31 + y
		}
		remainder, mixed, total = append(remainder, best), append(mixed, x), total+counts[best]
	}
	return remainder, mixed, total
}
