package dataset

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// BenchmarkLoadCSV loads an edge list in CSV: a million edges between 100,000 vertices, with weights.
func BenchmarkLoadCSV(b *testing.B) {
	const edges, vertices = 1 << 20, 100_000
	path := filepath.Join(b.TempDir(), "edges.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "src,dst,weight,kind")
	for range edges {
		fmt.Fprintf(w, "%d,%d,%.3f,k%d\n", r.IntN(vertices), r.IntN(vertices), r.Float64(), r.IntN(10))
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	f.Close()
	info, _ := os.Stat(path)
	b.SetBytes(info.Size())
	cols := []Column{{Name: "src", Type: "int64"}, {Name: "dst", Type: "int64"}, {Name: "weight", Type: "double"}, {Name: "kind", Type: "string"}}
	for b.Loop() {
		g, err := LoadTables(context.Background(), []Table{{Paths: []string{path}, Source: "src", Target: "dst", Weight: "weight", CSV: map[string][]Column{path: cols}}},
			Options{Workers: 1, Graph: graph.Options{Directed: true, KeepDuplicates: true, Weights: true}})
		if err != nil {
			b.Fatal(err)
		}
		if g.NumEdges() == 0 {
			b.Fatal("no edges")
		}
	}
}
