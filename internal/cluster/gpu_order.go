//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the order that normal vertices have on a GPU, and the numbers of those of other ranks.

package cluster

import (
	"context"
	"slices"
)

// arrange puts the normal vertices in order, by counting: a normal vertex has few edges to delegates.
func (g *OnGPU) arrange() {
	p := g.p
	isHome := bitmap(p.local)
	for _, d := range p.here {
		set(isHome, d.local)
	}
	most := uint32(0)
	for i := range uint32(p.local) {
		most = max(most, p.nd.len(i))
	}
	// By class: most to least edges to delegates, then those with other edges alone.
	ends := make([]uint32, most+3)
	class := func(i uint32) (uint32, bool) {
		n := p.nd.len(i)
		return most - n, !isSet(isHome, i) && (n > 0 || p.directed || p.nn.len(i) > 0)
	}
	for i := range uint32(p.local) {
		if c, ok := class(i); ok {
			ends[c+1]++
		}
	}
	for c := range most + 1 {
		ends[c+1] += ends[c]
	}
	g.order = make([]uint32, ends[most+1])
	if most > 0 {
		g.several = int(ends[most-1])
	}
	g.numbers = slices.Repeat([]uint32{nowhere}, p.local)
	for i := range uint32(p.local) {
		if c, ok := class(i); ok {
			g.order[ends[c]], g.numbers[i] = i, ends[c]
			ends[c]++
		}
		p.team.progressEvery(int(i))
	}
}

// far returns the targets of nn as the GPUs number them. Each rank in turn tells all others its vertices' numbers.
func (g *OnGPU) far(ctx context.Context) ([]uint32, error) {
	p := g.p
	to := make([]uint32, len(p.nn.to))
	for r := range p.comm.Size() {
		out := make([][]byte, p.comm.Size())
		if r == p.rank {
			for i := range out {
				out[i] = bytesOf(g.numbers)
			}
		}
		in, err := p.comm.Exchange(ctx, out)
		if err != nil {
			return nil, err
		}
		numbers := numbersOf[uint32](in[r])
		p.team.tiles(ctx, len(to), tileEdges, func(_, a, b int) {
			for i := a; i < b; i++ {
				if t := place(p.nn.to[i]); t.owner() == r {
					to[i] = uint32(r)*g.stride + numbers[t.local()]
				}
			}
		})
	}
	return to, ctx.Err()
}
