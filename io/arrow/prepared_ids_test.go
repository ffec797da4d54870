package arrow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// TestStoredIDs stores graphs with separate sides and with ids that stand for
// something.
func TestStoredIDs(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for i, batch := range []graph.Batch{
		{Type: graph.Int32, Logical: "date32"}, {Type: graph.Int64}, {Type: graph.Uint64}, {Logical: "tuple(string,int8)"}, {},
	} {
		for _, order := range []graph.Order{graph.OrderDegree, graph.OrderGiven} {
			for _, separate := range []bool{false, true} {
				e := batch
				var src, dst graph.Strings
				for range 100 + r.IntN(100) {
					u, v := r.Int64N(60)*r.Int64N(60), r.Int64N(60)*r.Int64N(60)
					if i < 3 {
						e.Src, e.Dst = append(e.Src, u), append(e.Dst, v)
						continue
					}
					src.Data, dst.Data = fmt.Appendf(src.Data, "%d\x00\x00\x01", u), fmt.Appendf(dst.Data, "%d\x00\x00\x01", v)
					if src.Offsets == nil {
						src.Offsets, dst.Offsets = []int64{0}, []int64{0}
					}
					src.Offsets, dst.Offsets = append(src.Offsets, int64(len(src.Data))), append(dst.Offsets, int64(len(dst.Data)))
					src.Binary, dst.Binary = true, true
					e.SrcStrings, e.DstStrings = &src, &dst
				}
				b := graph.NewBuilder(graph.Options{SeparateIDs: separate, Order: order})
				if err := b.Add(e); err != nil {
					t.Fatal(err)
				}
				g := built(t, b)
				again, err := OpenGraph(context.Background(), writeStoredTo(t, g), OpenGraphOptions{})
				if err != nil {
					t.Fatal(err)
				}
				m, n := g.IDs(), again.IDs()
				if n.Logical != m.Logical || !slices.Equal(n.Sides, m.Sides) {
					t.Errorf("%q, %x, want %q, %x", n.Logical, n.Sides, m.Logical, m.Sides)
				}
				for v := range uint32(m.Len) {
					if w, err := again.ParseVertex(m.Format(v)); err != nil || w != v || n.Format(v) != m.Format(v) {
						t.Fatalf("%s is vertex %d, %v; want %d", m.Format(v), w, err, v)
					}
				}
				if err := again.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	b := graph.NewBuilder(graph.Options{EdgeIDs: true})
	if err := b.Add(graph.Batch{Src: []int64{1}, Dst: []int64{2}, EdgeIDs: []uint64{3}}); err != nil {
		t.Fatal(err)
	}
	if err := WriteGraph(context.Background(), filepath.Join(t.TempDir(), "g"), built(t, b), WriteGraphOptions{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("edge ids: %v", err)
	}
}
