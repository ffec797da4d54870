// This file holds the bench command.

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

type benchFlags struct {
	inputFlags
	searchFlags
	algos, strategies []string
	couplings         []string
	balances, culls   []string
	sources, trials   positive
	seed              uint64
	givenOrder        bool
	noCheck           bool
	json              bool
}

const benchLong = `Times searches on each PATH, which is a graph of its own, and prints for each
algorithm the milliseconds of a search (the smallest, the median and the largest
of the sources' medians) and the median rate in GTEPS, 10^9 edges a second.

What counts is the time from the call to the result standing complete in the
device's memory, initialisation included; on a GPU by its own clock, after 20 ms
of searches that aren't timed. Loading, placing (on a GPU: the upload) and what
is prepared once per graph stand beside it. Sources are drawn at random from the
vertices that have an edge, by their external ids, so that they don't depend on
--order. The edges counted are those of the part of the graph that was reached,
undirected ones once. Before anything is timed, every algorithm is run from
every source, its depths are compared with those of a sequential search, and its
parents are checked by Graph500's five rules.

`

func (a *app) benchCommand() *cobra.Command {
	f := &benchFlags{sources: bench.DefaultSources, trials: bench.DefaultTrials}
	cmd := &cobra.Command{
		Use:   "bench PATH...",
		Short: "Time searches",
		Long:  benchLong + inputHelp,
		Example: `  foray bench gen:kron20
  foray bench gen:kron22 gen:urand22 gen:grid2d gen:road --json > results.json
  foray bench road.sg --algo bfs,dobfs,seq --strategy queue,hybrid --workers 16`,
		GroupID: groupSearch,
		Args:    needArgs(1, -1, "bench needs a PATH"),
	}
	m := newGroup("Measuring")
	m.flags.StringSliceVar(&f.algos, "algo", []string{"auto"}, "`NAMES` of algorithms: bfs, dobfs, seq (one goroutine), or auto: dobfs unless the graph is directed")
	m.flags.StringSliceVar(&f.strategies, "strategy", []string{"auto"}, "`NAMES` of strategies of bfs, each measured: auto, queue, read, hybrid")
	m.flags.Var(&f.sources, "sources", "vertices to search from")
	m.flags.Uint64Var(&f.seed, "seed", 1, "draw other sources for another `N`")
	m.flags.Var(&f.trials, "trials", "times that each source is timed; the median counts")
	m.flags.StringSliceVar(&f.couplings, "coupling", []string{"auto"}, "on a GPU, `NAMES` of couplings of bfs, each measured: auto, expand-contract, contract-expand, two-phase, hybrid, fused, quadratic, quadratic-pull; of dobfs auto, fused and expand-contract")
	m.flags.StringSliceVar(&f.balances, "balance", []string{"auto"}, "on a GPU, `NAMES` of ways to share out edges, each measured: auto, thread, warp, twc, merge, edges, hubs, buckets")
	m.flags.StringSliceVar(&f.culls, "culls", []string{"auto"}, "on a GPU, `WAYS` to drop what was seen, each measured: auto, or some of bitmask, label, warp, history, exact, joined by +")
	for _, name := range []string{"algo", "strategy", "coupling", "balance", "culls"} {
		m.flags.Lookup(name).DefValue = "auto" // else it stands in brackets
	}
	f.searchFlags.add(m)
	m.flags.BoolVar(&f.depths, "depths", true, "find depths; --depths=false leaves them out")
	m.flags.BoolVar(&f.givenOrder, "given-order", false, "let the time include gathering the result into the order of ids")
	m.flags.BoolVar(&f.noCheck, "no-check", false, "don't compare with the sequential search: quicker, and figures that prove nothing")
	out := newGroup("Output")
	out.flags.BoolVar(&f.json, "json", false, "print JSON, with every trial, instead of a table")
	setFlags(cmd, m, f.inputFlags.group(), out)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.searchFlags.check(); err != nil {
			return err
		}
		// The defaults aren't part of an algorithm's name.
		if !cmd.Flags().Changed("alpha") {
			f.alpha = 0
		}
		if !cmd.Flags().Changed("beta") {
			f.beta = 0
		}
		return a.bench(cmd.Context(), args, f)
	}
	return cmd
}

