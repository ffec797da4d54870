//go:build linux && (amd64 || arm64) && !nocuda

// This file holds how a part gets onto a GPU: its vertices' order there, and what of the four subgraphs the kernels
// want (search.cuh). Rows that hosts made are brought there, those that this GPU made are there (gpu_rows.go).

package engine

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/nccl"
	"github.com/foray-graph/foray/internal/gpu"
)

//go:generate go run ../../tools/fatbin -newest -o search.fatbin.zst search.cu

//go:embed search.fatbin.zst
var image []byte

// OnGPU is a part in a GPU's memory, where searches of it run then.
type OnGPU struct {
	p   *Part
	dev *gpu.Device
	s   *gpu.Stream
	c   *nccl.Comm

	// Normal vertices have another order there: those with most edges to delegates come first, and vertices
	// without edges are left out.
	order   []uint32 // by number there: the part's number
	numbers []uint32 // the inverse; nowhere for vertices that aren't there
	several int      // how many vertices have more than one edge to delegates
	stride  uint32

	made    *gpuRows // the rows, if this GPU made them; the part owns them
	memory  []device.Memory
	bytes   uint64 // the memory of the part, including rows that were made here
	lacking uint64 // the memory that must be free
	// own and others are the numbers of this rank and of one other rank, while the rows that were made here are renumbered.
	own, others uintptr
	a           args
	pull        [subgraphs]pullArgs
	marks       [subgraphs]uint64 // of parents that pulls find
	zeros       uintptr           // arrays that must be zero when a search begins, the bitmap of the first level first
	each        uint64            // bytes of such a bitmap. Those of later levels are before it
	ticket      uintptr           // of blocks, of exchanges' blocks, and whether a wait was given up: words of 4 bytes
	zeroBytes   uint64
	headers     [2]uintptr // in turn
	lists       [2]uintptr
	knowns      [2]uintptr // in turn
	gathered    struct {
		headers, united [2]uintptr // in turn
		lists           uintptr
	}
	now struct{ headers, united int } // which of them have what came last
	// inbox has what is gathered. peers are all ranks' inboxes where each rank's kernels store to them; otherwise nil,
	// and NCCL gathers. exchanges is how many there were through these.
	inbox      device.Memory
	inboxParts [3]uint64 // of an inbox: where headers, united and known begin
	peers      *nccl.Peers
	exchanges  uint64
	clock      kernelClock
	pitch      int // words of a header
	message    int // words of a header and the short lists behind it
	pinned     *gpu.Pinned
	stamp      uint64
	totals     []uint64 // normal vertices of all ranks with edges
	// component is the size of the largest component, of an undirected graph in which more than half of the vertices
	// with edges are in it: a search that has visited as many vertices is in it, and complete.
	component uint64
	kernels   map[string]*gpu.Kernel
	launch    gpu.Args
	sources   device.Memory
	rooms     [2]int // of sources
	parents   bool   // there is memory for them
}

// nowhere is the number of a vertex that isn't on the GPU.
const nowhere = math.MaxUint32

// Place brings the part to the GPU of a stream, over whose communicator it is searched from then on. All ranks call
// it. The stream, the communicator and the device outlive it; Close gives the memory back, but for rows that this GPU
// made: these stay until the part is closed, so that it can be placed again.
func (p *Part) Place(ctx context.Context, s *gpu.Stream, c *nccl.Comm) (*OnGPU, error) {
	return p.placeOn(ctx, s, c, false)
}

// PlaceOn is Place on the GPU of a process, with memory for parents if searches will request them. If a GPU has too
// little memory, all ranks get the same NoRoom, and may search on hosts.
func (p *Part) PlaceOn(ctx context.Context, q *nccl.Process, parents bool) (*OnGPU, error) {
	return p.placeOn(ctx, q.Stream, q.NCCL, parents)
}

func (p *Part) placeOn(ctx context.Context, s *gpu.Stream, c *nccl.Comm, parents bool) (*OnGPU, error) {
	var g *OnGPU
	var lacks *NoRoom
	err := comm.Do(p.comm, func() (err error) {
		g = &OnGPU{p: p, dev: s.GPU(), s: s, c: c, kernels: map[string]*gpu.Kernel{}}
		switch err = g.place(ctx, parents); {
		case errors.As(err, &lacks):
			return g.Close()
		case err != nil:
			return errors.Join(err, g.free())
		}
		p.engine = g
		return nil
	})
	if err == nil && lacks != nil {
		return nil, lacks
	}
	return g, first(p.comm, err)
}

