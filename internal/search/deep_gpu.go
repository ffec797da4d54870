// This file holds the host's part of searches of small frontiers in one cluster of
// blocks (deep.cuh).

package search

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
)

// deepBytes is the size of DeepShared (deep.cuh).
const deepBytes = 102928

// deepArgs are those of the kernel in one cluster (deep.cuh), beside fusedArgs.
type deepArgs struct {
	heads    uint64
	local, _ uint32
}

// heads are the rows of the graph by vertex, for small frontiers (deep.cuh),
// kept with the placed graph.
type heads struct {
	mem device.Memory
}

// Free gives them back.
func (h *heads) Free() error { return h.mem.Free() }

type headsKey struct{}

const headBytes = 16 // a vertex

// readyDeep readies the kernel for small frontiers, with targets or without.
func (g *GPU) readyDeep(targets bool) error {
	f, p := g.fused, g.Placed
	name, i := "bfs_deep", 0
	if targets {
		name, i = "bfs_deep_targets", 1
	}
	if f.cluster = f.clusters[i]; f.cluster != nil {
		return nil
	}
	r, width := p.Remote(), "_o32"
	if r.Wide {
		width = "_o64"
	}
	x, err := p.Once(headsKey{}, func() (any, error) {
		k, err := g.s.KernelOf(fusedImage, "bfs_heads"+width, fusedThreads)
		if err != nil {
			return nil, err
		}
		mem, err := p.Device().Alloc(headBytes * uint64(max(p.NumVertices(), 1)))
		if err != nil {
			return nil, err
		}
		to := uint64(mem.Pointer())
		g.args.Reset()
		gpu.Struct(&g.args, &f.args.out)
		gpu.Struct(&g.args, &to)
		if err := errors.Join(g.s.LaunchTogether(k, &g.args), g.s.Sync()); err != nil {
			return nil, errors.Join(err, mem.Free())
		}
		return &heads{mem: mem}, nil
	})
	if err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	f.deep.heads = uint64(x.(*heads).mem.Pointer())
	words := (p.NumVertices() + 31) / 32
	k, err := g.s.ClusterKernel(deepImage, name+width, deepThreads, func(blocks int) int {
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
