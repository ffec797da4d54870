//go:build linux && (amd64 || arm64) && !nocuda

// This file holds how a part gets onto a GPU: its vertices' order there, and what of the four subgraphs the kernels
// want (search.cuh).

package cluster

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/comm"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/nccl"
)

//go:generate go run ../../internal/fatbin -newest -o search.fatbin.zst search.cu

//go:embed search.fatbin.zst
var image []byte

// OnGPU is a part in a GPU's memory, where searches of it run then.
type OnGPU struct {
	p   *Part
	dev *gpu.Device
	s   *gpu.Stream
	c   *nccl.Comm

	// Normal vertices have an order of their own there: those of most edges to delegates first, and only those that
	// have edges at all.
	order   []uint32 // by number there: the part's number
	numbers []uint32 // the inverse; nowhere for those that aren't there
	several int      // so many have more than one edge to delegates
	stride  uint32

	memory    []device.Memory
	bytes     uint64
	a         args
	pull      [subgraphs]pullArgs
	marks     [subgraphs]uint64 // of parents that pulls find
	zeros     uintptr           // what a search begins with as zeros
	ticket    uintptr
	zeroBytes uint64
	headers   [2]uintptr // in turn
	lists     [2]uintptr
	knowns    [2]uintptr // in turn
	gathered  struct{ headers, lists, united uintptr }
	pitch     int // words of a header
	message   int // words of a header and the short lists behind it
	pinned    *gpu.Pinned
	stamp     uint64
	totals    []uint64 // normal vertices of all ranks with edges
	// component is how many vertices the largest component has, of an undirected graph where more than half of those
	// with edges are in it: a search that has visited as many is in it, and over.
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
// it. The stream, the communicator and the device outlive it; Close gives the memory back.
func (p *Part) Place(ctx context.Context, s *gpu.Stream, c *nccl.Comm) (*OnGPU, error) {
	return p.placeOn(ctx, s, c, false)
}

// PlaceOn is Place on the GPU of a process, with memory for parents if they will be asked for. Where some GPU has too
// little, all ranks get the same NoRoom, and may search on hosts.
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
			return errors.Join(err, g.Close())
		}
		p.engine = g
		return nil
	})
	if err == nil && lacks != nil {
		return nil, lacks
	}
	return g, first(p.comm, err)
}

// Close gives the GPU's memory back. The part is searched on the host again.
func (g *OnGPU) Close() (err error) {
	g.p.engine = hostSearch{g.p}
	for _, m := range g.memory {
		err = errors.Join(err, m.Free())
	}
	g.memory = nil
	if g.sources != nil {
		err = errors.Join(err, g.sources.Free())
		g.sources = nil
	}
	if g.pinned != nil {
		err = errors.Join(err, g.pinned.Free())
		g.pinned = nil
	}
	return err
}

// Bytes is what the part takes of the GPU's memory.
func (g *OnGPU) Bytes() uint64 { return g.bytes }

