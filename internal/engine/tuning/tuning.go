// Package tuning holds thresholds that tests change to run on small graphs what normally runs on
// large ones. Other code only reads them.
package tuning

import "sync/atomic"

// CheckUnique makes pushes check that functors marked foray:unique let no vertex through twice.
// That takes time; it is for tests.
var CheckUnique atomic.Bool

// One cluster of blocks searches on a GPU while a level has fewer than DeepEnter
// vertices, and until one has more than DeepLeave or the next one is likely to
// have more than DeepSends edges, on graphs whose growth
// (see algos/bfs) is no more than DeepGrowth. Measured on an H200.
var (
	DeepEnter  uint32 = 4096
	DeepLeave  uint32 = 12288
	DeepSends  uint32 = 40000
	DeepGrowth        = 10.0
)

// MeshGrowth is the largest growth of a graph whose levels are taken for many and small
// before a search has shown how they are: a lattice of cells with six neighbors has 6,
// a small world of degree 8, whose levels are few, 8.3. Measured on an H200.
var MeshGrowth = 6.5

// FusedEdges is the largest mean number of edges of a level for which pushes in one kernel are faster than
// a kernel for each level. On an H200 one kernel saves 7.7 µs a level and costs 8.4 ps an edge
// (bench/notes/search-gpu.md). Edges of long rows cost less: where the mean degree is FusedLongRow or more, FusedLongEdges
// counts.
var (
	FusedEdges     uint64 = 900_000
	FusedLongEdges uint64 = 1_200_000
	FusedLongRow          = 64.0
)

// ParentCache is how many bytes of parents an H200 keeps in its L2 cache beside the graph:
// with more of them PushCostFar is what an edge costs that is pushed with a parent before a
// pull, in probes of the pull.
var (
	ParentCache uint64  = 24 << 20
	PushCostFar float32 = 3
)

// FusedNotes is on how many levels a search in one kernel leaves notes for statistics,
// 32 bytes each. Deeper levels are summed up from the totals.
var FusedNotes uint64 = 1 << 20

// RepeatNotes is the same for traversals made of steps. The last note has all deeper levels.
var RepeatNotes uint32 = 1 << 16

// ShortRows is the largest degree of graphs on which betweenness goes through rows by vertex: those
// have searches of many small levels, and a thread can take a row.
var ShortRows uint64 = 16

// SweepLevels is how many levels a search has at most whose paths a GPU counts in one kernel, which nothing ends early: a
// level takes about a microsecond.
var SweepLevels uint32 = 1 << 16

// SkewedDegree is the largest degree from which on degrees are taken for skewed by traversals in which
// vertices leave in stages.
var SkewedDegree uint64 = 1024

// PairsAfter is how many times as many edges as the graph has pushes that look at weights go over on the
// host before short rows are laid out with their weights side by side: less than two searches don't
// earn what that costs.
var PairsAfter uint64 = 2

// WideOffsets gives graphs offsets of 64 bits on GPUs, however few their edges.
var WideOffsets bool

// OrderPart is how many edges of rows are downloaded together while a GPU is at
// work on the next ones (algos/order): 256 MB, a few milliseconds on the bus.
var OrderPart uint64 = 64 << 20

// LongRow is the shortest row that a GPU counts triangles in by a block, 2 to 64; MostHubs is how
// many vertices may have a bit row there (operators/intersect). MostStreamed is how many entries it
// looks at for an edge, on average, in rows that aren't by degree; where there are more it makes rows
// by degree. With 2^22 vertices of degree 32 there are 10, with the hubs of a Graph500 graph in any
// order thousands.
var (
	LongRow             = 64
	MostHubs            = 1 << 18
	MostStreamed uint64 = 100
)

// ModeWarpRow is the longest row that one warp counts in reduce.Mode on a GPU, 512 at most (its
// table has twice as many slots), and ModeSlots how many slots a block has that counts a part of
// a longer row: 192 KB of shared memory.
var (
	ModeWarpRow uint32 = 512
	ModeSlots   uint32 = 24 << 10
)

