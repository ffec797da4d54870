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
	p.at = sharded{p: p}
	copies, width := devs.Arrays(), uintptr(4)
	if a.Wide {
		width = 8
	}
	var all placed.PlacedShards[*Placed]
	fail := func(err error) error { return errors.Join(err, all.Close(), p.Close()) }
	for i := range a.Parts {
		part, first := &a.Parts[i], uint32(i)*a.Stride
		d := &placed.ShardPlace{Dev: part.Dev, First: first, Count: uint32(part.Vertices), Of: a, Copies: copies, At: func(at uintptr) uintptr { return copies.At(i, at) }}
		for in, offsets := range []uintptr{part.Offsets, part.InOffsets} {
			if m := part.Memory(offsets); m != nil {
				var err error
				if d.Edges[in], err = placed.Last(part.Dev, m, part.Vertices, a.Wide); err != nil {
					return fail(err)
				}
				a.Edges[in] = max(a.Edges[in], d.Edges[in])
			}
		}
		if err := p.g.enter(); err != nil {
			return fail(err)
		}
		q := newPlaced(p.g, copies)
		q.state.PartOf(p.state)
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

// notSharded is what several devices don't have as an array.
type notSharded struct{ onHost }

func errNotSharded(what string) error {
	return fmt.Errorf("graph: %w: the %s aren't an array on several GPUs; take one", device.ErrNotSupported, what)
}

func (notSharded) weights([]float32) (*device.Buffer[float32], error) {
	return nil, errNotSharded("weights of edges")
}
func (notSharded) floats([]float64) (*device.Buffer[float64], error) {
	return nil, errNotSharded("weights of edges")
}
func (notSharded) ids([]uint64) (*device.Buffer[uint64], error) {
	return nil, errNotSharded("ids of edges")
}
func (notSharded) values(any, bool) (any, error) { return nil, errNotSharded("columns of edges") }
func (notSharded) offsets(*CSR) (*device.Buffer[uint64], error) {
	return nil, errNotSharded("offsets of rows")
}
func (notSharded) targets(*CSR) (*device.Buffer[uint32], error) {
	return nil, errNotSharded("targets of edges")
}

// sharded is a placed graph on several devices. Each has the entries of its edges of an array with one for each edge.
type sharded struct {
	notSharded
	p *Placed
}

func (s sharded) weights(a []float32) (*device.Buffer[float32], error) {
	return dealt(s.p, "weights", a, turned(s.p.g, a, func(c *CSR) []float32 { return c.Weights }))
}

func (s sharded) values(a any, in bool) (any, error) {
	return ofValues(a, dealer[int32](s.p, in), dealer[uint32](s.p, in), dealer[int64](s.p, in), dealer[uint64](s.p, in), dealer[float32](s.p, in), dealer[float64](s.p, in))
}

func dealer[T device.Elem](p *Placed, in bool) func([]T) (any, error) {
	return func(a []T) (any, error) {
		b, err := dealt(p, "column", a, in)
		if err != nil {
			return nil, err // not a nil *device.Buffer
		}
		return b, nil
	}
}

// dealt uploads to each device its part of an array with an entry for each edge.
func dealt[T device.Elem](p *Placed, what string, a []T, in bool) (*device.Buffer[T], error) {
	size := int(unsafe.Sizeof(*new(T)))
	m, n, err := p.deal(what, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), size*len(a)), uint64(size), in)
	if err != nil {
		return nil, err
	}
	return discrete.Over[T](m, n), nil
}

// deal is dealt of the bytes of an array. It returns the length of the longest part.
func (p *Placed) deal(what string, values []byte, size uint64, in bool) (device.Memory, int, error) {
	shards, _ := placed.Lookup(p.state, placed.ShardsKey{})
	copies, c, most := p.dev.(placed.Sharded).Arrays(), p.g.out, shards.Edges[0]
	if in {
		c, most = p.g.in, shards.Edges[1]
	}
	for i := range shards.Parts {
		if err := fitsEdges(shards.Parts[i].Dev, what, size*most); err != nil {
			return nil, 0, err
		}
	}
	m, n, err := placed.AllocEdges(shards, copies, in, size)
	if err != nil {
		return nil, 0, err
	}
	if err := placed.WriteEdges(shards, copies, m.Pointer(), c.Offsets, values, size); err != nil {
		return nil, 0, errors.Join(err, m.Close())
	}
	return m, n, nil
}

// fitsEdges returns device.ErrMemory for a device with too little memory free for an array.
func fitsEdges(dev discrete.Device, what string, bytes uint64) error {
	if info := dev.Info(); info.MemoryFree > 0 && bytes > info.MemoryFree {
		return fmt.Errorf("%w: placing the %s on %s takes %s, of which %s are free there", errMemory, what, info.Name, text.Bytes(bytes), text.Bytes(info.MemoryFree))
	}
	return nil
}

// turned reports whether an array has an entry for each in-edge, of a graph whose in-edges differ from its out-edges.
func turned[T float32 | uint64](g *Graph, a []T, of func(*CSR) []T) bool {
	return g.in != nil && g.in != g.out && len(a) > 0 && unsafe.SliceData(a) == unsafe.SliceData(of(g.in))
}

// onShard is a part of one. It has the weights and ids of the edges in its rows, in their order.
type onShard struct {
	notSharded
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
	if turned(g, a, of) {
		c, edges = g.in, d.Edges[1]
	}
	var x T
	size := uint64(unsafe.Sizeof(x))
	bytes := size * edges
	if err := fitsEdges(d.Dev, what, bytes); err != nil {
		return nil, err
	}
	m, err := d.Dev.Alloc(max(bytes, 16))
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.mem = append(o.mem, m)
	o.mu.Unlock()
	offsets := d.Of.Rows(c.Offsets, o.device)
	err = d.Dev.Upload(m, bytes, func(at uint64, part []byte) {
		to := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(part))), uint64(len(part))/size)
		d.Of.Pieces(c.Offsets, offsets, o.device, at/size, len(to), func(first, end uint64) { to = to[copy(to, a[first:end]):] })
	})
	return discrete.View[T](m.Pointer(), int(edges)), err
}
