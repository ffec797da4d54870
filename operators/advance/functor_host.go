// This file holds the methods beside Visit and Found that functors and sinks on the host may have: those that
// foray generate makes, and some of this package and of algos/bfs.

package advance

import "github.com/foray-graph/foray/operators"

// rowsFunctor is a Functor that can take many rows in one call, which saves
// the call per row where rows are short. On the host the operators call
// VisitRows instead of Visit where it is there.
type rowsFunctor interface {
	Functor
	// VisitRows does what Visit does for every row. targets are the targets of the whole
	// graph: row r is targets[r.First:r.First+uint64(r.Len)]. out is at least as long as all
	// rows together, and no more than that many vertices are let through.
	VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int
}

// ell4Functor is a Functor that supports ELL4 rows, which graphs of low degree
// have. On the host Push calls VisitEll4 if the graph has such rows; Visit or
// VisitRows gets the targets of a row beyond four. For a functor written in Go it does so
// only if rows have no self-loops.
type ell4Functor interface {
	Functor
	// VisitEll4 does what Visit does for every source: its targets are
	// rows[source], where an entry equal to source is no edge (but a self-loop,
	// or filling). out is at least four times as long as sources, and no more
	// than that many vertices are let through.
	VisitEll4(w operators.Worker, sources []uint32, rows [][4]uint32, out []uint32) int
}

// aheadFunctor is a ell4Functor that receives sources that VisitEll4 will get soon, to prefetch their data.
type aheadFunctor interface{ Ahead(sources []uint32) }

// uniqueFunctor is a Functor that can let no vertex enter the next frontier twice.
type uniqueFunctor interface {
	Functor
	// Unique reports whether it will. It is asked once per Push, before the
	// first visit.
	Unique() bool
}

// edgeSink is a Sink that is told by which edge each candidate was found. Pull calls FoundEdges instead of Found.
type edgeSink interface {
	Sink
	// FoundEdges does what Found does: edges[i], from parents[i] to vertices[i], is the
	// first in the row of vertices[i] whose source is in the frontier, the first of
	// parallel edges too. It is an entry of In().Targets, and so of In().Weights and
	// In().EdgeIDs, and of graph.Placed.InWeights.
	FoundEdges(w operators.Worker, vertices, parents []uint32, edges []uint64)
}

// rejectingSink is a Sink that may reject the edge by which a candidate was found: the pull
// then looks further along the candidate's row, and a candidate all of whose edges are
// rejected isn't found. Pull calls HitEdges instead of Found.
type rejectingSink interface {
	Sink
	// HitEdges does what FoundEdges does, and sets hits[i], which is false, where
	// the edge is accepted; it writes to no other slice. For a vertex whose edge isn't the
	// next one of its row with a source in the frontier comes in a later call, on the same
	// worker.
	HitEdges(w operators.Worker, vertices, parents []uint32, edges []uint64, hits []bool)
}
