// This file holds the numbers that PageRank is tuned by.

package pagerank

// Options have these for zeros: the damping of the paper, LDBC and networkx, and the tolerance and
// number of rounds of networkx.
const (
	Damping    = 0.85
	Tolerance  = 1e-6
	Iterations = 100
)

// leastSingle is the least tolerance for which shares are float32: their rounding alone moves
// ranks by up to 6e-8 in sum, each round.
const leastSingle = 1e-6

// slow is the ratio of two rounds' changes from which on an undirected graph's ranks
// converge slowly enough for momentum to pay. The second round of kron20 and urand20 changes 0.17
// of the first, of road 0.6; to 1e-4 momentum takes road from 36 rounds to 17, but urand20
// from 6 to 8 and kron20 from 8 to 12.
const slow = 0.5

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
