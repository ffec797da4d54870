// This file holds how a graph is built on a device whose memory the host can't address.

package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
	"github.com/foray-graph/foray/internal/text"
)

// built is the rows that building left on a device, for the first placed graph there.
type built struct {
	mu     sync.Mutex
	dev    discrete.Device // nil once they were taken
	parts  placed.Parts
	devs   placed.Sharded // where they are sharded: as dev, and the next line as parts
	shards *placed.Shards
}

// take returns the rows if they are on that device, once.
func (b *built) take(dev device.Device) (parts placed.Parts, ok bool) {
	if b == nil {
		return parts, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if u, is := dev.(discrete.Device); !is || b.dev != u {
		return parts, false
	}
	b.dev = nil
	return b.parts, true
}

// takeShards is take for rows that are sharded.
func (b *built) takeShards(dev device.Device) *placed.Shards {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if devs, is := dev.(placed.Sharded); !is || b.devs != devs {
		return nil
	}
	b.devs = nil
	return b.shards
}

// on reports whether rows are there, sharded to these devices.
func (b *built) on(devs placed.Sharded) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.devs == devs
}

// free frees rows that were not taken over.
func (b *built) free() (err error) {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.devs != nil {
		b.devs = nil
		return b.shards.Close()
	}
	if b.dev == nil {
		return nil
	}
	b.dev = nil
	for _, m := range b.parts.Arrays() {
		err = errors.Join(err, m.Close())
	}
	return err
}

// uploader returns the device that the rows are made on, with what makes them and its work, or nil for the host:
// because no device was requested, because the device doesn't support the options, or because it has too
// little memory. If it has too little memory for all edges at once, they come in batches; little reports
// that too.
func (b *build) uploader(little bool) (discrete.Device, func(context.Context, discrete.Device, placed.Plan) (placed.Builder, error), placed.Plan, error) {
	plan := b.plan()
	if !b.o.onDevice() || !b.o.DeviceOnly && plan.Pairs < tuning.DeviceEdges {
		return nil, nil, plan, nil
	}
	newRows, err := placed.RowBuilder.Get()
	if err != nil {
		return nil, nil, plan, fmt.Errorf("graph: Options.Device: %w: import device/gpu, or an algorithm", device.ErrNotSupported)
	}
	u := b.o.Device.(discrete.Device)
	info := u.Info()
	fits := func() bool { return info.MemoryFree == 0 || plan.Bytes() <= info.MemoryFree+b.early.bytes() }
	if !little && fits() && !tuning.InBatches {
		return u, newRows, plan, nil
	}
	if err := b.early.drop(); err != nil {
		return nil, nil, plan, err
	}
	info = u.Info()
	if plan.Made == nil {
		raw := plan.Raw
		plan.Raw, plan.Batch = false, tuning.BatchPairs
		if fits() && raw { // but for the ids
			b.load.table = true
			if err := b.refuse(b.load, b.load.memory().Peak); err != nil {
				return nil, nil, plan, err
			}
			if err := b.mapRaw(); err != nil {
				return nil, nil, plan, err
			}
			plan = b.plan()
			plan.Batch = tuning.BatchPairs
		}
	}
	if fits() && (plan.Made == nil || !little) {
		return u, newRows, plan, b.refuse(b.load, b.load.memory().Peak+plan.Away(b.load.pairs(uint64(b.workers))))
	}
	if !b.o.DeviceOnly {
		return nil, nil, plan, b.withoutDevice(fmt.Sprintf("it takes about %s of %s, which has %s free", text.Bytes(plan.Bytes()), info.Name, text.Bytes(info.MemoryFree)))
	}
	return nil, nil, plan, fmt.Errorf("%w: building on %s takes about %s, of which %s are free there; without Options.DeviceOnly the host builds it",
		errMemory, info.Name, text.Bytes(plan.Bytes()), text.Bytes(info.MemoryFree))
}

