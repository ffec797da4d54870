// This file holds the sizes that the kernels of a keyed reduce are compiled with.

package keyedrows

// Sizes that keyed.cuh has too: the bytes of a long row, and of the choice among its keys; the longest row that is compared all
// with all, and that has a table in shared memory: eight warps' tables of 12 bytes a slot, two slots for an edge, take 36 KB of
// the 48 that a block has on each GPU; edges, and slots, of a longer row that a warp handles at a time. A longer row's
// keys have a part for so many edges, MostParts at most, since each part goes through the keys of all edges.
const (
	LongBytes = 40
	PickBytes = 24
	Brief     = 32
	Longest   = 192
	Segment   = 1024
	MostParts = 128
)
