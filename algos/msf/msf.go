// Package msf finds minimum and maximum spanning forests: edges without a cycle that join the same vertices as all
// edges do, whose weights have the least or the largest sum (networkx' minimum_spanning_edges and
// maximum_spanning_edges).
//
//   - Weights may be negative or infinite. NaN is graph.ErrWeights. Weights of 64 bits are compared as such, -0 and 0
//     as equal.
//   - Of edges of equal weight the one with the lower id comes first, if the graph has edge ids. Then the ends decide:
//     the lower of the two external ids, then the higher one. So the forest is unique. It depends neither on the device,
//     the number of workers nor the internal numbering. networkx takes the edge that it was given first.
//   - With Options.Unweighted all weights count as equal: the result is a spanning forest.
//   - The direction of edges doesn't count. Parallel edges are separate edges. Self-loops are in no forest. Isolated vertices
//     are trees without an edge.
//
// The guide is [docs/algorithms/msf.md].
//
// All trees grow at the same time: each round finds the first edge out of each tree, and joins the trees at its ends
// (Borůvka, 1926, in Nešetřil, Milková and Nešetřilová, "Otakar Borůvka on minimum spanning tree problem", Discrete
// Mathematics 233, 2001). A vertex whose neighbors are all in its own tree drops out. A round at least halves the trees that
// can grow, so there are at most 32 rounds. A run takes 60 bytes a vertex, 4 bytes an edge for the result, 4 for keys, or 8
// if the weights need 64 bits, and 8 for edge ids.
//
// [docs/algorithms/msf.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/msf.md
package msf

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/forest"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/layout/rowcheck"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/traverse"
)

// sumBits holds each sum of finite float64 weights exactly: 2,098 bits for one, and 32 for the number of edges.
const sumBits = 2176

// graph.ErrWeights: weights that can't be compared.
var errWeights = text.Named("msf: bad weights", graph.ErrWeights)

// Options say which forest is found. The zero value finds the minimum spanning forest.
type Options struct {
	// Maximum finds the forest of the largest weight.
	Maximum bool
	// Unweighted ignores weights. Otherwise the graph must have them.
	Unweighted bool
	// Engine is how a GPU runs the rounds.
	Engine traverse.Engine

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// Result is a spanning forest. It is the caller's, who closes it; until then it is safe for concurrent reading.
type Result struct {
	// Tree has an entry for each edge of Graph.Out: for an edge of the forest the vertex of its tree with the
	// smallest external id, else graph.NoVertex. An edge of an undirected graph has its value in the entry of the direction
	// from the larger to the smaller vertex, as arrow.WriteEdges expects it.
	Tree  *traverse.EdgeValues[uint32]
	Edges int // how many edges the forest has
	Trees int // how many trees it has: the connected components, isolated vertices included
	Stats traverse.Stats

	unweighted bool
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Tree.Close()
}

// Weight returns the sum of the weights of the forest, rounded once; 0 with Options.Unweighted. It takes a pass over the
// edges on the host. Infinite weights of both signs are NaN. It returns the same errors as EdgeValues.Slice.
func (r *Result) Weight() (float64, error) {
	tree, err := r.Tree.Slice()
	if err != nil || r.unweighted {
		return 0, err
	}
	c := r.Tree.Graph().Out()
	sum, one := new(big.Float).SetPrec(sumBits), new(big.Float)
	infinite := 0.0
	for e, name := range tree {
		switch {
		case name == graph.NoVertex:
		case c.IntWeights != nil:
			sum.Add(sum, one.SetInt64(c.IntWeights[e]))
		case math.IsInf(c.FloatWeight(uint64(e)), 0):
			infinite += c.FloatWeight(uint64(e))
		default:
			sum.Add(sum, one.SetFloat64(c.FloatWeight(uint64(e))))
		}
	}
	if infinite != 0 {
		return infinite, nil
	}
	x, _ := sum.Float64()
	return x, nil
}

// Run finds a forest. Errors are graph.ErrNoWeights, graph.ErrWeights, graph.ErrOptions for an unknown Engine,
// device.ErrMemory, device.ErrNotSupported for several GPUs, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "msf"); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("msf: %w", err)
	}
	g := p.Graph()
	if !o.Unweighted && g.NumDirectedEdges() > 0 && g.WeightType() == graph.WeightsAuto {
		return nil, fmt.Errorf("msf: %w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", graph.ErrNoWeights)
	}
	if err := run.CheckShards(p, false); err != nil {
		return nil, fmt.Errorf("msf: %w", err)
	}
	a := traverse.Algorithm[Options, *Result]{Name: "msf", Memory: memory(p, o),
		Run: func(t *traverse.Traversal, o Options) (*Result, error) { return find(ctx, t, o) }}
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
	m := traverse.Memory{Arrays: append(forest.Arrays(), 4), EdgeArrays: []int{4}, Frontiers: forest.Frontiers}
	switch {
	case p.Err() != nil || p.Graph().NumDirectedEdges() == 0:
		return m
	case o.Unweighted:
	case p.Graph().State().ExactWeights():
		m.EdgeArrays = append(m.EdgeArrays, 4)
	default:
		m.EdgeArrays = append(m.EdgeArrays, 8)
	}
	if p.Graph().State().Identified() {
		m.EdgeArrays = append(m.EdgeArrays, 8)
	}
	return m
}

