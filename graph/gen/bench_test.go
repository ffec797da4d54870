// This file holds the benchmarks: edges per second.

package gen

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkBlock makes blocks on one goroutine.
func BenchmarkBlock(b *testing.B) {
	for _, spec := range []string{
		"kron20", "kron24", "urand20", "urand:n=1000000", "grid2d", "grid3d:160x160x160", "hubs", "road",
		"smallworld:n=1000000", "star:1000000", "path:1000000",
	} {
		b.Run(spec, func(b *testing.B) {
			g, err := Parse(spec)
			if err != nil {
				b.Fatal(err)
			}
			src, dst := make([]uint32, BlockEdges), make([]uint32, BlockEdges)
			edges := 0
			for i := 0; b.Loop(); i++ {
				edges += g.Block(i%g.Blocks(), src, dst)
			}
			reportRate(b, edges)
		})
	}
}

// BenchmarkEdges makes all edges of kron20.
func BenchmarkEdges(b *testing.B) {
	g, err := Parse("kron20")
	if err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("kron20/workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				if err := Edges(context.Background(), g, workers, func(int, []uint32, []uint32) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			reportRate(b, b.N*int(g.NumEdges()))
		})
		b.Run(fmt.Sprintf("kron20/ordered/workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				if err := Ordered(context.Background(), g, workers, func(int, []uint32, []uint32) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			reportRate(b, b.N*int(g.NumEdges()))
		})
	}
}

func reportRate(b *testing.B, edges int) {
	b.ReportMetric(float64(edges)/b.Elapsed().Seconds()/1e6, "Medges/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(edges), "ns/edge")
}
