package traverse_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/ktruss"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

// TestEdgeValuesMisuse: values that are closed, arrays of another kind, nil functors.
func TestEdgeValuesMisuse(t *testing.T) {
	p := fan()
	defer p.Close()
	g := p.Graph()
	x := traverse.New(t.Context(), p)
	b := traverse.EdgeArray(x, int32(7))
	r, err := traverse.EdgeResult(x, b)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := r.Slice(); err != nil || uint64(len(all)) != g.NumDirectedEdges() || all[0] != 7 {
		t.Fatal(all, err)
	}
	if err := errors.Join(r.Close(), r.Close(), (*traverse.EdgeValues[int32])(nil).Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Slice(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("closed values: %v", err)
	}
	if _, err := (*traverse.EdgeValues[int32])(nil).Slice(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("nil values: %v", err)
	}
	if _, err := traverse.EdgeResult(x, b); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("an array that was taken: %v", err)
	}
	if traverse.EdgeArray(x, int32(7)) != nil {
		t.Error("an array after an error")
	}
	x.Close()
	if need := (traverse.Memory{EdgeArrays: []int{4, 8}}).Bytes(p) - (traverse.Memory{}).Bytes(p); need != 12*g.NumDirectedEdges() {
		t.Errorf("two arrays of %d edges take %d bytes", g.NumDirectedEdges(), need)
	}
	for name, use := range map[string]func(x *traverse.Traversal) error{
		"an array per vertex": func(x *traverse.Traversal) error {
			_, err := traverse.EdgeResult(x, traverse.Array(x, int32(7)))
			return err
		},
		"an array per edge as one per vertex": func(x *traverse.Traversal) error {
			_, err := traverse.Result(x, traverse.EdgeArray(x, int32(7)))
			return err
		},
		"no functor": func(x *traverse.Traversal) error {
			x.Do(x.All(), intersect.Triangles(nil))
			return x.Err()
		},
	} {
		x := traverse.New(t.Context(), p)
		if err := use(x); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Log(err)
		}
		x.Close()
	}
}

// TestEdgeValuesKept: a Searcher's runs begin with the same array, in its first state, and its values stay after the next
// run.
func TestEdgeValuesKept(t *testing.T) {
	p := fan()
	defer p.Close()
	truss := map[*device.Buffer[uint32]]bool{}
	a := traverse.Algorithm[bool, *traverse.EdgeValues[uint32]]{Run: func(x *traverse.Traversal, twice bool) (*traverse.EdgeValues[uint32], error) {
		arrays := traverse.Kept(x, func() *[2]*device.Buffer[uint32] {
			return &[2]*device.Buffer[uint32]{traverse.EdgeArray[uint32](x, 0), traverse.EdgeArray[uint32](x, 0)}
		})
		truss[arrays[0]] = true
		step := intersect.Triangles(ktruss.NewSupport(arrays[0], arrays[1]))
		if x.Do(x.All(), step); twice {
			x.Do(x.All(), step)
		}
		return traverse.EdgeResult(x, arrays[1])
	}}
	s, err := traverse.NewSearcher(p, a, traverse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var before []uint32
	for i, twice := range []bool{false, true, false} {
		r, err := s.Run(t.Context(), twice)
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.Slice()
		if err != nil {
			t.Fatal(err)
		}
		most, want := slices.Max(all), uint32(2)
		if twice {
			want = 4
		}
		if most != want || i > 0 && slices.Max(before) != 6-want {
			t.Errorf("run %d: %v, before %v", i, all, before)
		}
		before = all
	}
	if len(truss) != 1 {
		t.Errorf("%d arrays in three runs", len(truss))
	}
}
