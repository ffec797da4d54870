// This file holds the numbers that similar is tuned by.

package similar

import "math"

const (
	// blockEntries is how many entries the tables of a block have at most, unless one source needs more: 12 bytes each. That
	// is 200 MB, which keeps some 10^5 threads of a GPU at work.
	blockEntries = 1 << 24
	// blockEdges is how many edges the sources of a block have at most, unless one has more: 8 bytes each.
	blockEdges = 1 << 22
	// blockBest is how many vertices a block keeps at most, unless one source needs more: 24 bytes each.
	blockBest = 1 << 22
	// blockPairs is how many pairs a block has: 32 bytes each.
	blockPairs = 1 << 20
	// pieceEntries is how many entries of a table a thread looks at: of a hub's table that is a small part.
	pieceEntries = 1 << 12
	// mostThreads is the number of threads that share a block. An H200 runs as many at a time.
	mostThreads = 1 << 18
	// validated is how many vertices Validate compares with the definition: each takes a pass over the edges of its neighbors.
	validated = 64
	// validatedEdges bounds the edges that it visits: some ten seconds.
	validatedEdges = 1 << 28
	// tiny is a cosine that products of integers may have rounded to 0.
	tiny = 1e-12

	// defaultK is what Options.K stands for if it is 0: a screenful.
	defaultK = 10
	// mostWeight is the largest weight: the squares of 2^32 such have a finite sum.
	mostWeight = 1e149
	// leastWeight is the least weight above 0: squares of smaller ones are 0, or lose digits.
	leastWeight = 1e-149
	// MostK is the most neighbors that are found for each vertex.
	MostK = 1 << 12

	noVertex   = math.MaxUint32
	hashFactor = 0x9e3779b1 // 2^32 divided by the golden ratio: Knuth, The Art of Computer Programming, volume 3, 6.4
	whole      = 1 << 60    // stands for 1 in products of weights; their sum is 1 at most
)
