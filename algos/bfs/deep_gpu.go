// This file holds the host's part of searches of small frontiers in one cluster of
// blocks (deep.cuh).

package bfs

import (
	"fmt"

	"github.com/foray-graph/foray/internal/layout/shortrows"
)

// deepBytes is the size of DeepShared (deep.cuh).
const deepBytes = 102928

// deepArgs are the arguments of the kernel in one cluster (deep.cuh), which follow fusedArgs.
type deepArgs struct {
	heads    uint64
	local, _ uint32
}

// readyDeep readies the kernel for small frontiers, with targets or without.
func (g *gpuSearch) readyDeep(targets bool) error {
	f, p := g.fused, g.Placed
	name, i := "bfs_deep", 0
	if targets {
		name, i = "bfs_deep_targets", 1
	}
	if f.cluster = f.clusters[i]; f.cluster != nil {
		return nil
	}
	at, err := shortrows.Of(p, g.s)
	if err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	f.deep.heads = at
	words := (p.NumVertices() + 31) / 32
	k, err := g.s.ClusterKernel(deepImage, name+p.Remote().Width(), deepThreads, func(blocks int) int {
		f.deep.local = uint32((words + blocks - 1) / blocks)
		return deepBytes + 4*int(f.deep.local)
	}, func() int {
		f.deep.local = 0 // the bits stay where they are
		return deepBytes
	})
	if err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	f.cluster, f.clusters[i] = k, k
	return nil
}
