// Package degree counts the edges of every vertex, and adds up their weights, as networkx' degree, in_degree, out_degree
// and degree_centrality do.
//
// The guide is [docs/algorithms/degree.md].
//
//   - In a directed graph the degree is the number of in-edges and out-edges; Options.In and Options.Out restrict it
//     to one of them. In-edges need the graph's reverse.
//   - A self-loop of an undirected graph counts twice. In a directed graph it is one out-edge and one in-edge. Each copy
//     of a duplicate edge counts.
//   - The centrality is the degree divided by the number of other vertices: more than 1 is possible. It is 1 in a graph
//     of one vertex.
//   - The strength is the sum of weights, where a self-loop of an undirected graph counts twice. Weights that are negative,
//     not finite or above 1e100 are refused.
//
// Sums of weights are float64, in an order that only the row determines. So results are the same in every run on a
// device, for any number of workers.
//
// A run costs one pass over the edges of each direction, and with weights two or three more. It takes 16 bytes a vertex,
// and 8 more for strengths.
//
// [docs/algorithms/degree.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/degree.md
package degree

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/matrix"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Options say which edges count. The zero value counts in-edges and out-edges.
type Options struct {
	// In and Out restrict the degree to edges of one direction, if one of them is set. In an undirected graph every edge
	// of a vertex has both.
	In, Out bool
	// Weighted adds up weights too, of which the graph must have some.
	Weighted bool

	Logger  *slog.Logger     // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics metrics.Recorder // gets the end of the run
}

// sides are the rows of edges to count in a graph.
func (o Options) sides(g *graph.Graph) matrix.Sides {
	switch {
	case !g.Directed(), o.Out && !o.In:
		return matrix.Out
	case o.In && !o.Out:
		return matrix.In
	}
	return matrix.In | matrix.Out
}

// Result is the degrees of a graph. It is the caller's, who closes it; until then it is safe for concurrent reading.
type Result struct {
	Degree     *traverse.Values[uint64]  // the number of edges of every vertex
	Centrality *traverse.Values[float64] // Degree divided by the number of other vertices
	Strength   *traverse.Values[float64] // the sum of their weights; nil without Options.Weighted
	Largest    uint64                    // degree
	Stats      traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Degree.Close(), r.Centrality.Close(), r.Strength.Close())
}

// Run counts the edges of vertices. Errors are graph.ErrNoReverse for in-edges of a directed graph without its reverse,
// graph.ErrNoWeights and graph.ErrWeights if Weighted is set and weights are missing or invalid, device.ErrMemory, and
// those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "degree"); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("degree: %w", err)
	}
	if g := p.Graph(); o.sides(g)&matrix.In != 0 && !g.HasReverse() {
		return nil, fmt.Errorf("degree: %w: in-edges count, unless only out-edges are asked for; build the graph with its reverse (graph.Options.Reverse)", graph.ErrNoReverse)
	}
	a := traverse.Algorithm[Options, *Result]{Name: "degree", Memory: memory(o), Run: counted}
	return traverse.Run(ctx, p, a, o, traverse.Options{Logger: o.Logger, Metrics: o.Metrics})
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, o Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return memory(o).Bytes(p)
}

// memory is the arrays of a run.
func memory(o Options) traverse.Memory {
	arrays := []int{8, 8}
	if o.Weighted {
		arrays = append(arrays, 8)
	}
	return traverse.Memory{Arrays: arrays}
}

func counted(t *traverse.Traversal, o Options) (*Result, error) {
	g := t.Placed().Graph()
	sides, again := o.sides(g), uint64(0)
	if !g.Directed() {
		again = 1
	}
	degree, centrality := traverse.Array[uint64](t, 0), traverse.Uninitialized[float64](t)
	largest := traverse.Scalar[uint64](t, operators.Max)
	if t.Err() != nil {
		return nil, t.Err()
	}
	count := newCount(degree, again)
	if sides&matrix.Out != 0 {
		t.Do(t.All(), reduce.Out(count, nil))
	}
	if sides&matrix.In != 0 {
		t.Do(t.All(), reduce.In(count, nil))
	}
	others := max(t.Placed().NumVertices()-1, 0)
	t.Do(t.All(), foreach.All(newShare(degree, centrality, float64(others)), largest))
	strength, err := weighed(t, o.Weighted, sides, float64(again))
	if err != nil {
		return nil, err
	}
	r := &Result{Largest: traverse.Get(t, largest)}
	if r.Degree, err = traverse.Result(t, degree); err != nil {
		return nil, err
	}
	if r.Centrality, err = traverse.Result(t, centrality); err == nil && strength != nil {
		r.Strength, err = traverse.Result(t, strength)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Stats = r.Degree.Stats
	return r, nil
}

// weighed adds up weights.
func weighed(t *traverse.Traversal, weighted bool, sides matrix.Sides, again float64) (*device.Buffer[float64], error) {
	if !weighted {
		return nil, nil
	}
	m, err := matrix.Of(t, "degree", true, sides)
	if err != nil {
		return nil, err
	}
	strength := traverse.Array[float64](t, 0)
	if t.Err() != nil {
		return nil, t.Err()
	}
	in, out := m.Wide()
	if sides&matrix.Out != 0 {
		if out != nil {
			t.Do(t.All(), reduce.Out(newWeighWide(strength, out, again), nil))
		} else {
			t.Do(t.All(), reduce.Out(newWeigh(strength, again), nil))
		}
	}
	if sides&matrix.In != 0 {
		if in != nil {
			t.Do(t.All(), reduce.In(newWeighWide(strength, in, again), nil))
		} else {
			t.Do(t.All(), reduce.In(newWeigh(strength, again), nil))
		}
	}
	return strength, t.Err()
}
