// This file measures searches over ranks, for Pan, Pearce and Owens, "Scalable Breadth-First Search on a GPU Cluster"
// (IPDPS 2018).

package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/oracle"
)

// Cluster is what searches over ranks took. The ranks are goroutines of one process or MPI's processes, with a worker each.
type Cluster struct {
	Processes int          `json:"mpi_processes"` // that MPI connects; 0: ranks are goroutines
	Machines  int          `json:"machines"`      // that processes are on
	Cores     int          `json:"cores"`         // that each rank may use, at least; goroutines share them
	Host      bool         `json:"host_instead"`  // the report's device is a GPU, but the ranks searched on the host
	Runs      []ClusterRun `json:"runs"`
}

// The figures that a run belongs to.
const (
	ByThreshold = "threshold"
	Strong      = "strong scaling"
	Weak        = "weak scaling"
)

// ClusterRun is a search over ranks: the graph as it was divided, and the median trial of the median source.
type ClusterRun struct {
	Figure        string `json:"figure"`
	Input         string `json:"input"`
	Vertices      int    `json:"vertices"`
	DirectedEdges uint64 `json:"directed_edges"`
	Ranks         int    `json:"ranks"`
	ByMachine     bool   `json:"local_all_to_all"` // ranks of a machine exchanged among themselves first
	Asked         int64  `json:"asked_threshold"`  // negative: chosen
	Threshold     uint64 `json:"threshold"`
	Delegates     uint64 `json:"delegates"`
	NN            uint64 `json:"nn_edges"`
	ND            uint64 `json:"nd_edges"`
	DN            uint64 `json:"dn_edges"`
	DD            uint64 `json:"dd_edges"`
	Bytes         uint64 `json:"bytes"` // of the subgraphs and maps of all ranks
	Checked       bool   `json:"checked"`
	Source        string `json:"source"`
	// Times are of the slowest rank. The parts of the median add up to it.
	MinMS    float64 `json:"min_ms"`
	MedianMS float64 `json:"median_ms"`
	MaxMS    float64 `json:"max_ms"`
	// Parts are means over the ranks; Counting has the rest of the time, in which ranks wait for the slowest.
	ComputingMS  float64 `json:"computing_ms"`
	CountingMS   float64 `json:"counting_ms"`
	UnitingMS    float64 `json:"uniting_ms"`
	LocalMS      float64 `json:"local_exchange_ms"`
	ExchangingMS float64 `json:"exchange_ms"`
	// Bytes of normal vertices that ranks send one another, all together, and how many of these go to another machine.
	Sent   uint64 `json:"sent_bytes"`
	Across uint64 `json:"sent_between_machines_bytes"`
	// United is the bytes of the bitmaps of delegates that each rank combines with those of the others.
	United uint64  `json:"bitmap_bytes_per_rank"`
	GTEPS  float64 `json:"gteps"` // undirected edges
}

// clusterThresholds are the thresholds of the first figure.
var clusterThresholds = []int64{4, 16, 64, 256, 1024, engine.Auto}

// clusterScale returns the R-MAT graph, as 2^scale vertices, that is searched over thresholds and over ranks.
func clusterScale(s Scale) int { return map[Scale]int{Small: 15, Medium: 18, Paper: 20}[s] }

// rankCounts returns over how many ranks scaling is measured: powers of two, and then all processes. Without processes
// there are 4 ranks even if there are fewer cores.
func rankCounts(processes, cores int) (list []int) {
	most := processes
	if processes == 0 {
		most = min(mostRanks, max(4, cores))
	}
	for ranks := 1; ranks <= most; ranks *= 2 {
		list = append(list, ranks)
	}
	if last := list[len(list)-1]; last < processes {
		list = append(list, processes)
	}
	return list
}

