// This file holds the sizes of tiles.

package unite

const (
	// Tile is how many vertices a tile has on a GPU: their parents are 64 KiB, so that two blocks have room on a
	// multiprocessor.
	Tile = 1 << 14
	// threads is how many a block has (kUniteThreads of unite.cuh): with two blocks as many as a
	// multiprocessor runs.
	threads = 1024
	// A tile of the host has up to hostTile vertices: their parents take 128 KiB of a second-level cache. A graph has
	// hostTiles tiles at least, for all workers. Other sizes weren't tried.
	hostTile  = 1 << 15
	hostTiles = 64
	// treesThreads is how many a block has that finds trees over several GPUs (trees.cu): three blocks of 40 registers a
	// thread have room on a multiprocessor without spills.
	treesThreads = 512
	// peerStateBytes and treeBytes are the sizes of PeerState and Tree.
	peerStateBytes = 1120
	treeBytes      = 16
)
