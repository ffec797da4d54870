// This file tests the ids of vertices and edges in prepared graphs.

package prepared

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
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
				b := graph.NewBuilder(graph.Options{Bipartite: separate, Order: order})
				if err := b.Add(e); err != nil {
					t.Fatal(err)
				}
				g := samples.Built(t, b)
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
}

// TestStoredVersionFiles opens files that builds of each version wrote, and
// writes the same graphs as the same files.
func TestStoredVersionFiles(t *testing.T) {
	for name, edgeIDs := range map[string]bool{"karate-v1.foray": false, "karate-v2.foray": true, "karate-v3.foray": false, "karate-v4.foray": false, "karate-v5.foray": true, "karate-v6.foray": false} {
		path := filepath.Join("testdata", name)
		g, err := OpenGraph(context.Background(), path, OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if g.NumVertices() != 34 || g.NumEdges() != 78 || (g.Out().EdgeIDs != nil) != edgeIDs {
			t.Errorf("%s: %d vertices, %d edges, edge ids %v", name, g.NumVertices(), g.NumEdges(), g.Out().EdgeIDs != nil)
		}
		if kinds := g.IDs().Kinds() != nil; kinds != (name == "karate-v3.foray") || kinds && g.IDs().Format(0) != "member:34" && g.IDs().Format(0) != "member:1" {
			t.Errorf("%s: kinds %v, vertex 0 is %s", name, g.IDs().Kinds(), g.IDs().Format(0))
		}
		if edgeIDs {
			var src, dst [78]string // by number of the row
			for u := range uint32(34) {
				for i, v := range g.Out().Neighbors(u) {
					e := g.Out().EdgeIDs[g.Out().Offsets[u]+uint64(i)]
					if a, b := g.IDs().Int(u), g.IDs().Int(v); a < b {
						src[e], dst[e] = g.IDs().Format(u), g.IDs().Format(v)
					}
				}
			}
			if src[0]+"-"+dst[0] != "1-2" || src[77]+"-"+dst[77] != "33-34" {
				t.Errorf("%v, %v", src, dst)
			}
		}
		if weights := g.WeightType() == graph.WeightsFloat64; weights != (name == "karate-v4.foray") || weights && g.Out().FloatWeights[3] == 0 {
			t.Errorf("%s: weights %v", name, g.WeightType())
		}
		columns := g.EdgeColumns()
		if (len(columns) == 2) != (name == "karate-v5.foray") {
			t.Errorf("%s: %d columns", name, len(columns))
		}
		for _, c := range columns {
			for e, id := range g.Out().EdgeIDs {
				if have, want := haveColumn(&c, e), map[string]string{"year": fmt.Sprint(1970 + id%4), "kind": []string{"friend", "team"}[id%2]}[c.Name]; have != want {
					t.Fatalf("%s: %s of edge %d is %s, want %s", name, c.Name, id, have, want)
				}
			}
		}
		ofVertices := g.VertexColumns()
		if (len(ofVertices) == 2) != (name == "karate-v6.foray") {
			t.Errorf("%s: %d columns of vertices", name, len(ofVertices))
		}
		for v := range uint32(34) {
			id := g.IDs().Int(v)
			for _, c := range ofVertices {
				if ages, ok := c.Values.([]int64); ok && ages[v] != 20+id || !ok && haveColumn(&c, int(v)) != []string{"blue", "red"}[id%2] {
					t.Fatalf("%s: %s of vertex %d is another value", name, c.Name, id)
				}
			}
		}
		old, _ := os.ReadFile(path)
		again, err := os.ReadFile(writeStoredTo(t, g))
		if err != nil || !bytes.Equal(old, again) {
			t.Errorf("%s: written again it is another file; the format has changed, so its version must (%v)", name, err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// haveColumn returns a value of a column as text.
func haveColumn(c *graph.Column, e int) string {
	if c.Dictionary != nil {
		return string(c.Dictionary.Value(int(c.Values.([]uint32)[e])))
	}
	return fmt.Sprint(c.Values.([]int32)[e])
}
