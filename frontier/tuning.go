// This file holds the numbers that frontiers are tuned by.

package frontier

// convertChunk is how many entries, or words of a bitmap, a worker claims.
const convertChunk = 1 << 10

// serialBelow is how many entries or words worker 0 converts by itself: less
// than the wake-up of the others costs.
const serialBelow = 2 * convertChunk
