// This file holds the keyed reduce on a GPU (keyed.cuh explains the kernels).

package reduce

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/keyedrows"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/text"
)

// keyedArgs are the arguments of the kernels (KeyedArgs of keyed.cuh).
type keyedArgs struct {
	rows                             step.CsrArgs
	items, values                    uint64
	middle, middles                  uint64
	hubs, keys, slots, totals, picks uint64
	scalar                           step.ScalarArgs
	count, level, in, hubCount       uint32
	segments, parts, chunks, phase   uint32
}

// keyedPick is what kernels choose of a long row's keys (KeyedPick).
type keyedPick struct {
	score float64
	value uint64
	key   uint32
	_     uint32
}

// Kernels alone read and write picks: here their size and layout count.
var _ = keyedPick{score: 0, value: 0, key: 0}

// Phases of the kernel for long rows.
const (
	phaseKeys = iota
	phaseParts
	phaseChunks
	phaseSettle
	phaseScalar
)

// keyedTool is the memory of the steps of an environment in one direction.
type keyedTool struct {
	s                *gpu.Stream
	dev              *gpu.Device
	own              keyedArgs
	positions, longs keyedMemory
	listed           *keyedrows.Lengths // if longs has the long rows of all vertices, as one batch
	batch            keyedrows.Batch
}

// keyedMemory is memory that grows.
type keyedMemory struct {
	device.Memory
	bytes uint64
}

// fit makes room. Earlier contents are lost.
func (m *keyedMemory) fit(dev device.Device, bytes uint64) error {
	if bytes <= m.bytes {
		return nil
	}
	if err := m.Close(); err != nil {
		return err
	}
	mem, err := dev.Alloc(bytes)
	if err == nil {
		m.Memory, m.bytes = mem, bytes
	}
	return err
}

// Close gives it back.
func (m *keyedMemory) Close() error {
	if m.Memory == nil {
		return nil
	}
	mem := m.Memory
	m.Memory, m.bytes = nil, 0
	return mem.Close()
}

// Close gives the memory back.
func (t *keyedTool) Close() error { return errors.Join(t.positions.Close(), t.longs.Close()) }

// place lays out the memory of a batch, and writes its rows there.
func (t *keyedTool) place(b *keyedrows.Batch) error {
	l := b.Layout()
	if err := t.longs.fit(t.dev, l.End); err != nil {
		return fmt.Errorf("totals by key of %d rows with %d edges take %s: %w", len(b.Rows), b.Edges, text.Bytes(l.End), err)
	}
	at, a := uint64(t.longs.Pointer()), &t.own
	a.hubs, a.totals, a.picks, a.keys, a.slots = at, at+l.Totals, at+l.Picks, at+l.Keys, at+l.Slots
	a.hubCount, a.segments, a.parts, a.chunks = uint32(len(b.Rows)), b.Segments, b.Parts, b.Chunks
	return discrete.WriteAt(t.dev, t.longs.Memory, 0, unsafe.Slice((*uint64)(unsafe.Pointer(&b.Rows[0])), len(b.Rows)*keyedrows.LongBytes/8))
}

// GPU launches the kernels: short rows, those with tables in shared memory, long ones in batches.
func (s *byKey[T, V]) GPU(x *step.Env) error {
	from, err := s.from(x)
	if err != nil {
		return err
	}
	l, err := step.Launches(x)
	if err != nil {
		return err
	}
	code, err := step.CodeOf(&x.Codes, s.f, step.Keys, s.use())
	if err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	if c := code.Generated.Code(); c.Gather == "" || c.Apply == "" || c.ScoreResult != "" && c.Score == "" {
		return fmt.Errorf("reduce: functor %s: %w: a method calls what GPUs don't have", c.Name, device.ErrNotSupported)
	}
	t, err := step.Tool(x, fmt.Sprintf("reduce.keyed.%t", s.in), func() (*keyedTool, error) {
		return &keyedTool{s: l.Stream(), dev: l.Stream().Device().(*gpu.Device)}, nil
	})
	if err == nil {
		err = s.launch(x, l, t, code, from)
	}
	return code.Launched(x, err)
}

