// This file holds the numbers that the search for communities is tuned by.

package modularity

const (
	// A level's vertices are divided into manyParts parts, or fewParts if it has less than manyBelow vertices. Those of one part
	// decide at the same time: more parts find higher modularity, and take more steps. On kron16, 32 and 64 parts found
	// 0.0943 and 0.0946, if rounds ended at 1 in 100; on kron22, 32 parts took 7% less time than 64.
	fewParts  = 32
	manyParts = 64
	manyBelow = 1 << 14
	// mostRounds is how often each vertex of a level may decide.
	mostRounds = 24
	// The rounds of a level end once fewer than 1 in settledMany vertices moves, or 1 in settledFew if it has less than
	// settledBelow. Few rounds of a large level bring most of the rise: 1 in 20, 100 and 1000 found 0.0683, 0.0692 and 0.0694 on kron22, in 3.5, 4.3
	// and 5.1 s.
	settledFew   = 1000
	settledMany  = 100
	settledBelow = 1 << 17
	// A vertex decides again once 1 in wakeShare of its neighbors has moved: hubs, whose rows are long, seldom change their mind.
	wakeShare = 1024
	// pieceVertices and pieceEdges are the vertices and edges that a worker claims at once. groupVertices is how many are divided
	// into parts at once, turnVertices and turnEdges how many vertices of a part a worker claims at once, or with how many edges.
	pieceVertices = 1 << 9
	pieceEdges    = 1 << 14
	groupVertices = 1 << 14
	turnVertices  = 1 << 8
	turnEdges     = 1 << 12
	// fewMoves is how many moves one worker carries out alone.
	fewMoves = 32
	// partEdges is how many edges of one community a worker takes, when edges between communities are added up.
	partEdges = 1 << 20
	// The workers' arrays by label take denseShare bytes for each entry of the rows at most, or denseLeast if that is more.
	denseShare = 12
	denseLeast = 1 << 26
	// shortRow is the longest row whose labels are totaled in a table, which stays in the first-level cache.
	shortRow = 16
	// maxNarrow is the most entries whose number is in 32 bits.
	maxNarrow = 1<<32 - 1
	// hashFactor is 2^32 divided by the golden ratio.
	hashFactor = 0x9e3779b1
)

const (
	// defaultRandomness multiplies the mean weight of an edge. With 0.01, as Traag, Waltman and van Eck (2019) have it, parts of
	// graphs without clear communities are drawn nearly evenly, and the modularity of kron16 falls by 1%.
	defaultRandomness = 1e-4
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
