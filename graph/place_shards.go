// This file presents the shards of a graph on several devices to the steps of traversals, as placed graphs.

package graph

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/text"
)

// lies records that the graph is on several devices, and returns p.
func (p *Placed) onShards(devs placed.Sharded, a *placed.Shards) (*Placed, error) {
	placed.Put(p.state, placed.ShardsKey{}, a)
	if err := p.makeShards(devs, a); err != nil {
		return nil, err
	}
	return p, nil
}

// makeShards makes the shards of a placed graph, each of which has the whole graph and the rows of its own vertices. If it
// fails, it frees the placed graph.
func (p *Placed) makeShards(devs placed.Sharded, a *placed.Shards) error {
	p.at = sharded{}
	copies, width := devs.Arrays(), uintptr(4)
	if a.Wide {
		width = 8
	}
	var all placed.PlacedShards[*Placed]
	fail := func(err error) error { return errors.Join(err, all.Close(), p.Close()) }
	for i := range a.Parts {
		part, first := &a.Parts[i], uint32(i)*a.Stride
		d := &placed.ShardPlace{Dev: part.Dev, First: first, Count: uint32(part.Vertices), Of: a, At: func(at uintptr) uintptr { return copies.At(i, at) }}
		for in, offsets := range []uintptr{part.Offsets, part.InOffsets} {
			if m := part.Memory(offsets); m != nil {
				var err error
				if d.Edges[in], err = placed.Last(part.Dev, m, part.Vertices, a.Wide); err != nil {
					return fail(err)
				}
			}
		}
		if err := p.g.enter(); err != nil {
			return fail(err)
		}
		q := newPlaced(p.g, copies)
		q.at = &onShard{p: q, device: i}
		q.R = &placed.Remote{Wide: a.Wide, Offsets: part.Offsets - uintptr(first)*width, Targets: part.Targets, Shard: d}
		if a.Reverse {
			q.R.InOffsets, q.R.InTargets = part.InOffsets-uintptr(first)*width, part.InTargets
		}
		all = append(all, q)
	}
	placed.Put(p.state, placed.PlacedShardsKey[*Placed]{}, all)
	return nil
}

// sharded is a placed graph on several devices. What isn't sharded isn't there.
type sharded struct{ onHost }

func notSharded(what string) error {
	return fmt.Errorf("graph: %w: the %s aren't an array on several GPUs; take one", device.ErrNotSupported, what)
}

func (sharded) weights([]float32) (*device.Buffer[float32], error) {
	return nil, notSharded("weights of edges")
}
func (sharded) floats([]float64) (*device.Buffer[float64], error) {
	return nil, notSharded("weights of edges")
}
func (sharded) ids([]uint64) (*device.Buffer[uint64], error) { return nil, notSharded("ids of edges") }
func (sharded) values(any) (any, error)                      { return nil, notSharded("columns of edges") }
func (sharded) offsets(*CSR) (*device.Buffer[uint64], error) {
	return nil, notSharded("offsets of rows")
}
func (sharded) targets(*CSR) (*device.Buffer[uint32], error) {
	return nil, notSharded("targets of edges")
}

// onShard is a part of one. It has the weights and ids of the edges in its rows, in their order.
type onShard struct {
	sharded
	p      *Placed
	device int

	mu  sync.Mutex
	mem []device.Memory
}

func (o *onShard) weights(a []float32) (*device.Buffer[float32], error) {
	return shardOf(o, "weights", a, func(c *CSR) []float32 { return c.Weights })
}

func (o *onShard) ids(a []uint64) (*device.Buffer[uint64], error) {
	return shardOf(o, "edge ids", a, func(c *CSR) []uint64 { return c.EdgeIDs })
}

func (o *onShard) free() (err error) {
	for _, m := range o.mem {
		err = errors.Join(err, m.Close())
	}
	o.mem = nil
	return err
}

// shardOf uploads what a part has of an array with an entry for each edge.
func shardOf[T float32 | uint64](o *onShard, what string, a []T, of func(*CSR) []T) (*device.Buffer[T], error) {
	g, d := o.p.g, o.p.R.Shard
	c, edges := g.out, d.Edges[0]
	if g.in != nil && g.in != g.out && len(a) > 0 && unsafe.SliceData(a) == unsafe.SliceData(of(g.in)) {
		c, edges = g.in, d.Edges[1]
	}
	var x T
	size := uint64(unsafe.Sizeof(x))
	bytes := size * edges
	if info := d.Dev.Info(); info.MemoryFree > 0 && bytes > info.MemoryFree {
		return nil, fmt.Errorf("%w: placing the %s on %s takes %s, of which %s are free there", errMemory, what, info.Name, text.Bytes(bytes), text.Bytes(info.MemoryFree))
	}
	m, err := d.Dev.Alloc(max(bytes, 16))
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.mem = append(o.mem, m)
	o.mu.Unlock()
	from := sharder{a: d.Of, devices: uint32(len(d.Of.Parts))}
	offsets := from.offsets(c, o.device)
	err = d.Dev.Upload(m, bytes, func(at uint64, part []byte) {
		to := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(part))), uint64(len(part))/size)
		from.pieces(c, o.device, offsets, at/size, len(to), func(first, end uint64) { to = to[copy(to, a[first:end]):] })
	})
	return discrete.View[T](m.Pointer(), int(edges)), err
}
