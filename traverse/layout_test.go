// This file tests that arguments are laid out as the kernels have them.

package traverse

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/windows"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	var word uint64
	var half uint32
	t.Run("traverse.cu", func(t *testing.T) {
		layouttest.Run(t, "traverse/traverse.cu",
			layouttest.Kernels("fill_u64", word, word, word),
			layouttest.Kernels("numbers", word, half),
			layouttest.Kernels("degrees_*", word, word, half),
			layouttest.Kernels("firsts_*", word, word, word, half),
			layouttest.Kernels("put", word, word, word, half))
	})
	t.Run("skeletons.cu", func(t *testing.T) { // functors written in Go: their block comes last
		layouttest.Run(t, "internal/functor/splice/skeletons.cu",
			layouttest.Struct("Window", windows.Header{}),
			layouttest.Constant("sizeof(LightPart)", windows.PartBytes),
			layouttest.Constant("kLightPart", windows.LightPart),
			layouttest.Constant("kLightRow", windows.LightRow),
			layouttest.Constant("kUntouched", windows.Untouched),
			layouttest.Constant("kExhausted", windows.NothingLeft),
			layouttest.Constant("kOpLight", step.OpLight),
			layouttest.Constant("kOpWindow", step.OpWindow),
			layouttest.Constant("kOpLightest", step.OpLightest),
			layouttest.Constant("kIfAbove", step.IfAbove),
			layouttest.Kernels("foray_repeat_*", repeatArgs{}, step.Block{}),
			layouttest.Kernels("foray_cluster_*", repeatArgs{}, clusterPart{}, step.Block{}),
			layouttest.Kernels("foray_step_*", step.LaunchArgs{}, step.Block{}),
			layouttest.Kernels("foray_runs_*", step.LaunchArgs{}, step.Block{}),
			layouttest.Kernels("foray_slabs_*", layouttest.AtMost([512]byte{}), step.Block{}), // the first is reduce's
			layouttest.Kernels("foray_push_*", layouttest.AtMost([512]byte{}), step.EdgeArgs{}, step.Block{}),
			layouttest.Kernels("foray_visit_*", layouttest.AtMost([512]byte{}), step.EdgeArgs{}, step.Block{}),
			layouttest.Kernels("foray_sort_*", layouttest.AtMost([512]byte{}), step.EdgeArgs{}, step.Block{}),
			layouttest.Kernels("foray_pull_*", layouttest.AtMost([512]byte{}), gpu.Post{}, layouttest.AtMost([64]byte{}), step.Block{}), // the first is advance's
			layouttest.Kernels("foray_keep_flag_*", layouttest.AtMost([512]byte{}), layouttest.AtMost([64]byte{}), step.Block{}),
			layouttest.Kernels("foray_part_*", layouttest.AtMost([512]byte{}), layouttest.AtMost([64]byte{}), step.Block{}),
			layouttest.Kernels("foray_bits_*", layouttest.AtMost([512]byte{}), step.EdgeArgs{}, step.Block{}))
	})
	t.Run("traversal.cuh", func(t *testing.T) {
		layouttest.Run(t, "internal/testing/functors/byhand/byhand.cu",
			layouttest.Kernels("*_repeat_*", repeatArgs{}),
			layouttest.Kernels("*_cluster_*", repeatArgs{}, clusterPart{}),
			layouttest.Kernels("*_step_*", step.LaunchArgs{}),
			layouttest.Kernels("*_push_*", layouttest.AtMost([512]byte{}), step.EdgeArgs{}), // the first is advance's
			layouttest.Struct("LevelNote", levelNote{}),
			layouttest.Constant("sizeof(GridState)", gridBytes),
			layouttest.Constant("sizeof(RepeatState)", stateBytes),
			layouttest.Constant("sizeof(ClusterShared)", clusterBytes),
			layouttest.Constant("kPaused", endedPaused),
			layouttest.Constant("kNothing", endedNothing),
			layouttest.Constant("kOps", step.MaxOps),
			layouttest.Constant("kFieldWords", step.FieldWords),
			layouttest.Constant("kLimited", endedLimited),
			layouttest.Constant("kLate", endedLate),
			layouttest.Constant("kOpPush", step.OpPush),
			layouttest.Constant("kOpEach", step.OpEach),
			layouttest.Constant("kOpReduce", step.OpReduce),
			layouttest.Constant("kOpKeep", step.OpKeep),
			layouttest.Constant("kOpBelow", step.OpBelow),
			layouttest.Constant("kOpAtMost", step.OpAtMost),
			layouttest.Constant("kOpWide", step.OpWide),
			layouttest.Constant("kOpSegments", step.OpSegments),
			layouttest.Constant("kOpHubs", step.OpHubs),
			layouttest.Constant("kOpVisit", step.OpVisit),
			layouttest.Constant("kOpRefill", step.OpRefill),
			layouttest.Constant("kOpLeast", step.OpLeast),
			layouttest.Constant("kOpTurn", step.OpTurn),
			layouttest.Constant("kOpRecord", step.OpRecord),
			layouttest.Constant("kOpBack", step.OpBack),
			layouttest.Constant("kNoRoom", endedNoRoom),
			layouttest.Constant("kAllVertices", step.AllVertices),
			layouttest.Constant("kInEdges", step.InEdges),
			layouttest.Constant("kDedupe", step.Dedupe),
			layouttest.Constant("kDoubleScalar", step.DoubleScalar))
	})
}
