// This file measures writing: results of a million vertices and the edges of
// a generator, in millions of rows per second and bytes of file per row.

package write

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// benchResult is a search of a million vertices: small depths, one in twenty
// not reached, parents of which few have many children.
func benchResult(b *testing.B, ids *graph.IDs) (*graph.Graph, samples.TestResult) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	n := ids.Len
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	for v := range n {
		r.DepthList[v], r.ParentList[v] = -1, graph.NoVertex
		if rng.IntN(20) > 0 {
			x := rng.Float64()
			r.DepthList[v], r.ParentList[v] = rng.Int32N(8), uint32(x*x*x*float64(n))
		}
	}
	return samples.WithIDs(b, ids), r
}

func benchWriteResult(b *testing.B, format, compression string, ids *graph.IDs) {
	g, r := benchResult(b, ids)
	path := filepath.Join(b.TempDir(), "result."+format)
	b.ReportAllocs()
	for b.Loop() {
		if err := WriteResult(context.Background(), path, g, r, WriteOptions{Compression: compression}); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, path, ids.Len)
}

// reportRows reports rates of b.N files of so many rows.
func reportRows(b *testing.B, path string, rows int) {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(float64(info.Size())/float64(rows), "B/row")
}

// spreadIDs are a million distinct integers from all over.
func spreadIDs() *graph.IDs {
	ids := &graph.IDs{Type: graph.Int64, Len: 1e6}
	for v := range uint64(ids.Len) {
		ids.Ints = append(ids.Ints, int64(v*0x9E3779B97F4A7C15>>20))
	}
	return ids
}

func BenchmarkWriteParquet(b *testing.B) {
	for _, c := range parquetCodecNames {
		b.Run(c, func(b *testing.B) { benchWriteResult(b, "parquet", c, spreadIDs()) })
	}
	b.Run("dense", func(b *testing.B) {
		benchWriteResult(b, "parquet", "zstd", &graph.IDs{Type: graph.Int64, Len: 1e6})
	})
	b.Run("strings", func(b *testing.B) {
		ids := &graph.IDs{Type: graph.String, Len: 1e6, StringOffsets: []uint64{0}}
		for v := range ids.Len {
			ids.Data = append(ids.Data, "https://example.org/person/"...)
			for x := v * 7919; x > 0; x /= 16 {
				ids.Data = append(ids.Data, "0123456789abcdef"[x%16])
			}
			ids.StringOffsets = append(ids.StringOffsets, uint64(len(ids.Data)))
		}
		benchWriteResult(b, "parquet", "zstd", ids)
	})
}

func BenchmarkWriteIPC(b *testing.B) {
	for _, c := range ipcCodecNames {
		b.Run(c, func(b *testing.B) { benchWriteResult(b, "arrow", c, spreadIDs()) })
	}
}

func BenchmarkWriteCSV(b *testing.B)  { benchWriteResult(b, "csv", "", spreadIDs()) }
func BenchmarkWriteJSON(b *testing.B) { benchWriteResult(b, "jsonl", "", spreadIDs()) }

// BenchmarkWriteEdgeBatches writes as many edges as a Kronecker graph of scale
// 20 has, their ends spread like it. Making them is part of the time: about a
// tenth.
func BenchmarkWriteEdgeBatches(b *testing.B) {
	const edges, vertices = 16 << 20, 1 << 20
	for _, c := range []string{"snappy", "zstd", "none"} {
		b.Run(c, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "edges.parquet")
			b.ReportAllocs()
			for b.Loop() {
				err := WriteEdgeBatches(context.Background(), path, func(_ context.Context, yield func(graph.Batch) error) error {
					rng := rand.NewPCG(1, 1)
					batch := graph.Batch{Src: make([]int64, batchRows), Dst: make([]int64, batchRows)}
					for e := 0; e < edges; e += batchRows {
						for i := range batchRows {
							x := rng.Uint64()
							batch.Src[i], batch.Dst[i] = int64(x%vertices&(x>>24)), int64(x>>40%vertices&(x>>32))
						}
						if err := yield(batch); err != nil {
							return err
						}
					}
					return nil
				}, WriteOptions{Compression: c})
				if err != nil {
					b.Fatal(err)
				}
			}
			reportRows(b, path, edges)
		})
	}
}
