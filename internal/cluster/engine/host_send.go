// This file holds how normal vertices get to their owners: straight, or by way of the rank of the machine that has the
// owner's place on its own.

package engine

import (
	"context"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// sent counts the data that a rank sent in a level.
type sent struct {
	bytes    uint64        // to other ranks
	across   uint64        // of these, bytes to ranks of other machines
	messages uint64        // messages to ranks of other machines
	local    time.Duration // of an exchange by machine, until the ranks of a machine have their lists
}

// add counts a message.
func (s *sent) add(bytes int, across bool) {
	s.bytes += uint64(bytes)
	if across && bytes > 0 {
		s.across += uint64(bytes)
		s.messages++
	}
}

// exchange brings normal vertices that were found to their owners, who visit them.
func (h *hostEngine) exchange(ctx context.Context, depth int32) (s sent, err error) {
	var lists [][]uint32
	if h.o.LocalAllToAll && h.machines.gain() {
		lists, err = h.exchangeByMachine(ctx, &s)
	} else {
		lists, err = h.exchangeAll(ctx, &s)
	}
	if err != nil {
		return s, err
	}
	for w := range h.out {
		for r := range h.out[w] {
			h.out[w][r] = h.out[w][r][:0]
		}
	}
	for _, list := range lists {
		h.team.tiles(ctx, len(list), tileEdges, func(w, from, to int) {
			h.take(w, list[from:to], depth+1)
		})
	}
	return s, nil
}

// outFor returns all workers' vertices for a rank, each vertex once unless Twice is set. The lists are used up.
func (h *hostEngine) outFor(rank int) []uint32 {
	lists := make([][]uint32, len(h.out))
	for w := range h.out {
		lists[w] = h.out[w][rank]
	}
	return h.joined(lists)
}

// joined concatenates lists, without duplicates unless Twice is set.
func (h *hostEngine) joined(lists [][]uint32) []uint32 {
	list := join(lists...)
	if !h.o.Twice {
		list = h.listed.unique(list)
	}
	return list
}

// marks is a bitmap, all of whose bits are 0 between two lists.
type marks []uint64

// unique removes duplicates from a list.
func (m *marks) unique(list []uint32) []uint32 {
	kept := list[:0]
	for _, v := range list {
		if n := int(v>>6) + 1; n > len(*m) {
			*m = append(*m, make([]uint64, n-len(*m))...)
		}
		if !isSet(*m, v) {
			set(*m, v)
			kept = append(kept, v)
		}
	}
	for _, v := range kept {
		(*m)[v>>6] = 0
	}
	return kept
}

// exchangeAll sends each rank its vertices.
func (h *hostEngine) exchangeAll(ctx context.Context, s *sent) ([][]uint32, error) {
	out := make([][]byte, h.comm.Size())
	for r := range out {
		out[r] = bytesOf(h.outFor(r))
		s.add(len(out[r]), h.machines.of[r] != h.machines.of[h.rank])
	}
	in, err := h.comm.Exchange(ctx, out)
	if err != nil {
		return nil, err
	}
	return numbersOfEach(in), nil
}

// exchangeByMachine is the local all-to-all of Pan et al., section V: ranks of a machine first exchange their
// vertices for ranks of other machines, then each sends them on. A list for a rank of another machine goes there once, from
// its machine, and each vertex in it once, unless Twice is set.
func (h *hostEngine) exchangeByMachine(ctx context.Context, s *sent) ([][]uint32, error) {
	m, start := h.machines, time.Now()
	mates := m.ranks[m.of[h.rank]]
	out := make([][]byte, h.comm.Size())
	for _, r := range mates {
		if r != h.rank {
			out[r] = bytesOf(pack(h.outFor, append([]int{r}, m.carries(r)...)))
			s.add(len(out[r]), false)
		}
	}
	in, err := comm.ExchangeAmong(ctx, h.comm, mates, out)
	if err != nil {
		return nil, err
	}
	carried := m.carries(h.rank)
	own := [][]uint32{h.outFor(h.rank)}
	parts := make([][][]uint32, len(carried))
	for i, r := range carried {
		parts[i] = append(parts[i], h.outFor(r))
	}
	for _, r := range mates {
		if len(in[r]) > 0 {
			_, lists := unpack[uint32](in[r], 0, 1+len(carried))
			own = append(own, lists[0])
			for i := range carried {
				parts[i] = append(parts[i], lists[1+i])
			}
		}
	}
	s.local = time.Since(start)
	clear(out)
	for i, r := range carried {
		out[r] = bytesOf(h.joined(parts[i]))
		s.add(len(out[r]), true)
	}
	in, err = comm.ExchangeAmong(ctx, h.comm, m.partners(h.rank), out)
	if err != nil {
		return nil, err
	}
	return append(own, numbersOfEach(in)...), nil
}

// pack makes a message of the lists for some ranks, as unpack takes it. It is empty if all lists are.
func pack(of func(rank int) []uint32, ranks []int) []uint32 {
	lists := make([][]uint32, 1, 1+len(ranks))
	lengths, n := make([]uint32, len(ranks)), 0
	for i, r := range ranks {
		list := of(r)
		lengths[i] = uint32(len(list))
		lists, n = append(lists, list), n+len(list)
	}
	if n == 0 {
		return nil
	}
	lists[0] = lengths
	return join(lists...)
}

func numbersOfEach(in [][]byte) [][]uint32 {
	lists := make([][]uint32, len(in))
	for r, b := range in {
		lists[r] = numbersOf[uint32](b)
	}
	return lists
}
