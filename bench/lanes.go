//go:build ignore

// This program times searches from many sources at once (algos/msbfs), with counts per level, by
// 64, 256 and 512 lanes. Counts of the first and the last source are compared with plain searches
// first.
//
//	go run bench/lanes.go [-device cuda:0] [-sources 64] [-trials 3] kron22 urand22 road
//
// Sources are spread over the vertices that have edges. Kronecker graphs are ordered by degree. A
// time is from the call of a Searcher, whose memory the first run takes, to the counts in the host's memory: the
// median of the trials.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	_ "github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

var (
	on     = flag.String("device", "host", "device to measure")
	count  = flag.Int("sources", 64, "sources")
	trials = flag.Int("trials", 3, "runs timed of each kind")
)

func main() {
	flag.Parse()
	dev, err := device.Open(*on)
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
	p, err := g.On(dev)
	if err != nil {
		return err
	}
	defer p.Free()
	sources := spread(g, *count)
	if len(sources) == 0 {
		return fmt.Errorf("%s has no edges", name)
	}
	ends := []uint32{sources[0], sources[len(sources)-1]}
	want := msbfs.Sequential(g, ends)
	for _, lanes := range []int{64, 256, 512} {
		if lanes > 64 && lanes/2 >= len(sources) {
			continue
		}
		var took []time.Duration
		s, err := msbfs.NewSearcher(p, msbfs.Options{Lanes: lanes})
		if err != nil {
			return err
		}
		for i := range max(*trials, 1) + 1 { // the first one isn't timed
			began := time.Now()
			r, err := s.Run(ctx, sources)
			if err != nil {
				return err
			}
			if i > 0 {
				took = append(took, time.Since(began))
			} else if !slices.Equal(r.Counts[0], want[0]) || !slices.Equal(r.Counts[len(sources)-1], want[1]) {
				return fmt.Errorf("%s, %d lanes: wrong counts", name, lanes)
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
		slices.Sort(took)
		fmt.Printf("%-10s %d sources, %3d lanes %10.3f ms (%.3f to %.3f)\n", name, len(sources), lanes,
			ms(took[len(took)/2]), ms(took[0]), ms(took[len(took)-1]))
	}
	return nil
}

// spread returns so many vertices that have edges, or as many as there are.
func spread(g *graph.Graph, count int) (vs []uint32) {
	n := uint64(g.NumVertices())
	for i := uint64(0); i < n && len(vs) < count; i++ {
		if v := uint32(i * 2654435761 % n); g.Degree(v) > 0 {
			vs = append(vs, v)
		}
	}
	return vs
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
