// This file holds the numbers that decide how reading is spread over workers.

package arrow

// bytesPerWorker is how much a dataset has for each worker beyond the first.
// Less isn't worth a goroutine; and it bounds what the workers' batches take
// by the size of the files.
const bytesPerWorker = 256 << 10

// What a worker holds while it reads: pages and a batch or two of integers, or of strings, of which
// a batch's columns take 2 MB each and as much again where they are joined. A limit of memory leaves
// workers out before they take more than one part in readShare of it.
const (
	integerWorker = 4 << 20
	stringWorker  = 12 << 20
	readShare     = 4
)

// opensAtOnce is how many files are opened at once: objects take a tenth of a
// second each, of which the most is waiting.
const opensAtOnce = 16

// tailBytes is how much of an object's end is fetched when it is opened:
// the footers of most files of Parquet and Arrow, and no more than some
// milliseconds of what one request gets.
const tailBytes = 256 << 10

// probeAfter is after how many keys of a listing a store is asked whether the prefix is
// that of a table, whose data files needn't be listed: a page, so that short listings
// take no more requests than before.
const probeAfter = 1000

// equalityRows is how many rows of equality deletes are read at a time.
const equalityRows = 128

// nearBytes is how much is fetched at least of what isn't at an end: the
// headers of messages lie side by side in streams of small batches.
const nearBytes = 64 << 10

// checkBlock is how many bytes are hashed at a time, and then looked at: small
// enough to be in the L2 cache still, also where threads share it. It is part of
// the format: an array's checksum is the XXH3 (64 bits) of those of its blocks,
// little-endian one after the other.
const checkBlock = 64 << 10

// lookRows is how many ids are sought between two looks at the context, each of which may take a microsecond.
const lookRows = 1 << 12

// readChunk is how much of a file is read at a time, between two looks at the
// context: with the pages that it touches first, a millisecond.
const readChunk = 1 << 20

// samples is how many pieces of sampleBytes are hashed of an Arrow file beside its metadata: files of
// different ids are told apart, and it is little even of an object in a store.
const (
	samples     = 4
	sampleBytes = 4 << 10
)
