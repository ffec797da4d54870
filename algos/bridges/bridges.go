// Package bridges finds bridges, articulation points and biconnected components (networkx' bridges, articulation_points
// and biconnected_component_edges).
//
//   - A bridge is an edge whose removal leaves more connected components, an articulation point a vertex whose removal
//     does. Two edges are in the same biconnected component if they are the same edge, or on a cycle that passes no
//     vertex twice. So each edge is in one component. A bridge is one alone.
//   - The graph is taken as undirected and simple: directions, self-loops and parallel edges don't count. So two
//     parallel edges are a bridge if one of them would be; networkx' bridges of a multigraph differ. A self-loop is in no
//     component.
//   - A component is named by a vertex: the one with the smallest external id, apart from the vertex through which paths
//     from the smallest id of the connected component enter it. No two components have the same name.
//
// Results depend neither on the device, the number of workers nor the internal numbering.
//
// The guide is [docs/algorithms/bridges.md].
//
// A run grows a spanning forest by Borůvka's rounds, walks around it (an Euler tour, whose positions are found by pointer
// jumping), and joins edges of the forest that are on a common cycle (Tarjan and Vishkin, "An efficient parallel
// biconnectivity algorithm", SIAM Journal on Computing 14, 1985). Nothing is recursive, and the number of rounds is
// logarithmic, so deep graphs are no harder. A run takes 240 bytes a vertex and 8 an edge in each direction. A directed
// graph, or one with duplicates or self-loops, is first made undirected and simple, once: 8 bytes an edge.
//
// [docs/algorithms/bridges.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/bridges.md
package bridges

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/forest"
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

// maxVertices is how many vertices may be in a graph: slots and arcs have 32 bits.
const maxVertices = 1 << 30

// Options say how a run goes. The zero value is fine.
type Options struct {
	// Engine is how a GPU runs the rounds.
	Engine traverse.Engine

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// Result is the components of a graph. It is the caller's, who closes it; until then it is safe for concurrent reading.
//
// Arrays of edges have an entry for each edge of Graph.Out. An edge of an undirected graph has its value in the entry of the
// direction from the larger to the smaller vertex, as arrow.WriteEdges expects it.
type Result struct {
	Component    *traverse.EdgeValues[uint32] // the vertex that names the edge's component; graph.NoVertex for a self-loop
	Bridge       *traverse.EdgeValues[uint32] // 1 for a bridge, else 0
	Articulation *traverse.Values[uint32]     // of every vertex: 1 for an articulation point, else 0

	Components, Bridges, Articulations int // how many there are
	Stats                              traverse.Stats
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Component.Close(), r.Bridge.Close(), r.Articulation.Close())
}

