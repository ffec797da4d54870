package filter_test

import (
	"context"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// TestKeepOfAll: the step goes through all vertices, and keeps their order.
func TestKeepOfAll(t *testing.T) {
	for _, n := range []int{1, 1000, 1024, 1025, 2049, 30_000} {
		for _, workers := range []int{1, 2, 7} {
			p := testgraph.Place(testgraph.Path(n).Graph(1), workers)
			x := traverse.New(context.Background(), p)
			cur, again := x.All(), x.All()
			odd := filter.Func(func(_ operators.Worker, in, out []uint32) int {
				k := 0
				for _, v := range in {
					if v%3 == 1 {
						out[k] = v
						k++
					}
				}
				return k
			})
			x.Do(cur, filter.Keep(odd))
			x.Do(again, filter.Keep(filter.Func(func(_ operators.Worker, in, out []uint32) int { return copy(out, in) })))
			var want []uint32
			for v := 1; v < n; v += 3 {
				want = append(want, uint32(v))
			}
			if got := cur.Vertices(); !slices.Equal(got, want) {
				t.Errorf("%d vertices, %d workers: kept %d, want %d", n, workers, len(got), len(want))
			}
			if got := again.Vertices(); len(got) != n || !slices.IsSorted(got) {
				t.Errorf("%d vertices, %d workers: kept %d of all", n, workers, len(got))
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
