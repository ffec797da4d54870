// This file tests that arguments are laid out as the kernels take them.

package reduce

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/hubs"
	"github.com/foray-graph/foray/internal/engine/keyedrows"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "operators/reduce/mode.cu",
		structs.Kernels("mode_*", modeArgs{}),
		structs.Constant("kModeThreads", modeThreads),
		structs.Constant("kModeTable", modeTable),
		structs.Constant("kModeBrief", modeBrief),
		structs.Constant("kModeLongBytes", modeLongBytes),
		structs.Constant("kModeCountsBytes", modeCountsBytes),
		structs.Constant("kShortRow", hubs.ShortRow),
		structs.Constant("kSegment", hubs.Segment),
	)
	structs.Run(t, "internal/functor/link/keyed.cu",
		structs.Kernels("foray_keyed_*", keyedArgs{}, step.Block{}),
		structs.Struct("foray::KeyedHub", keyedrows.Long{}),
		structs.Struct("foray::KeyedPick", keyedPick{}),
		structs.Constant("sizeof(foray::KeyedHub)", keyedrows.LongBytes),
		structs.Constant("sizeof(foray::KeyedPick)", keyedrows.PickBytes),
		structs.Constant("kKeyedBrief", keyedrows.Brief),
		structs.Constant("kKeyedRow", keyedrows.Longest),
		structs.Constant("kKeyedSegment", keyedrows.Segment),
		structs.Constant("kKeyedKeys", phaseKeys),
		structs.Constant("kKeyedParts", phaseParts),
		structs.Constant("kKeyedChunks", phaseChunks),
		structs.Constant("kKeyedSettle", phaseSettle),
		structs.Constant("kKeyedScalar", phaseScalar),
	)
	structs.Run(t, "operators/reduce/slabs.cu",
		structs.Kernels("slab_*", slabMaker{}),
		structs.Struct("foray::SlabReduceArgs", step.SlabArgs{}),
		structs.Struct("foray::SlabBinArgs", step.SlabBinArgs{}),
		structs.Constant("kBinTable", binTable),
		structs.Constant("kSlab", slabVertices),
		structs.Constant("kPiece", slabPiece),
		structs.Constant("kSlabTile", slabTile),
		structs.Constant("kSlabsMost", slabsMost),
		structs.Constant("kSlabThreads", slabThreads),
	)
}
