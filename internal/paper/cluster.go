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
	"time"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/oracle"
)

// Cluster is what searches over ranks took. The ranks are goroutines of one process or MPI's processes, with a worker or
// a GPU each.
type Cluster struct {
	Processes int          `json:"mpi_processes"` // that MPI connects; 0: ranks are goroutines
	GPUs      int          `json:"gpus"`          // of which each is a rank; 0: ranks searched on the host
	NoGPUs    string       `json:"no_gpus"`       // why, though the report's device is a GPU
	Machines  int          `json:"machines"`      // that processes are on
	Cores     int          `json:"cores"`         // that each rank may use, at least; goroutines share them
	Host      bool         `json:"host_instead"`  // the report's device is a GPU, but the ranks searched on the host
	Runs      []ClusterRun `json:"runs"`
}

// The figures that a run belongs to.
const (
	ByThreshold = "threshold"
	Strong      = "strong scaling"
	ByOption    = "option"
	Weak        = "weak scaling"
)

// ClusterRun is a search over ranks: the graph as it was divided, and the median trial of the median source.
type ClusterRun struct {
	Figure        string `json:"figure"`
	Input         string `json:"input"`
	Vertices      int    `json:"vertices"`
	DirectedEdges uint64 `json:"directed_edges"`
	Ranks         int    `json:"ranks"`
	Option        string `json:"option"`
	Lacks         string `json:"not_measured"`     // why it wasn't measured
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

// The thresholds of the first figure.
var (
	clusterThresholds = []int64{4, 16, 64, 256, 1024, engine.Auto}
	gpuThresholds     = []int64{16, 32, 64, 128, 256, 1024, noDelegates, engine.Auto}
)

// The R-MAT graphs, as 2^scale vertices, that are searched over thresholds and over ranks.
var (
	clusterScales = map[Scale]int{Small: 15, Medium: 18, Paper: 20}
	gpuScales     = map[Scale]int{Small: 15, Medium: 20, Paper: 26}
)

// clusterOption is an option of searches over ranks.
type clusterOption struct {
	name  string
	way   way
	lacks string // why ranks don't have it
}

// The last option that ranks have is Foray's own way.
var (
	hostOptions = []clusterOption{
		{name: "pushes alone, duplicates sent", way: way{Push: true, Twice: true}},
		{name: "pushes alone", way: way{Push: true}},
		{name: "pulls, duplicates sent", way: way{Twice: true}},
		{name: "pulls, local all-to-all", way: way{ByMachine: true}},
		{name: "pulls"},
	}
	gpuOptions = []clusterOption{
		{name: "pushes alone", way: way{Push: true}},
		{name: "pulls, nn edges pushed", way: way{PushNN: true}},
		{name: "pulls"},
		{name: "duplicates sent", lacks: "GPUs mark what they send: no vertex is sent twice to a rank"},
		{name: "local all-to-all", lacks: "NCCL chooses the route of a message"},
	}
)

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

// clusterRuns returns the runs that are to be measured.
func (c *Cluster) clusterRuns(s Scale) (list []ClusterRun) {
	scale, thresholds, options, most := clusterScales[s], clusterThresholds, hostOptions, c.Processes
	weak := scale - 2 // on 4 ranks the graph of the other figures
	if c.GPUs > 0 {
		scale, thresholds, options, most = gpuScales[s], gpuThresholds, gpuOptions, c.GPUs
		weak = scale - 1
	}
	add := func(figure string, scale, ranks int, threshold int64) *ClusterRun {
		list = append(list, ClusterRun{Figure: figure, Input: fmt.Sprintf("gen:kron%d", scale), Ranks: ranks, Asked: threshold})
		return &list[len(list)-1]
	}
	all := cmp.Or(most, 2*perMachine) // 4 are the fewest ranks with both kinds of exchange
	for _, o := range options {
		x := add(ByOption, scale, all, engine.Auto)
		x.Option, x.ByMachine, x.Lacks = o.name, o.way.ByMachine, o.lacks
	}
	counts := rankCounts(most, c.Cores)
	for _, ranks := range counts {
		add(Strong, scale, ranks, engine.Auto)
	}
	for i, ranks := range counts {
		if ranks == 1<<i {
			add(Weak, weak+i, ranks, engine.Auto)
		}
	}
	for _, t := range thresholds {
		add(ByThreshold, scale, all, t).ByMachine = c.GPUs == 0
	}
	return list
}

// way returns how the searches of a run go.
func (x *ClusterRun) way() way {
	for _, o := range slices.Concat(hostOptions, gpuOptions) {
		if o.name == x.Option {
			return o.way
		}
	}
	return way{ByMachine: x.ByMachine}
}

// clustered measures searches over ranks. It adds each to the report when it is done.
func clustered(ctx context.Context, gpu bool, o Options, r, had *Report, tell func(phase string), save func() error) (err error) {
	c := &Cluster{Cores: runtime.GOMAXPROCS(0), Host: gpu}
	r.Cluster = c
	search := onGoroutines
	switch {
	case o.Processes != nil:
		own, err := c.meet(ctx, o.Processes, o.OnGPUs)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, part(o.Processes, own)) }()
		c.Host = gpu && c.GPUs == 0
		search = onProcesses(o.Processes, own)
	case gpu && o.OnGPUs:
		var why error
		if c.GPUs, why = gpusHere(ctx); why != nil {
			c.NoGPUs = why.Error()
			break
		}
		var gpus gpuRanks
		defer func() { err = errors.Join(err, gpus.close()) }()
		c.Host, search = false, gpus.run
	}
	runs := c.clusterRuns(o.Scale)
	done := make([]bool, len(runs)) // measured, now or by the interrupted run
	if h := had.Cluster; h != nil && h.Processes == c.Processes && h.Machines == c.Machines && h.Cores == c.Cores && h.GPUs == c.GPUs {
		for i := range runs {
			if k := slices.IndexFunc(h.Runs, runs[i].same); k >= 0 {
				runs[i], done[i] = h.Runs[k], true
			}
		}
	}
	note := func() { // in the order of the report
		c.Runs = nil
		for i, x := range runs {
			if done[i] {
				c.Runs = append(c.Runs, x)
			}
		}
	}
	var t *clusterGraph
	defer func() { err = errors.Join(err, t.close()) }()
	for _, input := range inputsOf(runs) {
		for i, run := range runs {
			if done[i] || run.Input != input {
				continue
			}
			tell(fmt.Sprintf("%s of ranks, %s on %d", run.Figure, run.Input, run.Ranks))
			if t == nil || t.input != input {
				if err := t.close(); err != nil {
					return err
				}
				if t, err = c.load(ctx, input, o, search); err != nil {
					return fmt.Errorf("%s: %w", input, err)
				}
			}
			var alike []*ClusterRun // that the same division of the graph is for
			for k := i; k < len(runs); k++ {
				if x := &runs[k]; !done[k] && x.Input == input && x.Ranks == run.Ranks && x.Asked == run.Asked {
					done[k] = true
					if x.Lacks == "" {
						alike = append(alike, x)
					}
				}
			}
			if len(alike) == 0 {
				continue
			}
			if err := t.measure(ctx, alike, o.Trials, c.each(), search); err != nil {
				return fmt.Errorf("%s: %w", input, err)
			}
			note()
			if err := save(); err != nil {
				return err
			}
		}
	}
	note()
	if o.Processes != nil {
		return dismiss(ctx, o.Processes)
	}
	return nil
}

