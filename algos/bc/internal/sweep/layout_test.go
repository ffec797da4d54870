// This file tests that arguments are laid out as the kernels have them.

package sweep

import (
	"testing"

	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "algos/bc/internal/sweep/sweep.cu",
		structs.Kernels("sweep_place", sweepArgs{}),
		structs.Kernels("sweep_scan", sweepArgs{}),
		structs.Kernels("sweep_add", sweepArgs{}),
		structs.Kernels("sweep_out_*", sweepArgs{}),
		structs.Kernels("sweep_home_*", sweepArgs{}),
		structs.Kernels("sweep_near_*", sweepArgs{}, step.CsrArgs{}),
		structs.Constant("kSweepPlaces", places),
		structs.Constant("sizeof(SweepValue)", valueBytes),
		structs.Constant("kBlock", threads))
}
