// This file holds the tests of accumulators of functors written in Go.

package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// is compares a scalar with the expected value, bit for bit: 0 isn't -0.
func is[T operators.Number](x *traverse.Traversal, name string, s *operators.Scalar[T], want T) error {
	got := traverse.Get(x, s)
	if err := x.Err(); err != nil {
		return err
	}
	if got != want || math.Signbit(float64(got)) != math.Signbit(float64(want)) {
		return fmt.Errorf("%s is %v, want %v", name, got, want)
	}
	return nil
}

// accumulatedValues visits vertices, all or none, whose values include NaN and zeros of both signs.
func accumulatedValues(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	n := p.NumVertices()
	value, values := traverse.Array(x, math.NaN()), filled(n, math.NaN())
	for range r.IntN(20) {
		v := r.IntN(n)
		values[v] = []float64{0, math.Copysign(0, -1), -1.5, 2, math.Inf(-1), math.Inf(1), 1e-310}[r.IntN(7)]
		traverse.Set(x, value, uint32(v), values[v])
	}
	some, low, high := traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[float64](x, operators.Min), traverse.Scalar[float64](x, operators.Max)
	into := traverse.Scalar[float64](x, operators.Max)
	cur := x.All()
	if r.IntN(4) == 0 {
		cur, values = x.From(), nil
		x.Do(cur, foreach.Each(composed.NewValues(value, some, low, high), into))
	} else if r.IntN(2) == 0 {
		x.Repeat(cur, foreach.Each(composed.NewValues(value, some, low, high), into), traverse.MaxRounds(2))
	} else {
		x.Do(cur, foreach.All(composed.NewValues(value, some, low, high), into))
	}
	// Go's own: the method called for each vertex.
	naive := composed.Values{Value: values}
	for v := range values {
		naive.Vertex(traverse.Vertex{ID: uint32(v)})
	}
	count, least, most := uint64(0), math.Inf(1), math.Inf(-1)
	for _, y := range values {
		if y > 0 {
			count += 2
		}
		if y+0 < least {
			least = y + 0
		}
		if y+0 > most {
			most = y + 0
		}
	}
	if a, b, c := naive.Some.Value(), naive.Least.Value(), naive.Most.Value(); a != count || b != least || c != most {
		return fmt.Errorf("by Go itself they are %v, %v, %v, want %v, %v, %v", a, b, c, count, least, most)
	}
	return errors.Join(is(x, "Some", some, count), is(x, "Least", low, least), is(x, "Most", high, most))
}

// accumulatedOdd filters.
func accumulatedOdd(p *graph.Placed, _ *rand.Rand, x *traverse.Traversal) error {
	even, bits := traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[int64](x, operators.Or)
	cur, degrees := x.All(), traverse.Degrees(x)
	x.Do(cur, filter.Keep(composed.NewOdd(degrees, even, bits)))
	count, union := uint64(0), int64(0)
	for v := range p.NumVertices() {
		d := p.Graph().Out().Degree(uint32(v))
		union |= int64(d)
		if d%2 == 0 {
			count++
		}
	}
	if got := cur.Len(); got != p.NumVertices()-int(count) {
		return fmt.Errorf("%d vertices stay, want %d; %w", got, p.NumVertices()-int(count), x.Err())
	}
	return errors.Join(is(x, "Even", even, count), is(x, "Bits", bits, union))
}

// accumulatedWeigh reduces over edges.
func accumulatedWeigh(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	edges, most := traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[float64](x, operators.Max)
	count := traverse.Scalar[uint64](x, operators.Sum)
	sums := traverse.Array[float32](x, -1)
	f := composed.NewWeigh(sums, edges, most)
	cur, n := x.All(), p.NumVertices()
	step := reduce.Out(f, count)
	in := p.Graph().In() != nil && r.IntN(2) == 0
	if in {
		step = reduce.In(f, count)
	}
	if r.IntN(2) == 0 {
		x.Do(cur, step)
	} else {
		x.Repeat(cur, step, traverse.MaxRounds(2))
	}
	wrong := errors.Join(is(x, "Edges", edges, p.Graph().NumDirectedEdges()), is(x, "what vertices return", count, uint64(n)))
	all, err := read(x, sums)
	if err != nil {
		return err
	}
	high := math.Inf(-1)
	for _, s := range all {
		high = max(high, float64(s))
	}
	return errors.Join(wrong, is(x, "Most", most, high))
}

// accumulatedExtent visits vertices by a functor with a type parameter.
func accumulatedExtent(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	value := int64(r.IntN(7) - 3)
	least, most, count := traverse.Scalar[int64](x, operators.Min), traverse.Scalar[float64](x, operators.Max), traverse.Scalar[uint64](x, operators.Sum)
	x.Do(x.All(), foreach.All(composed.NewExtent(traverse.Array(x, value), least, most, count), nil))
	low := traverse.Scalar[float64](x, operators.Min)
	err := errors.Join(is(x, "Least", least, value), is(x, "Most", most, float64(value)), is(x, "Count", count, uint64(p.NumVertices())))
	x.Do(x.All(), foreach.All(composed.NewExtent(traverse.Array(x, -0.5), low, most, count), nil))
	return errors.Join(err, is(x, "Least", low, -0.5), is(x, "Most", most, -0.5))
}

// read copies an array, after the steps before have ended.
func read[T device.Elem](x *traverse.Traversal, b *device.Buffer[T]) ([]T, error) {
	all := make([]T, b.Len())
	if h := b.Host(); h != nil {
		return append(all[:0], h...), x.Err()
	}
	return all, errors.Join(x.Err(), b.Read(x.Placed().Device(), 0, all))
}

// Accumulators tests functors with accumulators.
func (s Suite) Accumulators(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error
	}{
		{"sweep", accumulatedSweep}, {"spans", accumulatedSpans}, {"values", accumulatedValues}, {"odd", accumulatedOdd}, {"weigh", accumulatedWeigh},
		{"foster", accumulatedFoster}, {"spread", accumulatedSpread}, {"later", accumulatedLater}, {"extent", accumulatedExtent},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.shapes(t, 173, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
				p = weighted(t, p, r)
				for _, e := range s.engines() {
					if e == traverse.Persistent && test.name == "foster" {
						continue // pulls run level by level
					}
					for range s.times(3, 2) {
						x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
						err := test.run(p, r, x)
						if err = errors.Join(err, x.Close()); err != nil {
							t.Fatalf("%s: %v", e, err)
						}
					}
				}
			})
		})
	}
}
