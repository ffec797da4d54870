//go:build ignore

// This program times algorithms on graphs that are placed in tiers on the first GPU, and on the same graphs in its memory. It
// compares the results.
//
//	go run bench/tiers_algorithms.go [-near 0.25] [-algorithms pagerank,cc] [-trials 3] [-memory 0] [-alone] kron24 road:14142x14142
//
// A near part of 1 places the graph as usual; it is measured first unless -alone is set, and then the host's results are the
// ones compared with. -memory replaces the part by so many bytes (PlaceOptions.Memory). It prints the best time of a run, the bytes of targets a
// round by the time of the run, and how much memory of the device is in use afterwards.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

var (
	near       = flag.String("near", "0.25", "parts of the targets on the GPU")
	algorithms = flag.String("algorithms", "pagerank,cc,bfs,dobfs,msbfs", "algorithms to time; sssp needs weights")
	trials     = flag.Int("trials", 3, "runs of each")
	memory     = flag.Uint64("memory", 0, "bytes of the GPU's memory, instead of parts")
	alone      = flag.Bool("alone", false, "don't place the graph in memory; compare with the host")
	chunk      = flag.String("chunk", "16777216", "entries of the buffers that rows are streamed through; 0: rows are read in place")
	unchecked  = flag.Bool("unchecked", false, "compare nothing")
)

