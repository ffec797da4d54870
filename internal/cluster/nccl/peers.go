//go:build linux && (amd64 || arm64) && !nocuda

// This file holds memory of each rank that the kernels of all ranks reach, where all GPUs are in one machine.

package nccl

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// Peers is a piece of memory of each rank, as this rank's kernels address it.
type Peers struct {
	At     []uintptr // by rank
	mapped []*gpu.Mapped
	room   *leaving // of ranks of this process, or nil
}

// leaving is where ranks of one process wait for one another when they close.
type leaving struct {
	left atomic.Int32
	all  chan struct{} // closed once all have left
}

// Close unmaps other processes' memory. Each rank frees its own memory once all ranks have closed. Ranks of one process wait
// for one another, also after a failure, when their kernels end soon: one that stored to freed memory would break its
// GPU's context.
func (p *Peers) Close() (err error) {
	for _, m := range p.mapped {
		err = errors.Join(err, m.Close())
	}
	p.mapped = nil
	if r := p.room; r != nil {
		p.room = nil
		if r.left.Add(1) == int32(len(p.At)) {
			close(r.all)
		}
		select {
		case <-r.all:
		case <-time.After(farewell):
		}
	}
	return err
}

// card is what a rank tells the others of its memory.
type card struct {
	can    uint64
	at     uint64
	handle gpu.Shared
	boot   [64]byte // the machine's running system
}

// Peers lets the kernels of all ranks reach a piece of memory of each. All ranks call it, with their communicator in
// host memory. It returns nil on all ranks if some GPU can't reach another one, or if a rank isn't willing.
func (c *Comm) Peers(ctx context.Context, host comm.Comm, m device.Memory, willing bool) (*Peers, error) {
	together := len(c.team.members) == c.size // in this process
	own := card{at: uint64(m.Pointer())}
	if willing && c.size <= gpu.MostPeers {
		own.can = 1
	}
	if !together {
		id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
		if copy(own.boot[:], id); err != nil {
			own.can = 0
		}
		if own.can != 0 {
			if own.handle, err = c.dev.Share(m); err != nil {
				own.can = 0
			}
		}
	}
	cards, err := c.deal(ctx, host, own)
	if err != nil {
		return nil, err
	}
	p := &Peers{At: make([]uintptr, c.size)}
	failed := uint64(0)
	for r, other := range cards {
		if other.can == 0 || other.boot != own.boot {
			failed = 1 // all ranks see this
		}
		p.At[r] = uintptr(other.at)
	}
	for r, other := range cards {
		if failed != 0 || r == c.rank {
			continue
		}
		if together {
			if can, err := c.dev.Access(c.team.members[r].dev); err != nil || !can {
				failed = 1
			}
			continue
		}
		x, err := c.dev.Map(other.handle)
		if err != nil {
			failed = 1
			continue
		}
		p.mapped = append(p.mapped, x)
		p.At[r] = uintptr(x.Ptr())
	}
	if err := c.dev.Context().Broken(); err != nil {
		return nil, errors.Join(c.told(err), p.Close())
	}
	failures := []uint64{failed}
	if err := host.Sum(ctx, failures); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if failures[0] == 0 {
		if together {
			p.room = c.team.roomOf(c)
		}
		return p, nil
	}
	err = p.Close()
	if err == nil { // the caller frees its memory
		err = host.Barrier(ctx)
	}
	return nil, err
}

// roomOf returns what the ranks of this process share of their present Peers.
func (t *team) roomOf(c *Comm) *leaving {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rooms) == c.peers {
		t.rooms = append(t.rooms, &leaving{all: make(chan struct{})})
	}
	c.peers++
	return t.rooms[c.peers-1]
}

// deal sends each rank's card to all.
func (c *Comm) deal(ctx context.Context, host comm.Comm, own card) ([]card, error) {
	out := make([][]byte, c.size)
	for r := range out {
		out[r] = unsafe.Slice((*byte)(unsafe.Pointer(&own)), unsafe.Sizeof(own))
	}
	in, err := host.Exchange(ctx, out)
	if err != nil {
		return nil, err
	}
	cards := make([]card, c.size)
	for r := range cards {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&cards[r])), unsafe.Sizeof(own)), in[r])
	}
	return cards, nil
}

// Halt is a word in the host's memory, as kernels address it. It isn't 0 once the communicator has failed: kernels that
// wait for other ranks look at it, and end.
func (c *Comm) Halt() uint64 { return uint64(c.pinned.Ptr()) + 2*c.block() }

// halt ends kernels that wait for other ranks.
func (c *Comm) halt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pinned != nil {
		atomic.StoreUint64(&asWords(c.pinned.Bytes())[2*c.size], 1)
	}
}
