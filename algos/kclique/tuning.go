// This file holds the numbers that counting is tuned by. None was varied in a measurement yet.

package kclique

const (
	// verticesAtOnce is how many rows a worker claims that it copies.
	verticesAtOnce = 1 << 10
	// rootsAtOnce is how many vertices a worker claims of which it counts the cliques that begin there. Vertices that are hard are next to each other.
	rootsAtOnce = 8
	// shrinkFactor is how many times more words the rows of a matrix have than the candidates need before a smaller matrix is made.
	shrinkFactor = 2
	// reports is how often progress is reported, at most.
	reports = 1 << 10
	// enumerated is how many cliques Validate enumerates at most: some tenths of a second.
	enumerated = 200_000
)
