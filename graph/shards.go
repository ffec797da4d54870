// This file places a graph across several devices of one machine (placed.Shards).

package graph

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/text"
)

// across deals the graph out to the devices, after a look at whether it fits each of them.
func (g *Graph) shard(devs placed.Sharded) (*placed.Shards, error) {
	name := devs.Info().Name
	n := g.NumVertices()
	a, err := newShards(devs, n, g.in != nil)
	if err != nil {
		return nil, err
	}
	p := len(a.Parts)
	d := sharder{a}
	widest := uint64(0)
	var out, in [][]uint64
	for i := range a.Parts {
		out = append(out, a.Rows(g.out.Offsets, i))
		widest = max(widest, out[i][len(out[i])-1])
		if g.in != nil && g.in != g.out {
			in = append(in, a.Rows(g.in.Offsets, i))
			widest = max(widest, in[i][len(in[i])-1])
		}
	}
	a.Wide = placed.Wide(widest)
	if err := d.fits(name, out, in); err != nil {
		return nil, err
	}
	errs := make([]error, p)
	counts := make([]uint64, p)
	var wg sync.WaitGroup
	for i := range a.Parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = panics.Call(func() (err error) {
				counts[i], err = d.place(g, i, out, in)
				return err
			})
		}()
	}
	wg.Wait()
	for _, c := range counts {
		a.Candidates += c
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(fmt.Errorf("graph: placing it on %s: %w", name, err), a.Close())
	}
	return a, nil
}

// newShards returns the distribution of n vertices to devices.
func newShards(devs placed.Sharded, n int, reverse bool) (*placed.Shards, error) {
	devices := devs.Discrete()
	p := len(devices)
	a := &placed.Shards{Vertices: n, Reverse: reverse, Parts: make([]placed.Shard, p)}
	stride := (uint64(n)/uint64(p) + shardUnit) / shardUnit * shardUnit
	if stride*uint64(p) > math.MaxUint32 {
		return nil, fmt.Errorf("graph: placing it on %s: %w: %d vertices", devs.Info().Name, ErrTooManyVertices, n)
	}
	a.Stride = uint32(stride)
	for i := range a.Parts {
		a.Parts[i].Dev, a.Parts[i].Vertices = devices[i], (n-i+p-1)/p
	}
	return a, nil
}

// ones returns from which of a device's vertices on rows have one entry at most, as placed.Shard has it.
func (g *Graph) ones(part *placed.Shard, device, devices int) uint32 {
	if g.order != OrderDegree || g.directed {
		return uint32(part.Vertices)
	}
	return uint32(sort.Search(part.Vertices, func(l int) bool { return g.out.Degree(uint32(l*devices+device)) <= 1 }))
}

// sharder deals out rows.
type sharder struct{ a *placed.Shards }

// fits returns device.ErrMemory where a device has too little memory free.
func (d *sharder) fits(name string, out, in [][]uint64) error {
	for i := range d.a.Parts {
		need, part := uint64(0), &d.a.Parts[i]
		add := func(o []uint64) {
			need += d.width()*uint64(len(o)) + 4*o[len(o)-1]
		}
		add(out[i])
		if in != nil {
			add(in[i])
		}
		if d.a.Reverse {
			need += 4*uint64(part.Vertices) + uint64(d.a.Stride)/8
		}
		if info := part.Dev.Info(); info.MemoryFree > 0 && need > info.MemoryFree {
			return fmt.Errorf("%w: placing the graph on %s takes about %s of %s, of which %s are free there", errMemory, name, text.Bytes(need), info.Name, text.Bytes(info.MemoryFree))
		}
	}
	return nil
}

func (d *sharder) width() uint64 {
	if d.a.Wide {
		return 8
	}
	return 4
}

// place uploads a device's shard, and returns the number of its vertices that have an in-neighbor.
func (d *sharder) place(g *Graph, device int, out, in [][]uint64) (candidates uint64, err error) {
	part := &d.a.Parts[device]
	if err := d.rows(g.out, device, out[device], &part.Offsets, &part.Targets); err != nil || g.in == nil {
		return 0, err
	}
	offsets := out[device]
	if g.in == g.out {
		part.InOffsets, part.InTargets = part.Offsets, part.Targets
	} else {
		offsets = in[device]
		if err := d.rows(g.in, device, offsets, &part.InOffsets, &part.InTargets); err != nil {
			return 0, err
		}
	}
	first, none := make([]uint32, part.Vertices), make([]uint32, d.a.Stride/32)
	for i := range none {
		none[i] = ^uint32(0)
	}
	for l := range first {
		v := uint32(l*len(d.a.Parts) + device)
		if offsets[l] == offsets[l+1] {
			first[l] = d.a.Number(v)
			continue
		}
		first[l] = d.a.Number(g.in.Targets[g.in.Offsets[v]])
		none[l/32] &^= 1 << (l % 32)
		candidates++
		part.Words = uint32(l/32) + 1
	}
	part.Ones = g.ones(part, device, len(d.a.Parts))
	if part.First, err = upload(part, first); err == nil {
		part.None, err = upload(part, none)
	}
	return candidates, err
}

// upload copies an array to the device of a part, whose own it is.
func upload[T device.Elem](part *placed.Shard, a []T) (uintptr, error) {
	var x T
	m, err := alloc(part, uint64(len(a))*uint64(unsafe.Sizeof(x)))
	if err != nil {
		return 0, err
	}
	return m.Pointer(), discrete.Write(part.Dev, m, a)
}

func alloc(part *placed.Shard, bytes uint64) (device.Memory, error) {
	m, err := part.Dev.Alloc(max(bytes, 16))
	if err == nil {
		part.Mem = append(part.Mem, m)
	}
	return m, err
}

// rows uploads the rows of a device's vertices, with the targets' numbers.
func (d *sharder) rows(c *CSR, device int, offsets []uint64, at, targets *uintptr) error {
	part := &d.a.Parts[device]
	o, err := alloc(part, d.width()*uint64(len(offsets)))
	if err != nil {
		return err
	}
	edges := offsets[len(offsets)-1]
	t, err := alloc(part, 4*edges)
	if err != nil {
		return err
	}
	*at, *targets = o.Pointer(), t.Pointer()
	err = part.Dev.Upload(o, d.width()*uint64(len(offsets)), func(at uint64, to []byte) {
		if d.a.Wide {
			copy(words[uint64](to), offsets[at/8:])
			return
		}
		for i, w := 0, words[uint32](to); i < len(w); i++ {
			w[i] = uint32(offsets[at/4+uint64(i)])
		}
	})
	if err != nil {
		return err
	}
	return part.Dev.Upload(t, 4*edges, func(at uint64, to []byte) {
		w := words[uint32](to)
		d.a.Pieces(c.Offsets, offsets, device, at/4, len(w), func(first, end uint64) {
			for i, t := range c.Targets[first:end] {
				w[i] = d.a.Number(t)
			}
			w = w[end-first:]
		})
	})
}

// words returns bytes as words.
func words[T uint32 | uint64](b []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(x)))
}
