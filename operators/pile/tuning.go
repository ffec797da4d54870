// This file holds the numbers that piles are tuned by.

package pile

// blocks is how many blocks go through a pile, whose length the host doesn't know.
const blocks = 1 << 10

// refillChunk is how many vertices of a pile a worker of the host asks at a time: some
// microseconds.
const refillChunk = 1 << 10
