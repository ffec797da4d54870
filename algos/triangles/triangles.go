// Package triangles counts triangles, in all and at every vertex, and works out local
// clustering coefficients.
//
// The guide is [docs/algorithms/triangles.md].
//
// A triangle is three vertices of which each two are joined by an edge, whichever way it leads
// (GAP's TC, networkx' triangles). The coefficient of a vertex is LDBC Graphalytics' LCC: the
// share of the ordered pairs of its neighbors that an edge leads from and to. Its neighbors
// are those along out-edges and along in-edges, each once. In an undirected graph this is
// networkx' clustering: the triangles at the vertex, divided by the pairs of neighbors. In a
// directed graph an edge between two neighbors counts once in each direction that it is there;
// networkx defines another coefficient for those. A vertex with less than two neighbors has 0,
// and counts in the average.
//
// Self-loops and duplicate edges change nothing. Isolated vertices are in no triangle. The empty
// graph has none, and an average of 0.
//
// # How
//
// operators/intersect counts the edges opposite to every vertex, in rows that lead from lower to
// higher degree, of which none is longer than the square root of twice the edges. It joins hubs by
// a bit matrix: m edges take at most O(m^1.5) steps, most of them for many vertices at once. Those
// rows are made once for a graph (Prepare). On the host they take 8 bytes a vertex and up to 64 MiB of bits, and
// 4 bytes an edge and 12 a vertex more unless the vertices are in order of degree; on a GPU 8 bytes a
// vertex and up to 1 GiB of bits, and 4 bytes an edge and a vertex more in the same case where there are
// hubs. A directed graph, and one with duplicates or self-loops, is made undirected and simple first,
// once: 8 bytes an edge.
//
// [docs/algorithms/triangles.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/triangles.md
package triangles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	runtime "github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/layout/simple"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

// Options say what is counted. The zero value is all of it.
type Options struct {
	// CountOnly counts triangles in all, and leaves out what belongs to vertices, which takes
	// half as long.
	CountOnly bool
	// Stats keeps the time of each pass over the edges, in Result.Stats.Levels.
	Stats bool
	// EachLevel, if not nil, is called after each pass.
	EachLevel func(traverse.Level)
	// Logger, if not nil, gets a line at the end (slog.LevelInfo), also of a run that fails.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the run.
	Metrics metrics.Recorder
}

// Result is the triangles of a graph. It is the caller's, who closes it; until then it is safe for
// concurrent reading.
type Result struct {
	// Triangles is how many each vertex is in, Coefficient its clustering coefficient. Both are
	// nil with CountOnly.
	Triangles   *traverse.Values[uint64]
	Coefficient *traverse.Values[float64]
	// Total is how many triangles there are, each counted once.
	Total uint64
	// Average is the mean of the coefficients of all vertices.
	Average float64
	// Prepared is how much of the time went into what later runs find done; see Prepare.
	Prepared time.Duration
	Stats    traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return cmp.Or(r.Triangles.Close(), r.Coefficient.Close())
}

// Run counts triangles. Any number of runs may be active at once.
//
// The error is graph.ErrNoGraph or device.ErrClosed for a placed graph that is nil or was closed,
// device.ErrMemory if a GPU has too little memory, or the context's.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "triangles"); err != nil {
		return nil, err
	}
	start := time.Now()
	failed := Prepare(ctx, p)
	prepared := time.Since(start)
	m := memory
	if o.CountOnly || failed != nil {
		m = traverse.Memory{}
	}
	r, err := traverse.Run(ctx, p, traverse.Algorithm[struct{}, *Result]{Name: "triangles", Memory: m,
		Run: func(t *traverse.Traversal, _ struct{}) (*Result, error) {
			if failed != nil { // here, where it is logged
				return nil, failed
			}
			return count(ctx, t, o)
		},
	}, struct{}{}, traverse.Options{Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
	if err != nil {
		return nil, err
	}
	r.Prepared = prepared
	return r, nil
}

// memory has triangles, edges between neighbors, coefficients and degrees.
var memory = traverse.Memory{Arrays: []int{8, 8, 8, 4}}

// Bytes returns the maximum device memory of a run, in addition to the graph, including the data of
// Prepare. It reads the graph's rows once.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	bytes, edges := memory.Bytes(p), p.Graph().NumDirectedEdges()
	if extra := simple.Bytes(p); extra > 0 {
		bytes += extra + 8*uint64(p.NumVertices()) // counts in the order of that graph
		edges *= 2                                 // which has at most so many
	}
	return bytes + intersect.Bytes(p.Device(), p.NumVertices(), edges, p.Graph().Directed())
}

// Prepare computes, once, the data that all runs over a placed graph share; Run does so automatically.
// Call it to keep it out of a measured time. Errors are the same as for Run.
func Prepare(ctx context.Context, p *graph.Placed) error {
	if err := callctx.Check(ctx, "triangles"); err != nil {
		return err
	}
	if err := runtime.Ready(ctx, "triangles"); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("triangles: %w", err)
	}
	release, err := p.Hold()
	if err != nil {
		return fmt.Errorf("triangles: %w", err)
	}
	defer release()
	x, err := simple.Of(ctx, p)
	if err != nil {
		return fmt.Errorf("triangles: %w", err)
	}
	if err := intersects(ctx, x, func(in *intersect.Intersector) error { return in.Prepare() }); err != nil {
		return fmt.Errorf("triangles: %w", err)
	}
	return nil
}

func count(ctx context.Context, t *traverse.Traversal, o Options) (*Result, error) {
	x, err := simple.Of(ctx, t.Placed())
	if err != nil {
		return nil, err
	}
	r, all := &Result{}, t.All()
	if o.CountOnly {
		if t.Next(all) {
			r.Total, err = common(ctx, x, intersect.Options{Triangles: true}, intersect.Count(nil))
		}
		t.Next(t.From()) // ends the level
		r.Stats = t.Stats()
		return r, err
	}
	triangles := traverse.Array[uint64](t, 0)
	links, each := triangles, uint64(2)
	if x.Both != nil {
		links, each = traverse.Array[uint64](t, 0), 1
	}
	coefficient, sum := traverse.Array[float64](t, 0), traverse.Scalar[float64](t, operators.Sum)
	degree := traverse.Degrees(t)
	if x.Order != nil {
		degree = traverse.Array[uint32](t, 0)
	}
	traverse.Get(t, sum) // waits: what fills the arrays is on another stream than the operator
	if err := t.Err(); err != nil {
		return nil, err
	}
	if t.Next(all) {
		if r.Total, err = opposite(ctx, x, triangles, nil); err != nil {
			return nil, err
		}
		r.Total /= 3 // it is at three vertices
	}
	if x.Both != nil && t.Next(all) {
		if _, err = opposite(ctx, x, links, x.Both); err != nil {
			return nil, err
		}
	}
	if err := t.Err(); err != nil {
		return nil, err
	}
	if x.Order != nil {
		if err := degree.Write(t.Placed().Device(), 0, x.Degrees()); err != nil {
			return nil, err
		}
	}
	t.Do(all, foreach.All(newRate(links, degree, coefficient, each), sum))
	if n := t.Placed().NumVertices(); n > 0 {
		r.Average = traverse.Get(t, sum) / float64(n)
	}
	t.Next(t.From()) // ends the level
	if r.Triangles, err = traverse.Result(t, triangles); err != nil {
		return nil, err
	}
	if r.Coefficient, err = traverse.Result(t, coefficient); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Stats = r.Coefficient.Stats
	return r, nil
}

// graph.ErrInvalid: a result that isn't the triangles of its graph.
var errInvalid = text.Named("triangles: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}
