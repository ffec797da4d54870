//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the order of normal vertices on a GPU, and the numbers of other ranks' vertices.

package engine

import (
	"context"
	"slices"
)

// arrange puts the normal vertices in order, by counting: a normal vertex has few edges to delegates. Each worker has
// a stretch of them, and within a class stretches come one after another, so that the order is the same by any number.
func (g *OnGPU) arrange(ctx context.Context) error {
	p := g.p
	isHome := newBits(p.local)
	for _, d := range p.here {
		set(isHome, d.local)
	}
	stretches := p.team.workers
	each := (p.local + stretches - 1) / stretches
	over := func(do func(k, from, to int)) {
		p.team.tiles(ctx, stretches, 1, func(_, k, _ int) {
			end := min((k+1)*each, p.local)
			for i := k * each; i < end; i += tileEdges {
				do(k, i, min(i+tileEdges, end))
				p.team.progress()
			}
		})
	}
	nd, nn := p.nd.off, p.nn.off
	longest := make([]uint32, stretches)
	over(func(k, from, to int) {
		most := longest[k]
		for i := from; i < to; i++ {
			most = max(most, nd[i+1]-nd[i])
		}
		longest[k] = most
	})
	most := slices.Max(longest)
	// By class: most to least edges to delegates, then those with other edges alone.
	class := func(i int) (uint32, bool) {
		n := nd[i+1] - nd[i]
		return most - n, (n > 0 || p.directed || nn[i+1] > nn[i]) && !isSet(isHome, uint32(i))
	}
	classes := int(most) + 1
	if classes > each { // counts by stretch would take more than the vertices
		stretches, each = 1, p.local
	}
	next := make([][]uint32, stretches) // counts, then where the next vertex goes
	for k := range next {
		next[k] = make([]uint32, classes)
	}
	over(func(k, from, to int) {
		count := next[k]
		for i := from; i < to; i++ {
			if c, ok := class(i); ok {
				count[c]++
			}
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
	over(func(k, from, to int) {
		next, order, numbers := next[k], g.order, g.numbers
		for i := from; i < to; i++ {
			c, ok := class(i)
			if !ok {
				numbers[i] = nowhere
				continue
			}
			order[next[c]], numbers[i] = uint32(i), next[c]
			next[c]++
		}
	})
	return ctx.Err()
}

// far returns the targets of nn as the GPUs number them. Each rank in turn sends all others its vertices' numbers.
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

// inTurn makes each rank in turn send a list to all ranks, so that a rank holds only one other rank's list at a time.
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
