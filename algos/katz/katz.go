// Package katz finds Katz centrality (Katz, "A new status index derived from sociometric analysis", 1953), as networkx'
// katz_centrality does: the centrality of a vertex is Beta, plus Alpha times the sum of the centralities of its
// in-neighbors. So walks of any length to a vertex count, and each edge of a walk multiplies by Alpha, and by its weight.
//
// The guide is [docs/algorithms/katz.md].
//
//   - All vertices start with 0. Rounds end once one changes the values by less than the tolerance times the number of
//     vertices, in sum (the L1 norm). Then values are divided by their L2 norm, as networkx does by default.
//   - Alpha must be less than 1 divided by the largest eigenvalue of the adjacency matrix; else values grow without end.
//     Run refuses that (graph.ErrOptions) once it is seen, and names an Alpha that is small enough.
//   - Directed graphs need their reverse. In undirected graphs each edge goes both ways.
//   - A self-loop counts once. Each copy of a duplicate edge counts.
//   - Weights that are negative, not finite or above 1e100 are refused.
//   - A graph without vertices has no values, and no error.
//
// Sums are float64, in an order that doesn't depend on the number of workers: values are the same in every run on a
// device. A round costs a pass over the edges and one over the vertices. It takes 16 bytes a vertex.
//
// [docs/algorithms/katz.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/katz.md
package katz

import (
	"context"
	"fmt"
	"log/slog"
	"math"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/matrix"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/traverse"
)

// Options say what is computed. The zero value is networkx' default.
type Options struct {
	// Alpha is what an edge multiplies by, above 0; 0 stands for 0.1.
	Alpha float64
	// Beta is the constant that each vertex gets, from 1e-100 to 1e100; 0 stands for 1. Values are normalized, so it
	// only changes when rounds end.
	Beta float64
	// Tolerance ends the run once a round changes the values by less than it, in the mean of vertices; 0 means 1e-6.
	Tolerance float64
	// Iterations is the maximum number of rounds; 0 means 1000.
	Iterations int
	// Weighted multiplies by the weights of edges, of which the graph must have some.
	Weighted bool

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// check returns graph.ErrOptions for a value out of range.
func (o Options) check() error {
	switch {
	case !(o.Alpha >= 0 && o.Alpha <= matrix.Largest):
		return fmt.Errorf("katz: %w: Alpha is %v; want a number above 0 and at most %v, such as %v, or 0 for that", graph.ErrOptions, o.Alpha, matrix.Largest, defaultAlpha)
	case !(o.Beta == 0 || o.Beta >= 1/matrix.Largest && o.Beta <= matrix.Largest):
		return fmt.Errorf("katz: %w: Beta is %v; want a number from %v to %v, such as %v, or 0 for that", graph.ErrOptions, o.Beta, 1/matrix.Largest, matrix.Largest, defaultBeta)
	}
	return matrix.Tolerable("katz", o.Tolerance, o.Iterations)
}

func (o Options) resolved() Options {
	if o.Alpha == 0 {
		o.Alpha = defaultAlpha
	}
	if o.Beta == 0 {
		o.Beta = defaultBeta
	}
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
	Centrality *traverse.Values[float64] // of every vertex; the L2 norm is 1
	Iterations int                       // rounds that were made
	Change     float64                   // of the values in the last round, in sum, before they were divided by their norm
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

// Run finds the centrality of vertices. A result that hasn't converged isn't an error. Errors are graph.ErrOptions, also
// for an Alpha with which values grow without end, graph.ErrNoReverse for a directed graph without its reverse,
// graph.ErrNoWeights and graph.ErrWeights if Weighted is set and weights are missing or invalid, device.ErrMemory, and
// those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "katz"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("katz: %w", err)
	}
	if !p.Graph().HasReverse() {
		return nil, fmt.Errorf("katz: %w: values come over in-edges; build the graph with its reverse (graph.Options.Reverse)", graph.ErrNoReverse)
	}
	a := traverse.Algorithm[Options, *Result]{Name: "katz", Memory: memory, Run: iterate}
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
	m, err := matrix.Of(t, "katz", o.Weighted, matrix.In)
	if err != nil {
		return nil, err
	}
	x, next, one := traverse.Array(t, 0.0), traverse.Array(t, 0.0), traverse.ArrayN(t, 1, 1.0)
	change, squares := traverse.Scalar[float64](t, operators.Sum), traverse.Scalar[float64](t, operators.Sum)
	if t.Err() != nil {
		return nil, t.Err()
	}
	r, bound := &Result{}, o.Tolerance*float64(n)
	if n > 0 {
		before := t.Stats().Rounds
		t.Repeat(t.All(), m.In(x, next, matrix.Affine{Factor: o.Alpha, Constant: o.Beta}, nil), matrix.Take(x, next, one, false, change),
			traverse.Below(change, bound), traverse.Above(change, endless), traverse.MaxRounds(o.Iterations))
		r.Iterations, r.Change = t.Stats().Rounds-before, traverse.Get(t, change)
		if t.Err() == nil && !(r.Change <= endless) {
			return nil, tooLarge(t, m, x, next, o)
		}
		t.Do(t.All(), matrix.Measure(x, true, squares), matrix.Take(next, x, squares.Array(), true, nil))
	}
	r.Converged = r.Change < bound || n == 0
	if r.Centrality, err = traverse.Result(t, next); err != nil {
		return nil, err
	}
	r.Stats = r.Centrality.Stats
	return r, nil
}

// tooLarge is the error of an Alpha with which values grow without end. No eigenvalue is larger than the largest sum of the
// weights of a vertex's in-edges.
func tooLarge(t *traverse.Traversal, m *matrix.Edges, x, ones *device.Buffer[float64], o Options) error {
	most := traverse.Scalar[float64](t, operators.Max)
	if t.Err() != nil {
		return t.Err()
	}
	t.Do(t.All(), m.In(x, ones, matrix.Affine{Constant: 1}, nil), m.In(ones, x, matrix.Affine{Factor: 1}, most))
	bound := traverse.Get(t, most)
	if err := t.Err(); err != nil {
		return err
	}
	return fmt.Errorf("katz: %w: with Alpha %v values grow without end; take less than 1 divided by the largest eigenvalue: %.3g is small enough, and larger ones may be",
		graph.ErrOptions, o.Alpha, math.Nextafter(0.9/bound, 0))
}
