package sssp

import (
	"testing"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

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
