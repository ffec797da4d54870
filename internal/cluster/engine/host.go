// This file holds the engine on the host's processors: its state, and the state that it shares
// with other ranks.

package engine

import (
	"context"
	"math/bits"
	"slices"
)

// hostEngine is the state of a search. Normal vertices are the rank's own, by local number; delegates
// are all, and the same on all ranks between two levels.
type hostEngine struct {
	*Part
	o SearchOptions

	depthN, depthD []int32 // -1: not visited
	// seenN and seenD have a bit for each visited vertex; for normal vertices
	// also those that the level has found. foundD are the delegates that the level found.
	seenN, seenD, foundD []uint64
	*before
	front, next []uint32 // normal vertices
	frontD      []uint32 // delegates
	found       [][]uint32
	out         [][][]uint32 // normal vertices for their owners, by worker
	listed      marks        // the vertices that a message has
	// Where parents are wanted: the one on this rank by which a vertex was found.
	parentN, parentD []place

	nd, dd, dn half
	nnPush     uint64 // edges of nn out of the frontier
}

// half is the state of a subgraph that determines the work of a level.
type half struct {
	push uint64 // edges out of the frontier
	left uint64 // edges out of vertices that weren't visited
	// Those that could be found in a pull, and how many edges lead back from them.
	candidates, back uint64
}

// before is the initial state of a search. It is the same for all searches.
type before struct {
	hasND, hasDN, hasDD []uint64 // vertices with an edge of that subgraph
	halves              [3]half
}

func (p *Part) beforeSearch() *before {
	if p.before != nil {
		return p.before
	}
	d := len(p.delegate)
	b := &before{hasND: newBits(p.local), hasDN: newBits(d), hasDD: newBits(d)}
	for i, x := range []struct {
		r   *rows[uint32]
		has []uint64
	}{subND: {&p.nd, b.hasND}, subDD: {&p.dd, b.hasDD}, subDN: {&p.dn, b.hasDN}} {
		n := uint64(0)
		for v := range uint32(len(x.r.off) - 1) {
			if x.r.len(v) > 0 {
				set(x.has, v)
				n++
			}
		}
		edges := uint64(x.r.edges())
		// Delegates are found back along dn, normal vertices along nd.
		back := [...]int{subND: subDN, subDD: subDD, subDN: subND}[i]
		b.halves[i].left = edges
		b.halves[back].candidates, b.halves[back].back = n, edges
	}
	p.before = b
	return b
}

func newHost(p *Part, from []place, o SearchOptions) *hostEngine {
	h := &hostEngine{Part: p, o: o}
	d := len(p.delegate)
	h.depthN, h.depthD = make([]int32, p.local), make([]int32, d)
	h.seenN, h.seenD, h.foundD = newBits(p.local), newBits(d), newBits(d)
	p.team.tiles(context.Background(), p.local, tileEdges, func(_, from, to int) {
		for i := from; i < to; i++ {
			h.depthN[i] = -1
		}
	})
	for i := range h.depthD {
		h.depthD[i] = -1
	}
	h.before = p.beforeSearch()
	h.nd, h.dd, h.dn = h.halves[subND], h.halves[subDD], h.halves[subDN]
	h.found, h.out = make([][]uint32, p.team.workers), bins[uint32](p.team.workers, p.comm.Size())
	if o.Parents {
		h.parentN, h.parentD = make([]place, p.local), slices.Repeat([]place{noParent}, d)
	}
	for _, v := range from {
		n := v.local()
		if v.delegate() {
			set(h.foundD, n)
			if o.Parents {
				h.parentD[n] = v
			}
			continue
		}
		set(h.seenN, n)
		h.depthN[n] = 0
		h.next = append(h.next, n)
		if o.Parents {
			h.parentN[n] = v
		}
	}
	h.settle(context.Background(), 0)
	return h
}

func newBits(n int) []uint64          { return make([]uint64, (n+63)/64) }
func set(b []uint64, i uint32)        { b[i>>6] |= 1 << (i & 63) }
func isSet(b []uint64, i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

func (h *hostEngine) frontier() (normals, delegates uint64) {
	return uint64(len(h.front)), uint64(len(h.frontD))
}

// visited reports whether a vertex was visited, on its owner.
func (h *hostEngine) visited(v place) bool {
	if v.delegate() {
		return isSet(h.seenD, v.local())
	}
	return isSet(h.seenN, v.local())
}

func (h *hostEngine) unite(ctx context.Context) error { return h.comm.Or(ctx, h.foundD) }

// settle makes the found vertices the frontier.
func (h *hostEngine) settle(ctx context.Context, depth int32) {
	h.front = append(h.front[:0], h.next...)
	h.next = h.next[:0]
	for w := range h.found {
		h.front = append(h.front, h.found[w]...)
		h.found[w] = h.found[w][:0]
	}
	h.frontD = h.frontD[:0]
	h.nd.push, h.dn.push, h.dd.push, h.nnPush = 0, 0, 0, 0
	for i, found := range h.foundD {
		for new := found &^ h.seenD[i]; new != 0; new &= new - 1 {
			n := uint32(i)<<6 | uint32(bits.TrailingZeros64(new))
			h.frontD = append(h.frontD, n)
			h.depthD[n] = depth
			dn, dd := uint64(h.Part.dn.len(n)), uint64(h.Part.dd.len(n))
			h.dn.push += dn
			h.dd.push += dd
			h.nd.leave(dn)
			h.dd.leave(dd)
		}
		h.seenD[i] |= found
		h.foundD[i] = 0
	}
	h.dn.left -= h.dn.push
	h.dd.left -= h.dd.push
	sums := make([]half, h.team.workers) // push: nd, left: nn, candidates
	h.team.tiles(ctx, len(h.front), tileRows, func(w, from, to int) {
		s := &sums[w]
		for _, v := range h.front[from:to] {
			nd := uint64(h.Part.nd.len(v))
			s.push += nd
			s.left += uint64(h.nn.len(v))
			if nd > 0 {
				s.candidates++
			}
		}
	})
	for _, s := range sums {
		h.nd.push += s.push
		h.nnPush += s.left
		h.dn.candidates -= s.candidates
	}
	h.nd.left -= h.nd.push
	h.dn.back -= h.nd.push
}

// leave subtracts a vertex with the given number of reverse edges.
func (x *half) leave(back uint64) {
	if back > 0 {
		x.candidates--
		x.back -= back
	}
}

// finish returns depths by the rank's own numbers, including those of its delegates.
func (h *hostEngine) finish() []int32 {
	for _, d := range h.here {
		h.depthN[d.local] = h.depthD[d.number]
	}
	return h.depthN
}
