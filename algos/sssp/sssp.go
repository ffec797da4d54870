// Package sssp finds shortest paths from one vertex, or from the nearest of several, over edges
// whose weights aren't negative: distances, and a tree of paths.
//
// The guide is [docs/algorithms/sssp.md].
//
// A distance is the least sum of weights over all paths, in the type of the weights
// (graph.Graph.WeightType). Sums of integers are int64 and exact.
// Sums of floats are float64, made along the path, one weight after the other from the source on. So
// distances have the same bits on every device and for any number of workers. Options.Float32, and
// graphs of graph.WeightsFloat32, have sums of float32. A distance past the largest number of its type is
// ErrOverflow, unless Options.Limit or the targets leave it out.
//
//   - A directed graph is searched along its edges; it needs no reverse.
//   - An edge of weight +Inf can't be used. Negative weights and NaN are graph.ErrWeights: the first
//     search of a placed graph goes over all weights once.
//   - Weights of zero are fine. Parents never form a cycle, as the parent of a vertex is
//     found before it.
//   - Self-loops change nothing; of parallel edges the lightest counts.
//   - The distance of a source is 0, and it is its own parent. Isolated vertices, and those in
//     other components, are not reached: their distance is +Inf, of int64 -1, their parent graph.NoVertex.
//   - A graph without vertices has no source, which is graph.ErrNoVertex.
//
// Definitions follow GAP's sssp and LDBC Graphalytics' SSSP, and of networkx'
// multi_source_dijkstra, whose cutoff is Options.Limit.
//
// # How
//
// Near and far piles (Davidson, Baxter, Garland, Owens, IPDPS 2014), a form of delta-stepping
// (Meyer, Sanders, 2003): stages of a width of distance, in each of which edges are relaxed until
// nothing changes. Vertices that are due later wait in the far pile. Narrow stages relax few edges twice,
// wide ones have few rounds. Options.Delta is the width; 0 lets the weights and degrees of the
// graph choose it. Each edge is looked at once or somewhat more often (1.03 to 1.2 times on
// the graphs of bench/notes/algorithms-host.md), in O(m) memory accesses at random places.
//
// A graph that is searched repeatedly gets a copy of its rows that is sorted by weight (Prepare, and Options.Prepare,
// which says when). Searches on the host then settle windows of
// distance, looking at the light part of each row alone, and find what is left by its in-edges,
// from the lightest on, until none can be on a shorter path. They look at a tenth of the edges on
// skewed graphs, at a fifth on uniform ones.
//
// One GPU goes by windows of distance over rows in any order too, in one kernel (windows.cuh), if vertices have 8 edges or
// more on the mean and edges have the weights of the reverse. It reads all weights of a row, but the targets of those edges
// alone that lead into the window. In-edges lead to the other vertices (as in Chakaravarthy, Checconi, Petrini, Sabharwal,
// IPDPS 2014), the light ones first.
//
// Searches begin in float32 wherever that may be exact, and look at the largest distance to see whether it
// was (exact.go has the proof). Else they are made in float64, by piles. Where integers need more than 53 bits,
// and for weights of 64 bits on several GPUs, one goroutine of the host searches; Result.WhyHost has the reason.
//
// Over several GPUs each expands the vertices that are its own, in one kernel. Without rows by weight the next stage is
// found among the distances, instead of in a far pile.
//
// A search holds 4 bytes a vertex for distances of float32, up to 20 for others, 8 more for parents while it runs, the frontiers
// and the far pile: Searcher.Bytes returns the maximum.
//
// A separate pass finds parents when the distances are complete. The parent is the nearer neighbor
// of the least internal number that a shortest path may come by. A vertex that has only neighbors at its own
// distance, by edges that add nothing, gets the one with the fewest such edges behind it. So parents are
// the same in every run, but not with vertices in another order.
//
// [docs/algorithms/sssp.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/sssp.md
package sssp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/traverse"
)

// graph.ErrWeights: an edge whose weight is negative or NaN.
var errWeights = text.Named("bad weight", graph.ErrWeights)

// Options say what a search computes. The zero value computes the distances of all that can be
// reached.
type Options struct {
	// Parents computes the parent of every vertex reached too.
	Parents bool
	// Float32 makes distances float32, rounded after each addition, whatever type the weights have. It
	// takes less memory, and less time where weights are fractions.
	Float32 bool
	// Limit is the largest distance: what is farther isn't reached. 0 means no limit; less, and
	// NaN, are graph.ErrOptions.
	Limit float64
	// Targets, vertices of the graph, end the search when the distances of all of them are
	// certain. What is farther than the farthest of them isn't reached then. It goes on to the
	// end where one can't be reached.
	Targets []uint32
	// Delta is the width of a stage. 0 means what suits the graph; +Inf is one stage for all
	// (Bellman and Ford's algorithm); less than 0, and NaN, are graph.ErrOptions. The results
	// are the same. On several GPUs stages get wider once few edges are left.
	Delta float64
	// Prepare is when the graph is prepared for searches to come. The results are the same.
	Prepare Preparation
	// Engine is how the steps are run on GPUs. Searches with targets run level by level. On several GPUs LevelByLevel
	// takes less memory.
	Engine traverse.Engine
	// Stats keeps what happened level by level, in Result.Stats.
	Stats bool
	// EachLevel, if not nil, is called after each level, by the goroutine that searches. On the host, and on several
	// GPUs, a search without targets has one level without it; with it, it has many and takes longer. On one GPU a search in
	// windows has one.
	EachLevel func(traverse.Level)
	// Logger, if not nil, gets a line per search (slog.LevelInfo), also of one that fails.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the run, and the state of a Pool.
	Metrics metrics.Recorder
}

