// This file tests that arguments are laid out as the kernels take them.

package rows

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "internal/layout/rows/rows.cu",
		layouttest.Kernels("rows_*", rowsArgs{}),
		layouttest.Kernels("make_*", madeArgs{}),
		layouttest.Kernels("part_*", partArgs{}),
		layouttest.Kernels("ids_*", idArgs{}),
		layouttest.Kernels("deal_*", dealArgs{}),
		layouttest.Constant("kDealtSwapped", dealtSwapped),
		layouttest.Constant("kParts", mostParts),
		layouttest.Constant("kDirected", directed),
		layouttest.Constant("kKeepSelfLoops", keepSelfLoops),
		layouttest.Constant("kKeepDuplicates", keepDuplicates),
		layouttest.Constant("kAsTheyAre", asTheyAre),
		layouttest.Constant("kEdgeIDs", edgeIDs),
		layouttest.Constant("kMoves", moves),
		layouttest.Constant("kWarpRow<u32>", warpRow),
		layouttest.Constant("kWarpRow<u64>", warpRow),
		layouttest.Constant("kWarpRow<u128>", wideWarpRow),
		layouttest.Constant("kBlockRow<u32>", blockRow/4),
		layouttest.Constant("kBlockRow<u64>", blockRow/8),
		layouttest.Constant("kBlockRow<u128>", blockRow/16),
	)
}
