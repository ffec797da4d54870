// This file holds the bench command.

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

type benchFlags struct {
	inputFlags
	searchFlags
	rivals            rivalFlags
	algos, strategies []string
	couplings         []string
	balances, culls   []string
	sources, trials   positive
	batch             positive
	seed              uint64
	givenOrder        bool
	noCheck           bool
	json              bool
	changed           func(flag string) bool
}

const benchLong = `Times searches on each PATH, each of which is a separate graph. For each
algorithm it prints the milliseconds of a search (the smallest, the quartiles,
the median and the largest of the sources' medians) and the median rate in
GTEPS, 10^9 edges a second (MTEPS is 10^6, kTEPS 10^3).

The time of a search is from the call until the complete result is in the
device's memory, initialization included. On a GPU it is measured by the GPU's
clock, after 20 ms of untimed searches. Loading, placing (on a GPU: the upload)
and preparation that is done once per graph are reported separately. Sources are
drawn at random, by external id, from the vertices that have an edge, so they
don't depend on --order. The rate counts the edges of the reached part of the
graph, undirected ones once. Before timing, bench runs every algorithm from
every source, compares its depths with a sequential search, and checks its
parents by Graph500's five rules.

With --batch N, bench also runs N searches from the same sources in turn, one
after the other in the same memory. "ms in a batch" is the time of each by the
host's clock, and "x single" the ratio of that time to the mean time of single
searches: 0.80 is a fifth less.

--algo also takes the other algorithms: cc, or one with its flags, as in
--algo 'cc --strong'. Algorithms with a source run from each of the sources, the
others --trials times. The time is by the host's clock, from the call until the
result is complete, after a run whose result is checked and %v of untimed
runs.

--rivals FILE lays figures of other systems beside these. FILE is CSV with the
columns system, graph, algorithm, machine, date, ms and source; version, gteps
and note may be missing. bench prints the figures of the same graph and
algorithm, with their machine, their date and the ratio to ours. If a figure's
algorithm has flags, as in bfs --parents, ours must have them too. --plot draws
the figures; without a PATH it draws those of FILE by the algorithm of --algo.

foray bench paper -o DIR measures the graphs of a paper and writes a report.
foray bench compare OLD NEW compares two outputs of --json.

`

func (a *app) benchCommand() *cobra.Command {
	f := &benchFlags{sources: bench.DefaultSources, trials: bench.DefaultTrials}
	cmd := &cobra.Command{
		Use:   "bench PATH...",
		Short: "Time searches",
		Long:  fmt.Sprintf(benchLong, bench.WarmUp),
		Example: `  foray bench gen:kron20
  foray bench gen:kron22 gen:urand22 gen:grid2d gen:road --json > results.json
  foray bench road.sg --algo bfs,dobfs,seq --strategy queue,hybrid --device host
  foray bench gen:kron20 --parents --rivals bench/rivals.csv`,
		GroupID: groupSearch,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && f.rivals.path != "" && f.rivals.plot != "" {
				return nil
			}
			return needArgs(1, -1, "bench needs a PATH")(cmd, args)
		},
	}
	m := newGroup(titleAlgorithm)
	m.flags.StringSliceVar(&f.algos, "algo", []string{"auto"}, "`NAMES` of algorithms: bfs, dobfs, seq (one goroutine), or auto: dobfs unless the graph is directed and has no reverse, or a flag is for bfs only; or other algorithms")
	m.flags.StringSliceVar(&f.strategies, "strategy", []string{"auto"}, "on the host, `NAMES` of strategies of bfs, each measured: auto, queue, read, hybrid")
	m.flags.Var(&f.sources, "sources", "vertices to search from")
	m.flags.Uint64Var(&f.seed, "seed", 1, "seed `N` of the random sources")
	m.flags.Var(&f.trials, "trials", "how often each source is timed; the median counts")
	m.flags.StringSliceVar(&f.couplings, "coupling", []string{"auto"}, "on a GPU, `NAMES` of couplings of bfs, each measured: auto, expand-contract, contract-expand, two-phase, hybrid, fused, quadratic, quadratic-pull; of dobfs auto, fused and expand-contract")
	m.flags.StringSliceVar(&f.balances, "balance", []string{"auto"}, "on a GPU, `NAMES` of load balancing strategies, each measured: auto, thread, warp, twc, merge, edges, hubs, buckets, scan")
	m.flags.StringSliceVar(&f.culls, "culls", []string{"auto"}, "on a GPU, `WAYS` to drop visited vertices, each measured: auto, or some of bitmask, label, warp, history, exact, joined by +")
	for _, name := range []string{"algo", "strategy", "coupling", "balance", "culls"} {
		m.flags.Lookup(name).DefValue = "auto" // else it stands in brackets
	}
	f.searchFlags.add(m)
	f.addGPUMemory(m)
	m.flags.BoolVar(&f.depths, "depths", true, "find depths; --depths=false omits them")
	m.flags.BoolVar(&f.givenOrder, "given-order", false, "include gathering the result into the order of ids in the time")
	m.flags.Var(&f.batch, "batch", "also measure this number of searches one after the other in the same memory, by the host's clock; 0: none")
	m.flags.BoolVar(&f.noCheck, "no-check", false, "don't compare with the sequential search: faster, but the result isn't verified")
	out := newGroup(titleOutput)
	f.rivals.add(out)
	out.flags.StringVar(&f.rivals.plot, "plot", "", "draw the figures of --rivals, and ours beside them, as `FILE`.svg")
	in := f.inputFlags.group()
	f.addEdgeWhere(in)
	f.addWeights(in)
	setFlags(cmd, m, in, out)
	f.all = cmd.Flags()
	cmd.AddCommand(a.paperCommand(), a.compareCommand())
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
		f.changed, f.json, f.rivals.said = cmd.Flags().Changed, a.json, a.stdout
		if err := f.rivals.read(); err != nil {
			return err
		}
		if len(args) == 0 {
			return f.rivals.drawFile(cmd.Context(), f.algos)
		}
		list, err := f.calculations()
		if err != nil {
			return err
		}
		if len(list) > 0 {
			return a.benchCalculations(cmd.Context(), args, f, list)
		}
		return a.bench(cmd.Context(), args, f)
	}
	return cmd
}

