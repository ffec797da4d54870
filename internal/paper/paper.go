// Package paper repeats the analysis of Merrill, Garland and Grimshaw, "Scalable GPU graph traversal" (PPoPP 2012), on
// graphs that stand for those of its table 1. Run measures; a Report is written as one page of HTML, as JSON and as CSV.
package paper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/oracle"
)

// Options configure a run.
type Options struct {
	Scale   Scale
	Seed    uint64 // draws the sources
	Sources int    // of each graph
	Trials  int    // of each source
	NoCheck bool
	Command string        // how the report is made again
	Rivals  []bench.Rival // figures of other systems, to compare with the same graph and algorithm
	// Generate returns the graph of a spec of package gen. If it is nil, the report has neither growth, nor
	// the levels of a large R-MAT graph, nor searches over ranks, nor FlexBFS's ablation.
	Generate func(ctx context.Context, spec string) (*graph.Graph, error)
	// Processes, if not nil, are the ranks of searches over ranks. This process is rank 0; the others call Join.
	Processes comm.Comm
	// OnGPUs makes ranks GPUs of this process, if the device is one, rather than goroutines on the host.
	OnGPUs bool
	// OnlyRanks leaves out what Generate is for, except searches over ranks.
	OnlyRanks bool
	// Had is what an interrupted run with the same options measured, nil for none. Its graphs are not measured again.
	Had *Report
	// Save, if not nil, is called with what was measured so far, after each graph, each size of growth and each graph of
	// FlexBFS's ablation.
	Save func(*Report) error
	// Progress, if not nil, is called before each part of the work, in a phase of its name, with the number of
	// graphs that are done, from the goroutine that called Run.
	Progress func(graph.Progress)
}

// Report is what a run measured.
type Report struct {
	Command string `json:"command"`
	Scale   Scale  `json:"scale"`
	Seed    uint64 `json:"seed"`
	Sources int    `json:"sources"`
	Trials  int    `json:"trials"`
	bench.Machine
	Graphs    []Graph      `json:"graphs"`
	Bandwidth *Bandwidth   `json:"bandwidth,omitempty"`
	Growth    []Growth     `json:"growth,omitempty"`
	RMAT      *LevelShares `json:"rmat_levels,omitempty"`
	Cluster   *Cluster     `json:"cluster,omitempty"`
	Rivals    []Beside     `json:"rivals,omitempty"`
	Flex      []Flex       `json:"flexbfs,omitempty"` // on a GPU
}

// Graph is what was measured on one graph.
type Graph struct {
	StandIn
	Input         string         `json:"input"`           // the spec or the path
	Stamp         string         `json:"stamp,omitempty"` // of a file: its size and time
	Vertices      int            `json:"vertices"`
	DirectedEdges uint64         `json:"directed_edges"`
	MeanDegree    float64        `json:"mean_degree"`
	MaxDegree     uint64         `json:"max_degree"`
	DegreeSpread  float64        `json:"degree_spread"` // standard deviation of the degrees, as a multiple of their mean
	Depth         float64        `json:"depth"`         // levels below the source, in the mean of the sources
	Degrees       []uint64       `json:"degrees"`       // as graph.DegreeHistogram.Bins
	Source        string         `json:"frontier_source"`
	Levels        []Level        `json:"levels"`
	Results       []bench.Result `json:"results"`
	Replayed      []Replayed     `json:"replayed"`
	Cullings      []Culling      `json:"cullings,omitempty"`
	Factors       []bench.Result `json:"factors"`
	Best          string         `json:"best_fixed"` // the fastest way for bfs
	Regret        float64        `json:"regret"`     // by what part the automatic one is slower
	BestFactors   string         `json:"best_factors"`
	FactorsRegret float64        `json:"factors_regret"`
}

// Input is a graph to measure, and how it is loaded.
type Input struct {
	StandIn
	Path  string
	Stamp string // of a file: another one is measured again by a run that is resumed
	Load  func(ctx context.Context) (*graph.Graph, error)
}

// Algorithms returns what is measured on a device: on a GPU the couplings of the paper and the persistent search, on a
// host the strategies; on both the automatic choice of these, which is called bfs, and direction-optimizing search. The
// first one is what the others are compared with.
func Algorithms(gpu bool) []bench.Algorithm {
	var list []bench.Algorithm
	if gpu {
		for _, c := range []string{"expand-contract", "contract-expand", "two-phase", "hybrid", "fused"} {
			list = append(list, bench.Algorithm{Kind: bench.BFS, Coupling: c})
		}
	} else {
		for _, s := range []string{"queue", "read", "hybrid"} {
			list = append(list, bench.Algorithm{Kind: bench.BFS, Strategy: s})
		}
	}
	return append(list, bench.Algorithm{Kind: bench.BFS}, bench.Algorithm{Kind: bench.DOBFS}, bench.Algorithm{Kind: bench.Sequential})
}

