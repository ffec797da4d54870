// This file tests that arguments are laid out as the kernels have them.

package mesh

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "algos/kcore/internal/mesh/peel.cu",
		structs.Kernels("peel_mesh_*", peelArgs{}),
		structs.Constant("kPeelStages", stages),
		structs.Constant("kPeelApart", apart),
		structs.Constant("kBlock", threads))
}
