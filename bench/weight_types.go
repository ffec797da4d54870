//go:build ignore

// This program times shortest paths with distances of each type, by turns: what exact distances cost
// against those of float32.
//
//	go run bench/weight_types.go [-device cuda:0] [-trials 7] [-sources 4] kron18 urand18 road:n=1000000
//
// Weights are integers from 1 to 255, integers up to 2^24 (whose distances don't fit float32), fractions of
// float32, and fractions of float64. "default" is what a search does without options, "float32" the same with
// sssp.Options.Float32. Times are the least and the median of the trials, in ms by the wall's clock and, on the
// host, by the processors'. The first search of each kind isn't timed.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

var (
	on      = flag.String("device", "host", "device to measure")
	trials  = flag.Int("trials", 7, "searches from each source, of each kind")
	sources = flag.Int("sources", 3, "sources")
	workers = flag.Int("workers", 0, "of the host; 0: one per processor")
	only    = flag.String("only", "", "kinds of weights whose names have this")
	parents = flag.Bool("parents", false, "parents too")
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	flag.Parse()
	ctx := context.Background()
	var dev device.Device = host.New(*workers)
	if *on != "host" {
		var err error
		dev, err = device.Open(*on)
		check(err)
	}
	for _, name := range flag.Args() {
		spec, err := gen.Parse(name)
		check(err)
		for _, kind := range []struct {
			name string
			draw func(r *rand.Rand) any
		}{
			{"1 to 255", func(r *rand.Rand) any { return int64(1 + r.IntN(255)) }},
			{"1 to 2^24", func(r *rand.Rand) any { return int64(1 + r.IntN(1<<24)) }},
			{"float32", func(r *rand.Rand) any { return float64(r.Float32()) }},
			{"float64", func(r *rand.Rand) any { return r.Float64() }},
		} {
			if strings.Contains(kind.name, *only) {
				measure(ctx, dev, name, kind.name, spec, kind.draw)
			}
		}
	}
}

func measure(ctx context.Context, dev device.Device, name, kind string, spec gen.Generator, draw func(*rand.Rand) any) {
	o := graph.Options{Weights: true, DenseIDs: true, Vertices: spec.NumVertices()}
	if strings.HasPrefix(name, "kron") {
		o.Order = graph.OrderDegree
	}
	b := graph.NewBuilder(o)
	r := rand.New(rand.NewPCG(1, 2))
	check(gen.Ordered(ctx, spec, 1, func(_ int, src, dst []uint32) error {
		e := graph.Batch{Type: graph.Uint32}
		for i := range src {
			e.Src, e.Dst = append(e.Src, int64(src[i])), append(e.Dst, int64(dst[i]))
			switch w := draw(r).(type) {
			case int64:
				e.IntWeights = append(e.IntWeights, w)
			case float64:
				e.FloatWeights = append(e.FloatWeights, w)
			}
		}
		return b.Add(e)
	}))
	g, err := b.Build(ctx)
	check(err)
	p, err := g.On(dev)
	check(err)
	defer func() { check(p.Close()) }()
	var from []uint32
	for len(from) < *sources {
		if v := r.Uint32N(uint32(g.NumVertices())); g.Degree(v) > 0 {
			from = append(from, v)
		}
	}
	var wall, cpu [2][]float64
	for i := range *trials + 1 {
		for _, source := range from {
			for k, float32s := range []bool{false, true} {
				runtime.GC()
				began, used := time.Now(), usage()
				res, err := sssp.Run(ctx, p, source, sssp.Options{Float32: float32s, Parents: *parents})
				check(err)
				if i > 0 {
					wall[k] = append(wall[k], time.Since(began).Seconds()*1e3)
					cpu[k] = append(cpu[k], usage()-used)
				}
				check(res.Close())
			}
		}
	}
	least, middle := func(x []float64) float64 { return slices.Min(x) }, func(x []float64) float64 {
		slices.Sort(x)
		return x[len(x)/2]
	}
	fmt.Printf("%s, weights %s, on %s: default %.2f ms (least %.2f), float32 %.2f (%.2f), ratio %.2f (%.2f)", name, kind, dev.Info().Name,
		middle(wall[0]), least(wall[0]), middle(wall[1]), least(wall[1]), middle(wall[0])/middle(wall[1]), least(wall[0])/least(wall[1]))
	if dev.Info().Kind == device.Host {
		fmt.Printf("; processors %.2f and %.2f ms, ratio %.2f (%.2f)", middle(cpu[0]), middle(cpu[1]), middle(cpu[0])/middle(cpu[1]), least(cpu[0])/least(cpu[1]))
	}
	fmt.Println()
}

// usage returns the processors' time of this process in ms.
func usage() float64 {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
