// Package mis finds a maximal independent set: vertices no two of which are neighbors, and to which no vertex can be
// added.
//
//   - Each vertex has a random priority, by the seed and its external id. The set is the one that a loop
//     over the vertices by descending priority finds, which adds each vertex that has no neighbor in the set (Luby,
//     "A simple parallel algorithm for the maximal independent set problem", SIAM Journal on Computing 15, 1986;
//     Blelloch, Fineman and Shun, "Greedy sequential maximal independent set and matching are parallel on average",
//     SPAA 2012). So it depends on the seed alone, not on the device, the number of workers or the internal numbering.
//   - Neighbors along in-edges and out-edges count. Self-loops and duplicate edges change nothing; weights are
//     ignored. An isolated vertex is in the set. The set of the empty graph is empty.
//   - It is maximal: no vertex can be added. The largest set (maximum) is another, much harder problem.
//
// The guide is [docs/algorithms/mis.md].
//
// A round reads the rows of the vertices that are undecided. They are few after the first rounds, and rounds are logarithmic
// in number on most graphs. A run takes 24 bytes a vertex. A directed graph, or one with duplicates or self-loops,
// is first made undirected and simple, once: 8 bytes an edge.
//
// [docs/algorithms/mis.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/mis.md
package mis

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
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Options say how a set is found. The zero value is fine.
type Options struct {
	// Seed selects the priorities. Equal seeds find equal sets.
	Seed uint64
	// Engine is how a GPU runs the rounds.
	Engine traverse.Engine

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// Result is a maximal independent set. It is the caller's, who closes it; until then it is safe for
// concurrent reading.
type Result struct {
	Member *traverse.Values[uint32] // of every vertex: 1 in the set, else 0
	Size   int                      // how many vertices are in the set
	Stats  traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Member.Close()
}

// Run finds a set. Errors are graph.ErrOptions for an unknown Engine, device.ErrMemory, device.ErrNotSupported for several
// GPUs, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	x, err := undirected.Of(ctx, "mis", p)
	if err != nil {
		return nil, err
	}
	a := traverse.Algorithm[uint64, *Result]{Name: "mis", Memory: memory,
		Run: func(t *traverse.Traversal, seed uint64) (*Result, error) { return find(t, x, seed) }}
	r, err := traverse.Run(ctx, x.Placed, a, o.Seed, traverse.Options{Engine: o.Engine, Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
	if err != nil {
		return nil, err
	}
	if r.Member, err = x.Back(ctx, "mis", r.Member); err != nil {
		return nil, err
	}
	return r, nil
}

// memory is for ranks, priorities now and after the round, and members.
var memory = traverse.Memory{Arrays: []int{4, 8, 8, 4}, Frontiers: 2}

// Bytes returns the maximum device memory of a run, in addition to the graph. It reads the graph's rows once.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return memory.Bytes(p) + simple.Bytes(p)
}

func find(t *traverse.Traversal, x *undirected.Graph, seed uint64) (*Result, error) {
	priority, next := traverse.Uninitialized[uint64](t), traverse.Uninitialized[uint64](t)
	cur := t.All()
	t.Do(cur, foreach.All(newDraw(priority, x.Ranks(t), seed), nil))
	t.Repeat(cur, reduce.Out(newDecide(priority, next), nil), filter.Keep(newSettle(priority, next)))
	members, size := traverse.Uninitialized[uint32](t), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), foreach.All(newMember(priority, members), size))
	r := &Result{Size: int(traverse.Get(t, size))}
	var err error
	if r.Member, err = traverse.Result(t, members); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Stats = r.Member.Stats
	return r, nil
}
