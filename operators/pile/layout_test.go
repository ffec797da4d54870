// This file tests that a pile is laid out as the kernels have it.

package pile

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/layouttest"
)

func TestLayout(t *testing.T) {
	any := layouttest.AtMost([4096]byte{}) // tested in traverse
	layouttest.Run(t, "internal/testing/functors/steps.cu",
		layouttest.Kernels("steps_push_*", any, any),
		layouttest.Kernels("steps_bits_*", any, any),
		layouttest.Kernels("steps_step_*", any),
		layouttest.Kernels("steps_repeat_*", any),
		layouttest.Kernels("steps_cluster_*", any, any),
		layouttest.Struct("Pile", header{}),
		layouttest.Constant("kNever", Never))
	layouttest.Run(t, "operators/pile/pile.cu", layouttest.Kernels("pile_all", uint64(0), uint64(0), uint32(0)))
}
