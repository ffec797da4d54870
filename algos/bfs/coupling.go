// This file names the couplings of expansion and contraction on a GPU
// (Merrill, Garland, Grimshaw, PPoPP 2012, 5).

package bfs

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// Coupling is how a GPU divides a level into kernels: what is expanded and
// what is contracted in one, and thus which frontiers go through memory.
type Coupling uint8

// The couplings. bench/RESULTS.md has what each costs.
const (
	// AutoCoupling is the fastest known for the graph and the options. On meshes
	// and roads, whose levels are many and small, that is Fused, or ContractExpand
	// with options that Fused doesn't take; ExpandContract elsewhere. For dobfs it
	// is Fused, unless there are more than 32 Targets. Where a GPU doesn't run all blocks
	// of that kernel at once, the search goes level by level, after about 18 s, and later
	// ones of the placed graph do so at once; a warning is logged.
	AutoCoupling Coupling = iota
	// ExpandContract goes from a vertex frontier to the next in one kernel:
	// neighbours are gathered, looked up and compacted.
	ExpandContract
	// ContractExpand goes from an edge frontier to the next in one kernel: edges
	// are culled, and those of the vertices that are left are listed.
	ContractExpand
	// TwoPhase has a kernel for each half, with an edge frontier and a vertex
	// frontier.
	TwoPhase
	// HybridCoupling is ContractExpand while the edge frontier is small and
	// TwoPhase while it is large.
	HybridCoupling
	// Fused is the whole search in one kernel that stays on the GPU until it
	// ends: a level costs a barrier there, and nothing on the host. It takes
	// 32 targets at most, and shares out and culls in its own way, without
	// Balance, Culls and CountCulls. Stats and EachLevel have no edges of pulls.
	// Where a GPU doesn't run all of its blocks at once, after about 18 s, it is
	// device.ErrNotSupported. A Query with more targets goes level by level.
	Fused
	// Quadratic looks at every vertex of the graph in each level (Strategy
	// ThreadMapped or TWC), or at every edge (EdgeParallel). It is there for
	// comparison and needs depths.
	Quadratic
	// QuadraticPull has every vertex that wasn't reached look for a parent in
	// the level before, a thread each, in each level. It is there for comparison
	// and needs depths and the reverse graph.
	QuadraticPull
)

var couplingNames = [...]string{"auto", "expand-contract", "contract-expand", "two-phase", "hybrid", "fused", "quadratic", "quadratic-pull"}

func (c Coupling) String() string {
	if int(c) < len(couplingNames) {
		return couplingNames[c]
	}
	return fmt.Sprintf("Coupling(%d)", uint8(c))
}

// ParseCoupling returns the coupling of that name: auto, expand-contract,
// contract-expand, two-phase, hybrid, fused, quadratic or quadratic-pull. Another name is
// graph.ErrOptions.
func ParseCoupling(name string) (Coupling, error) {
	for i, n := range couplingNames {
		if n == name {
			return Coupling(i), nil
		}
	}
	return 0, fmt.Errorf("bfs: %w: unknown coupling %q (auto, expand-contract, contract-expand, two-phase, hybrid, fused, quadratic or quadratic-pull)", graph.ErrOptions, name)
}
