// This file holds the numbers that PageRank is tuned by.

package pagerank

// Options have these for zeros: the damping of the paper, LDBC and networkx, and the tolerance and
// number of rounds of networkx.
const (
	defaultDamping    = 0.85
	defaultTolerance  = 1e-6
	defaultIterations = 100
)

// leastSingle is the least tolerance for which shares are float32, at a damping up to the default: their
// rounding alone moves ranks by up to 6e-8 in sum, each round.
const leastSingle = 1e-6

// Ranks of undirected graphs get momentum for eigenvalues up to the damping once a round changes slow times
// as much as the one before, or more. Before, rounds on the host have momentum for eigenvalues up to mixing.
// Where vertices have sparse edges or fewer in the mean, all rounds have the former.
//
// Rounds to 1e-4 and to 1e-6, counted on one core:
//
//	                                   kron16   urand16   road     small world   lattice
//	even at first, momentum if slow    8, 16    6, 10     16, 24   10, 18        7, 15
//	by strength, mixing first          6, 15    3, 6      12, 19   8, 16         7, 15
//	by strength, momentum at once      12, 20   7, 16     11, 19                 6, 14
const (
	slow   = 0.5
	mixing = 0.3
	sparse = 4
)

// Where vertices have more than skewed times the mean degree, and the tolerance is below coarse, ranks begin
// even: to 1e-6 kron20 takes 14 rounds that way and 17 by strength, to 1e-4 7 and 6.
const (
	skewed = 16
	coarse = 1e-5
)

// lookEvery is after how many rounds at most it is looked whether they have become slow.
const lookEvery = 4

// rounding is what Validate lets pass for rounding, relative.
const rounding = 1e-6

// smallestStrength and largestStrength are the sums of a vertex's weights between which shares may be
// float32. Ranks are 2^-33 or more but for a small damping or an odd personalization: divided by either
// they are normal numbers and finite.
const (
	smallestStrength = 1e-25
	largestStrength  = 1e25
)

// roundsAtOnce is how many rounds a kernel makes at most, whose factors are written before.
const roundsAtOnce = 1 << 10

// mostEach is how many personalizations RunEach takes: as many results as msbfs has lanes in a word. More fit memory, but a
// table of more columns serves no reader.
const mostEach = 64
