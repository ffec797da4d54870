// Package pagerank ranks vertices by PageRank (Page, Brin, Motwani and Winograd, 1999), as LDBC Graphalytics and
// networkx define it: with probability Damping a random walker follows an out-edge, chosen uniformly or by weight, and
// else jumps to a vertex chosen by the personalization, or uniformly without one. From a vertex without out-edges it
// always jumps. A vertex's rank is the share of time that the walker spends there; ranks add up to 1. (The GAP
// Benchmark Suite loses the mass of vertices without out-edges; elsewhere its ranks are the same.)
//
// The guide is [docs/algorithms/pagerank.md].
//
// Without a tolerance (Options.Tolerance below 0) ranks start uniform, and equal LDBC's and networkx's ranks after the same number of rounds. With a
// tolerance they are the limit to within Tolerance/(1-Damping), in the L1 norm, before they are scaled to add up to 1,
// whatever the start. So ranks of undirected graphs usually start closer to the limit: by the personalization and by
// degree, or by the weights of edges. Options.Start begins with earlier ranks instead.
//
//   - Directed graphs need their reverse. In undirected graphs each edge goes both ways.
//   - A self-loop counts as one out-edge. Each copy of a duplicate edge counts.
//   - Edges of weight 0 carry nothing, and a vertex with only such edges counts as one without out-edges. Negative and
//     non-finite weights are refused.
//   - Weights may decay with the age of edges (Options.Decay).
//   - An isolated vertex receives rank only from jumps. The graph need not be connected. A graph without vertices has
//     no ranks, and no error.
//
// A round costs one pass over the edges and two over the vertices. If ranks of an undirected graph converge slowly, as
// on road networks, rounds use the momentum of Chebyshev iteration, which needs less than half as many rounds. On the
// host a round over an undirected graph without weights is one pass, and has some momentum from the first round on.
// Sums are float64 in a fixed order, so ranks are the same in every run on a device. Shares are float32 and give ranks
// within 5e-7 of each (at damping 0.85; 7e-7 where a GPU reduces over slabs), or float64 where Tolerance is below 1e-6,
// or below 1.5e-7/(1-Damping). With a personalization the relative error may grow by 2e-7 for each edge on the path
// from the vertices that walkers jump to, and a rank below 1e-36 may be 0.
//
// Memory: 24 bytes a vertex, 28 of undirected graphs with a tolerance, and 4 more with a personalization; with float64
// shares they are 36, 44 and 8. A decay takes float64 shares, and 8 bytes an edge. On GPUs large graphs take up to 10 more bytes an edge, if there is enough memory
// (reduce.SlabBytes).
//
// [docs/algorithms/pagerank.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/pagerank.md
package pagerank

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// graph.ErrWeights: weights that are negative or not finite.
var errWeights = text.Named("bad weights", graph.ErrWeights)

