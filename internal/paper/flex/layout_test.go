// This file tests that arguments are laid out as the kernels have them.

package flex

import (
	"testing"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "internal/paper/flex/flex.cu",
		structs.Kernels("flex_*", args{}),
		structs.Constant("sizeof(GridState)", gpu.GridBytes),
		structs.Constant("kBlock", gpu.Block),
		structs.Constant("kLate", gpu.EndedLate),
	)
}