func (g *OnGPU) place(ctx context.Context, parents bool) error {
	p := g.p
	if err := g.arrange(ctx); err != nil {
		return err
	}
	most := []uint64{uint64(len(g.order))}
	total := []uint64{uint64(len(g.order))}
	if err := p.comm.Max(ctx, most); err != nil {
		return err
	}
	if err := p.comm.Sum(ctx, total); err != nil {
		return err
	}
	g.totals = total
	stride := max((most[0]+strideUnit-1)/strideUnit, 1) * strideUnit
	size := uint64(p.comm.Size())
	if stride*size > math.MaxUint32 {
		return fmt.Errorf("%w: on GPUs a search over processes numbers normal vertices in 32 bits, and %d ranks of up to %d are too many; search on hosts",
			graph.ErrIDRange, size, most[0])
	}
	if n := uint64(p.nn.edges()) + uint64(p.nd.edges()); n > math.MaxUint32 {
		return errRows("nd and nn together", n)
	}
	if n := uint64(p.dn.edges()) + uint64(p.dd.edges()); n > math.MaxUint32 {
		return errRows("dn and dd together", n)
	}
	g.stride = uint32(stride)
	far, err := g.far(ctx)
	if err != nil {
		return err
	}
	if err := g.takeRoom(ctx, parents); err != nil {
		return err
	}
	if err := g.upload(far); err != nil {
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

// reserve takes all memory but for parents, or reckons what it will be.
func (g *OnGPU) reserve(reckon bool) (err error) {
	p, size := g.p, uint64(g.p.comm.Size())
	n, d := uint64(len(g.order)), uint64(len(p.delegate))
	a := &g.a
	g.bytes = 0
	take := func(bytes uint64) uintptr {
		bytes = max(bytes, 16)
		g.bytes += bytes
		if reckon || err != nil {
			return 0
		}
		var m device.Memory
		if m, err = g.dev.Alloc(bytes); err != nil {
			return 0
		}
		g.memory = append(g.memory, m)
		return m.Pointer()
	}
	words := func(n uint64) uint64 { return (n + strideUnit - 1) / strideUnit * (strideUnit / 32) } // whole steps of 16 bytes
	a.vertices, a.words = [2]uint32{uint32(n), uint32(d)}, [2]uint32{uint32(words(n)), uint32(words(d))}
	a.stride, a.rank, a.ranks = g.stride, uint32(p.rank), uint32(size)
	a.bin = g.stride / 32
	a.room = [2]uint32{briefDelegates, briefNormals}
	edges := [subgraphs]int{p.nd.edges(), p.dd.edges(), p.dn.edges(), p.nn.edges()}
	for i, m := range edges {
		of := [2]uint64{n, d}[kindOf[i]]
		a.off[i] = uint64(take(4 * (of + 1)))
		a.to[i] = uint64(take(4 * (uint64(m) + rowsPad)))
		x := &g.pull[i]
		x.first, x.none = uint64(take(4*32*words(of))), uint64(take(4*words(of)))
	}
	a.rows = [2]uint64{uint64(take(4 * (n + 1))), uint64(take(4 * (d + 1)))}
	a.degrees = uint64(take(4 * d))
	// What a search begins with as zeros lies side by side.
	both := 4 * (words(n) + words(d))
	g.pitch = slotWords + int(size)
	g.pitch += g.pitch & 1
	g.message = g.pitch + int(a.room[0]+a.room[1]+3)/4*2
	head, list := wordBytes*uint64(g.message), uint64(wordBytes*slotWords)
	g.zeroBytes = 2 * (both + head + list)
	// Ranks gather as many words of base each, and one of few vertices what lies behind its own too.
	g.zeros = take(max(g.zeroBytes, 4*words(d)+uint64(g.stride)/8))
	a.base, a.seen = uint64(g.zeros), uint64(g.zeros)+both
	for i := range g.headers {
		g.headers[i] = g.zeros + uintptr(2*both+uint64(i)*head)
		g.lists[i] = g.zeros + uintptr(2*(both+head)+uint64(i)*list)
	}
	g.ticket = take(4)
	for i := range g.knowns {
		g.knowns[i] = take(uint64(g.stride) / 8 * size)
	}
	a.depths = [2]uint64{uint64(take(4 * n)), uint64(take(4 * d))}
	a.items = [2]uint64{uint64(take(4 * n)), uint64(take(4 * d))}
	a.prefix = [2]uint64{uint64(take(4 * n)), uint64(take(4 * d))}
	a.bins = uint64(take(4 * uint64(a.bin) * size))
	g.gathered.lists = take(4 * uint64(a.bin) * size)
	g.gathered.united = take(4 * words(d) * size)
	g.gathered.headers = take(head * size)
	if reckon {
		return nil
	}
	if err == nil {
		g.pinned, err = g.dev.Context().AllocHost(wordBytes * (uint64(g.pitch)*size + 1))
	}
	if err == nil {
		clear(g.pinned.Bytes()) // it may have been another one's, with the same stamps
	}
	return err
}

// reserveParents takes the memory for parents, before the first search that wants them.
func (g *OnGPU) reserveParents() error {
	if g.parents {
		return nil
	}
	for i, n := range g.a.vertices {
		m, err := g.dev.Alloc(max(8*uint64(n), 16))
		if err != nil {
			return err
		}
		g.memory = append(g.memory, m)
		g.bytes += 8 * uint64(n)
		g.a.parents[i] = uint64(m.Pointer())
	}
	g.parents = true
	return nil
}

// at64 is memory on the device at an address.
type at64 uint64

func (at64) Free() error        { return nil }
func (m at64) Pointer() uintptr { return uintptr(m) }
func (at64) Host() []byte       { return nil }

// upload brings rows and degrees to the GPU.
func (g *OnGPU) upload(far []uint32) error {
	p, a := g.p, &g.a
	same := func(v uint32) uint32 { return v }
	ndOff, nnOff := make([]uint32, len(g.order)+1), make([]uint32, len(g.order)+1)
	for i, v := range g.order {
		ndOff[i+1], nnOff[i+1] = ndOff[i]+p.nd.len(v), nnOff[i]+p.nn.len(v)
	}
	write := func(dst uint64, src []uint32, change func(uint32) uint32) error {
		return g.dev.Upload(at64(dst), 4*uint64(len(src)), func(at uint64, part []byte) {
			to := numbersOf[uint32](part)
			for i, v := range src[at/4:][:len(to)] {
				to[i] = change(v)
			}
		})
	}
	// rows writes rows in the GPU's order of vertices.
	rows := func(dst uint64, off, from, to []uint32) error {
		return g.dev.Upload(at64(dst), 4*uint64(off[len(off)-1]), func(at uint64, part []byte) {
			out, e := numbersOf[uint32](part), uint32(at/4)
			i := sort.Search(len(g.order), func(i int) bool { return off[i+1] > e })
			for len(out) > 0 {
				row := to[from[g.order[i]]:][:off[i+1]-off[i]][e-off[i]:]
				n := copy(out, row)
				out, e, i = out[n:], e+uint32(n), i+1
			}
		})
	}
	return errors.Join(
		write(a.off[subND], ndOff, same), rows(a.to[subND], ndOff, p.nd.off, p.nd.to),
		write(a.off[subNN], nnOff, same), rows(a.to[subNN], nnOff, p.nn.off, far),
		write(a.off[subDD], p.dd.off, same), write(a.to[subDD], p.dd.to, same),
		write(a.off[subDN], p.dn.off, same), write(a.to[subDN], p.dn.to, func(v uint32) uint32 { return g.numbers[v] }),
		write(a.degrees, p.degree, same),
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
