// This file holds the numbers of the package and their sources.

package engine

import "time"

// Auto, as a threshold, has it chosen.
const Auto = -1

const (
	// batchBytes is what an edge takes on its way, read and in lists of its owners, and
	// batchCopies the assumed number of such lists: they have room to grow, and are sent from
	// copies. batchesAtOnce are under way: one is sent while the next one is read. blockBytes is an edge's size in a block
	// that was read.
	batchBytes    = 64
	batchCopies   = 4
	batchesAtOnce = 2
	blockBytes    = 2*8 + 2*8
	// idShards is into how many tables ids are put while they are collected, so that
	// workers don't meet.
	idShardBits = 6
	idShards    = 1 << idShardBits
	// shardSalt makes the shard independent of the home and of the slot.
	shardSalt = 0x9e3779b97f4a7c15

	// Lists on their way are kept in chunks of leastChunk to mostChunk numbers, such that the chunks that a worker
	// begins have chunksNumbers in all. Messages are made a messageSlack-th longer than the first one is, since lists of
	// batches differ in length.
	chunksNumbers = 1 << 18
	leastChunk    = 64
	mostChunk     = 1 << 12
	messageSlack  = 16
	// sortParts is into how many parts for each worker a list is divided to be sorted, so that workers end together, and
	// sortSample how many items are looked at for each part.
	sortParts  = 8
	sortSample = 32
	// routeBits is how many lists, by power of two, a worker has for all ranks together while it counts: as many as a
	// second-level cache has lines for.
	routeBits = 12
	// maxBuckets is how many buckets there are at most, as many as a processor has entries of its table of pages. A row
	// weighs as much as an entry in rowWeighs.
	maxBuckets = 2048
	rowWeighs  = 4
	// flushEntries are written to a bucket at once: four to six lines of a cache.
	flushEntries = 32
	// releaseBytes: lists of pairs of that size or more are freed while rows are made from them.
	releaseBytes = 4 << 20

	// The memory of a directed edge in bytes, on its way and in its row: of an nn edge, and of any
	// other edge.
	farPairBytes = 12
	farBytes     = 8
	pairBytes    = 8
	nearBytes    = 4
	// Memory per vertex: an offset; the state of a search, with parents; the id and
	// the memory for sorting it; its degree. Per delegate: its id and bitmaps.
	offsetBytes   = 8
	stateBytes    = 4 + 8 + 8 + 4
	idBytes       = 8
	sortBytes     = 24
	degreeBytes   = 4
	delegateBytes = 8 + 8 + 1
	// orderBytes is the additional memory of a vertex for searches on GPUs: its place in the order there, and the inverse.
	orderBytes = 4 + 4
	// markBytes is what 64 vertices take of a bitmap of delegates, with counts.
	markBytes = 16

	// levelsReckoned is how many levels of a search find delegates: of R-MAT graphs 5 to 7.
	levelsReckoned = 6.0
	// delegateTouched is how many bytes of its arrays a search reads per delegate,
	// on each rank, and sendingDearer how many times longer a byte takes to send than
	// to read. Estimated, not measured: bench/notes/processes.md has the thresholds that follow.
	delegateTouched = 40.0
	sendingDearer   = 10.0
	// delegateOnGPU is how many entries of nn of each rank take as long on GPUs as a delegate. kron26 on two H200 took
	// 0.841 ms with 8.4 million delegates and 2 million such entries, 0.726 with 2.7 and 20, 0.861 with 0.3 and 198, 1.18
	// with 0 and 1,052.
	delegateOnGPU = 30.0
)

