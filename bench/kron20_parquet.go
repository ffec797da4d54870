//go:build ignore

// This program writes the edges of kron20 (Graph500 R-MAT, scale 20, 16.8 M
// edges) as a Parquet file of two int64 columns, snappy: the input of the
// loading figures in RESULTS.md.
//
//	go run bench/kron20_parquet.go int64 k20.parquet     // ids 0 to 2^20-1
//	go run bench/kron20_parquet.go random64 k20.parquet  // ids scattered over int64

package main

import (
	"context"
	"os"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	g, err := gen.Parse("kron20")
	if err != nil {
		panic(err)
	}
	mix := func(x uint64) int64 {
		x += 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return int64(x ^ x>>31)
	}
	random := os.Args[1] == "random64"
	err = arrow.WriteEdgeBatches(context.Background(), os.Args[2], func(ctx context.Context, yield func(graph.Batch) error) error {
		s, d := make([]int64, gen.BlockEdges), make([]int64, gen.BlockEdges)
		return gen.Ordered(context.Background(), g, 2, func(_ int, src, dst []uint32) error {
			for i := range src {
				s[i], d[i] = int64(src[i]), int64(dst[i])
				if random {
					s[i], d[i] = mix(uint64(src[i])), mix(uint64(dst[i]))
				}
			}
			return yield(graph.Batch{Type: graph.Int64, Src: s[:len(src)], Dst: d[:len(src)]})
		})
	}, arrow.WriteOptions{Compression: "snappy"})
	if err != nil {
		panic(err)
	}
}
