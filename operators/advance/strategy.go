// This file holds Strategy, how a GPU shares out the edges of a push.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// Strategy is how a GPU shares out the edges of a push among its threads. On
// the host edges are always shared out in chunks of equal size.
type Strategy uint8

// The strategies. Push takes all but edgeParallel; PushLevel, which
// reads a level array instead of a frontier, ThreadMapped, TWC and edgeParallel.
const (
	// AutoBalance chooses by the size of the frontier and the edges out of it.
	AutoBalance Strategy = iota
	// ThreadMapped has one thread walk each row.
	ThreadMapped
	// warpMapped has one warp walk each row.
	warpMapped
	// TWC has a block walk long rows, a warp those of middling length, and packs
	// the rest by a scan (Merrill, Garland, Grimshaw, PPoPP 2012).
	TWC
	// MergePath gives every thread the same number of vertices and edges
	// together, found by a search in the edge prefix (Davidson et al., IPDPS
	// 2014).
	MergePath
	// edgeParallel has one thread for each edge of the graph, in coordinate
	// format. It needs 4 bytes an edge, once.
	edgeParallel
	// hubQueue has one thread walk each short row and puts long ones into a separate
	// queue, which all threads share at the end (FlexBFS: Liu et al., PPoPP 2012).
	hubQueue
	// buckets sorts the frontier by degree first: short rows are walked by a
	// thread, those of middling length by a warp, long ones by a block.
	buckets
	// scanMapped packs the edges of all rows by a scan: TWC without the block and the
	// warp, which Merrill et al. measure separately.
	scanMapped
)

var strategyNames = [...]string{"auto", "thread", "warp", "twc", "merge", "edges", "hubs", "buckets", "scan"}

func (s Strategy) String() string {
	if int(s) < len(strategyNames) {
		return strategyNames[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// ParseStrategy returns the strategy of that name: auto, thread, warp, twc, merge, edges,
// hubs, buckets or scan.
func ParseStrategy(name string) (Strategy, error) {
	for i, n := range strategyNames {
		if n == name {
			return Strategy(i), nil
		}
	}
	return 0, fmt.Errorf("advance: %w: unknown strategy %q (auto, thread, warp, twc, merge, edges, hubs, buckets or scan)", graph.ErrOptions, name)
}
