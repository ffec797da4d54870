// This file holds the numbers that numbering on a GPU is tuned by.

package order

import "github.com/foray-graph/foray/internal/gpu"

// What the kernels are compiled with (order.cuh).
const (
	digits    = 256
	digitBits = 8
	sortTile  = 64 * gpu.Block
	rowTile   = 8 * gpu.Block
	shortRow  = 256
	middleRow = 8192
	// bitmapStep is how many words of a bitmap a thread looks at together.
	bitmapStep = 8
)

// warmPart is how much a goroutine warms at a time. It is a multiple of the
// largest pages.
const warmPart = 32 << 20
