// This file holds the numbers that decide how reading is spread over workers.

package dataset

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

// equalityRows is how many rows of equality deletes are read at a time.
const equalityRows = 128

// lookRows is how many ids are sought between two looks at the context, each of which may take a microsecond.
const lookRows = 1 << 12

// samplePieces is how many pieces of sampleBytes are hashed of an Arrow file in addition to its metadata: files of
// different ids are told apart, and it is little even of an object in a store.
const (
	samplePieces = 4
	sampleBytes  = 4 << 10
)
