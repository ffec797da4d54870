// This file tests that arguments are laid out as the kernels take them.

package rows

import (
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "internal/layout/rows/rows.cu",
		structs.Kernels("rows_*", rowsArgs{}),
		structs.Kernels("make_*", madeArgs{}),
		structs.Kernels("part_*", partArgs{}),
		structs.Kernels("ids_*", idArgs{}),
		structs.Kernels("deal_*", dealArgs{}),
		structs.Kernels("fold_*", foldArgs{}),
		structs.Kernels("relabel_*", relabelArgs{}),
		structs.Constant("kDealtSwapped", dealtSwapped),
		structs.Constant("kParts", mostParts),
		structs.Constant("kRelabelTile", relabelTile),
		structs.Constant("kFoldMax", uint64(graph.CombineMax)),
		structs.Constant("kFoldSum", uint64(graph.CombineSum)),
		structs.Constant("kFoldFirst", uint64(graph.CombineFirst)),
		structs.Constant("kFoldInts", uint64(graph.WeightsInt64)),
		structs.Constant("kFoldDoubles", uint64(graph.WeightsFloat64)),
		structs.Constant("kFoldFloats", uint64(graph.WeightsFloat32)),
		structs.Constant("kDirected", directed),
		structs.Constant("kKeepSelfLoops", keepSelfLoops),
		structs.Constant("kKeepDuplicates", keepDuplicates),
		structs.Constant("kAsTheyAre", asTheyAre),
		structs.Constant("kEdgeIDs", edgeIDs),
		structs.Constant("kMoves", moves),
		structs.Constant("kWarpRow<u32>", warpRow),
		structs.Constant("kWarpRow<u64>", warpRow),
		structs.Constant("kWarpRow<u128>", wideWarpRow),
		structs.Constant("kBlockRow<u32>", blockRow/4),
		structs.Constant("kBlockRow<u64>", blockRow/8),
		structs.Constant("kBlockRow<u128>", blockRow/16),
	)
}
