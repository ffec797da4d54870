package graph

import (
	"context"
	"errors"
	"testing"
)

func TestBuildSmall(t *testing.T) {
	b := NewBuilder(Options{Order: OrderDegree})
	if err := AddInts(b, []int32{7, 7, -3, 9, 7}, []int32{-3, 9, 7, 9, 12}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if g.NumVertices() != 4 || g.NumDirectedEdges() != 6 || g.Stats() != (BuildStats{5, 1, 2}) {
		t.Fatalf("%d vertices, %d edges, %+v", g.NumVertices(), g.NumDirectedEdges(), g.Stats())
	}
	for v, id := range []int64{7, -3, 9, 12} {
		if got, err := g.Vertex(id); err != nil || got != uint32(v) || g.IDs().Int(got) != id {
			t.Errorf("Vertex(%d) = %d, %v; want %d", id, got, err, v)
		}
	}
	if _, err := g.Vertex(8); !errors.Is(err, ErrNoVertex) {
		t.Errorf("an absent id: %v", err)
	}
	if err := g.Out().CheckSymmetric(); err != nil {
		t.Error(err)
	}
}