// Close gives the GPU's memory back. The part is searched on the host again. All ranks call it.
func (g *OnGPU) Close() error { return errors.Join(g.closePeers(), g.free()) }

func (g *OnGPU) free() (err error) {
	if g.p.engine == engine(g) {
		g.p.engine = hostSearch{g.p}
	}
	if g.peers != nil {
		err = g.peers.Close()
		g.peers = nil
	}
	for _, m := range g.memory {
		err = errors.Join(err, m.Close())
	}
	g.memory = nil
	err = errors.Join(err, g.clock.close())
	if g.sources != nil {
		err = errors.Join(err, g.sources.Close())
		g.sources = nil
	}
	if g.pinned != nil {
		err = errors.Join(err, g.pinned.Close())
		g.pinned = nil
	}
	return err
}

// Bytes returns how much GPU memory the part takes.
func (g *OnGPU) Bytes() uint64 { return g.bytes }

func (g *OnGPU) place(ctx context.Context, parents bool) error {
	p := g.p
	g.made = p.madeHere(g.dev)
	apart, err := p.anywhere(ctx, p.away != nil && g.made == nil)
	if err != nil {
		return err
	}
	if apart { // a different GPU than the part's made them
		g.made = nil
		if err := p.bring(ctx, subND, subDD, subDN, subNN); err != nil {
			return err
		}
	}
	if err := g.arrange(ctx); err != nil {
		return err
	}
	size := uint64(p.comm.Size())
	most := []uint64{uint64(len(g.order))}
	sums := make([]uint64, 1+size) // normal vertices with edges, and all vertices of each rank
	sums[0], sums[1+p.rank] = most[0], uint64(p.local)
	if err := p.comm.Max(ctx, most); err != nil {
		return err
	}
	if err := p.comm.Sum(ctx, sums); err != nil {
		return err
	}
	g.totals = sums[:1]
	stride := max((most[0]+strideUnit-1)/strideUnit, 1) * strideUnit
	if stride*size > math.MaxUint32 {
		return fmt.Errorf("%w: on GPUs a search over processes numbers normal vertices in 32 bits, and %d ranks of up to %d are too many; search on hosts",
			graph.ErrIDRange, size, most[0])
	}
	if n := g.edges(subNN) + g.edges(subND); n > math.MaxUint32 {
		return errRows("nd and nn together", n)
	}
	if n := g.edges(subDN) + g.edges(subDD); n > math.MaxUint32 {
		return errRows("dn and dd together", n)
	}
	g.stride = uint32(stride)
	if err := g.settle(ctx, parents, sums[1:]); err != nil {
		return err
	}
	if err := g.reach(ctx); err != nil {
		return err
	}
	if err := g.derive(); err != nil {
		return err
	}
	if err := g.s.Sync(); err != nil || p.directed || len(p.delegate) == 0 {
		return err
	}
	r := &Result{part: p}
	if _, err := g.run(ctx, []place{delegate(0)}, nil, r); err != nil {
		return err
	}
	if r.Reached > (g.totals[0]+uint64(len(p.delegate)))/2 {
		g.component = r.Reached
	}
	return nil
}

// settle takes memory and fills it with rows and degrees. locals are how many vertices each rank has.
func (g *OnGPU) settle(ctx context.Context, parents bool, locals []uint64) error {
	p := g.p
	if g.made != nil {
		err := g.takeRoom(ctx, parents)
		if lacks := (*NoRoom)(nil); errors.As(err, &lacks) && !g.made.placed {
			return g.goRound(ctx, parents, lacks)
		}
		if err == nil && !g.made.placed {
			err = g.made.arrange(ctx, g, locals)
		}
		if err != nil {
			return err
		}
		return g.write(g.a.degrees, p.degree, same)
	}
	far, err := g.far(ctx)
	if err != nil {
		return err
	}
	if err := g.takeRoom(ctx, parents); err != nil {
		return err
	}
	return errors.Join(g.upload(far), g.write(g.a.degrees, p.degree, same))
}