// withoutDevice makes the host build, which takes more of its memory, and records the reason.
func (b *build) withoutDevice(why string) error {
	b.stats.WhyHost = why
	if b.made != nil {
		return nil
	}
	b.load.o.Device = nil
	return b.refuse(b.load, b.load.memory().Peak)
}

// onDevice reports whether a device may make the rows.
func (o Options) onDevice() bool {
	_, ok := o.Device.(discrete.Device)
	return ok
}

// plan is the work of the device.
func (b *build) plan() placed.Plan {
	p := placed.Plan{Space: b.ids.space, Base: b.base, Directed: b.o.Directed, Reverse: b.o.Directed && b.o.Reverse, In: b.o.Directed && b.o.Order != OrderGiven,
		KeepSelfLoops: b.o.KeepSelfLoops, KeepDuplicates: b.o.KeepDuplicates, Weights: b.o.Weights, EdgeIDs: b.o.EdgeIDs, WideIDs: b.wideIDs, Seen: b.ids.direct}
	if b.made != nil {
		p.Pairs, p.Made = b.made.Edges, b.made
	}
	if b.there != nil {
		p.Pairs = b.there.pairs.Count
	}
	p.Combine, p.WeightType = uint8(b.combine), uint8(b.weightType)
	for _, c := range b.chunks() {
		p.Pairs += uint64(c.n)
	}
	if b.raw {
		p.Pairs, p.Raw, p.Space = p.Pairs/2, true, int(b.load.vertices)
		for _, c := range chunksOf(b.rawVertices) {
			p.Others += uint64(c.n)
		}
	}
	return p
}

// onDevice has a device make rows of the pairs. It returns nil where the host has to: see uploader.
func (b *build) onDevice() (placed.Builder, discrete.Device, error) {
	if b.there != nil {
		return b.there.rows(b)
	}
	for little := false; ; little = true {
		dev, newRows, plan, err := b.uploader(little)
		if dev == nil || err != nil {
			return nil, nil, errors.Join(err, b.early.drop())
		}
		plan.Early = b.early.take()
		on, err := newRows(b.ctx, dev, plan)
		if err == nil {
			if err = b.settle(on); err == nil {
				return on, dev, nil
			}
			err = errors.Join(err, on.Close())
		} else {
			for _, p := range plan.Early {
				err = errors.Join(err, p.Close())
			}
		}
		if errors.Is(err, placed.ErrRowTooLong) {
			if b.o.DeviceOnly || b.made != nil {
				return nil, nil, errRowTooLong
			}
			return nil, nil, errors.Join(b.early.drop(), b.withoutDevice("a row has 2^32 entries or more"))
		}
		if errors.Is(err, placed.ErrNotFolded) {
			if b.o.DeviceOnly {
				return nil, nil, errNotFolded
			}
			return nil, nil, errors.Join(b.early.drop(), b.withoutDevice(notFolded))
		}
		if !errors.Is(err, device.ErrMemory) || little && b.o.DeviceOnly {
			return nil, nil, buildingOn(dev, err)
		}
		if little { // another program took the memory, twice
			return nil, nil, b.withoutDevice(fmt.Sprintf("%s ran out of memory", dev.Info().Name))
		}
	}
}

// notFolded is the reason why a device doesn't combine parallel edges.
const notFolded = "a combined weight needs 64 bits, or a row has more than 2^24 entries before edges are combined"

var errNotFolded = fmt.Errorf("%w: Options.DeviceOnly, but %s; set Options.WeightType to WeightsFloat32, or leave DeviceOnly out", ErrOptions, notFolded)

// buildingOn returns the error with the name of the device that the rows are made on.
func buildingOn(dev device.Device, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("graph: building on %s: %w", dev.Info().Name, err)
}

