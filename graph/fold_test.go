package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
)

// TestFold combines the values of two parallel edges, up to the limits of their type.
func TestFold(t *testing.T) {
	inf, none := math.Inf(1), math.NaN()
	for _, c := range []struct {
		values any
		by     Combine
		want   string // of the column; "": ErrWeights
	}{
		{[]int32{math.MaxInt32, 1}, CombineSum, ""},
		{[]int32{math.MinInt32, -1}, CombineSum, ""},
		{[]int32{math.MinInt32, math.MaxInt32}, CombineSum, "[-1]"},
		{[]uint32{math.MaxUint32, 1}, CombineSum, ""},
		{[]uint32{math.MaxUint32 - 1, 1}, CombineSum, "[4294967295]"},
		{[]int64{math.MaxInt64, 1}, CombineSum, ""},
		{[]int64{math.MinInt64, -1}, CombineSum, ""},
		{[]int64{math.MinInt64, math.MaxInt64}, CombineSum, "[-1]"},
		{[]uint64{math.MaxUint64, 1}, CombineSum, ""},
		{[]uint64{1 << 63, 1<<63 - 1}, CombineSum, "[18446744073709551615]"},
		{[]float32{math.MaxFloat32, math.MaxFloat32}, CombineSum, ""},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, CombineSum, ""},
		{[]float64{inf, 1}, CombineSum, "[+Inf]"},
		{[]float64{math.Copysign(0, -1), math.Copysign(0, -1)}, CombineSum, "[-0]"},
		{[]float64{none, 1}, CombineMin, "[1]"},
		{[]float64{none, 1}, CombineMax, "[NaN]"},
		{[]float32{0.1, 0.2}, CombineSum, "[0.3]"},
		{[]int32{-5, 3}, CombineMax, "[3]"},
		{[]uint64{7, math.MaxUint64}, CombineMin, "[7]"},
		{[]int64{9, 2}, CombineFirst, "[9]"},
	} {
		b := NewBuilder(Options{Directed: true, EdgeColumns: []string{"a"}, Fold: map[string]Combine{"a": c.by}})
		if err := b.Add(Batch{Src: []int64{0, 0}, Dst: []int64{1, 1}, Columns: []Column{{Values: c.values}}}); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		switch {
		case c.want == "":
			if !errors.Is(err, ErrWeights) {
				t.Errorf("%v of %v: %v, want ErrWeights", c.by, c.values, err)
			}
		case err != nil:
			t.Errorf("%v of %v: %v", c.by, c.values, err)
		default:
			if got := fmt.Sprint(g.EdgeColumns()[0].Values); got != c.want {
				t.Errorf("%v of %v: %s, want %s", c.by, c.values, got, c.want)
			}
		}
	}
	for _, logical := range []string{"bool", "date32", "timestamp[us]", "time64[us]"} {
		b := NewBuilder(Options{EdgeColumns: []string{"a"}, Fold: map[string]Combine{"a": CombineSum}})
		if err := b.Add(Batch{Src: []int64{0, 0}, Dst: []int64{1, 1}, Columns: []Column{{Values: []uint32{1, 1}, Logical: logical}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Build(context.Background()); !errors.Is(err, ErrOptions) {
			t.Errorf("sum of %s: %v", logical, err)
		}
	}
	b := NewBuilder(Options{EdgeColumns: []string{"a"}, Merge: MergeFirst, Fold: map[string]Combine{"a": CombineMin}})
	if err := b.Add(Batch{Src: []int64{0, 1}, Dst: []int64{1, 0}, Columns: []Column{{Values: Strings{Offsets: []int64{0, 1, 2}, Data: []byte("xy")}}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(context.Background()); !errors.Is(err, ErrOptions) {
		t.Errorf("the least of strings: %v", err)
	}
}

// TestFoldsBesideWeights combines weights and columns of the same edges, of undirected and directed graphs.
func TestFoldsBesideWeights(t *testing.T) {
	for _, o := range []Options{{}, {Directed: true}, {Directed: true, Reverse: true, Workers: 2}} {
		o.Weights, o.Combine, o.EdgeIDs, o.EdgeColumns, o.Merge, o.MergeBy = true, CombineSum, true, []string{"a", "b"}, MergeGreatest, "a"
		o.Fold = map[string]Combine{"b": CombineSum}
		b := NewBuilder(o)
		err := b.Add(Batch{Src: []int64{0, 0, 1, 0}, Dst: []int64{1, 1, 2, 1}, IntWeights: []int64{1 << 40, 5, 7, 2}, EdgeIDs: []uint64{70, 60, 50, 40},
			Columns: []Column{{Values: []int32{1, 9, 4, 3}}, {Values: []int64{10, 20, 30, 40}}}})
		if err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		v, _ := g.Vertex(int64(0))
		e := g.Out().Offsets[v]
		a, _ := g.EdgeColumn("a")
		sums, _ := g.EdgeColumn("b")
		if g.Degree(v) != 1 || g.Out().IntWeight(e) != 1<<40+7 || g.Out().EdgeIDs[e] != 60 || a.Values.([]int32)[e] != 9 || sums.Values.([]int64)[e] != 70 {
			t.Errorf("%+v: weight %d, id %d, columns %v %v", o, g.Out().IntWeight(e), g.Out().EdgeIDs[e], a.Values, sums.Values)
		}
		if o.Reverse {
			w, _ := g.Vertex(int64(1))
			if e := g.In().Offsets[w]; g.In().IntWeight(e) != 1<<40+7 || g.In().EdgeIDs[e] != 60 {
				t.Errorf("reverse: weight %d, id %d", g.In().IntWeight(e), g.In().EdgeIDs[e])
			}
		}
		if s := g.Stats(); s.Combined != CombineSum {
			t.Errorf("%+v", s)
		}
	}
}
