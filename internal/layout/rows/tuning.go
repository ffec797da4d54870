// This file holds the numbers that building on a GPU is tuned by.

package rows

import "github.com/foray-graph/foray/internal/gpu"

// Numbers that the kernels are compiled with (rows.cuh).
const (
	warpRow     = 256
	wideWarpRow = 128      // of keys of 128 bits, so that a lane has as many registers full of them
	blockRow    = 32 << 10 // bytes of its keys
)

// Entries are parted by rows (part.cuh) into at most mostParts, each of which takes about tuning.PartBytes;
// fewer than leastParts aren't worth it.
const (
	mostParts  = 1024
	leastParts = 8
)

// mostBlocks is more than any GPU runs at once.
const mostBlocks = 1 << 20

// startsAtOnce is how many beginnings of rows the host looks at at a time, to cut rows into windows: 8 MiB.
const startsAtOnce = 1 << 20

// longestRow is the most entries that the kernels sort in a row: they count in 32 bits, a block further at
// a time.
const longestRow = 1<<32 - 1 - gpu.Block

// relabelTile is how many entries a thread of relabel_edges has at a time (kRelabelTile).
const relabelTile = 32
