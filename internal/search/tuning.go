// This file holds the numbers that were chosen.

package search

// Statistics keep singleLevels levels one by one, more than any search of a graph with
// short paths has, and road networks of a state's size. Up to mostLevels entries are
// kept in all, 256 KB: enough to draw by.
const (
	singleLevels = 2048
	mostLevels   = 4096
)

// notesAtOnce is how many notes on levels a GPU's search copies to the host at a time:
// 512 KB.
const notesAtOnce = 1 << 14

// What an edge costs that is pushed before a pull, in probes of the pull: 12.5 ps by 10
// for depths on an H200, and more where it writes a parent at random. See
// tuning.PushCostFar for parents that don't fit the L2 cache.
const (
	pushCost       = 1.25
	pushCostParent = 6
)
