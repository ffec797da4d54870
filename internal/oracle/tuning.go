// This file holds the numbers of the package.

package oracle

// lookEdges is after how many edges a search looks at its context: half a millisecond.
const lookEdges = 1 << 15
