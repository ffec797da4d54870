// This file holds the numbers that peeling is tuned by.

package kcore

const (
	// reachEntries is for how many stages it is known which vertices have left before them by their
	// degree: kron24 has fewer than a thousand, few graphs more than this.
	reachEntries = 1 << 12
	// wideShare: frontiers of more than every wideShare-th vertex are wide, so that a graph has three
	// of them at most. Other shares weren't tried.
	wideShare = 4
	// meshDegree is the largest degree of graphs that are peeled stage by stage on a GPU, where each stage costs at least a
	// pass over the vertices. An H200 took 0.71 ms instead of 0.90 for a road network and 8.9 instead of 12.5 for a lattice.
	meshDegree = 16
	// countFactor: the remaining graph is counted again if it has fewer edges than countFactor times those
	// of a wide frontier. An H100 counts some 100 edges a nanosecond, and takes 35 away, by an atomic
	// operation each.
	countFactor = 2
)
