// This file holds the numbers that searches are tuned by.

package sssp

// weightsEach is how many weights are worth a goroutine: some tens of microseconds.
const weightsEach = 1 << 16

// deltaEdges is how wide a stage is: in units of the mean weight, shared among the edges that
// lead on from a vertex. With weights from 1 to 255 on the 2 cores of bench/NOTES.md kron20 was
// fastest with stages of 8 to 16, urand20 with 4 to 8, road with 300 to 1,000.
const deltaEdges = 3

// byWeightDegree is the least mean degree of graphs whose rows are sorted by weight.
const byWeightDegree = 8

// sortVertices is how many vertices a goroutine takes at a time to sort their rows.
const sortVertices = 1 << 10

// pullCost is how much more an edge of a pull costs than one of a push.
const pullCost = 0.25

// sweeps is how many times a search pulls at most.
const sweeps = 8
