//go:build ignore

// This program times direction-optimizing searches of one graph on the first GPU in
// three ways, one after the other: depths in the graph's own order, by external id,
// and with parents. It builds the graph once, where foray bench would do so for each,
// and compares with the host's search, not with a sequential one.
//
//	go run bench/gpu_modes.go [-sources 16] [-trials 5] kron24 kron26 urand22
//
// Kronecker graphs are ordered by degree. It prints the median over the sources of
// the median of each, the smallest and the largest, and edges by that median.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

var (
	sources = flag.Int("sources", 16, "vertices to search from")
	trials  = flag.Int("trials", 5, "searches timed from each")
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

func measure(ctx context.Context, dev device.Device, name string) error {
	spec, err := gen.Parse(name)
	if err != nil {
		return err
	}
	o := graph.Options{}
	if strings.HasPrefix(name, "kron") {
		o.Order = graph.OrderDegree
	}
	g, err := gen.Build(ctx, spec, o)
	if err != nil {
		return err
	}
	from := bench.Sources(g, bench.ExternalOrder(g.IDs()), *sources, 1)
	want, edges, err := onHost(ctx, g, from)
	if err != nil {
		return err
	}
	p, err := g.On(dev)
	if err != nil {
		return err
	}
	for _, mode := range []struct {
		name string
		o    dobfs.Options
	}{
		{"own order", dobfs.Options{DeviceTime: true}},
		{"by id", dobfs.Options{DeviceTime: true, ByID: true}},
		{"parents", dobfs.Options{DeviceTime: true, Outputs: bfs.Depths | bfs.Parents}},
	} {
		var ms []float64
		for i, v := range from {
			if err := compare(ctx, p, v, mode.o, want[i]); err != nil {
				return fmt.Errorf("%s, %s: %w", name, mode.name, err)
			}
			t, err := search(ctx, p, v, mode.o)
			if err != nil {
				return err
			}
			ms = append(ms, t)
		}
		fmt.Printf("%s, %s: %.4f ms (%.4f to %.4f), %.3g GTEPS\n", name, mode.name, median(ms), slices.Min(ms), slices.Max(ms), median(edges)/median(ms)/1e6)
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
	for _, v := range from {
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

func compare(ctx context.Context, p *graph.Placed, v uint32, o dobfs.Options, want []int32) error {
	r, err := dobfs.Run(ctx, p, v, o)
	if err != nil {
		return err
	}
	defer r.Close()
	if order := p.Graph().IDs().ByID(); o.ByID && order != nil {
		byID, err := r.DepthsByID()
		if err != nil {
			return err
		}
		for i, x := range order {
			if byID[i] != want[x] {
				return fmt.Errorf("vertex %d has depth %d by id, not %d", x, byID[i], want[x])
			}
		}
	} else if d, err := r.Depths(); err != nil {
		return err
	} else if !slices.Equal(d, want) {
		return fmt.Errorf("depths from %d aren't the host's", v)
	}
	if o.Outputs.Has(bfs.Parents) {
		return bfs.Validate(p.Graph(), r)
	}
	return nil
}

// search returns the median of the searches from a vertex, after 15 ms of others.
func search(ctx context.Context, p *graph.Placed, v uint32, o dobfs.Options) (float64, error) {
	var ms []float64
	for start := time.Now(); len(ms) < *trials; {
		r, err := dobfs.Run(ctx, p, v, o)
		if err != nil {
			return 0, err
		}
		if time.Since(start) > 15*time.Millisecond {
			ms = append(ms, float64(r.DeviceTime.Nanoseconds())/1e6)
		}
		r.Close()
	}
	return median(ms), nil
}

// median is the mean of the two in the middle where there are two.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
