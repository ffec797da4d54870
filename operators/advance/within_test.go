package advance_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/traverse"
)

// ascending returns a graph with weights that ascend in each row, some of them equal.
func ascending(t *testing.T, c testgraph.Case, r *rand.Rand) *graph.Graph {
	t.Helper()
	out := *c.Graph(7).Out()
	out.Weights = make([]float32, len(out.Targets))
	for v := range out.NumVertices() {
		row := out.Weights[out.Offsets[v]:out.Offsets[v+1]]
		for i := range row {
			row[i] = float32(r.IntN(40)) / 4
		}
		slices.Sort(row)
	}
	g, err := graph.FromCSR(out, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPushWithin compares the edges that are visited with those that are within.
func TestPushWithin(t *testing.T) {
	for _, name := range []string{"skewed-directed", "hubs", "star", "one", "isolated", "path"} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 3))
			g := ascending(t, testgraph.ByName(name), r)
			for _, workers := range []int{1, 3} {
				p, err := g.On(host.New(workers))
				if err != nil {
					t.Fatal(err)
				}
				for range 10 {
					x := traverse.New(t.Context(), p)
					key := traverse.Array(x, float32(0))
					for v := range key.Host() {
						key.Host()[v] = []float32{float32(r.IntN(50)) / 5, float32(math.Inf(1))}[r.IntN(4)/3]
					}
					w := advance.Within{Key: key, Above: float32(r.IntN(8) - 1), Most: float32(r.IntN(14))}
					cur, vs := x.All(), []uint32(nil)
					for v := range uint32(g.NumVertices()) {
						vs = append(vs, v)
					}
					if r.IntN(2) == 0 {
						r.Shuffle(len(vs), func(i, j int) { vs[i], vs[j] = vs[j], vs[i] })
						vs = vs[:r.IntN(len(vs)+1)]
						cur = x.From(vs...)
					}
					var want []uint32
					for _, v := range vs {
						for e := g.Out().Offsets[v]; e < g.Out().Offsets[v+1]; e++ {
							if d := key.Host()[v] + g.Out().Weights[e]; d > w.Above && d <= w.Most {
								want = append(want, g.Out().Targets[e])
							}
						}
					}
					x.Do(cur, advance.PushByWeight(advance.All(), w))
					got := cur.Vertices()
					slices.Sort(got)
					if slices.Sort(want); !slices.Equal(got, want) {
						t.Fatalf("%d workers, %v to %v: %d edges, want %d (%v)", workers, w.Above, w.Most, len(got), len(want), x.Err())
					}
					if err := x.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestPushWithinMisuse(t *testing.T) {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0}, []int64{1, 2}, 5, 4)
	none := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0}, []int64{1, 2})
	closed := device.Wrap([]float32{0, 0, 0})
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		p    *graph.Placed
		key  *device.Buffer[float32]
		want error
	}{
		{p, device.Wrap([]float32{0, 0, 0}), graph.ErrOptions}, {none, device.Wrap([]float32{0, 0, 0}), graph.ErrNoWeights}, {p, nil, operators.ErrFunctor},
		{p, closed, device.ErrClosed}, {p, discrete.View[float32](1<<20, 3), device.ErrNotSupported},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			x := traverse.New(t.Context(), test.p)
			defer x.Close()
			x.Do(x.From(0), advance.PushByWeight(advance.All(), advance.Within{Key: test.key}))
			if !errors.Is(x.Err(), test.want) {
				t.Errorf("%v, want %v", x.Err(), test.want)
			}
		})
	}
}

// TestWindowsMisuse: windows over an array that is closed, or in the memory of another device, say so.
func TestWindowsMisuse(t *testing.T) {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0}, []int64{1, 2}, 4, 5)
	closed := device.Wrap([]float32{0, 0, 0})
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		key  *device.Buffer[float32]
		want error
	}{
		"no key":         {nil, graph.ErrOptions},
		"a closed key":   {closed, device.ErrClosed},
		"a key on a GPU": {discrete.View[float32](1<<20, 3), device.ErrNotSupported},
	} {
		x := traverse.New(t.Context(), p)
		x.Windows(advance.WindowOptions{Key: c.key, Width: 1, Most: 10, PullCost: 1})
		if err := x.Close(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}
