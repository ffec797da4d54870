// This file holds the numbers that traversals are tuned by, and the bounds on what they keep.

package traverse

// streamBytes is what a GPU's stream and the notes on levels hold, whatever the graph.
const streamBytes = 4 << 20

// A worker of a host keeps up to pileWorkerBytes of vertices by stage, and all of them pileVertexBytes a vertex, for the
// searches to come. Uniform graphs of degree 3 took 7.2 and 9.2 MB of 100,000 vertices with 16 and 64 workers, 21.7 and 113 of
// a million (2026-11-30).
const (
	pileWorkerBytes = 2 << 20
	pileVertexBytes = 128
)

// shortRows is the largest degree of graphs on which a few lanes take a row (push_flat).
const shortRows = 16

// fewBlocks is the largest degree of graphs on which a block a multiprocessor does: their
// frontiers are small, and a level costs little but the barrier, which more blocks make
// dearer.
const fewBlocks = 32

// aheadBlocks is how many a multiprocessor gets where blocks run ahead of one another: those keep
// no more vertices than they expand at once, and a barrier of 264 takes no longer than one of 132. Road
// took 8.0, 7.3 and 7.9 ms with 1, 2 and 4.
const aheadBlocks = 2

// fewVertices is how many a frontier has at least that all blocks are launched for even so: peeling
// a road network begins with 300,000.
const fewVertices = 1 << 15

// A multiprocessor has no more than chainedBlocks blocks in traversals whose blocks run ahead over rows
// of any length, on graphs with a vertex of at least tuning.SkewedDegree neighbors: their stages are
// hundreds, and small, so that what counts is the barrier. Core numbers of kron22 took 12.9 ms with one,
// 12.7 with two, 16.0 with four on an H200; those of urand22, of few stages, 11.2, 6.8 and 5.6.
const chainedBlocks = 2

// mostFrontiers is the number of frontiers that a space keeps for the next traversal.
const mostFrontiers = 8

// One cluster of blocks takes a traversal over while its frontier has fewer vertices than
// clusterEnter, and until it has more than clusterLeave: less than a search's (tuning.DeepEnter),
// since functors also wait for their loads, and inboxes have half as many entries. When inboxes are
// full, a level takes up to 130 µs instead of the whole grid's 6, on a road network from some
// 2,000 vertices on (bench/notes/traversals-gpu.md). There, on an H200, breadth-first search took 51 ms
// with 4,096, 19.7 with 3,072, 11.9 with 2,048 and 11.6 with this value. k-hop took 15.2, 15.0 and 15.0 ms
// with 512 and 2,048, with 1,024 and 4,096, and with the values of a search.
const (
	clusterEnter = 1024
	clusterLeave = 1536
)

// fillEach is how many entries of an array a worker of the host fills at a time: some tens of
// microseconds.
const fillEach = 1 << 16

// sumsBetweenLooks is how many rows are added up between two looks at the context: some milliseconds.
const sumsBetweenLooks = 1 << 14
