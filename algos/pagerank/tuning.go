// This file holds the numbers that PageRank is tuned by.

package pagerank

// Options have these for zeros: the damping of the paper, LDBC and networkx, and the tolerance and
// number of rounds of networkx.
const (
	Damping    = 0.85
	Tolerance  = 1e-6
	Iterations = 100
)

// leastSingle is the least tolerance for which shares are float32, at a damping up to the default: their
// rounding alone moves ranks by up to 6e-8 in sum, each round.
const leastSingle = 1e-6

// Ranks of undirected graphs get momentum for eigenvalues up to the damping once a round changes slow times
// as much as the one before, or more. On the host rounds before have momentum for eigenvalues up to mixing.
// Rounds to 1e-4 and to 1e-6, from ranks by strength; from even ones, with momentum from the third round on or
// not at all; and the best of 12 other combinations: kron16 6 and 15; 8 and 16; 6 and 13. urand16 4 and 6; 6
// and 10; 4 and 6. Road 12 and 19; 16 and 24; the same as the first. Small world 8 and 16; 10 and 18; 8 and
// 16. Lattice 7 and 15; 7 and 27; 6 and 15.
// From ranks by strength, where momentum for eigenvalues up to the damping begins with the first round, road
// takes 11 and 19, lattices 6 and 14: that is done where vertices have sparse edges or fewer in the mean.
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
// float32. Ranks are 2^-33 or more but for a small damping or an odd personalisation: divided by either
// they are normal numbers and finite.
const (
	smallestStrength = 1e-25
	largestStrength  = 1e25
)

// roundsAtOnce is how many rounds a kernel makes at most, whose factors are written before.
const roundsAtOnce = 1 << 10