func (s *byKey[T, V]) launch(x *step.Env, l *step.Launcher, t *keyedTool, code *step.Code, from *frontier.Frontier) error {
	lengths, err := keyedrows.LengthsOf(x.Placed, s.in)
	if err != nil {
		return err
	}
	a := &t.own
	a.rows, a.items, a.count, a.level, a.in = step.Out(x.Placed), 0, uint32(x.Placed.NumVertices()), uint32(x.Level), 0
	if s.in {
		a.rows, a.in = step.In(x.Placed), 1
	}
	if a.scalar, err = step.ArgsOf(s.into, x.Placed.Device()); err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	middles := uint64(lengths.Middles)
	if from != nil {
		count, _, err := from.Remote().Count()
		if err != nil {
			return err
		}
		a.items, a.count = from.Remote().Queue().Items, uint32(count)
		middles = min(middles, 1) * uint64(count)
	}
	if err := t.room(middles, a.scalar.Value != 0); err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	launch := func(op string, phase uint32, threads uint64) error {
		a.phase = phase
		return step.LaunchOwn(l, code, op, a, int(min((threads+gpu.Block-1)/gpu.Block, link.MaxBlocks)))
	}
	if err := launch("keyed_rows", 0, uint64(a.count)); err != nil {
		return err
	}
	if middles > 0 && a.count > 0 {
		if err := launch("keyed_tables", 0, 32*middles); err != nil {
			return err
		}
	}
	if len(lengths.Long) > 0 && a.count > 0 {
		if err := s.long(x, t, lengths, from, launch); err != nil {
			return err
		}
	}
	if a.scalar.Value != 0 {
		return launch("keyed_hubs", phaseScalar, uint64(a.count))
	}
	return nil
}

// room makes room for the rows that the kernel for short rows puts aside, and for the results of Apply.
func (t *keyedTool) room(middles uint64, values bool) error {
	a, count := &t.own, uint64(0)
	if values {
		count = uint64(a.count)
	}
	bytes := keyedrows.PositionBytes(middles, count)
	if err := t.positions.fit(t.dev, bytes); err != nil {
		return fmt.Errorf("lists of rows, and what %d vertices come to, take %s: %w", count, text.Bytes(bytes), err)
	}
	a.middles, a.values = uint64(t.positions.Pointer()), 0
	a.middle = a.middles + 8
	if values {
		a.values = a.middle + 4*(middles+middles&1)
	}
	return t.s.Fill(uintptr(a.middles), 0, 2)
}

// long totals the long rows of a frontier, in batches.
func (s *byKey[T, V]) long(x *step.Env, t *keyedTool, lengths *keyedrows.Lengths, from *frontier.Frontier, launch func(op string, phase uint32, threads uint64) error) error {
	if from == nil && t.listed == lengths {
		return t.total(launch)
	}
	vs, positions, offsets := lengths.Long, []uint32(nil), keyedrows.Offsets(x.Placed, s.in)
	if from != nil {
		if err := t.s.Sync(); err != nil {
			return err
		}
		all := from.Vertices()
		if err := from.ReadErr(); err != nil {
			return err
		}
		vs = nil
		for i, v := range all {
			if lengths.IsLong(v) {
				vs, positions = append(vs, v), append(positions, uint32(i))
			}
		}
	}
	for i := 0; i < len(vs); {
		// Kernels of the batch before, or of a step before, may be at work on theirs.
		if err := t.s.Sync(); err != nil {
			return err
		}
		first, b := i, keyedrows.Batch{Rows: t.batch.Rows[:0]}
		for ; i < len(vs); i++ {
			position := vs[i]
			if positions != nil {
				position = positions[i]
			}
			if v := vs[i]; !b.Add(v, position, offsets[v+1]-offsets[v]) {
				break
			}
		}
		t.batch, t.listed = b, nil
		if err := t.place(&b); err != nil {
			return fmt.Errorf("reduce: %w", err)
		}
		if from == nil && first == 0 && i == len(vs) {
			t.listed = lengths
		}
		if err := t.total(launch); err != nil {
			return err
		}
	}
	return nil
}

// total launches the kernels of a batch.
func (t *keyedTool) total(launch func(op string, phase uint32, threads uint64) error) error {
	a, b := &t.own, &t.batch
	if err := t.s.Fill(uintptr(a.slots), NoKey, b.Slots); err != nil {
		return err
	}
	for phase, items := range []uint64{uint64(b.Segments), uint64(b.Parts), uint64(b.Chunks), uint64(len(b.Rows))} {
		if err := launch("keyed_hubs", uint32(phase), 32*items); err != nil {
			return err
		}
	}
	return nil
}
