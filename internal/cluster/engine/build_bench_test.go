//go:build unix

// This file measures how long parts take to be made, by ranks of this process.

package engine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// BenchmarkBuild makes parts of the graph that FORAY_BENCH_GRAPH names, kron16 by default, on as many ranks and workers
// each as FORAY_BENCH_RANKS names: "1x2,4x1" is the default.
func BenchmarkBuild(b *testing.B) {
	spec, teams := os.Getenv("FORAY_BENCH_GRAPH"), os.Getenv("FORAY_BENCH_RANKS")
	if spec == "" {
		spec = "kron16"
	}
	if teams == "" {
		teams = "1x2,4x1"
	}
	g, err := gen.Parse(spec)
	if err != nil {
		b.Fatal(err)
	}
	for _, team := range strings.Split(teams, ",") {
		r, w, _ := strings.Cut(team, "x")
		ranks, err1 := strconv.Atoi(r)
		workers, err2 := strconv.Atoi(w)
		if err1 != nil || err2 != nil {
			b.Fatalf("FORAY_BENCH_RANKS=%s", teams)
		}
		for _, hashed := range []bool{false, true} {
			b.Run(fmt.Sprintf("ranks=%s/workers=%s/hashed=%t", r, w, hashed), func(b *testing.B) {
				runtime.GC()
				used := processorTime()
				for range b.N {
					onRanks(b, ranks, func(c comm.Comm) error {
						e := generated(g, c.Rank(), c.Size())
						e.Read = shared(g, c.Rank(), c.Size(), workers)
						if hashed {
							e.Dense, e.Vertices = false, 0
						}
						_, err := Build(b.Context(), c, e, Options{Threshold: Auto, Workers: workers})
						return err
					})
				}
				b.ReportMetric((processorTime()-used).Seconds()*1e9/float64(b.N)/float64(g.NumEdges()), "cpu-ns/edge")
			})
		}
	}
}

// shared reads a rank's share of a generator's edges on several goroutines, as the command line does.
func shared(g gen.Generator, rank, size, workers int) func(context.Context, func(src, dst []int64) error) error {
	pool := sync.Pool{New: func() any { return new([2 * gen.BlockEdges]int64) }}
	return func(ctx context.Context, yield func(src, dst []int64) error) error {
		return gen.Edges(ctx, &share{g, rank, size}, workers, func(_ int, src, dst []uint32) error {
			wide := pool.Get().(*[2 * gen.BlockEdges]int64)
			defer pool.Put(wide)
			s, d := wide[:len(src)], wide[gen.BlockEdges:][:len(src)]
			for i := range src {
				s[i], d[i] = int64(src[i]), int64(dst[i])
			}
			return yield(s, d)
		})
	}
}

// share is every size-th block of a generator.
type share struct {
	gen.Generator
	rank, size int
}

func (s *share) Blocks() int { return (s.Generator.Blocks() - s.rank + s.size - 1) / s.size }

func (s *share) Block(i int, src, dst []uint32) int {
	return s.Generator.Block(i*s.size+s.rank, src, dst)
}
