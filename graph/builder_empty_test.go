package graph

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
)

// TestEmptyBatches: a batch of nothing is no error, and its type, which may be the zero value, doesn't count.
func TestEmptyBatches(t *testing.T) {
	empty := []Batch{
		{}, {Vertices: true}, {Type: Int8}, {Src: []int64{}, Dst: []int64{}}, {SrcStrings: column(false), DstStrings: column(false)},
		{SrcStrings: &Strings{}, DstStrings: &Strings{}}, {Vertices: true, SrcStrings: column(true)}, {Type: Uint64, Logical: "x"},
	}
	for _, full := range []Batch{ints(Uint32, 1, 2), ints(Int64, 1, 1<<40), {SrcStrings: column(false, "a"), DstStrings: column(false, "b")}} {
		for _, o := range []Options{{}, {Weights: true, EdgeIDs: true, Bipartite: true}} {
			full.Weights, full.EdgeIDs = nil, nil
			if o.Weights {
				full.Weights, full.EdgeIDs = []float32{1}, []uint64{1}
			}
			g, err := buildBoth(t, o, append(append(append([]Batch{}, empty...), full), empty...)...)
			if err != nil {
				t.Fatal(err)
			}
			if want := g.IDs().Type; full.SrcStrings == nil && want != full.Type || g.NumEdges() != 1 || g.NumVertices() != 2 {
				t.Errorf("%d edges, %d vertices, ids of type %v", g.NumEdges(), g.NumVertices(), want)
			}
		}
	}
	if _, err := buildBoth(t, Options{}, empty...); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

func TestBuilderClosed(t *testing.T) {
	built, closed, failed := NewBuilder(Options{}), NewBuilder(Options{}), NewBuilder(Options{})
	if err := built.Add(ints(Int64, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := built.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := failed.Build(context.Background()); !errors.Is(err, ErrEmpty) {
		t.Fatal(err)
	}
	for _, b := range []*Builder{built, closed, failed} {
		_, err := b.Build(context.Background())
		for _, err := range []error{err, b.Add(ints(Int64, 1, 2)), b.Add(Batch{}), AddInts(b, []int8{1}, []int8{1}, nil), b.AddVertexStrings(Source, Strings{})} {
			if !errors.Is(err, device.ErrClosed) {
				t.Error(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := (*Builder)(nil).Close(); err != nil {
		t.Error(err)
	}
}
