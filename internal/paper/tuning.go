// This file holds the numbers that the measurements are tuned by.

package paper

// bandwidthBytes is the size of the copied array: more than caches have, far more where the graphs are large.
var bandwidthBytes = map[Scale]uint64{Small: 128 << 20, Medium: 512 << 20, Paper: 1 << 30}

const (
	bandwidthLeast = 1 << 20 // if memory is short
	bandwidthRuns  = 6       // the first one warms up, and the fastest of the others counts: the rate bounds others from above
	// perMachine is how many ranks that follow one another count as a machine.
	perMachine = 2
	// noDelegates is a threshold that no vertex exceeds: degrees have 32 bits.
	noDelegates = 1 << 40
	// mostRanks is the most ranks for scaling, which keeps the report short on large machines.
	mostRanks = 8
	// drawsEach is how many vertices are drawn for each source of a graph on GPUs: half of an R-MAT graph's have no edges.
	drawsEach = 100
	// bucketBits is the logarithm of how many times as large the frontiers of the next bucket are.
	bucketBits = 4
	// leastQuartiles is how many sources have quartiles that say more than the median.
	leastQuartiles = 4
)
