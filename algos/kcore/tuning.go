// This file holds the numbers that core numbers on a GPU are tuned by. bench/notes/algorithms-gpu.md has the
// measurements.

package kcore

const (
	// reachEntries is for how many stages it is known which vertices have left before them by their
	// degree: kron24 has fewer than a thousand, few graphs more than this.
	reachEntries = 1 << 12
	// wideShare: frontiers of more than every wideShare-th vertex are wide, so that a graph has three
	// of them at most. Other shares weren't tried.
	wideShare = 4
	// countFactor: the remaining graph is counted again if it has fewer edges than countFactor times those
	// of a wide frontier. An H100 counts some 100 edges a nanosecond, and takes 35 away, by an atomic
	// operation each.
	countFactor = 2
)
