// This file holds the numbers that frontiers are tuned by.

package frontier

// convertChunk is how many entries, or words of a bitmap, a worker claims.
const convertChunk = 1 << 10

// serialBelow is the number of entries or words below which worker 0 converts
// alone: that takes less time than waking the others.
const serialBelow = 2 * convertChunk
