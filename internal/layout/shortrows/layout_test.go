// This file tests that arguments are laid out as the kernels have them.

package shortrows

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	var to uint64
	structs.Run(t, "internal/layout/shortrows/heads.cu",
		structs.Kernels("heads_*", step.CsrArgs{}, to),
		structs.Constant("sizeof(uint4)", perVertex))
}
