//go:build ignore

// This program compares PageRank, components and shortest paths of generated graphs on several GPUs with one GPU.
//
//	go run bench/steps_shards.go [-gpus "cuda:0 cuda:0,cuda:1"] [-algo pagerank,cc,sssp] [-rounds 20] [-sources 8] [-delta "0 1 3"] [-sharded] SPEC...
//
// SPEC is a generated graph, such as kron26, for sssp with weights, such as kron24:weights=1:255. It is built on the
// first GPU, in order of degree, and placed on each of the sets of GPUs in turn. Results are compared with the first
// set: ranks to within 1e-5 in all, and after as many rounds to within 1e-4 of each, components and distances exactly.
// The time of shortest paths is the median over sources, over rows as they are and by weight (sssp.Prepare). -delta
// has factors of the width of a stage that the search chooses, 0 being none. With -sharded each set builds the graph, so
// that neither the host nor one GPU needs to have it. Times are medians of runs after an uncounted one. The exchange is
// measured separately: each GPU copies from the others their part of an array of 4 bytes a vertex, as a round does
// once.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

var (
	gpus    = flag.String("gpus", "cuda:0 all", "sets of GPUs")
	algos   = flag.String("algo", "pagerank,cc", "what to time: pagerank, cc, sssp")
	deltas  = flag.String("delta", "0", "factors of the stage width that sssp chooses; 0: none")
	seeds   = flag.Int("sources", 8, "sources of sssp")
	rounds  = flag.Int("rounds", 20, "rounds of PageRank")
	runs    = flag.Int("runs", 5, "runs")
	sharded = flag.Bool("sharded", false, "each set of GPUs builds the graph, as shards")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run bench/steps_shards.go [FLAG...] SPEC..., such as kron22")
		flag.PrintDefaults()
	}
	flag.Parse()
	tuning.ShardLeast = 0 // all GPUs, even if fewer are faster
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, spec := range flag.Args() {
		if err := contest(context.Background(), spec); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", spec, err)
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
	first, _, _ := strings.Cut(strings.Fields(*gpus)[0], ",")
	if first == "all" {
		first = "cuda:0"
	}
	dev, err := device.Open(first)
	if err != nil {
		return nil, err
	}
	g, err := gen.Build(ctx, maker, graph.Options{Device: dev, Order: graph.OrderDegree, Weights: strings.Contains(spec, "weights=")})
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	p, err := g.On(dev)
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	fmt.Printf("%s: %d vertices, %d directed edges\n", spec, g.NumVertices(), g.NumDirectedEdges())
	return g, errors.Join(g.Fetch(), p.Close(), dev.Close())
}

// results are the results of the first set of GPUs, by algorithm.
type results struct {
	ranks      map[string][]float64
	components []uint32
	distances  map[uint32][]float64
}

func contest(ctx context.Context, spec string) error {
	first := &results{ranks: map[string][]float64{}, distances: map[uint32][]float64{}}
	if *sharded {
		for _, name := range strings.Fields(*gpus) {
			if err := buildOn(ctx, spec, name, first); err != nil {
				return fmt.Errorf("on %s: %w", name, err)
			}
		}
		return nil
	}
	g, err := build(ctx, spec)
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(*gpus) {
		if err := on(ctx, g, name, first); err != nil {
			return fmt.Errorf("on %s: %w", name, err)
		}
	}
	return g.Close()
}

func on(ctx context.Context, g *graph.Graph, name string, first *results) (err error) {
	dev, err := device.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	p, err := g.On(dev)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return all(ctx, dev, p, name, first)
}

// buildOn is on for a graph that the set builds.
func buildOn(ctx context.Context, spec, name string, first *results) (err error) {
	maker, err := gen.Parse(spec)
	if err != nil {
		return err
	}
	dev, err := device.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	start := time.Now()
	g, err := gen.Build(ctx, maker, graph.Options{Device: dev, DeviceOnly: true, Order: graph.OrderDegree})
	if err != nil {
		return err
	}
	p, err := g.On(dev)
	if err != nil {
		return errors.Join(err, g.Close())
	}
	fmt.Printf("%s: %d vertices, %d directed edges; built on %s in %.2f s\n", spec, g.NumVertices(), g.NumDirectedEdges(), name, time.Since(start).Seconds())
	// The graph first, or Close fetches its rows.
	return errors.Join(all(ctx, dev, p, name, first), g.Close(), p.Close())
}

