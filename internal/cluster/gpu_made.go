//go:build linux && (amd64 || arm64) && !nocuda

// This file has a GPU make a rank's part of a generated graph (made.cuh): all edges are made on each, some at a time,
// first to count degrees and then, once delegates are known, to keep those that are the rank's own.

package cluster

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/comm"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/placed"
	rowmaker "github.com/foray-graph/foray/internal/rows"
)

//go:generate go run ../../internal/fatbin -newest -o made.fatbin.zst made.cu

//go:embed made.fatbin.zst
var madeImage []byte

type splitArgs struct {
	pairs, count                           uint64
	degrees, marks, numbers                uint64
	lists                                  [subgraphs]uint64
	counts                                 uint64
	ranks, rank, span, directed, writes, _ uint32
}

type packArgs struct {
	offsets, starts, entries, to, pairs uint64
	n, _                                uint32
}

// inMade are the subgraphs in the order of the kernels' lists, which is that of subND and so on.
var inMade = [subgraphs]string{"nd", "dd", "dn", "nn"}

// gpuMaker is a source of edges: a GPU.
type gpuMaker struct {
	*builder
	dev   *gpu.Device
	made  *placed.Maker
	maker *rowmaker.Maker
	s     *gpu.Stream
	held  []device.Memory
	pairs device.Memory // some edges
	a     splitArgs
	args  gpu.Args
}

// newMaker returns a source that makes the edges on a GPU; nil if that can't be.
func newMaker(b *builder) source {
	dev, ok := b.o.GPU.(*gpu.Device)
	made := placed.MakerOf(b.e.Generator)
	ranks := uint64(b.comm.Size())
	if !ok || made == nil || made.Vertices+ranks > math.MaxUint32 {
		return nil
	}
	return &gpuMaker{builder: b, dev: dev, made: made}
}

func (g *gpuMaker) alloc(bytes uint64) (device.Memory, error) {
	m, err := g.dev.Alloc(max(bytes, 16))
	if err == nil {
		g.held = append(g.held, m)
	}
	return m, err
}

// drop gives memory back, once kernels are through with it.
func (g *gpuMaker) drop(m device.Memory) error {
	g.handOver(m)
	return errors.Join(g.s.Sync(), m.Free())
}

func (g *gpuMaker) handOver(m device.Memory) {
	g.held = slices.DeleteFunc(g.held, func(x device.Memory) bool { return x == m })
}

// free gives all memory back.
func (g *gpuMaker) free() (err error) {
	if g.maker == nil {
		return nil
	}
	err = g.s.Wait()
	for _, m := range g.held {
		err = errors.Join(err, m.Free())
	}
	g.held = nil
	return errors.Join(err, g.maker.Free())
}

// foretell implements source: rows come to the host once they are made.
func (g *gpuMaker) foretell(f *forecast) { f.made = true }

// freeOn is how much of a GPU's memory is free; 0: not known. Tests have it say less.
var freeOn = func(d *gpu.Device) uint64 { return d.Info().MemoryFree }

// room returns a NoRoom, on all ranks, where some GPU lacks memory.
func (g *gpuMaker) room(ctx context.Context, need uint64) error {
	var own *NoRoom
	if free := freeOn(g.dev); free > 0 && need > free {
		own = &NoRoom{Needs: need, Free: free}
	}
	lacks, err := agree(ctx, g.comm, own)
	if err == nil && lacks != nil {
		return lacks
	}
	return err
}

// open begins.
func (g *gpuMaker) open(ctx context.Context) (err error) {
	if g.maker, err = rowmaker.NewMaker(ctx, g.dev, g.made); err != nil {
		return err
	}
	g.s = g.maker.Stream()
	if g.pairs, err = g.alloc(8 * min(g.made.Edges, madeAtOnce)); err != nil {
		return err
	}
	size := uint64(g.comm.Size())
	g.a = splitArgs{pairs: uint64(g.pairs.Pointer()), ranks: uint32(size), rank: uint32(g.rank), span: uint32((g.made.Vertices + size - 1) / size)}
	if g.directed {
		g.a.directed = 1
	}
	return nil
}

