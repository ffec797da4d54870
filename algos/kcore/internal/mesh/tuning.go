// This file holds the numbers of the kernel (peel.cuh), and of tiles on the host.

package mesh

import "time"

const (
	threads     = 1024 // of a block. With 512 a lattice took 3.27 ms instead of 3.37 on an H200, a road network 0.33 instead of 0.25
	stages      = 64   // kPeelStages: more than there are different degrees in a graph of short rows
	apart       = 32   // kPeelApart
	beyond      = 32   // entries that are read behind the last inbox
	degreeBytes = 1    // of a vertex, in shared memory
	listBytes   = 2    // of a vertex, in shared memory
	// mostOwn is how many vertices a block has at most, whose numbers fit into entries of the list.
	mostOwn = 1<<16 - 4
	// leastOwn is how many it has at least: neighbors of fewer are in other blocks. No other number was tried.
	leastOwn = 256
)

// Tiles of the host: a worker has tilesEach of them or more, of 1<<leastTile to 1<<mostTile vertices, whose degrees take 64 KiB
// of a second-level cache. After tileFlush vertices a worker sends messages to other tiles, of which it collects those to
// bordering tiles at a time. A worker that waits spins tileSpins times for tilePause turns each, and yields
// tileYields times, before it sleeps.
const (
	tilesEach  = 8
	leastTile  = 8
	mostTile   = 14
	tileFlush  = 256
	bordering  = 8
	tileSpins  = 256
	tilePause  = 64
	tileYields = 64
	tileNap    = 20 * time.Microsecond
)