// all times the requested algorithms.
func all(ctx context.Context, dev device.Device, p *graph.Placed, name string, first *results) error {
	for _, algo := range strings.Split(*algos, ",") {
		switch algo {
		case "pagerank":
			for what, o := range map[string]pagerank.Options{"rounds": {Iterations: *rounds, Tolerance: -1}, "to 1e-6": {Tolerance: 1e-6}} {
				if err := rank(ctx, p, name, what, o, first); err != nil {
					return err
				}
			}
		case "cc":
			if err := components(ctx, p, name, first); err != nil {
				return err
			}
		case "sssp":
			if err := paths(ctx, p, name, first); err != nil {
				return err
			}
		default:
			return fmt.Errorf("-algo %s; want pagerank, cc, sssp", algo)
		}
	}
	if group, ok := dev.(*gpu.Group); ok {
		return exchange(ctx, group, p.NumVertices(), name)
	}
	return nil
}

func rank(ctx context.Context, p *graph.Placed, name, what string, o pagerank.Options, first *results) error {
	var took []float64
	made := 0
	for i := range *runs + 1 {
		start := time.Now()
		r, err := pagerank.Run(ctx, p, o)
		if err != nil {
			return err
		}
		if i > 0 {
			took = append(took, time.Since(start).Seconds()*1e3)
		}
		made = r.Iterations
		if i == 0 {
			ranks, err := r.Ranks.Slice()
			if err != nil {
				return err
			}
			if known, ok := first.ranks[what]; !ok {
				first.ranks[what] = slices.Clone(ranks)
			} else if sum, most := apart(known, ranks); sum > 1e-5 || what == "rounds" && most > 1e-4 {
				return fmt.Errorf("pagerank, %s: ranks differ by %g in all, one by %g of itself", what, sum, most)
			}
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	slices.Sort(took)
	fmt.Printf("  %s: pagerank, %s: %.3f ms, %d rounds, %.3f ms each\n", name, what, took[len(took)/2], made, took[len(took)/2]/float64(max(made, 1)))
	return nil
}

// apart is by how much ranks differ in all, and the largest difference of two as a share of the first: two
// vertices that only have each other get to their ranks by 15% a round.
func apart(a, b []float64) (sum, most float64) {
	for v := range a {
		d := math.Abs(a[v] - b[v])
		sum, most = sum+d, max(most, d/a[v])
	}
	return sum, most
}

func components(ctx context.Context, p *graph.Placed, name string, first *results) error {
	began := time.Now()
	p.Graph().DegreeHistogram() // known from then on
	degrees := time.Now()
	p.Graph().IDs().Ranks()
	ranks := time.Now()
	if err := cc.Prepare(ctx, p); err != nil {
		return err
	}
	fmt.Printf("  %s: cc, prepared in %.3f s: degrees %.3f, ranks on the host %.3f, on the GPUs %.3f\n", name, time.Since(began).Seconds(),
		degrees.Sub(began).Seconds(), ranks.Sub(degrees).Seconds(), time.Since(ranks).Seconds())
	var took []float64
	count, levels, method := 0, 0, ""
	for i := range *runs + 1 {
		start := time.Now()
		r, err := cc.Run(ctx, p, cc.Options{})
		if err != nil {
			return err
		}
		if i > 0 {
			took = append(took, time.Since(start).Seconds()*1e3)
		}
		count, levels, method = r.Components, r.Stats.Rounds, r.Method
		if i == 0 {
			all, err := r.Component.Slice()
			if err != nil {
				return err
			}
			if first.components == nil {
				first.components = slices.Clone(all)
			} else if !slices.Equal(all, first.components) {
				return errors.New("cc: components differ")
			}
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	slices.Sort(took)
	fmt.Printf("  %s: cc: %.3f ms (%.3f to %.3f), %d passes, %d components, by %s\n", name, took[len(took)/2], took[0], took[len(took)-1], levels, count, method)
	return nil
}

// paths times searches with each width of a stage, over rows as they are and by weight.
func paths(ctx context.Context, p *graph.Placed, name string, first *results) error {
	for _, prepare := range []sssp.Preparation{sssp.PrepareNever, sssp.PrepareAlways} {
		what := "near and far"
		if prepare == sssp.PrepareAlways {
			says, err := sssp.Prepare(ctx, p)
			if err != nil || !says.ByWeight {
				return err
			}
			fmt.Printf("  %s: prepared in %.3f s\n", name, says.Elapsed.Seconds())
			what = "rows by weight"
		}
		chosen := 0.0
		for _, field := range strings.Fields(*deltas) {
			factor, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return err
			}
			if chosen, err = search(ctx, p, name, what, prepare, chosen, factor, first); err != nil {
				return err
			}
		}
	}
	return nil
}

// search times searches, and returns the stage width that the search chooses by default.
func search(ctx context.Context, p *graph.Placed, name, what string, prepare sssp.Preparation, chosen, factor float64, first *results) (float64, error) {
	r := rand.New(rand.NewPCG(1, 2))
	var times []float64
	rounds, reached, o := 0, 0, sssp.Options{Prepare: prepare}
	for n := 0; n < *seeds; {
		source := r.Uint32N(uint32(p.NumVertices()))
		if p.Graph().Degree(source) == 0 {
			continue
		}
		n++
		var took []float64
		for i := range *runs + 1 {
			if factor > 0 {
				o.Delta = chosen * factor
			}
			start := time.Now()
			res, err := sssp.Run(ctx, p, source, o)
			if err != nil {
				return 0, err
			}
			if i > 0 {
				took = append(took, time.Since(start).Seconds()*1e3)
			} else if n == 1 {
				rounds, reached = res.Stats.Rounds, res.Reached
			}
			if factor == 0 || chosen == 0 {
				chosen = res.Delta
			}
			if i == 0 {
				all, err := res.Distances.Slice()
				if err != nil {
					return 0, err
				}
				if known, ok := first.distances[source]; !ok {
					first.distances[source] = slices.Clone(all)
				} else if !slices.Equal(all, known) {
					return 0, fmt.Errorf("sssp from %d: distances differ", source)
				}
			}
			if err := res.Close(); err != nil {
				return 0, err
			}
		}
		slices.Sort(took)
		times = append(times, took[len(took)/2])
	}
	slices.Sort(times)
	width := chosen
	if factor > 0 {
		width *= factor
	}
	fmt.Printf("  %s: sssp, %s, stages of %g: %.3f ms (%.3f to %.3f), from the first source %d rounds, %d reached\n", name, what, width,
		times[len(times)/2], times[0], times[len(times)-1], rounds, reached)
	return chosen, nil
}

// exchange times the copies of the driver that bring an array of 4 bytes a vertex to every GPU.
func exchange(ctx context.Context, group *gpu.Group, n int, name string) (err error) {
	devs := group.Devices()
	each := (4*uint64(n)/uint64(len(devs)) + 255) &^ 255
	var streams []*gpu.Stream
	var arrays []device.Memory
	defer func() {
		for _, s := range streams {
			err = errors.Join(err, s.Close())
		}
		for _, m := range arrays {
			err = errors.Join(err, m.Close())
		}
	}()
	for _, d := range devs {
		s, err := d.Stream(ctx)
		if err != nil {
			return err
		}
		streams = append(streams, s)
		m, err := d.Alloc(each * uint64(len(devs)))
		if err != nil {
			return err
		}
		arrays = append(arrays, m)
	}
	var took []float64
	for range *runs + 1 {
		start := time.Now()
		for i, s := range streams {
			for k := 1; k < len(devs); k++ {
				j := (i + k) % len(devs)
				at := uintptr(uint64(j) * each)
				if err := s.CopyFrom(arrays[i].Pointer()+at, devs[j], arrays[j].Pointer()+at, each); err != nil {
					return err
				}
			}
		}
		for _, s := range streams {
			if err := s.Sync(); err != nil {
				return err
			}
		}
		took = append(took, time.Since(start).Seconds()*1e3)
	}
	took = took[1:]
	slices.Sort(took)
	fmt.Printf("  %s: copying 4 bytes a vertex from the others, by the driver: %.3f ms\n", name, took[len(took)/2])
	return nil
}