// inputsOf returns the graphs of runs.
func inputsOf(runs []ClusterRun) (list []string) {
	for _, x := range runs {
		if !slices.Contains(list, x.Input) {
			list = append(list, x.Input)
		}
	}
	return list
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
	return x.Figure == y.Figure && x.Input == y.Input && x.Ranks == y.Ranks && x.Asked == y.Asked && x.Option == y.Option
}

// clusterGraph is a graph that ranks divide among themselves, with the depths that they have to find.
type clusterGraph struct {
	input   string
	graph   *graph.Graph
	sources []uint32
	depths  [][]int32 // by source; nil if they aren't checked
	// On GPUs: the graph's spec, and checksums of the depths by source, nil if they aren't checked.
	spec string
	sums []uint64
}

// load makes a graph ready to be searched. GPUs generate it again for each division; here they only draw sources, and
// check the depths from each.
func (c *Cluster) load(ctx context.Context, input string, o Options, search searchRanks) (*clusterGraph, error) {
	if c.GPUs == 0 {
		return loadCluster(ctx, input, o)
	}
	t := &clusterGraph{input: input, spec: strings.TrimPrefix(input, "gen:")}
	first, err := search(ctx, t, task{Ranks: c.GPUs, Threshold: engine.Auto, Spec: t.spec, Draw: o.Sources, Seed: o.Seed, Checked: !o.NoCheck})
	if err != nil {
		return nil, err
	}
	t.sources = first.drawn
	if !o.NoCheck {
		t.sums = first.sums
	}
	return t, nil
}

