// Package closeness finds how near vertices are to all others: closeness, harmonic centrality and
// eccentricity, exactly, by a search from every vertex, many at a time (package msbfs).
//
// The guide is [docs/algorithms/closeness.md].
//
// The definitions are networkx'. For a vertex v in a graph of n vertices, let R be the number of other
// vertices that reach v, and D the sum of their distances:
//
//   - closeness is (R/D) * (R/(n-1)), closeness_centrality with wf_improved=True (Wasserman and Faust); 0 if
//     no vertex reaches v;
//   - harmonic centrality is the sum of 1/distance, harmonic_centrality;
//   - eccentricity is the largest distance, along the edges, from v to a vertex that v reaches. networkx
//     raises an error if v doesn't reach all vertices; here only reached vertices count, an isolated vertex
//     has 0, and Reached shows the difference in undirected graphs.
//
// In directed graphs closeness and harmonic centrality count the distances to v, and eccentricity the
// distances from v, as networkx does. Distances are in edges; weights are ignored. Self-loops and duplicate
// edges change nothing. A graph of one vertex has 0 of everything.
//
// # How
//
// While lanes search from all sources, every vertex adds up the distances of the lanes that reach it, so
// nothing is counted per lane. For a subset of vertices, the searches run backward from these, and count per
// lane; a directed graph needs its reverse for that (graph.Options.Reverse).
//
// The time is n/64 batches, or n/512 with more lanes, each a few passes over the edges: all vertices of a
// graph with a million vertices take minutes or hours. The memory is 24 bytes a vertex, and 24 for each 64
// lanes.
//
// Several GPUs search from 64 vertices at once, and only forward: for a directed graph they find the values of
// all vertices, and Options.Of is device.ErrNotSupported.
//
// [docs/algorithms/closeness.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/closeness.md
package closeness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/lanes"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// checked is how many vertices Validate searches from: each takes a pass over the edges.
const checked = 64

// Options say what is found. The zero value is the exact values of all vertices.
type Options struct {
	// Of lists the vertices to find values for; nil means all.
	Of []uint32
	// Lanes is how many sources are searched from at once, 1 to 512: 64, 256 or 512 lanes, whichever is
	// enough. 0 means what is fastest: 256 on a GPU where there are many sources and memory to spare, else 64.
	Lanes int
	// Stats keeps what happened level by level, in Result.Stats.Levels.
	Stats bool
	// Progress, if not nil, is called after each batch of sources, in phase "search", with the sources that are done.
	Progress func(graph.Progress)
	// Logger, if not nil, gets a line at the end (slog.LevelInfo), also of a run that fails.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the run.
	Metrics metrics.Recorder
}

func (o Options) traverse() traverse.Options {
	return traverse.Options{Stats: o.Stats, Logger: o.Logger, Metrics: o.Metrics}
}

// check returns what is wrong with the options, which wraps graph.ErrOptions, or nil.
func (o Options) check() error {
	if o.Lanes < 0 || o.Lanes > lanes.MostLanes {
		return fmt.Errorf("closeness: %w: Lanes is %d; want 1 to %d, or 0 for what is fastest", graph.ErrOptions, o.Lanes, lanes.MostLanes)
	}
	return nil
}

// lanes is how many there are for that many sources.
func (o Options) lanes(p *graph.Placed, sources int) int {
	if o.Lanes == 0 {
		o.Lanes = lanes.FastLanes(p, sources)
	}
	return max(lanes.AtMost(p, min(o.Lanes, sources)), 1)
}

// memory is what a run takes beside arrays of so many bytes a vertex.
func (o Options) memory(p *graph.Placed, sources int, arrays ...int) traverse.Memory {
	m := lanes.Memory(o.lanes(p, sources))
	m.Arrays = append(m.Arrays, arrays...)
	return m
}

func (o Options) progress(done, all int) {
	if o.Progress != nil {
		o.Progress(graph.Progress{Phase: "search", Done: uint64(done), Total: uint64(all)})
	}
}

// Result has the values of every vertex. It is the caller's, who closes it; until then it is safe
// for concurrent reading. Vertices that weren't asked for have NaN, -1 as Eccentricity, and 0 as
// Reached.
type Result struct {
	Closeness, Harmonic *traverse.Values[float64]
	Eccentricity        *traverse.Values[int32]
	// Reached is how many others reach the vertex; in an undirected graph, how many it reaches.
	Reached *traverse.Values[uint32]
	Stats   traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Closeness.Close(), r.Harmonic.Close(), r.Eccentricity.Close(), r.Reached.Close())
}

// Bytes returns the maximum device memory of a run, in addition to the graph.
func Bytes(p *graph.Placed, o Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return o.exact(p).Bytes(p)
}

func (o Options) exact(p *graph.Placed) traverse.Memory {
	sources := len(o.Of)
	if o.Of == nil {
		sources = p.NumVertices()
	}
	return o.memory(p, sources, 8, 8, 8, 4, 4)
}

// Run finds the values of all vertices, or of Options.Of. Any number of runs may be active at once.
//
// The error is graph.ErrNoVertex for a vertex that the graph doesn't have, graph.ErrNoReverse for some
// vertices of a directed graph without its reverse, device.ErrNotSupported for some of a directed graph on
// several GPUs, graph.ErrNoGraph or device.ErrClosed for a placed graph that is nil or was closed,
// device.ErrMemory if a GPU has too little memory, or the context's.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "closeness"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	a := traverse.Algorithm[Options, *Result]{Name: "closeness", Run: all, RunShards: all}
	if p.Err() == nil {
		a.Memory = o.exact(p)
	}
	if o.Of != nil {
		a.Run = func(t *traverse.Traversal, o Options) (*Result, error) { return some(ctx, t, o) }
		a.RunShards = func(t *traverse.Traversal, o Options) (*Result, error) { return someOverShards(ctx, t, o) }
	}
	return traverse.Run(ctx, p, a, o, o.traverse())
}

