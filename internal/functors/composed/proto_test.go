package composed_test

import (
	"context"
	"sort"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/functors/composed"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/traverse"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(1, &u) // thread
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkProto(b *testing.B) {
	e, _ := gen.Parse("road:1000x1000")
	g, err := gen.Build(b.Context(), e, graph.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		p, _ := g.On(host.New(workers))
		var ts [2][]float64
		run := [2]func(){
			func() {
				x := traverse.New(context.Background(), p, traverse.Options{Engine: traverse.LevelByLevel})
				depth := traverse.Array[int32](x, -1)
				traverse.Set(x, depth, 0, 0)
				x.Repeat(x.From(0), advance.Push(composed.NewReach(depth)))
				r, err := traverse.Result(x, depth)
				if err != nil {
					b.Fatal(err)
				}
				r.Free()
				x.Close()
			},
			func() {
				r, err := bfs.Run(context.Background(), p, 0, bfs.Options{})
				if err != nil {
					b.Fatal(err)
				}
				r.Free()
			},
		}
		for k, name := range []string{"both", "reach", "bfs"} {
			b.Run(name+map[int]string{1: "1", 2: "2"}[workers], func(b *testing.B) {
				ts = [2][]float64{}
				for range b.N {
					for i := range 2 {
						if k == 0 || k == i+1 {
							t := time.Now()
							run[i]()
							ts[i] = append(ts[i], float64(time.Since(t).Microseconds()))
						}
					}
				}
				var m [2]float64
				for i := range 2 {
					sort.Float64s(ts[i])
					if len(ts[i]) > 0 {
						m[i] = ts[i][len(ts[i])/4]
					}
				}
				if k == 0 {
					b.ReportMetric(m[0], "reach-us")
					b.ReportMetric(m[1], "bfs-us")
					b.ReportMetric(m[0]/m[1], "ratio")
				}
			})
		}
	}
}
