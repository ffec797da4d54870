// This file tests that arguments are laid out as the kernels take them.

package reduce

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "operators/reduce/mode.cu",
		layouttest.Kernels("mode_*", modeArgs{}),
		layouttest.Constant("kModeThreads", modeThreads),
		layouttest.Constant("kModeTable", modeTable),
		layouttest.Constant("kModeBrief", modeBrief),
		layouttest.Constant("kModeLongBytes", modeLongBytes),
		layouttest.Constant("kModeCountsBytes", modeCountsBytes),
		layouttest.Constant("kShortRow", shortRow),
		layouttest.Constant("kSegment", segment),
	)
	layouttest.Run(t, "operators/reduce/slabs.cu",
		layouttest.Kernels("slab_*", slabMaker{}),
		layouttest.Struct("foray::SlabReduceArgs", step.SlabArgs{}),
		layouttest.Constant("kSlab", slabVertices),
		layouttest.Constant("kPiece", slabPiece),
		layouttest.Constant("kSlabTile", slabTile),
		layouttest.Constant("kSlabsMost", slabsMost),
		layouttest.Constant("kSlabThreads", slabThreads),
	)
}
