// This file measures prepared graphs, on kron22: 4 million vertices, 64 million
// edges.

package prepared

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

// kron22 is built by the first benchmark that needs it.
var kron22 = sync.OnceValues(func() (*graph.Graph, error) {
	g, err := gen.Parse("kron22")
	if err != nil {
		return nil, err
	}
	return gen.Build(context.Background(), g, graph.Options{})
})

func writeKron22(b *testing.B) (path string, bytes int64) {
	g, err := kron22()
	if err != nil {
		b.Fatal(err)
	}
	path = filepath.Join(b.TempDir(), "kron22.foray")
	if err := WriteGraph(context.Background(), path, g, WriteGraphOptions{}); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return path, info.Size()
}

func BenchmarkWriteGraph(b *testing.B) {
	path, bytes := writeKron22(b)
	g, _ := kron22()
	b.SetBytes(bytes)
	for b.Loop() {
		if err := WriteGraph(context.Background(), path, g, WriteGraphOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenGraph opens a file that is in the page cache.
func BenchmarkOpenGraph(b *testing.B) {
	path, bytes := writeKron22(b)
	for _, c := range []struct {
		name string
		o    OpenGraphOptions
	}{
		{"checked", OpenGraphOptions{}},
		{"checked by one", OpenGraphOptions{Workers: 1}},
		{"trusted", OpenGraphOptions{Trust: true}},
		{"in memory", OpenGraphOptions{InMemory: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				g, err := OpenGraph(context.Background(), path, c.o)
				if err != nil {
					b.Fatal(err)
				}
				if err := g.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