// clusterRuns returns the runs that are to be measured. Those of one graph follow one another.
func clusterRuns(s Scale, processes, cores int) (list []ClusterRun) {
	scale := clusterScale(s)
	add := func(figure string, scale, ranks int, threshold int64) {
		list = append(list, ClusterRun{Figure: figure, Input: fmt.Sprintf("gen:kron%d", scale), Ranks: ranks, Asked: threshold, ByMachine: figure == ByThreshold})
	}
	for _, t := range clusterThresholds {
		add(ByThreshold, scale, cmp.Or(processes, 2*perMachine), t) // 4 are the fewest ranks with both kinds of exchange
	}
	counts := rankCounts(processes, cores)
	for _, ranks := range counts {
		add(Strong, scale, ranks, engine.Auto)
	}
	for i, ranks := range counts { // on 4 ranks the graph of the other figures
		if ranks == 1<<i {
			add(Weak, scale-2+i, ranks, engine.Auto)
		}
	}
	return list
}

// clustered measures searches over ranks. It adds each to the report when it is done.
func clustered(ctx context.Context, gpu bool, o Options, r, had *Report, tell func(phase string), save func() error) (err error) {
	c := &Cluster{Cores: runtime.GOMAXPROCS(0), Host: gpu}
	r.Cluster = c
	search := onGoroutines
	if o.Processes != nil {
		if c.Processes, c.Machines, c.Cores, err = meet(ctx, o.Processes); err != nil {
			return err
		}
		search = onProcesses(o.Processes)
	}
	var t *clusterGraph
	defer func() { err = errors.Join(err, t.close()) }()
	for _, run := range clusterRuns(o.Scale, c.Processes, c.Cores) {
		if h := had.Cluster; h != nil && h.Processes == c.Processes && h.Machines == c.Machines && h.Cores == c.Cores {
			if i := slices.IndexFunc(h.Runs, run.same); i >= 0 {
				c.Runs = append(c.Runs, h.Runs[i])
				continue
			}
		}
		tell(fmt.Sprintf("%s of ranks, %s on %d", run.Figure, run.Input, run.Ranks))
		if t == nil || t.input != run.Input {
			if err := t.close(); err != nil {
				return err
			}
			if t, err = loadCluster(ctx, run.Input, o); err != nil {
				return fmt.Errorf("%s: %w", run.Input, err)
			}
		}
		if err := t.measure(ctx, &run, o.Trials, c.each(), search); err != nil {
			return fmt.Errorf("%s: %w", run.Input, err)
		}
		c.Runs = append(c.Runs, run)
		if err := save(); err != nil {
			return err
		}
	}
	if o.Processes != nil {
		return dismiss(ctx, o.Processes)
	}
	return nil
}

// each returns how many ranks that follow one another count as a machine, or 0 if ranks are on several machines.
func (c *Cluster) each() int {
	if c.Machines > 1 {
		return 0
	}
	return perMachine
}

// same reports whether two runs measure the same.
func (x *ClusterRun) same(y ClusterRun) bool {
	return x.Figure == y.Figure && x.Input == y.Input && x.Ranks == y.Ranks && x.Asked == y.Asked
}

// clusterGraph is a graph that ranks divide among themselves, with the depths that they have to find.
type clusterGraph struct {
	input   string
	graph   *graph.Graph
	sources []uint32
	depths  [][]int32 // by source; nil if they aren't checked
}

func loadCluster(ctx context.Context, input string, o Options) (_ *clusterGraph, err error) {
	g, err := o.Generate(ctx, strings.TrimPrefix(input, "gen:"))
	if err != nil {
		return nil, err
	}
	t := &clusterGraph{input: input, graph: g}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	if t.sources = bench.Sources(g, bench.ExternalOrder(g.IDs()), o.Sources, o.Seed); len(t.sources) == 0 {
		return nil, bench.ErrNoSource
	}
	for _, s := range t.sources {
		if o.NoCheck {
			break
		}
		depths, err := oracle.DepthsContext(ctx, g.Out(), s)
		if err != nil {
			return nil, err
		}
		t.depths = append(t.depths, depths)
	}
	return t, nil
}

