package reduce_test

import (
	"context"
	"math"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// share adds up what in-neighbors have. It is written by hand: rows come with their vertices.
type share struct{ of, to []float64 }

func (s *share) Gather(_ operators.Worker, rows []operators.Row, targets []uint32, out []float64) {
	for j, r := range rows {
		out[j] = 0
		for _, v := range targets[r.First : r.First+uint64(r.Len)] {
			out[j] += s.of[v]
		}
	}
}

func (*share) Join(a, b float64) float64 { return a + b }

func (s *share) Apply(_ operators.Worker, vs []uint32, totals []float64) (sum float64) {
	for i, v := range vs {
		s.to[v] += totals[i]
		sum += totals[i]
	}
	return sum
}

// TestTiles: every vertex of a frontier gets its total once, and the sum of all has the same bits
// for any number of workers.
func TestTiles(t *testing.T) {
	const most = 20_000
	g := testgraph.Skewed(most, 6, testgraph.Undirected).Graph(1)
	of := make([]float64, most)
	for v := range of {
		of[v] = 1 / float64(v+1)
	}
	type result struct {
		sum uint64
		to  []float64
	}
	want := map[int]result{}
	for _, workers := range []int{1, 2, 7, 16} {
		p := testgraph.Place(g, workers)
		for _, n := range []int{1, 15, 16, 17, 64, 300, 1023, 1024, 1025, 5000, most} {
			x := traverse.New(context.Background(), p)
			vs := make([]uint32, n)
			for i := range vs {
				vs[i] = uint32(i)
			}
			sum, s := traverse.Scalar[float64](x, operators.Sum), &share{of, make([]float64, most)}
			x.Do(x.From(vs...), reduce.In[float64, float64](s, sum))
			got := result{math.Float64bits(traverse.Get(x, sum)), s.to}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if workers == 1 {
				want[n] = got
				for v := range uint32(n) {
					total := 0.0
					for _, u := range g.In().Targets[g.In().Offsets[v]:g.In().Offsets[v+1]] {
						total += of[u]
					}
					if total != got.to[v] {
						t.Fatalf("%d vertices: vertex %d got %v, want %v", n, v, got.to[v], total)
					}
				}
				continue
			}
			if got.sum != want[n].sum {
				t.Errorf("%d workers, %d vertices: the sum is %v, with one worker %v", workers, n, math.Float64frombits(got.sum), math.Float64frombits(want[n].sum))
			}
			for v := range got.to {
				if got.to[v] != want[n].to[v] {
					t.Fatalf("%d workers, %d vertices: vertex %d got %v, want %v", workers, n, v, got.to[v], want[n].to[v])
				}
			}
		}
	}
}
