// This file holds what a pull tells.

package advance

// Sink receives what a pull finds. On a GPU it is a KernelSink.
type Sink interface {
	// Found says that each vertices[i], a candidate, has the in-neighbour
	// parents[i] in the frontier. A vertex comes once, on one worker. The slices
	// are valid during the call only.
	Found(w Worker, vertices, parents []uint32)
}

// EdgeSink is a Sink that is told by which edge each candidate was found. On the host
// Pull calls FoundEdges instead of Found where it is there. On a GPU the kernel's found
// asks for the edge, by a third argument.
type EdgeSink interface {
	Sink
	// FoundEdges does what Found does: edges[i], from parents[i] to vertices[i], is the
	// first in the row of vertices[i] whose source is in the frontier, the first of
	// parallel edges too. It is an entry of In().Targets, and so of In().Weights and
	// In().EdgeIDs, and of graph.Placed.InWeights and InEdgeIDs.
	FoundEdges(w Worker, vertices, parents []uint32, edges []uint64)
}

// RejectingSink is a Sink that may reject the edge by which a candidate was found: the pull
// then looks further along the candidate's row, and a candidate all of whose edges are
// rejected isn't found. On the host Pull calls HitEdges instead of Found where it is there. On a
// GPU such a sink is a functor written in Go with a method Hit.
type RejectingSink interface {
	Sink
	// HitEdges does what EdgeSink's FoundEdges does, and sets hits[i], which is false, where
	// the edge is accepted; it writes to no other slice. For a vertex whose edge isn't the
	// next one of its row with a source in the frontier comes in a later call, on the same
	// worker.
	HitEdges(w Worker, vertices, parents []uint32, edges []uint64, hits []bool)
}
