// Package ktruss finds the trussness of edges (Cohen, "Trusses: cohesive subgraphs for social network analysis", 2008).
//
//   - The k-truss of a graph is its largest subgraph in which every edge is in at least k-2 triangles of the subgraph
//     (networkx' k_truss, without the vertices that have no edge in it). The trussness of an edge is the largest k whose
//     k-truss has the edge. It is 2 for an edge in no triangle.
//   - The graph is taken as undirected and simple: directions, self-loops and parallel edges don't count. Each of two
//     parallel edges, or of two edges in opposite directions, has the trussness of the edge between their ends. A
//     self-loop has 0.
//
// Results depend neither on the device, the number of workers nor the internal numbering.
//
// The guide is [docs/algorithms/ktruss.md].
//
// operators/intersect counts the triangles of every edge. Then edges with too few triangles leave, which takes triangles away
// from other edges (Wang and Cheng, "Truss decomposition in massive networks", PVLDB 5, 2012). The host does so with all workers, one
// list of edges after another (Kabir and Madduri, "Shared-memory graph truss decomposition", HiPC 2017), in rows from which it drops
// edges that left. A GPU looks at all edges that remain in each round. Counting takes at most O(m^1.5) steps, and peeling as many
// times the logarithm of a row. A run takes 8 bytes a vertex and 16 for each direction of an edge on a GPU, up to 20 and 24 on the host. A directed
// graph, and one with duplicates or self-loops, is first made undirected and simple, once: 8 bytes an edge.
//
// [docs/algorithms/ktruss.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/ktruss.md
package ktruss

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/algos/internal/undirected"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/layout/simple"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

// maxEdges is how many directions of edges a graph may have: their numbers have 32 bits.
const maxEdges = math.MaxUint32

// Options say how a run goes. The zero value is fine.
type Options struct {
	// Engine is how a GPU runs the rounds.
	Engine traverse.Engine

	Stats     bool                 // keeps what happened round by round, in Stats.Levels
	EachLevel func(traverse.Level) // is called after each round
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of a run that fails
	Metrics   metrics.Recorder     // gets the end of the run
}

// Result is the trussness of the edges of a graph. It is the caller's, who closes it; until then it is safe for concurrent
// reading.
type Result struct {
	// Trussness has an entry for each edge of Graph.Out. An edge of an undirected graph has its value in the entry of the
	// direction from the larger to the smaller vertex, as arrow.WriteEdges expects it. 0 stands for no value.
	Trussness *traverse.EdgeValues[uint32]
	// Edges has, for each k, how many edges of the simple graph have the trussness k. It ends with the largest trussness.
	Edges []uint64
	Stats traverse.Stats
}

// Largest returns the largest trussness, or 0 for a graph without edges.
func (r *Result) Largest() uint32 { return uint32(max(len(r.Edges), 1) - 1) }

// Close gives the memory back. Closing nil, or a second time, does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return r.Trussness.Close()
}

// Run finds the trussness. Errors are graph.ErrOptions for an unknown Engine, device.ErrNotSupported for several GPUs and for
// graphs of 2^31 edges and more, device.ErrMemory, and those of the context and the device.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	x, err := undirected.Of(ctx, "ktruss", p)
	if err != nil {
		return nil, err
	}
	if m := x.Placed.Graph().NumDirectedEdges(); m > maxEdges {
		return nil, fmt.Errorf("ktruss: %w: the graph has %d edges, and trusses are found of %d at most", device.ErrNotSupported, m/2, uint64(maxEdges/2))
	}
	a := traverse.Algorithm[struct{}, *Result]{Name: "ktruss", Memory: memory(p),
		Run: func(t *traverse.Traversal, _ struct{}) (*Result, error) { return find(t) }}
	r, err := traverse.Run(ctx, x.Placed, a, struct{}{}, traverse.Options{Engine: o.Engine, Stats: o.Stats, EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
	if err != nil {
		return nil, err
	}
	of := r.Trussness
	r.Trussness = nil // it is closed on the way
	if r.Trussness, err = x.EdgesBack(ctx, "ktruss", of, 0); err != nil {
		return nil, err
	}
	return r, nil
}

// memory is for triangles, numbers and trussness of edges, and what is left at vertices, and on a GPU for lists of edges that leave.
func memory(p *graph.Placed) traverse.Memory {
	onGPU := traverse.Memory{Arrays: []int{4, 4}, EdgeArrays: []int{4, 4, 4, 4}, Frontiers: 2}
	onHost := traverse.Memory{Arrays: []int{4}, EdgeArrays: []int{4, 4, 4}, Frontiers: 2}
	return run.Choose(p, run.Ways[traverse.Memory]{Host: onHost, GPU: onGPU})
}

// Bytes returns the maximum device memory of a run, in addition to the graph. It reads the graph's rows once.
func Bytes(p *graph.Placed, _ Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	lists := 16*uint64(p.NumVertices()) + 12*p.Graph().NumDirectedEdges()
	return memory(p).Bytes(p) + simple.Bytes(p) + run.Choose(p, run.Ways[uint64]{Host: lists})
}

// edges are the arrays of a run.
type edges struct {
	offsets                   *device.Buffer[uint64]
	targets, left             *device.Buffer[uint32]
	triangles, numbers, truss *device.Buffer[uint32] // of every edge
}

func find(t *traverse.Traversal) (*Result, error) {
	all, e := t.All(), &edges{}
	e.offsets, e.targets = traverse.Rows(t)
	e.triangles, e.numbers, e.truss = traverse.EdgeArray[uint32](t, 0), traverse.EdgeArray[uint32](t, 0), traverse.EdgeArray[uint32](t, 0)
	e.left = traverse.Array[uint32](t, 0)
	if t.Next(all) {
		t.Do(all, intersect.Triangles(newSupport(e.triangles)), advance.VisitAll(newNumber(e.offsets, e.targets, e.numbers, e.left)))
	}
	peel := run.Choose(t.Placed(), run.Ways[func(*traverse.Traversal, *edges) error]{Host: peelLists, GPU: peelRounds})
	if byRounds {
		peel = peelRounds
	}
	if err := peel(t, e); err != nil {
		return nil, err
	}
	r := &Result{}
	var err error
	if r.Trussness, err = traverse.EdgeResult(t, e.truss); err != nil {
		return nil, err
	}
	values, err := r.Trussness.Slice()
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Edges = count(values)
	r.Stats = t.Stats()
	return r, nil
}

// byRounds makes the host peel as a GPU does, for tests.
var byRounds bool

// peelRounds looks at all edges that remain in each round. A vertex lists its edges that leave, and each edge at the vertex looks for its
// triangles with those: thousands of threads share the triangles of an edge between hubs.
func peelRounds(t *traverse.Traversal, e *edges) error {
	least := traverse.Scalar[uint64](t, operators.Min)
	counts, lists := traverse.Array[uint32](t, 0), traverse.EdgeArray[uint32](t, 0)
	falls := newDue(e.offsets, e.triangles, e.truss, e.left, counts, lists, traverse.ArrayN[uint64](t, 1, 0), least.Array(), least)
	peels := newPeel(e.offsets, e.targets, e.numbers, counts, lists, e.triangles, e.truss)
	t.Repeat(t.All(), advance.Visit(falls), advance.Visit(peels), filter.Keep(newRemains(e.left, counts)))
	return t.Err()
}

// count returns how many edges have each trussness.
func count(values []uint32) (edges []uint64) {
	for _, k := range values {
		if k == 0 {
			continue
		}
		for uint32(len(edges)) <= k {
			edges = append(edges, 0)
		}
		edges[k]++
	}
	return edges
}