// settle has the device make rows of the pairs, which they take the place of.
func (b *build) settle(on placed.Settler) error {
	if b.made != nil {
		b.step("generating", 0)
		return b.settled(on)
	}
	if b.there != nil {
		return b.settled(on)
	}
	per := uint64(1)
	if b.raw {
		if err := b.mapOn(on.(placed.Builder)); err != nil {
			return err
		}
		per = 2
	}
	chunks := slices.DeleteFunc(b.chunks(), func(c *chunk) bool { return c.n == 0 || c.of.early })
	var pairs func(at uint64, part []byte)
	if !b.raw {
		pairs, _ = chunkColumn(chunks, 8, 1, func(c *chunk) unsafe.Pointer { return unsafe.Pointer(c.pair) })
	}
	extras, _ := chunkColumn(chunks, 4, per, func(c *chunk) unsafe.Pointer { return unsafe.Pointer(c.w) })
	ids, _ := chunkColumn(chunks, 8, per, func(c *chunk) unsafe.Pointer { return unsafe.Pointer(c.id) })
	b.step("upload edges", 0)
	if b.o.EdgeIDs && !b.o.Weights && !b.wideIDs {
		extras = narrowIDs(chunks, per)
	}
	if err := on.Upload(pairs, extras, ids); err != nil {
		return err
	}
	return b.settled(on)
}

// narrowIDs returns what uploads the low 32 bits of edge ids; a chunk counts per entries an edge.
func narrowIDs(chunks []*chunk, per uint64) func(at uint64, part []byte) {
	ends, sum := make([]uint64, len(chunks)), uint64(0)
	for i, c := range chunks {
		sum += uint64(c.n) / per
		ends[i] = sum
	}
	return func(at uint64, part []byte) {
		to, first := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(part))), len(part)/4), at/4
		for i := sort.Search(len(ends), func(i int) bool { return ends[i] > first }); len(to) > 0; i++ {
			edges := uint64(chunks[i].n) / per
			ids := chunks[i].id[edges-(ends[i]-first) : edges]
			ids = ids[:min(len(ids), len(to))]
			for j, id := range ids {
				to[j] = uint32(id)
			}
			to, first = to[len(ids):], first+uint64(len(ids))
		}
	}
}

// settled has the device make rows of the pairs that it has.
func (b *build) settled(on placed.Settler) error {
	b.step("make rows", 0)
	found, err := on.Settle()
	if err != nil {
		return err // the host may continue with the pairs
	}
	b.give()
	b.deg = degrees{out: found.Out, in: found.In}
	b.stats.SelfLoops, b.stats.Duplicates = found.SelfLoops, found.Duplicates
	for i, word := range found.Seen {
		b.ids.seen[i] |= word
	}
	return nil
}

// step tells Progress of a phase that the device does.
func (b *build) step(phase string, done uint64) {
	if b.progress != nil {
		b.progress(Progress{Phase: phase, Done: done, Total: 1})
	}
}

// placeRows makes the device build the rows of the vertices; the host gets the offsets.
func (b *build) placeRows(on placed.Builder, dev discrete.Device, n int, final []uint32) (out, in *CSR, kept *built, err error) {
	defer func() { err = buildingOn(dev, err) }()
	b.deg = degrees{}
	b.step("place rows", 0)
	r, err := on.Place(final, n)
	if err != nil {
		return nil, nil, nil, err
	}
	kept = &built{dev: dev, parts: r.Parts}
	defer func() {
		if r.Out != r.Parts.Offsets {
			err = errors.Join(err, r.Out.Close())
		}
		if r.In != nil && r.In != r.Parts.InOffsets {
			err = errors.Join(err, r.In.Close())
		}
		if err != nil {
			err = errors.Join(err, kept.free())
		}
	}()
	if out, err = b.begins(dev, n, r.Out); err != nil {
		return nil, nil, kept, err
	}
	switch {
	case r.In != nil:
		in, err = b.begins(dev, n, r.In)
	case !b.o.Directed:
		in = out
	}
	b.step("place rows", 1)
	return out, in, kept, err
}

// begins returns rows that lack all but where they begin.
func (b *build) begins(dev discrete.Device, n int, from device.Memory) (*CSR, error) {
	c := &CSR{Offsets: pages.Uncleared[uint64](n + 1)}
	hugepage.Expect(c.Offsets)
	return c, discrete.Read(dev, c.Offsets, from)
}