func (t *clusterGraph) close() error {
	if t == nil || t.graph == nil {
		return nil
	}
	g := t.graph
	t.graph = nil
	return g.Close()
}

// share passes a rank's edges to yield: every size-th row, and each edge from its smaller end. Ids are the graph's own
// vertices. The lists are used again.
func (t *clusterGraph) share(rank, size int, yield func(src, dst []int64) error) error {
	c := t.graph.Out()
	const batch = 1 << 14
	src, dst := make([]int64, 0, batch), make([]int64, 0, batch)
	for v := rank; v < c.NumVertices(); v += size {
		for _, u := range c.Neighbors(uint32(v)) {
			if int(u) <= v {
				continue
			}
			if src, dst = append(src, int64(v)), append(dst, int64(u)); len(src) == batch {
				if err := yield(src, dst); err != nil {
					return err
				}
				src, dst = src[:0], dst[:0]
			}
		}
	}
	return yield(src, dst)
}

// read is share as package engine takes it.
func (t *clusterGraph) read(rank, size int) readEdges {
	return func(_ context.Context, yield func(src, dst []int64) error) error { return t.share(rank, size, yield) }
}

// measure divides the graph among ranks, compares the depths of each source with the sequential search's, and times.
func (t *clusterGraph) measure(ctx context.Context, run *ClusterRun, trials, each int, search searchRanks) error {
	o, err := search(ctx, t, task{Ranks: run.Ranks, Each: each, Trials: trials, ByMachine: run.ByMachine, Threshold: run.Asked, Vertices: t.graph.NumVertices(), Sources: t.sources, Depths: t.depths})
	if err != nil {
		return err
	}
	names := t.graph.IDs()
	if w := o.wrong; w != nil {
		return &bench.CheckError{Algorithm: fmt.Sprintf("search over %d ranks, threshold %d,", run.Ranks, o.stats.Threshold), Source: names.Format(t.sources[w.source]),
			Err: fmt.Errorf("vertex %s has depth %d, the sequential search says %d", names.Format(w.vertex), w.got, w.want)}
	}
	run.Vertices, run.DirectedEdges, run.Checked = int(o.stats.Vertices), o.stats.Entries, t.depths != nil
	run.Threshold, run.Delegates, run.Bytes = o.stats.Threshold, o.stats.Delegates, o.stats.Bytes
	run.NN, run.ND, run.DN, run.DD = o.stats.NN, o.stats.ND, o.stats.DN, o.stats.DD
	medians := make([]trial, len(o.trials))
	at := make([]int, len(medians)) // sources by their median
	slower := func(a, b trial) int { return cmp.Compare(a.elapsed, b.elapsed) }
	for s, all := range o.trials {
		sort.Slice(all, func(i, k int) bool { return slower(all[i], all[k]) < 0 })
		medians[s], at[s] = all[(trials-1)/2], s
	}
	slices.SortFunc(at, func(a, b int) int { return slower(medians[a], medians[b]) })
	middle := at[(len(at)-1)/2]
	run.Source = names.Format(t.sources[middle])
	run.MinMS, run.MaxMS = ms(medians[at[0]].elapsed), ms(medians[at[len(at)-1]].elapsed)
	run.take(medians[middle])
	return nil
}

// take sets what a search took.
func (x *ClusterRun) take(of trial) {
	p, n := of.parts, time.Duration(x.Ranks)
	x.MedianMS = ms(of.elapsed)
	x.ComputingMS, x.UnitingMS, x.LocalMS, x.ExchangingMS = ms(p.Computing/n), ms(p.Uniting/n), ms(p.Local/n), ms(p.Exchanging/n)
	x.CountingMS = max(x.MedianMS-x.ComputingMS-x.UnitingMS-x.LocalMS-x.ExchangingMS, 0)
	x.Sent, x.Across, x.United = of.sent, of.across, of.united
	if of.elapsed > 0 {
		x.GTEPS = float64(of.traversed) / of.elapsed.Seconds() / 1e9
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
