//go:build ignore

// This program times the traversals of examples/ that are made of steps, by every engine
// that the device has: k-hop over edges that aren't too heavy, components by label
// propagation, PageRank by gathering. Each is compared with the host's first.
//
//	go run bench/traversals.go [-device cuda:0] [-trials 5] kron22 road
//
// Kronecker graphs are ordered by degree; weights are drawn from 0 to 99. A time is from the
// call to the values standing complete on the device, initialization included: the median of
// the trials, after two that warm up.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/components"
	"github.com/foray-graph/foray/examples/khop"
	"github.com/foray-graph/foray/examples/pagerank"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/traverse"
)

var (
	on     = flag.String("device", "cuda:0", "device to measure")
	trials = flag.Int("trials", 5, "traversals timed of each kind")
	rounds = flag.Int("rounds", 20, "rounds of PageRank")
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

// kind is one of the traversals: it returns its statistics and its values as numbers.
type kind struct {
	name string
	run  func(p *graph.Placed, o traverse.Options, keep bool) (traverse.Stats, []float64, error)
}

func values[T device.Elem](r *traverse.Values[T], err error, keep bool) (traverse.Stats, []float64, error) {
	if err != nil {
		return traverse.Stats{}, nil, err
	}
	var all []float64
	if keep {
		a, err := r.Slice()
		if err != nil {
			return r.Stats, nil, err
		}
		all = make([]float64, len(a))
		for v, x := range a {
			all[v] = float64(x)
		}
	}
	return r.Stats, all, r.Close()
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
	bare, err := gen.Build(ctx, spec, o)
	if err != nil {
		return err
	}
	out := *bare.Out()
	out.Weights = make([]float32, out.NumEdges())
	r := rand.New(rand.NewPCG(5, 5))
	for e := range out.Weights {
		out.Weights[e] = float32(r.IntN(100))
	}
	g, err := graph.FromCSR(out, graph.CSROptions{})
	if err != nil {
		return err
	}
	p, err := g.On(dev)
	if err != nil {
		return err
	}
	defer p.Close()
	h, err := g.On(host.New(0))
	if err != nil {
		return err
	}
	source := uint32(0)
	for g.Degree(source) == 0 {
		source++
	}
	kinds := []kind{
		{"khop", func(p *graph.Placed, o traverse.Options, keep bool) (traverse.Stats, []float64, error) {
			r, err := khop.Run(ctx, p, source, 1<<30, 80, o)
			return values(r, err, keep)
		}},
		{"components", func(p *graph.Placed, o traverse.Options, keep bool) (traverse.Stats, []float64, error) {
			r, err := components.Run(ctx, p, o)
			return values(r, err, keep)
		}},
		{"pagerank", func(p *graph.Placed, o traverse.Options, keep bool) (traverse.Stats, []float64, error) {
			x := traverse.New(ctx, p, o)
			defer x.Close()
			r, err := traverse.Result(x, pagerank.Ranks(x, 0.85, *rounds, 0))
			return values(r, err, keep)
		}},
	}
	engines := []traverse.Engine{traverse.LevelByLevel, traverse.Persistent}
	if dev.Info().Kind == device.Host {
		engines = engines[:1]
	}
	fmt.Printf("%-10s %-11s %-15s %8s %10s %10s %10s\n", "graph", "traversal", "engine", "rounds", "least ms", "median ms", "most ms")
	for _, k := range kinds {
		_, want, err := k.run(h, traverse.Options{}, true)
		if err != nil {
			return err
		}
		for _, e := range engines {
			o := traverse.Options{Engine: e}
			st, got, err := k.run(p, o, true)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", k.name, e, err)
			}
			for v := range want {
				if math.Abs(got[v]-want[v]) > 1e-3*math.Abs(want[v]) {
					return fmt.Errorf("%s, %s: vertex %d has %g, want %g", k.name, e, v, got[v], want[v])
				}
			}
			var took []time.Duration
			for i := range *trials + 2 {
				if st, _, err = k.run(p, o, false); err != nil {
					return err
				}
				if i >= 2 {
					took = append(took, st.Elapsed)
				}
			}
			slices.Sort(took)
			ms := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
			fmt.Printf("%-10s %-11s %-15s %8d %10.3f %10.3f %10.3f\n", name, k.name, e, st.Rounds, ms(took[0]), ms(took[len(took)/2]), ms(took[len(took)-1]))
		}
	}
	return nil
}
