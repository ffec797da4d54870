// Package color colors vertices greedily, so that neighbors have different colors.
//
//   - Vertices are colored by descending priority. Each has the smallest color that none of its neighbors has yet.
//     Priorities are random, by the seed and the external ids, or with Options.LargestFirst by degree first (Jones and Plassmann,
//     "A parallel graph coloring heuristic", SIAM Journal on Scientific Computing 14, 1993; networkx'
//     greedy_color). So colors depend on the graph and the seed alone, not on the device, the number of workers or
//     the internal numbering.
//   - Colors are 0, 1 and so on, without gaps. There are at most as many as the largest degree and one. The
//     least number of colors (chromatic number) is another, much harder problem.
//   - Neighbors along in-edges and out-edges count. Self-loops and duplicate edges change nothing; weights are
//     ignored. An isolated vertex has color 0. The empty graph has no colors.
//
// The guide is [docs/algorithms/color.md].
//
// A run visits each edge three times, in as many rounds as the longest chain of neighbors of falling priority has
// vertices. It takes 36 bytes a vertex and an eighth of a byte for each entry of a row. A directed graph, or one with
// duplicates or self-loops, is first made undirected and simple, once: 8 bytes an edge.
//
// [docs/algorithms/color.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/color.md
package color

import (
	"context"
	"errors"
	"log/slog"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/undirected"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/layout/simple"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Options say how vertices are colored. The zero value has random priorities.
type Options struct {
	// LargestFirst colors vertices of larger degree first, which takes fewer colors on most graphs, and more rounds.
	// Degrees count distinct neighbors; equal degrees go by the random priority.
	LargestFirst bool
	// Seed selects the random priorities. Equal seeds find equal colors.
	Seed uint64
	// Engine is how a GPU runs the rounds.
	Engine traverse.Engine

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// Result is a coloring. It is the caller's, who closes it; until then it is safe for concurrent reading.
type Result struct {
	Color  *traverse.Values[uint32] // of every vertex, from 0
	Colors int                      // how many there are
	Stats  traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Color.Close()
}

// Run colors vertices. Errors are graph.ErrOptions for an unknown Engine, device.ErrMemory, device.ErrNotSupported for several
// GPUs, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	x, err := undirected.Of(ctx, "color", p)
	if err != nil {
		return nil, err
	}
	a := traverse.Algorithm[Options, *Result]{Name: "color", Memory: memory,
		Run: func(t *traverse.Traversal, o Options) (*Result, error) { return greedy(t, x, o) }}
	r, err := traverse.Run(ctx, x.Placed, a, o, traverse.Options{Engine: o.Engine, Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
	if err != nil {
		return nil, err
	}
	if r.Color, err = x.Back(ctx, "color", r.Color); err != nil {
		return nil, err
	}
	return r, nil
}

// memory is for ranks, priorities, counts, colors, offsets of rows, and sets of colors: a word for each vertex and for each
// 64 entries of rows, which counts as a byte an entry.
var memory = traverse.Memory{Arrays: []int{4, 8, 4, 4, 8, 8}, EdgeArrays: []int{1}, Frontiers: 1}

// Bytes returns the maximum device memory of a run, in addition to the graph. It reads the graph's rows once.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return memory.Bytes(p) + simple.Bytes(p)
}

func greedy(t *traverse.Traversal, x *undirected.Graph, o Options) (*Result, error) {
	color, left := traverse.Uninitialized[uint32](t), traverse.Uninitialized[uint32](t)
	rank, priority := x.Ranks(t), traverse.Uninitialized[uint64](t)
	offsets, _ := traverse.Rows(t)
	n, entries := t.Placed().NumVertices(), t.Placed().Graph().NumDirectedEdges()
	used := traverse.ArrayN[uint64](t, n+int(entries/wordColors)+1, 0)
	cur := t.All()
	draws := foreach.All(newDraw(priority, rank, o.Seed), nil)
	if o.LargestFirst {
		draws = foreach.All(newDrawByDegree(priority, rank, traverse.Degrees(t), o.Seed), nil)
	}
	t.Do(cur, draws)
	t.Do(cur, reduce.Out(newAbove(priority, rank, left), nil), filter.Keep(newBest(left)))
	t.Repeat(cur, foreach.Each(newPick(color, offsets, used), nil), advance.Push(newRelease(priority, rank, color, left, offsets, used)))
	most := traverse.Scalar[uint64](t, operators.Max)
	t.Do(t.All(), foreach.All(newHighest(color), most))
	r := &Result{}
	if n > 0 {
		r.Colors = int(traverse.Get(t, most)) + 1
	}
	var err error
	if r.Color, err = traverse.Result(t, color); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Stats = r.Color.Stats
	return r, nil
}