// algorithms returns what the flags name. Nil stands for auto.
func (f *benchFlags) algorithms() ([]bench.Algorithm, error) {
	var strategies []bfs.Strategy
	for _, name := range f.strategies {
		s, err := bfs.ParseStrategy(name)
		if err != nil {
			return nil, usagef("--strategy: want auto, queue, read or hybrid, not %q", name)
		}
		strategies = append(strategies, s)
	}
	var list []bench.Algorithm
	for _, name := range f.algos {
		switch name {
		case "bfs":
			more, err := f.variants(strategies)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		case "dobfs":
			for _, name := range f.couplings {
				c, err := bfs.ParseCoupling(name)
				if err != nil {
					return nil, &usageError{err: err}
				}
				if c == bfs.AutoCoupling || c == bfs.Fused || c == bfs.ExpandContract { // the others only push
					list = append(list, bench.Algorithm{Kind: bench.DOBFS, Coupling: c, Alpha: f.alpha, Beta: f.beta})
				}
			}
		case "seq":
			list = append(list, bench.Algorithm{Kind: bench.Sequential})
		case "auto":
			if len(f.algos) > 1 {
				return nil, usagef("--algo auto stands alone")
			}
		default:
			return nil, usagef("--algo: want auto, bfs, dobfs or seq, not %q", name)
		}
	}
	return list, nil
}

// variants returns all combinations of the flags for bfs.
func (f *benchFlags) variants(strategies []bfs.Strategy) (list []bench.Algorithm, err error) {
	for _, s := range strategies {
		for _, coupling := range f.couplings {
			for _, balance := range f.balances {
				for _, culls := range f.culls {
					a := bench.Algorithm{Kind: bench.BFS, Strategy: s}
					if a.Coupling, err = bfs.ParseCoupling(coupling); err != nil {
						return nil, &usageError{err: err}
					}
					if a.Balance, err = advance.ParseStrategy(balance); err != nil {
						return nil, &usageError{err: err}
					}
					if culls != "auto" {
						if a.Culls, err = filter.ParseCulls(culls); err != nil {
							return nil, &usageError{err: err}
						}
					}
					list = append(list, a)
				}
			}
		}
	}
	return list, nil
}

func (a *app) bench(ctx context.Context, paths []string, f *benchFlags) error {
	algorithms, err := f.algorithms()
	if err != nil {
		return err
	}
	if f.sources == 0 || f.trials == 0 {
		return usagef("--sources and --trials must be at least 1")
	}
	dev, err := openDevice(f.device.value, int(f.workers))
	if err != nil {
		return err
	}
	defer dev.Close()
	var reports []*bench.Report
	for i, path := range paths {
		o := f.inputFlags.options()
		for _, a := range algorithms {
			o.Reverse = o.Reverse || a.Kind == bench.DOBFS
		}
		g, err := a.load(ctx, []string{path}, &f.inputFlags, o)
		if err != nil {
			return err
		}
		start := time.Now()
		p, err := g.On(dev)
		if err != nil {
			return err
		}
		placed := time.Since(start)
		measured := algorithms
		if measured == nil {
			auto := bench.Auto(g.Graph)
			if auto.Kind == bench.DOBFS {
				auto.Alpha, auto.Beta = f.alpha, f.beta
			}
			measured = []bench.Algorithm{auto}
		}
		progress := a.progress()
		r, err := bench.Run(ctx, p, bench.Options{
			Sources: int(f.sources), Seed: f.seed, Trials: int(f.trials), Algorithms: measured,
			Parents: f.parents, NoDepths: !f.depths, GivenOrder: f.givenOrder, NoCheck: f.noCheck,
			Progress: func(phase string, done, total int) { progress.update(phase, uint64(done), uint64(total)) },
		})
		progress.end()
		if errors.Is(err, bench.ErrOption) {
			return &usageError{err: err}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := p.Free(); err != nil {
			return err
		}
		r.Graph.Name = path
		r.Graph.LoadMS, r.Graph.PlaceMS = float64(g.took.Microseconds())/1e3, float64(placed.Microseconds())/1e3
		reports = append(reports, r)
		if f.json {
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := r.WriteTable(a.stdout); err != nil {
			return err
		}
	}
	if f.json {
		return bench.WriteJSON(a.stdout, reports)
	}
	return nil
}