// name is how a vertex is called.
func (t *clusterGraph) name(v uint32) string {
	if t.graph == nil {
		return fmt.Sprint(v)
	}
	return t.graph.IDs().Format(v)
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

// measure divides the graph among ranks, as all of the runs have it, compares the depths of each source with the sequential
// search's or with checked ones, and times.
func (t *clusterGraph) measure(ctx context.Context, runs []*ClusterRun, trials, each int, search searchRanks) error {
	k := task{Ranks: runs[0].Ranks, Each: each, Trials: trials, Threshold: runs[0].Asked, Sources: t.sources, Depths: t.depths, Spec: t.spec, Sums: t.sums}
	if t.graph != nil {
		k.Vertices = t.graph.NumVertices()
	}
	for _, x := range runs {
		if w := x.way(); !slices.Contains(k.Ways, w) {
			k.Ways = append(k.Ways, w)
		}
	}
	o, err := search(ctx, t, k)
	if err != nil {
		return err
	}
	if w := o.wrong; w != nil {
		err := fmt.Errorf("depths aren't those that were checked")
		if t.depths != nil {
			err = fmt.Errorf("vertex %s has depth %d, the sequential search says %d", t.name(w.vertex), w.got, w.want)
		}
		return &bench.CheckError{Algorithm: strings.TrimSuffix(fmt.Sprintf("search over %d ranks, threshold %d, %s", k.Ranks, o.stats.Threshold, k.Ways[w.way]), " "), Source: t.name(t.sources[w.source]), Err: err}
	}
	for _, x := range runs {
		x.Vertices, x.DirectedEdges, x.Checked = int(o.stats.Vertices), o.stats.Entries, t.depths != nil || t.sums != nil
		x.Threshold, x.Delegates, x.Bytes = o.stats.Threshold, o.stats.Delegates, cmp.Or(o.bytes, o.stats.Bytes)
		x.NN, x.ND, x.DN, x.DD = o.stats.NN, o.stats.ND, o.stats.DN, o.stats.DD
		if x.Lacks = o.lacks; x.Lacks == "" {
			t.median(x, o.trials[slices.Index(k.Ways, x.way())])
		}
	}
	return nil
}

// median takes the median trial of the median source.
func (t *clusterGraph) median(x *ClusterRun, trials [][]trial) {
	medians := make([]trial, len(trials))
	at := make([]int, len(medians)) // sources by their median
	slower := func(a, b trial) int { return cmp.Compare(a.elapsed, b.elapsed) }
	for s, all := range trials {
		slices.SortFunc(all, slower)
		medians[s], at[s] = all[(len(all)-1)/2], s
	}
	slices.SortFunc(at, func(a, b int) int { return slower(medians[a], medians[b]) })
	middle := at[(len(at)-1)/2]
	x.Source = t.name(t.sources[middle])
	x.MinMS, x.MaxMS = ms(medians[at[0]].elapsed), ms(medians[at[len(at)-1]].elapsed)
	x.take(medians[middle])
}

// take sets what a search took.
func (x *ClusterRun) take(of trial) {
	p, n := of.parts, time.Duration(x.Ranks)
	x.MedianMS = ms(of.elapsed)
	x.ComputingMS, x.UnitingMS, x.LocalMS, x.ExchangingMS = ms(p.Computing/n), ms(p.Uniting/n), ms(p.Local/n), ms(p.Exchanging/n)
	if of.moving > 0 { // on GPUs
		x.ExchangingMS = ms(of.moving)
	}
	x.CountingMS = max(x.MedianMS-x.ComputingMS-x.UnitingMS-x.LocalMS-x.ExchangingMS, 0)
	x.Sent, x.Across, x.United = of.sent, of.across, of.united
	if of.elapsed > 0 {
		x.GTEPS = float64(of.traversed) / of.elapsed.Seconds() / 1e9
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
