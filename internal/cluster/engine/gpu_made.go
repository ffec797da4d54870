//go:build linux && (amd64 || arm64) && !nocuda

// This file has a GPU make a rank's part of a generated graph (made.cuh): all edges are made on each, some at a time,
// first to count degrees and then, once delegates are known, to keep those that are the rank's own.

package engine

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
	rowmaker "github.com/foray-graph/foray/internal/layout/rows"
)

//go:generate go run ../../tools/fatbin -newest -o made.fatbin.zst made.cu

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

// gpuMaker is a source of edges: a GPU.
type gpuMaker struct {
	*builder
	dev   *gpu.Device
	made  *placed.Maker
	span  uint32 // more than a rank has vertices
	left  *gpuRows
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
	if !ok || made == nil {
		return nil
	}
	span := (made.Vertices/ranks + strideUnit) / strideUnit * strideUnit
	if span*ranks > math.MaxUint32 {
		return nil
	}
	return &gpuMaker{builder: b, dev: dev, made: made, span: uint32(span)}
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
	return errors.Join(g.s.Sync(), m.Close())
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
		err = errors.Join(err, m.Close())
	}
	g.held = nil
	return errors.Join(err, g.maker.Close())
}

// foretell implements source: rows stay on the GPU.
func (g *gpuMaker) foretell(f *forecast) { f.made = true }

// freeOn returns how much of a GPU's memory is free; 0: unknown. Tests make it return less.
var freeOn = func(d *gpu.Device) uint64 { return d.Info().MemoryFree }

// room returns a NoRoom, on all ranks, if a GPU lacks memory.
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
	g.a = splitArgs{pairs: uint64(g.pairs.Pointer()), ranks: uint32(size), rank: uint32(g.rank), span: g.span}
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
	later := g.made.Vertices * markBytes / 64 // of mark
	if err := g.room(ctx, 8*min(g.made.Edges, madeAtOnce)+max(4*uint64(g.local), later)+madeFixed); err != nil {
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
	err = errors.Join(discrete.Read(g.dev, g.degrees, degrees), g.drop(degrees))
	for _, d := range g.degrees {
		g.ends += uint64(d)
	}
	return err
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
		if err := discrete.Write(g.dev, m, x.list); err != nil {
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
		return errors.Join(g.s.Fill(at.Pointer(), 0, 2*subgraphs), g.over(ctx, "cluster_split"), discrete.Read(g.dev, counts[:], at))
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

// rows makes the rows of lists of pairs, one after the other, which stay; the host gets their offsets.
func (g *gpuMaker) rows(ctx context.Context, lists [subgraphs]device.Memory, counts [subgraphs]uint64) (err error) {
	d := len(g.delegate)
	g.left = &gpuRows{dev: g.dev, span: g.span}
	g.away, g.absent = g.left, [subgraphs]bool{true, true, true, true}
	if g.dd.off, err = g.subgraph(ctx, subDD, lists[subDD], counts[subDD], d, d, nil); err != nil {
		return err
	}
	var back *reversed
	if !g.directed {
		back = &reversed{}
	}
	if g.nd.off, err = g.subgraph(ctx, subND, lists[subND], counts[subND], g.local, d, back); err != nil {
		return err
	}
	if back != nil {
		if err := g.drop(lists[subDN]); err != nil {
			return err
		}
		lists[subDN], counts[subDN] = back.pairs, back.count
	}
	if g.dn.off, err = g.subgraph(ctx, subDN, lists[subDN], counts[subDN], d, g.local, nil); err != nil {
		return err
	}
	g.nn.off, err = g.subgraph(ctx, subNN, lists[subNN], counts[subNN], g.local, g.comm.Size()*int(g.span), nil)
	return err
}

// reversed are pairs of rows' entries and rows.
type reversed struct {
	pairs device.Memory
	count uint64
}

// subgraph makes n rows of pairs, whose memory it frees, and returns their offsets; back, if not nil, gets the pairs of
// the reverse.
func (g *gpuMaker) subgraph(ctx context.Context, i int, pairs device.Memory, count uint64, n, targets int, back *reversed) (off []uint32, err error) {
	off = make([]uint32, n+1)
	l := g.left
	if l.off[i], err = g.dev.Alloc(4 * (uint64(n) + 1)); err != nil {
		return nil, err
	}
	if count == 0 {
		if l.to[i], err = g.dev.Alloc(4 * rowsPad); err != nil {
			return nil, err
		}
		if back != nil {
			back.pairs, err = g.alloc(0)
		}
		return off, errors.Join(err, g.drop(pairs))
	}
	g.handOver(pairs)
	if err := g.s.Sync(); err != nil {
		return nil, errors.Join(err, pairs.Close())
	}
	made, err := rowmaker.Of(ctx, g.dev, pairs, count, n, targets, i == subDD && !g.directed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.s.Sync(), made.Close()) }()
	if made.Kept > math.MaxUint32 {
		return nil, errRows(names[i], made.Kept)
	}
	if l.to[i], err = g.dev.Alloc(4 * (made.Kept + rowsPad)); err != nil {
		return nil, err
	}
	a := packArgs{offsets: address(made.Offsets), starts: address(made.Starts), entries: address(made.Entries), to: address(l.to[i]), n: uint32(n)}
	if back != nil {
		back.count = made.Kept
		if back.pairs, err = g.alloc(8 * made.Kept); err != nil {
			return nil, err
		}
		a.pairs = address(back.pairs)
	}
	k, err := g.s.Kernel(madeImage, "cluster_pack_rows")
	if err != nil {
		return nil, err
	}
	g.args.Reset()
	gpu.Struct(&g.args, &a)
	if err := errors.Join(g.s.Launch(k, k.Resident(), &g.args), g.s.Copy(l.off[i].Pointer(), made.Offsets.Pointer(), 4*(uint64(n)+1)), g.s.Sync()); err != nil {
		return nil, err
	}
	return off, discrete.Read(g.dev, off, made.Offsets)
}
