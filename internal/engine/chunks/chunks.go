// Package chunks streams whole rows of a graph in tiers, which are in the host's memory, through two buffers of a
// GPU. A step over the rows of all vertices takes one chunk after the other: while kernels go through one buffer, the bus
// fills the other one (Subway, Sabet, Zhao and Gupta, EuroSys 2020; HyTGraph, Wang et al., ICDE 2023).
package chunks

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/hubs"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// Kernels read rows in vectors, and a little past their end: copies begin at multiples of align entries, and a buffer has as many more at its end.
const align = 128

// Chunk is some vertices, in order, and their rows.
type Chunk struct {
	First, Last uint32 // vertices from First to before Last
	Begin, End  uint64 // entries
	where       place
}

// Count is how many vertices it has.
func (c *Chunk) Count() uint32 { return c.Last - c.First }

type place uint8

const (
	inBuffer place = iota
	onDevice       // near rows of hubs
	onHost         // read in place: a row that is longer than a buffer, or no row
)

// cut divides the rows of a CSR into chunks of at most most entries.
func cut(offsets []uint64, split, most uint64) (all []Chunk) {
	n := len(offsets) - 1
	for v := 0; v < n; {
		begin, where := offsets[v], inBuffer
		var last int
		if begin < split {
			last, where = sort.Search(n, func(u int) bool { return offsets[u+1] > split }), onDevice
		} else {
			last = v + sort.Search(n-v, func(i int) bool { return offsets[v+i+1]-begin > most })
		}
		if last == v { // one row is longer
			last, where = v+1, onHost
		}
		if offsets[last] == begin {
			where = onHost
		}
		all = append(all, Chunk{First: uint32(v), Last: uint32(last), Begin: begin, End: offsets[last], where: where})
		v = last
	}
	return all
}

// Rows are the chunks of the rows in one direction.
type Rows struct {
	Chunks []Chunk
	Hubs   *hubs.Parts // of each chunk
	in     bool
	pinned device.Memory
	near   uintptr // of entries below split
}

// Reader streams chunks, for one traversal.
type Reader struct {
	p       *graph.Placed
	main    *gpu.Stream
	bus     *gpu.Stream // of copies
	size    uint64      // entries of a buffer
	buffers [2]device.Memory
	ready   [2]*gpu.Mark // a copy is done
	free    [2]*gpu.Mark // kernels are done with a buffer
	ids     uintptr
	rows    [2]*Rows
	turn    int
	begun   bool // kernels go through the buffer whose turn it is
}

// Streams reports whether rows of a placed graph are streamed from the host's memory.
func Streams(p *graph.Placed) bool {
	return tuning.ChunkEntries > 0 && p.Remote().InTiers() && p.NumVertices() > 0
}

// Of returns the Reader of an environment. It is nil for a graph whose rows are on the device, and if the
// device has no memory for buffers: then kernels read rows in place.
func Of(x *step.Env) (*Reader, error) {
	if !Streams(x.Placed) {
		return nil, nil
	}
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return nil, err
	}
	r, err := step.Tool(x, "chunks", func() (*Reader, error) { return newReader(x.Placed, gs) })
	if errors.Is(err, device.ErrMemory) {
		return nil, nil
	}
	return r, err
}