// Options say what is computed. The zero value is a PageRank to convergence: Tolerance
// 1e-6, of edges that count alike.
type Options struct {
	// Damping is the probability of following an edge, above 0 and below 1; 0 stands for 0.85.
	Damping float64
	// Tolerance ends the run once a round changes the ranks by less, in sum (the L1 norm). 0
	// means 1e-6. A negative number means none: the run takes Iterations rounds.
	Tolerance float64
	// Iterations is the maximum number of rounds; 0 means 100.
	Iterations int
	// Weighted shares ranks out by the weights of edges, of which the graph must have some.
	Weighted bool
	// Personalization is where walkers jump to: a weight for each internal vertex, not
	// negative, in whatever scale. nil is all vertices alike. It also takes what vertices
	// without out-edges have.
	Personalization []float64
	// Start is where ranks begin, such as the ranks of an earlier run: a number for each internal vertex, not
	// negative, in whatever scale. NaN stands for a vertex that had no rank, such as one that was appended: it
	// begins with the share of walkers that jump to it. nil is a start of Run's own. A start close to the result
	// saves rounds, by the logarithm of how close it is, and doesn't change the result by more than the tolerance.
	Start []float64
	// Decay makes edges count less the older they are. The zero value leaves all weights as they are.
	Decay Decay

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after rounds
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// Decay multiplies the weight of an edge, or 1 without weights, by 2^(-(Reference-time)/HalfLife). Edges later than
// Reference carry nothing. Only edges of one vertex are compared, so that an edge counts half as much as one of the same
// source and weight that is a half-life newer, however old both are.
type Decay struct {
	// Column names the column of edges that has their times: integers or floats. "" means no decay.
	Column string
	// HalfLife is in the unit of the column, above 0: for timestamp[us] a day is 86,400,000,000.
	HalfLife float64
	// Reference is in the unit of the column too. 0 means the latest time of any edge.
	Reference float64
}

// none reports whether edges keep their weights.
func (d Decay) none() bool { return d == Decay{} }

// check returns graph.ErrOptions for a value out of range.
func (d Decay) check() error {
	switch {
	case d.none():
	case d.Column == "":
		return fmt.Errorf("pagerank: %w: Decay has no Column; name the column of edges that has their times", graph.ErrOptions)
	case !(d.HalfLife > 0 && d.HalfLife <= math.MaxFloat64):
		return fmt.Errorf("pagerank: %w: Decay.HalfLife is %v; want a finite number above 0, in the unit of the column", graph.ErrOptions, d.HalfLife)
	case math.IsNaN(d.Reference) || math.IsInf(d.Reference, 0):
		return fmt.Errorf("pagerank: %w: Decay.Reference is %v; want a time in the unit of the column, or 0 for the latest", graph.ErrOptions, d.Reference)
	}
	return nil
}

// check returns graph.ErrOptions for a value out of range.
func (o Options) check() error {
	if err := errors.Join(o.Decay.check(), o.checkStart()); err != nil {
		return err
	}
	switch {
	case !(o.Damping >= 0 && o.Damping < 1):
		return fmt.Errorf("pagerank: %w: Damping is %v; want a number above 0 and below 1, as 0.85", graph.ErrOptions, o.Damping)
	case math.IsNaN(o.Tolerance) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("pagerank: %w: Tolerance is %v; want a finite number, such as 1e-6, or one below 0 for none", graph.ErrOptions, o.Tolerance)
	case o.Iterations < 0 || o.Iterations > math.MaxInt32:
		return fmt.Errorf("pagerank: %w: Iterations is %d; want 1 to %d, or 0 for %d", graph.ErrOptions, o.Iterations, math.MaxInt32, defaultIterations)
	}
	_, err := o.sum()
	return err
}

// sum adds up the personalization.
func (o Options) sum() (sum float64, err error) {
	for v, x := range o.Personalization {
		if !(x >= 0 && x <= math.MaxFloat64) {
			return 0, fmt.Errorf("pagerank: %w: Personalization[%d] is %v; want finite numbers, 0 or more", graph.ErrOptions, v, x)
		}
		sum += x
	}
	switch {
	case o.Personalization == nil:
	case sum == 0:
		return 0, fmt.Errorf("pagerank: %w: Personalization is 0 everywhere; give some vertex more, or leave it nil", graph.ErrOptions)
	case sum > math.MaxFloat64:
		return 0, fmt.Errorf("pagerank: %w: Personalization adds up to more than a float64 holds; scale it down", graph.ErrOptions)
	}
	return sum, nil
}

// resolved puts defaults in the place of zeros.
func (o Options) resolved() Options {
	if o.Damping == 0 {
		o.Damping = defaultDamping
	}
	if o.Tolerance == 0 {
		o.Tolerance = defaultTolerance
	}
	if o.Iterations == 0 {
		o.Iterations = defaultIterations
	}
	return o
}

// double reports whether shares are float64. What rounding moves in a round goes on, by the damping, in those
// after it.
func (o Options) double() bool {
	return o.Tolerance > 0 && (o.Tolerance < leastSingle || o.Tolerance*(1-o.Damping) < leastSingle*(1-defaultDamping))
}

// Result is the ranks of a graph.
type Result struct {
	Ranks      *traverse.Values[float64] // of every vertex; they add up to 1
	Iterations int                       // rounds that were made
	Change     float64                   // of the ranks in the last round, in sum
	Converged  bool                      // Change is below the tolerance; without one it is false
	Stats      traverse.Stats
}

// Close gives the ranks' memory back.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Ranks.Close()
}

