// Package cc finds connected components.
//
// Run finds the weakly connected components: two vertices are in the same one if a path joins
// them, whichever way its edges lead (GAP's CC, LDBC Graphalytics' WCC, networkx'
// weakly_connected_components and, of undirected graphs, connected_components). Strong finds the
// strongly connected components of a directed graph. Either labels every vertex with the vertex
// of its component that has the smallest external id, so that the labels don't depend on how
// vertices are numbered inside, on the device, or on the run.
//
// Self-loops and duplicate edges change nothing. An isolated vertex is a component. The empty
// graph has none.
//
// # How
//
// Weak components grow as trees, whose roots hook onto each other (Sutton, Ben-Nun and Barak,
// "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018, known
// as Afforest). First every vertex is linked to two of its neighbours. Most graphs have one
// component that holds nearly all vertices; the vertex of largest degree is taken to be in it.
// Only vertices that aren't in its component by then have all their edges looked at. In a
// directed graph every edge is looked at.
//
// The time is that of a few passes over the vertices and over the edges outside the largest
// component, the memory 8 bytes a vertex, and 8 more with ids that aren't in the order of the
// vertices, which stay with the placed graph. On a GPU the offsets of the rows are kept with the
// placed graph, too: 8 bytes a vertex.
package cc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Options say how components are found. The zero value is the fastest way.
type Options struct {
	// Stats keeps the time of each pass, in Result.Stats.Levels.
	Stats bool
	// Progress, if not nil, is called after each pass.
	Progress func(traverse.Level)
	// Logger, if not nil, gets what the traversal has to say.
	Logger *slog.Logger
}

// Result is the components of a graph. It is the caller's, who frees it; until then it is safe
// for concurrent reading.
type Result struct {
	// Component has, of every vertex, the vertex of its component with the smallest external id.
	Component *traverse.Values[uint32]
	// Components is how many there are.
	Components int
	Stats      traverse.Stats
	strong     bool
}

// Free gives the memory back. Freeing nil, or a second time, does nothing.
func (r *Result) Free() error {
	if r == nil {
		return nil
	}
	return r.Component.Free()
}

// Strong reports whether they are strongly connected components.
func (r *Result) Strong() bool { return r.strong }

// Size is a component.
type Size struct {
	Component uint32 // the vertex of the smallest external id
	Vertices  int
}

// Sizes returns all components, the largest first, those of equal size by their external ids. It
// costs a pass over the vertices on the host. The error is that of the values.
func (r *Result) Sizes() ([]Size, error) {
	labels, err := r.Component.All()
	if err != nil {
		return nil, err
	}
	return sizes(labels, r.Component.Graph().IDs()), nil
}

var memory = traverse.Memory{Arrays: []int{4, 4, 4}, Frontiers: 2}

// Bytes returns what a run takes at most of the memory of the device that the graph is on,
// beside the graph.
func Bytes(p *graph.Placed) uint64 { return memory.Bytes(p) }

// Run finds the weakly connected components. Any number of runs may go on at once.
//
// The error is graph.ErrNoGraph or device.ErrClosed for a placed graph that is nil or was freed,
// device.ErrMemory where a GPU has too little memory, or the context's.
func Run(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	return run(ctx, p, traverse.Algorithm[struct{}, *Result]{Name: "cc", Memory: memory, Run: weak}, o)
}

func run(ctx context.Context, p *graph.Placed, a traverse.Algorithm[struct{}, *Result], o Options) (*Result, error) {
	return traverse.Run(ctx, p, a, struct{}{}, traverse.Options{Stats: o.Stats, Progress: o.Progress, Logger: o.Logger})
}

func weak(t *traverse.Traversal, _ struct{}) (*Result, error) {
	label := traverse.Numbers(t)
	all := t.All()
	g := t.Placed().Graph()
	offsets, targets := traverse.Offsets(t), traverse.Targets(t)
	for i := range uint64(samples) {
		if t.Next(all) {
			t.Do(all, foreach.All(newSample(label, offsets, targets, i), nil), foreach.All(newCompress(label), nil))
		}
	}
	if t.Next(all) {
		if g.Directed() { // an edge may lead out of the hub's component
			t.Do(all, advance.VisitAll(newHook(label)))
		} else {
			rest := t.All()
			t.Do(rest, filter.Keep(newOutside(label, g.DegreeHistogram().MaxVertex)), advance.Visit(newHook(label)))
		}
		t.Do(all, foreach.All(newCompress(label), nil))
	}
	return result(t, label, false)
}

// result names components by ids.
func result(t *traverse.Traversal, label *device.Buffer[uint32], strong bool) (*Result, error) {
	count := traverse.Scalar[uint64](t, operators.Sum)
	all := t.All()
	t.Do(all, foreach.All(newRoots(label), count))
	if t.Err() == nil && (strong || t.Placed().Graph().IDs().Ranks() != nil) { // else the roots have the smallest ids
		least, named := traverse.Array[uint32](t, graph.NoVertex), traverse.Array[uint32](t, 0)
		t.Do(all, foreach.All(newFirst(label, traverse.Ranks(t), least), nil),
			foreach.All(newName(label, least, traverse.ByRank(t), named), nil))
		label = named
	}
	r := &Result{Components: int(traverse.Get(t, count)), strong: strong}
	var err error
	r.Component, err = traverse.Result(t, label)
	if err == nil {
		r.Stats = r.Component.Stats
	}
	return r, err
}

// ErrInvalid: a result that isn't the components of its graph.
var ErrInvalid = errors.New("cc: not a valid result")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
