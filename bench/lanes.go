//go:build ignore

// This program times searches from many sources at once (algos/msbfs), with counts per level, by
// 64, 256 and 512 lanes, on one device or on several sets of GPUs in turn.
//
//	go run bench/lanes.go [-device "cuda:0 cuda:0,cuda:1"] [-sources 64] [-trials 3] [-levels] [-sharded] [-plain=false] [-one] kron22 urand22 road
//
// Sources are spread over the vertices that have edges. Kronecker graphs are ordered by degree. A graph is built
// on the first GPU, or the host, and placed on each set; with -sharded each set builds it, sharded. Counts
// on the first set are compared with plain searches from the first and the last source (not with -plain=false or -sharded), those on other sets
// with all of the first one's. -levels prints what each level of the first run took, -one times as many single searches (algos/dobfs),
// one after the other. A time is from the call of a Searcher, whose memory the first run takes, to the counts in the
// host's memory: the median of the trials.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	_ "github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
)

var (
	on      = flag.String("device", "host", "device to measure, or several sets of GPUs")
	count   = flag.Int("sources", 64, "sources")
	trials  = flag.Int("trials", 3, "runs timed of each kind")
	levels  = flag.Bool("levels", false, "print what each level took")
	sharded = flag.Bool("sharded", false, "each set of GPUs builds the graph, as shards")
	plain   = flag.Bool("plain", true, "compare with plain searches on the host")
	one     = flag.Bool("one", false, "time single searches too")
)

func main() {
	flag.Parse()
	tuning.ShardLeast = 0 // all GPUs, even if fewer are faster
	for _, name := range flag.Args() {
		check(contest(context.Background(), name))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// contest measures a graph on each set.
func contest(ctx context.Context, name string) error {
	var g *graph.Graph
	want := &wanted{}
	for i, set := range strings.Fields(*on) {
		dev, err := device.Open(set)
		if err != nil {
			return err
		}
		if i == 0 || *sharded {
			first := dev
			if set, _, several := strings.Cut(set, ","); several && !*sharded {
				if first, err = device.Open(set); err != nil {
					return err
				}
			}
			if g, err = build(ctx, name, first); err == nil && !*sharded {
				err = g.Fetch()
			}
			if first != dev {
				err = errors.Join(err, first.Close())
			}
			if err != nil {
				return err
			}
		}
		p, err := g.On(dev)
		if err != nil {
			return err
		}
		if err := measure(ctx, p, name, set, want); err != nil {
			return fmt.Errorf("%s on %s: %w", name, set, err)
		}
		if *sharded { // the graph first, or Close fetches its rows
			err = g.Close()
		}
		if err := errors.Join(err, p.Close(), dev.Close()); err != nil {
			return err
		}
	}
	return nil
}

func build(ctx context.Context, name string, dev device.Device) (*graph.Graph, error) {
	spec, err := gen.Parse(name)
	if err != nil {
		return nil, err
	}
	o := graph.Options{DeviceOnly: *sharded}
	if dev.Info().Kind != device.Host {
		o.Device = dev
	}
	if strings.HasPrefix(name, "kron") {
		o.Order = graph.OrderDegree
	}
	g, err := gen.Build(ctx, spec, o)
	if err == nil {
		fmt.Printf("%s: %d vertices, %d directed edges\n", name, g.NumVertices(), g.NumDirectedEdges())
	}
	return g, err
}

// wanted is what the first set counted.
type wanted struct {
	sources []uint32
	counts  [][]uint64
}

func measure(ctx context.Context, p *graph.Placed, name, set string, want *wanted) error {
	g := p.Graph()
	sources := spread(g, *count)
	if len(sources) == 0 {
		return errors.New("it has no edges")
	}
	if want.sources != nil && !slices.Equal(sources, want.sources) {
		return errors.New("the graph differs")
	}
	want.sources = sources
	fmt.Printf("  %s: %s\n", set, p.Device().Info().Model)
	for _, lanes := range []int{64, 256, 512} {
		if lanes > 64 && (lanes/2 >= len(sources) || strings.Contains(set, ",")) {
			continue // several GPUs search by 64
		}
		s, err := msbfs.NewSearcher(p, msbfs.Options{Lanes: lanes, Stats: *levels})
		if err != nil {
			return err
		}
		took, err := timed(func(i int) error {
			r, err := s.Run(ctx, sources)
			if err != nil || i > 0 {
				return err
			}
			for _, l := range r.Stats.Levels {
				fmt.Printf("    level %d: %d vertices, %d edges, %.3f ms\n", l.Level, l.Frontier, l.Edges, ms(l.Took))
			}
			return want.compare(g, r.Counts)
		})
		if err := errors.Join(err, s.Close()); err != nil {
			return fmt.Errorf("%d lanes: %w", lanes, err)
		}
		report(fmt.Sprintf("%d sources, %3d lanes", len(sources), lanes), took)
	}
	if !*one {
		return nil
	}
	s, err := dobfs.NewSearcher(p, dobfs.Options{})
	if err != nil {
		return err
	}
	took, err := timed(func(int) error {
		for _, v := range sources {
			if _, err := s.Run(ctx, bfs.Query{Sources: []uint32{v}}); err != nil {
				return err
			}
		}
		return nil
	})
	report(fmt.Sprintf("%d single searches", len(sources)), took)
	return errors.Join(err, s.Close())
}

// compare compares with the first set's counts, which plain searches have to confirm.
func (w *wanted) compare(g *graph.Graph, counts [][]uint64) error {
	if w.counts == nil {
		last := len(counts) - 1
		if *plain && !*sharded {
			seq := oracle.Counts(g, []uint32{w.sources[0], w.sources[last]})
			if !slices.Equal(counts[0], seq[0]) || !slices.Equal(counts[last], seq[1]) {
				return errors.New("wrong counts")
			}
		}
		w.counts = counts
	}
	for i, c := range counts {
		if !slices.Equal(c, w.counts[i]) {
			return fmt.Errorf("counts of source %d differ: %d, %d", i, c, w.counts[i])
		}
	}
	return nil
}

// timed runs something once, and then the requested number of times.
func timed(run func(i int) error) (took []time.Duration, err error) {
	for i := range max(*trials, 1) + 1 {
		began := time.Now()
		if err := run(i); err != nil {
			return nil, err
		}
		if i > 0 {
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	return took, nil
}

func report(what string, took []time.Duration) {
	if len(took) > 0 {
		fmt.Printf("  %-28s %10.3f ms (%.3f to %.3f)\n", what, ms(took[len(took)/2]), ms(took[0]), ms(took[len(took)-1]))
	}
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