// over makes all edges, some at a time, and runs a kernel over them.
func (g *gpuMaker) over(ctx context.Context, kernel string) error {
	k, err := g.s.Kernel(madeImage, kernel)
	if err != nil {
		return err
	}
	for from := uint64(0); from < g.made.Edges && ctx.Err() == nil; from += madeAtOnce {
		end := min(from+madeAtOnce, g.made.Edges)
		if err := g.maker.Make(g.pairs.Pointer(), from, end); err != nil {
			return err
		}
		g.a.count = end - from
		g.args.Reset()
		gpu.Struct(&g.args, &g.a)
		if err := g.s.Launch(k, min(k.Resident(), int(g.a.count/gpu.Block)+1), &g.args); err != nil {
			return err
		}
		if err := g.s.Sync(); err != nil { // so that a context ends it in time
			return err
		}
	}
	return ctx.Err()
}

// countDegrees implements source.
func (g *gpuMaker) countDegrees(ctx context.Context) error {
	defer comm.Working(g.team.progress)() // hosts wait for the GPU
	if err := g.grow(g.made.Vertices); err != nil {
		return err
	}
	if err := g.settleDense(g.made.Vertices); err != nil {
		return err
	}
	if err := g.room(ctx, 8*min(g.made.Edges, madeAtOnce)+4*uint64(g.local)+madeFixed); err != nil {
		return err
	}
	if err := g.open(ctx); err != nil {
		return err
	}
	if g.rank == 0 { // all ranks make all edges
		g.Stats.InputEdges = g.made.Edges
	}
	degrees, err := g.alloc(4 * uint64(g.local))
	if err != nil {
		return err
	}
	g.a.degrees = uint64(degrees.Pointer())
	if err := errors.Join(g.s.Fill(degrees.Pointer(), 0, uint64(g.local)), g.over(ctx, "cluster_degrees")); err != nil {
		return err
	}
	return errors.Join(device.ReadFrom(g.dev, g.degrees, degrees), g.drop(degrees))
}

