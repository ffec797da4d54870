// This file holds the numbers that reading and writing text are tuned by.

package edgelist

// Text.
const (
	// chunkBytes is the text that a worker gets at a time: small enough to stay
	// in its cache between the reader and the parser, large enough that handing
	// it over doesn't count.
	chunkBytes = 256 << 10
	// leastBuffer is the buffer of the smallest file.
	leastBuffer = 4 << 10
	// maxLineBytes bounds the memory that a file without line ends takes.
	maxLineBytes = 1 << 20
	// metisLine is the same for METIS, whose line has all neighbors of a vertex:
	// some 14 million.
	metisLine = 128 << 20
	// maxJSONDepth bounds how deep members are nested that aren't looked at.
	maxJSONDepth = 1000
	// batchEdges is the length of batches: 1 MiB of ids. The first one of a worker has firstBatch edges,
	// and each is twice as long as the one before, so that a small file takes little memory.
	batchEdges = 1 << 16
	firstBatch = 1 << 10
	// batchBytes bounds the bytes of string ids in a batch (one edge excepted).
	batchBytes = 4 << 20
	// workerBytes is what a worker holds: chunks, and batches of ids that grow by doubling. A limit of
	// memory leaves workers out before they take more than one part in readShare of it.
	workerBytes = 8 << 20
	readShare   = 4
	// maxExpansion is how many bytes may come of each of a compressed input. Deflate
	// reaches 1,030 times, Zstandard more than 10,000, and edges that repeat a good
	// deal some 200. expandsFreely come in any case: they take about a second.
	maxExpansion  = 500
	expandsFreely = 256 << 20
	// declaredFreely vertices may be declared by a file without an entry, which makes a
	// graph of some 200 MB, and verticesPerEntry more by each entry: real matrices have
	// fewer than ten.
	declaredFreely   = 1 << 24
	verticesPerEntry = 64
	// zerosAtOnce is how many buffers of zeros behind a gzip stream are skipped before
	// canceling is looked for: 4 MiB.
	zerosAtOnce = 64
	// zstdWindow is the largest window accepted, what the zstd tool accepts
	// by default and what its -19 --long makes.
	zstdWindow = 128 << 20
)

// lookRows is how many vertices are sought before canceling is looked for: some hundred microseconds.
const lookRows = 1 << 10

// Columns of edges. Times and decimals have at most so many bytes, and decimals a scale of maxScale.
const (
	maxTimeBytes    = 40
	maxDecimalBytes = 64
	maxScale        = 38
)

// Serialized graphs. sgHead is the length of their header, binHead that of a .bin file.
const (
	sgHead  = 17
	binHead = 24
	// sgBlock is what is read at a time, a multiple of all item sizes.
	sgBlock = 256 << 10
	// sgTrust is the number of items allocated before any is seen, where the
	// length of the input is unknown.
	sgTrust = 1 << 16
)

// flushBytes is what writers gather before they write.
const flushBytes = 256 << 10
