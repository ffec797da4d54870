// This file holds the numbers that searches of many sources are tuned by.

package msbfs

// pollItems is how many vertices Each goes over on the host before it looks at the context; from
// sortedVertices of them on, a bitmap puts them in order instead of a sort, which can't be interrupted.
const (
	pollItems      = 1 << 12
	sortedVertices = 1 << 12
)

// MostLanes is how many sources can be searched from at once: a line of a cache for a vertex.
const MostLanes = 512

const (
	// wordLanes is how many lanes a word has.
	wordLanes = 64
	// wordsAtOnce is how many words a wide pull gathers at once: what uses more than one word has a
	// multiple of them.
	wordsAtOnce = 4
	// pullFactor: a level is pulled when the edges out of the frontier, times this, are more than
	// those into vertices that some lane hasn't seen, and pullVertex for every vertex of the graph,
	// all of which a pull goes through. 2, 4 and 16 differed little (bench/notes/algorithms-host.md). Without
	// pullVertex deep graphs were pulled in their last thousand levels, 20 times slower.
	pullFactor = 4
	pullVertex = 2
	// tallyLength is how many vertices' words are counted in one go: a multiple of 8, which 11 bits hold.
	tallyLength = 1<<11 - 8
	// copies of the counters of lanes, so that workers seldom add to the same one.
	copies = 16
	// wideFor: on a GPU 256 lanes search in that many times what 64 take, 2.9 to 3.4 (bench/notes/algorithms-gpu.md).
	wideFor = 3.3
	// wideShare: FastLanes leaves the rest of a GPU's memory to others: no measurement.
	wideShare = 8
	// eachBytes is the memory of Each for vertices reached: not measured, but little compared with a
	// graph of which 64 searches fill it.
	eachBytes = 1 << 30
)
