// This file tests that arguments are laid out as the kernels take them.

package advance

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	functor := layouttest.AtMost(Params{})
	t.Run("advance", func(t *testing.T) {
		layouttest.Run(t, "operators/advance/advance.cu",
			layouttest.Kernels("*_push_*", pushArgs{}, functor),
			layouttest.Kernels("*_contract_expand_*", edgeArgs{}, functor),
			layouttest.Kernels("*_pull_*", pullArgs{}, gpu.Post{}, functor),
			layouttest.Struct("Edges", front.RemoteEdges{}),
			layouttest.Struct("Claim", claimParams{}),
			layouttest.Struct("Parents", parentsParams{}),
			layouttest.Constant("kMerge", mergeShare),
			layouttest.Constant("4 * kBlock / 32", pullWords),
		)
	})
	t.Run("edges", func(t *testing.T) {
		layouttest.Run(t, "operators/advance/edges.cu",
			layouttest.Kernels("*_pull_*", pullArgs{}, gpu.Post{}, functor),
			layouttest.Struct("InEdges", inEdgesParams{}),
		)
	})
	t.Run("extra", func(t *testing.T) {
		var g csrArgs
		var to uint64
		layouttest.Run(t, "operators/advance/extra.cu",
			layouttest.Kernels("*_push_warp_*", pushArgs{}, functor),
			layouttest.Kernels("*_push_scan_*", pushArgs{}, functor),
			layouttest.Kernels("*_push_split_*", splitArgs{}, functor),
			layouttest.Kernels("*_levels_*", levelArgs{}, functor),
			layouttest.Kernels("*_edges_*", levelArgs{}, functor),
			layouttest.Kernels("*_contract_*", edgeArgs{}, functor),
			layouttest.Kernels("expand_*", edgeArgs{}),
			layouttest.Kernels("classify_*", bucketArgs{}),
			layouttest.Kernels("sources_*", g, to),
		)
	})
}

// The fields of functors and of a sink, as kernels have them: Params writes the
// only one to the first word.
type (
	claimParams   struct{ Seen uint64 }
	parentsParams struct{ Parents uint64 }
	inEdgesParams struct{ Edges uint64 }
)
