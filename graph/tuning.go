// This file holds the numbers that building and placing graphs are tuned by, each with where it comes
// from. bench/notes/loading.md has the measurements.

package graph

import "github.com/foray-graph/foray/internal/calls/looks"

// chunkLen makes the pairs of a chunk 8 KiB, which are whole pages. Larger
// chunks would waste more in the half-filled ones (a partition has one per
// bucket and worker), smaller ones cost more in taking them from the pool.
const chunkLen = 1 << 10

// slabLen is the number of chunks allocated at a time, 16 MiB: what lies between them keeps the huge pages at
// their ends apart.
const slabLen = 2048

// blockLen is the number of chunks whose pages are returned together, 1 MiB: Linux flushes the TLB page by
// page for up to 33 pages. mostGroups is into how many parts the pairs are cut for that.
const (
	blockLen   = 128
	mostGroups = 16
)

// chunkGroup is the number of chunks that a worker takes at a time.
const chunkGroup = 32

// minBucket is the number of pairs from which there are more buckets: 256 KiB.
const minBucket = 32 << 10

// cellsPerBucket is how many cells of tiles there are for a bucket, at least, and samplesPerBucket how many
// pairs are looked at for one: a bucket then has as many pairs as it should give or take a tenth.
const (
	cellsPerBucket   = 4
	samplesPerBucket = 128
)

// countsShare: the degrees that workers keep separately take at most 1/countsShare
// of the edges' memory.
const countsShare = 16

// readyPart is how many targets or weights a worker puts pages there for at a time: a multiple of the largest pages.
const readyPart = 8 << 20

// maxRowGroups bounds rowBuckets.of to 2 MiB, which random access needs to
// find in the cache.
const maxRowGroups = 1 << 20

// transposeWindows is the number of steps in which rows of large graphs are
// transposed. A step holds its entries as pairs of 8 bytes, so with four steps
// transposing takes two bytes an edge in addition to the graph. Every step reads
// every row once more. Eight steps weren't measurably faster or slower than four.
const transposeWindows = 4

// windowEdges is the number of edges that a step has at least.
const windowEdges = 1 << 20

// ell4Long bounds the share of vertices with more than four targets, 1 in so
// many, for which Ell4 pays: each of them costs a second look.
const ell4Long = 16

// sketchBits is how many bits of a hash choose one of the counters by which the number of
// ids is estimated (sketch): 4,096 counters of a byte.
const sketchBits = 12

// sortBlock is the number of entries that are sorted or merged at a time,
// between two looks at the context.
const sortBlock = 1 << 15

// rankedSpan: if the range of integer ids is at most this many times the number of
// edges, a bitmap of the range assigns their numbers. It temporarily takes at most
// 6 bytes an edge. Sparser ids use the idTable.
const rankedSpan = 32

// directSpan: where the range is at most edges/directSpan, an id's distance
// from the least one is its provisional number.
const directSpan = 2

// tableShards is the number of parts of an idTable, each with a lock.
const (
	shardBits   = 6
	tableShards = 1 << shardBits
)

// growingBlock is how many entries a growing array gets at a time.
const growingBlock = 256

// maxIDBytes bounds one string id, so that a stringRef can hold it.
const maxIDBytes = 1 << 30

// idBatchLen is the number of ids mapped at a time: the scratch stays in a
// core's second-level cache.
const idBatchLen = 16 << 10

// lookahead is the number of strings of a batch that are looked up together: the
// loads of all of them are under way before the first is compared, since each
// is likely to miss the cache three times. With 2.4 million ids of 20 bytes
// that takes a third off a whole load. Integers, which miss once less, gain
// nothing by it.
const lookahead = 32

// frugalBytes is how much pairs take where their memory goes back to the system
// while rows fill: that costs 5% of the processor time of loading
// (two cores, bench/notes/loading.md), and smaller graphs have enough.
const frugalBytes = 256 << 20

// OrderAuto numbers by degree where the mean of the squared degree is at least
// skewed times the square of the mean degree, isolated vertices left out. That
// quotient says by how much more edges a vertex at the end of a random edge
// has than a random vertex: 1 for lattices, 1 to 1.2 for road networks and
// uniform random graphs, above 10 for most social networks and web graphs.
// If it is small, an order by degree loses the locality of neighbors without a gain.
const skewed = 4

// maxScratch bounds what is kept for each key: more searches than this at
// once are rare, and their workspaces go to the garbage collector.
const maxScratch = 16

