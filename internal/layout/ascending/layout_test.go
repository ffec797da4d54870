// This file tests that arguments are laid out as the kernels have them.

package ascending

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	layouttest.Run(t, "internal/layout/ascending/ascending.cu",
		layouttest.Kernels("ascending_*", step.CsrArgs{}, gpu.Post{}))
}
