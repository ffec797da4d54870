// This file holds the numbers that traversals are tuned by, and the bounds on what they keep.

package traverse

// streamBytes is what a GPU's stream and the notes on levels hold, whatever the graph.
const streamBytes = 4 << 20

// mostNotes is on how many levels the persistent engine leaves notes for statistics.
const mostNotes = 1 << 16

// shortRows is the largest degree of graphs on which a few lanes take a row (push_flat).
const shortRows = 16

// fewBlocks is the largest degree of graphs on which a block a multiprocessor does: their
// frontiers are small, and a level costs little but the barrier, which more blocks make
// dearer.
const fewBlocks = 32

// mostFrontiers is how many frontiers a space keeps for the next traversal.
const mostFrontiers = 4