// Run finds the components. Errors are graph.ErrOptions for an unknown Engine, graph.ErrTooManyVertices for more than 2^30
// vertices, device.ErrMemory, device.ErrNotSupported for several GPUs, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	x, err := undirected.Of(ctx, "bridges", p)
	if err != nil {
		return nil, err
	}
	if n := p.NumVertices(); n > maxVertices {
		return nil, fmt.Errorf("bridges: %w: the graph has %d vertices, and components are found of %d at most", graph.ErrTooManyVertices, n, maxVertices)
	}
	a := traverse.Algorithm[struct{}, *Result]{Name: "bridges", Memory: memory,
		Run: func(t *traverse.Traversal, _ struct{}) (*Result, error) { return find(t, x) }}
	r, err := traverse.Run(ctx, x.Placed, a, struct{}{}, traverse.Options{Engine: o.Engine, Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
	if err != nil {
		return nil, err
	}
	if err := r.back(ctx, x); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// back makes the values those of the graph that was given.
func (r *Result) back(ctx context.Context, x *undirected.Graph) (err error) {
	component, bridge, cut := r.Component, r.Bridge, r.Articulation
	r.Component, r.Bridge, r.Articulation = nil, nil, nil // they are closed on the way
	var errs [3]error
	r.Component, errs[0] = x.EdgesBack(ctx, "bridges", component, graph.NoVertex)
	r.Bridge, errs[1] = x.EdgesBack(ctx, "bridges", bridge, 0)
	r.Articulation, errs[2] = x.Back(ctx, "bridges", cut)
	return errors.Join(errs[:]...)
}

// memory is for the forest, ranks, arcs, ways, slots, the tournaments, labels, and what is found.
var memory = traverse.Memory{Arrays: append(forest.Arrays(), 4, 4, 8, 8, 4, 4, 16, 4, 4, 4, 32, 32, 4, 4, 4, 4, 4, 4), EdgeArrays: []int{4, 4}, Frontiers: forest.Frontiers + 2}

// Bytes returns the maximum device memory of a run, in addition to the graph. It reads the graph's rows once.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	return memory.Bytes(p) + simple.Bytes(p)
}

func find(t *traverse.Traversal, x *undirected.Graph) (*Result, error) {
	n := t.Placed().NumVertices()
	rank := x.Ranks(t)
	f := forest.Grow(t, forest.Order[uint32]{Rank: rank})
	lowest, trees := f.Lowest(t)
	if err := t.Err(); err != nil {
		return nil, err
	}
	all, edges := t.All(), t.All()
	offsets, targets := traverse.Rows(t)

	// The tour.
	head, after, first := traverse.Array[uint32](t, none), traverse.Array[uint32](t, none), traverse.ArrayN[uint32](t, 1, none)
	end, next, way := traverse.ArrayN[uint32](t, 2*n, none), traverse.ArrayN[uint32](t, 2*n, none), traverse.ArrayN[uint64](t, 2*n, noEdge)
	left := traverse.Scalar[uint64](t, operators.Sum)
	t.Do(edges, filter.Keep(newArcs(f.Joined, offsets, targets, end, next, head)))
	t.Do(all, foreach.All(newChain(f.Tree, rank, lowest, head, after, first), nil))
	t.Do(edges, foreach.Each(newTour(f.Tree, rank, lowest, head, after, end, next, way), nil))
	t.Repeat(edges, foreach.Each(newLeap(way), left), traverse.Below(left, 1))
	slot, last, parent := traverse.Array[uint32](t, none), traverse.Array[uint32](t, none), traverse.Array[uint32](t, none)
	count32 := uint32(2 * (n - trees))
	t.Do(all, foreach.All(newRoot(f.Tree, rank, lowest, head, way, slot, last, parent, count32), nil))
	t.Do(edges, foreach.Each(newPlace(end, way, slot, last, parent, count32), nil))

	// What edges outside the forest lead to.
	slots := 1
	for slots < int(count32)+1 {
		slots *= 2
	}
	low, high := traverse.ArrayN[uint32](t, 2*slots, none), traverse.ArrayN[uint32](t, 2*slots, 0)
	t.Do(all, reduce.Out(newLeast(slot, parent, low, uint32(slots)), nil), reduce.Out(newMost(slot, parent, high, uint32(slots)), nil))
	for to := slots; to > 1; to /= 2 {
		t.Do(all, foreach.All(newHalve(low, high, uint32(to/2), uint32(to), uint32(n)), nil))
	}

	// The components of edges.
	label, lone, bridges := traverse.VertexIDs(t), traverse.Array[uint32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(all, foreach.All(newAbove(low, high, slot, last, parent, label, lone, uint32(slots)), bridges))
	t.Do(all, advance.VisitAll(newBeside(slot, last, label)))
	named, ofAll, components := traverse.Array[uint32](t, none), traverse.Array[uint32](t, none), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(all, foreach.All(newSettle(label, parent, rank, ofAll), components), foreach.All(newName(label, parent, rank, ofAll, named), nil))
	component, bridge := traverse.EdgeArray(t, graph.NoVertex), traverse.EdgeArray[uint32](t, 0)
	t.Do(all, advance.VisitAll(newMark(slot, label, named, lone, component, bridge)))
	under, cut, cuts := traverse.Array[uint32](t, none), traverse.Array[uint32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(all, foreach.All(newBelow(parent, label, under), nil), foreach.All(newMeet(parent, label, under, cut), nil), foreach.All(newCount(cut), cuts))

	r := &Result{Components: int(traverse.Get(t, components)), Bridges: int(traverse.Get(t, bridges)), Articulations: int(traverse.Get(t, cuts))}
	var errs [3]error
	r.Component, errs[0] = traverse.EdgeResult(t, component)
	r.Bridge, errs[1] = traverse.EdgeResult(t, bridge)
	r.Articulation, errs[2] = traverse.Result(t, cut)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Stats = r.Articulation.Stats
	return r, nil
}
