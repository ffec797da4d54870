// This file holds the numbers that searches are tuned by.

package sssp

// weightsEach is how many weights are worth a goroutine: some tens of microseconds.
const weightsEach = 1 << 16

// deltaEdges is how wide a stage is: in units of the mean weight, shared among the edges that
// lead on from a vertex. With weights from 1 to 255 on the 2 cores of bench/NOTES.md kron20 was
// fastest with stages of 8 to 16, urand20 with 4 to 8, road with 300 to 1,000.
const deltaEdges = 3
