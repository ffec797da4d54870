// Package paths finds the k shortest paths between pairs of vertices, and all shortest ones.
//
// The guide is [docs/algorithms/paths.md].
//
//   - A path visits no vertex twice. Its length is the number of its edges, or with Options.Weighted the sum of their weights. Weights are
//     0 or more. The lightest of parallel edges counts; self-loops are on no path.
//   - The paths of a pair come in ascending order of length, then of edges, then of the ranks of their ids, the source first (networkx'
//     shortest_simple_paths, which leaves the order of equal lengths open). Sums of weights are float64: exact for
//     integers, of which sums that reach 2^53 are graph.ErrWeights. Lengths that differ by rounding alone may come in either order.
//   - The only path from a vertex to itself has no edges.
//   - A pair without a path has no rows, and isn't an error.
//   - With Options.Shortest only paths of the least length are found (networkx' all_shortest_paths), with Options.Limit only those that aren't longer.
//
// The method is Yen's ("Finding the k shortest loopless paths in a network", Management Science 17, 1971) as Lawler improved it, with deviations that are
// searched only once their bound is the least. A search from the target, which continues where it is needed, gives bounds; a deviation
// whose way along it meets no vertex of the path before is found without another search (Feng, "Finding k shortest simple paths in
// directed graphs", Networks 64, 2014). With Options.Coordinates that search is directed at the source (A*: Hart, Nilsson and Raphael, 1968).
//
// Pairs are searched by all processors of the host at the same time, also for a graph that is placed on a GPU. A worker takes 30 bytes a vertex. Directed graphs need their reverse.
//
// [docs/algorithms/paths.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/paths.md
package paths

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/traverse"
)

// graph.ErrWeights: weights that are negative or not a number, or too large for exact sums.
var errWeights = text.Named("paths: bad weights", graph.ErrWeights)

// Options say which paths are found. Pairs is required; the zero value of the rest finds a path of the fewest edges.
type Options struct {
	// Pairs are sources and targets.
	Pairs [][2]uint32
	// K is how many paths are found for each pair, MostK at most; 0 means 1, and with Shortest MostK.
	K int
	// Shortest finds only paths of the least length.
	Shortest bool
	// Limit, if above 0, leaves out longer paths.
	Limit float64
	// Weighted adds up weights. The graph must have some.
	Weighted bool
	// Coordinates, if set, direct searches at the source.
	Coordinates Coordinates

	Progress func(graph.Progress) // is called after each pair, by one goroutine at a time
	Logger   *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics  metrics.Recorder     // gets the end of the run
}

// Result is a table of paths: those of a pair come one after another, the shortest first, and pairs are in the order of Options.Pairs.
type Result struct {
	Pair   []int // of each path, by number
	Length []float64
	// Offsets has, for each path, where it begins in Vertices, and the end of the last one.
	Offsets  []int
	Vertices []uint32
	// Without is how many pairs have no path.
	Without int
	// Scale is the scale of Coordinates: the given one, or the largest that no edge refutes.
	Scale float64
}

// Path returns the vertices of a path, from its source to its target.
func (r *Result) Path(i int) []uint32 { return r.Vertices[r.Offsets[i]:r.Offsets[i+1]] }

// check returns graph.ErrOptions for options that don't go together.
func (o *Options) check(n int) error {
	switch {
	case o.K < 0 || o.K > MostK:
		return fmt.Errorf("paths: %w: K is %d; want 1 to %d, or 0 for 1", graph.ErrOptions, o.K, MostK)
	case !(o.Limit >= 0):
		return fmt.Errorf("paths: %w: Limit is %v; want a length above 0, or 0 for none", graph.ErrOptions, o.Limit)
	}
	for _, pair := range o.Pairs {
		if v := max(pair[0], pair[1]); int64(v) >= int64(n) {
			return fmt.Errorf("paths: Pairs: %w: vertex %d of %d", graph.ErrNoVertex, v, n)
		}
	}
	return o.Coordinates.check(n)
}

