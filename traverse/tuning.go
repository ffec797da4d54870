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
const mostFrontiers = 4

// One cluster of blocks takes a traversal over while its frontier has fewer vertices than
// clusterEnter, and until it has more than clusterLeave: less than a search's (tuning.DeepEnter),
// since functors wait for loads of their own. On a road network of 4 M vertices on an H200
// k-hop took 15.2, 15.0 and 15.0 ms with 512 and 2,048, with these, and with a search's;
// components, whose frontiers are large for long, 168, 169 and 173 (170 without a cluster).
const (
	clusterEnter = 1024
	clusterLeave = 4096
)