// mark brings to the GPU which ids are delegates, and their numbers.
func (g *gpuMaker) mark(ctx context.Context) error {
	m := g.Part.numbers
	if m.t != nil {
		m = newBitmap(ctx, g.team, g.delegate, g.made.Vertices)
	}
	marks := make([]uint32, 4*len(m.words)) // of every 32 ids: their bits, and how many there are before
	g.team.tiles(ctx, len(m.words), tileEdges, func(_, from, to int) {
		for i, w := range m.words[from:to] {
			low := uint32(w.bits)
			copy(marks[4*(from+i):], []uint32{low, uint32(w.before), uint32(w.bits >> 32), uint32(w.before) + uint32(bits.OnesCount32(low))})
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, x := range []struct {
		at   *uint64
		list []uint32
	}{{&g.a.marks, marks}, {&g.a.numbers, m.order}} {
		m, err := g.alloc(4 * uint64(len(x.list)))
		if err != nil {
			return err
		}
		if err := device.WriteTo(g.dev, m, x.list); err != nil {
			return err
		}
		*x.at = uint64(m.Pointer())
	}
	return nil
}

// place implements source.
func (g *gpuMaker) place(ctx context.Context) error {
	defer comm.Working(g.team.progress)() // hosts wait for the GPU
	if err := g.mark(ctx); err != nil {
		return err
	}
	at, err := g.alloc(8 * subgraphs)
	if err != nil {
		return err
	}
	g.a.counts = uint64(at.Pointer())
	var counts, written [subgraphs]uint64
	pass := func(counts *[subgraphs]uint64) error {
		return errors.Join(g.s.Fill(at.Pointer(), 0, 2*subgraphs), g.over(ctx, "cluster_split"), device.ReadFrom(g.dev, counts[:], at))
	}
	if err := pass(&counts); err != nil {
		return err
	}
	need, err := g.needs(counts)
	if err != nil {
		return err
	}
	if err := g.room(ctx, need); err != nil {
		return err
	}
	var lists [subgraphs]device.Memory
	for i, n := range counts {
		if lists[i], err = g.alloc(8 * n); err != nil {
			return err
		}
		g.a.lists[i] = uint64(lists[i].Pointer())
	}
	g.a.writes = 1
	if err := pass(&written); err != nil {
		return err
	}
	if written != counts {
		return fmt.Errorf("the GPU made %v edges of the four subgraphs at first and then %v", counts, written)
	}
	if err := g.drop(g.pairs); err != nil {
		return err
	}
	return g.rows(ctx, lists, counts)
}

// needs is what rows of so many pairs take of the GPU: the pairs of all subgraphs, and of the one at work those in
// parts, and its entries twice.
func (g *gpuMaker) needs(counts [subgraphs]uint64) (need uint64, err error) {
	for i, n := range counts {
		entries := n
		if i == subDD && !g.directed {
			entries *= 2
		}
		if entries > math.MaxUint32 {
			return 0, errRows(inMade[i], entries)
		}
		need = max(need, (8+4+4)*entries)
	}
	for _, n := range counts {
		need += 8 * n
	}
	return need + madeFixed + 32*uint64(max(g.local, len(g.delegate))), nil
}

// rows makes the rows of lists of pairs, one after the other, and brings them to the host.
func (g *gpuMaker) rows(ctx context.Context, lists [subgraphs]device.Memory, counts [subgraphs]uint64) error {
	d, span := len(g.delegate), int(g.a.span)
	dd, err := g.subgraph(ctx, "dd", lists[subDD], counts[subDD], d, d, !g.directed, nil)
	if err != nil {
		return err
	}
	g.dd = dd
	var back *reversed
	if !g.directed {
		back = &reversed{}
	}
	if g.nd, err = g.subgraph(ctx, "nd", lists[subND], counts[subND], g.local, d, false, back); err != nil {
		return err
	}
	if back != nil {
		if err := g.drop(lists[subDN]); err != nil {
			return err
		}
		lists[subDN], counts[subDN] = back.pairs, back.count
	}
	if g.dn, err = g.subgraph(ctx, "dn", lists[subDN], counts[subDN], d, g.local, false, nil); err != nil {
		return err
	}
	nn, err := g.subgraph(ctx, "nn", lists[subNN], counts[subNN], g.local, g.comm.Size()*span, false, nil)
	if err != nil {
		return err
	}
	g.nn = rows[uint64]{nn.off, make([]uint64, len(nn.to))}
	g.team.tiles(ctx, len(nn.to), tileEdges, func(_, from, to int) {
		for i := from; i < to; i++ {
			g.nn.to[i] = uint64(at(int(nn.to[i])/span, nn.to[i]%uint32(span)))
		}
	})
	return ctx.Err()
}

// reversed are pairs of rows' entries and rows.
type reversed struct {
	pairs device.Memory
	count uint64
}

// subgraph makes n rows of pairs, whose memory it frees; back, if not nil, gets the pairs of the reverse.
func (g *gpuMaker) subgraph(ctx context.Context, name string, pairs device.Memory, count uint64, n, targets int, both bool, back *reversed) (r rows[uint32], err error) {
	r.off = make([]uint32, n+1)
	if count == 0 {
		if back != nil {
			back.pairs, err = g.alloc(0)
		}
		return r, errors.Join(err, g.drop(pairs))
	}
	g.handOver(pairs)
	if err := g.s.Sync(); err != nil {
		return r, errors.Join(err, pairs.Free())
	}
	made, err := rowmaker.Of(ctx, g.dev, pairs, count, n, targets, both)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, g.s.Sync(), made.Free()) }()
	if made.Kept > math.MaxUint32 {
		return r, errRows(name, made.Kept)
	}
	to, err := g.alloc(4 * made.Kept)
	if err != nil {
		return r, err
	}
	p := func(m device.Memory) uint64 { return uint64(m.Pointer()) }
	a := packArgs{offsets: p(made.Offsets), starts: p(made.Starts), entries: p(made.Entries), to: p(to), n: uint32(n)}
	if back != nil {
		back.count = made.Kept
		if back.pairs, err = g.alloc(8 * made.Kept); err != nil {
			return r, err
		}
		a.pairs = p(back.pairs)
	}
	k, err := g.s.Kernel(madeImage, "cluster_pack_rows")
	if err != nil {
		return r, err
	}
	g.args.Reset()
	gpu.Struct(&g.args, &a)
	if err := g.s.Launch(k, k.Resident(), &g.args); err != nil {
		return r, err
	}
	if err := g.s.Sync(); err != nil {
		return r, err
	}
	r.to = make([]uint32, made.Kept)
	return r, errors.Join(device.ReadFrom(g.dev, r.off, made.Offsets), device.ReadFrom(g.dev, r.to, to), g.drop(to))
}
