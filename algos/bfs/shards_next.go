// This file holds the second and third in-neighbors of vertices on several GPUs, of which pulls have a copy.

package bfs

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

// shardNext has an array on each GPU.
type shardNext []device.Memory

// Close gives them back.
func (n shardNext) Close() (err error) {
	for _, m := range n {
		err = errors.Join(err, m.Close())
	}
	return err
}

type shardNextKey struct{ placed.Of[shardNext] }

// useNext gives the kernels the arrays, which are made once for a placed graph. Without memory for them a search goes without.
func (g *shardSearch) useNext() error {
	next, err := placed.LoadOrMake(g.Placed.State(), shardNextKey{}, g.findNext)
	if errors.Is(err, device.ErrMemory) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("bfs: second neighbors: %w", err)
	}
	for i, p := range g.parts {
		p.a.next = uint64(next[i].Pointer())
	}
	return nil
}

func (g *shardSearch) findNext() (next shardNext, err error) {
	defer func() {
		if err != nil {
			err, next = errors.Join(err, next.Close()), nil
		}
	}()
	width := "32"
	if g.placed.Wide {
		width = "64"
	}
	for _, p := range g.parts {
		n := min(p.part.Ones, uint32(p.part.Vertices))
		m, err := p.dev.Alloc(max(8*uint64(n), 16))
		if err != nil {
			return next, err
		}
		next = append(next, m)
		k, err := p.s.KernelOf(shardImage, "bfs_next_o"+width, fusedThreads)
		if err != nil {
			return next, err
		}
		var args gpu.Args
		args.Reset()
		rows := step.CsrArgs{Offsets: uint64(p.part.InOffsets), Targets: uint64(p.part.InTargets), N: uint32(p.part.Vertices)}
		gpu.Struct(&args, &rows)
		args.U64(uint64(m.Pointer()))
		args.U32(n)
		if err := p.s.Launch(k, int(n/fusedThreads)+1, &args); err != nil {
			return next, err
		}
	}
	for _, p := range g.parts {
		if err := p.s.Sync(); err != nil {
			return next, err
		}
	}
	return next, nil
}