// Run ranks the vertices of a placed graph. Errors are graph.ErrOptions, graph.ErrNoReverse for a directed graph
// without its reverse, graph.ErrNoWeights and graph.ErrWeights if Weighted is set and weights are missing or invalid, graph.ErrNoColumn if
// Decay names no column of numbers, device.ErrNotSupported for Decay and for weights of 64 bits on several GPUs,
// device.ErrMemory, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "pagerank"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("pagerank: %w", err)
	}
	g := p.Graph()
	switch n := len(o.Personalization); {
	case !g.HasReverse():
		return nil, fmt.Errorf("pagerank: %w: ranks come over in-edges; build the graph with its reverse (graph.Options.Reverse)", graph.ErrNoReverse)
	case o.Personalization != nil && n != p.NumVertices():
		return nil, fmt.Errorf("pagerank: %w: Personalization has %d entries, the graph %d vertices", graph.ErrOptions, n, p.NumVertices())
	case o.Start != nil && len(o.Start) != p.NumVertices():
		return nil, fmt.Errorf("pagerank: %w: Start has %d entries, the graph %d vertices", graph.ErrOptions, len(o.Start), p.NumVertices())
	}
	o = o.resolved()
	var books books
	to := traverse.Options{Stats: o.Stats, EachLevel: books.progress(o.EachLevel), Logger: o.Logger, Metrics: o.Metrics}
	r, err := traverse.Run(ctx, p, algorithm(p, &o, &books), o, to)
	if err != nil {
		return nil, err
	}
	r.Stats = r.Ranks.Stats
	books.number(r.Stats.Levels)
	return r, nil
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, o Options) uint64 {
	o = o.resolved()
	bytes := memory(p, o).Bytes(p)
	if p.Err() == nil && p.Remote() != nil && !o.Weighted && o.Decay.none() && !o.double() {
		bytes += reduce.SlabBytes(p)
	}
	return bytes
}

func algorithm(p *graph.Placed, o *Options, b *books) traverse.Algorithm[Options, *Result] {
	ranks := func(t *traverse.Traversal, o Options) (*Result, error) {
		double := o.double() || wide(p, o)
		if o.Weighted && !wide(p, o) {
			far, err := farWeights(t)
			if err != nil {
				return nil, err
			}
			double = double || far
		}
		if double {
			return rank[float64](t, o, b)
		}
		return rank[float32](t, o, b)
	}
	return traverse.Algorithm[Options, *Result]{Name: "pagerank", Memory: memory(p, *o), Run: ranks, RunShards: ranks}
}

// memory is the arrays that rank makes.
func memory(p *graph.Placed, o Options) traverse.Memory {
	size := 4
	if o.double() || o.Weighted || !o.Decay.none() { // weights may be such that it has to be so
		size = 8
	}
	arrays := []int{8, size, size, size, 4} // the ranks, Share, Sum, Strength, degrees
	if hastens(p, o) && !known(p, o) {      // a second half of Share
		arrays = append(arrays, size)
	}
	if o.Personalization != nil {
		arrays = append(arrays, size)
	}
	m := traverse.Memory{Arrays: arrays, Frontiers: run.Choose(p, run.Ways[int]{Shards: -1})}
	if !o.Decay.none() { // the shares of edges, and which vertices have any
		m.Arrays, m.EdgeArrays = append(m.Arrays, 4), []int{8}
	}
	return m
}
