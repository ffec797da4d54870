// This file holds the numbers that the filters are tuned by, each with where it
// comes from.

package filter

import "github.com/foray-graph/foray/internal/gpu"

const (
	// chunk is how many vertices or words a worker of the host claims.
	chunk = 1 << 11
	// serialBelow is the size that worker 0 processes alone: less than the wake-up of
	// the others costs.
	serialBelow = 1 << 10
	// piece is how many vertices a predicate gets at once where it doesn't get
	// the queue itself: what it gets and what it keeps are 16 KiB together, half
	// of the first-level cache.
	piece = 1 << 11

	// tileEntries is how many entries a block of a GPU looks at at a time (kTile
	// of frontier/tiles.cuh).
	tileEntries = 8 * gpu.Block
)
