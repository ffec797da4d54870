// This file tests that a pile is laid out as the kernels have it.

package farpile

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	any := structs.AtMost([4096]byte{}) // tested in traverse
	structs.Run(t, "internal/testing/functors/steps.cu",
		structs.Kernels("steps_push_*", any, any),
		structs.Kernels("steps_bits_*", any, any),
		structs.Kernels("steps_step_*", any),
		structs.Kernels("steps_repeat_*", any),
		structs.Kernels("steps_cluster_*", any, any),
		structs.Struct("Pile", header{}),
		structs.Constant("kNever", Never))
	structs.Run(t, "operators/pile/pile.cu", structs.Kernels("pile_all", uint64(0), uint64(0), uint32(0)))
}
