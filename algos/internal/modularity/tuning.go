// This file holds the numbers that the search for communities is tuned by.

package modularity

const (
	// A level's vertices are divided into fewParts parts, or manyParts if it has less than manyBelow vertices. Those of one part
	// decide at the same time: more parts find higher modularity, and take more steps.
	fewParts  = 8
	manyParts = 32
	manyBelow = 1 << 17
	// mostRounds is how often each vertex of a level may decide.
	mostRounds = 24
	// The rounds of a level end once fewer than 1 in settledFew vertices moves, or 1 in settledMany if there are manyParts. Few
	// rounds of a large level bring most of the rise.
	settledFew  = 100
	settledMany = 1000
	// A vertex decides again once 1 in wakeShare of its neighbors has moved: hubs, whose rows are long, seldom change their mind.
	wakeShare = 1024
	// pieceVertices and pieceEdges are the vertices and edges that a worker claims at once.
	pieceVertices = 1 << 9
	pieceEdges    = 1 << 14
	// The labels of a row of more than longRow entries are divided into spreads ranges, whose tables and totals stay in a cache.
	longRow    = 1 << 12
	spreads    = 1 << spreadBits
	spreadBits = 6
	// partEdges is how many edges of one community a worker takes, when edges between communities are added up.
	partEdges = 1 << 20
	// partsAtOnce is how many vertices of the next level a worker claims at once.
	partsAtOnce = 64
	// hashFactor is 2^32 divided by the golden ratio.
	hashFactor = 0x9e3779b1
)

const (
	// defaultRandomness is the randomness of Traag, Waltman and van Eck (2019). It multiplies the mean weight of an edge.
	defaultRandomness = 0.01
	// mostNoise is above the largest number that gumbel returns: -log(-log(1-2^-53)) is 36.7.
	mostNoise = 37
	// leastGain is the least gain of a move, as a part of the mean weight of an edge.
	leastGain = 1e-9
)

const (
	// mostLevels is far above the number of levels of any graph: each has at most as many vertices as the one before.
	mostLevels = 64
	// leastRise is the least rise of the modularity for which there is another level.
	leastRise = 1e-5
	// mostResolution keeps products of degrees finite.
	mostResolution = 1e9
)

const (
	// weightsAtOnce is how many weights a worker looks at at once.
	weightsAtOnce = 1 << 16
	// The largest weight is from leastLargest to mostLargest, so that its inverse and the sums of weights of usual graphs are finite.
	leastLargest = 1e-290
	mostLargest  = 1e302
	// mostWeightBits is the bits of the sum of all weights: sums of integers of 64 bits don't overflow.
	mostWeightBits = 61
)

// valueTolerance is how much the modularity may differ from the one by the definition: by rounding of weights and sums.
const valueTolerance = 1e-9
