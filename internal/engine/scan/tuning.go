// This file holds the numbers that the scan is tuned by, each with where it
// comes from.

package scan

import "github.com/foray-graph/foray/internal/gpu"

const (
	// chunk is how many entries a worker of the host claims. 64 KiB of uint32
	// stay in the second-level cache between the two passes where workers are
	// few, and take about 5 µs, a hundred times what the claim takes.
	chunk = 1 << 14
	// serialBelow is the number of entries that worker 0 scans alone, in one pass
	// instead of two: about what the wake-up of the others takes (5 µs).
	serialBelow = 1 << 14

	// tileEntries is how many entries a block of a GPU scans at a time (kTile of
	// frontier/tiles.cuh).
	tileEntries = 8 * gpu.Block
	// mostParts is how many parts a GPU cuts an array into at most: more than
	// run at once on any (132 multiprocessors of 8 blocks), few enough that one
	// block scans their sums in eight steps.
	mostParts = 2048
	// oneBlock is the number of entries that one block scans alone, in one launch
	// instead of three: 8 tiles of about a microsecond each.
	oneBlock = 8 * tileEntries
)
