// This file holds how a graph is built on several devices, sharded over them (placed.ShardBuilder).

package graph

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/text"
)

// sharded returns the devices that may make the rows sharded, or nil.
func (o Options) sharded() placed.Sharded {
	devs, _ := o.Device.(placed.Sharded)
	return devs
}

// firstOf returns the first of several devices any of which will do, if a graph of so many entries is
// faster there than on all.
func firstOf(devs placed.Sharded, entries uint64) discrete.Device {
	if devs == nil || !devs.Any() || entries >= tuning.ShardLeast {
		return nil
	}
	return devs.Discrete()[0]
}

// firstOf is that for the graph, unless it was built on these devices.
func (g *Graph) firstOf(dev device.Device) discrete.Device {
	devs, _ := dev.(placed.Sharded)
	if devs != nil && g.built.on(devs) {
		return nil
	}
	return firstOf(devs, g.NumDirectedEdges())
}

// shardsRows reports whether they do so of edges like these, if there is room and there are enough.
func (o Options) shardsRows() bool { return o.sharded() != nil && !o.Weights && !o.EdgeIDs }

// sharded has several devices make rows of the pairs, as shards. It returns nil where the host has to, for the
// reasons that uploader has.
func (b *build) sharded() (placed.ShardBuilder, placed.Sharded, error) {
	devs, plan := b.o.sharded(), b.plan()
	if devs == nil || !b.o.DeviceOnly && plan.Pairs < tuning.DeviceEdges {
		return nil, nil, nil
	}
	newRows, err := placed.ShardRowBuilder.Get()
	if err != nil {
		return nil, nil, fmt.Errorf("graph: Options.Device: %w: import device/gpu, or an algorithm", device.ErrNotSupported)
	}
	info := devs.Info()
	if !plan.Shardable() {
		if b.o.DeviceOnly {
			return nil, nil, fmt.Errorf("graph: building on %s: %w: several GPUs build graphs without weights and edge ids; name one GPU, or leave out Options.DeviceOnly and the host builds it", info.Name, device.ErrNotSupported)
		}
		return nil, nil, b.withoutDevice("several GPUs build graphs without weights and edge ids")
	}
	m := len(devs.Discrete())
	free := info.MemoryFree / uint64(m)
	if tuning.InBatches || free > 0 && plan.ShardBytes(m) > free {
		plan.Batch = tuning.ShardBatch
	}
	if need := plan.ShardBytes(m); free > 0 && need > free {
		if b.o.DeviceOnly {
			return nil, nil, fmt.Errorf("%w: building on %s takes about %s of each, of which %s are free; without Options.DeviceOnly the host builds it",
				errMemory, info.Name, text.Bytes(need), text.Bytes(free))
		}
		return nil, nil, b.withoutDevice(fmt.Sprintf("it takes about %s of each of %s, which have %s free", text.Bytes(need), info.Name, text.Bytes(free)))
	}
	on, err := newRows(b.ctx, devs, plan)
	if err == nil {
		if err = b.settle(on); err == nil {
			return on, devs, nil
		}
		err = errors.Join(err, on.Close())
	}
	switch {
	case errors.Is(err, placed.ErrRowTooLong) && (b.o.DeviceOnly || b.made != nil):
		return nil, nil, errRowTooLong
	case errors.Is(err, placed.ErrRowTooLong):
		return nil, nil, b.withoutDevice("a row has 2^32 entries or more")
	case errors.Is(err, device.ErrMemory) && !b.o.DeviceOnly:
		return nil, nil, b.withoutDevice(fmt.Sprintf("%s ran out of memory", info.Name))
	}
	return nil, nil, buildingOn(devs, err)
}

// shardRows has several devices make the rows of g's n vertices. The host has where they begin.
func (b *build) shardRows(on placed.ShardBuilder, devs placed.Sharded, g *Graph, n int, final []uint32) (err error) {
	b.step("place rows", 0)
	g.out = &CSR{}
	if g.out.Offsets, err = b.offsets(n, final, b.deg.out); err != nil {
		return err
	}
	var in []uint64
	switch {
	case !g.directed:
		g.in = g.out
	case b.o.Reverse:
		g.in = &CSR{}
		if g.in.Offsets, err = b.offsets(n, final, b.deg.in); err != nil {
			return err
		}
		in = g.in.Offsets
	}
	b.deg = degrees{}
	a, err := newShards(devs, n, g.in != nil)
	if err != nil {
		return buildingOn(devs, err)
	}
	a.Wide = placed.Wide(max(mostEntries(g.out, len(a.Parts)), mostEntries(g.in, len(a.Parts))))
	if err := on.Shard(final, a, g.out.Offsets, in); err != nil {
		return buildingOn(devs, errors.Join(err, a.Close()))
	}
	for i := range a.Parts {
		if a.Reverse {
			a.Parts[i].Ones = g.ones(&a.Parts[i], i, len(a.Parts))
		}
	}
	g.built = &built{devs: devs, shards: a}
	g.away = newShardsAway(devs, a, g.out, g.in)
	b.step("place rows", 1)
	return nil
}

// mostEntries returns how many entries rows have that one of so many devices gets, at most.
func mostEntries(c *CSR, devices int) uint64 {
	if c == nil || !placed.Wide(c.NumEdges()) {
		return 0 // few enough
	}
	sums := make([]uint64, devices)
	var wait panics.Group
	for i := range sums {
		wait.Go(func() {
			sum := uint64(0)
			for v := i; v < c.NumVertices(); v += devices {
				sum += c.Offsets[v+1] - c.Offsets[v]
			}
			sums[i] = sum
		})
	}
	wait.Wait()
	most := uint64(0)
	for _, sum := range sums {
		most = max(most, sum)
	}
	return most
}
