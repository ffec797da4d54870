// This file tests how many levels are kept, and what they sum up to.

package search

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAddLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(137, 1))
	for _, n := range []int{0, 1, singleLevels, singleLevels + 1, mostLevels, mostLevels + 1, 3*mostLevels + 7, 200_000} {
		var all, kept []Level
		for i := range n {
			l := Level{Depth: int32(i), Levels: 1, Frontier: r.IntN(100), Edges: r.Uint64N(1000), Seconds: float64(r.IntN(8)), Form: "queue"}
			all = append(all, l)
			kept = addLevel(kept, l)
		}
		if len(kept) > mostLevels || n <= mostLevels && len(kept) != n || n > mostLevels && len(kept) < mostLevels*3/4-1 {
			t.Errorf("%d entries of %d levels", len(kept), n)
		}
		if cap(kept) > 2*mostLevels {
			t.Errorf("room for %d entries of %d levels", cap(kept), n)
		}
		if m := min(n, singleLevels); !slices.Equal(kept[:m], all[:m]) {
			t.Errorf("the first of %d levels have changed", n)
		}
		at := 0
		for i, l := range kept {
			want := all[at]
			for _, next := range all[at+1 : at+l.Levels] {
				want.add(next)
			}
			if l != want {
				t.Fatalf("entry %d of %d levels is %+v, want %+v", i, n, l, want)
			}
			if at += l.Levels; i >= singleLevels && i < len(kept)-1 && l.Levels != kept[singleLevels].Levels {
				t.Errorf("entry %d stands for %d levels, others for %d", i, l.Levels, kept[singleLevels].Levels)
			}
		}
		if at != n {
			t.Errorf("%d levels are left of %d", at, n)
		}
	}
}
