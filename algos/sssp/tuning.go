// This file holds the numbers that searches are tuned by.

package sssp

// weightsEach is how many weights are worth a goroutine: some tens of microseconds.
const weightsEach = 1 << 16

// The width of a stage is deltaWidth mean weights, divided by the power deltaPower of the number of
// edges that lead on from a vertex, on the mean. That is 5 for kron20, 10 for urand20 and 1,000 for
// road, with weights from 1 to 255. On the 2 cores of bench/notes/algorithms-host.md stages of 4 to 16, of 4 to 12
// and of 500 to 1,000 took about the same time there, and others longer.
//
// On a GPU windows are deltaWindow times as wide: fewer rounds count for more there than edges that
// are relaxed twice. On an H200 kron22 took 2.60, 1.99, 1.98 and 2.67 ms with 4, 8, 16 and 32, urand22
// 4.7, 3.6, 3.5, 3.9 and 5.1 with 8, 16, 32, 44 and 88. So are stages over short rows, deltaAhead
// times, where blocks run ahead of one another: road has 2,729 rounds of one block after the other
// with 1,000, 2,084 with 5,000, 2,007 with 9,000, and 1.2, 1.9 and 2.5 visits of each vertex; it took 8.2,
// 7.3 and 6.9 ms with 3,000, 6,000 and 12,000.
//
// On several GPUs with a kernel on each they are deltaTogether times as wide, until few edges are left. On two H200 kron25
// took 25.8, 17.4, 26.6 and 28.6 ms with 1, 3, 10 and 30, kron24 13.2, 12.6 and 14.2 with 1, 3 and 10. Level by level they
// are deltaShards
// times as wide, since a round takes a few launches on each of them. On two H200
// kron24 took 28.9, 19.1 and 15.2 ms with 3, 9 and 30, kron26 81.8, 57.9 and 50.2; wider ones, other graphs and four
// were not tried.
//
// On the host stages over short rows are deltaAsync times as wide where there are no rounds: with 16 workers road took
// 34, 32, 32 and 39 ms with 350, 700, 1,500 and 3,000, grid2d 40, 40, 47 and 63 with 350, 700, 1,500 and 3,000
// (bench/notes/sssp-host.md). In rounds they are wider the more workers there are, by the square root, so that each
// of them has something: road took 226 ms with 700 and 240 with 1,000 with one worker, 136 and 137 with two, and 85,
// 65 and 61 ms with 1,000, 2,000 and 3,000 with 16.
//
// On the host stages of skewed graphs are a third as wide if weights may be much lighter than that, by fineUnits
// times at least: a vertex of many edges has some that are, by which most shortest paths go. kron18 with fractions as
// weights took 92, 77, 67 and 90 ms with stages as wide as said above, a half, a quarter and an eighth, kron16 19, 14
// and 17 with the first three. With weights from 1 to 255, kron18 took 48, 58 and 74.
const (
	deltaWidth    = 13
	deltaFine     = 1.0 / 3
	fineUnits     = 64
	deltaPower    = 1.5
	deltaAsync    = 0.7
	deltaWindow   = 3
	deltaAhead    = 12
	deltaShards   = 30
	deltaTogether = 3
)

// fewEdges is after how many edges of mean weight distances of float32 may no longer be exact, where no search in
// float32 is tried: shortest paths take light edges, but hardly any graph has only shorter ones.
const fewEdges = 2

// sortVertices is how many vertices a goroutine takes at a time to sort their rows.
const sortVertices = 1 << 10

// lookEdges is after how many edges such a goroutine looks whether it was canceled: sorting them takes some 2 ms.
const lookEdges = 1 << 14

// pullCost is what an edge of a pull costs, where one of a push costs 1: 9 and 48 ns on a machine
// that was busy (bench/notes/algorithms-host.md). From 0.06 to 1 the time of kron20 and urand20 hardly changed.
const pullCost = 0.25

// windowsPullCost is what an edge of a pull costs in the kernel over rows in any order, where a push costs 1.
const windowsPullCost = 1

// windowsRounds is after how many rounds behind the sweeps that kernel leaves the rest to piles, which push in order of distance.
// kron22 and urand22 take 2 to 6.
const windowsRounds = 64

// sweeps is how many times a search pulls at most: 3 do on kron20 and urand20, and a long tail of
// the graph would take one for each edge of it.
const sweeps = 8

// lookWeights is after how many weights, of a nanosecond or two, a goroutine looks whether it was canceled.
const lookWeights = 1 << 18

// mostOf: a search counts as one of the whole graph if it reaches so large a part of the vertices. Half of kron24's
// have no edge.
const mostOf = 4

// digitRow is up to how many edges of a row are sorted by the digits of weights, which takes some ms without a look at the
// context. kron18 took 287 to 404 ms by digits and 549 to 833 by comparisons on one processor of a busy EPYC.
const digitRow = 1 << 20
