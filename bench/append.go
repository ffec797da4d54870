//go:build ignore

// This program compares the time of graph.Graph.Append with building the graph again, and searches of the
// graph with and without the appended edges.
//
//	go run bench/append.go [-percent 1] [-trials 5] kron22
//
// The new edges are the last ones that the generator makes. Graphs have no duplicates, and are ordered by
// degree where degrees are skewed. Times are medians; builds begin with edges in memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

var (
	percent = flag.Float64("percent", 1, "new edges, of those that the graph has")
	trials  = flag.Int("trials", 5, "runs timed of each kind")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run bench/append.go [-percent 1] [-trials 5] SPEC..., such as kron22")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if !(*percent > 0 && *percent < 100) {
		check(fmt.Errorf("-percent is %v: want more than 0 and less than 100", *percent))
	}
	for _, name := range flag.Args() {
		check(measure(context.Background(), name))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, name string) error {
	spec, err := gen.Parse(strings.TrimPrefix(name, "gen:"))
	if err != nil {
		return err
	}
	var src, dst []int64
	if err := gen.Ordered(ctx, spec, 2, func(_ int, u, v []uint32) error {
		for i := range u {
			src, dst = append(src, int64(u[i])), append(dst, int64(v[i]))
		}
		return nil
	}); err != nil {
		return err
	}
	all := len(src)
	old := int(float64(all) * (1 - *percent/100))
	if old == 0 || old == all {
		return fmt.Errorf("%s: %v %% of %d edges leave none on one side; take another -percent, or a larger graph", name, *percent, all)
	}
	base, built, err := build(ctx, src[:old], dst[:old])
	if err != nil {
		return err
	}
	more, built1, err := build(ctx, src[old:], dst[old:])
	if err != nil {
		return err
	}
	var got *graph.Graph
	took, err := median(func() (err error) {
		got, err = base.Append(ctx, more, graph.AppendOptions{})
		return err
	})
	if err != nil {
		return err
	}
	fmt.Printf("%s: built in %.3f s; %d edges and %d vertices built in %.3f s and appended in %.3f s, %.1f %% of a build\n", name, built.Seconds(), all-old,
		got.NumVertices()-base.NumVertices(), built1.Seconds(), took.Seconds(), 100*(built1+took).Seconds()/built.Seconds())
	for what, g := range map[string]*graph.Graph{"without": base, "with": got} {
		p, err := g.On(host.New(0))
		if err != nil {
			return err
		}
		source, searches := uint32(0), []time.Duration{}
		for range 16 {
			source = uint32(uint64(source)*2654435761+12345) % uint32(base.NumVertices())
			took, err := median(func() error {
				r, err := dobfs.Run(ctx, p, source, dobfs.Options{})
				r.Close()
				return err
			})
			if err != nil {
				return err
			}
			searches = slices.Insert(searches, len(searches), took)
		}
		slices.Sort(searches)
		fmt.Printf("  a search %s them %.3f ms\n", what, float64(searches[8].Microseconds())/1000)
		if err := p.Close(); err != nil {
			return err
		}
	}
	return nil
}

// build builds the graph of edges, and returns the time.
func build(ctx context.Context, src, dst []int64) (*graph.Graph, time.Duration, error) {
	began := time.Now()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, src, dst, nil); err != nil {
		return nil, 0, err
	}
	g, err := b.Build(ctx)
	return g, time.Since(began), err
}

func median(do func() error) (time.Duration, error) {
	var took []time.Duration
	for range max(*trials, 1) {
		began := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
