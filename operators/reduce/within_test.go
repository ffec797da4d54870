package reduce_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// nearest is the least sum of a neighbor's key and the weight of the edge from it.
type nearest struct {
	key, result *device.Buffer[float32]
	weights     []float32 // of in-edges
	edges       atomic.Int64
}

func (f *nearest) Gather(_ operators.Worker, rows []operators.Row, targets []uint32, out []float32) {
	for i, r := range rows {
		out[i] = float32(math.Inf(1))
		for e := r.First; e < r.First+uint64(r.Len); e++ {
			out[i] = min(out[i], f.key.Host()[targets[e]]+f.weights[e])
		}
		f.edges.Add(int64(r.Len))
	}
}

func (*nearest) Join(a, b float32) float32 { return min(a, b) }

func (f *nearest) Apply(_ operators.Worker, vs []uint32, totals []float32) int64 {
	for i, v := range vs {
		f.result.Host()[v] = totals[i]
	}
	return int64(len(vs))
}

// The nearest neighbor, over rows by rising weight: after the edge of weight 2 that of weight 9
// isn't looked at.
func ExampleInByWeight() {
	p := testgraph.Placed(graph.Options{Directed: true, Reverse: true}, []int64{0, 1, 1}, []int64{2, 2, 3}, 2, 9, 4)
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	key, result := traverse.Array(t, float32(1)), traverse.Array(t, float32(0))
	bound := traverse.Array(t, float32(math.Inf(1))) // no better value is known before
	f := &nearest{key: key, result: result, weights: p.Graph().In().Weights}
	t.Do(t.All(), reduce.InByWeight(f, reduce.Within{Key: bound, Least: 1}, nil))
	fmt.Println(result.Host(), t.Err())
	// Output: [0 0 3 5] <nil>
}

// TestArraysMisused: an array that is closed, or in the memory of another device, is device.ErrClosed or device.ErrNotSupported.
func TestArraysMisused(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{0, 0}, []int64{1, 2}, 4, 5)
	closed, closedKey := device.Wrap(make([]uint32, 3)), device.Wrap(make([]float32, 3))
	if err := errors.Join(closed.Close(), closedKey.Close()); err != nil {
		t.Fatal(err)
	}
	within := func(key *device.Buffer[float32]) operators.Step {
		return reduce.InByWeight[int64](&nearest{}, reduce.Within{Key: key}, nil)
	}
	of := device.Wrap(make([]uint32, 3))
	for what, c := range map[string]struct {
		step operators.Step
		want error
	}{
		"no values":       {reduce.Mode(nil, of, nil), operators.ErrFunctor},
		"closed values":   {reduce.Mode(closed, of, nil), device.ErrClosed},
		"a closed target": {reduce.Mode(of, closed, nil), device.ErrClosed},
		"values on a GPU": {reduce.Mode(discrete.View[uint32](1<<20, 3), of, nil), device.ErrNotSupported},
		"few values":      {reduce.Mode(device.Wrap(make([]uint32, 2)), of, nil), operators.ErrFunctor},
		"no key":          {within(nil), operators.ErrFunctor},
		"a closed key":    {within(closedKey), device.ErrClosed},
		"a key on a GPU":  {within(discrete.View[float32](1<<20, 3)), device.ErrNotSupported},
	} {
		x := traverse.New(t.Context(), p)
		x.Do(x.All(), c.step)
		if err := x.Close(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}

// TestInWithin compares with all edges, and says that many aren't looked at.
func TestInWithin(t *testing.T) {
	for _, name := range []string{"skewed-reverse", "hubs", "uniform-undirected", "one", "isolated"} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 4))
			g := testgraph.ByName(name).Graph(7)
			in := *g.In()
			in.Weights = make([]float32, len(in.Targets))
			for v := range in.NumVertices() {
				row := in.Weights[in.Offsets[v]:in.Offsets[v+1]]
				for i := range row {
					row[i] = float32(r.IntN(400)) / 4
				}
				slices.Sort(row)
			}
			rows, o := in, graph.CSROptions{}
			if g.Directed() {
				out := *g.Out()
				out.Weights = make([]float32, len(out.Targets)) // rows need not ascend in this direction
				rows, o = out, graph.CSROptions{In: &in, Directed: true}
			}
			g, err := graph.FromCSR(rows, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 3} {
				p, err := g.On(host.New(workers))
				if err != nil {
					t.Fatal(err)
				}
				for range 10 {
					x := traverse.New(t.Context(), p)
					least := float32(r.IntN(10))
					key, bound, result := traverse.Array(x, float32(0)), traverse.Array(x, float32(0)), traverse.Array(x, float32(-1))
					for v := range key.Host() {
						key.Host()[v], bound.Host()[v] = least+float32(r.IntN(100)), []float32{float32(r.IntN(100)), float32(math.Inf(1))}[r.IntN(2)]
					}
					f := &nearest{key: key, result: result, weights: in.Weights}
					cur := x.All()
					if r.IntN(2) == 0 {
						cur = x.From(uint32(r.IntN(g.NumVertices())))
					}
					vs, count := cur.Vertices(), traverse.Scalar[int64](x, operators.Sum)
					x.Do(cur, reduce.InByWeight(f, reduce.Within{Key: bound, Least: least}, count))
					applied, all := int64(0), 0
					for _, v := range vs {
						want, got := bound.Host()[v], result.Host()[v]
						for e := in.Offsets[v]; e < in.Offsets[v+1]; e++ {
							want = min(want, key.Host()[in.Targets[e]]+in.Weights[e])
						}
						if got >= 0 {
							applied++
						} else {
							got = bound.Host()[v]
						}
						if min(got, bound.Host()[v]) != want {
							t.Fatalf("vertex %d: %v, want %v", v, got, want)
						}
						all += int(in.Offsets[v+1] - in.Offsets[v])
					}
					if n := traverse.Get(x, count); n != applied {
						t.Fatalf("%d vertices, want %d", n, applied)
					}
					if n := f.edges.Load(); name == "hubs" && all > 20000 && n > int64(all)/4*3 {
						t.Fatalf("%d of %d edges were looked at", n, all)
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

func TestInWithinMisuse(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{0, 0}, []int64{1, 2}, 5, 4)
	none := testgraph.Placed(graph.Options{}, []int64{0, 0}, []int64{1, 2})
	oneWay := testgraph.Placed(graph.Options{Directed: true}, []int64{0}, []int64{1}, 5)
	for i, test := range []struct {
		p    *graph.Placed
		key  bool
		want error
	}{{p, true, graph.ErrOptions}, {none, true, graph.ErrNoWeights}, {oneWay, true, graph.ErrNoReverse}, {p, false, operators.ErrFunctor}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			x := traverse.New(t.Context(), test.p)
			defer x.Close()
			var w reduce.Within
			if test.key {
				w.Key = traverse.Array(x, float32(0))
			}
			x.Do(x.From(0), reduce.InByWeight[int64](&nearest{}, w, nil))
			if !errors.Is(x.Err(), test.want) {
				t.Errorf("%v, want %v", x.Err(), test.want)
			}
		})
	}
}
