// This file holds a level of the host: pushes and pulls of each subgraph. Loops are
// written out for each, since nothing is called for an edge.

package engine

import (
	"context"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/internal/engine/bitmap"
)

// expand searches nd and dd first, because their pulls read which normal vertices were visited
// before this level; dn and nn visit more of them.
func (h *hostEngine) expand(ctx context.Context, depth int32) (x expanded) {
	edges := make([]uint64, h.team.workers)
	x.pulls[subND] = h.pulls(&h.nd, h.o.Directions[subND], factorND)
	if x.pulls[subND] {
		h.pullND(ctx, edges)
	} else if h.nd.push > 0 {
		h.pushND(ctx)
		x.edges += h.nd.push
	}
	x.pulls[subDD] = h.pulls(&h.dd, h.o.Directions[subDD], factorDD)
	if x.pulls[subDD] {
		h.pullDD(ctx, edges)
	} else if h.dd.push > 0 {
		h.pushDD(ctx)
		x.edges += h.dd.push
	}
	x.pulls[subDN] = h.pulls(&h.dn, h.o.Directions[subDN], factorDN)
	if x.pulls[subDN] {
		h.pullDN(ctx, depth+1, edges)
	} else if h.dn.push > 0 {
		h.pushDN(ctx, depth+1)
		x.edges += h.dn.push
	}
	if h.nnPush > 0 {
		h.pushNN(ctx, depth+1)
		x.edges += h.nnPush
	}
	for _, n := range edges {
		x.edges += n
	}
	for _, w := range h.foundD {
		x.delegates += uint64(bits.OnesCount64(w))
	}
	for _, lists := range h.out {
		for _, l := range lists {
			x.sends += uint64(len(l))
		}
	}
	return x
}

// pulls chooses the direction. A pull looks at edges until the first that leads to the
// frontier, and every edge of an unvisited vertex leads there or to another unvisited
// one.
func (h *hostEngine) pulls(x *half, d Direction, factor float64) bool {
	if h.directed || d == Push || x.push == 0 {
		return false
	}
	if d == Pull || x.candidates == 0 { // nothing is left to find, which a pull sees at once
		return true
	}
	probes := min(float64(x.back)/float64(x.candidates), float64(x.push+x.left)/float64(x.push))
	return float64(x.push) > factor*probes*float64(x.candidates)
}

func (h *hostEngine) pushND(ctx context.Context) {
	off, to := h.Part.nd.off, h.Part.nd.to
	h.team.tiles(ctx, len(h.front), tilePush, func(_, a, b int) {
		for _, u := range h.front[a:b] {
			for _, v := range to[off[u]:off[u+1]] {
				if h.seenD[v>>6]>>(v&63)&1 == 0 && bitmap.Claim(h.foundD, v) && h.parentD != nil {
					h.parentD[v] = at(h.rank, u)
				}
			}
		}
	})
}

// eachPart cuts the rows of the frontier's delegates into pieces of about equal size,
// since a delegate may have most of the edges.
func (h *hostEngine) eachPart(ctx context.Context, r *rows[uint32], do func(worker int, u uint32, row []uint32)) {
	ends := make([]uint64, len(h.frontD))
	sum := uint64(0)
	for i, u := range h.frontD {
		sum += uint64(r.len(u))
		ends[i] = sum
	}
	h.team.tiles(ctx, int(sum), tileEdges, func(w, a, b int) {
		from, to := uint64(a), uint64(b)
		i, _ := slices.BinarySearch(ends, from+1) // the first row that ends behind it
		for ; from < to; i++ {
			u := h.frontD[i]
			n := uint64(r.len(u))
			skip := from - (ends[i] - n)
			row := r.to[r.off[u]:r.off[u+1]][skip:min(n, skip+to-from)]
			if len(row) > 0 {
				do(w, u, row)
			}
			from += uint64(len(row))
		}
	})
}

func (h *hostEngine) pushDD(ctx context.Context) {
	h.eachPart(ctx, &h.Part.dd, func(_ int, u uint32, row []uint32) {
		for _, v := range row {
			if h.seenD[v>>6]>>(v&63)&1 == 0 && bitmap.Claim(h.foundD, v) && h.parentD != nil {
				h.parentD[v] = delegate(u)
			}
		}
	})
}

