// This file tests that arguments are laid out as the kernels take them.

package advance

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	functor := structs.AtMost(step.Params{})
	t.Run("advance", func(t *testing.T) {
		structs.Run(t, "operators/advance/advance.cu",
			structs.Kernels("*_push_*", pushArgs{}, functor),
			structs.Kernels("*_contract_expand_*", edgeArgs{}, functor),
			structs.Kernels("*_pull_*", pullArgs{}, gpu.Post{}, functor),
			structs.Struct("Edges", front.RemoteEdges{}),
			structs.Struct("Claim", claimParams{}),
			structs.Struct("Parents", parentsParams{}),
			structs.Constant("kMerge", mergeShare),
			structs.Constant("4 * kBlock / 32", pullWords),
		)
	})
	t.Run("edges", func(t *testing.T) {
		structs.Run(t, "operators/advance/edges.cu",
			structs.Kernels("*_pull_*", pullArgs{}, gpu.Post{}, functor),
			structs.Struct("InEdges", inEdgesParams{}),
		)
	})
	t.Run("extra", func(t *testing.T) {
		var g csrArgs
		var to uint64
		structs.Run(t, "operators/advance/laboratory/extra.cu",
			structs.Kernels("*_push_warp_*", pushArgs{}, functor),
			structs.Kernels("*_push_scan_*", pushArgs{}, functor),
			structs.Kernels("*_push_split_*", splitArgs{}, functor),
			structs.Kernels("*_levels_*", levelArgs{}, functor),
			structs.Kernels("*_edges_*", levelArgs{}, functor),
			structs.Kernels("*_contract_*", edgeArgs{}, functor),
			structs.Kernels("expand_*", edgeArgs{}),
			structs.Kernels("classify_*", bucketArgs{}),
			structs.Kernels("sources_*", g, to),
		)
	})
}

// The fields of functors and of a sink, as kernels have them: step.Params writes the
// only one to the first word.
type (
	claimParams   struct{ Seen uint64 }
	parentsParams struct{ Parents uint64 }
	inEdgesParams struct{ Edges uint64 }
)
