//go:build ignore

// This program times searches of generated graphs over several GPUs beside one.
//
//	go run bench/across.go [-gpus "cuda:0 cuda:0,cuda:1"] [-sources 64] [-parents] [-levels] SPEC...
//
// SPEC is a generated graph, such as kron26. It is built on the first GPU, in order of degree, and placed
// on each of the sets of GPUs in turn. All depths of every source are compared with those of the first set. Times are those of searches that have been
// done once before.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/tuning"
)

var (
	gpus    = flag.String("gpus", "cuda:0 all", "sets of GPUs")
	count   = flag.Int("sources", 64, "how many sources")
	parents = flag.Bool("parents", false, "parents too")
	levels  = flag.Bool("levels", false, "the levels of the search from the source of the median time")
	heavy   = flag.Uint64("heavy", tuning.AcrossHeavy, "internal/tuning's AcrossHeavy")
	alike   = flag.Uint64("alike", tuning.AcrossAlike, "internal/tuning's AcrossAlike")
	share   = flag.Uint64("share", tuning.AcrossAlikeShare, "internal/tuning's AcrossAlikeShare")
	valid   = flag.Bool("validate", false, "check the first source's result by bfs.Validate, which takes a while on the host")
	check   = flag.Bool("check", true, "compare depths of all sources")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run bench/across.go [FLAG...] SPEC..., such as kron22")
		flag.PrintDefaults()
	}
	flag.Parse()
	tuning.AcrossLeast = 0 // all GPUs, even if fewer are faster
	tuning.AcrossHeavy, tuning.AcrossAlike, tuning.AcrossAlikeShare = *heavy, *alike, *share
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, spec := range flag.Args() {
		if err := run(context.Background(), spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// build builds the graph on the first GPU, and fetches it.
func build(ctx context.Context, spec string) (*graph.Graph, error) {
	maker, err := gen.Parse(spec)
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(*gpus, " ")
	first, _, _ = strings.Cut(first, ",")
	if first == "all" {
		first = "cuda:0"
	}
	dev, err := device.Open(first)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	g, err := gen.Build(ctx, maker, graph.Options{Device: dev, Order: graph.OrderDegree})
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	built := time.Since(start)
	p, err := g.On(dev)
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	start = time.Now()
	if err := errors.Join(g.Fetch(), p.Free(), dev.Close()); err != nil {
		return nil, err
	}
	fmt.Printf("%s: %d vertices, %d directed edges; built in %.2f s, fetched in %.2f s\n", spec, g.NumVertices(), g.NumDirectedEdges(), built.Seconds(), time.Since(start).Seconds())
	return g, nil
}

func run(ctx context.Context, spec string) error {
	g, err := build(ctx, spec)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 1))
	var sources []uint32
	for len(sources) < *count {
		if v := uint32(r.IntN(g.NumVertices())); g.Degree(v) > 0 {
			sources = append(sources, v)
		}
	}
	var first [][]int32
	for i, name := range strings.Fields(*gpus) {
		if err := search(ctx, g, name, sources, i == 0, &first); err != nil {
			return fmt.Errorf("%s on %s: %w", spec, name, err)
		}
	}
	return g.Close()
}

func search(ctx context.Context, g *graph.Graph, name string, sources []uint32, begins bool, first *[][]int32) (err error) {
	dev, err := device.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	before := dev.Info().MemoryFree
	start := time.Now()
	p, err := g.On(dev)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Free()) }()
	if _, err := p.PrepareRemote(); err != nil {
		return err
	}
	placed := time.Since(start)
	o := dobfs.Options{Parents: *parents, DeviceTime: true}
	s, err := dobfs.NewSearcher(p, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var walls, kernels, rates []float64
	took := map[float64]uint32{}
	for i, source := range sources {
		res, err := s.Search(ctx, source)
		if err != nil {
			return err
		}
		if *check {
			depths := res.Depths()
			switch {
			case begins:
				*first = append(*first, slices.Clone(depths))
			case len(*first) > i && !slices.Equal(depths, (*first)[i]):
				return fmt.Errorf("depths from vertex %d differ", source)
			}
		}
		if i == 0 && *valid {
			if err := bfs.Validate(g, res); err != nil {
				return err
			}
		}
	}
	for _, source := range sources {
		res, err := s.Search(ctx, source)
		if err != nil {
			return err
		}
		if res.Reached < g.NumVertices()/100 {
			continue
		}
		walls = append(walls, res.Elapsed.Seconds()*1e3)
		kernels = append(kernels, res.DeviceTime.Seconds()*1e3)
		took[res.DeviceTime.Seconds()*1e3] = source
		rates = append(rates, float64(g.NumEdges())/res.DeviceTime.Seconds()/1e12)
	}
	for _, x := range [][]float64{walls, kernels, rates} {
		slices.Sort(x)
	}
	fmt.Printf("  %s: placed in %.2f s, %.2f GB with the search; %d searches: device ms median %.4f (%.4f to %.4f), elapsed %.4f; %.2f T edges of the graph a second\n", name, placed.Seconds(),
		float64(before-dev.Info().MemoryFree)/1e9, len(kernels), median(kernels), kernels[0], kernels[len(kernels)-1], median(walls), median(rates))
	if *levels {
		o.Stats = true
		res, err := dobfs.Run(ctx, p, took[median(kernels)], o)
		if err != nil {
			return err
		}
		rest := res.DeviceTime.Seconds()
		for _, l := range res.Stats {
			fmt.Printf("    depth %d: %d vertices, %s, %d edges, %.1f us\n", l.Depth, l.Frontier, l.Direction, l.Edges, l.Seconds*1e6)
			rest -= l.Seconds
		}
		fmt.Printf("    the rest %.1f us\n", rest*1e6)
		res.Free()
	}
	return nil
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)/2]
}
