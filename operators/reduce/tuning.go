// This file holds the numbers that the host's reduce is tuned by.

package reduce

const (
	// tileRows is how many rows a functor gets in one call: enough that the call doesn't
	// show, and that rows and totals stay in the first-level cache.
	tileRows = 256
	// Tiles of small frontiers are smaller, so that there are tilesLeast of them, but leastRows at
	// least. Their size doesn't depend on the number of workers: sums of floats are the same for
	// any.
	leastRows  = 16
	tilesLeast = 64
	// A worker takes tiles in runs, of which there are runsEach for each worker at least and which have
	// runTiles at most. A row is as much work as rowWork edges more.
	runsEach = 32
	runTiles = 64
	rowWork  = 4
	// shareRows and shareEdges are the rows, or edges, of a small frontier that a worker is called
	// for: some microseconds.
	shareRows  = 64
	shareEdges = 1 << 10
	// hubEdges is the length from which on a row is cut up, into pieces of pieceEdges: a
	// piece takes some tens of microseconds, as long as a tile.
	hubEdges   = 1 << 15
	pieceEdges = 1 << 14
	// modeRows is how many rows Mode does at a time, and modeHub the length of a row
	// that comes by itself at the end.
	modeRows = 64
	modeHub  = 1 << 13
	// modeShort is how many neighbors are counted by sorting them by insertion, not in a
	// table.
	modeShort = 12
)

const (
	// keyedEdges is how many edges a keyed reduce takes keys and values of at a time, in whole rows: their
	// arrays stay in the second-level cache. keyedShort is the longest row whose keys are compared all with all, and
	// keyedHub the longest row that isn't shared by all workers, in pieces of keyedPiece edges.
	keyedEdges = 1 << 12
	keyedShort = 16
	keyedHub   = 1 << 15
	keyedPiece = 1 << 13
)

// firstEdges is how many edges of a row by weight a functor gets at first, each time twice as
// many after that, up to mostEdges: the later it is, the more is known of what is needed.
const (
	firstEdges = 8
	mostEdges  = 256
)

// modeTable is the bytes of a warp's table in Mode, modeBrief is the longest row whose values Mode compares all with all on a GPU, and modeThreads how
// many threads a block has that counts a part of a long row (mode.cuh). leastModeSlots is how
// many slots a block's table has on the GPU with the least shared memory, 48 KB.
const (
	modeTable      = 6 << 10
	modeBrief      = 32
	modeThreads    = 1024
	leastModeSlots = 5 << 10
)

// What slabs.cuh and slab_reduce.cuh have too: the most vertices of a slab, whose values take 128 KB
// of shared memory, as many as 15 bits number; edges of a piece, and of a tile; how many slabs
// there are at most; threads of a block of the first pass; values that a bin's table has room for.
const (
	slabVertices = 1 << 15
	slabPiece    = 256
	slabTile     = 4096
	slabsMost    = 1024
	slabThreads  = 1024
	binTable     = 11008
)

// binRows is how many rows a bin has at most, of which many have no edges.
const binRows = 4096
