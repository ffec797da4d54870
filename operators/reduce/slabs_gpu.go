// This file holds the layout of slabs on a GPU: when it is used, how it is made, and the steps
// that go over it (slabs.cuh explains it).

package reduce

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/hubs"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// slabMaker are the arguments of the kernels that make the layout (SlabArgs of slabs.cuh).
type slabMaker struct {
	g                                          step.CsrArgs
	last, counts, bases, ends, before, tiles   uint64
	places, bits, pieces, runs, rows           uint64
	scan, sums                                 uint64
	length, edges, tileCount, slabCount, count uint32
	scanRows, slabBits, binCount               uint32
	bins, starts, tables, local                uint64
	most, _                                    uint32
}

// slabs is the layout of a placed graph in one direction. It is the placed graph's.
type slabs struct {
	args step.SlabArgs
	bins step.SlabBinArgs
	runs uint64
	rows step.CsrArgs
	hubs *hubs.List // of rows with more runs than a bin has
	mem  []device.Memory
}

// Close gives the memory back.
func (s *slabs) Close() error {
	if s == nil { // rows were better
		return nil
	}
	var errs []error
	for _, m := range s.mem {
		errs = append(errs, m.Close())
	}
	s.mem = nil
	return errors.Join(errs...)
}

type slabsKey struct {
	placed.Of[*slabs]
	in bool
}

// overSlabs reports whether a reduce over all vertices may go over slabs. The kernels that make them take
// the rows of all vertices, not those of a part. Slabs would be a second copy of rows that exceed the GPU's memory.
func overSlabs(p *graph.Placed, code *step.Code) bool {
	return code.Local() && !p.Remote().Wide && p.Remote().Shard == nil && !p.Remote().InTiers() && slabbed(p)
}

// errRuns: rows have too few edges in a slab.
var errRuns = errors.New("too many runs")

// slabsOf returns the layout of a placed graph, which is made on the first call.
func slabsOf(x *step.Env, in bool) (*slabs, error) {
	p := x.Placed
	return placed.LoadOrMake(p.State(), slabsKey{in: in}, func() (*slabs, error) {
		s, err := makeSlabs(x, in)
		if errors.Is(err, device.ErrMemory) || errors.Is(err, errRuns) {
			return nil, nil // rows take none
		}
		return s, err
	})
}

// maker is what a layout is made with.
type maker struct {
	gs   *gpu.Stream
	dev  *gpu.Device
	a    slabMaker
	args gpu.Args
	mem  []device.Memory // for the making alone
}

func (m *maker) alloc(keep *[]device.Memory, bytes uint64) (uint64, error) {
	x, err := m.dev.Alloc(max(bytes, 16))
	if err != nil {
		return 0, err
	}
	*keep = append(*keep, x)
	return uint64(x.Pointer()), nil
}

// launch enqueues a kernel for so many threads.
func (m *maker) launch(name string, threads uint64) error {
	k, err := m.gs.Kernel(slabImage, name)
	if err != nil {
		return err
	}
	m.args.Reset()
	gpu.Struct(&m.args, &m.a)
	return m.gs.Launch(k, int(min((threads+gpu.Block-1)/gpu.Block, 1<<20)), &m.args)
}

// sum makes sums of rows of numbers, and returns those of whole rows.
func (m *maker) sum(at uint64, rows, length uint32) ([]uint32, error) {
	mem, err := m.dev.Alloc(4 * uint64(max(rows, 4)))
	if err != nil {
		return nil, err
	}
	m.mem = append(m.mem, mem)
	m.a.scan, m.a.sums, m.a.length, m.a.scanRows = at, uint64(mem.Pointer()), length, rows
	sums := make([]uint32, rows)
	return sums, errors.Join(m.launch("slab_scan", uint64(rows)*gpu.Block), m.gs.Sync(), discrete.Read(m.dev, sums, mem))
}

