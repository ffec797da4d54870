// This file tests that arguments, and what kernels and host share beside them, are
// laid out as the kernels have them.

package bfs

import (
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
)

func TestLayout(t *testing.T) {
	operators := structs.AtMost([512]byte{}) // checked in operators/advance
	for _, c := range []struct {
		source string
		checks []structs.Check
	}{
		{"algos/bfs/bfs.cu", []structs.Check{
			structs.Kernels("bfs_push_*", operators, visitorParams{}),
			structs.Kernels("bfs_contract_*", operators, visitorParams{}),
			structs.Kernels("bfs_pull_*", operators, gpu.Post{}, visitorParams{}),
			structs.Kernels("bfs_fill_*", startArgs{}),
			structs.Kernels("bfs_start_*", startArgs{}),
		}},
		{"algos/bfs/laboratory/extra.cu", []structs.Check{
			structs.Kernels("bfs_*push_*", operators, visitorParams{}),
			structs.Kernels("bfs_*levels_*", operators, visitorParams{}),
			structs.Kernels("bfs_*edges_*", operators, visitorParams{}),
			structs.Kernels("bfs_*contract_*", operators, visitorParams{}),
			structs.Kernels("bfs_quadratic_*", quadraticArgs{}),
			structs.Kernels("bfs_reached", reachArgs{}),
		}},
		{"algos/bfs/fused.cu", []structs.Check{
			structs.Kernels("bfs_fused_*", fusedArgs{}),
			structs.Kernels("bfs_gather", gatherArgs{}),
			structs.Struct("LevelNote", gpu.LevelNote{}),
			structs.Constant("sizeof(GridState)", gpu.GridBytes),
			structs.Constant("sizeof(FusedState)", stateBytes),
			structs.Constant("kPlanes", fusedPlanes),
			structs.Constant("kBlock", fusedThreads),
			structs.Constant("kLimited", gpu.EndedLimited),
			structs.Constant("kPaused", gpu.EndedPaused),
			structs.Constant("kNothing", gpu.EndedNothing),
			structs.Constant("kLate", gpu.EndedLate),
		}},
		{"algos/dobfs/dobfs.cu", []structs.Check{
			structs.Kernels("dobfs_fused_*", fusedArgs{}),
			structs.Constant("kBlock", fusedThreads),
		}},
		{"algos/dobfs/tiers.cu", []structs.Check{
			// Fields are as in dobfs.cu, but that targets are a struct of one word.
			structs.Kernels("dobfs_tiers_*", structs.AtMost(fusedArgs{})),
			structs.Constant("sizeof(FusedArgs<u32>)", uint64(unsafe.Sizeof(fusedArgs{}))),
			structs.Constant("sizeof(Csr<u32>)", uint64(unsafe.Sizeof(step.CsrArgs{}))),
			structs.Constant("offsetof(Csr<u32>, targets)", uint64(unsafe.Offsetof(step.CsrArgs{}.Targets))),
			structs.Struct("Tiers", placed.TiersTable{}),
			structs.Constant("kBlock", fusedThreads),
		}},
		{"algos/dobfs/across.cu", []structs.Check{
			structs.Kernels("bfs_across_*", shardArgs{}),
			structs.Kernels("bfs_next_*", step.CsrArgs{}, uint64(0), uint32(0)),
			structs.Struct("PeersArgs", peersArgs{}),
			structs.Constant("sizeof(PeerState)", peerStateBytes),
			structs.Constant("kMostPeers", gpu.MostPeers),
			structs.Constant("kBlock", fusedThreads),
			structs.Constant("kLimited", gpu.EndedLimited),
			structs.Constant("kLate", gpu.EndedLate),
		}},
		{"algos/bfs/deep.cu", []structs.Check{
			structs.Kernels("bfs_deep_*", fusedArgs{}, deepArgs{}),
			structs.Constant("sizeof(DeepShared)", deepBytes),
			structs.Constant("kBlock", deepThreads),
		}},
	} {
		t.Run(c.source, func(t *testing.T) { structs.Run(t, c.source, c.checks...) })
	}
}

// visitorParams are the fields of a visitor, as kernels have them.
type visitorParams struct {
	seen, depths, parents uint64
	level                 int32
	culls                 uint32
}

func TestParams(t *testing.T) {
	v := visitor{Level: -7, culls: 15}
	v.remote.seen, v.remote.depths, v.remote.parents = 1, 2, 3
	var words step.Params
	v.Params(&words)
	want := visitorParams{seen: 1, depths: 2, parents: 3, level: -7, culls: 15}
	if got := *(*visitorParams)(unsafe.Pointer(&words)); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
