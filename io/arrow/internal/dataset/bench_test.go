// This file measures reading.

package dataset

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// BenchmarkReadParquet reads 2^24 edges of int64, as a graph of scale 20 has
// them. The bytes per second count the ids.
func BenchmarkReadParquet(b *testing.B) {
	const rows = 1 << 24
	r := rand.New(rand.NewPCG(1, 2))
	src, dst := make([]int64, rows), make([]int64, rows)
	for i := range src {
		// Skewed, as degrees are.
		src[i] = int64(r.Uint32N(1<<20) & r.Uint32N(1<<20))
		dst[i] = int64(r.Uint32N(1<<20) & r.Uint32N(1<<20))
	}
	for _, enc := range []struct {
		name  string
		props []parquet.WriterProperty
	}{
		{"plain-snappy", []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Snappy)}},
		{"dictionary-snappy", []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy)}},
		{"delta-snappy", []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked), parquet.WithCompression(compress.Codecs.Snappy)}},
		{"plain-zstd", []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Zstd)}},
		{"plain-none", []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}},
	} {
		for _, groupRows := range []int{1 << 20, 1 << 24} {
			name := fmt.Sprintf("%s/groups=%d", enc.name, rows/groupRows)
			b.Run(name, func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "edges.parquet")
				data := samples.WriteParquet(b, rows, groupRows, []samples.ParquetColumn{
					{Node: samples.Node(b, "src", false, nil, parquet.Types.Int64, 0), Values: src},
					{Node: samples.Node(b, "dst", false, nil, parquet.Types.Int64, 0), Values: dst},
				}, enc.props...)
				if err := os.WriteFile(path, data, 0o600); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(rows * 16)
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					d, err := Open(context.Background(), []string{path}, Options{})
					if err != nil {
						b.Fatal(err)
					}
					var got atomic.Int64
					err = d.Batches(context.Background(), func(e graph.Batch) error {
						got.Add(int64(len(e.Src)))
						return nil
					})
					if err != nil || got.Load() != rows {
						b.Fatalf("%d rows, %v", got.Load(), err)
					}
				}
			})
		}
	}
}

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
