// This file holds the arguments of functors written in Go: an edge, a vertex.

package traverse

// Edge is the argument of the methods Edge, Hit and Gather of a functor written in Go.
type Edge struct {
	// Source and Target are the ends. In a reduce.In, Source is the in-neighbor and Target
	// the vertex whose edges are reduced; in a reduce.Out it is the other way round. In a pull
	// Source is in the frontier, and Target is the vertex to be found.
	Source, Target uint32
	// Index is the edge's position in the rows of the step: out-edges, or in-edges in
	// a reduce.In or a pull.
	Index  uint64
	ID     uint64  // the edge's id in the graph; a graph without ids is an error of the step
	Weight float32 // a graph without weights is an error of the step
	Level  int32   // the round: 1 in the first of a Repeat, or of a loop by Next
}

// Vertex is the argument of the methods Vertex and Apply of a functor written in Go.
type Vertex struct {
	ID    uint32 // the vertex's number, an index of arrays per vertex
	Level int32  // the round: 1 in the first of a Repeat, or of a loop by Next
}

// Corner is the argument of the method Common of a functor written in Go: the corner at A of a triangle of three vertices,
// of which edges lead from A to B, from A to C and from B to C.
type Corner struct {
	// In an undirected graph A > B > C, by the vertices' own numbers.
	A, B, C uint32
	// The edges' numbers in the rows of out-edges, Edge.Index of a step along out-edges. In an undirected graph, which has
	// each edge in both directions, it is the one from the larger vertex to the smaller one.
	AB, AC, BC uint64
	Level      int32 // the round: 1 in the first of a Repeat, or of a loop by Next
}
