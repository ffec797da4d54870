// This file holds the numbers that searches are tuned by.

package sssp

// weightsEach is how many weights are worth a goroutine: some tens of microseconds.
const weightsEach = 1 << 16

// The width of a stage is deltaWidth mean weights, divided by the power deltaPower of the number of
// edges that lead on from a vertex, on the mean. That is 5 for kron20, 10 for urand20 and 1,000 for
// road, with weights from 1 to 255. On the 2 cores of bench/NOTES.md stages of 4 to 16, of 4 to 12
// and of 500 to 1,000 took about the same time there, and others longer.
const (
	deltaWidth = 13
	deltaPower = 1.5
)

// sortVertices is how many vertices a goroutine takes at a time to sort their rows.
const sortVertices = 1 << 10

// pullCost is what an edge of a pull costs, where one of a push costs 1: 9 and 48 ns on a machine
// that was busy (bench/NOTES.md). From 0.06 to 1 the time of kron20 and urand20 hardly changed.
const pullCost = 0.25

// sweeps is how many times a search pulls at most: 3 do on kron20 and urand20, and a long tail of
// the graph would take one for each edge of it.
const sweeps = 8
