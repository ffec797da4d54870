// This file places a graph's arrays in the memory of a device that the host can't
// address (placed.Remote).

package graph

import (
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/text"
)

// onHost is a placed graph on the host.
type onHost struct{}

func (onHost) weights(a []float32) (*device.Buffer[float32], error) { return device.Wrap(a), nil }
func (onHost) floats(a []float64) (*device.Buffer[float64], error)  { return device.Wrap(a), nil }
func (onHost) ids(a []uint64) (*device.Buffer[uint64], error)       { return device.Wrap(a), nil }
func (onHost) offsets(c *CSR) (*device.Buffer[uint64], error)       { return device.Wrap(c.Offsets), nil }
func (onHost) targets(c *CSR) (*device.Buffer[uint32], error)       { return device.Wrap(c.Targets), nil }
func (onHost) values(a any, _ bool) (any, error) {
	return ofValues(a, wrapped[int32], wrapped[uint32], wrapped[int64], wrapped[uint64], wrapped[float32], wrapped[float64])
}
func (onHost) sync() error { return nil }
func (onHost) free() error { return nil }

// onDevice is a placed graph on a device whose memory the host can't address.
type onDevice struct {
	p   *Placed
	dev discrete.Device

	mu   sync.Mutex
	prep *placed.RemotePrepared
}

// hold makes arrays on a device those of the placed graph.
func (p *Placed) hold(dev discrete.Device, r *placed.Remote) *onDevice {
	d := &onDevice{p: p, dev: dev}
	p.at, p.R, p.inside.Uploads = d, r, d.prepare
	return d
}

func (d *onDevice) prepare() (*placed.RemotePrepared, error) {
	p := d.p
	if err := p.State().Enter(); err != nil {
		return nil, err
	}
	defer p.State().Leave()
	prep := p.State().Prepare()
	if prep == nil {
		return nil, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.prep != nil {
		return d.prep, nil
	}
	start := time.Now()
	r := &placed.RemotePrepared{Candidates: prep.Candidates, Words: prep.Words}
	kept, bytes := len(p.R.Mem), p.R.Bytes
	first, err := placed.Upload(d.dev, p.R, prep.First)
	none := uintptr(0)
	if err == nil {
		none, err = placed.Upload(d.dev, p.R, prep.NoIn)
	}
	if err != nil { // the graph may be searched without, or again later
		for _, m := range p.R.Mem[kept:] {
			err = errors.Join(err, m.Close())
		}
		p.R.Mem, p.R.Bytes = p.R.Mem[:kept], bytes
		return nil, err
	}
	r.First, r.None = first, none
	r.Bytes = uint64(len(prep.First))*4 + uint64(len(prep.NoIn))*8
	r.Elapsed = time.Since(start)
	d.prep = r
	return r, nil
}

func (d *onDevice) weights(a []float32) (*device.Buffer[float32], error) { return ofEdges(d, a) }
func (d *onDevice) floats(a []float64) (*device.Buffer[float64], error)  { return ofEdges(d, a) }
func (d *onDevice) ids(a []uint64) (*device.Buffer[uint64], error)       { return ofEdges(d, a) }

// ofEdges places an array with an element for each edge: on the device, or where the rows of a graph in tiers are.
func ofEdges[T device.Elem](d *onDevice, a []T) (*device.Buffer[T], error) {
	if d.p.R.Tiers == nil {
		return uploaded(d.dev, a)
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), uintptr(len(a))*unsafe.Sizeof(*new(T)))
	m, err := placed.Pin(d.dev, bytes)
	if err != nil {
		return nil, err
	}
	return discrete.Over[T](inPlace{m}, len(a)), nil
}

// inPlace is memory of the host that a device reads. The graph's users don't write it.
type inPlace struct{ device.Memory }

func (inPlace) Host() []byte { return nil }

func (d *onDevice) values(a any, _ bool) (any, error) {
	if d.p.R.Tiers != nil {
		return ofValues(a, placer[int32](d), placer[uint32](d), placer[int64](d), placer[uint64](d), placer[float32](d), placer[float64](d))
	}
	return ofValues(a, uploader[int32](d.dev), uploader[uint32](d.dev), uploader[int64](d.dev), uploader[uint64](d.dev), uploader[float32](d.dev), uploader[float64](d.dev))
}

// offsets are those that kernels read, where those have 64 bits.
func (d *onDevice) offsets(c *CSR) (*device.Buffer[uint64], error) {
	if r := d.p.R; r.Wide {
		return discrete.View[uint64](r.Offsets, len(c.Offsets)), nil
	}
	return uploaded(d.dev, c.Offsets)
}

func (d *onDevice) targets(c *CSR) (*device.Buffer[uint32], error) {
	return discrete.View[uint32](d.p.R.Targets, int(c.NumEdges())), nil
}

