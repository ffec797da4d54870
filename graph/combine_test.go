package graph

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCombineExactly: sums keep the type of the weights, also where float32 holds no sum although it holds every
// weight.
func TestCombineExactly(t *testing.T) {
	ctx := context.Background()
	for _, order := range []Order{OrderGiven, OrderDegree, OrderAuto} {
		o := Options{Directed: true, Reverse: true, Weights: true, Combine: CombineSum, Order: order}
		b := NewBuilder(o)
		batch := Batch{Type: Int64, Src: []int64{1, 1, 1, 2, 2, 2}, Dst: []int64{2, 2, 2, 3, 3, 1},
			IntWeights: []int64{1 << 24, 1, 1 << 40, math.MaxInt64 - 5, 5, 7}}
		if err := b.Add(batch); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*CSR{g.Out(), g.In()} {
			sum := int64(0)
			for e := range c.NumEdges() {
				if w := c.IntWeight(e); w != 1<<24+1+1<<40 && w != math.MaxInt64 && w != 7 {
					t.Errorf("order %v: weight %d", order, w)
				} else if w != math.MaxInt64 {
					sum += w
				}
			}
			if c.NumEdges() != 3 || sum != 1<<24+1+1<<40+7 {
				t.Errorf("order %v: %d edges, sum %d", order, c.NumEdges(), sum)
			}
		}
		if s := g.Stats(); s.Duplicates != 3 || s.Combined != CombineSum || g.WeightType() != WeightsInt64 {
			t.Errorf("order %v: %+v, %v", order, s, g.WeightType())
		}
	}
	b := NewBuilder(Options{Weights: true, Combine: CombineSum})
	if err := b.Add(Batch{Type: Int64, Src: []int64{1, 2}, Dst: []int64{2, 1}, IntWeights: []int64{math.MaxInt64, 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(ctx); !errors.Is(err, ErrWeights) {
		t.Errorf("a sum past 64 bits: %v", err)
	}

	// Floats: 0.1 added up a thousand times, in one pass and in two, in any order of the batches.
	r := rand.New(rand.NewPCG(4, 41))
	want := 0.0
	for range 1000 {
		want += 0.1
	}
	read := func(_ context.Context, yield func(Batch) error) error {
		for left := 1000; left > 0; {
			n := min(left, 1+r.IntN(300))
			left -= n
			e := Batch{Type: Int64, Src: make([]int64, n), Dst: make([]int64, n), FloatWeights: make([]float64, n)}
			for i := range n {
				e.Dst[i], e.FloatWeights[i] = 1, 0.1
			}
			if err := yield(e); err != nil {
				return err
			}
		}
		return nil
	}
	o := Options{Weights: true, Combine: CombineSum}
	b = NewBuilder(o)
	if err := read(ctx, b.Add); err != nil {
		t.Fatal(err)
	}
	one, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	two, err := TwoPass(ctx, o, read)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*Graph{one, two} {
		if w := g.Out().FloatWeight(0); w != want || g.NumEdges() != 1 {
			t.Errorf("%d edges, weight %v, want %v", g.NumEdges(), w, want)
		}
	}
	more, err := one.Append(ctx, two, AppendOptions{Combine: CombineSum})
	if err != nil {
		t.Fatal(err)
	}
	if w := more.Out().FloatWeight(0); w != 2*want {
		t.Errorf("appended: weight %v, want %v", w, 2*want)
	}
	most, err := one.Append(ctx, more, AppendOptions{Combine: CombineMax})
	if err != nil {
		t.Fatal(err)
	}
	if w := most.Out().FloatWeight(0); w != 2*want {
		t.Errorf("the largest weight is %v, want %v", w, 2*want)
	}
}
