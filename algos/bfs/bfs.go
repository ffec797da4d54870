// Package bfs is breadth-first search, level by level, composed from advance
// and filter: the frontier is advanced along its out-edges, what was visited
// is culled, the rest is labelled and is the next frontier.
//
// Run searches from one vertex of a placed graph, RunMany from several. Both
// return a Result: depths and parents by internal vertex, counts, time, and what
// happened in each level. Validate checks one. A Searcher searches again and again
// in the same memory; a Pool shares searchers between goroutines within a budget
// of memory; both take a Query, with targets and a limit by search. Package dobfs has the search that
// changes direction, which is faster on graphs with short paths.
//
// The types are aliases of those of internal/search, which has their fields and
// methods: go doc github.com/foray-graph/foray/internal/search.Options, and so on.
//
// Contexts must not be nil: as in the standard library, a nil one panics.
package bfs

import (
	"context"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/search"
)

// Run searches from one source, a vertex of the graph (see Graph.Vertex for
// external ids). Any number of searches may run at once. The result is the
// caller's; Result.Free makes the next search cheaper.
//
// The error is graph.ErrNoVertex for a source or target that the graph doesn't
// have, graph.ErrOptions for options out of their range, device.ErrClosed for a
// placed graph that was freed or whose device was closed, device.ErrMemory where a
// GPU has too little memory for the search, graph.ErrNoGraph for nil, or the
// context's, which is looked at within every level. On a GPU a result keeps memory
// until Result.Free, and the device can't be closed before. A search that is sure to
// take more than is free there is refused before anything is allocated.
func Run(ctx context.Context, p *graph.Placed, source uint32, o Options) (*Result, error) {
	return search.Run(ctx, p, source, o)
}

// RunMany searches from several sources at once: the depth of a vertex is its
// distance from the nearest one. A source that is given twice counts once; none
// is graph.ErrNoVertex. All else is as with Run.
func RunMany(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*Result, error) {
	return search.RunMany(ctx, p, sources, o)
}

// NewSearcher returns a Searcher with the options of Run. It takes no memory
// yet. Errors are those of Run for options and the placed graph.
func NewSearcher(p *graph.Placed, o Options) (*Searcher, error) { return search.NewSearcher(p, o) }

// NewPool returns a Pool of searches with the options of Run. The budget may be
// shared with other pools on the same device; nil is one of what the device has
// free at present (device.BudgetOf). Errors are those of NewSearcher, and
// device.ErrBudget where not even one search fits, with both figures.
func NewPool(p *graph.Placed, o Options, b *device.Budget) (*Pool, error) {
	return search.NewPool(p, o, b)
}

// Sequential is a plain breadth-first search on one goroutine: a queue and a
// depth array, nothing else. It returns the depth of every vertex, -1 where
// not reached. It exists to check the other searches against; sources that
// the graph doesn't have are passed over.
func Sequential(c *graph.CSR, sources ...uint32) []int32 { return search.Sequential(c, sources...) }

// Validate checks a result against the five rules of Graph500 (benchmark
// specification, section "Validation"):
//
//  1. the parents form a tree (with several sources, a forest): they lead from
//     every vertex reached to a source, without a cycle;
//  2. every vertex but a source is one level below its parent;
//  3. every edge of the graph joins vertices whose levels differ by at most
//     one, or that weren't reached (of a directed graph, no edge leads down by
//     more than one level);
//  4. all that can be reached from the sources was reached, and nothing else;
//  5. every vertex and its parent are joined by an edge of the graph.
//
// A result without parents is checked by rules 3 and 4, and for every vertex
// having a neighbour one level above; one without depths by depths that its
// parents imply. The lowest level of a search that ended at its limit may have
// neighbours that weren't reached. It costs two passes over the graph on one
// goroutine, 8 bytes per vertex at most, and no assumption on how rows are
// sorted.
//
// The error is an *InvalidError for a rule that is broken, and wraps ErrInvalid
// for a result of another graph, without arrays, or nil too, device.ErrClosed
// besides for one that was freed. For a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error { return search.Validate(g, r) }

// RemoteSharedBytes returns what searches in one kernel keep with a graph on a GPU,
// beside the graph (graph.Graph.RemoteBytes) and what each takes: on meshes and roads 16
// bytes a vertex, on other undirected graphs a bit a vertex (and as much on the host). A
// graph whose searches turn out to be long later on takes 16 bytes a vertex as well.
func RemoteSharedBytes(g *graph.Graph) uint64 { return search.RemoteSharedBytes(g) }
