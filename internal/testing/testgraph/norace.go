//go:build !race

package testgraph

// Race says that the race detector is on, which makes tests some twenty times
// slower: they then try fewer combinations.
const Race = false
