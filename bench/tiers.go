//go:build ignore

// This program times direction-optimizing searches of graphs that are placed in tiers on the first GPU, with a part of
// their targets in the GPU's memory. It compares depths from every source with the host's search.
//
//	go run bench/tiers.go [-near 0.25,0.5] [-prefix 0.5] [-sources 16] [-trials 3] [-levels] kron26 urand26
//
// A part of 1 places the graph as usual. Kronecker graphs are ordered by degree. It prints the median over the sources of the
// median of each, the smallest and the largest, and undirected edges by that median. -levels prints the levels of the first
// source.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

var (
	near    = flag.String("near", "0.25", "parts of the targets on the GPU")
	prefix  = flag.String("prefix", "0.5", "parts of these that are prefixes of rows")
	alpha   = flag.String("alpha", "0", "factors of the choice of direction; 0: the kernel's rule")
	sources = flag.Int("sources", 16, "vertices to search from")
	trials  = flag.Int("trials", 3, "searches timed from each")
	levels  = flag.Bool("levels", false, "print the levels of the first source")
	only    = flag.Int("only", 0, "compare this number of sources; 0: all")
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

func floats(list string) (xs []float64) {
	for _, s := range strings.Split(list, ",") {
		x, err := strconv.ParseFloat(s, 64)
		check(err)
		xs = append(xs, x)
	}
	return xs
}

func measure(ctx context.Context, dev device.Device, name string) error {
	spec, err := gen.Parse(name)
	if err != nil {
		return err
	}
	o := graph.Options{Device: dev}
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
	start = time.Now()
	from := bench.Sources(g, bench.ExternalOrder(g.IDs()), *sources, 1)
	want, edges, err := onHost(ctx, g, from)
	if err != nil {
		return err
	}
	fmt.Printf("searched on the host in %.1f s\n", time.Since(start).Seconds())
	for _, part := range floats(*near) {
		for _, tuning.PrefixShare = range floats(*prefix) {
			if err := within(ctx, dev, g, part, from, want, edges); err != nil {
				return fmt.Errorf("%s, %g: %w", name, part, err)
			}
		}
	}
	return g.Close()
}

// within searches the graph with a part of its targets on the device.
func within(ctx context.Context, dev device.Device, g *graph.Graph, part float64, from []uint32, want [][]int32, edges []float64) error {
	start, targets := time.Now(), 4*float64(g.NumDirectedEdges())
	// Near rows have offsets beside, and bits.
	po := graph.PlaceOptions{Memory: g.RemoteBytes() + 37*uint64(g.NumVertices()) + uint64(g.NumVertices())/8 + 1<<20 - uint64((1-part)*targets)}
	if part == 1 {
		po.Memory = 0
	}
	p, err := g.Place(dev, po)
	if err != nil {
		return err
	}
	t, _ := p.Tiers()
	fmt.Printf("%.3g of the targets, placed in %.1f s: %v\n", part, time.Since(start).Seconds(), t)
	for _, alpha := range floats(*alpha) {
		for _, mode := range []struct {
			name string
			o    dobfs.Options
		}{
			{"depths", dobfs.Options{DeviceTime: true}},
			{"parents", dobfs.Options{DeviceTime: true, Outputs: bfs.Depths | bfs.Parents}},
		} {
			mode.o.Tuning.Alpha = alpha
			if alpha != 0 {
				mode.o.Tuning.Beta = 24
			}
			var ms []float64
			for i, v := range from {
				if *only == 0 || i < *only {
					if err := compare(ctx, p, v, mode.o, want[i]); err != nil {
						return fmt.Errorf("%s: %w", mode.name, err)
					}
				}
				t, err := search(ctx, p, v, mode.o)
				if err != nil {
					return err
				}
				ms = append(ms, t)
			}
			fmt.Printf("  %s, alpha %g: %.4f ms (%.4f to %.4f), %.4g GTEPS\n", mode.name, alpha, median(ms), slices.Min(ms), slices.Max(ms), median(edges)/median(ms)/1e6)
		}
		if *levels {
			o := dobfs.Options{Stats: true, DeviceTime: true}
			o.Tuning.Alpha = alpha
			r, err := dobfs.Run(ctx, p, from[0], o)
			if err != nil {
				return err
			}
			for _, l := range r.Stats {
				fmt.Printf("    %+v\n", l)
			}
			r.Close()
		}
	}
	return p.Close()
}

// onHost returns the depths from every source, and how many undirected edges there
// are among what was reached.
func onHost(ctx context.Context, g *graph.Graph, from []uint32) (depths [][]int32, edges []float64, err error) {
	p, err := g.On(host.New(0))
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	for i, v := range from {
		if *only > 0 && i >= *only { // the edges are about the same
			edges = append(edges, edges[0])
			continue
		}
		r, err := dobfs.Run(ctx, p, v, dobfs.Options{})
		if err != nil {
			return nil, nil, err
		}
		all, err := r.Depths()
		if err != nil {
			return nil, nil, err
		}
		d, sum := slices.Clone(all), uint64(0)
		for v, depth := range d {
			if depth >= 0 {
				sum += g.Degree(uint32(v))
			}
		}
		depths, edges = append(depths, d), append(edges, float64(sum)/2)
		r.Close()
	}
	return depths, edges, nil
}

func compare(ctx context.Context, p *graph.Placed, from uint32, o dobfs.Options, want []int32) error {
	r, err := dobfs.Run(ctx, p, from, o)
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := r.Depths()
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return errors.New("depths differ from the host's")
	}
	if !o.Outputs.Has(bfs.Parents) {
		return nil
	}
	parents, err := r.Parents()
	if err != nil {
		return err
	}
	for v, d := range got { // an edge leads there from the parent
		if u := parents[v]; d > 0 && (got[u] != d-1 || !slices.Contains(p.Graph().Out().Neighbors(uint32(v)), u) && v%64 == 0) {
			return fmt.Errorf("vertex %d at depth %d has the parent %d", v, d, u)
		}
	}
	return nil
}

func search(ctx context.Context, p *graph.Placed, from uint32, o dobfs.Options) (float64, error) {
	var ms []float64
	for range *trials {
		r, err := dobfs.Run(ctx, p, from, o)
		if err != nil {
			return 0, err
		}
		ms = append(ms, float64(r.DeviceTime.Nanoseconds())/1e6)
		r.Close()
	}
	return median(ms), nil
}

func median(xs []float64) float64 {
	xs = slices.Clone(xs)
	slices.Sort(xs)
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