// check returns graph.ErrOptions for options out of their range, else nil.
func (o Options) check() error {
	for _, x := range []struct {
		name  string
		value float64
	}{{"Limit", o.Limit}, {"Delta", o.Delta}} {
		if !(x.value >= 0) {
			return fmt.Errorf("sssp: %w: %s is %v; want 0 or more", graph.ErrOptions, x.name, x.value)
		}
	}
	return o.Prepare.check()
}

func (o Options) traverse() traverse.Options {
	return traverse.Options{Engine: o.Engine, Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics}
}

// Query is one search of a Searcher or a Pool.
type Query struct {
	// Sources are where paths begin: one vertex of the graph, or several, the nearest of which
	// counts. One that is given twice counts once.
	Sources []uint32
	// Targets end the search as Options.Targets do; none means those of the options.
	Targets []uint32
	// Limit is as in Options; 0 means Options.Limit.
	Limit float64
}

// Searcher searches a placed graph again and again in the same memory. Every run returns the same
// *Result, which is valid until the next run: an earlier result is the last one, and closing it closes
// that. Only the first run after the graph was prepared returns another. It belongs to one goroutine at a time; Close gives the memory back.
type Searcher = traverse.Searcher[Query, *Result]

// Run searches from one source, a vertex of the graph (see graph.Graph.Vertex for external ids).
// Any number of searches may run at once. The result is the caller's; Result.Close makes the next
// search cheaper.
//
// The error is graph.ErrNoVertex for a source or target that the graph doesn't have,
// graph.ErrNoWeights for a graph without weights, graph.ErrWeights for a weight that is negative or NaN,
// ErrOverflow for a distance past the largest number of its type,
// graph.ErrOptions for options out of their range, device.ErrClosed for a placed graph that was
// closed, device.ErrMemory where a GPU has too little memory, graph.ErrNoGraph for nil, or the
// context's, which is looked at within every round.
func Run(ctx context.Context, p *graph.Placed, source uint32, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "sssp"); err != nil {
		return nil, err
	}
	return RunMultiSource(ctx, p, []uint32{source}, o)
}

// RunMultiSource searches from several sources at once: the distance of a vertex is that from the
// nearest one. None is graph.ErrNoVertex. All else is as with Run.
func RunMultiSource(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "sssp"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return traverse.Run(ctx, p, algorithm(p, o), Query{Sources: sources}, o.traverse())
}

// NewSearcher returns a Searcher with the options of Run. It takes no memory yet. Errors are
// those of Run for options and the placed graph.
func NewSearcher(p *graph.Placed, o Options) (*Searcher, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return traverse.NewSearcher(p, algorithm(p, o), o.traverse())
}

// NewPool returns a Pool of searches with the options of Run. The budget may be shared with
// other pools on the same device; nil means a budget of the device's free memory. Errors are
// those of NewSearcher, and device.ErrBudget where not even one search fits. On a GPU it prepares the graph unless
// Options.Prepare forbids that: what the rows by weight take isn't in the budget.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*traverse.Pool[Query, *Result], error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.ahead(p, b); err != nil {
		return nil, err
	}
	return traverse.NewPool(p, func() (*Searcher, error) { return NewSearcher(p, o) }, b)
}

// memory is what a search holds.
func (o Options) memory(p *graph.Placed) traverse.Memory {
	one := traverse.Memory{Arrays: []int{4}, Frontiers: 3, Piles: 1}
	shards := traverse.Memory{Arrays: []int{4}, Frontiers: 3}
	if o.together() {
		// Queues, notes and inboxes of a GPU's own vertices, and a queue of all; parts of long rows.
		shards.Arrays, shards.EdgeArrays, shards.Bitmaps = append(shards.Arrays, 8, 8, 4), []int{1}, 2
	}
	onGPU := one
	if o.Engine != traverse.LevelByLevel { // notes and marks; parts of long rows
		onGPU.Arrays, onGPU.EdgeArrays, onGPU.Bitmaps = append([]int{4}, one.Arrays...), []int{1}, 2
	}
	m := run.Choose(p, run.Ways[traverse.Memory]{Host: one, GPU: onGPU, Shards: shards})
	if !o.Float32 && (p.Err() != nil || p.Graph().WeightType() != graph.WeightsFloat32) {
		m.Arrays = append(m.Arrays, 8, 8) // in float64, and the result
	}
	if o.Parents {
		m.Arrays = append(m.Arrays, 4, 4)
	}
	return m
}

// Result is what a search found. It is the caller's, or of the Searcher that returned it, and then valid
// until its next run.
type Result struct {
	// Distances has the distance of every vertex, in the type of the graph's weights.
	Distances Distances
	// Parents has the vertex before each one on its path, a source itself, or graph.NoVertex
	// where it wasn't reached. It is nil unless Options.Parents asked for it.
	Parents *traverse.Values[uint32]
	// Sources are the sources of the query.
	Sources []uint32
	// Reached is how many vertices were reached, sources included.
	Reached int
	// Limit is the distance beyond which nothing counts as reached: that of the query, or that of
	// the farthest target if it is less; +Inf where there is none.
	Limit float64
	// Delta is the width of a stage; +Inf where there is one stage.
	Delta float64
	// ByWeight says that the search went over rows by weight (Prepare, Options.Prepare).
	ByWeight bool
	// WhyHost is why one goroutine of the host searched, although the graph is on GPUs or the host has more: what
	// the distances need that other engines lack. It is empty else.
	WhyHost string
	Stats   traverse.Stats
}

// Close gives the arrays to the next search. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Distances.close(), r.Parents.Close())
}

var inf = float32(math.Inf(1))
