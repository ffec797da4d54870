// This file holds the bench command.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
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
	batch             positive
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

With --batch N, N searches from the same sources in turn run one after the other
in the same memory as well; "ms in a batch" is what each took by the host's
clock, "x single" that time by the mean time of single searches, a ratio: 0.80
is a fifth less.

`

func (a *app) benchCommand() *cobra.Command {
	f := &benchFlags{sources: bench.DefaultSources, trials: bench.DefaultTrials}
	cmd := &cobra.Command{
		Use:   "bench PATH...",
		Short: "Time searches",
		Long:  benchLong + inputHelp + whereHelp,
		Example: `  foray bench gen:kron20
  foray bench gen:kron22 gen:urand22 gen:grid2d gen:road --json > results.json
  foray bench road.sg --algo bfs,dobfs,seq --strategy queue,hybrid --workers 16`,
		GroupID: groupSearch,
		Args:    needArgs(1, -1, "bench needs a PATH"),
	}
	m := newGroup("Measuring")
	m.flags.StringSliceVar(&f.algos, "algo", []string{"auto"}, "`NAMES` of algorithms: bfs, dobfs, seq (one goroutine), or auto: dobfs unless the graph is directed and has no reverse")
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
	m.flags.Var(&f.batch, "batch", "measure also so many searches one after the other in the same memory, by the host's clock; 0 doesn't")
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

// parseNames parses the names that a flag lists; want says which there are.
func parseNames[T any](flag, want string, names []string, parse func(string) (T, error)) ([]T, error) {
	if len(names) == 0 {
		return nil, usagef("--%s: want %s", flag, want)
	}
	var list []T
	for _, name := range names {
		x, err := parse(name)
		if err != nil {
			return nil, usagef("--%s: want %s, not %q", flag, want, name)
		}
		list = append(list, x)
	}
	return list, nil
}

// variants are what the flags say of bfs and dobfs beside their names.
type variants struct {
	strategies []bfs.Strategy
	couplings  []bfs.Coupling
	balances   []advance.Strategy
	culls      []filter.Culls // 0 means auto
}

// parse reads all of them, whatever the algorithms are.
func (v *variants) parse(f *benchFlags) (err error) {
	if v.strategies, err = parseNames("strategy", "auto, queue, read or hybrid", f.strategies, bfs.ParseStrategy); err != nil {
		return err
	}
	if v.couplings, err = parseNames("coupling", "auto, expand-contract, contract-expand, two-phase, hybrid, fused, quadratic or quadratic-pull", f.couplings, bfs.ParseCoupling); err != nil {
		return err
	}
	if v.balances, err = parseNames("balance", "auto, thread, warp, twc, merge, edges, hubs or buckets", f.balances, advance.ParseStrategy); err != nil {
		return err
	}
	v.culls, err = parseNames("culls", "auto, or some of bitmask, label, warp, history and exact, joined by +", f.culls, func(names string) (filter.Culls, error) {
		if names == "auto" {
			return 0, nil
		}
		return filter.ParseCulls(names)
	})
	return err
}

// check reports flags that none of the algorithms takes.
func (v *variants) check(algos []string) error {
	pushes, pulls := slices.Contains(algos, "bfs"), slices.Contains(algos, "dobfs")
	if pushes {
		return nil
	}
	if other(v.balances, advance.AutoBalance) || other(v.culls, 0) {
		return usagef("--balance and --culls are for --algo bfs")
	}
	for _, c := range v.couplings {
		switch {
		case c == bfs.AutoCoupling:
		case !pulls:
			return usagef("--coupling is for --algo bfs and dobfs; name one of them")
		case !ofDOBFS(c):
			return usagef("--coupling %s is for --algo bfs; dobfs takes auto, fused and expand-contract", c)
		}
	}
	return nil
}

// other reports whether a list has anything but the one value.
func other[T comparable](list []T, value T) bool {
	return slices.ContainsFunc(list, func(x T) bool { return x != value })
}

// ofDOBFS reports whether dobfs has a coupling; the others only push.
func ofDOBFS(c bfs.Coupling) bool {
	return c == bfs.AutoCoupling || c == bfs.Fused || c == bfs.ExpandContract
}

// bfs returns all combinations for bfs.
func (v *variants) bfs() (list []bench.Algorithm) {
	for _, s := range v.strategies {
		for _, coupling := range v.couplings {
			for _, balance := range v.balances {
				for _, culls := range v.culls {
					list = append(list, bench.Algorithm{Kind: bench.BFS, Strategy: s, Coupling: coupling, Balance: balance, Culls: culls})
				}
			}
		}
	}
	return list
}

// algorithms returns what the flags name, and whether some of it is for GPUs
// only. No algorithms stand for auto.
func (f *benchFlags) algorithms() (list []bench.Algorithm, gpu bool, err error) {
	var v variants
	if err := v.parse(f); err != nil {
		return nil, false, err
	}
	for _, name := range f.algos {
		switch name {
		case "bfs":
			list = append(list, v.bfs()...)
		case "dobfs":
			for _, c := range v.couplings {
				if ofDOBFS(c) {
					list = append(list, bench.Algorithm{Kind: bench.DOBFS, Coupling: c, Alpha: f.alpha, Beta: f.beta})
				}
			}
		case "seq":
			list = append(list, bench.Algorithm{Kind: bench.Sequential})
		case "auto":
			if len(f.algos) > 1 {
				return nil, false, usagef("--algo auto stands alone")
			}
		default:
			return nil, false, usagef("--algo: want auto, bfs, dobfs or seq, not %q", name)
		}
	}
	gpu = other(v.couplings, bfs.AutoCoupling) || other(v.balances, advance.AutoBalance) || other(v.culls, 0)
	return list, gpu, v.check(f.algos)
}

func (a *app) bench(ctx context.Context, paths []string, f *benchFlags) error {
	algorithms, gpu, mismatch := f.algorithms()
	if auto := slices.Contains(f.algos, "auto"); mismatch != nil && !(gpu && auto) {
		return mismatch
	}
	if f.sources == 0 || f.trials == 0 {
		return usagef("--sources and --trials must be at least 1")
	}
	dev, err := openDevice(f.device.value, int(f.workers))
	if err != nil {
		return err
	}
	defer dev.Close()
	if gpu && dev.Info().Kind == device.Host {
		return usagef("--coupling, --balance and --culls are for GPUs; the device is %s", dev.Info().Name)
	}
	if mismatch != nil { // of auto, which isn't known to be wrong on the host
		return mismatch
	}
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
			Parents: f.parents, NoDepths: !f.depths, GivenOrder: f.givenOrder, NoCheck: f.noCheck, Batch: int(f.batch),
			Progress: func(phase string, done, total int) { progress.update(phase, uint64(done), uint64(total)) },
		})
		progress.end()
		if errors.Is(err, bench.ErrOption) {
			return &usageError{err: err}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := errors.Join(p.Free(), g.Close()); err != nil {
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
