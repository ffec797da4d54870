// This file holds the numbers that building on a GPU is tuned by.

package rows

// What the kernels are compiled with (rows.cuh).
const (
	warpRow  = 256
	blockRow = 32 << 10 // bytes of its keys
)

// mostBlocks is more than any GPU runs at once.
const mostBlocks = 1 << 20
