// This file tests that arguments are laid out as the kernels have them.

package unite

import (
	"testing"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "algos/cc/internal/unite/trees.cu",
		structs.Kernels("trees_plant", plantArgs{}),
		structs.Kernels("trees_census_*", censusArgs{}),
		structs.Kernels("trees_name_*", nameArgs{}),
		structs.Struct("PeersArgs", peersArgs{}),
		structs.Constant("sizeof(PeerState)", peerStateBytes),
		structs.Constant("sizeof(Tree)", treeBytes),
		structs.Constant("kMostPeers", gpu.MostPeers),
		structs.Constant("kBlock", treesThreads))
	structs.Run(t, "algos/cc/internal/unite/unite.cu",
		structs.Kernels("unite_tiles_*", uniteArgs{}),
		structs.Constant("kUniteThreads", threads))
}
