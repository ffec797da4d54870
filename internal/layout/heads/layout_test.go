// This file tests that arguments are laid out as the kernels have them.

package heads

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	var to uint64
	layouttest.Run(t, "internal/layout/heads/heads.cu",
		layouttest.Kernels("heads_*", step.CsrArgs{}, to),
		layouttest.Constant("sizeof(uint4)", perVertex))
}
