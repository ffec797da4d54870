package graph

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestNonNegative: a negative weight is refused where a parallel edge would hide it, in all forms of batches.
func TestNonNegative(t *testing.T) {
	ints := func(w ...int64) Batch {
		return Batch{Type: Int64, Src: []int64{1, 1}, Dst: []int64{2, 2}, IntWeights: w}
	}
	floats := func(w ...float64) Batch {
		return Batch{Type: Uint64, Src: []int64{-1, 1}, Dst: []int64{2, 2}, FloatWeights: w}
	}
	singles := func(w ...float32) Batch {
		text := &Strings{Offsets: []int64{0, 1, 2}, Data: []byte("ab")}
		return Batch{SrcStrings: text, DstStrings: text, Weights: w}
	}
	for name, c := range map[string]struct {
		b    Batch
		want string // "": it is fine
	}{
		"ints": {ints(5, 0), ""}, "a negative int": {ints(5, -1), "from 1 to 2 weighs -1"},
		"floats": {floats(0, 0.5), ""}, "a negative float": {floats(-0.5, 1), "from 18446744073709551615 to 2 weighs -0.5"}, "NaN": {floats(1, math.NaN()), "from 1 to 2 weighs NaN"},
		"singles": {singles(1, 2), ""}, "a negative single": {singles(1, -2), "from b to b weighs -2"},
	} {
		o := Options{Weights: true, Combine: CombineSum, NonNegative: true, Directed: true, KeepSelfLoops: true}
		build := func(o Options, twice bool) error {
			if twice {
				_, err := TwoPass(context.Background(), o, func(_ context.Context, yield func(Batch) error) error { return yield(c.b) })
				return err
			}
			b := NewBuilder(o)
			if err := b.Add(c.b); err != nil {
				return err
			}
			_, err := b.Build(context.Background())
			return err
		}
		for _, twice := range []bool{false, true} {
			err := build(o, twice)
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, two passes %t: %v", name, twice, err)
			}
		}
		o.NonNegative = false
		if err := build(o, false); err != nil {
			t.Errorf("%s, as they are: %v", name, err)
		}
	}
	b := NewBuilder(Options{Weights: true, NonNegative: true})
	if err := AddInts(b, []int64{1}, []int64{2}, []float32{-1}); !errors.Is(err, ErrWeights) {
		t.Error(err)
	}
}
