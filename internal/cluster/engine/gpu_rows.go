//go:build linux && (amd64 || arm64) && !nocuda

// This file holds rows that a GPU made and that stay there: how they get the order and the numbers of searches, and
// how they come to the host if they are needed there.

package engine

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/nccl"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/scan"
	"github.com/foray-graph/foray/internal/gpu"
)

type orderArgs struct {
	offsets, numbers, lengths, places, from, to uint64
	n, _                                        uint32
}

type renumberArgs struct {
	to, count, table   uint64
	low, span, base, _ uint32
}

// gpuRows are the rows of a part on the GPU that made them. They belong to the part: searches borrow them.
type gpuRows struct {
	dev     *gpu.Device
	off, to [subgraphs]device.Memory
	span    uint32 // nn has its targets as owner * span + number there
	// Once they were placed they are as searches want them, as long as the part lives.
	placed bool
	order  []uint32 // of normal vertices: the part's numbers
	stride uint32   // nn has its targets as owner * stride + place in the owner's order
	// undone: a part of that was done, but not all.
	undone bool
}

func (r *gpuRows) free() (err error) {
	for i := range r.to {
		for _, m := range []*device.Memory{&r.off[i], &r.to[i]} {
			if *m != nil {
				err = errors.Join(err, (*m).Close())
				*m = nil
			}
		}
	}
	return err
}

// madeHere returns the part's rows on a GPU; nil if it has none.
func (p *Part) madeHere(dev *gpu.Device) *gpuRows {
	if r, ok := p.away.(*gpuRows); ok && r.dev == dev {
		return r
	}
	return nil
}

// stays reports whether the rows of a subgraph are already where searches need them.
func (r *gpuRows) stays(i int) bool { return r != nil && (r.placed || kindOf[i] == 1) }

// arrange gives rows the order and the numbers of a search. locals are how many vertices each rank has. All ranks call
// it, and all memory is there: NCCL's kernels may wait for it.
func (r *gpuRows) arrange(ctx context.Context, g *OnGPU, locals []uint64) error {
	p, a := g.p, &g.a
	if err := discrete.Write(g.dev, at64(g.own), g.numbers); err != nil {
		return err
	}
	scanner, err := scan.New(g.s)
	if err != nil {
		return err
	}
	n := len(g.order)
	for _, i := range []int{subND, subNN} {
		o := orderArgs{offsets: address(r.off[i]), numbers: uint64(g.own), lengths: a.items[0], places: a.off[i], from: address(r.to[i]), to: a.to[i], n: uint32(p.local)}
		if err = runMade(g, "cluster_lengths", uint64(p.local), &o); err != nil || n == 0 {
			break
		}
		if _, err = scan.Exclusive(scanner, discrete.View[uint32](uintptr(o.lengths), n), discrete.View[uint32](uintptr(o.places), n+1), n); err != nil {
			break
		}
		if err = runMade(g, "cluster_reorder", g.edges(i)/entriesEach, &o); err != nil {
			break
		}
	}
	if err := errors.Join(err, scanner.Close()); err != nil {
		return err
	}
	r.undone = true
	if err := runMade(g, "cluster_renumber", g.edges(subDN), &renumberArgs{to: a.to[subDN], count: g.edges(subDN), table: uint64(g.own), span: uint32(p.local)}); err != nil {
		return err
	}
	if err := p.comm.Barrier(ctx); err != nil { // so that no rank waits for another one in a call of NCCL
		return err
	}
	// Owners in ascending order: strides are no longer than spans, so new numbers are below the old
	// numbers of later owners.
	for owner, local := range locals {
		out, in := make([]nccl.List, len(locals)), make([]nccl.List, len(locals))
		x := renumberArgs{to: a.to[subNN], count: g.edges(subNN), table: uint64(g.others), low: uint32(owner) * r.span, span: r.span, base: uint32(owner) * g.stride}
		if owner == p.rank {
			x.table = uint64(g.own)
			for to := range out {
				if to != owner {
					out[to] = nccl.List{At: g.own, Bytes: 4 * local}
				}
			}
		} else {
			in[owner] = nccl.List{At: g.others, Bytes: 4 * local}
		}
		if err := g.c.Exchange(ctx, out, in); err != nil {
			return err
		}
		if err := runMade(g, "cluster_renumber", x.count, &x); err != nil {
			return err
		}
	}
	if err := g.c.Wait(ctx); err != nil {
		return err
	}
	for _, i := range []int{subND, subNN} {
		if err := errors.Join(r.off[i].Close(), r.to[i].Close()); err != nil {
			return err
		}
		r.off[i], r.to[i] = g.handOver(a.off[i]), g.handOver(a.to[i])
	}
	r.undone, r.placed, r.order, r.stride = false, true, g.order, g.stride
	return errors.Join(g.handOver(uint64(g.own)).Close(), g.handOver(uint64(g.others)).Close())
}

