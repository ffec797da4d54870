// Package hits finds hubs and authorities (Kleinberg, "Authoritative sources in a hyperlinked environment", 1999), as
// networkx' hits does: a good hub leads to good authorities, and good hubs lead to a good authority.
//
// The guide is [docs/algorithms/hits.md].
//
//   - All hubs start with the same value. In a round an authority gets the sum of the hubs along its in-edges, and then a
//     hub the sum of the authorities along its out-edges; both are divided by their largest value. Rounds end once one
//     changes the hubs by less than the tolerance in sum (the L1 norm). Then hubs and authorities are divided by their sums.
//   - networkx 2 computes that; networkx 3 finds the same vectors by a singular value decomposition.
//   - Directed graphs need their reverse. In an undirected graph hubs and authorities end alike.
//   - A self-loop counts once. Each copy of a duplicate edge counts.
//   - Weights that are negative, not finite or above 1e100 are refused.
//   - In a graph without edges, or only of weight 0, all values are 0. A graph without vertices has no values, and no error.
//
// Sums are float64, in an order that doesn't depend on the number of workers: values are the same in every run on a
// device. A round costs two passes over the edges and two over the vertices. It takes 32 bytes a vertex.
//
// [docs/algorithms/hits.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/hits.md
package hits

import (
	"context"
	"errors"
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
	defaultTolerance  = 1e-8
	defaultIterations = 100
)

// Options say what is computed. The zero value is networkx' default, of edges that count alike.
type Options struct {
	// Tolerance ends the run once a round changes the hubs, the largest of which is 1, by less in sum; 0 means 1e-8.
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

// Result is the hubs and authorities of a graph. It is the caller's, who closes it; until then it is safe for concurrent
// reading.
type Result struct {
	Hubs        *traverse.Values[float64] // of every vertex; they add up to 1
	Authorities *traverse.Values[float64] // of every vertex; they add up to 1
	Iterations  int                       // rounds that were made
	Change      float64                   // of the hubs in the last round, in sum, the largest being 1
	Converged   bool                      // Change is below the tolerance; networkx fails otherwise
	Stats       traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Hubs.Close(), r.Authorities.Close())
}

// Run finds hubs and authorities. A result that hasn't converged isn't an error. Errors are graph.ErrOptions,
// graph.ErrNoReverse for a directed graph without its reverse, graph.ErrNoWeights and graph.ErrWeights if Weighted is set
// and weights are missing or invalid, device.ErrMemory, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "hits"); err != nil {
		return nil, err
	}
	if err := matrix.Tolerable("hits", o.Tolerance, o.Iterations); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("hits: %w", err)
	}
	if !p.Graph().HasReverse() {
		return nil, fmt.Errorf("hits: %w: authorities come over in-edges; build the graph with its reverse (graph.Options.Reverse)", graph.ErrNoReverse)
	}
	a := traverse.Algorithm[Options, *Result]{Name: "hits", Memory: memory, Run: iterate}
	return traverse.Run(ctx, p, a, o.resolved(), traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return memory.Bytes(p)
}

// memory is the arrays of a run: hubs and authorities, before and after they are divided.
var memory = traverse.Memory{Arrays: []int{8, 8, 8, 8}}

func iterate(t *traverse.Traversal, o Options) (*Result, error) {
	n := t.Placed().NumVertices()
	m, err := matrix.Of(t, "hits", o.Weighted, matrix.In|matrix.Out)
	if err != nil {
		return nil, err
	}
	hub, authority := traverse.Array(t, 1/float64(max(n, 1))), traverse.Array(t, 0.0)
	nextHub, nextAuthority := traverse.Array(t, 0.0), traverse.Array(t, 0.0)
	mostHub, mostAuthority := traverse.Scalar[float64](t, operators.Max), traverse.Scalar[float64](t, operators.Max)
	change, ignored := traverse.Scalar[float64](t, operators.Sum), traverse.Scalar[float64](t, operators.Sum)
	hubs, authorities := traverse.Scalar[float64](t, operators.Sum), traverse.Scalar[float64](t, operators.Sum)
	if t.Err() != nil {
		return nil, t.Err()
	}
	r := &Result{}
	if n > 0 {
		before := t.Stats().Rounds
		t.Repeat(t.All(),
			m.In(hub, nextAuthority, matrix.Affine{Factor: 1}, mostAuthority),
			matrix.Take(authority, nextAuthority, mostAuthority.Array(), false, ignored),
			m.Out(authority, nextHub, mostHub),
			matrix.Take(hub, nextHub, mostHub.Array(), false, change),
			traverse.Below(change, o.Tolerance), traverse.MaxRounds(o.Iterations))
		r.Iterations, r.Change = t.Stats().Rounds-before, traverse.Get(t, change)
		t.Do(t.All(), matrix.Measure(hub, false, hubs), matrix.Measure(authority, false, authorities),
			matrix.Take(nextHub, hub, hubs.Array(), false, nil), matrix.Take(nextAuthority, authority, authorities.Array(), false, nil))
	}
	r.Converged = r.Change < o.Tolerance || n == 0
	if r.Hubs, err = traverse.Result(t, nextHub); err != nil {
		return nil, err
	}
	if r.Authorities, err = traverse.Result(t, nextAuthority); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Stats = r.Hubs.Stats
	return r, nil
}