// uploaded returns a copy of an array on a device.
func uploaded[T device.Elem](dev device.Device, a []T) (*device.Buffer[T], error) {
	b, err := device.NewBuffer[T](dev, len(a))
	if err != nil {
		return nil, err
	}
	if err := b.Write(dev, 0, a); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (d *onDevice) sync() error {
	if s, ok := d.dev.(interface{ Sync() error }); ok {
		return s.Sync()
	}
	return nil
}

func (d *onDevice) free() error { return d.p.R.Close() }

// adopt is On for a graph whose arrays are on the device already, which the placed graph takes
// over, even if there is an error. It doesn't check that they match the graph. built: the graph was
// built there.
func (g *Graph) adopt(dev discrete.Device, parts placed.Parts, built bool) (*Placed, error) {
	r := &placed.Remote{Mem: parts.Arrays(), Simple: g.simple}
	fail := func(err error) (*Placed, error) { return nil, errors.Join(err, r.Close()) }
	if g == nil || dev == nil {
		return fail(fmt.Errorf("placing: %w", ErrNoGraph))
	}
	separate := g.in != nil && g.in != g.out
	if parts.Offsets == nil || parts.Targets == nil || separate != (parts.InOffsets != nil) || separate != (parts.InTargets != nil) ||
		(parts.First == nil) != (parts.None == nil) || parts.First != nil && g.in == nil {
		return fail(fmt.Errorf("%w: arrays of another form of graph", ErrMalformed))
	}
	if err := g.enterFor(built); err != nil {
		return fail(err)
	}
	r.Wide = placed.Wide(g.out.NumEdges())
	r.Bytes = remoteCSR(g.out, r.Wide)
	if separate {
		r.Bytes += remoteCSR(g.in, r.Wide)
	}
	r.Offsets, r.Targets = parts.Offsets.Pointer(), parts.Targets.Pointer()
	switch {
	case separate:
		r.InOffsets, r.InTargets = parts.InOffsets.Pointer(), parts.InTargets.Pointer()
	case g.in != nil:
		r.InOffsets, r.InTargets = r.Offsets, r.Targets
	}
	p := newPlaced(g, dev)
	p.took = built
	d := p.hold(dev, r)
	own(p, placed.Weights, parts.Weights)
	own(p, placed.InWeights, parts.InWeights)
	own(p, placed.EdgeIDs, parts.EdgeIDs)
	own(p, placed.InEdgeIDs, parts.InEdgeIDs)
	if parts.First != nil {
		prep := p.State().Prepare()
		d.prep = &placed.RemotePrepared{Candidates: prep.Candidates, Words: prep.Words, First: parts.First.Pointer(), None: parts.None.Pointer(),
			Bytes: uint64(g.NumVertices())*4 + uint64(len(prep.NoIn))*8}
	}
	return p, nil
}

// enterFor is enter, for On, which entered before, even where the graph was closed since.
func (g *Graph) enterFor(again bool) error {
	if !again {
		return g.enter()
	}
	g.hold.mu.Lock()
	defer g.hold.mu.Unlock()
	g.hold.placed++
	return nil
}

// own makes an array with an element for each edge the placed graph's, which returns it under key;
// m may be nil.
func own[T float32 | uint64](p *Placed, key placed.Array[T], m device.Memory) {
	if m == nil {
		return
	}
	var zero T
	edges := p.g.out.NumEdges()
	placed.Put(p.state, key, discrete.View[T](m.Pointer(), int(edges)))
	p.R.Bytes += uint64(unsafe.Sizeof(zero)) * edges
}

// RemoteBytes returns the memory of a graph on a discrete device (a GPU): its
// rows, and the data for pulls if it has its reverse. The memory of searches isn't
// included. On refuses a device with less free memory.
func (g *Graph) RemoteBytes() uint64 {
	bytes := remoteCSR(g.out, placed.Wide(g.out.NumEdges()))
	if g.in != nil && g.in != g.out {
		bytes += remoteCSR(g.in, placed.Wide(g.out.NumEdges()))
	}
	if g.in != nil { // Prepared
		bytes += prepBytes(g.NumVertices())
	}
	return bytes
}

// prepBytes is the memory of Prepared there.
func prepBytes(n int) uint64 { return 4*uint64(n) + (uint64(n)+63)/64*8 }

// place uploads the graph, after a look at whether it fits.
func (g *Graph) place(u discrete.Device) (*placed.Remote, error) {
	info, need := u.Info(), g.RemoteBytes()
	if _, ok := u.(placed.Pinner); ok && tuning.InTiers {
		return g.tiered(u, g.tiersBytes(placed.Wide(g.out.NumEdges()))+g.out.NumEdges())
	}
	if info.MemoryFree > 0 && need > info.MemoryFree {
		if _, ok := u.(placed.Pinner); ok {
			return g.tiered(u, info.MemoryFree-info.MemoryFree/freeShare)
		}
		return nil, fmt.Errorf("%w: placing the graph on %s takes about %s, of which %s are free there", errMemory, info.Name, text.Bytes(need), text.Bytes(info.MemoryFree))
	}
	start := time.Now()
	r := &placed.Remote{Wide: placed.Wide(g.out.NumEdges()), Simple: g.simple}
	err := r.Rows(u, g.out.Offsets, g.out.Targets, &r.Offsets, &r.Targets)
	switch {
	case err != nil:
	case g.in == g.out:
		r.InOffsets, r.InTargets = r.Offsets, r.Targets
	case g.in != nil:
		err = r.Rows(u, g.in.Offsets, g.in.Targets, &r.InOffsets, &r.InTargets)
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("graph: placing it on %s: %w", info.Name, err)
	}
	r.Elapsed = time.Since(start)
	return r, nil
}

func remoteCSR(c *CSR, wide bool) uint64 {
	width := uint64(4)
	if wide {
		width = 8
	}
	return (uint64(c.NumVertices())+1)*width + 4*c.NumEdges()
}