// handOver passes the ownership of memory to the caller.
func (g *OnGPU) handOver(at uint64) device.Memory {
	for i, m := range g.memory {
		if uint64(m.Pointer()) == at {
			g.memory[i] = g.memory[len(g.memory)-1]
			g.memory = g.memory[:len(g.memory)-1]
			return m
		}
	}
	panic("cluster: memory that isn't there is handed over")
}

// edges is how many a subgraph has.
func (g *OnGPU) edges(i int) uint64 {
	p := g.p
	return uint64([subgraphs]int{subND: p.nd.edges(), subDD: p.dd.edges(), subDN: p.dn.edges(), subNN: p.nn.edges()}[i])
}

func address(m device.Memory) uint64 { return uint64(m.Pointer()) }

// runMade launches a kernel of made.cu with the given number of threads.
func runMade[T any](g *OnGPU, name string, threads uint64, a *T) error {
	k, err := g.s.Kernel(madeImage, name)
	if err != nil {
		return err
	}
	g.launch.Reset()
	gpu.Struct(&g.launch, a)
	return g.s.Launch(k, int(min(threads/gpu.Block+1, uint64(k.Resident()))), &g.launch)
}

// eachRow calls do for the rows of which n entries from a first one on are: the row, which of its entries come first, and
// which of the n they are.
func eachRow(off []uint32, first uint32, n int, do func(row int, skip uint32, from, end int)) {
	row := sort.Search(len(off)-1, func(i int) bool { return off[i+1] > first })
	for at := 0; at < n; row++ {
		skip := first + uint32(at) - off[row]
		end := min(n, at+int(off[row+1]-off[row]-skip))
		if end > at {
			do(row, skip, at, end)
		}
		at = end
	}
}

// fetch implements elsewhere.
func (r *gpuRows) fetch(ctx context.Context, p *Part, which []int) (err error) {
	if r.undone {
		return fmt.Errorf("they were being placed when that failed: build the part again")
	}
	same := func(v uint32) uint32 { return v }
	for _, i := range which {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case i == subND:
			err = fetch(r, i, &p.nd, same)
		case i == subDD:
			err = fetch(r, i, &p.dd, same)
		case i == subDN && r.placed:
			err = fetch(r, i, &p.dn, func(v uint32) uint32 { return r.order[v] })
		case i == subDN:
			err = fetch(r, i, &p.dn, same)
		case r.placed:
			if err = fetch(r, i, &p.nn, func(v uint32) uint64 { return uint64(v) | uint64(isDelegate) }); err == nil {
				err = r.near(ctx, p)
			}
		default:
			err = fetch(r, i, &p.nn, func(v uint32) uint64 { return uint64(at(int(v/r.span), v%r.span)) })
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// fetch brings a subgraph's targets to the host.
func fetch[T number](r *gpuRows, i int, to *rows[T], change func(uint32) T) error {
	list := as[T](uncleared(to.targetBytes()))[:to.edges()]
	var off []uint32 // of the GPU's rows, if they have another order
	if r.placed && kindOf[i] == 0 {
		off = make([]uint32, len(r.order)+1)
		for k, v := range r.order {
			off[k+1] = off[k] + to.len(v)
		}
	}
	err := r.dev.Fetch(r.to[i], 0, 4*uint64(len(list)), func(at uint64, part []byte) {
		in, first := numbersOf[uint32](part), uint32(at/4)
		if off == nil {
			for k, v := range in {
				list[first+uint32(k)] = change(v)
			}
			return
		}
		eachRow(off, first, len(in), func(row int, skip uint32, from, end int) {
			out := list[to.off[r.order[row]]+skip:]
			for k, v := range in[from:end] {
				out[k] = change(v)
			}
		})
	})
	if err == nil {
		to.to = list
	}
	return err
}

// near converts places of nn's targets, which are marked as delegates, to the GPUs' numbers. Each rank in turn sends
// all others the order of its vertices.
func (r *gpuRows) near(ctx context.Context, p *Part) error {
	return p.inTurn(ctx, r.order, func(owner int, order []uint32) {
		p.team.tiles(ctx, len(p.nn.to), tileEdges, func(_, from, end int) {
			for i, t := range p.nn.to[from:end] {
				if v := place(t); v.delegate() && v.local()/r.stride == uint32(owner) {
					p.nn.to[from+i] = uint64(at(owner, order[v.local()%r.stride]))
				}
			}
		})
	})
}
