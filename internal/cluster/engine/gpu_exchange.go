//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the exchange of a level's messages: through memory of all ranks, to which a kernel of each rank stores
// (search_args.cuh), or by NCCL.

package engine

import (
	"context"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/cluster/nccl"
)

// exchange is what a level sends to all ranks in addition to its header.
type exchange struct {
	level     bool // it is a level's: what came is taken
	news      bool // messages have normal vertices that their owners found
	brief     bool // short lists
	delegates bool // the bitmap of delegates
	normals   bool // the bitmap of normal vertices
}

// takeInbox takes memory for gathered data: headers, bitmaps of delegates and of normal vertices, each twice.
func (g *OnGPU) takeInbox(headers, united, known uint64, take func(uint64) uintptr) {
	const flags, unit = 256, 256
	at := uint64(flags)
	size := [3]uint64{headers, united, known}
	for i, n := range size {
		size[i] = (n + unit - 1) &^ (unit - 1)
		g.inboxParts[i] = at
		at += 2 * size[i]
	}
	if g.a.ranks > 1 {
		at = (at + nccl.MemoryUnit - 1) &^ (nccl.MemoryUnit - 1)
	}
	before := len(g.memory)
	inbox := take(at)
	if len(g.memory) > before {
		g.inbox = g.memory[before]
	}
	for i := range uintptr(2) {
		g.gathered.headers[i] = inbox + uintptr(g.inboxParts[0]) + i*uintptr(size[0])
		g.gathered.united[i] = inbox + uintptr(g.inboxParts[1]) + i*uintptr(size[1])
		g.knowns[i] = inbox + uintptr(g.inboxParts[2]) + i*uintptr(size[2])
	}
}

// reach lets the kernels of all ranks reach all inboxes, if possible. All ranks call it.
func (g *OnGPU) reach(ctx context.Context) (err error) {
	if g.a.ranks > 1 {
		g.peers, err = g.c.Peers(ctx, g.p.comm, g.inbox, !callsOnly)
	}
	return err
}

// closePeers unmaps other ranks' inboxes, and waits until all ranks have, since they free theirs afterwards. After a
// failure it doesn't wait.
func (g *OnGPU) closePeers() error {
	if g.peers == nil {
		return nil
	}
	err := g.peers.Close()
	g.peers = nil
	if g.p.comm.Err() == nil && g.c.Err() == nil {
		g.p.comm.Barrier(context.Background()) // it fails where a rank failed, which has its own error
	}
	return err
}

// late is the word that says that a wait was given up.
func (g *OnGPU) late() uint64 { return uint64(g.ticket) + 8 }

// united is where all ranks' bitmaps of delegates are.
func (g *OnGPU) united() uint64 { return uint64(g.gathered.united[g.now.united]) }

// words returns the distance, in words, from a rank's header to the next one.
func (s *gpuSearch) words(x exchange) int {
	if x.brief || s.peers != nil {
		return s.message
	}
	return s.pitch
}

// sends returns the arguments of the kernel that sends. The pieces of memory that it fills are the present ones then.
func (s *gpuSearch) sends(x exchange, header bool) sendArgs {
	s.exchanges++
	a := sendArgs{number: s.exchanges, ticket: uint64(s.ticket) + 4, late: s.late(), halt: s.c.Halt(),
		words: uint32(s.pitch), pitch: uint32(s.message), patience: uint64(patience)}
	if header {
		a.what |= sendHeaders
		s.now.headers ^= 1
	}
	if x.delegates {
		a.what |= sendDelegates
		s.now.united ^= 1
	}
	if x.normals {
		a.what |= sendNormals
	}
	own := s.peers.At[s.p.rank]
	for r, at := range s.peers.At {
		a.at[r] = uint64(at)
	}
	a.headers = uint64(s.gathered.headers[s.now.headers] - own)
	a.united = uint64(s.gathered.united[s.now.united] - own)
	a.known = uint64(s.knowns[s.turned^1] - own)
	return a
}

// gather gathers bitmaps.
func (s *gpuSearch) gather(ctx context.Context, x exchange) error {
	if s.peers != nil {
		a, t := s.args(s.level), s.sends(x, false)
		return run2(s.OnGPU, "cluster_send", s.allBlocks(), &a, &t)
	}
	return s.talk(func() error { return s.c.Gather(ctx, s.blocks(x)...) })
}

// swap gathers the headers of all ranks, with the data that goes with them, and reads the headers.
func (s *gpuSearch) swap(ctx context.Context, x exchange) error {
	s.stamp++
	n := len(s.heads)
	t := tellArgs{to: uint64(s.pinned.Ptr()), stamp: uint64(s.pinned.Ptr()) + uint64(wordBytes*n), value: s.stamp,
		ranks: uint32(s.p.comm.Size()), words: uint32(s.pitch), pitch: uint32(s.words(x))}
	enqueue := s.call
	if s.peers != nil {
		enqueue = s.post
	}
	if err := enqueue(ctx, x, t); err != nil {
		return err
	}
	mail := numbersOf[uint64](s.pinned.Bytes())
	looks := 0
	err := s.c.Until(ctx, func() (bool, error) {
		if atomic.LoadUint64(&mail[n]) == s.stamp {
			return true, nil
		}
		if looks++; looks%looksPerQuery != 0 {
			return false, nil
		}
		_, err := s.s.Idle() // has the device failed?
		return false, err
	})
	if err != nil {
		return err
	}
	copy(s.heads, mail[:n])
	if s.peers != nil {
		s.clock.waited(s.level, float64(mail[n+2]-mail[n+1])/1e9)
	}
	s.count()
	return nil
}

// post sends to all ranks' memory, and enqueues what takes what comes.
func (s *gpuSearch) post(_ context.Context, x exchange, t tellArgs) error {
	send := s.sends(x, true)
	t.from = uint64(s.gathered.headers[s.now.headers])
	send.tell = t
	if !x.level {
		a := s.args(s.level)
		return run2(s.OnGPU, "cluster_send", 1, &a, &send)
	}
	if err := run2(s.OnGPU, "cluster_post", s.allBlocks(), &s.packs, &send); err != nil {
		return err
	}
	return s.early(x, tellArgs{})
}

// call sends by NCCL. The kernel that takes what comes tells the host of the headers.
func (s *gpuSearch) call(ctx context.Context, x exchange, t tellArgs) error {
	blocks := append(make([]nccl.Block, 0, 3), nccl.Block{From: uintptr(s.args(s.level).next), To: s.gathered.headers[0], Bytes: uint64(wordBytes * s.words(x))})
	blocks = append(blocks, s.blocks(x)...)
	if err := s.talk(func() error { return s.c.Gather(ctx, blocks...) }); err != nil {
		return err
	}
	t.from = uint64(s.gathered.headers[0])
	if x.level {
		return s.early(x, t)
	}
	return run(s.OnGPU, "cluster_tell", 1, &t)
}

// blocks are the bitmaps that an exchange gathers: of delegates, and of the visited vertices among all ranks' normal
// vertices.
func (s *gpuSearch) blocks(x exchange) (b []nccl.Block) {
	if x.delegates {
		b = append(b, nccl.Block{From: uintptr(s.a.seen), To: s.gathered.united[0], Bytes: 4 * uint64(s.a.words[1])})
	}
	if x.normals {
		a := s.args(s.level)
		visited := a.base
		if x.level {
			visited = a.after
		}
		b = append(b, nccl.Block{From: uintptr(visited) + 4*uintptr(s.a.words[1]), To: s.knowns[s.turned^1], Bytes: uint64(s.stride) / 8})
	}
	return b
}
