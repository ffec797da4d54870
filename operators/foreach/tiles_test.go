package foreach_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// TestTiles: every vertex of a frontier is visited once, and a sum of floats has the same bits for
// any number of workers.
func TestTiles(t *testing.T) {
	const most = 70_000
	g := testgraph.Path(most).Graph(1)
	want := map[int]uint64{}
	for _, workers := range []int{1, 2, 7, 16} {
		p := testgraph.Place(g, workers)
		for _, n := range []int{0, 1, 63, 64, 65, 256, 257, 1000, 1024, 4095, 4096, 4097, 50_000, 65_536, most} {
			x := traverse.New(context.Background(), p)
			vs, times := make([]uint32, n), make([]atomic.Int32, most)
			for i := range vs {
				vs[i] = uint32(i)
			}
			sum := traverse.Scalar[float64](x, operators.Sum)
			x.Do(x.From(vs...), foreach.Each(foreach.Func[float64](func(w operators.Worker, vs []uint32) (sum float64) {
				for _, v := range vs {
					times[v].Add(1)
					sum += 1 / float64(v+1)
				}
				return sum
			}), sum))
			bits := math.Float64bits(traverse.Get(x, sum))
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			for v := range times {
				if visits := int(times[v].Load()); visits != 1 && v < n || visits != 0 && v >= n {
					t.Fatalf("%d workers: vertex %d of %d was visited %d times", workers, v, n, visits)
				}
			}
			if workers == 1 {
				want[n] = bits
			} else if bits != want[n] {
				t.Errorf("%d workers, %d vertices: the sum is %v, with one worker %v", workers, n, math.Float64frombits(bits), math.Float64frombits(want[n]))
			}
		}
	}
}
