// This file holds Strategy, how two rows are intersected.

package intersect

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// Strategy is how two rows are intersected. All find the same.
type Strategy uint8

// The strategies.
const (
	// Auto chooses for each edge by the lengths of both rows.
	Auto Strategy = iota
	// Merge walks both rows side by side: one step for each entry of either. On a
	// GPU a thread does it.
	Merge
	// Search looks each entry of the shorter row up in the longer one. On a GPU a
	// warp does it.
	Search
	// Table looks each entry of the second vertex's row up in a table of the
	// first one's, which serves all edges out of that: on the host a bitmap of
	// all vertices, on a GPU hash tables in shared memory, each of a part of the
	// row.
	Table
)

var strategyNames = [...]string{"auto", "merge", "search", "table"}

func (s Strategy) String() string {
	if int(s) < len(strategyNames) {
		return strategyNames[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// ParseStrategy returns the strategy of that name: auto, merge, search or table.
// Another name is graph.ErrOptions.
func ParseStrategy(name string) (Strategy, error) {
	for i, n := range strategyNames {
		if n == name {
			return Strategy(i), nil
		}
	}
	return 0, fmt.Errorf("intersect: %w: unknown strategy %q (auto, merge, search or table)", graph.ErrOptions, name)
}
