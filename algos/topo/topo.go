// Package topo finds the topological levels of a directed acyclic graph, and its longest paths
// (networkx' topological_generations and dag_longest_path_length).
//
//   - The level of a vertex is the number of edges of the longest path that ends at it. Vertices
//     without in-edges have level 0. Each edge leads to a higher level.
//   - With Options.Weighted a result also has the length of the heaviest path that ends at each vertex:
//     the largest sum of weights. Lengths are float64. Weights are 0 or more; negative, infinite and NaN
//     weights are graph.ErrWeights. So are integer weights whose sums reach 2^53: float64 wouldn't be exact.
//   - A cycle is a *CycleError, which lists the vertices of one. A self-loop is a cycle. An undirected
//     graph is graph.ErrOptions, since each of its edges is a cycle.
//   - Duplicate edges don't change levels; the heaviest counts. The graph needs no reverse. An isolated
//     vertex has level 0. The empty graph has no levels.
//
// Results depend neither on the device nor on the number of workers.
//
// The guide is [docs/algorithms/topo.md].
//
// A run counts the in-edges of each vertex, and peels the vertices without any, round by round (Kahn,
// "Topological sorting of large networks", Communications of the ACM 5, 1962). It visits each edge twice, in
// as many rounds as there are levels, and takes 8 bytes a vertex, or 16 with lengths. Weights that float32 doesn't
// hold take 8 bytes an edge more.
//
// [docs/algorithms/topo.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/topo.md
package topo

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
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// maxExact is the first sum of integers that float64 may have rounded.
const maxExact = 1 << 53

// graph.ErrWeights: weights that are negative or not finite, or too large for exact sums.
var errWeights = text.Named("topo: bad weights", graph.ErrWeights)

// Options say what is found. The zero value finds levels.
type Options struct {
	// Weighted also finds the length of the heaviest path to each vertex. The graph must have weights.
	Weighted bool
	// Engine is how a GPU runs the rounds.
	Engine traverse.Engine

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// Result is the levels of a graph. It is the caller's, who closes it; until then it is safe for
// concurrent reading.
type Result struct {
	Level  *traverse.Values[uint32]  // of every vertex
	Length *traverse.Values[float64] // of the heaviest path that ends at every vertex; nil without Weighted
	Levels int                       // how many levels there are
	Stats  traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Level.Close(), r.Length.Close())
}

// Run finds levels. Errors are *CycleError, graph.ErrOptions for an undirected graph or an unknown Engine,
// graph.ErrNoWeights, graph.ErrWeights, device.ErrMemory, device.ErrNotSupported for several GPUs, and
// those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "topo"); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("topo: %w", err)
	}
	g := p.Graph()
	if !g.Directed() {
		return nil, fmt.Errorf("topo: %w: the graph is undirected, where every edge is a cycle; build it with graph.Options.Directed", graph.ErrOptions)
	}
	if o.Weighted {
		if err := checkWeights(ctx, g); err != nil {
			return nil, err
		}
	}
	a := traverse.Algorithm[Options, *Result]{Name: "topo", Memory: memory(p, o),
		Run: func(t *traverse.Traversal, o Options) (*Result, error) { return levels(ctx, t, o) }}
	return traverse.Run(ctx, p, a, o, traverse.Options{Engine: o.Engine, Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, o Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return memory(p, o).Bytes(p)
}

func memory(p *graph.Placed, o Options) traverse.Memory {
	m := traverse.Memory{Arrays: []int{4, 4}, Frontiers: 1}
	if o.Weighted {
		m.Arrays = append(m.Arrays, 8)
		if wide(p) {
			m.EdgeArrays = []int{8}
		}
	}
	return m
}

// wide reports whether the weights need 64 bits.
func wide(p *graph.Placed) bool {
	return p.Err() == nil && p.Graph().NumDirectedEdges() > 0 && !p.Graph().State().ExactWeights()
}

// checkWeights refuses weights that lengths can't be made of, and names the first edge.
func checkWeights(ctx context.Context, g *graph.Graph) error {
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("topo: %w", err)
	}
	c, ids := g.Out(), g.IDs()
	if c.Weights == nil && c.NumEdges() > 0 {
		return fmt.Errorf("topo: %w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", graph.ErrNoWeights)
	}
	var bad error
	err := looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for v := lo; v < hi && bad == nil; v++ {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				if w := c.FloatWeight(e); !(w >= 0) || math.IsInf(w, 1) {
					bad = fmt.Errorf("%w: the edge from %s to %s weighs %v; longest paths have finite weights of 0 or more: leave such edges out, or change them before loading",
						errWeights, ids.Format(uint32(v)), ids.Format(c.Targets[e]), w)
					return
				}
			}
		}
	})
	if err != nil {
		return fmt.Errorf("topo: %w", err)
	}
	return bad
}

func levels(ctx context.Context, t *traverse.Traversal, o Options) (*Result, error) {
	r := &Result{}
	if err := r.find(ctx, t, o); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Result) find(ctx context.Context, t *traverse.Traversal, o Options) (err error) {
	g := t.Placed().Graph()
	left, level := traverse.Array[uint32](t, 0), traverse.Array[uint32](t, 0)
	peels := advance.Push(newPeel(left, level))
	var length *device.Buffer[float64]
	if o.Weighted {
		length = traverse.Array[float64](t, 0)
		peels = advance.Push(newPeelWeighted(left, level, length))
		if wide(t.Placed()) {
			peels = advance.Push(newPeelWide(left, level, length, traverse.FromSlice(t, doubles(g.Out()))))
		}
	}
	cur := t.All()
	t.Do(cur, advance.VisitAll(newCount(left)), filter.Keep(newFirst(left)))
	t.Repeat(cur, peels)
	peeled, highest := traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Max)
	t.Do(t.All(), foreach.All(newSettled(left), peeled), foreach.All(newHighest(level), highest))
	done, last := int(traverse.Get(t, peeled)), int(traverse.Get(t, highest))
	if err := t.Err(); err != nil {
		return err
	}
	if done < g.NumVertices() {
		return cycleOf(ctx, t, left)
	}
	if done > 0 {
		r.Levels = last + 1
	}
	if r.Level, err = traverse.Result(t, level); err != nil {
		return err
	}
	r.Stats = r.Level.Stats
	if !o.Weighted {
		return nil
	}
	if r.Length, err = traverse.Result(t, length); err != nil {
		return err
	}
	return exact(g, r)
}

// doubles returns the weights as float64.
func doubles(c *graph.CSR) []float64 {
	if c.FloatWeights != nil {
		return c.FloatWeights
	}
	all := make([]float64, c.NumEdges())
	for e := range all {
		all[e] = c.FloatWeight(uint64(e))
	}
	return all
}

// exact refuses lengths that float64 doesn't hold. Rounding is monotone: a sum below 2^53 was never above.
func exact(g *graph.Graph, r *Result) error {
	lengths, err := r.Length.Slice()
	if err != nil {
		return err
	}
	whole := g.WeightType() == graph.WeightsInt64
	for v, x := range lengths {
		switch {
		case math.IsInf(x, 1):
			return fmt.Errorf("%w: the length of the heaviest path to %s is beyond the largest float64; scale weights down before loading", errWeights, g.IDs().Format(uint32(v)))
		case whole && x >= maxExact:
			return fmt.Errorf("%w: the length of the heaviest path to %s is 2^53 or more, which float64 doesn't hold exactly; scale weights down before loading",
				errWeights, g.IDs().Format(uint32(v)))
		}
	}
	return nil
}
