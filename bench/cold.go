//go:build ignore

// This program measures the first run of a user's functor in a new process, whose kernels aren't compiled ahead.
//
//	go run bench/cold.go [-device cuda:0] widest|pagerank SPEC
//
// SPEC is a generated graph: for widest with weights, such as kron20:weights=1:255. It prints the milliseconds that
// opening the GPU and placing the graph took, and those of the first and the second run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/examples/pagerank"
	"github.com/foray-graph/foray/examples/widest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/traverse"
)

var on = flag.String("device", "cuda:0", "where it runs")

func main() {
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run bench/cold.go widest|pagerank SPEC")
		os.Exit(2)
	}
	what, spec := flag.Arg(0), flag.Arg(1)
	made, err := gen.Parse(spec)
	check(err)
	g, err := gen.Build(context.Background(), made, graph.Options{Weights: strings.Contains(spec, "weights"), Reverse: true})
	check(err)
	var marks []time.Time
	mark := func() { marks = append(marks, time.Now()) }
	mark()
	dev, err := device.Open(*on)
	check(err)
	mark()
	p, err := g.On(dev)
	check(err)
	mark()
	for range 2 {
		check(one(p, what))
		mark()
	}
	check(p.Close())
	check(dev.Close())
	fmt.Printf("%s of %s: ", what, spec)
	for i, name := range []string{"open", "place", "first", "second"} {
		fmt.Printf(" %s %.1f", name, float64(marks[i+1].Sub(marks[i]))/1e6)
	}
	fmt.Println(" ms")
}

// one runs a traversal and waits for its result.
func one(p *graph.Placed, what string) error {
	t := traverse.New(context.Background(), p, traverse.Options{})
	defer t.Close()
	var result *device.Buffer[float32]
	switch what {
	case "widest":
		result = widest.Paths(t, 0)
	case "pagerank":
		result = pagerank.Ranks(t, 0.85, 20, 0)
	default:
		return fmt.Errorf("%s: want widest or pagerank", what)
	}
	v, err := traverse.Result(t, result)
	if err != nil {
		return err
	}
	return v.Close()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cold:", err)
		os.Exit(1)
	}
}
