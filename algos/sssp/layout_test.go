package sssp

import (
	"testing"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

// TestWindowsLayout compares with what the kernel on one GPU has.
func TestWindowsLayout(t *testing.T) {
	structs.Run(t, "algos/sssp/windows.cu",
		structs.Kernels("sssp_windows_*", windowsArgs{}),
		structs.Kernels("sssp_sums_*", sumsArgs{}),
		structs.Constant("sizeof(WindowsState)", windowsStateBytes),
		structs.Constant("sizeof(WindowPart)", windowPartBytes),
		structs.Constant("kWindowRow", windowRow),
		structs.Constant("kWindowCutPart", windowPart),
	)
}

// TestLayout compares with what the kernels have.
func TestLayout(t *testing.T) {
	structs.Run(t, "algos/sssp/across.cu",
		structs.Kernels("sssp_across_*", togetherArgs{}),
		structs.Struct("PeersArgs", peersArgs{}),
		structs.Constant("sizeof(PeerState)", peerStateBytes),
		structs.Constant("sizeof(Board)", boardBytes),
		structs.Constant("kMostPeers", gpu.MostPeers),
		structs.Constant("kLate", gpu.EndedLate),
	)
}
