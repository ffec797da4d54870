// This file holds the numbers that searches of many sources are tuned by.

package msbfs

const (
	// laneCount is how many lanes a word has.
	laneCount = 64
	// pullFactor: a level is pulled when the edges out of the frontier, times this, are more than
	// those into vertices that some lane hasn't seen, and pullVertex for every vertex of the graph,
	// all of which a pull goes through. 2, 4 and 16 differed little (bench/NOTES.md). Without
	// pullVertex deep graphs were pulled in their last thousand levels, 20 times slower.
	pullFactor = 4
	pullVertex = 2
	// copies of the counters of lanes, so that workers seldom add to the same one.
	copies = 16
	// block is how many vertices' words are counted in one go: one less than 2^11, which 11 bits
	// hold.
	block = 1<<11 - 1
)
