//go:build ignore

// This program compares searches of generated graphs on several GPUs with searches on one GPU.
//
//	go run bench/shards.go [-gpus "cuda:0 cuda:0,cuda:1"] [-sources 64] [-parents] [-levels] [-sharded] SPEC...
//
// SPEC is a generated graph, such as kron26. It is built on the first GPU, in order of degree, and placed on each of
// the sets of GPUs in turn. All depths of every source are compared with the first set. With -sharded each set builds the
// graph in shards, so neither a single GPU nor the host has the whole graph; depths are checked on the GPUs, and their
// hashes are compared. Every timed search has been run once before.
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
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/depthcheck"
)

var (
	gpus    = flag.String("gpus", "cuda:0 all", "sets of GPUs")
	count   = flag.Int("sources", 64, "how many sources")
	parents = flag.Bool("parents", false, "parents too")
	levels  = flag.Bool("levels", false, "the levels of the searches from the sources of the median time and of the longest")
	heavy   = flag.Uint64("heavy", tuning.ShardHeavy, "internal/engine/tuning's ShardHeavy")
	alike   = flag.Uint64("alike", tuning.ShardAlike, "internal/engine/tuning's ShardAlike")
	share   = flag.Uint64("share", tuning.ShardAlikeShare, "internal/engine/tuning's ShardAlikeShare")
	grain   = flag.Uint("grain", uint(tuning.ShardGrain), "internal/engine/tuning's ShardGrain")
	next    = flag.Bool("next", tuning.ShardNext, "internal/engine/tuning's ShardNext")
	valid   = flag.Bool("validate", false, "check the first source's result by bfs.Validate, which takes a while on the host")
	sharded = flag.Bool("sharded", false, "each set of GPUs builds the graph, as shards")
	batch   = flag.Uint64("batch", 0, "with -sharded, how many pairs a GPU makes at a time; 0: all, or as many as there is room for")
	check   = flag.Bool("check", true, "compare depths of all sources")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run bench/shards.go [FLAG...] SPEC..., such as kron22")
		flag.PrintDefaults()
	}
	flag.Parse()
	tuning.ShardLeast = 0 // all GPUs, even if fewer are faster
	tuning.ShardHeavy, tuning.ShardAlike, tuning.ShardAlikeShare = *heavy, *alike, *share
	tuning.ShardGrain, tuning.ShardNext = uint32(*grain), *next
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if *batch > 0 {
		tuning.InBatches, tuning.ShardBatch = true, *batch
	}
	for _, spec := range flag.Args() {
		run := run
		if *sharded {
			run = runSharded
		}
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
	if err := errors.Join(g.Fetch(), p.Close(), dev.Close()); err != nil {
		return nil, err
	}
	fmt.Printf("%s: %d vertices, %d directed edges; built in %.2f s, fetched in %.2f s\n", spec, g.NumVertices(), g.NumDirectedEdges(), built.Seconds(), time.Since(start).Seconds())
	return g, nil
}

// choose returns sources that aren't isolated.
func choose(g *graph.Graph) (sources []uint32) {
	r := rand.New(rand.NewPCG(1, 1))
	for len(sources) < *count {
		if v := uint32(r.IntN(g.NumVertices())); g.Degree(v) > 0 {
			sources = append(sources, v)
		}
	}
	return sources
}

// runSharded is run where each set of GPUs builds the graph.
func runSharded(ctx context.Context, spec string) error {
	maker, err := gen.Parse(spec)
	if err != nil {
		return err
	}
	var hashes []uint64
	for _, name := range strings.Fields(*gpus) {
		if err := buildSharded(ctx, spec, maker, name, &hashes); err != nil {
			return fmt.Errorf("%s on %s: %w", spec, name, err)
		}
	}
	return nil
}

