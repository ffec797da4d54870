// This file holds the numbers that the switch of directions is tuned by.

package dobfs

// The factors of the switch. Beamer et al. have 14 and 24, GAP 15 and 18; on
// the host a push costs an atomic operation for every vertex that it finds and
// a pull's first probe costs next to nothing. See bench/notes/search-host.md.
const (
	defaultAlpha = 15
	defaultBeta  = 18
)

// sampleVertices is how many vertices of a frontier the number of its edges is
// estimated from; a smaller frontier is counted. 1,000 of a skewed frontier
// give its edges to within a few tens of per cent, and the switch is flat
// within a factor of two (see bench/notes/search-host.md).
const sampleVertices = 1 << 10

// The cost of a pull compared with the edges that a push would look at: a
// candidate's first probe comes from an array in order, a word of the bitmap
// stands for 64 vertices and is skipped in a few instructions.
const (
	probesPerEdge = 2
	wordsPerEdge  = 256
)
