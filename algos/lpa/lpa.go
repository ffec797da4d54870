// Package lpa finds communities by label propagation, as LDBC Graphalytics defines its CDLP
// (Raghavan, Albert and Kumara, "Near linear time algorithm to detect community structures in
// large-scale networks", Physical Review E 76, 2007, made synchronous and deterministic). Every
// vertex starts with its own label. In each round all vertices simultaneously take the most
// frequent label among their neighbors; ties go to the smallest. Labels are ordered by the external
// ids of the vertices that had them first.
//
//   - In a directed graph in-neighbors and out-neighbors count, and a vertex that is both counts
//     twice. The graph needs its reverse.
//   - Each copy of a duplicate edge counts. A self-loop counts once in an undirected graph, twice
//     in a directed one. Weights are ignored.
//   - An isolated vertex keeps its label. Labels never cross from one component to another. The empty graph
//     has no labels.
//
// The guide is [docs/algorithms/lpa.md].
//
// Labels depend neither on the device nor on the internal numbering. Bipartite parts of a graph may
// exchange labels forever, so the number of rounds is part of the definition. A run ends earlier if
// a round changes nothing.
//
// A round costs a pass over the edges, in which reduce.Mode counts the labels of each row. It takes
// 12 bytes a vertex, and on a GPU also reduce.ModeBytes.
//
// [docs/algorithms/lpa.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/lpa.md
package lpa

import (
	"context"
	"fmt"
	"log/slog"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// defaultIterations is how many rounds there are where Options doesn't say: as many as LDBC's CDLP has on most graphs.
const defaultIterations = 10

// Options say how labels are propagated. The zero value is LDBC's 10 rounds.
type Options struct {
	// Iterations is how many rounds there are at most; 0 stands for 10.
	Iterations int

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// check returns graph.ErrOptions for a value out of range.
func (o Options) check() error {
	if o.Iterations < 0 {
		return fmt.Errorf("lpa: %w: Iterations is %d; want 1 or more, or 0 for %d", graph.ErrOptions, o.Iterations, defaultIterations)
	}
	return nil
}

func (o Options) resolved() Options {
	if o.Iterations == 0 {
		o.Iterations = defaultIterations
	}
	return o
}

// Result is the communities of a graph. It is the caller's, who closes it; until then it is
// safe for concurrent reading.
type Result struct {
	// Labels has the label of every vertex: the vertex that had it first, by its internal number.
	Labels      *traverse.Values[uint32]
	Communities int // labels that vertices have
	Iterations  int // rounds that were made
	Stats       traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Labels.Close()
}

// Run finds communities. Errors are graph.ErrOptions, graph.ErrNoReverse for a directed graph
// without its reverse, device.ErrMemory, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "lpa"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("lpa: %w", err)
	}
	if !p.Graph().HasReverse() {
		return nil, fmt.Errorf("lpa: %w: both directions count; build the graph with its reverse (graph.Options.Reverse)", graph.ErrNoReverse)
	}
	a := traverse.Algorithm[Options, *Result]{Name: "lpa", Memory: memory, Run: propagate}
	return traverse.Run(ctx, p, a, o.resolved(), traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	bytes := memory.Bytes(p)
	if p.Remote() != nil {
		bytes += reduce.ModeBytes(p)
	}
	return bytes
}

// memory is the arrays of a run: two of labels, and which labels are used.
var memory = traverse.Memory{Arrays: []int{4, 4, 4}}

func propagate(t *traverse.Traversal, o Options) (*Result, error) {
	label := traverse.VertexIDs(t)
	if t.Placed().Graph().IDs().Ranks() != nil {
		t.Do(t.All(), foreach.All(newTake(label, traverse.Ranks(t)), nil))
	}
	if t.Err() == nil && t.Placed().NumVertices() > 0 {
		next, changed := traverse.Array[uint32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
		t.Repeat(t.All(), reduce.Mode(label, next, changed), foreach.All(newTake(label, next), nil),
			traverse.Below(changed, 1), traverse.MaxRounds(o.Iterations))
	}
	used, count := traverse.Array[uint32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), foreach.All(newMark(label, used), nil), foreach.All(newName(label, used, traverse.ByRank(t)), count))
	r := &Result{Communities: int(traverse.Get(t, count)), Iterations: t.Stats().Rounds}
	var err error
	if r.Labels, err = traverse.Result(t, label); err != nil {
		return nil, err
	}
	r.Stats = r.Labels.Stats
	return r, nil
}
