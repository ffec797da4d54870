// This file tests that arguments are laid out as the kernels have them.

package traverse

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/windows"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	var word uint64
	var half uint32
	t.Run("traverse.cu", func(t *testing.T) {
		structs.Run(t, "traverse/traverse.cu",
			structs.Kernels("fill_u64", word, word, word),
			structs.Kernels("numbers", word, half),
			structs.Kernels("degrees_*", word, word, half),
			structs.Kernels("firsts_*", word, word, word, half),
			structs.Kernels("put", word, word, word, half))
	})
	t.Run("skeletons.cu", func(t *testing.T) { // functors written in Go: their block comes last
		structs.Run(t, "internal/functor/link/skeletons.cu",
			structs.Struct("Window", windows.Header{}),
			structs.Constant("sizeof(LightPart)", windows.PartBytes),
			structs.Constant("kLightPart", windows.LightPart),
			structs.Constant("kLightRow", windows.LightRow),
			structs.Constant("kUntouched", windows.Untouched),
			structs.Constant("kExhausted", windows.NothingLeft),
			structs.Constant("kOpLight", step.OpLight),
			structs.Constant("kOpWindow", step.OpWindow),
			structs.Constant("kOpLightest", step.OpLightest),
			structs.Constant("kIfAbove", step.IfAbove),
			structs.Kernels("foray_repeat_*", repeatArgs{}, step.Block{}),
			structs.Kernels("foray_cluster_*", repeatArgs{}, clusterPart{}, step.Block{}),
			structs.Kernels("foray_step_*", step.LaunchArgs{}, step.Block{}),
			structs.Kernels("foray_runs_*", step.LaunchArgs{}, step.Block{}),
			structs.Kernels("foray_bins_*", step.SlabBinArgs{}, step.Block{}),
			structs.Kernels("foray_slabs_*", structs.AtMost([512]byte{}), step.Block{}), // the first is reduce's
			structs.Kernels("foray_push_*", structs.AtMost([512]byte{}), step.EdgeArgs{}, step.Block{}),
			structs.Kernels("foray_visit_*", structs.AtMost([512]byte{}), step.EdgeArgs{}, step.Block{}),
			structs.Kernels("foray_sort_*", structs.AtMost([512]byte{}), step.EdgeArgs{}, step.Block{}),
			structs.Kernels("foray_pull_*", structs.AtMost([512]byte{}), gpu.Post{}, structs.AtMost([64]byte{}), step.Block{}), // the first is advance's
			structs.Kernels("foray_keep_flag_*", structs.AtMost([512]byte{}), structs.AtMost([64]byte{}), step.Block{}),
			structs.Kernels("foray_part_*", structs.AtMost([512]byte{}), structs.AtMost([64]byte{}), step.Block{}),
			structs.Kernels("foray_bits_*", structs.AtMost([512]byte{}), step.EdgeArgs{}, step.Block{}))
	})
	t.Run("traversal.cuh", func(t *testing.T) {
		structs.Run(t, "internal/testing/functors/byhand/byhand.cu",
			structs.Kernels("*_repeat_*", repeatArgs{}),
			structs.Kernels("*_cluster_*", repeatArgs{}, clusterPart{}),
			structs.Kernels("*_step_*", step.LaunchArgs{}),
			structs.Kernels("*_push_*", structs.AtMost([512]byte{}), step.EdgeArgs{}), // the first is advance's
			structs.Struct("LevelNote", gpu.LevelNote{}),
			structs.Constant("sizeof(GridState)", gpu.GridBytes),
			structs.Constant("sizeof(RepeatState)", stateBytes),
			structs.Constant("sizeof(ClusterShared)", clusterBytes),
			structs.Constant("kPaused", gpu.EndedPaused),
			structs.Constant("kNothing", gpu.EndedNothing),
			structs.Constant("kOps", step.MaxOps),
			structs.Constant("kFieldWords", step.FieldWords),
			structs.Constant("kLimited", gpu.EndedLimited),
			structs.Constant("kLate", gpu.EndedLate),
			structs.Constant("kOpPush", step.OpPush),
			structs.Constant("kOpEach", step.OpEach),
			structs.Constant("kOpReduce", step.OpReduce),
			structs.Constant("kOpKeep", step.OpKeep),
			structs.Constant("kOpBelow", step.OpBelow),
			structs.Constant("kOpAtMost", step.OpAtMost),
			structs.Constant("kOpWide", step.OpWide),
			structs.Constant("kOpSegments", step.OpSegments),
			structs.Constant("kOpHubs", step.OpHubs),
			structs.Constant("kOpVisit", step.OpVisit),
			structs.Constant("kOpRefill", step.OpRefill),
			structs.Constant("kOpLeast", step.OpLeast),
			structs.Constant("kOpTurn", step.OpTurn),
			structs.Constant("kOpRecord", step.OpRecord),
			structs.Constant("kOpBack", step.OpBack),
			structs.Constant("kNoRoom", gpu.EndedNoRoom),
			structs.Constant("kAllVertices", step.AllVertices),
			structs.Constant("kInEdges", step.InEdges),
			structs.Constant("kDedupe", step.Dedupe),
			structs.Constant("kDoubleScalar", step.DoubleScalar))
	})
}
