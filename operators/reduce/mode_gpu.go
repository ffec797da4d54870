// This file holds Mode on a GPU.

package reduce

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// modeArgs are the arguments of the kernels (mode.cuh).
type modeArgs struct {
	out, in              step.CsrArgs
	items                uint64
	values, to           uint64
	changed              uint64
	counts               uint64
	warps, longs, parts  uint64
	count                uint32
	slots, part, warpRow uint32
}

// Sizes of what mode.cuh lists: counts, a vertex, a long row, a part of one.
const (
	modeCountsBytes = 16
	modeLongBytes   = 24
	modePartBytes   = 8
	modeSlotBytes   = 8
)

// modeAside is the number of rows that the kernels put aside.
type modeAside struct{ warps, longs, parts uint64 }

func (r modeAside) bytes() uint64 {
	return modeCountsBytes + 4*r.warps + modeLongBytes*r.longs + modePartBytes*r.parts
}

func (r modeAside) within(o modeAside) bool {
	return r.warps <= o.warps && r.longs <= o.longs && r.parts <= o.parts
}

func (r *modeAside) add(g *graph.Graph, v uint32, part uint64) {
	d := g.Degree(v)
	if g.Directed() {
		d += g.InDegree(v)
	}
	switch {
	case d > uint64(tuning.ModeWarpRow):
		r.longs++
		r.parts += (d + part - 1) / part
	case d > modeBrief:
		r.warps++
	}
}

type modeKey struct {
	placed.Of[modeAside]
	part uint64
}

// modeAsideOf are the sizes for all vertices, where a part of a long row has so many neighbors at most.
func modeAsideOf(p *graph.Placed, part uint64) (modeAside, error) {
	return placed.LoadOrMake(p.State(), modeKey{part: part}, func() (modeAside, error) {
		var r modeAside
		for v := range uint32(p.NumVertices()) {
			r.add(p.Graph(), v, part)
		}
		return r, nil
	})
}

// modePart is how many neighbors of a long row a block counts that has so many slots: as many as
// leave room if all values differ.
func modePart(slots int) uint64 { return max(uint64(slots)*5/8, 1) }

// ModeBytes returns the maximum GPU memory of Mode on a placed graph, in addition to its arrays. On
// the host it takes none.
func ModeBytes(p *graph.Placed) uint64 {
	if p.Err() != nil || !p.Graph().HasReverse() {
		return 0
	}
	r, err := modeAsideOf(p, modePart(int(min(tuning.ModeSlots, leastModeSlots)))) // the smaller parts are, the more there are
	if err != nil {
		return 0
	}
	return r.bytes() + 4
}

// modeGPU is the kernels and the memory of the steps of an environment.
type modeGPU struct {
	s                  *gpu.Stream
	rows, warps, longs *gpu.Kernel
	own                modeArgs
	room               modeAside
	mem                device.Memory
	args               gpu.Args
}

func newModeGPU(x *step.Env) (*modeGPU, error) {
	s, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return nil, err
	}
	m, width := &modeGPU{s: s}, x.Placed.Remote().Width()
	var shared int
	if m.rows, err = s.Kernel(image, "mode_rows"+width); err == nil {
		m.warps, _, err = s.SharedKernel(image, "mode_warps"+width, gpu.Block, gpu.Block/32*modeTable)
	}
	if err == nil {
		m.longs, shared, err = s.SharedKernel(image, "mode_longs"+width, modeThreads, modeSlotBytes*int(tuning.ModeSlots))
	}
	if err != nil {
		return nil, fmt.Errorf("reduce: Mode: %w", err)
	}
	m.own.slots = uint32(shared / modeSlotBytes)
	m.own.part, m.own.warpRow = uint32(modePart(int(m.own.slots))), tuning.ModeWarpRow
	return m, nil
}

// Close gives the memory back.
func (m *modeGPU) Close() error {
	if m.mem == nil {
		return nil
	}
	x := m.mem
	m.mem = nil
	return x.Close()
}

// fit makes room for the rows of a frontier; of all vertices for nil.
func (m *modeGPU) fit(p *graph.Placed, from *frontier.Frontier) error {
	need, err := modeAsideOf(p, uint64(m.own.part))
	if err != nil {
		return err
	}
	if from != nil && from.Remote().IsList() { // which may have a vertex often
		if err := m.s.Sync(); err != nil {
			return err
		}
		need = modeAside{}
		for _, v := range from.Vertices() {
			need.add(p.Graph(), v, uint64(m.own.part))
		}
		if err := from.ReadErr(); err != nil {
			return err
		}
	}
	if m.mem != nil && need.within(m.room) {
		return nil
	}
	if err := m.Close(); err != nil {
		return fmt.Errorf("reduce: Mode: %w", err)
	}
	need.warps += need.warps & 1 // what is behind is of 8 bytes
	mem, err := p.Device().Alloc(need.bytes())
	if err != nil {
		return fmt.Errorf("reduce: Mode: %w", err)
	}
	m.mem, m.room = mem, need
	m.own.counts = uint64(mem.Pointer())
	m.own.longs = m.own.counts + modeCountsBytes
	m.own.parts = m.own.longs + modeLongBytes*need.longs
	m.own.warps = m.own.parts + modePartBytes*need.parts
	return nil
}

// GPU launches the kernels: short rows, those of a warp each, long ones.
func (s *mode) GPU(x *step.Env) error {
	if err := s.check(x.Placed, true); err != nil {
		return err
	}
	m, err := step.Tool(x, "reduce.mode", func() (*modeGPU, error) { return newModeGPU(x) })
	if err != nil {
		return err
	}
	scalar, err := step.ArgsOf(s.into, x.Placed.Device())
	if err != nil {
		return fmt.Errorf("reduce: Mode: %w", err)
	}
	a := &m.own
	a.out, a.in, a.items, a.count = step.Out(x.Placed), step.CsrArgs{}, 0, uint32(x.Placed.NumVertices())
	if x.Placed.Graph().Directed() {
		a.in = step.In(x.Placed)
	}
	a.values, a.to, a.changed = uint64(s.values.Pointer()), uint64(s.to.Pointer()), scalar.Value
	var from *frontier.Frontier
	if x.Cur.Form() == frontier.All {
		x.Edges += x.Placed.Graph().NumDirectedEdges()
	} else {
		from = x.Cur
		if err := from.List(x.Stream); err != nil {
			return err
		}
		count, _, err := from.Remote().Count()
		if err != nil {
			return err
		}
		a.items, a.count = from.Remote().Queue().Items, uint32(count)
	}
	if err := m.fit(x.Placed, from); err != nil {
		return err
	}
	if scalar.Value != 0 {
		if err := m.s.Fill(uintptr(scalar.Value), 0, 2); err != nil {
			return err
		}
	}
	if a.count == 0 {
		return nil
	}
	if err := m.s.Fill(uintptr(a.counts), 0, modeCountsBytes/4); err != nil {
		return err
	}
	m.args.Reset()
	gpu.Struct(&m.args, a)
	launch := func(k *gpu.Kernel, blocks uint64) error {
		if blocks == 0 {
			return nil
		}
		return m.s.Launch(k, int(min(blocks, 1<<20)), &m.args)
	}
	return errors.Join(launch(m.rows, (uint64(a.count)+gpu.Block-1)/gpu.Block), launch(m.warps, (m.room.warps+7)/8), launch(m.longs, m.room.parts))
}
