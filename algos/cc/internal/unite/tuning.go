// This file holds the numbers that tiles are tuned by.

package unite

// Tile is how many vertices a tile has: their parents are 64 KiB, so that two blocks have room on a
// multiprocessor.
const Tile = 1 << 14

// threads is how many a block has (kUniteThreads of unite.cuh): with two blocks as many as a
// multiprocessor runs.
const threads = 1024