// goRound is settle without room for both the rows as they were made and the rows in search order: the rows go to the
// hosts and come back, if the hosts have room.
func (g *OnGPU) goRound(ctx context.Context, parents bool, lacks *NoRoom) error {
	p := g.p
	absent := p.lacking([]int{subND, subDD, subDN, subNN})
	switch err := p.roomToBring(ctx, absent); {
	case errors.Is(err, device.ErrMemory): // on all ranks
		return lacks
	case err != nil:
		return err
	}
	if err := errors.Join(p.fetch(ctx, absent), g.Close(), p.leave()); err != nil {
		return err
	}
	g.made = nil
	return g.settle(ctx, parents, nil)
}

// at64 is memory on the device at an address.
type at64 uint64

func (at64) Close() error       { return nil }
func (m at64) Pointer() uintptr { return uintptr(m) }
func (at64) Host() []byte       { return nil }

func same(v uint32) uint32 { return v }

// write brings numbers to the GPU.
func (g *OnGPU) write(dst uint64, src []uint32, change func(uint32) uint32) error {
	return g.dev.Upload(at64(dst), 4*uint64(len(src)), func(at uint64, part []byte) {
		to := numbersOf[uint32](part)
		for i, v := range src[at/4:][:len(to)] {
			to[i] = change(v)
		}
	})
}

// upload brings rows to the GPU.
func (g *OnGPU) upload(far []uint32) error {
	p, a := g.p, &g.a
	ndOff, nnOff := make([]uint32, len(g.order)+1), make([]uint32, len(g.order)+1)
	for i, v := range g.order {
		ndOff[i+1], nnOff[i+1] = ndOff[i]+p.nd.len(v), nnOff[i]+p.nn.len(v)
	}
	// rows writes rows in the GPU's order of vertices.
	rows := func(dst uint64, off, from, to []uint32) error {
		return g.dev.Upload(at64(dst), 4*uint64(off[len(off)-1]), func(at uint64, part []byte) {
			out := numbersOf[uint32](part)
			eachRow(off, uint32(at/4), len(out), func(row int, skip uint32, begin, end int) {
				copy(out[begin:end], to[from[g.order[row]]+skip:])
			})
		})
	}
	return errors.Join(
		g.write(a.off[subND], ndOff, same), rows(a.to[subND], ndOff, p.nd.off, p.nd.to),
		g.write(a.off[subNN], nnOff, same), rows(a.to[subNN], nnOff, p.nn.off, far),
		g.write(a.off[subDD], p.dd.off, same), g.write(a.to[subDD], p.dd.to, same),
		g.write(a.off[subDN], p.dn.off, same), g.write(a.to[subDN], p.dn.to, func(v uint32) uint32 { return g.numbers[v] }),
	)
}

// derive has the GPU make what follows from the rows.
func (g *OnGPU) derive() error {
	a := &g.a
	for i := range g.pull {
		kind := kindOf[i]
		x := &g.pull[i]
		h := headsArgs{off: a.off[i], to: a.to[i], first: x.first, none: x.none, n: a.vertices[kind], words: a.words[kind]}
		if err := run(g, "cluster_heads", int(h.words)*32/gpu.Block+1, &h); err != nil {
			return err
		}
	}
	for kind, of := range [2][2]int{{subND, subNN}, {subDD, subDN}} {
		k, err := g.kernel("cluster_rows")
		if err != nil {
			return err
		}
		g.launch.Reset()
		n := a.vertices[kind] + 1
		gpu.Struct(&g.launch, &a.off[of[0]])
		gpu.Struct(&g.launch, &a.off[of[1]])
		gpu.Struct(&g.launch, &a.rows[kind])
		gpu.Struct(&g.launch, &n)
		if err := g.s.Launch(k, int(n)/gpu.Block+1, &g.launch); err != nil {
			return err
		}
	}
	g.derivePulls()
	return nil
}

func (g *OnGPU) kernel(name string) (*gpu.Kernel, error) {
	k := g.kernels[name]
	if k == nil {
		var err error
		if k, err = g.s.Kernel(image, name); err != nil {
			return nil, err
		}
		g.kernels[name] = k
	}
	return k, nil
}