// cutWork is the work of a range of Prepared.Cuts: as many in-edges and
// vertices as a worker pulls through in some tens of microseconds.
const cutWork = 1 << 16

const (
	insertionMax = looks.Insertion // rows up to this length: insertion sort
	togetherMax  = 1 << 15         // so many entries of longer ones are sorted together, 16 bytes each
	digitMax     = 11              // by so many bits of their targets at a time
	scratchMax   = 1 << 18         // longer rows are split in place first
)

// openParts is the number of parts of openRows.
const openParts = 128

// counterBlock is how many counters a block of counters has: 64 KiB.
const counterBlock = 1 << 14

// windows is how many steps permute takes, and what part of the graph it
// copies at a time. Its time grows with it, its memory shrinks.
const windows = 16

// patchWork is how many entries and vertices a worker copies at a time when a graph grows: 1 MB of targets, so
// that few of some hundred parts are left when the first worker has nothing to do.
const patchWork = 1 << 18

// pollItems is how many vertices a worker goes over before it looks at the context, which costs some 10 ns: each takes
// up to a microsecond or two.
const pollItems = 1 << 12

// pollEntries is the same for entries of rows, each of which takes up to a hundred nanoseconds.
const pollEntries = 1 << 15

// closeIDs: if the appended edges have more than 1/closeIDs of the graph's vertices, ids are merged. Otherwise each
// id is searched separately, which reads about ten of the graph's ids in sequence. mergedIDs is the number of ids
// that are loaded at a time: 4 KB.
const (
	closeIDs  = 16
	mergedIDs = 512
)

// shardUnit is what the number of vertices of a device is rounded up to: a line of the caches is
// a bit for each of 1,024.
const shardUnit = 1024

// shardPiece is how many targets of rows that are sharded the host fetches at a time, 16 MiB, of all devices, and
// shardReaders how many such pieces at the same time: enough that each device has one on the bus.
const (
	shardPiece   = 4 << 20
	shardReaders = 16
)

// readerLanes is the number of counters for lookups in a mapped graph. A shared counter costs 40 ns on two
// cores and more on each further core, a separate one 10. Goroutine stacks have 2 KiB or more
// (stackBits), and fibonacci spreads their addresses.
const (
	readerBits  = 5
	readerLanes = 1 << readerBits
	stackBits   = 11
	fibonacci   = 0x9E3779B97F4A7C15
)

// gatherBlock is how many entries of the rows a worker looks up in the columns of the input at a time: their places take
// 32 KiB. Not measured.
const gatherBlock = 4096

// contractRows and contractEdges are how many rows of a graph, and at most how many of their edges in a batch, a worker of
// Graph.Contract passes to the builder at a time. Not measured.
const (
	contractRows  = 4096
	contractEdges = 1 << 15
)

// contractColumn is how many entries of a column of the graph a chunk of Graph.Contract's has: their numbers in it have 32
// bits. Several are as fast as one.
const contractColumn = 1 << 30

// filterBlock is how many entries of the rows Graph.FilterEdges chooses among at a time, a multiple of 64: a block of
// values of 8 bytes takes 32 KiB. Not measured.
const filterBlock = 4096

// stringBytes is about what a string takes in a dictionary besides its bytes, which are there twice in the end: two
// headers, and slots of a map that grows.
const stringBytes = 96

// chunkColumnBytes is about what a column of a batch takes besides its values.
const chunkColumnBytes = 64

// columnCheckBytes is how much columns grow at least between two looks at the memory limit.
const columnCheckBytes = 4 << 20

// addedEntry is the tag of the entries of a graph that Append adds.
const addedEntry = 1 << 63

// searchVertexBytes and searchFixedBytes are what a direction-optimizing search in one kernel takes of a GPU's memory: two queues
// of 8 bytes a vertex, 17 bitmaps, depths or parents by vertex and by id with the order of ids, and codes of depths.
const (
	searchVertexBytes = 2*8 + 4 + 3*4 + 1
	searchFixedBytes  = 1 << 20
)

// A graph in tiers has near rows of at most mostPrefix entries. Hubs get what tuning.PrefixShare of the room leaves, unless
// the largest degree is at most evenDegrees times the mean. Not measured yet.
const (
	mostPrefix  = 1 << 10
	evenDegrees = 8
)

// A graph that is placed in tiers since it doesn't fit leaves 1/freeShare of the free memory, for kernels and what else the
// driver allocates.
const freeShare = 64
