// Package msbfs searches breadth-first from many sources at once: 64 searches in little more time
// than one takes (Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal",
// VLDB 2015).
//
// The guide is [docs/algorithms/msbfs.md].
//
// Every vertex has words of 64 lanes, a bit for each source: those that have reached it, and those
// that reached it in the last level. A look at an edge serves all lanes. While few vertices
// are active, their lanes are pushed along the out-edges; when the frontier's edges are many, each
// vertex gathers the lanes of its in-neighbors, and stops when none is missing.
//
// Run counts the vertices at each distance from each source. Each hands out what each source reached. Reach finds the distances of pairs.
// More than Options.Lanes sources are searched in batches.
//
// Searches go along the edges' directions. Self-loops and duplicate edges change nothing. The time
// of a batch is that of a few passes over the edges where distances are short. In deep graphs lanes
// seldom meet: there one search after the other (dobfs.NewSearcher) is faster. The memory is 24 bytes a
// vertex for each 64 lanes. A directed graph without its reverse is searched by pushes alone.
//
// On a graph that is sharded over several GPUs 64 lanes search at once, whatever was asked for. Each GPU has the
// words of all vertices, so that each needs memory for all vertices.
//
// [docs/algorithms/msbfs.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/msbfs.md
package msbfs

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/lanes"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/traverse"
)

// Options say how sources are searched from. The zero value is the fastest way.
type Options struct {
	// Lanes is how many sources are searched from at once, 1 to 512: 64, 256 or 512 lanes, whichever is
	// enough. 0 means 64. More take more memory, and less time on a GPU alone, where 256 is the fastest for
	// many sources. Several GPUs take 64.
	Lanes int
	// Stats keeps what happened level by level, in Result.Stats.Levels.
	Stats bool
	// EachLevel, if not nil, is called after each level. Levels are counted on from batch to batch.
	EachLevel func(traverse.Level)
	// Logger, if not nil, gets a line at the end (slog.LevelInfo), also of a run that fails.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the run.
	Metrics metrics.Recorder
}

// check returns what is wrong with the options, which wraps graph.ErrOptions, or nil.
func (o Options) check() error {
	if err := lanes.CheckLanes(o.lanes()); err != nil {
		return fmt.Errorf("msbfs: %w", err)
	}
	return nil
}

func (o Options) lanes() int { return cmp.Or(o.Lanes, lanes.WordLanes) }

// memory is what a run holds: on several GPUs that of 64 lanes.
func (o Options) memory(p *graph.Placed) traverse.Memory {
	return lanes.Memory(lanes.AtMost(p, o.lanes()))
}

func (o Options) traverse() traverse.Options {
	return traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics}
}

// Result is what was found from each source. It is in the host's memory. It is the caller's, or of the
// Searcher that returned it, whose next run writes over Counts.
type Result struct {
	// Counts has, for each source, how many vertices there are at each distance, 0 for itself. The
	// last distance is the source's eccentricity within what it reaches.
	Counts [][]uint64
	Stats  traverse.Stats
}

// Run searches from all of the sources. One may be given more than once.
//
// The error is graph.ErrNoVertex for a source that the graph doesn't have, graph.ErrOptions for a
// number of lanes that there can't be, graph.ErrNoGraph or
// device.ErrClosed for a placed graph that is nil or was closed, device.ErrMemory where a GPU has
// too little memory, or the context's.
func Run(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "msbfs"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return traverse.Run(ctx, p, count(p, o), sources, o.traverse())
}

// Searcher runs again and again in the same memory. Every run returns the same *Result, which is valid until
// the next run. It is not safe for concurrent use.
type Searcher = traverse.Searcher[[]uint32, *Result]

// NewSearcher returns a Searcher with the options of Run. It takes no memory yet. Errors are those
// of Run for options and the placed graph.
func NewSearcher(p *graph.Placed, o Options) (*Searcher, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return traverse.NewSearcher(p, count(p, o), o.traverse())
}

// NewPool returns a pool of as many searchers as the budget has room for. It may be shared with
// other pools on the same device; nil means a budget of the device's free memory. Errors are
// those of NewSearcher, and device.ErrBudget where not even one fits.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*traverse.Pool[[]uint32, *Result], error) {
	return traverse.NewPool(p, func() (*Searcher, error) { return NewSearcher(p, o) }, b)
}

func count(p *graph.Placed, o Options) traverse.Algorithm[[]uint32, *Result] {
	search := func(t *traverse.Traversal, sources []uint32) (*Result, error) { return counts(t, sources, o.lanes()) }
	return traverse.Algorithm[[]uint32, *Result]{Name: "msbfs", Memory: o.memory(p), Run: search, RunShards: search}
}

// counting is what a run has its memory in. A Searcher keeps it from run to run.
type counting struct {
	l   *lanes.Lanes
	err error // of making them
	r   Result
}

func newCounting(t *traverse.Traversal, n int) *counting {
	x := &counting{r: Result{Counts: [][]uint64{}}}
	if x.l, x.err = lanes.NewLanes(t, n); x.err == nil {
		x.l.Keep()
	}
	return x
}

func counts(t *traverse.Traversal, sources []uint32, n int) (*Result, error) {
	x := traverse.Kept(t, func() *counting { return newCounting(t, n) })
	if err := t.Err(); err != nil {
		return nil, err
	}
	if x.err != nil {
		return nil, x.err
	}
	l, r := x.l, &x.r
	r.Counts = slices.Grow(r.Counts[:0], len(sources))[:len(sources)]
	for done := 0; done < len(sources); done += l.Most() {
		batch := sources[done:min(done+l.Most(), len(sources))]
		if err := l.Start(batch); err != nil {
			return nil, err
		}
		for i := range batch {
			r.Counts[done+i] = append(r.Counts[done+i][:0], 1)
		}
		for l.Next() {
			sum, err := l.Count()
			if err != nil {
				return nil, err
			}
			for i := range l.Reached() {
				r.Counts[done+i] = append(r.Counts[done+i], sum[i])
			}
		}
	}
	r.Stats = t.Stats()
	return r, l.Err()
}
