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
	"strings"
	"sync"
	"time"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/oracle"
)

// Cluster is what searches over ranks took. The ranks are goroutines of one process, with a worker each.
type Cluster struct {
	Cores int          `json:"cores"`        // which the ranks share
	Host  bool         `json:"host_instead"` // the report's device is a GPU, but the ranks searched on the host
	Runs  []ClusterRun `json:"runs"`
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

// rankCounts returns over how many ranks scaling is measured: 4 even if there are fewer cores.
func rankCounts(cores int) (list []int) {
	for ranks := 1; ranks <= min(mostRanks, max(4, cores)); ranks *= 2 {
		list = append(list, ranks)
	}
	return list
}

// clusterRuns returns the runs that are to be measured. Those of one graph follow one another.
func clusterRuns(s Scale, cores int) (list []ClusterRun) {
	scale := clusterScale(s)
	add := func(figure string, scale, ranks int, threshold int64) {
		list = append(list, ClusterRun{Figure: figure, Input: fmt.Sprintf("gen:kron%d", scale), Ranks: ranks, Asked: threshold, ByMachine: figure == ByThreshold})
	}
	for _, t := range clusterThresholds {
		add(ByThreshold, scale, 2*perMachine, t) // the fewest ranks with both kinds of exchange
	}
	counts := rankCounts(cores)
	for _, ranks := range counts {
		add(Strong, scale, ranks, engine.Auto)
	}
	for i, ranks := range counts { // on 4 ranks the graph of the other figures
		add(Weak, scale-2+i, ranks, engine.Auto)
	}
	return list
}

// clustered measures searches over ranks. It adds each to the report when it is done.
func clustered(ctx context.Context, gpu bool, o Options, r, had *Report, tell func(phase string), save func() error) (err error) {
	cores := runtime.GOMAXPROCS(0)
	r.Cluster = &Cluster{Cores: cores, Host: gpu}
	var t *clusterGraph
	defer func() { err = errors.Join(err, t.close()) }()
	for _, run := range clusterRuns(o.Scale, cores) {
		if had.Cluster != nil && had.Cluster.Cores == cores {
			if i := slices.IndexFunc(had.Cluster.Runs, run.same); i >= 0 {
				r.Cluster.Runs = append(r.Cluster.Runs, had.Cluster.Runs[i])
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
		if err := t.measure(ctx, &run, o.Trials); err != nil {
			return fmt.Errorf("%s: %w", run.Input, err)
		}
		r.Cluster.Runs = append(r.Cluster.Runs, run)
		if err := save(); err != nil {
			return err
		}
	}
	return nil
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

// edges returns a rank's share of the edges: every size-th row, and each edge from its smaller end. Ids are the
// graph's own vertices.
func (t *clusterGraph) edges(rank, size int) engine.Edges {
	c := t.graph.Out()
	return engine.Edges{Dense: true, Vertices: uint64(c.NumVertices()), Read: func(_ context.Context, yield func(src, dst []int64) error) error {
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
	}}
}

// trial is one search. It leaves out the engine's result, whose depths would take memory for every trial.
type trial struct {
	parts                []engine.Parts // by rank
	elapsed              time.Duration  // of the slowest rank
	traversed            uint64
	sent, across, united uint64
}

// take sets what all ranks have in common.
func (x *trial) take(r *engine.Result) {
	x.elapsed, x.traversed = r.Elapsed, r.TraversedEdges
	for _, l := range r.Stats {
		x.sent, x.across = x.sent+l.Sent, x.across+l.Across
		if l.United && len(x.parts) > 1 {
			x.united += r.UnitedBytes
		}
	}
}

// measure divides the graph among ranks, compares the depths of each source with the sequential search's, and times.
func (t *clusterGraph) measure(ctx context.Context, run *ClusterRun, trials int) error {
	all := make([][]trial, len(t.sources))
	for s := range all {
		all[s] = make([]trial, trials)
		for i := range all[s] {
			all[s][i].parts = make([]engine.Parts, run.Ranks)
		}
	}
	var stats engine.Stats
	err := onRanks(run.Ranks, func(c comm.Comm) (err error) {
		p, err := engine.Build(ctx, c, t.edges(c.Rank(), c.Size()), engine.Options{Threshold: run.Asked, Workers: 1, PerMachine: perMachine})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		if c.Rank() == 0 {
			stats = p.Stats
		}
		for s, source := range t.sources {
			search := func() (*engine.Result, error) {
				return p.Search(ctx, []int64{int64(source)}, engine.SearchOptions{LocalAllToAll: run.ByMachine})
			}
			r, err := search() // not timed: it also makes what all searches of the part begin with
			if err != nil {
				return err
			}
			if t.depths != nil {
				if err := sameDepths(t.graph.IDs(), p.IDs(), r.Depths, t.depths[s]); err != nil {
					return &bench.CheckError{Algorithm: fmt.Sprintf("search over %d ranks, threshold %d,", run.Ranks, p.Stats.Threshold), Source: t.graph.IDs().Format(source), Err: err}
				}
			}
			for i := range trials {
				if r, err = search(); err != nil {
					return err
				}
				x := &all[s][i]
				if x.parts[c.Rank()] = r.Own; c.Rank() == 0 {
					x.take(r)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	run.Vertices, run.DirectedEdges, run.Checked = int(stats.Vertices), stats.Entries, t.depths != nil
	run.Threshold, run.Delegates, run.Bytes = stats.Threshold, stats.Delegates, stats.Bytes
	run.NN, run.ND, run.DN, run.DD = stats.NN, stats.ND, stats.DN, stats.DD
	medians := make([]trial, len(all))
	at := make([]int, len(all)) // sources by their median
	slower := func(a, b trial) int { return cmp.Compare(a.elapsed, b.elapsed) }
	for s := range all {
		slices.SortFunc(all[s], slower)
		medians[s], at[s] = all[s][(trials-1)/2], s
	}
	slices.SortFunc(at, func(a, b int) int { return slower(medians[a], medians[b]) })
	middle := at[(len(at)-1)/2]
	run.Source = t.graph.IDs().Format(t.sources[middle])
	run.MinMS, run.MaxMS = ms(medians[at[0]].elapsed), ms(medians[at[len(at)-1]].elapsed)
	run.take(medians[middle])
	return nil
}

// onRanks calls f on ranks of this process, a goroutine each, and returns the error of a rank that failed first.
func onRanks(ranks int, f func(c comm.Comm) error) error {
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for _, c := range comm.InProcess(ranks) {
		all.Go(func() {
			err := comm.Do(c, func() error { return f(c) })
			if err == nil {
				err = c.Close()
			}
			errs[c.Rank()] = err
		})
	}
	all.Wait()
	// The other ranks have an error of the communicator.
	if i := slices.IndexFunc(errs, func(err error) bool {
		other := (*comm.Error)(nil)
		return err != nil && !errors.As(err, &other)
	}); i >= 0 {
		return errs[i]
	}
	return cmp.Or(errs...)
}

// take sets what a search took.
func (x *ClusterRun) take(of trial) {
	var sum engine.Parts
	for _, p := range of.parts {
		sum.Computing += p.Computing
		sum.Uniting += p.Uniting
		sum.Local += p.Local
		sum.Exchanging += p.Exchanging
	}
	n := time.Duration(len(of.parts))
	x.MedianMS = ms(of.elapsed)
	x.ComputingMS, x.UnitingMS, x.LocalMS, x.ExchangingMS = ms(sum.Computing/n), ms(sum.Uniting/n), ms(sum.Local/n), ms(sum.Exchanging/n)
	x.CountingMS = max(x.MedianMS-x.ComputingMS-x.UnitingMS-x.LocalMS-x.ExchangingMS, 0)
	x.Sent, x.Across, x.United = of.sent, of.across, of.united
	if of.elapsed > 0 {
		x.GTEPS = float64(of.traversed) / of.elapsed.Seconds() / 1e9
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// sameDepths compares a rank's depths with those of all vertices.
func sameDepths(names *graph.IDs, own []int64, got, want []int32) error {
	if len(own) != len(got) {
		return fmt.Errorf("%d depths for %d vertices", len(got), len(own))
	}
	for i, v := range own {
		if got[i] != want[v] {
			return fmt.Errorf("vertex %s has depth %d, the sequential search says %d", names.Format(uint32(v)), got[i], want[v])
		}
	}
	return nil
}
