package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// kron makes edges of a Kronecker graph with the Graph500 parameters (Graph500
// specification, section 3): 16 edges per vertex, labels permuted. name turns
// a label into an id. Part i of parts is made at a time, the same every time.
func kron(scale uint, i, parts int, name func(v uint64) int64, yield func(src, dst []int64)) {
	r := rand.NewPCG(uint64(scale), uint64(i))
	m := 16 << scale / parts
	src, dst := make([]int64, 0, 64<<10), make([]int64, 0, 64<<10)
	for e := range m {
		var u, v uint64
		var bits uint64
		for level := range scale {
			if level%4 == 0 {
				bits = r.Uint64()
			}
			// a = 0.57, b = c = 0.19, d = 0.05, in 65536ths.
			x := bits & 0xffff
			bits >>= 16
			u, v = u<<1, v<<1
			switch {
			case x < 37355:
			case x < 49807:
				v |= 1
			case x < 62259:
				u |= 1
			default:
				u, v = u|1, v|1
			}
		}
		src, dst = append(src, name(permute(u, scale))), append(dst, name(permute(v, scale)))
		if len(src) == cap(src) || e == m-1 {
			yield(src, dst)
			src, dst = src[:0], dst[:0]
		}
	}
}

// permute is a bijection of the numbers below 1<<scale.
func permute(v uint64, scale uint) uint64 {
	mask := uint64(1)<<scale - 1
	for range 3 {
		v = v * 0x9e3779b97f4a7c15 & mask
		v ^= v >> (scale/2 + 1)
	}
	return v
}

func benchmarkBuild(b *testing.B, o Options, name func(v uint64) int64) {
	scale := uint(20)
	if testing.Short() {
		scale = 14
	}
	adders := 2
	for b.Loop() {
		builder := NewBuilder(o)
		var wait sync.WaitGroup
		adding := make([]time.Duration, adders)
		for a := range adders {
			wait.Go(func() {
				kron(scale, a, adders, name, func(src, dst []int64) {
					start := time.Now()
					if err := AddInts(builder, src, dst, nil); err != nil {
						b.Error(err)
					}
					adding[a] += time.Since(start)
				})
			})
		}
		wait.Wait()
		start := time.Now()
		g, err := builder.Build(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		build := time.Since(start)
		// Only the Builder's share counts, not the making of edges.
		total := max(adding[0], adding[1]) + build
		b.ReportMetric(float64(max(adding[0], adding[1]).Milliseconds()), "add-ms")
		b.ReportMetric(float64(build.Milliseconds()), "build-ms")
		b.ReportMetric(float64(g.Stats().InputEdges)/total.Seconds()/1e6, "Medges/s")
	}
}

func BenchmarkBuildKron20(b *testing.B) {
	close := func(v uint64) int64 { return int64(v) }
	scattered := func(v uint64) int64 { return int64(mix(v)) }
	for _, order := range []Order{OrderDegree, OrderGiven} {
		b.Run(fmt.Sprintf("close/%v", order), func(b *testing.B) { benchmarkBuild(b, Options{Order: order}, close) })
		b.Run(fmt.Sprintf("scattered/%v", order), func(b *testing.B) { benchmarkBuild(b, Options{Order: order}, scattered) })
	}
	b.Run("directed", func(b *testing.B) { benchmarkBuild(b, Options{Directed: true, Reverse: true}, close) })
}