func newReader(p *graph.Placed, main *gpu.Stream) (r *Reader, err error) {
	r = &Reader{p: p, main: main}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("rows in chunks: %w", err), r.Close())
			r = nil
		}
	}()
	dev := main.GPU()
	ids, err := numbers(p, dev)
	if err != nil {
		return r, err
	}
	r.ids = ids.Pointer()
	most := p.Graph().NumDirectedEdges()
	for r.size = min(tuning.ChunkEntries, most+align); ; r.size /= 2 {
		if err = r.alloc(dev); err == nil || !errors.Is(err, device.ErrMemory) || r.size/2 < min(tuning.LeastChunk, most) {
			break
		}
	}
	if err != nil {
		return r, err
	}
	if r.bus, err = dev.Stream(context.Background()); err != nil {
		return r, err
	}
	for i := range 2 {
		if r.ready[i], err = r.bus.Mark(); err != nil {
			return r, err
		}
		if r.free[i], err = main.Mark(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// alloc makes buffers of r.size entries.
func (r *Reader) alloc(dev *gpu.Device) error {
	for i := range r.buffers {
		m, err := dev.Alloc(4 * (r.size + 2*align))
		if err != nil {
			if i > 0 {
				err = errors.Join(err, r.buffers[0].Close())
				r.buffers[0] = nil
			}
			return err
		}
		r.buffers[i] = m
	}
	return nil
}

// Bind has the reader go over to another stream. Earlier work is done.
func (r *Reader) Bind(s device.Stream) bool {
	gs, err := gpu.StreamOf(s)
	if r == nil || err != nil || gs.GPU() != r.main.GPU() {
		return r == nil
	}
	for i := range r.free {
		m, err := gs.Mark()
		if err != nil {
			return false
		}
		if r.free[i].Close() != nil {
			return false
		}
		r.free[i] = m
	}
	r.main, r.begun = gs, false
	return true
}

// Rows returns the chunks in one direction.
func (r *Reader) Rows(in bool) (*Rows, error) {
	i := 0
	if in {
		i = 1
	}
	if r.rows[i] != nil {
		return r.rows[i], nil
	}
	t, g := r.p.Remote().Tiers, r.p.Graph()
	rows, csr := &Rows{in: in, pinned: t.Out, near: t.Targets}, g.Out()
	if in {
		rows.pinned, csr = t.In, g.In()
	}
	rows.Chunks = cut(csr.Offsets, t.Split, r.size)
	bounds := []uint32{0}
	for _, c := range rows.Chunks {
		bounds = append(bounds, c.Last)
	}
	var err error
	if rows.Hubs, err = hubs.PartsOf(r.main.GPU(), g, in, bounds); err != nil {
		return nil, err
	}
	r.rows[i] = rows
	return rows, nil
}

// Fetch enqueues the copy of a chunk, and returns the vertices and rows for the kernels that are enqueued next. Done
// follows these.
func (r *Reader) Fetch(rows *Rows, c *Chunk) (step.Part, error) {
	p := step.Part{Items: uint64(r.ids) + 4*uint64(c.First), Count: c.Count()}
	r.begun = false
	switch c.where {
	case onDevice:
		p.Targets = uint64(rows.near)
	case onHost:
		p.Targets = uint64(rows.pinned.Pointer())
	default:
		r.turn ^= 1
		r.begun = true
		first := c.Begin &^ (align - 1)
		last := min(c.End+align, uint64(len(rows.pinned.Host()))/4)
		to := r.buffers[r.turn].Pointer()
		if err := errors.Join(r.bus.After(r.free[r.turn]), r.bus.FromPinned(to, rows.pinned, 4*first, 4*(last-first)), r.ready[r.turn].Record(), r.main.After(r.ready[r.turn])); err != nil {
			return p, err
		}
		p.Targets = uint64(to) - 4*first
	}
	return p, nil
}

// Done says that kernels of the last Fetch are enqueued.
func (r *Reader) Done() error {
	if !r.begun {
		return nil
	}
	r.begun = false
	return r.free[r.turn].Record()
}

// Close gives the memory back. Kernels are done.
func (r *Reader) Close() error {
	if r == nil {
		return nil
	}
	var errs []error
	if r.bus != nil {
		errs = append(errs, r.bus.Close())
	}
	for i := range 2 {
		errs = append(errs, r.ready[i].Close(), r.free[i].Close())
		if r.buffers[i] != nil {
			errs = append(errs, r.buffers[i].Close())
		}
		if r.rows[i] != nil {
			errs = append(errs, r.rows[i].Hubs.Close())
		}
	}
	*r = Reader{}
	return errors.Join(errs...)
}

type numbersKey struct{ placed.Of[device.Memory] }

// numbers returns the list of all vertices, which the placed graph keeps.
func numbers(p *graph.Placed, dev *gpu.Device) (device.Memory, error) {
	return placed.LoadOrMake(p.State(), numbersKey{}, func() (device.Memory, error) {
		bytes := 4 * uint64(p.NumVertices())
		m, err := dev.Alloc(bytes)
		if err != nil {
			return nil, err
		}
		err = dev.Upload(m, bytes, func(at uint64, part []byte) {
			to := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(part))), len(part)/4)
			for i := range to {
				to[i] = uint32(at/4) + uint32(i)
			}
		})
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		return m, nil
	})
}
