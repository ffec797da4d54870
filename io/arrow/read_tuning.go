// This file holds the numbers that decide how reading is spread over workers.

package arrow

// bytesPerWorker is how much a dataset has for each worker beyond the first.
// Less isn't worth a goroutine; and it bounds what the workers' batches take
// by the size of the files.
const bytesPerWorker = 256 << 10

// opensAtOnce is how many files are opened at once: objects take a tenth of a
// second each, of which the most is waiting.
const opensAtOnce = 16
