//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the taking of a GPU's memory for a part.

package cluster

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/device"
)

// takeRoom takes the memory on all ranks, or on none where it returns a NoRoom, once OnGPU is closed.
func (g *OnGPU) takeRoom(ctx context.Context, parents bool) error {
	if err := g.reserve(true); err != nil {
		return err
	}
	needs, free := g.bytes, g.dev.Info().MemoryFree // 0: unknown
	if parents {
		needs += g.parentBytes()
	}
	own := &NoRoom{Needs: needs, Free: free}
	if free == 0 || needs <= free {
		err := g.reserve(false)
		if err == nil && parents {
			err = g.reserveParents()
		}
		switch {
		case err == nil:
			own = nil
		case !errors.Is(err, device.ErrMemory): // others may have taken it meanwhile, or it is in pieces
			return err
		}
	}
	lacks, err := agree(ctx, g.p.comm, own)
	if err == nil && lacks != nil {
		return lacks
	}
	return err
}

// parentBytes is what reserveParents takes.
func (g *OnGPU) parentBytes() (n uint64) {
	for _, v := range g.a.vertices {
		n += max(8*uint64(v), 16)
	}
	return n
}