func (a *app) bench(ctx context.Context, paths []string, f *benchFlags) error {
	m, err := f.measured()
	if err != nil {
		return err
	}
	if f.sources == 0 || f.trials == 0 {
		return usagef("--sources and --trials must be at least 1")
	}
	name := f.device.value
	if name == "auto" && m.onlySequential() {
		name = host.Name // where it runs in any case
	}
	dev, err := openDevice(name, int(f.workers))
	if err != nil {
		return err
	}
	defer dev.Close()
	bo := bench.Options{
		Sources: int(f.sources), Seed: f.seed, Trials: int(f.trials), Algorithms: m.algorithms,
		Outputs: outputs(f.depths, f.parents), GivenOrder: f.givenOrder, NoCheck: f.noCheck, Batch: int(f.batch),
	}
	if err := m.checkOn(dev, bo); err != nil {
		return err
	}
	for _, path := range paths { // one that isn't there is found before the others are measured
		if _, _, err := named(path, f.links); err != nil {
			return err
		}
	}
	var reports []*bench.Report
	for i, path := range paths {
		o := f.inputFlags.options()
		o.Reverse = m.reverse()
		o.Device = dev
		g, err := a.load(ctx, []string{path}, &f.inputFlags, o)
		if err != nil {
			return err
		}
		start := time.Now()
		p, err := a.place(g, dev)
		if err != nil {
			return err
		}
		placed := time.Since(start)
		progress := a.progress()
		bo.Algorithms = m.of(g.Graph)
		bo.Progress = func(p graph.Progress) { progress.update(p.Phase, p.Done, p.Total) }
		r, err := bench.Run(ctx, p, bo)
		progress.end()
		if errors.Is(err, bench.ErrOption) {
			return &usageError{err: err}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := done(p); err != nil {
			return err
		}
		r.Graph.Name = path
		r.Graph.LoadMS, r.Graph.PlaceMS = float64(g.took.Microseconds())/1e3, float64(placed.Microseconds())/1e3
		r.Graph.RowsDevice, r.Graph.WhyHost = g.Stats().Device, g.Stats().WhyHost
		reports = append(reports, r)
		others := r.LayBeside(f.rivals.list)
		if f.json {
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := r.WriteTable(a.stdout); err != nil {
			return err
		}
		if err := f.rivals.write(a.stdout, r, others); err != nil {
			return err
		}
	}
	if f.json {
		if err := bench.WriteJSON(a.data, reports); err != nil {
			return err
		}
	}
	a.done("nothing was written", "--json keeps the times for foray bench compare")
	return f.rivals.draw(ctx, reports)
}
