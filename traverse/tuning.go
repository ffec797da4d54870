// This file holds the numbers that traversals are tuned by, and the bounds on what they keep.

package traverse

// streamBytes is what a GPU's stream and the notes on levels hold, whatever the graph.
const streamBytes = 4 << 20

// shortRows is the largest degree of graphs on which a few lanes take a row (push_flat).
const shortRows = 16

// fewBlocks is the largest degree of graphs on which a block a multiprocessor does: their
// frontiers are small, and a level costs little but the barrier, which more blocks make
// dearer.
const fewBlocks = 32

// mostFrontiers is how many frontiers a space keeps for the next traversal.
const mostFrontiers = 8

// One cluster of blocks takes a traversal over while its frontier has fewer vertices than
// clusterEnter, and until it has more than clusterLeave: less than a search's (tuning.DeepEnter),
// since functors wait for loads of their own and inboxes have half as many entries. Where these
// are full a level takes up to 130 µs instead of the whole grid's 6, on a road network from
// some 2,000 vertices on (bench/NOTES.md). There, on an H200, breadth-first search took 51 ms
// with 4,096, 19.7 with 3,072, 11.9 with 2,048 and 11.6 with this; k-hop 15.2, 15.0 and 15.0 ms
// with 512 and 2,048, with 1,024 and 4,096, and with a search's.
const (
	clusterEnter = 1024
	clusterLeave = 1536
)