func find(ctx context.Context, t *traverse.Traversal, o Options) (*Result, error) {
	g := t.Placed().Graph()
	rank := traverse.VertexIDs(t)
	if g.IDs().Ranks() != nil {
		rank = traverse.Ranks(t)
	}
	var ids *device.Buffer[uint64]
	extreme := false
	if g.NumDirectedEdges() > 0 && g.State().Identified() {
		if err := g.Fetch(); err != nil {
			return nil, fmt.Errorf("msf: %w", err)
		}
		for _, id := range g.Out().EdgeIDs {
			extreme = extreme || id == math.MaxUint64
		}
		var err error
		if ids, err = t.Placed().State().EdgeIDs(); err != nil {
			return nil, fmt.Errorf("msf: %w", err)
		}
	}
	switch {
	case o.Unweighted || g.NumDirectedEdges() == 0:
		return grow(ctx, t, o, forest.Order[uint32]{IDs: ids, Rank: rank, Extreme: extreme})
	case g.State().ExactWeights():
		narrow, bad := traverse.EdgeArray[uint32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
		t.Do(t.All(), advance.VisitAll(newKeys(narrow, o.Maximum, bad)))
		if traverse.Get(t, bad) > 0 {
			_, _, err := wideKeys(ctx, g, o)
			return nil, errors.Join(err, t.Err())
		}
		return grow(ctx, t, o, forest.Order[uint32]{Keys: narrow, IDs: ids, Rank: rank, Extreme: extreme})
	}
	wide, largest, err := wideKeys(ctx, g, o)
	if err != nil {
		return nil, err
	}
	return grow(ctx, t, o, forest.Order[uint64]{Keys: traverse.FromSlice(t, wide), IDs: ids, Rank: rank, Extreme: extreme || largest})
}

// wideKeys makes keys of weights, and reports whether one is the largest number. It refuses NaN, and names the edge.
func wideKeys(ctx context.Context, g *graph.Graph, o Options) (keys []uint64, largest bool, bad error) {
	if err := g.Fetch(); err != nil {
		return nil, false, fmt.Errorf("msf: %w", err)
	}
	c := g.Out()
	keys = make([]uint64, c.NumEdges())
	err := looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for v := lo; v < hi && bad == nil; v++ {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				if c.IntWeights != nil {
					keys[e] = uint64(c.IntWeights[e]) ^ 1<<63
				} else {
					w := c.FloatWeight(e)
					if w != w {
						bad = fmt.Errorf("%w: the edge from %s to %s weighs NaN, which isn't below or above another weight: leave such edges out, or change them before loading",
							errWeights, g.IDs().Format(uint32(v)), g.IDs().Format(c.Targets[e]))
						return
					}
					keys[e] = orderOf(w)
				}
				if o.Maximum {
					keys[e] = ^keys[e]
				}
				largest = largest || keys[e] == math.MaxUint64
			}
		}
	})
	if err != nil {
		return nil, false, fmt.Errorf("msf: %w", err)
	}
	return keys, largest, bad
}

// orderOf returns a number that is lower the lower the weight is.
func orderOf(w float64) uint64 {
	if w == 0 {
		return 1 << 63
	}
	b := math.Float64bits(w)
	if b>>63 == 0 {
		return b | 1<<63
	}
	return ^b
}

func grow[K uint32 | uint64](ctx context.Context, t *traverse.Traversal, o Options, by forest.Order[K]) (*Result, error) {
	rows, err := rowcheck.Of(ctx, t.Placed())
	if err != nil {
		return nil, fmt.Errorf("msf: %w", err)
	}
	f := forest.Grow(t, by)
	lowest, trees := f.Lowest(t)
	tree, byRank := traverse.EdgeArray(t, graph.NoVertex), by.Rank
	if t.Placed().Graph().IDs().Ranks() != nil {
		byRank = traverse.ByRank(t)
	}
	f.Mark(t, lowest, byRank, tree, rows.Ascend)
	r := &Result{Trees: trees, Edges: t.Placed().NumVertices() - trees, unweighted: o.Unweighted}
	if r.Tree, err = traverse.EdgeResult(t, tree); err != nil {
		return nil, err
	}
	r.Stats = t.Stats()
	return r, nil
}
