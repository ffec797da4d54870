// This file tests that what WriteEdges wrote is what Load reads: the same
// edges between the same ids of the same type.

package write

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
)

// edgeList has a line per edge, in external ids, sorted.
func edgeList(g *graph.Graph) []string {
	var lines []string
	for u := range uint32(g.NumVertices()) {
		for _, v := range g.Out().Neighbors(u) {
			lines = append(lines, fmt.Sprintf("%q %q", g.IDs().Format(u), g.IDs().Format(v)))
		}
	}
	slices.Sort(lines)
	return lines
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for _, typ := range idTypes {
		for format, codecs := range map[string][]string{"parquet": parquetCodecNames, "arrow": ipcCodecNames, "arrows": ipcCodecNames} {
			for _, codec := range codecs {
				n, m := 100, 3000
				if typ == graph.String && codec == codecs[0] {
					n, m = 20_000, batchRows+1000
				}
				ids := randomResultIDs(rng, typ, n)
				src, dst, weights := randomEdges(rng, n, m)
				g, err := graph.FromCSR(csrOf(n, src, dst, weights, true), graph.CSROptions{Directed: true, IDs: ids})
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), "edges."+format)
				if err := WriteEdges(context.Background(), path, g, WriteOptions{Compression: codec, RowGroup: 1 + rng.IntN(2*m)}); err != nil {
					t.Fatal(err)
				}
				got, err := dataset.Load(context.Background(), path, dataset.Options{
					Graph: graph.Options{Directed: true, KeepSelfLoops: true, KeepDuplicates: true, Weights: true},
				})
				if err != nil {
					t.Fatalf("%v as %s, %s: %v", typ, format, codec, err)
				}
				if got.IDs().Type != typ || !slices.Equal(edgeList(got), edgeList(g)) {
					t.Errorf("%v as %s, %s: %d edges of %v, want %d, or others", typ, format, codec,
						got.NumEdges(), got.IDs().Type, g.NumEdges())
				}
				sum := func(g *graph.Graph) (s float64) {
					for _, w := range slices.Sorted(slices.Values(g.Out().Weights)) {
						s += float64(w)
					}
					return s
				}
				if sum(got) != sum(g) {
					t.Errorf("%v as %s, %s: weights differ", typ, format, codec)
				}
			}
		}
	}
}
