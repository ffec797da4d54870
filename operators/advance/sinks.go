// This file holds what a pull tells.

package advance

import "github.com/foray-graph/foray/operators"

// Sink receives what a pull finds, by hand on the host; by Parents, InEdges or a functor written in Go
// with a method Hit on any device. Only the latter may reject edges.
type Sink interface {
	// Found says that each vertices[i], a candidate, has the in-neighbour
	// parents[i] in the frontier. A vertex comes once, on one worker. The slices
	// are valid during the call only.
	Found(w operators.Worker, vertices, parents []uint32)
}
