// This file tests that arguments, and what kernels and host share beside them, are
// laid out as the kernels have them.

package search

import (
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/layouttest"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

func TestLayout(t *testing.T) {
	operators := layouttest.AtMost([512]byte{}) // checked in operators/advance
	for _, c := range []struct {
		source string
		checks []layouttest.Check
	}{
		{"algos/bfs/bfs.cu", []layouttest.Check{
			layouttest.Kernels("bfs_push_*", operators, visitorParams{}),
			layouttest.Kernels("bfs_contract_*", operators, visitorParams{}),
			layouttest.Kernels("bfs_pull_*", operators, gpu.Post{}, visitorParams{}),
			layouttest.Kernels("bfs_fill_*", startArgs{}),
			layouttest.Kernels("bfs_start_*", startArgs{}),
		}},
		{"algos/bfs/extra.cu", []layouttest.Check{
			layouttest.Kernels("bfs_*push_*", operators, visitorParams{}),
			layouttest.Kernels("bfs_*levels_*", operators, visitorParams{}),
			layouttest.Kernels("bfs_*edges_*", operators, visitorParams{}),
			layouttest.Kernels("bfs_*contract_*", operators, visitorParams{}),
			layouttest.Kernels("bfs_quadratic_*", quadraticArgs{}),
			layouttest.Kernels("bfs_reached", reachArgs{}),
		}},
		{"algos/bfs/fused.cu", []layouttest.Check{
			layouttest.Kernels("bfs_fused_*", fusedArgs{}),
			layouttest.Kernels("bfs_gather", gatherArgs{}),
			layouttest.Struct("LevelNote", fusedLevel{}),
			layouttest.Constant("sizeof(GridState)", gridBytes),
			layouttest.Constant("sizeof(FusedState)", stateBytes),
			layouttest.Constant("kPlanes", fusedPlanes),
			layouttest.Constant("kBlock", fusedThreads),
			layouttest.Constant("kLimited", fusedLimited),
			layouttest.Constant("kPaused", fusedPaused),
			layouttest.Constant("kNothing", fusedNothing),
			layouttest.Constant("kLate", fusedLate),
		}},
		{"algos/dobfs/dobfs.cu", []layouttest.Check{
			layouttest.Kernels("dobfs_fused_*", fusedArgs{}),
			layouttest.Constant("kBlock", fusedThreads),
		}},
		{"algos/dobfs/across.cu", []layouttest.Check{
			layouttest.Kernels("bfs_across_*", acrossArgs{}),
			layouttest.Struct("PeersArgs", peersArgs{}),
			layouttest.Constant("sizeof(PeerState)", peerStateBytes),
			layouttest.Constant("kMostPeers", gpu.MostPeers),
			layouttest.Constant("kBlock", fusedThreads),
			layouttest.Constant("kLimited", fusedLimited),
			layouttest.Constant("kLate", fusedLate),
		}},
		{"algos/bfs/deep.cu", []layouttest.Check{
			layouttest.Kernels("bfs_deep_*", fusedArgs{}, deepArgs{}),
			layouttest.Constant("sizeof(DeepShared)", deepBytes),
			layouttest.Constant("kBlock", deepThreads),
		}},
	} {
		t.Run(c.source, func(t *testing.T) { layouttest.Run(t, c.source, c.checks...) })
	}
}

// visitorParams are the fields of a Visitor, as kernels have them.
type visitorParams struct {
	seen, depths, parents uint64
	level                 int32
	culls                 uint32
}

func TestParams(t *testing.T) {
	v := Visitor{Level: -7, culls: filter.AllCulls}
	v.remote.seen, v.remote.depths, v.remote.parents = 1, 2, 3
	var words advance.Params
	v.Params(&words)
	want := visitorParams{seen: 1, depths: 2, parents: 3, level: -7, culls: uint32(filter.AllCulls)}
	if got := *(*visitorParams)(unsafe.Pointer(&words)); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
