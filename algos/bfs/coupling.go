// This file names how a GPU divides a level into kernels.

package bfs

import "github.com/foray-graph/foray/internal/search"

// Coupling is how a GPU divides a level into kernels: which expansions and contractions
// share a kernel, and thus which frontiers go through memory.
type Coupling = search.Coupling

// The couplings. bench/RESULTS.md has what each costs.
const (
	// AutoCoupling is the fastest known coupling for the graph and the options. On meshes
	// and roads, whose levels are many and small, that is Fused, or ContractExpand with
	// options that Fused doesn't support; ExpandContract elsewhere. For dobfs it is
	// Fused, unless there are more than 32 Targets. If a GPU can't keep all blocks of
	// that kernel resident, the search continues level by level after about 18 s. Later
	// searches of the placed graph start level by level; a warning is logged.
	AutoCoupling = search.AutoCoupling
	// ExpandContract goes from a vertex frontier to the next in one kernel:
	// neighbours are gathered, looked up and compacted.
	ExpandContract = search.ExpandContract
	// ContractExpand goes from an edge frontier to the next in one kernel: edges
	// are culled, and those of the vertices that are left are listed.
	ContractExpand = search.ContractExpand
	// TwoPhase has a kernel for each half, with an edge frontier and a vertex
	// frontier.
	TwoPhase = search.TwoPhase
	// HybridCoupling is ContractExpand while the edge frontier is small and
	// TwoPhase while it is large.
	HybridCoupling = search.HybridCoupling
	// Fused is the whole search in one kernel that runs on the GPU until the search ends:
	// a level costs a barrier there, and no work on the host. It supports at most 32
	// targets, and ignores Balance, Culls and CountCulls. Stats and Progress have no
	// edges of pulls. If a GPU can't keep all of its blocks resident, the search fails
	// after about 18 s with device.ErrNotSupported. A Query with more targets goes level
	// by level.
	Fused = search.Fused
	// Quadratic looks at every vertex of the graph in each level (Strategy
	// ThreadMapped or TWC), or at every edge (EdgeParallel). It is there for
	// comparison and needs depths.
	Quadratic = search.Quadratic
	// QuadraticPull has every vertex that wasn't reached look for a parent in
	// the level before, a thread each, in each level. It is there for comparison
	// and needs depths and the reverse graph.
	QuadraticPull = search.QuadraticPull
)