func main() {
	flag.Parse()
	dev, err := device.Open("cuda:0")
	check(err)
	fmt.Println(dev.Info().Model)
	for _, name := range flag.Args() {
		check(measure(context.Background(), dev, name))
	}
	check(dev.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// found is what a run found, as numbers that don't depend on the device.
type found struct {
	values []float64
	rounds int
	how    string
	took   time.Duration // without the copy of the results
}

var runs = map[string]func(ctx context.Context, p *graph.Placed, from []uint32) (found, error){
	"pagerank": func(ctx context.Context, p *graph.Placed, _ []uint32) (f found, err error) {
		r, err := pagerank.Run(ctx, p, pagerank.Options{Tolerance: -1, Iterations: 10})
		if err != nil {
			return f, err
		}
		defer r.Ranks.Close()
		all, err := r.Ranks.Slice()
		return found{slices.Clone(all), r.Iterations, r.Stats.Why, r.Stats.Elapsed}, err
	},
	"cc": func(ctx context.Context, p *graph.Placed, _ []uint32) (f found, err error) {
		r, err := cc.Run(ctx, p, cc.Options{})
		if err != nil {
			return f, err
		}
		defer r.Close()
		all, err := r.Component.Slice()
		return found{numbers(all), 1, r.Method, r.Stats.Elapsed}, err
	},
	"bfs": func(ctx context.Context, p *graph.Placed, from []uint32) (f found, err error) {
		r, err := bfs.Run(ctx, p, from[0], bfs.Options{})
		if err != nil {
			return f, err
		}
		defer r.Close()
		all, err := r.Depths()
		return found{numbers(all), 1, fmt.Sprint(r.Levels, " levels"), r.Elapsed}, err
	},
	"dobfs": func(ctx context.Context, p *graph.Placed, from []uint32) (f found, err error) {
		r, err := dobfs.Run(ctx, p, from[0], dobfs.Options{})
		if err != nil {
			return f, err
		}
		defer r.Close()
		all, err := r.Depths()
		return found{numbers(all), 1, fmt.Sprint(r.Levels, " levels"), r.Elapsed}, err
	},
	"sssp": func(ctx context.Context, p *graph.Placed, from []uint32) (f found, err error) {
		r, err := sssp.Run(ctx, p, from[0], sssp.Options{Float32: true, Prepare: sssp.PrepareNever})
		if err != nil {
			return f, err
		}
		defer r.Close()
		all, err := r.Distances.Slice()
		return found{slices.Clone(all), 1, r.WhyHost, r.Stats.Elapsed}, err
	},
	"msbfs": func(ctx context.Context, p *graph.Placed, from []uint32) (f found, err error) {
		r, err := msbfs.Run(ctx, p, from, msbfs.Options{})
		if err != nil {
			return f, err
		}
		for _, counts := range r.Counts {
			f.values = append(f.values, numbers(counts)...)
		}
		f.rounds, f.took = 1, r.Stats.Elapsed
		return f, nil
	},
}

func numbers[T int32 | uint32 | uint64](a []T) []float64 {
	x := make([]float64, len(a))
	for i := range a {
		x[i] = float64(a[i])
	}
	return x
}

func measure(ctx context.Context, dev device.Device, name string) error {
	spec, err := gen.Parse(name)
	if err != nil {
		return err
	}
	o := graph.Options{Device: dev, Weights: strings.Contains(name, "weights=")}
	if strings.HasPrefix(name, "kron") {
		o.Order = graph.OrderDegree
	}
	start := time.Now()
	g, err := gen.Build(ctx, spec, o)
	if err != nil {
		return err
	}
	if err := g.Fetch(); err != nil {
		return err
	}
	fmt.Printf("%s: %d vertices, %d entries, built and fetched in %.1f s\n", name, g.NumVertices(), g.NumDirectedEdges(), time.Since(start).Seconds())
	from := bench.Sources(g, bench.ExternalOrder(g.IDs()), 64, 1)
	want := map[string]found{}
	if *alone {
		if !*unchecked {
			fmt.Println("on the host")
			p, err := g.On(host.New(0))
			if err != nil {
				return err
			}
			if err := each(ctx, p, from, want, 1); err != nil {
				return err
			}
		}
	} else if err := within(ctx, dev, g, 1, from, want); err != nil {
		return err
	}
	for _, s := range strings.Split(*near, ",") {
		part, err := strconv.ParseFloat(s, 64)
		check(err)
		for _, s := range strings.Split(*chunk, ",") {
			tuning.ChunkEntries, err = strconv.ParseUint(s, 10, 64)
			check(err)
			fmt.Printf("chunks of %s entries\n", s)
			if err := within(ctx, dev, g, part, from, want); err != nil {
				return fmt.Errorf("%s, %g: %w", name, part, err)
			}
		}
	}
	return g.Close()
}

// within runs the algorithms with a part of the targets on the device.
func within(ctx context.Context, dev device.Device, g *graph.Graph, part float64, from []uint32, want map[string]found) error {
	start, before, targets := time.Now(), dev.Info().MemoryFree, 4*float64(g.NumDirectedEdges())
	// Near rows have offsets beside, and bits.
	po := graph.PlaceOptions{Memory: g.RemoteBytes() + 37*uint64(g.NumVertices()) + uint64(g.NumVertices())/8 + 1<<20 - uint64((1-part)*targets)}
	if *memory > 0 && part != 1 {
		po.Memory = *memory
	}
	if part == 1 {
		po.Memory = 0
	}
	p, err := g.Place(dev, po)
	if err != nil {
		return err
	}
	t, _ := p.Tiers()
	fmt.Printf("%.3g of the targets, placed in %.1f s, %.3f GB of the GPU: %v\n", part, time.Since(start).Seconds(), float64(before-dev.Info().MemoryFree)/1e9, t)
	if err := each(ctx, p, from, want, *trials); err != nil {
		return err
	}
	fmt.Printf("  now %.3f GB of the GPU\n", float64(before-dev.Info().MemoryFree)/1e9)
	return p.Close()
}

// each runs the algorithms on a placed graph.
func each(ctx context.Context, p *graph.Placed, from []uint32, want map[string]found, trials int) error {
	bytes := 4 * float64(p.Graph().NumDirectedEdges())
	for _, name := range strings.Split(*algorithms, ",") {
		best, all := math.Inf(1), []string{}
		var f found
		for range trials {
			var err error
			if f, err = runs[name](ctx, p, from); err != nil {
				fmt.Printf("  %-9s fails: %v\n", name, err)
				break
			}
			s := f.took.Seconds()
			best = min(best, s)
			all = append(all, fmt.Sprintf("%.4g", 1e3*s))
		}
		if len(all) == 0 {
			continue
		}
		verdict := "not compared"
		if w, ok := want[name]; ok && !*unchecked {
			verdict = compare(w.values, f.values)
		} else if !ok {
			want[name] = f
		}
		fmt.Printf("  %-9s %9.3f ms (%s), %.4g GB/s of rows; %s; %s\n", name, 1e3*best, strings.Join(all, ", "), float64(f.rounds)*bytes/best/1e9, verdict, f.how)
	}
	return nil
}

func compare(want, got []float64) string {
	if len(want) != len(got) {
		return "WRONG: another length"
	}
	far := 0.0
	for i, w := range want {
		if w != got[i] && !(math.IsInf(w, 1) && math.IsInf(got[i], 1)) {
			far = max(far, math.Abs(w-got[i])/max(math.Abs(w), 1e-300))
		}
	}
	if far > 1e-6 {
		return fmt.Sprintf("WRONG by %.3g", far)
	}
	return fmt.Sprintf("right, within %.2g", far)
}