// On GPUs.
const (
	// strideUnit is the unit of the number of normal vertices per rank: 16 bytes of a bitmap.
	strideUnit = 128
	// rowsPad is how many words more rows have, since pulls read 16 bytes at a time.
	rowsPad = 4
	// earlyBlocks is how many blocks take the lists that come with a header, which are short.
	earlyBlocks = 32
	// patience is how long a kernel waits for other ranks. The host ends it sooner: 7 s after the last progress.
	patience = 30 * time.Second
	// sourcesRoom is for how many sources and targets there is memory at first.
	sourcesRoom = 1024
	// looksPerQuery is how many times a rank polls for a header before it queries the driver for a failure of the GPU, which
	// takes as long as some polls.
	looksPerQuery = 256
	// maxBlocks is more than any GPU runs at once.
	maxBlocks = 1 << 20

	// Pulls begin when pushes would visit factorGPU times as many edges as there are unvisited vertices. They continue
	// while the found vertices have stayPulling times as many edges, by the mean, as unvisited vertices, or
	// fewer than one vertex in fewLeft is unvisited: as in the search on one machine (algos/dobfs).
	factorGPU   = 1.0
	stayPulling = 4.0
	fewLeft     = 8.0
	// gathersReckoned is the assumed number of levels that gather bitmaps of normal vertices. gatherCheaper is how many times
	// as many bytes they may have as all targets of nn: kron26 on two H200 took 0.75 ms, and 4.75 when the 20 million
	// entries of nn of each were pushed, 0.2 ns each, a time in which 10 bytes come over a network of 50 GB/s and 60 over
	// NVLink. On up to 8 GPUs with kron26 each, bitmaps are gathered, on 128 they aren't.
	gathersReckoned = 3
	gatherCheaper   = 8.0
	// fewToTell is how many times as much as a message has room for a level may have found for the next one to be
	// expected to find what fits: levels of R-MAT graphs find a thirtieth to a three hundredth of the one before,
	// once pulls are under way.
	fewToTell = 64
	// muchOfAll and muchOfRoom: a push over more than one edge per so many vertices, or over so many times as many edges as a
	// message has room for vertices, is expected to find more than messages have room for. A wrong guess costs a second
	// exchange after all found vertices were listed: kron27 on two H200 took 0.2 ms more from a source whose second
	// level had 3.3 million edges.
	muchOfAll  = 16.0
	muchOfRoom = 4.0
)

const (
	// madeFixed is more than making takes whatever the graph: tables of a generator, counters, sums.
	madeFixed = 16 << 20
	// madeRowBytes is the memory of a row while it is made: beginnings of 8 bytes, counts, lengths, offsets and a copy of
	// these, and a share of lists of long rows.
	madeRowBytes = 8 + 4*4 + 8
	// entriesEach is how many entries a thread moves at a time (kEntriesEach).
	entriesEach = 8
)

const (
	// A subgraph is pulled if pushes visit more than that many times as many edges
	// as pulls are estimated to visit. Not tuned: bench/notes/processes.md compares with pushes alone.
	factorND = 1.0
	factorDD = 1.0
	factorDN = 1.0
)

// callsOnly has ranks exchange by NCCL alone. Tests and benchmarks set it.
var callsOnly bool

// Tests make them smaller.
var (
	// planes is how many bitmaps of levels there are: R-MAT graphs have up to 8 levels. More levels take turns. At least 3.
	planes = 10
	// sortAtOnce is how many items one worker sorts in one go, which takes it a twentieth of a second.
	sortAtOnce = 1 << 18
	// radixLeast is from how many targets on a row is sorted by digits.
	radixLeast = 64
	// fineRows is how many of the first rows are counted one by one before rows are made, and coarseRows
	// the number of counts for the other rows: a worker's counts fit into its second-level cache. Delegates
	// come in the order of their degrees, so that the first rows are the long ones.
	fineRows   uint32 = 1 << 14
	coarseRows uint32 = 1 << 15
	// bucketEntries is how many entries a bucket of rows has, of 8 bytes, where few buckets do: they fit into a
	// second-level cache.
	bucketEntries uint64 = 1 << 16
	// briefDelegates and briefNormals are how many vertices go with a level's header between GPUs: 80 KB, which NCCL
	// gathers from 4 H200 in 28 us, and 64 bytes in 24.
	briefDelegates uint32 = 4096
	briefNormals   uint32 = 16384
	// batchEdges is about how many edges a rank reads before they are sent on: 4 to 12
	// MB a rank, above the 4 MB from which Pan et al. found messages fast.
	// Each worker reads a block at least, so that with many there are more.
	batchEdges = 1 << 19
	// madeAtOnce is how many edges a GPU makes at a time: pairs of 512 MB.
	madeAtOnce uint64 = 1 << 26
	// tileEdges and tileRows are how many edges or rows a worker takes at a time.
	tileEdges = 1 << 14
	tileRows  = 1 << 10
	// tilePush is how many normal vertices of a frontier a worker takes at a time: each
	// has at most as many edges as the threshold.
	tilePush = 256
	// tileWords is how many words of a bitmap a worker pulls for at a time.
	tileWords = 64
)
