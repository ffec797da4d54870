// This file tests how many levels are kept, and what they sum up to.

package bfs

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/traverse"
)

// TestLevelFields: Level begins with the fields of traverse.Level.
func TestLevelFields(t *testing.T) {
	own, shared := reflect.VisibleFields(reflect.TypeFor[Level]()), reflect.VisibleFields(reflect.TypeFor[traverse.Level]())
	for i, f := range shared {
		if own[i].Name != f.Name || own[i].Type != f.Type {
			t.Errorf("field %d is %s %v, in traverse.Level %s %v", i, own[i].Name, own[i].Type, f.Name, f.Type)
		}
	}
}

func TestAddLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(137, 1))
	for _, n := range []int{0, 1, run.SingleLevels, run.SingleLevels + 1, run.MostLevels, run.MostLevels + 1, 3*run.MostLevels + 7, 200_000} {
		var all, kept []Level
		for i := range n {
			l := Level{Level: i + 1, Levels: 1, Frontier: r.IntN(100), Edges: r.Uint64N(1000), Took: time.Duration(r.IntN(8)), Form: "queue"}
			all = append(all, l)
			kept = addLevel(kept, l)
		}
		if len(kept) > run.MostLevels || n <= run.MostLevels && len(kept) != n || n > run.MostLevels && len(kept) < run.MostLevels*3/4-1 {
			t.Errorf("%d entries of %d levels", len(kept), n)
		}
		if cap(kept) > 2*run.MostLevels {
			t.Errorf("room for %d entries of %d levels", cap(kept), n)
		}
		if m := min(n, run.SingleLevels); !slices.Equal(kept[:m], all[:m]) {
			t.Errorf("the first of %d levels have changed", n)
		}
		at := 0
		for i, l := range kept {
			want := all[at]
			for _, next := range all[at+1 : at+l.Levels] {
				want = want.plus(next)
			}
			if l != want {
				t.Fatalf("entry %d of %d levels is %+v, want %+v", i, n, l, want)
			}
			if at += l.Levels; i >= run.SingleLevels && i < len(kept)-1 && l.Levels != kept[run.SingleLevels].Levels {
				t.Errorf("entry %d stands for %d levels, others for %d", i, l.Levels, kept[run.SingleLevels].Levels)
			}
		}
		if at != n {
			t.Errorf("%d levels are left of %d", at, n)
		}
	}
}
