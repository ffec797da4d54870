package traverse_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/arrival"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// timed returns a directed graph of three vertices in a circle, with its reverse.
func timed(t *testing.T) *graph.Placed {
	t.Helper()
	b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, EdgeColumns: []string{"time", "duration"}})
	err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{0, 1, 2}, Dst: []int64{1, 2, 0}, Columns: []graph.Column{
		{Values: []int64{30, 10, 20}}, {Values: []int64{1, 2, 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFromSlice(t *testing.T) {
	p := timed(t)
	defer p.Close()
	x := traverse.New(context.Background(), p)
	defer x.Close()
	s := []float64{3, 1, 2}
	b, few := traverse.FromSlice(x, s), traverse.FromSlice(x, []uint32{7, 8})
	s[0] = 9 // it was copied
	if err := x.Sync(); err != nil || few.Len() != 2 || few.Host()[1] != 8 {
		t.Fatal(err)
	}
	r, err := traverse.Result(x, b)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Slice(); err != nil || !slices.Equal(got, []float64{3, 1, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestEdgeColumnDirection wants columns in the order of the step's edges, and an error for those of the other direction.
func TestEdgeColumnDirection(t *testing.T) {
	p := timed(t)
	defer p.Close()
	x := traverse.New(context.Background(), p)
	defer x.Close()
	out, in := traverse.EdgeColumn[int64](x, "time"), traverse.InEdgeColumn[int64](x, "time")
	if err := x.Err(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(out.Host(), []int64{30, 10, 20}) || !slices.Equal(in.Host(), []int64{20, 30, 10}) {
		t.Errorf("out %v, in %v", out.Host(), in.Host())
	}
	q, err := p.Reversed()
	if err != nil {
		t.Fatal(err)
	}
	z := traverse.New(context.Background(), q)
	defer z.Close()
	if back := traverse.EdgeColumn[int64](z, "time"); z.Err() != nil || !slices.Equal(back.Host(), []int64{20, 30, 10}) {
		t.Errorf("reversed: %v, %v", back.Host(), z.Err())
	}
	if back := traverse.InEdgeColumn[int64](z, "time"); z.Err() != nil || !slices.Equal(back.Host(), []int64{30, 10, 20}) {
		t.Errorf("reversed, in-edges: %v, %v", back.Host(), z.Err())
	}
	for _, c := range []struct {
		name string
		call func(*traverse.Traversal)
		want error
		text string
	}{
		{"type", func(x *traverse.Traversal) { traverse.EdgeColumn[float32](x, "time") }, graph.ErrNoColumn, "values of type []int64, not []float32"},
		{"name", func(x *traverse.Traversal) { traverse.EdgeColumn[int64](x, "tim") }, graph.ErrNoColumn, `did you mean "time"`},
		{"string", func(x *traverse.Traversal) { traverse.Code(x, "time", "x") }, graph.ErrNoColumn, "has no strings"},
		{"set", func(x *traverse.Traversal) {
			traverse.Set(x, traverse.EdgeColumn[int64](x, "time"), 0, 1)
		}, graph.ErrOptions, "which stays as it is"},
		{"vertex", func(x *traverse.Traversal) {
			out := traverse.EdgeColumn[int64](x, "time")
			x.Do(x.All(), advance.PushBits(arrival.NewRide(out, out, out)))
		}, graph.ErrOptions, "Arrival is the column"},
		{"by vertex", func(x *traverse.Traversal) {
			column, last := traverse.EdgeColumn[int64](x, "time"), traverse.EdgeColumn[int64](x, "duration")
			x.Do(x.All(), reduce.Out(composed.NewLatestInt64(column, last), nil))
		}, graph.ErrOptions, "column"},
		{"direction", func(x *traverse.Traversal) {
			in := traverse.InEdgeColumn[int64](x, "time")
			x.Do(x.All(), advance.PushBits(arrival.NewRide(traverse.Array[int64](x, 0), in, in)))
		}, graph.ErrOptions, "in the order of in-edges, but this step goes over out-edges"},
	} {
		y := traverse.New(context.Background(), p)
		c.call(y)
		if err := y.Close(); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestColumnsWithoutEdges: empty columns of both directions may have the same address.
func TestColumnsWithoutEdges(t *testing.T) {
	b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, DenseIDs: true, Vertices: 3, EdgeColumns: []string{"time"}, Merge: graph.MergeFirst})
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	x := traverse.New(t.Context(), p)
	out, in := traverse.EdgeColumn[int64](x, "time"), traverse.InEdgeColumn[int64](x, "time")
	ride := arrival.NewRide(traverse.Array[int64](x, 0), out, in)
	x.Do(x.All(), advance.PushBits(ride))
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// TestEdgeArrayUse: arrays of edges are refused where another number indexes them, for as long as the traversal has them.
func TestEdgeArrayUse(t *testing.T) {
	p := timed(t)
	defer p.Close()
	for _, c := range []struct {
		text string
		step func(x *traverse.Traversal) operators.Step
	}{
		{"", func(x *traverse.Traversal) operators.Step {
			return reduce.Out(composed.NewLatestInt64(traverse.EdgeArray[int64](x, 1), traverse.Array[int64](x, 0)), nil)
		}},
		{"in the order of out-edges, but this step goes over in-edges", func(x *traverse.Traversal) operators.Step {
			return reduce.In(composed.NewLatestInt64(traverse.EdgeArray[int64](x, 1), traverse.Array[int64](x, 0)), nil)
		}},
		{"in the order of out-edges, but this step goes over in-edges", func(x *traverse.Traversal) operators.Step {
			sums := traverse.PrefixSums(x, traverse.EdgeColumn[int64](x, "time"))
			return reduce.In(composed.NewLatestFloat64(sums, traverse.Array[float64](x, 0)), nil)
		}},
		{"the functor indexes it by a vertex", func(x *traverse.Traversal) operators.Step {
			return reduce.Out(composed.NewLatestInt64(traverse.EdgeArray[int64](x, 1), traverse.EdgeArray[int64](x, 0)), nil)
		}},
		{"", func(x *traverse.Traversal) operators.Step { // in the memory of those before
			return reduce.In(composed.NewLatestInt64(traverse.ArrayN[int64](x, 3, 1), traverse.Array[int64](x, 0)), nil)
		}},
	} {
		x := traverse.New(t.Context(), p)
		x.Do(x.All(), c.step(x))
		if err := x.Close(); c.text == "" && err != nil || c.text != "" && (!errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%v, want %q", err, c.text)
		}
	}
	x := traverse.New(t.Context(), p)
	taken := traverse.EdgeArray[int64](x, 1)
	at := taken.Pointer()
	r, err := traverse.EdgeResult(x, taken)
	if err != nil {
		t.Fatal(err)
	}
	if _, is := p.State().EdgesOf(at); is {
		t.Error("an array that was taken is still the traversal's")
	}
	if err := errors.Join(r.Close(), x.Close()); err != nil {
		t.Error(err)
	}
}
