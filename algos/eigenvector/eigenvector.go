// Package eigenvector finds eigenvector centrality (Bonacich, 1987), as networkx' eigenvector_centrality does: a vertex is
// central if central vertices lead to it. The values are the eigenvector of the largest eigenvalue of the adjacency matrix,
// and their L2 norm is 1.
//
// The guide is [docs/algorithms/eigenvector.md].
//
//   - All vertices start with the same value. In a round a vertex keeps its value and adds those of its in-neighbors, times
//     the weights; then values are divided by their norm. Rounds end once one changes the values by less than the tolerance
//     times the number of vertices, in sum (the L1 norm), as in networkx.
//   - Directed graphs need their reverse. In undirected graphs each edge goes both ways.
//   - A self-loop counts once. Each copy of a duplicate edge counts.
//   - Weights that are negative, not finite or above 1e100 are refused.
//   - A graph without vertices has no values, and no error. Components whose eigenvalue isn't the largest end near 0.
//
// Sums are float64, in an order that doesn't depend on the number of workers: values are the same in every run on a
// device. A round costs a pass over the edges and one over the vertices. It takes 16 bytes a vertex.
//
// [docs/algorithms/eigenvector.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/eigenvector.md
package eigenvector

import (
	"context"
	"fmt"
	"log/slog"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/matrix"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/traverse"
)

// Options have these for zeros, as networkx does.
const (
	defaultTolerance  = 1e-6
	defaultIterations = 100
)

// Options say what is computed. The zero value is networkx' default.
type Options struct {
	// Tolerance ends the run once a round changes the values by less than it, in the mean of vertices; 0 means 1e-6.
	Tolerance float64
	// Iterations is the maximum number of rounds; 0 means 100.
	Iterations int
	// Weighted multiplies by the weights of edges, of which the graph must have some.
	Weighted bool

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

func (o Options) resolved() Options {
	if o.Tolerance == 0 {
		o.Tolerance = defaultTolerance
	}
	if o.Iterations == 0 {
		o.Iterations = defaultIterations
	}
	return o
}

// Result is the centrality of vertices. It is the caller's, who closes it; until then it is safe for concurrent reading.
type Result struct {
	Centrality *traverse.Values[float64] // of every vertex
	Iterations int                       // rounds that were made
	Change     float64                   // of the values in the last round, in sum
	Converged  bool                      // Change is below the tolerance times the number of vertices; networkx fails otherwise
	Stats      traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Centrality.Close()
}

// Run finds the centrality of vertices. A result that hasn't converged isn't an error. Errors are graph.ErrOptions,
// graph.ErrNoReverse for a directed graph without its reverse, graph.ErrNoWeights and graph.ErrWeights if Weighted is set
// and weights are missing or invalid, device.ErrMemory, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "eigenvector"); err != nil {
		return nil, err
	}
	if err := matrix.Tolerable("eigenvector", o.Tolerance, o.Iterations); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("eigenvector: %w", err)
	}
	if !p.Graph().HasReverse() {
		return nil, fmt.Errorf("eigenvector: %w: values come over in-edges; build the graph with its reverse (graph.Options.Reverse)", graph.ErrNoReverse)
	}
	a := traverse.Algorithm[Options, *Result]{Name: "eigenvector", Memory: memory, Run: iterate}
	return traverse.Run(ctx, p, a, o.resolved(), traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return memory.Bytes(p)
}

// memory is the arrays of a run: the values, and those of the next round.
var memory = traverse.Memory{Arrays: []int{8, 8}}

func iterate(t *traverse.Traversal, o Options) (*Result, error) {
	n := t.Placed().NumVertices()
	m, err := matrix.Of(t, "eigenvector", o.Weighted, matrix.In)
	if err != nil {
		return nil, err
	}
	x, next := traverse.Array(t, 1/float64(max(n, 1))), traverse.Uninitialized[float64](t)
	squares, change := traverse.Scalar[float64](t, operators.Sum), traverse.Scalar[float64](t, operators.Sum)
	if t.Err() != nil {
		return nil, t.Err()
	}
	r, bound := &Result{}, o.Tolerance*float64(n)
	if n > 0 {
		before := t.Stats().Rounds
		t.Repeat(t.All(), m.In(x, next, matrix.Affine{Factor: 1, Keep: 1, Squares: true}, squares),
			matrix.Take(x, next, squares.Array(), true, change), traverse.Below(change, bound), traverse.MaxRounds(o.Iterations))
		r.Iterations, r.Change = t.Stats().Rounds-before, traverse.Get(t, change)
	}
	r.Converged = r.Change < bound || n == 0
	if r.Centrality, err = traverse.Result(t, x); err != nil {
		return nil, err
	}
	r.Stats = r.Centrality.Stats
	return r, nil
}