// NewReport returns a report of a device on which nothing was measured yet.
func NewReport(info device.Info, o Options) *Report {
	return &Report{Command: o.Command, Scale: o.Scale, Seed: o.Seed, Sources: o.Sources, Trials: o.Trials, Machine: bench.MachineOf(info)}
}

// Run measures the graphs, one after the other. Each is loaded, measured and freed. It returns errors of loading and of
// bench.Run with the graph's name.
func Run(ctx context.Context, dev device.Device, gpu bool, inputs []Input, o Options) (*Report, error) {
	info := dev.Info()
	r := NewReport(info, o)
	total := uint64(len(inputs))
	if o.Generate != nil {
		total++
		if !o.OnlyRanks {
			total++
		}
	}
	done := uint64(0)
	tell := func(phase string) {
		if o.Progress != nil {
			o.Progress(graph.Progress{Phase: phase, Done: done, Total: total})
		}
	}
	save := func() error {
		if o.Save == nil {
			return nil
		}
		return o.Save(r)
	}
	had := o.Had
	if had == nil {
		had = &Report{}
	}
	if r.Bandwidth = had.Bandwidth; r.Bandwidth == nil {
		tell("bandwidth")
		var err error
		if r.Bandwidth, err = bandwidth(ctx, dev, gpu, max(bandwidthBytes[o.Scale], bandwidthBytes[Small])); err != nil {
			return nil, fmt.Errorf("bandwidth: %w", err)
		}
	}
	for _, in := range inputs {
		if i := slices.IndexFunc(had.Graphs, func(g Graph) bool { return g.Name == in.Name && g.Input == in.Path && g.Stamp == in.Stamp }); i >= 0 {
			r.Graphs = append(r.Graphs, had.Graphs[i])
			done++
			continue
		}
		g, err := measured(ctx, dev, gpu, in, o, func(phase string) { tell(in.Name + ", " + phase) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		r.Graphs = append(r.Graphs, *g)
		done++
		if err := save(); err != nil {
			return nil, err
		}
	}
	r.layBeside(o.Rivals)
	if o.Generate == nil {
		return r, nil
	}
	if !o.OnlyRanks {
		if err := r.generated(ctx, dev, gpu, o, had, tell, save); err != nil {
			return nil, err
		}
		done++
	}
	if err := clustered(ctx, gpu, o, r, had, tell, save); err != nil {
		return nil, err
	}
	return r, nil
}

// generated measures what needs graphs of several sizes: growth, FlexBFS's ablation and the levels of a large graph.
func (r *Report) generated(ctx context.Context, dev device.Device, gpu bool, o Options, had *Report, tell func(phase string), save func() error) error {
	first, last := growthScales(o.Scale, gpu)
	for scale := first; scale <= last; scale += 2 {
		spec := fmt.Sprintf("kron%d", scale)
		if i := slices.IndexFunc(had.Growth, func(g Growth) bool { return g.Input == "gen:"+spec }); i >= 0 {
			r.Growth = append(r.Growth, had.Growth[i])
			continue
		}
		tell("growth, " + spec)
		x, err := grown(ctx, dev, gpu, spec, o)
		if err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
		r.Growth = append(r.Growth, *x)
		if err := save(); err != nil {
			return err
		}
	}
	if gpu {
		if err := r.ablate(ctx, dev, o, had, tell, save); err != nil {
			return err
		}
	}
	var err error
	tell("levels of a large graph")
	if r.RMAT, err = levelShares(ctx, dev, gpu, o); err != nil {
		return fmt.Errorf("%s: %w", rmatSpec(o.Scale), err)
	}
	return nil
}

func measured(ctx context.Context, dev device.Device, gpu bool, in Input, o Options, tell func(phase string)) (_ *Graph, err error) {
	tell("loading")
	g, err := in.Load(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	h := g.DegreeHistogram()
	m := &Graph{
		StandIn: in.StandIn, Input: in.Path, Stamp: in.Stamp, Vertices: g.NumVertices(), DirectedEdges: g.NumDirectedEdges(),
		MeanDegree: float64(g.NumDirectedEdges()) / float64(max(g.NumVertices(), 1)), MaxDegree: h.Max, Degrees: h.Bins,
		DegreeSpread: degreeSpread(g),
	}
	m.Directed = g.Directed() // a file's, whatever the original in whose place it is
	tell("frontiers")
	sources := bench.Sources(g, bench.ExternalOrder(g.IDs()), o.Sources, o.Seed)
	if len(sources) == 0 {
		return nil, bench.ErrNoSource
	}
	m.Source = g.IDs().Format(sources[0])
	var vertices [][]uint32
	if m.Levels, vertices, err = Frontiers(ctx, g.Out(), sources[0]); err != nil {
		return nil, err
	}
	p, err := g.On(dev)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	tell("searches")
	b, err := bench.Run(ctx, p, bench.Options{Sources: o.Sources, Seed: o.Seed, Trials: o.Trials, Algorithms: Algorithms(gpu), NoCheck: o.NoCheck})
	if err != nil {
		return nil, err
	}
	m.Results = b.Results
	for _, s := range b.Results[0].Sources {
		m.Depth += float64(s.Levels-1) / float64(len(b.Results[0].Sources))
	}
	k := slices.IndexFunc(b.Results, func(r bench.Result) bool { return r.Algorithm == string(bench.BFS) })
	m.Best, m.Regret = regret(b.Results[k], b.Results[:k])
	tell("factors")
	if b, err = bench.Run(ctx, p, bench.Options{Sources: o.Sources, Seed: o.Seed, Trials: o.Trials, Algorithms: factors(), NoCheck: true}); err != nil {
		return nil, err
	}
	m.Factors = b.Results
	m.BestFactors, m.FactorsRegret = regret(b.Results[0], b.Results[1:])
	tell("gathering and lookup")
	if m.Replayed, err = replay(ctx, p, m.Levels, vertices, gpu, o.Trials); err != nil {
		return nil, err
	}
	if gpu {
		tell("culling")
		if m.Cullings, err = culled(ctx, p, sources[0], m.Levels); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// degreeSpread returns the coefficient of variation of the out-degrees.
func degreeSpread(g *graph.Graph) float64 {
	n := g.NumVertices()
	mean := float64(g.NumDirectedEdges()) / float64(max(n, 1))
	if mean == 0 {
		return 0
	}
	squares := 0.0
	for v := range n {
		d := float64(g.Degree(uint32(v))) - mean
		squares += d * d
	}
	return math.Sqrt(squares/float64(n)) / mean
}

// Level is one iteration of a search, for figure 3 of the paper.
type Level struct {
	Vertices uint64 `json:"vertices"` // of the vertex frontier
	Edges    uint64 `json:"edges"`    // of the edge frontier: all neighbors of the vertex frontier
	Distinct uint64 `json:"distinct"` // vertices in the edge frontier, without duplicates
	New      uint64 `json:"new"`      // of those, the ones that no earlier level found: the next vertex frontier
}

// Frontiers returns the frontiers of a search, and the vertices of each. It runs on one goroutine, as they are defined.
func Frontiers(ctx context.Context, c *graph.CSR, source uint32) ([]Level, [][]uint32, error) {
	depths, err := oracle.DepthsContext(ctx, c, source)
	if err != nil {
		return nil, nil, err
	}
	levels := 0
	for _, d := range depths {
		levels = max(levels, int(d)+1)
	}
	// Vertices by depth.
	first := make([]int, levels+1)
	for _, d := range depths {
		if d >= 0 {
			first[d+1]++
		}
	}
	for l := range levels {
		first[l+1] += first[l]
	}
	at := append([]int(nil), first...)
	order := make([]uint32, first[levels])
	for v, d := range depths {
		if d >= 0 {
			order[at[d]] = uint32(v)
			at[d]++
		}
	}
	seen := make([]int32, len(depths)) // the last level, plus 1, in whose edge frontier a vertex was
	all, vertices := make([]Level, levels), make([][]uint32, levels)
	for l := range all {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		vertices[l] = order[first[l]:first[l+1]]
		level := &all[l]
		level.Vertices = uint64(first[l+1] - first[l])
		for _, v := range order[first[l]:first[l+1]] {
			row := c.Neighbors(v)
			level.Edges += uint64(len(row))
			for _, u := range row {
				if seen[u] != int32(l+1) {
					seen[u] = int32(l + 1)
					level.Distinct++
				}
			}
		}
		if l > 0 {
			all[l-1].New = level.Vertices
		}
	}
	return all, vertices, nil
}