// SlabEdges is the number of edges, and SlabDegree the mean degree, from which on a GPU may reduce over
// slabs of 1 << SlabBits vertices, 15 at most (operators/reduce/slabs.cuh). With fewer edges values
// stay in its caches anyway; with fewer a vertex the second pass costs more than the first one saves. So it
// does where there is more than one run, which is what a row has in a slab, for every SlabRun edges: on
// urand22, where nearly every edge is one, a round of PageRank took 2.0 ms over slabs and 1.05 over rows, on
// kron20 0.24 and 0.21, on kron22 0.79 and 0.86. SlabFill is what a slab costs before its first edge, which is
// filling a table, in pieces of 256 edges, and SlabRunCost what a run costs, in 1,024ths of a piece: ten
// rounds of kron22 and kron24 took 5.5 and 28.9 ms on an H200 with 100 and 0, 4.4 and 24.4 with these, and
// within 3% of that with 100 and 6 (bench/notes/algorithms-gpu.md).
var (
	SlabEdges   uint64 = 64 << 20
	SlabDegree  uint64 = 8
	SlabBits    uint32 = 15
	SlabFill    uint32 = 200
	SlabRunCost uint32 = 4
	SlabRun     uint64 = 2
)

// ByWeightDegree is the least mean degree of graphs whose rows are sorted by weight for shortest
// paths: of road, with 2.4, searches look at each edge 1.03 times without.
var ByWeightDegree = 8.0

// ByWeightEdges is how many directed edges a graph has whose rows are sorted by weight without a call, if it is searched
// repeatedly. A search of fewer takes some milliseconds.
var ByWeightEdges uint64 = 1 << 20

// Outside is of how many vertices one may be outside the largest tree of best neighbors where components over several
// GPUs look at the edges of those alone. Of graphs of skewed degrees some in 10,000 are outside, in components of a few
// vertices each; of uniform ones nearly all.
var Outside = 32

// All GPUs know the LeastRanks vertices of least ranks when they look for components. The largest component nearly always has
// one of the first few, which names it. Otherwise a run looks at all vertices.
var LeastRanks = 4096

// Of searches over several GPUs: a push over more edges than one for ShardHeavy candidates marks only,
// and the GPUs unite their bitmaps, which is cheaper than inboxes from about there on; a source of at most
// ShardRow edges has its row read by all GPUs at once, which saves a level. A frontier of at most
// ShardAlike edges and one for ShardAlikeShare candidates is pushed by all GPUs alike. In the first pull warps take chunks of
// ShardGrain groups of 128 vertices as they come; with 0 each has its share. With ShardNext pulls probe a copy of the second and
// third neighbors before they look at a row. On device "all" a
// graph of fewer than ShardLeast entries is on one GPU: kron24 has 0.52e9 and takes longer on two and four H200 than on
// one, kron26 has 2.1e9 and takes less.
var (
	ShardLeast      uint64 = 1 << 30
	ShardHeavy      uint64 = 64
	ShardRow        uint64 = 4096
	ShardAlike      uint64 = 1 << 16
	ShardAlikeShare uint64 = 32
	ShardGrain      uint32 = 8
	ShardNext              = true
)

// NarrowEdges is how many edges a level has at most that one goroutine of the host goes through in a plain
// loop, in betweenness and in searches from many sources: steps take about a microsecond to begin a level,
// in which a loop goes through some hundreds of edges. Square lattices of 60,000 and 250,000 vertices took the same time with
// 1,024 and with 2,048 (bench/notes/correctness.md).
var NarrowEdges = 1 << 10

// LevelByLevel has traversals on a GPU that leave the choice of an engine run level by level.
var LevelByLevel bool

// IntersectBy is how package intersect intersects two rows: "auto", by their lengths, or always by "merge", "search" or
// "table".
var IntersectBy = "auto"

// KeyedEdges is how many edges of long rows a keyed reduce totals together on a GPU, unless one row has more: keys and
// tables take 22 bytes an edge, 352 MB.
var KeyedEdges uint64 = 16 << 20

// PrefixShare is the part of the memory for near rows of a graph in tiers that prefixes of rows take, where degrees vary;
// whole rows of hubs get the rest.
var PrefixShare = 0.5
