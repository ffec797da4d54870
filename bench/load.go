//go:build ignore

// This program times how long a graph takes to be loaded, or generated, placed and prepared, phase by
// phase, and how much memory the process held at most.
//
//	go run bench/load.go [-device cuda:0] [-weights] [-edge-ids] [-trials 3] [-fetch] [-leave 4] FILE|SPEC...
//
// SPEC is a generated graph, such as kron24. All trials run in one process: what a first one takes is in
// the first alone. Memory is the peak of the whole process so far (Linux).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/io/arrow"
)

var (
	name    = flag.String("device", "host", "where the graph is built and placed")
	weights = flag.Bool("weights", false, "with weights")
	edgeIDs = flag.Bool("edge-ids", false, "with the numbers of rows as edge ids")
	workers = flag.Int("workers", 0, "goroutines; 0 means GOMAXPROCS")
	trials  = flag.Int("trials", 3, "how often")
	leave   = flag.Float64("leave", 0, "GB of the device's memory; the rest is taken before")
	fetch   = flag.Bool("fetch", false, "fetch the rows to the host afterwards")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run bench/load.go [FLAG...] FILE|SPEC..., such as kron20")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	dev, err := device.Open(*name)
	check(err)
	var taken device.Memory
	if free := float64(dev.Info().MemoryFree); *leave > 0 && free > *leave*1e9 {
		taken, err = dev.Alloc(uint64(free - *leave*1e9))
		check(err)
	}
	for _, path := range flag.Args() {
		for range *trials {
			check(load(context.Background(), dev, path))
			debug.FreeOSMemory()
		}
	}
	if taken != nil {
		check(taken.Close())
	}
	check(dev.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// phases are how long each took, in the order in which they began.
type phases struct {
	names []string
	began []time.Time
}

func (p *phases) begin(name string) {
	if n := len(p.names); n == 0 || p.names[n-1] != name {
		p.names, p.began = append(p.names, name), append(p.began, time.Now())
	}
}

func (p *phases) String() string {
	var s strings.Builder
	for i, name := range p.names[:len(p.names)-1] {
		fmt.Fprintf(&s, ", %s %.3f", name, p.began[i+1].Sub(p.began[i]).Seconds())
	}
	return s.String()
}

func load(ctx context.Context, dev device.Device, path string) error {
	var p phases
	o := graph.Options{Device: dev, Weights: *weights, EdgeIDs: *edgeIDs, Workers: *workers, Progress: func(at graph.Progress) { p.begin(at.Phase) }}
	start := time.Now()
	p.begin("begin")
	g, err := make(ctx, path, o)
	if err != nil {
		return err
	}
	p.begin("place")
	placed, err := g.On(dev)
	if err != nil {
		return err
	}
	p.begin("prepare")
	placed.Prepare()
	if _, err := placed.PrepareRemote(); err != nil {
		return err
	}
	p.begin("end")
	took := time.Since(start)
	fmt.Printf("%s: %d vertices, %d directed edges, %.3f s%v; peak %s\n", path, g.NumVertices(), g.NumDirectedEdges(), took.Seconds(), &p, peak())
	if err := search(ctx, placed); err != nil {
		return err
	}
	if *fetch {
		start = time.Now()
		if err := g.Fetch(); err != nil {
			return err
		}
		fmt.Printf("fetched in %.3f s; peak %s\n", time.Since(start).Seconds(), peak())
	}
	return errors.Join(g.Close(), placed.Close())
}

// search prints the time of the second of two searches.
func search(ctx context.Context, p *graph.Placed) error {
	s, err := dobfs.NewSearcher(p, dobfs.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range 2 {
		start := time.Now()
		var r *bfs.Result
		if r, err = s.Run(ctx, bfs.Query{Sources: []uint32{0}}); err != nil {
			return err
		}
		if took := time.Since(start); i == 1 {
			fmt.Printf("a search takes %.3f ms and reaches %d vertices\n", took.Seconds()*1e3, r.Reached)
		}
	}
	return nil
}

func make(ctx context.Context, path string, o graph.Options) (*graph.Graph, error) {
	if name, ok := strings.CutPrefix(path, "gen:"); ok {
		spec, err := gen.Parse(name)
		if err != nil {
			return nil, err
		}
		return gen.Build(ctx, spec, o)
	}
	if spec, err := gen.Parse(path); err == nil && !strings.Contains(path, ".") {
		return gen.Build(ctx, spec, o)
	}
	return arrow.Load(ctx, path, arrow.Options{Graph: o})
}

// peak returns how much memory the process has held at most.
func peak() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}
