// Package kcore finds core numbers: how far into the dense parts of a graph a vertex is.
//
// The guide is [docs/algorithms/kcore.md].
//
// The k-core of a graph is its largest subgraph in which every vertex has at least k neighbors. The core
// number of a vertex is the largest k whose k-core contains it (Seidman, 1983; networkx' core_number).
// The largest core number is the graph's degeneracy.
//
// Distinct neighbors are counted, so self-loops and duplicate edges change nothing. In a directed graph,
// neighbors along in-edges and out-edges count, each once. That is networkx' core_number of
// G.to_undirected(); its core_number of a directed graph counts two edges between a pair twice. Isolated
// vertices have core number 0. The empty graph has degeneracy 0. A graph need not be connected.
//
// # How
//
// Vertices wait in a pile, keyed by their degree among the remaining vertices. Vertices of the least
// degree are peeled, which lowers the degrees of their neighbors. Neighbors whose degree is then no
// larger than the stage are peeled in the next round of the same stage (Matula and Beck, 1983; by
// frontiers: Dhulipala, Blelloch and Shun, "Julienne", SPAA 2017). Once a stage has no more vertices,
// the pile advances to the next degree that occurs.
//
// Every edge is visited twice, once from each end, and a vertex once for each stage up to its core
// number: O(m) in total. The memory is 4 bytes a vertex, plus the pile. On a GPU a graph of at most 16 edges a
// vertex is peeled without rounds, by blocks that have a range of vertices each, which takes 4 bytes an edge, too. A directed graph, or one with
// duplicates or self-loops, is first made undirected and simple, once: 8 bytes an edge. The rounds of a
// stage follow its longest chain of peeled vertices: long paths are peeled from their ends, two vertices
// a round, and are slow on all devices.
//
// [docs/algorithms/kcore.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/kcore.md
package kcore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/kcore/internal/mesh"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/layout/simple"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Options say how core numbers are found. The zero value is the fastest way.
type Options struct {
	// Engine is how a GPU runs the rounds.
	Engine traverse.Engine
	// Stats keeps what happened round by round, in Result.Stats.Levels.
	Stats bool
	// EachLevel, if not nil, is called after each round.
	EachLevel func(traverse.Level)
	// Logger, if not nil, gets a line at the end (slog.LevelInfo), also of a run that fails.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the run.
	Metrics metrics.Recorder
}

// Result is the core numbers of a graph. It is the caller's, who closes it; until then it is safe
// for concurrent reading.
type Result struct {
	// Core is the core number of every vertex.
	Core *traverse.Values[uint32]
	// Degeneracy is the largest core number.
	Degeneracy uint32
	Stats      traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Core.Close()
}

// Subgraph returns the k-core: the vertices whose core number is k or more, and the edges between them.
// External ids, weights and edge ids are kept, and so are directions, self-loops and duplicates. If k is
// above the degeneracy the result is empty. Errors are the errors of reading the values, and those of
// graph.Graph.InducedSubgraph.
func (r *Result) Subgraph(k uint32) (*graph.Graph, error) {
	core, err := r.Core.Slice()
	if err != nil {
		return nil, err
	}
	var vs []uint32
	for v, c := range core {
		if c >= k {
			vs = append(vs, uint32(v))
		}
	}
	return r.Core.Graph().InducedSubgraph(vs)
}

// memory is for degrees, core numbers, and core numbers in another order; a wide frontier also has the
// remaining vertices.
var memory = traverse.Memory{Arrays: []int{4, 4, 4}, Frontiers: 3, Piles: 1}

// memoryOn is what a run holds on the device of the graph: a GPU has an inbox entry for every edge of a mesh.
func memoryOn(p *graph.Placed) traverse.Memory {
	m := memory
	if n := uint64(p.NumVertices()); n > 0 && isMesh(p) {
		m.Arrays = append(slices.Clone(m.Arrays), int(4*(p.Graph().NumDirectedEdges()/n+1)))
	}
	return m
}

// isMesh reports whether a GPU has a graph of short rows.
func isMesh(p *graph.Placed) bool {
	return p.Remote() != nil && p.State().MaxDegree() <= meshDegree
}

// Bytes returns the maximum device memory of a run, in addition to the graph. It reads the graph's rows
// once.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return memoryOn(p).Bytes(p) + simple.Bytes(p)
}

// Prepare makes the graph undirected and simple, if it isn't, once; Run does so automatically. Call it
// to keep it out of a measured time. Errors are the same as for Run.
func Prepare(ctx context.Context, p *graph.Placed) error {
	if err := callctx.Check(ctx, "kcore"); err != nil {
		return err
	}
	if err := run.Ready(ctx, "kcore"); err != nil {
		return err
	}
	_, err := prepare(ctx, p)
	return err
}