// Run finds paths. Errors are graph.ErrOptions, graph.ErrNoVertex, graph.ErrNoReverse for a directed graph without its reverse, graph.ErrNoWeights and graph.ErrWeights with
// Weighted, and the context's.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "paths"); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("paths: %w", err)
	}
	a := traverse.Algorithm[*Options, *Result]{Name: "paths", Memory: traverse.Memory{Frontiers: -1},
		Run: func(t *traverse.Traversal, o *Options) (*Result, error) { return run(t.Context(), t.Placed(), o) }}
	return traverse.Run(ctx, p, a, &o, traverse.Options{Logger: o.Logger, Metrics: o.Metrics})
}

func run(ctx context.Context, p *graph.Placed, o *Options) (*Result, error) {
	g := p.Graph()
	if err := o.check(g.NumVertices()); err != nil {
		return nil, err
	}
	if !g.HasReverse() {
		return nil, fmt.Errorf("paths: %w: searches from targets go along in-edges; build the graph with its reverse (graph.Options.Reverse)", graph.ErrNoReverse)
	}
	if err := g.Fetch(); err != nil {
		return nil, fmt.Errorf("paths: %w", err)
	}
	if o.Weighted {
		if err := checkWeights(ctx, g); err != nil {
			return nil, err
		}
	}
	r := &Result{Offsets: []int{0}}
	if o.Coordinates.set() {
		var err error
		if r.Scale, err = o.Coordinates.scale(ctx, g, o.Weighted); err != nil {
			return nil, err
		}
	}
	if err := find(ctx, g, o, r); err != nil {
		return nil, err
	}
	return r, nil
}

// Bytes returns the maximum memory of a run, in addition to the graph and the result. It is all the host's.
func Bytes(p *graph.Placed, o Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return workerBytes * uint64(p.NumVertices()) * uint64(min(runtime.GOMAXPROCS(0), len(o.Pairs)))
}

// found is the paths of a pair.
type found struct {
	lengths []float64
	paths   [][]uint32
}

// find searches all pairs.
func find(ctx context.Context, g *graph.Graph, o *Options, r *Result) error {
	all := make([]found, len(o.Pairs))
	var next, done atomic.Int64
	var report reporter
	var wg panics.Group
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(o.Pairs)))
	for w := range errs {
		wg.Go(func() {
			s := newSearcher(ctx, g, o, r.Scale)
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(o.Pairs) {
					return
				}
				if all[i], errs[w] = s.pair(o.Pairs[i][0], o.Pairs[i][1]); errs[w] != nil {
					next.Store(int64(len(o.Pairs))) // ends the others
					return
				}
				report.done(o.Progress, uint64(done.Add(1)), uint64(len(o.Pairs)))
			}
		})
	}
	if err := wg.Err(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for i, f := range all {
		if len(f.paths) == 0 {
			r.Without++
		}
		for k, path := range f.paths {
			if math.IsInf(f.lengths[k], 1) {
				return fmt.Errorf("%w: a path has a length beyond the largest float64; scale weights down before loading", errWeights)
			}
			r.Pair, r.Length, r.Vertices = append(r.Pair, i), append(r.Length, f.lengths[k]), append(r.Vertices, path...)
			r.Offsets = append(r.Offsets, len(r.Vertices))
		}
	}
	return nil
}

// checkWeights refuses weights that lengths can't be made of, and names the first edge.
func checkWeights(ctx context.Context, g *graph.Graph) error {
	c, ids := g.Out(), g.IDs()
	if c.Weights == nil && c.NumEdges() > 0 {
		return fmt.Errorf("paths: %w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", graph.ErrNoWeights)
	}
	var bad error
	err := looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for v := lo; v < hi && bad == nil; v++ {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				if w := c.FloatWeight(e); !(w >= 0) || math.IsInf(w, 1) {
					bad = fmt.Errorf("%w: the edge from %s to %s weighs %v; paths have finite weights of 0 or more: leave such edges out, or change them before loading",
						errWeights, ids.Format(uint32(v)), ids.Format(c.Targets[e]), w)
					return
				}
			}
		}
	})
	if err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	return bad
}
