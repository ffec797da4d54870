// This file holds the numbers that searches of many sources are tuned by.

package lanes

// MostLanes is how many sources can be searched from at once: a line of a cache for a vertex.
const MostLanes = 512

const (
	// WordLanes is how many lanes a word has.
	WordLanes = 64
	// wordsAtOnce is how many words a wide pull gathers at once: what uses more than one word has a
	// multiple of them.
	wordsAtOnce = 4
	// pullFactor: a level is pulled when the edges out of the frontier, times this, are more than
	// those into vertices that some lane hasn't seen, and pullVertex for every vertex of the graph,
	// all of which a pull goes through. 2, 4 and 16 differed little (bench/notes/algorithms-host.md). Without
	// pullVertex deep graphs were pulled in their last thousand levels, 20 times slower.
	pullFactor = 4
	pullVertex = 2
	// pieceShare: a GPU lists pieces of long rows in one entry for every pieceShare vertices, and reads rows that find no
	// room in one piece.
	pieceShare = 8
	// tallyLength is how many vertices' words are counted in one go: a multiple of 8, which 11 bits hold.
	tallyLength = 1<<11 - 8
	// copies of the counters of lanes, so that workers seldom add to the same one.
	copies = 16
	// wideFor: on a GPU 256 lanes search in that many times what 64 take, 2.9 to 3.4 (bench/notes/algorithms-gpu.md).
	wideFor = 3.3
	// wideShare: FastLanes leaves the rest of a GPU's memory to others: no measurement.
	wideShare = 8
)

// ReachMemory is what Reach holds for each vertex in addition to Memory: where its pairs begin.
const ReachMemory = 4