// all searches from every vertex.
func all(t *traverse.Traversal, o Options) (*Result, error) {
	n := t.Placed().NumVertices()
	sum, reached := traverse.Array[uint64](t, 0), traverse.Array[uint32](t, 0)
	harmonic := traverse.Array[float64](t, 0)
	eccentricity := make([]int32, n)
	l, err := lanes.NewLanes(t, o.lanes(t.Placed(), n))
	if err != nil {
		return nil, err
	}
	step, depth := (&sums{sum, reached, harmonic}).adds(l)
	sources := make([]uint32, 0, l.Most())
	for done := 0; done < n; done += len(sources) {
		sources = sources[:0]
		for v := done; v < min(done+l.Most(), n); v++ {
			sources = append(sources, uint32(v))
		}
		if err := l.Start(sources); err != nil {
			return nil, err
		}
		for l.Next() {
			depth(l.Depth())
			t.Do(l.Frontier(), step)
			deepest(l, eccentricity[done:])
		}
		if l.Err() != nil {
			return nil, l.Err()
		}
		o.progress(done+len(sources), n)
	}
	closeness := traverse.Array[float64](t, 0)
	t.Do(t.All(), foreach.All(newFinish(sum, reached, closeness, float64(n-1)), nil))
	deep, err := put(t, eccentricity)
	if err != nil {
		return nil, err
	}
	return result(t, closeness, harmonic, deep, reached)
}

// deepest notes the level of lanes that reached anything in it.
func deepest(l *lanes.Lanes, of []int32) {
	for i := range l.Reached() {
		of[i] = int32(l.Depth())
	}
}

// some searches from some vertices: backwards, and in a directed graph forwards too.
func some(ctx context.Context, t *traverse.Traversal, o Options) (*Result, error) {
	p, err := t.Placed().Reversed()
	if err != nil {
		return nil, err
	}
	n := p.NumVertices()
	closeness, harmonic := filled(n, math.NaN()), filled(n, math.NaN())
	eccentricity, reached := filled[int32](n, -1), filled[uint32](n, 0)
	ahead, err := lanes.NewLanes(t, o.lanes(t.Placed(), len(o.Of)))
	if err != nil {
		return nil, err
	}
	behind, both := ahead, p != t.Placed()
	if both {
		back := traverse.New(ctx, p, o.traverse())
		defer back.Close()
		if behind, err = lanes.NewLanes(back, o.lanes(t.Placed(), len(o.Of))); err != nil {
			return nil, err
		}
	}
	for done := 0; done < len(o.Of); done += ahead.Most() {
		batch := o.Of[done:min(done+ahead.Most(), len(o.Of))]
		sums, vertices, parts := make([]uint64, ahead.Most()), make([]uint64, ahead.Most()), make([]float64, ahead.Most())
		deep := make([]int32, len(batch))
		if err := behind.Start(batch); err != nil {
			return nil, err
		}
		for behind.Next() {
			counts, err := behind.Count()
			if err != nil {
				return nil, err
			}
			depth := uint64(behind.Depth())
			for i, c := range counts {
				if c == 0 {
					continue
				}
				sums[i] += c * depth
				vertices[i] += c
				parts[i] += float64(c) / float64(depth)
			}
			if !both {
				deepest(behind, deep)
			}
		}
		if both {
			if err := ahead.Start(batch); err != nil {
				return nil, err
			}
			for ahead.Next() {
				deepest(ahead, deep)
			}
		}
		if err := errors.Join(behind.Err(), ahead.Err()); err != nil {
			return nil, err
		}
		for i, v := range batch {
			reached[v], harmonic[v], eccentricity[v] = uint32(vertices[i]), parts[i], deep[i]
			closeness[v] = of(vertices[i], sums[i], n)
		}
		o.progress(done+len(batch), len(o.Of))
	}
	c, err1 := put(t, closeness)
	h, err2 := put(t, harmonic)
	e, err3 := put(t, eccentricity)
	r, err4 := put(t, reached)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	return result(t, c, h, e, r)
}

// of returns closeness, as the functor finish does.
func of(reached, sum uint64, vertices int) float64 {
	if reached == 0 {
		return 0
	}
	return float64(reached) / float64(sum) * (float64(reached) / float64(vertices-1))
}

func filled[T device.Elem](n int, x T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = x
	}
	return all
}

// put copies values to an array of the traversal.
func put[T device.Elem](t *traverse.Traversal, values []T) (*device.Buffer[T], error) {
	b, wait := traverse.Array[T](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	traverse.Get(t, wait) // for the zeros
	if t.Err() != nil {
		return nil, t.Err()
	}
	return b, run.Write(t.Placed(), b, values)
}

func result(t *traverse.Traversal, closeness, harmonic *device.Buffer[float64], eccentricity *device.Buffer[int32], reached *device.Buffer[uint32]) (*Result, error) {
	r := &Result{}
	var errs [4]error
	r.Closeness, errs[0] = traverse.Result(t, closeness)
	r.Harmonic, errs[1] = traverse.Result(t, harmonic)
	r.Eccentricity, errs[2] = traverse.Result(t, eccentricity)
	r.Reached, errs[3] = traverse.Result(t, reached)
	if err := errs[3]; err != nil { // errors stick
		return nil, errors.Join(err, r.Close())
	}
	r.Stats = r.Reached.Stats
	return r, nil
}

// graph.ErrInvalid: a result that isn't that of its graph.
var errInvalid = text.Named("closeness: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}
