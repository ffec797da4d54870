//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the order that normal vertices have on a GPU, and the numbers of those of other ranks.

package cluster

import (
	"context"
	"slices"
)

// arrange puts the normal vertices in order, by counting: a normal vertex has few edges to delegates. Each worker has
// a stretch of them, and within a class stretches come one after another, so that the order is the same by any number.
func (g *OnGPU) arrange(ctx context.Context) error {
	p := g.p
	isHome := bitmap(p.local)
	for _, d := range p.here {
		set(isHome, d.local)
	}
	stretches := p.team.workers
	each := (p.local + stretches - 1) / stretches
	over := func(do func(k int, i uint32)) {
		p.team.tiles(ctx, stretches, 1, func(_, k, _ int) {
			for i := k * each; i < min((k+1)*each, p.local); i++ {
				do(k, uint32(i))
				p.team.progressEvery(i)
			}
		})
	}
	longest := make([]uint32, stretches)
	over(func(k int, i uint32) { longest[k] = max(longest[k], p.nd.len(i)) })
	most := slices.Max(longest)
	// By class: most to least edges to delegates, then those with other edges alone.
	class := func(i uint32) (uint32, bool) {
		n := p.nd.len(i)
		return most - n, !isSet(isHome, i) && (n > 0 || p.directed || p.nn.len(i) > 0)
	}
	classes := int(most) + 1
	if classes > each { // counts by stretch would take more than the vertices
		stretches, each = 1, p.local
	}
	next := make([][]uint32, stretches) // how many there are, then where the next one goes
	for k := range next {
		next[k] = make([]uint32, classes)
	}
	over(func(k int, i uint32) {
		if c, ok := class(i); ok {
			next[k][c]++
		}
	})
	all := uint32(0)
	for c := range classes {
		if c == classes-2 { // one edge to a delegate
			g.several = int(all)
		}
		for k := range next {
			next[k][c], all = all, all+next[k][c]
		}
	}
	g.order, g.numbers = make([]uint32, all), make([]uint32, p.local)
	over(func(k int, i uint32) {
		c, ok := class(i)
		if !ok {
			g.numbers[i] = nowhere
			return
		}
		g.order[next[k][c]], g.numbers[i] = i, next[k][c]
		next[k][c]++
	})
	return ctx.Err()
}

// far returns the targets of nn as the GPUs number them. Each rank in turn tells all others its vertices' numbers.
func (g *OnGPU) far(ctx context.Context) ([]uint32, error) {
	p := g.p
	to := make([]uint32, len(p.nn.to))
	err := p.inTurn(ctx, g.numbers, func(r int, numbers []uint32) {
		p.team.tiles(ctx, len(to), tileEdges, func(_, a, b int) {
			for i := a; i < b; i++ {
				if t := place(p.nn.to[i]); t.owner() == r {
					to[i] = uint32(r)*g.stride + numbers[t.local()]
				}
			}
		})
	})
	return to, err
}

// inTurn has each rank in turn tell all ranks a list, so that no rank has more than one of another's at a time.
func (p *Part) inTurn(ctx context.Context, own []uint32, do func(rank int, list []uint32)) error {
	for r := range p.comm.Size() {
		out := make([][]byte, p.comm.Size())
		if r == p.rank {
			for i := range out {
				out[i] = bytesOf(own)
			}
		}
		in, err := p.comm.Exchange(ctx, out)
		if err != nil {
			return err
		}
		do(r, numbersOf[uint32](in[r]))
	}
	return ctx.Err()
}
