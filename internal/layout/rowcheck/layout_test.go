// This file tests that arguments are laid out as the kernels have them.

package rowcheck

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "internal/layout/rowcheck/ascending.cu",
		structs.Kernels("ascending_*", step.CsrArgs{}, gpu.Post{}))
}
