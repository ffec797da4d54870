// This file holds the numbers that searches are tuned by, and the bounds on what they
// keep, each with where it comes from. bench/notes/search-gpu.md has the measurements. What tests set
// stands in internal/engine/tuning.

package bfs

import "github.com/foray-graph/foray/internal/gpu"

// On the host.
const (
	// fetchAhead is how many targets of a row are prefetched for writing: a core has 10
	// to 16 loads that miss its first-level cache under way, and a hundred lines stay
	// in that cache until they are written.
	fetchAhead = 64
	// A graph counts as one of even degrees if no vertex has more than evenDegree times
	// the mean, and as worth it from evenVertices on, below which nothing was measured.
	// With 16 workers the largest push of urand22 (mean 32, most 65) took 1.9 ms by the
	// array and 4.0 by the bitmap, making the bitmap and clearing the array 0.6; with 4
	// workers 7.5 and 13.4. kron22 lost 1 of 4 ms, since 119 hubs led to the same
	// vertices again and again.
	evenDegree   = 4
	evenVertices = 1 << 12
	// A search of a Searcher lists what it reaches up to one vertex in listShare, and listFew: clearing
	// that many entries at random places takes about a third of the time of writing all arrays in order.
	listShare = 32
	listFew   = 64
	// fillChunk is how many words of the bitmap a worker claims.
	fillChunk = 1 << 8
	// gatherChunk is how many entries a worker claims: their part of the order, which
	// is read once for depths and once for parents, stays in the second cache.
	gatherChunk = 1 << 14
)

// On a GPU.
const (
	// fusedThreads is FORAY_BLOCK of fused.cu, deepThreads that of deep.cu; fusedPlanes
	// is kPlanes of fused_args.cuh.
	fusedThreads = 512
	deepThreads  = 384
	fusedPlanes  = 15
	// lowDegree is the largest degree of a mesh for which the zero coupling is
	// contract-expand. Measured on an H200 (bench/RESULTS.md).
	lowDegree = 32
	// longRow is the degree from which on the hybrid doesn't contract and expand in
	// one kernel: a single block would have to list such a row.
	longRow = 16 * gpu.Block
	// A warp has 32 lanes: rows of a mean length from uniformLeast to uniformMost keep most
	// of them busy.
	uniformLeast = 12
	uniformMost  = 256
	// A search of more than manyLevels levels, of fewer than smallLevel vertices each in
	// the mean, has later searches of the graph use one cluster for them.
	manyLevels = 64
	smallLevel = 1 << 12
	// A search that reaches more than one goodPart-th of the vertices shows how large levels are.
	goodPart = 8
	// shardAlike is how many vertices a frontier may have that several GPUs push alike: 64 K
	// of 4 bytes take 1 µs of the link, and those of more seldom have few enough edges.
	shardAlike = 1 << 16
)

// ringBytes is what a GPU's stream holds for its ring of slots, whatever the graph.
const ringBytes = 1 << 20

// maxListed is how many sources, and how many targets, metadata has at most:
// readers of a file read all of its metadata first.
const maxListed = 1000

// notesAtOnce is how many notes on levels a GPU's search copies to the host at a time:
// 512 KB.
const notesAtOnce = 1 << 14

// notesTold is how many notes on levels are copied at a time while a search runs.
const notesTold = 1 << 10

// What an edge costs that is pushed before a pull, in probes of the pull: 12.5 ps by 10
// for depths on an H200, and more where it writes a parent at random. See
// tuning.PushCostFar for parents that don't fit the L2 cache.
const (
	pushCost       = 1.25
	pushCostParent = 6
)

// readFrom is the share of all vertices from which a frontier is read from the
// level array: 1/readFrom. Hong et al. switch at about 3%; measured here (see
// bench/notes/search-host.md), reading pays later, since the queue's vertices are in cache.
const readFrom = 16