// prepare returns the simple graph. It doesn't hold the placed graph afterwards, so callbacks may free
// it; that waits for traversals of the simple one.
func prepare(ctx context.Context, p *graph.Placed) (*simple.Graph, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("kcore: %w", err)
	}
	release, err := p.Hold()
	if err != nil {
		return nil, fmt.Errorf("kcore: %w", err)
	}
	defer release()
	x, err := simple.Of(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("kcore: %w", err)
	}
	return x, nil
}

// Run finds core numbers. Any number of runs may be active at once.
//
// The error is graph.ErrNoGraph or device.ErrClosed for a placed graph that is nil or was closed,
// graph.ErrOptions for an unknown Engine, device.ErrMemory if a GPU has too little memory, or the
// context's.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	if err := callctx.Check(ctx, "kcore"); err != nil {
		return nil, err
	}
	x, err := prepare(ctx, p)
	if err != nil {
		return nil, err
	}
	to := traverse.Options{Engine: o.Engine, Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics}
	r, err := traverse.Run(ctx, x.Placed, traverse.Algorithm[struct{}, *Result]{Name: "kcore", Memory: memoryOn(x.Placed), Run: o.peeled}, struct{}{}, to)
	if err != nil || x.Order == nil {
		return r, err
	}
	// The core numbers belong to the vertices of another graph.
	values, err := r.Core.Slice()
	if err == nil {
		values = simple.Moved(x, values)
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("kcore: %w", err)
	}
	from, err := device.NewBuffer[uint32](p.Device(), len(values))
	if err != nil {
		return nil, fmt.Errorf("kcore: %w", err)
	}
	defer from.Close()
	if err := from.Write(p.Device(), 0, values); err != nil {
		return nil, fmt.Errorf("kcore: %w", err)
	}
	stats := r.Stats
	moved, err := traverse.Run(ctx, p, traverse.Algorithm[struct{}, *traverse.Values[uint32]]{Name: "kcore", Memory: traverse.Memory{Arrays: []int{4}},
		Run: func(t *traverse.Traversal, _ struct{}) (*traverse.Values[uint32], error) {
			core := traverse.Array[uint32](t, 0)
			t.Do(t.All(), foreach.All(newMove(from, core), nil))
			return traverse.Result(t, core)
		}}, struct{}{}, traverse.Options{})
	if err != nil {
		return nil, err
	}
	moved.Stats = stats
	return &Result{Core: moved, Degeneracy: r.Degeneracy, Stats: stats}, nil
}

func (o Options) peeled(t *traverse.Traversal, _ struct{}) (*Result, error) {
	cur := t.All()
	if isMesh(t.Placed()) && o.Engine != traverse.LevelByLevel && !tuning.LevelByLevel && mesh.Fits(t.Placed()) {
		if r, err := peelApart(t, cur); r != nil || err != nil {
			return r, err
		}
	}
	core, largest := run.Choose(t.Placed(), run.Ways[func(*traverse.Traversal, *traverse.Frontier) (*device.Buffer[uint32], uint32)]{Host: peelOnHost, GPU: peelOnGPU})(t, cur)
	r := &Result{Degeneracy: largest}
	var err error
	if r.Core, err = traverse.Result(t, core); err != nil {
		return nil, err
	}
	r.Stats = r.Core.Stats
	return r, nil
}

// most returns the largest entry.
func most(t *traverse.Traversal, of *device.Buffer[uint32]) uint32 {
	largest := traverse.Scalar[uint64](t, operators.Max)
	t.Do(t.All(), foreach.All(newEntry(of), largest))
	return uint32(traverse.Get(t, largest))
}

// peelOnHost peels on the host, and returns the core numbers and the largest: a pile at every push takes twice as long there.
func peelOnHost(t *traverse.Traversal, cur *traverse.Frontier) (core *device.Buffer[uint32], largest uint32) {
	degree, waiting := traverse.Uninitialized[uint32](t), t.Pile()
	p := t.Placed()
	if p.State().MaxDegree() <= meshDegree && workers(p) >= nearWorkers {
		return degree, peelNearby(t, cur, degree, waiting)
	}
	peels, refill := advance.Push(newPeel(degree)), pile.Refill(waiting, newDue(degree))
	t.Do(cur, filter.Keep(newJoined(traverse.Degrees(t), degree)), pile.Begin(waiting), refill) // every vertex that has an edge waits
	if p.Graph().Order() == graph.OrderDegree && workers(p) >= hubWorkers {
		peelHubs(t, cur, degree, waiting, peels, refill)
	} else {
		t.Repeat(cur, peels, refill)
	}
	return degree, most(t, degree)
}

// workers is how many workers a host has.
func workers(p *graph.Placed) int {
	d, ok := p.Device().(interface{ Workers() int })
	if !ok {
		return 1
	}
	return d.Workers()
}

