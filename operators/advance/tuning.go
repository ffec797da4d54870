// This file holds the numbers that the host's strategies are tuned by, each
// with where it comes from. bench/notes/search-host.md has the measurements.

package advance

import (
	"time"

	"github.com/foray-graph/foray/internal/gpu"
)

const (
	// tileEdges is the most edges that a functor gets in one call. Its output
	// (as many ids) and the rows must stay in the first-level cache.
	tileEdges = 2048
	// groupVertices is how many vertices of the frontier a worker claims at
	// once: enough that the claim (about 10 ns when contended) doesn't show,
	// few enough that two workers share a level of a thousand vertices evenly.
	groupVertices = 128
	// aloneVertices and aloneEdges bound a frontier that worker 0 does by
	// itself: sharing costs about half a microsecond for the wake-up of workers
	// that spin, and an atomic operation for every vertex found.
	aloneVertices = 256
	aloneEdges    = 2048
	// shareVertices and shareEdges are how many vertices, or edges, of a small frontier a worker
	// is called for: some microseconds.
	shareVertices = 64
	shareEdges    = 1 << 9
	// ell4Group is how many ELL4 rows a worker prefetches at once: 64
	// rows are 4 KiB of the first-level cache, and take longer than a load from
	// memory.
	ell4Group = 64
	// aloneEll4 is the largest frontier that worker 0 pushes alone, ell4Share
	// the least that a worker is called for otherwise. On 16 cores of an Intel
	// Xeon grid2d and road took 12 to 15 ms with 16 to 64 a worker, 18 with 128,
	// 25 with 256, 40 with 512; on the 2 cores of bench/notes/search-host.md a row takes 8 ns
	// and sharing half a microsecond.
	aloneEll4 = 256
	ell4Share = 64
	// rowsAhead is how many rows a pull prefetches at once, while it looks through
	// as many: about half of the loads that a core can have in flight.
	rowsAhead = 8
	// touchEdges is up to which length a row is fetched ahead line by line, of lineEdges elements of 4 bytes:
	// With the first lines alone shortest paths on urand18, whose rows have 32 edges, took 105 ms, with 64 and 512 they took
	// 77; kron18 took 80, 76 and 70 ms (bench/notes/algorithms-host.md).
	touchEdges = 512
	lineEdges  = 16
	// flushAt is how many vertices a worker gathers before it reserves room for
	// them in the shared queue (Agarwal et al., SC 2010).
	flushAt = tileEdges
	// maskShare is how many words of a mask take as long to clear as the words of one vertex.
	maskShare = 8
	// recentSlots is how many vertices of its queue a worker remembers: 16 KiB of the first-level cache.
	recentSlots = 1 << 12
	// asyncGroup is how many vertices a worker expands at a time in a push without rounds, or half of its queue if
	// others have nothing. asyncSteal is how many a worker has at least of which another one takes half, and
	// asyncLead by how many stages one is ahead of others at most. On 16 cores groups of 32 to 128, 16 to 64
	// vertices, and leads of 1 to any number took the same time; without a limit to the lead, 16 workers on 2 busy
	// cores relaxed edges up to 3.4 times instead of 1.4 (bench/notes/sssp-host.md).
	asyncGroup = 64
	asyncSteal = 32
	asyncLead  = 3
	// asyncSlack: on a mesh a worker takes vertices only from workers that are more than so many stages below its next one.
	// On kron22 that cost 3 to 10%. On a road network workers took vertices 4,300 times in a search with 0 and 300 times with 1, and a search took 27 and 23 ms
	// with 16 workers; with 2 the same, with 4 34 ms. asyncSamples is of how many numbers the middle is taken for the half
	// that goes.
	asyncSlack   = 1
	asyncSamples = 9
	// asyncChunk is how many vertices of a long frontier a worker takes at a time.
	asyncChunk = 512
	// asyncSlots is how many later stages a worker keeps apart; shortest paths have one or two.
	// A slot has room for asyncRoom vertices at first, 4 KiB.
	asyncSlots = 64
	asyncRoom  = 1 << 10
	// asyncSpins is how often a worker without vertices looks for some before it yields, with asyncPause steps of
	// nothing between: some 100 microseconds. One that is ahead naps after that.
	asyncSpins = 1 << 9
	asyncPause = 1 << 7
	asyncNap   = 20 * time.Microsecond
	// hubEdges is the length from which a row is cut up and shared.
	hubEdges = 2 * tileEdges
	// hubSpins and hubYields are how often a worker without work looks for the
	// pieces of a long row before it yields, and before it sleeps: some tens of
	// microseconds, a few times what a wake-up costs.
	hubSpins  = 1 << 12
	hubYields = 200
	// levelVertices is how many entries of a level array a worker claims.
	levelVertices = 1 << 14
)

// hubRow is the length of a row from which on hubQueue puts it aside.
const hubRow = 32

// Strategies on a GPU.
const (
	// evenRows is the largest degree of a graph for which ThreadMapped is
	// chosen: a mesh, on which what costs is one level after the other.
	evenRows = 8
	// wideSpread is the mean degree of a frontier from which on MergePath is
	// chosen.
	wideSpread = 16
	// shortRows is the largest degree of a graph for which TWC is chosen. Among short rows a long one
	// delays its block: depths of a web graph of mean degree 12 and largest 2,000 took 1.57 ms by TWC and 1.19 by
	// MergePath on an H200, those of a lattice with hubs 1.00 and 0.79. On urand22 with 8 edges a
	// vertex, and at most 25, TWC took 1.00 ms and MergePath 1.06 (bench/notes/search-gpu.md).
	shortRows = 64
	// edgesPerThread is how many edges a thread gets in a push by rows, on the
	// mean, before the grid grows.
	edgesPerThread = 8
	// mergeShare is the share of a block at a time (kMerge of merge.cuh).
	mergeShare = 4 * gpu.Block
)

// pullWords is how many words of candidates a block takes in one step.
const pullWords = 4 * gpu.Block / 32

// foundTile is how many finds a worker gathers before it tells the sink.
const foundTile = 512

// roundsAhead is how many rounds blocks run ahead of one another under NearOptions.AnyRound. On road, by
// counting, 16 have 143 rounds of the grid and 2,084 of the longest block in each, 32 have 101 and
// 2,562, 8 have 260 and 1,925; on an H200 8, 16 and 32 took 7.9, 7.3 and 7.9 ms (bench/notes/algorithms-gpu.md).
const roundsAhead = 16

// A block goes on for so many rounds under NearOptions.Once, while it has no more than so many edges to
// visit in one, in units of 1<<aheadShift (kAheadShift of ahead.cuh); for fewer where degrees are skewed.
// Core numbers of urand22 took 3.7 ms on an H100 with 64 rounds and 16,384 edges and 4.6 with 8 and 2,048,
// those of kron22 10.4 and 9.9, those of kron20 5.76 and 5.45.
const (
	chainRounds  = 64
	chainEdges   = 1 << 14
	skewedRounds = 8
	skewedEdges  = 1 << 11
	aheadShift   = 6
)