// makeSlabs makes a layout.
func makeSlabs(x *step.Env, in bool) (made *slabs, err error) {
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return nil, err
	}
	edges, n := x.Placed.Graph().NumDirectedEdges(), uint64(x.Placed.NumVertices())
	count := (n + 1<<tuning.SlabBits - 1) >> tuning.SlabBits
	tiles := (edges + slabTile - 1) / slabTile
	m, s := &maker{gs: gs, dev: gs.Device().(*gpu.Device)}, &slabs{}
	defer func() {
		var errs []error
		for _, x := range m.mem {
			errs = append(errs, x.Close())
		}
		if err = errors.Join(append(errs, err)...); err != nil {
			made, err = nil, errors.Join(fmt.Errorf("reduce: slabs: %w", err), s.Close())
		}
	}()
	a := &m.a
	a.g = step.Out(x.Placed)
	if in {
		a.g = step.In(x.Placed)
	}
	a.edges, a.tileCount, a.slabCount, a.slabBits = uint32(edges), uint32(tiles), uint32(count), tuning.SlabBits
	words := (edges + 31) / 32
	for _, p := range []struct {
		to    *uint64
		bytes uint64
	}{{&a.last, 4 * words}, {&a.ends, 4 * words}, {&a.before, 4 * words}, {&a.counts, 4 * count * tiles}, {&a.tiles, 4 * tiles}, {&a.bases, 4 * count}} {
		if *p.to, err = m.alloc(&m.mem, p.bytes); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(gs.Fill(uintptr(a.last), 0, words), m.launch("slab_last", n), m.launch("slab_count", tiles*32)); err != nil {
		return nil, err
	}
	sizes, err := m.sum(a.counts, uint32(count), uint32(tiles))
	if err != nil {
		return nil, err
	}
	bases, firsts, pieces := make([]uint32, count), make([]uint32, count+1), uint32(0)
	for i, d := range sizes {
		bases[i], firsts[i] = pieces*slabPiece, pieces
		pieces += (d + slabPiece - 1) / slabPiece
	}
	firsts[count] = pieces
	a.count = pieces
	basesMem := m.mem[len(m.mem)-2] // before the sums
	if err := discrete.WriteAt(m.dev, basesMem, 0, bases); err != nil {
		return nil, err
	}
	if a.places, err = m.alloc(&s.mem, 2*slabPiece*uint64(pieces)); err == nil {
		a.pieces, err = m.alloc(&s.mem, 4*uint64(pieces))
	}
	if err == nil {
		s.args.Firsts, err = m.alloc(&s.mem, 4*(count+1))
	}
	if err == nil {
		err = discrete.WriteAt(m.dev, s.mem[2], 0, firsts)
	}
	if err == nil {
		a.bits, err = m.alloc(&m.mem, slabPiece/8*uint64(pieces))
	}
	if err == nil {
		a.rows, err = m.alloc(&s.mem, 4*(n+1))
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(gs.Fill(uintptr(a.places), 0, slabPiece/2*uint64(pieces)), m.launch("slab_place", tiles*32), m.launch("slab_pieces", uint64(pieces)*32)); err != nil {
		return nil, err
	}
	if _, err := m.sum(a.pieces, 1, pieces); err != nil {
		return nil, err
	}
	all, err := m.sum(a.tiles, 1, uint32(tiles))
	if err != nil {
		return nil, err
	}
	if s.runs = uint64(all[0]); s.runs*tuning.SlabRun > edges {
		return nil, errRuns
	}
	runsBefore := make([]uint32, pieces) // each piece; then each slab
	if err := discrete.Read(m.dev, runsBefore, s.mem[1]); err != nil {
		return nil, err
	}
	before := make([]uint32, count+1)
	for i, p := range firsts {
		if before[i] = all[0]; p < pieces {
			before[i] = runsBefore[p]
		}
	}
	if s.args.Before, err = m.alloc(&s.mem, 4*(count+1)); err == nil {
		err = discrete.WriteAt(m.dev, s.mem[len(s.mem)-1], 0, before)
	}
	if err != nil {
		return nil, err
	}
	if a.runs, err = m.alloc(&m.mem, 4*s.runs); err != nil {
		return nil, err
	}
	runs := len(m.mem) - 1
	if err := errors.Join(m.launch("slab_runs", tiles*32), m.launch("slab_rows", n+1), gs.Sync()); err != nil {
		return nil, err
	}
	rows := make([]uint32, n+1)
	if err := discrete.Read(m.dev, rows, s.mem[3]); err != nil {
		return nil, err
	}
	if err := m.bins(s, rows); err != nil {
		return nil, err
	}
	s.hubs = hubs.ListOf(0, uint32(n), func(v uint32) uint64 {
		if d := rows[v+1] - rows[v]; d > a.most {
			return uint64(d)
		}
		return 0
	})
	if s.hubs.Any() { // they need the places of their values
		s.mem = append(s.mem, m.mem[runs])
		m.mem = append(m.mem[:runs], m.mem[runs+1:]...)
	}
	s.rows = step.CsrArgs{Offsets: a.rows, Targets: a.runs, N: uint32(n)}
	s.args.Places, s.args.Pieces, s.args.N, s.args.Slabs, s.args.Count, s.args.Fill = a.places, a.pieces, uint32(n), uint32(count), pieces, tuning.SlabFill
	s.args.SlabBits, s.args.RunCost = a.slabBits, tuning.SlabRunCost
	return s, nil
}

// bins makes the bins of a layout, of which rows are where the runs of each row begin.
func (m *maker) bins(s *slabs, rows []uint32) error {
	a, n := &m.a, len(rows)-1
	a.most = binMost(uint64(a.slabCount))
	bounds := []uint32{0}
	for from, v := 0, 0; v < n; v++ {
		if rows[v+1]-rows[from] > a.most && v > from || v-from == binRows {
			bounds, from = append(bounds, uint32(v)), v
		}
	}
	bounds = append(bounds, uint32(n))
	count := uint64(len(bounds) - 1)
	a.binCount = uint32(count)
	var err error
	for _, p := range []struct {
		to    *uint64
		bytes uint64
	}{{&a.bins, 4 * (count + 1)}, {&a.starts, 4 * (count + 1) * uint64(a.slabCount)}, {&a.tables, 2 * count * uint64(a.slabCount)}, {&a.local, 2 * s.runs}} {
		if *p.to, err = m.alloc(&s.mem, p.bytes); err != nil {
			return err
		}
	}
	if err := discrete.WriteAt(m.dev, s.mem[len(s.mem)-4], 0, bounds); err != nil {
		return err
	}
	s.bins = step.SlabBinArgs{Rows: a.rows, Local: a.local, Bins: a.bins, Starts: a.starts, Tables: a.tables, N: uint32(n), Slabs: a.slabCount, Count: a.binCount, Most: a.most}
	return errors.Join(m.launch("slab_starts", (count+1)*32), m.launch("slab_local", count*gpu.Block), m.gs.Sync())
}

// slabRoom is what one traversal needs to go over slabs: the values of runs, and of its hubs.
type slabRoom struct {
	values device.Memory
	hubs   *hubs.Hubs
}

// Close gives it back.
func (r *slabRoom) Close() error {
	var err error
	if r.values != nil {
		err = r.values.Close()
		r.values = nil
	}
	return errors.Join(err, r.hubs.Close())
}

// onSlabs reduces over slabs. done is false where that can't be.
func (s *gather[T, V]) onSlabs(x *step.Env, op step.Op, code *step.Code) (done bool, err error) {
	l, err := step.Launches(x)
	if err != nil {
		return false, err
	}
	layout, err := slabsOf(x, s.in)
	if err != nil || layout == nil {
		return false, err
	}
	room, err := step.Tool(x, fmt.Sprintf("reduce.slabs.%t", s.in), func() (*slabRoom, error) {
		r := &slabRoom{}
		m, err := l.Stream().Device().(*gpu.Device).Alloc(4*layout.runs + 16) // copied four at a time
		if err == nil {
			r.values = m
			r.hubs, err = hubs.New(l.Stream().Device().(*gpu.Device), layout.hubs)
		}
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		return r, nil
	})
	if errors.Is(err, device.ErrMemory) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a := layout.args
	a.Values, a.Level = uint64(room.values.Pointer()), uint32(x.Level)
	shared := func(value int) int { return 4*slabVertices + slabThreads/32*slabPiece*value }
	if fits, err := l.Slabs(code, a, slabThreads, [2]int{shared(4), shared(8)}); err != nil || !fits {
		return false, err
	}
	b := layout.bins
	b.Values, b.Scalar, b.Level = a.Values, op.Scalar, a.Level
	if err := l.Bins(code, b, 4*binTable); err != nil || room.hubs.Args.Any == 0 {
		return true, err
	}
	o := step.Operation{Code: code, Op: op, Hubs: room.hubs.Args, Runs: &step.Runs{Rows: layout.rows, Values: a.Values}, Level: x.Level, Blocks: link.MaxBlocks}
	return true, launchHubs(l, &o, room.hubs)
}