// buildSharded builds the graph on a set of GPUs, and searches it there.
func buildSharded(ctx context.Context, spec string, maker gen.Generator, name string, hashes *[]uint64) (err error) {
	dev, err := device.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	shards := []device.Device{dev}
	if group, ok := dev.(interface{ Discrete() []discrete.Device }); ok {
		shards = nil
		for _, d := range group.Discrete() {
			shards = append(shards, d)
		}
	}
	free := func() (bytes []float64) {
		for _, d := range shards {
			bytes = append(bytes, float64(d.Info().MemoryFree)/1e9)
		}
		return bytes
	}
	before, least := free(), free()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // a look now and then at how much is taken
		defer close(stopped)
		for {
			for i, f := range free() {
				least[i] = min(least[i], f)
			}
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	start := time.Now()
	last, phase, phases := start, "", ""
	tell := func(next string) {
		if phase != "" && next != phase {
			phases += fmt.Sprintf(" %s %.2f s,", phase, time.Since(last).Seconds())
		}
		if next != phase {
			phase, last = next, time.Now()
		}
	}
	g, err := gen.Build(ctx, maker, graph.Options{Device: dev, DeviceOnly: true, Order: graph.OrderDegree, Progress: func(p graph.Progress) { tell(p.Phase) }})
	tell("")
	close(stop)
	<-stopped
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(g.Close(), err) }()
	fmt.Printf("%s: %d vertices, %d directed edges; built on %s in %.2f s:%s and %s dropped; GB of each at most", spec, g.NumVertices(), g.NumDirectedEdges(), name, time.Since(start).Seconds(),
		phases, fmt.Sprint(g.Stats().Duplicates))
	for i := range least {
		fmt.Printf(" %.1f", before[i]-least[i])
	}
	after := free()
	fmt.Print(", now")
	for i := range after {
		fmt.Printf(" %.1f", before[i]-after[i])
	}
	fmt.Println()
	p, err := g.On(dev)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(g.Close(), p.Close(), err) }() // closed first: then Close doesn't fetch the rows
	return searches(ctx, g, p, name, choose(g), func(i int, res *bfs.Result) error {
		if len(shards) == 1 {
			return nil
		}
		depths, err := res.Depths()
		if err != nil {
			return err
		}
		v, err := depthcheck.Depths(ctx, p, res.Sources, depths, 0)
		if err != nil {
			return err
		}
		if len(*hashes) <= i {
			*hashes = append(*hashes, v.Hash)
		}
		if (*hashes)[i] != v.Hash {
			return fmt.Errorf("depths from source %d differ from those of the first set of GPUs", i)
		}
		if i == 0 {
			fmt.Printf("  depths are right: from vertex %d %d vertices are reached, with %d edges; hash %016x, of each GPU %016x\n", res.Sources[0], v.Reached, v.Edges, v.Hash, v.Hashes)
		}
		return nil
	})
}

func run(ctx context.Context, spec string) error {
	g, err := build(ctx, spec)
	if err != nil {
		return err
	}
	sources := choose(g)
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
	defer func() { err = errors.Join(err, p.Close()) }()
	if _, err := p.PrepareRemote(); err != nil {
		return err
	}
	fmt.Printf("  %s: placed in %.2f s, %.2f GB\n", name, time.Since(start).Seconds(), float64(before-dev.Info().MemoryFree)/1e9)
	return searches(ctx, g, p, name, sources, func(i int, res *bfs.Result) error {
		depths, err := res.Depths()
		switch {
		case err != nil:
			return err
		case begins:
			*first = append(*first, slices.Clone(depths))
		case len(*first) > i && !slices.Equal(depths, (*first)[i]):
			return fmt.Errorf("depths from vertex %d differ", sources[i])
		}
		if i == 0 && *valid {
			return bfs.Validate(g, res)
		}
		return nil
	})
}

// searches times searches of a placed graph, and checks each the first time.
func searches(ctx context.Context, g *graph.Graph, p *graph.Placed, name string, sources []uint32, right func(i int, res *bfs.Result) error) (err error) {
	o := dobfs.Options{DeviceTime: true}
	if *parents {
		o.Outputs = bfs.Depths | bfs.Parents
	}
	s, err := dobfs.NewSearcher(p, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var walls, kernels, rates []float64
	took := map[float64]uint32{}
	for i, source := range sources {
		res, err := s.Run(ctx, bfs.Query{Sources: []uint32{source}})
		if err != nil {
			return err
		}
		if *check {
			if err := right(i, res); err != nil {
				return err
			}
		}
	}
	for _, source := range sources {
		res, err := s.Run(ctx, bfs.Query{Sources: []uint32{source}})
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
	fmt.Printf("  %s: %d searches: device ms median %.4f (%.4f to %.4f), elapsed %.4f; %.2f T edges of the graph a second\n", name,
		len(kernels), median(kernels), kernels[0], kernels[len(kernels)-1], median(walls), median(rates))
	if *levels {
		o.Stats = true
		for _, which := range []float64{median(kernels), kernels[len(kernels)-1]} {
			if err := tell(ctx, p, took[which], o); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell prints the levels of the search from a source.
func tell(ctx context.Context, p *graph.Placed, source uint32, o dobfs.Options) error {
	for i := range 2 { // the first one allocates
		res, err := dobfs.Run(ctx, p, source, o)
		if err != nil {
			return err
		}
		if i == 0 {
			res.Close()
			continue
		}
		rest := res.DeviceTime.Seconds()
		fmt.Printf("    from vertex %d, %.1f us:\n", source, rest*1e6)
		for _, l := range res.Stats {
			fmt.Printf("    depth %d: %d vertices, %s, %d edges, %.1f us\n", l.Level-1, l.Frontier, l.Direction, l.Edges, l.Took.Seconds()*1e6)
			rest -= l.Took.Seconds()
		}
		fmt.Printf("    the rest %.1f us\n", rest*1e6)
		res.Close()
	}
	return nil
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)/2]
}
