// Command algofuzz runs the algorithms on random graphs on the host, with one worker and with
// several, and compares the results with naive loops that are written from the definitions.
// A million graphs for each algorithm:
//
//	go run ./internal/testing/algofuzz -graphs 1000000 -seed 1
//
// With -device cuda:0 graphs are placed on that GPU instead.
//
// Most graphs have up to 40 vertices. One in 50 has up to 600, one in 1,000 up to 2,000 and one in 5,000
// up to 9,000, which is enough for workers to share. Graphs have many shapes, are directed or not, and have
// external ids, orders, self-loops, duplicates and weights of all kinds; they come from a Builder or
// from rows. Options of the algorithms vary too.
//
// Every graph has its own seed: the first has -seed, each later one the next number. A single graph is run again by
//
//	go run ./internal/testing/algofuzz -graphs 1 -seed 4711 -algo sssp
//
// What shows only after other algorithms have used the same placed graph takes those in -algo too, in the order
// of the list.
//
// The command prints a line for each algorithm, and the first differences of each. Its exit status is 1
// if there is any.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu" // device.Open knows GPUs
)

// algorithm is one that is compared with its definition.
type algorithm struct {
	name string
	// check runs it on a graph with options drawn from r, and returns the first difference.
	check func(ctx context.Context, c *graphCase, r *rand.Rand) error
}

var algorithms = []algorithm{
	{"sssp", checkPaths},
	{"cc", checkComponents},
	{"pagerank", checkRanks},
	{"bc", checkBetweenness},
	{"bcedges", checkEdgeBetweenness},
	{"kcore", checkCores},
	{"triangles", checkTriangles},
	{"msbfs", checkDistances},
	{"lpa", checkLabels},
	{"louvain", checkLouvain},
	{"leiden", checkLeiden},
	{"degree", checkDegrees},
	{"eigenvector", checkEigenvector},
	{"hits", checkHits},
	{"katz", checkKatz},
	{"mis", checkSets},
	{"color", checkColors},
	{"topo", checkLevels},
	{"similar", checkSimilar},
	{"msf", checkForests},
	{"bridges", checkBridges},
	{"ktruss", checkTrusses},
	{"kclique", checkCliques},
	{"walks", checkWalks},
}

// tally is what came of an algorithm.
type tally struct {
	graphs, differences int
	took                time.Duration
}

func main() {
	graphs := flag.Uint64("graphs", 1000, "how many graphs each algorithm is run on")
	seed := flag.Uint64("seed", 1, "seed of the first graph; each has the next one")
	names := flag.String("algo", "", "algorithms, separated by commas: "+strings.Join(allNames(), ", ")+"; all if empty")
	shown := flag.Int("show", 3, "how many differences are printed for each algorithm")
	on := flag.String("device", "host", "where graphs are placed: host, on one worker and on several; or a GPU, as cuda:0")
	flag.Parse()
	chosen, err := choose(*names)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "algofuzz:", errors.Join(err, unexpected(flag.Args())))
		os.Exit(2)
	}
	if *on != "host" {
		if other, err = device.Open(*on); err != nil {
			fmt.Fprintln(os.Stderr, "algofuzz:", err)
			os.Exit(1)
		}
		defer other.Close()
	}
	debug.SetGCPercent(800) // graphs are small, and soon forgotten
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	f := fuzzer{chosen: chosen, patience: 5 * time.Minute,
		progress: func(n uint64) { fmt.Fprintln(os.Stderr, n, "graphs") },
		difference: func(name string, nth int, err error) {
			if nth < *shown {
				fmt.Println(err)
			}
		}}
	tallies := f.run(ctx, *seed, *graphs)
	differences := 0
	fmt.Printf("%-11s %10s %12s %9s\n", "algorithm", "graphs", "differences", "seconds")
	for i, t := range tallies {
		fmt.Printf("%-11s %10d %12d %9.1f\n", chosen[i].name, t.graphs, t.differences, t.took.Seconds())
		differences += t.differences
	}
	if differences > 0 || ctx.Err() != nil {
		os.Exit(1)
	}
}

func unexpected(args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unexpected argument %q", args[0])
}

func allNames() (names []string) {
	for _, a := range algorithms {
		names = append(names, a.name)
	}
	return names
}

// choose returns the algorithms with the given names, or all for an empty list.
func choose(names string) (chosen []algorithm, err error) {
	if names == "" {
		return algorithms, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.Index(allNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("no algorithm %q; want one of %s", name, strings.Join(allNames(), ", "))
		}
		chosen = append(chosen, algorithms[i])
	}
	return chosen, nil
}

// fuzzer runs algorithms on graphs.
type fuzzer struct {
	chosen     []algorithm
	patience   time.Duration  // what a single check may take, beyond which it counts as hanging
	spoil      func(m *model) // changes the models, for tests; nil: doesn't
	difference func(name string, nth int, err error)
	progress   func(graphs uint64) // is called every minute; nil: isn't
}

// run runs the algorithms on graphs of successive seeds, until the context ends.
func (f *fuzzer) run(ctx context.Context, seed, graphs uint64) []tally {
	tallies := make([]tally, len(f.chosen))
	told := time.Now()
	for s := seed; s-seed < graphs && ctx.Err() == nil; s++ {
		c := newCase(s)
		c.spoil = f.spoil
		for i, a := range f.chosen {
			again := rerun(a.name, s)
			watch := time.AfterFunc(f.patience, func() { panic(fmt.Sprintf("no end within %v: %s", f.patience, again)) })
			began := time.Now()
			err := a.safely(ctx, c)
			watch.Stop()
			tallies[i].took += time.Since(began)
			if ctx.Err() != nil {
				break // the context's error is returned
			}
			tallies[i].graphs++
			if err != nil {
				f.difference(a.name, tallies[i].differences, fmt.Errorf("%s: %w\n  %v\n  %s", a.name, err, c, again))
				tallies[i].differences++
			}
		}
		if err := c.free(); err != nil {
			f.difference("", 0, fmt.Errorf("seed %d: freeing: %w", s, err))
			tallies[len(tallies)-1].differences++
		}
		if f.progress != nil && time.Since(told) > time.Minute {
			told = time.Now()
			f.progress(s + 1 - seed)
		}
	}
	return tallies
}

// rerun is the command that runs an algorithm on one graph.
func rerun(name string, seed uint64) string {
	return fmt.Sprintf("go run ./internal/testing/algofuzz -graphs 1 -seed %d -algo %s", seed, name)
}

// safely checks a graph, and returns panics as errors.
func (a algorithm) safely(ctx context.Context, c *graphCase) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	hash := uint64(0) // of the name: options don't depend on which other algorithms run
	for _, b := range []byte(a.name) {
		hash = hash*31 + uint64(b)
	}
	return a.check(ctx, c, rand.New(rand.NewPCG(c.seed, hash)))
}
