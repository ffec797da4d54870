package graph_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// TestInduced takes parts of graphs with ids of every form, weights and ids of edges.
func TestInduced(t *testing.T) {
	csr := func() graph.CSR {
		return graph.CSR{Offsets: []uint64{0, 2, 4, 6, 7}, Targets: []uint32{1, 2, 0, 3, 0, 2, 1},
			Weights: []float32{1, 2, 3, 4, 5, 6, 7}, EdgeIDs: []uint64{10, 20, 30, 40, 50, 60, 70}}
	}
	for _, ids := range []*graph.IDs{
		nil,
		{Type: graph.Uint16, Len: 4, Dense32: []uint32{3, 1, 0, 2}},
		{Type: graph.Int32, Len: 4, Ints: []int64{-5, 7, 9, 0}, Logical: "date32", Sides: []uint64{0b1010}},
		{Type: graph.String, Len: 4, StringOffsets: []uint64{0, 1, 1, 4, 6}, Data: []byte("abcdef")},
	} {
		in := graph.CSR{Offsets: []uint64{0, 2, 4, 6, 7}, Targets: []uint32{1, 2, 0, 3, 0, 2, 1}}
		g, err := graph.FromCSR(csr(), graph.CSROptions{In: &in, Directed: true, IDs: ids})
		if err != nil {
			t.Fatal(err)
		}
		sub, err := g.InducedSubgraph([]uint32{0, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		out := sub.Out()
		if !slices.Equal(out.Offsets, []uint64{0, 1, 3, 3}) || !slices.Equal(out.Targets, []uint32{1, 0, 1}) ||
			!slices.Equal(out.Weights, []float32{2, 5, 6}) || !slices.Equal(out.EdgeIDs, []uint64{20, 50, 60}) {
			t.Errorf("rows %+v", out)
		}
		if !sub.Directed() || !slices.Equal(sub.In().Targets, []uint32{1, 0, 1}) || sub.In().Weights != nil {
			t.Errorf("the reverse: %+v", sub.In())
		}
		for i, v := range []uint32{0, 2, 3} {
			if got, want := sub.IDs().Format(uint32(i)), g.IDs().Format(v); got != want {
				t.Errorf("vertex %d has id %s, want %s", i, got, want)
			}
		}
		none, err := g.InducedSubgraph(nil)
		if err != nil || none.NumVertices() != 0 || none.NumEdges() != 0 {
			t.Error(none, err)
		}
		if _, err := g.InducedSubgraph([]uint32{1, 4}); !errors.Is(err, graph.ErrNoVertex) {
			t.Error(err)
		}
		for _, vs := range [][]uint32{{1, 0}, {2, 2}} {
			if _, err := g.InducedSubgraph(vs); !errors.Is(err, graph.ErrOptions) {
				t.Error(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := g.InducedSubgraph([]uint32{1}); !errors.Is(err, device.ErrClosed) {
			t.Error(err)
		}
	}
	if _, err := (*graph.Graph)(nil).InducedSubgraph(nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}