// peelOnGPU peels on a GPU.
func peelOnGPU(t *traverse.Traversal, cur *traverse.Frontier) (core *device.Buffer[uint32], largest uint32) {
	degree := traverse.Uninitialized[uint32](t)
	if t.Placed().State().MaxDegree() <= meshDegree {
		t.Do(cur, foreach.All(newMove(traverse.Degrees(t), degree), nil))
		peelMesh(t, cur, degree)
		return degree, most(t, degree)
	}
	waiting := t.Pile()
	rises, within := traverse.ArrayN[uint32](t, 1, 0), traverse.ArrayN(t, reachEntries, uint32(t.Placed().NumVertices()))
	t.Do(t.All(), foreach.All(newOrder(traverse.Degrees(t), rises), nil), foreach.All(newReach(traverse.Degrees(t), rises, within), nil))
	// Every vertex waits. Those of least degree don't, and those without an edge are never due.
	t.Do(cur, foreach.All(newMove(traverse.Degrees(t), degree), nil), pile.Begin(waiting), pile.Refill(waiting, newDue(degree)))
	core = traverse.Array[uint32](t, 0)
	peelWide(t, cur, waiting, degree, core, newChain(degree, core, within))
	return core, most(t, core)
}

// peelApart peels a graph of short rows on a GPU without rounds: each block peels its own vertices. The result is nil if
// blocks have too little memory for that.
func peelApart(t *traverse.Traversal, cur *traverse.Frontier) (*Result, error) {
	p := t.Placed()
	s := &mesh.Peel{Core: traverse.Uninitialized[uint32](t), Inbox: traverse.ArrayN(t, mesh.InboxLen(p), mesh.Empty), State: traverse.ArrayN[uint32](t, mesh.StateLen(p), 0)}
	if t.Do(cur, s); t.Err() != nil || s.TooLarge {
		return nil, t.Err()
	}
	core, err := traverse.Result(t, s.Core)
	if err != nil {
		return nil, err
	}
	return &Result{Core: core, Degeneracy: s.Degeneracy, Stats: core.Stats}, nil
}

// peelMesh peels a graph of short rows on a GPU, round by round. It has few stages, which take many rounds of few vertices: one cluster of
// blocks does those, since a push is all there is to them. A vertex that has left keeps its degree, which is below the next
// stage.
func peelMesh(t *traverse.Traversal, cur *traverse.Frontier, degree *device.Buffer[uint32]) {
	due, peels := newDueAt(degree, 0), advance.Push(newPeel(degree))
	for k := range uint32(t.Placed().State().MaxDegree()) {
		due.stage = k + 1
		t.Fill(cur)
		t.Do(cur, filter.Keep(due))
		t.Repeat(cur, peels)
	}
	t.Fill(cur)
}

// peelWide peels on a GPU. If many vertices are peeled at once and the remaining vertices have fewer
// edges, the remaining degrees are recounted instead of visiting the peeled edges. If all remaining
// vertices are peeled, no degrees need updating, as in the last rounds of graphs of even degrees.
func peelWide(t *traverse.Traversal, cur *traverse.Frontier, waiting *pile.Pile, degree, core *device.Buffer[uint32], ahead *chainFunctor) {
	rest, wide := t.From(), t.Placed().NumVertices()/wideShare
	for t.Next(cur) {
		if cur.Len() > wide {
			leaving, left := traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
			least, most := traverse.Scalar[uint64](t, operators.Max), traverse.Scalar[uint64](t, operators.Max)
			// A vertex that entered the frontier because neighbors were peeled may have a smaller degree
			// by now, but then some vertices were peeled at this stage. The degrees of other vertices
			// are exact.
			t.Do(cur, foreach.Each(newEntry(degree), least), foreach.All(newEntry(core), most))
			stage := uint32(max(traverse.Get(t, least), traverse.Get(t, most)))
			t.Do(cur, foreach.Each(newLeave(traverse.Degrees(t), core, stage), leaving))
			t.Fill(rest)
			t.Do(rest, filter.Keep(newLeft(traverse.Degrees(t), core)), foreach.Each(newEntry(traverse.Degrees(t)), left))
			if rest.Len() == 0 {
				return
			}
			if traverse.Get(t, left) < countFactor*traverse.Get(t, leaving) {
				t.Do(rest, reduce.Out(newRecount(degree, core), nil), filter.Keep(newFallen(degree, core, stage)))
				cur, rest = rest, cur
				t.Do(cur, pile.Refill(waiting, ahead))
				continue
			}
		}
		t.Repeat(cur, advance.PushNear(ahead, waiting, advance.NearOptions{Once: true}), pile.Refill(waiting, ahead), traverse.UntilFrontierExceeds(wide))
	}
}

// graph.ErrInvalid: a result that isn't the core numbers of its graph.
var errInvalid = text.Named("kcore: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}
