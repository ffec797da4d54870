// This file holds strategy, how two rows are intersected.

package intersect

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// strategy is how two rows are intersected. All find the same.
type strategy uint8

const (
	// byLengths chooses for each edge by the lengths of both rows.
	byLengths strategy = iota
	// byMerge walks both rows side by side: one step for each entry of either. On a
	// GPU a thread does it.
	byMerge
	// bySearch looks each entry of the shorter row up in the longer one. On a GPU a
	// warp does it.
	bySearch
	// byTable looks each entry of the second vertex's row up in a table of the
	// first one's, which serves all edges out of that: on the host a bitmap of
	// all vertices, on a GPU hash tables in shared memory, each of a part of the
	// row.
	byTable
)

var strategyNames = []string{"auto", "merge", "search", "table"}

// asked returns the strategy that tuning.IntersectBy names.
func asked() (strategy, error) {
	if i := slices.Index(strategyNames, tuning.IntersectBy); i >= 0 {
		return strategy(i), nil
	}
	return 0, fmt.Errorf("intersect: %w: unknown strategy %q (auto, merge, search or table)", graph.ErrOptions, tuning.IntersectBy)
}