func (h *hostEngine) pushDN(ctx context.Context, depth int32) {
	h.eachPart(ctx, &h.Part.dn, func(w int, u uint32, row []uint32) {
		found := h.found[w]
		for _, v := range row {
			if bitmap.Claim(h.seenN, v) {
				h.depthN[v] = depth
				found = append(found, v)
				if h.parentN != nil {
					h.parentN[v] = delegate(u)
				}
			}
		}
		h.found[w] = found
	})
}

func (h *hostEngine) pushNN(ctx context.Context, depth int32) {
	off, to := h.nn.off, h.nn.to
	self := uint32(h.rank)
	h.team.tiles(ctx, len(h.front), tilePush, func(w, a, b int) {
		found, out := h.found[w], h.out[w]
		for _, u := range h.front[a:b] {
			for _, t := range to[off[u]:off[u+1]] {
				v := uint32(t)
				if r := uint32(t >> 32); r != self {
					out[r] = append(out[r], v)
				} else if bitmap.Claim(h.seenN, v) {
					h.depthN[v] = depth
					found = append(found, v)
					if h.parentN != nil {
						h.parentN[v] = at(h.rank, u)
					}
				}
			}
		}
		h.found[w] = found
	})
}

// noParent marks a vertex that another rank found, until its parent is known.
const noParent = ^place(0)

// take visits normal vertices that other ranks found.
func (h *hostEngine) take(w int, list []uint32, depth int32) {
	found := h.found[w]
	for _, v := range list {
		if bitmap.Claim(h.seenN, v) {
			h.depthN[v] = depth
			found = append(found, v)
			if h.parentN != nil {
				h.parentN[v] = noParent
			}
		}
	}
	h.found[w] = found
}

// pullND finds delegates by normal vertices of the frontier. Here and below a worker
// has whole words of the bitmap that it writes.
func (h *hostEngine) pullND(ctx context.Context, edges []uint64) {
	off, to := h.Part.dn.off, h.Part.dn.to
	h.team.tiles(ctx, len(h.foundD), tileWords, func(w, a, b int) {
		n := uint64(0)
		for i := a; i < b; i++ {
			for left := h.hasDN[i] &^ h.seenD[i] &^ h.foundD[i]; left != 0; left &= left - 1 {
				v := uint32(i)<<6 | uint32(bits.TrailingZeros64(left))
				for _, u := range to[off[v]:off[v+1]] {
					n++
					if h.seenN[u>>6]>>(u&63)&1 != 0 {
						h.foundD[i] |= 1 << (v & 63)
						if h.parentD != nil {
							h.parentD[v] = at(h.rank, u)
						}
						break
					}
				}
			}
		}
		edges[w] += n
	})
}

func (h *hostEngine) pullDD(ctx context.Context, edges []uint64) {
	off, to := h.Part.dd.off, h.Part.dd.to
	h.team.tiles(ctx, len(h.foundD), tileWords, func(w, a, b int) {
		n := uint64(0)
		for i := a; i < b; i++ {
			for left := h.hasDD[i] &^ h.seenD[i] &^ h.foundD[i]; left != 0; left &= left - 1 {
				v := uint32(i)<<6 | uint32(bits.TrailingZeros64(left))
				for _, u := range to[off[v]:off[v+1]] {
					n++
					if h.seenD[u>>6]>>(u&63)&1 != 0 {
						h.foundD[i] |= 1 << (v & 63)
						if h.parentD != nil {
							h.parentD[v] = delegate(u)
						}
						break
					}
				}
			}
		}
		edges[w] += n
	})
}

func (h *hostEngine) pullDN(ctx context.Context, depth int32, edges []uint64) {
	off, to := h.Part.nd.off, h.Part.nd.to
	h.team.tiles(ctx, len(h.seenN), tileWords, func(w, a, b int) {
		n, found := uint64(0), h.found[w]
		for i := a; i < b; i++ {
			for left := h.hasND[i] &^ h.seenN[i]; left != 0; left &= left - 1 {
				v := uint32(i)<<6 | uint32(bits.TrailingZeros64(left))
				for _, u := range to[off[v]:off[v+1]] {
					n++
					if h.seenD[u>>6]>>(u&63)&1 != 0 {
						h.seenN[i] |= 1 << (v & 63)
						h.depthN[v] = depth
						found = append(found, v)
						if h.parentN != nil {
							h.parentN[v] = delegate(u)
						}
						break
					}
				}
			}
		}
		edges[w] += n
		h.found[w] = found
	})
}
