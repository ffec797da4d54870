// This file holds the numbers that the strategies are tuned by, each with where
// it comes from. The device's own stand in choose.cuh.

package intersect

const (
	// chunkEdges is how many edges a worker of the host claims at once: with
	// degrees of 16 some tens of microseconds, a thousand times the claim.
	chunkEdges = 512
	// tile is how many common neighbors a functor gets at most, and tilePairs
	// how many pairs: 8 KiB and 16 KiB, in the first-level cache with the rows.
	tile      = 1 << 11
	tilePairs = 1 << 9
	// flushAt is from how many common neighbors on a tile is passed on: what is
	// left has room for a piece of the next pair.
	flushAt = tile / 2

	// tableRow is the shortest row that the host makes a bitmap of, and tablePairs
	// for how few edges: setting and clearing an entry cost about as much as two
	// steps of a merge. On kron14, urand14 and urand20 the table beat the merge
	// for all rows, by 1.7 to 8 times (bench/notes/operators.md).
	tableRow   = 8
	tablePairs = 3
	// mergeStep, searchStep and tableStep are what a step of each takes on the
	// host, as a ratio: about 1 ns an entry merged without branches, 5 ns a step
	// of a search, whose branches are mispredicted, 0.8 ns an entry looked up in a
	// bitmap. On kron14 40, 60 and 90 for a search make no difference that is more
	// than the noise; 25 takes up to 1.7 times as long.
	mergeStep  = 10
	searchStep = 50
	tableStep  = 8

	// deviceRow is kTableRow of choose.cuh: the shortest row that a GPU makes
	// tables of. devicePart is kPart of table.cuh: entries of a table.
	deviceRow  = 128
	devicePart = 1 << 11
)

const (
	// mostHubs is how many vertices of the highest degrees get a bit row on the host: 64 MiB
	// for 2^15 of them. Counting kron20 took 3.6 s of processor time with 2^12, 1.7 s with
	// 2^14, 1.56 s with 2^15, 1.49 s with 2^16 and four times the memory.
	mostHubs = 1 << 15
	// hubSparse: bit rows have at most so many words for each entry. Of sparser rows the words
	// that are 0 cost more memory than the list would.
	hubSparse = 8
	// ranksAtOnce is how many vertices a worker claims at once: with rows of 16 some tens of
	// microseconds, with the longest rows of kron20 some milliseconds.
	ranksAtOnce = 64
	// lookHubs: after so many bit rows of hubs it is looked whether the run was canceled. Each has a few
	// hundred entries and takes up to 4 KiB, some microseconds.
	lookHubs = 64
	// adviseWords is for how much memory huge pages are asked for between two looks: 16 MiB, some 10 ms.
	adviseWords = 1 << 21
	// filterBits is the size of a filter by the lower bits of a vertex, 4 KiB, which stays in
	// the first-level cache where the bitmap of all vertices doesn't. On urand20 16 of 32,768
	// bits are set, so that nearly no entry reaches the bitmap.
	filterBits = 1 << 15
)

const (
	// triangleBlock is FORAY_BLOCK of triangles.cu, and devicePartRow kRowPart of oriented.cuh.
	triangleBlock = 128
	devicePartRow = 512
	// mostHubBytes is what the bit rows of hubs take at most on a GPU. deviceSparse: they have at most so many
	// words of 32 bits for each entry. On an H200 kron22 was fastest with 2^16 of 2^15 to 2^18 hubs, where there
	// are 2.8, and slower with 2^17 and 7.7; kron24 with 2^17 (3.4 and 1 GiB) than with 2^18 (9.2).
	mostHubBytes = 1 << 30
	deviceSparse = 4
	// degreeClasses is kDegrees of ranked.cuh.
	degreeClasses = 26 << 7
)
