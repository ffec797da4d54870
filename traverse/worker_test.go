// This file tests the worker and the level that functors and predicates get.

package traverse_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// TestPredicateLevel: predicates find the traversal's level and their worker, with Repeat,
// with Do, outside both, and in the memory that a traversal before left.
func TestPredicateLevel(t *testing.T) {
	const n = 100_000
	p := testgraph.Place(testgraph.Skewed(n, 16, testgraph.Undirected).Graph(1), 4)
	for range 2 {
		x := traverse.New(t.Context(), p)
		var mu sync.Mutex
		var levels []int32
		all := filter.Func(func(w operators.Worker, in, out []uint32) int {
			mu.Lock()
			defer mu.Unlock()
			if levels = append(levels, w.Level); w.ID < 0 || w.ID > 3 || w.Alone && w.ID != 0 {
				t.Errorf("%+v", w)
			}
			if len(in) == 1 && !w.Alone {
				t.Error("a single vertex isn't dealt with alone")
			}
			return copy(out, in)
		})
		seen := func(what string, want ...int32) {
			if levels = slices.Compact(levels); !slices.Equal(levels, want) {
				t.Errorf("%s: levels %v, want %v", what, levels, want)
			}
			levels = nil
		}
		cur := x.From(0)
		x.Do(cur, filter.Keep(all))
		seen("before any level", 0)
		x.Repeat(cur, advance.Push(advance.All()), filter.Unique(), filter.Keep(all), traverse.MaxRounds(3))
		seen("a Repeat", 1, 2, 3)
		if x.Next(cur) {
			x.Do(cur, filter.Keep(all))
		}
		seen("after Next", 4)
		x.Repeat(cur, filter.Keep(all), traverse.MaxRounds(2))
		seen("another Repeat", 1, 2)
		if err := x.Err(); err != nil {
			t.Fatal(err)
		}
		x.Close()
	}
}
