// This file holds the numbering by degree on a GPU.

package order

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// csrArgs is a graph (operators/advance/row.cuh).
type csrArgs struct {
	offsets, targets uint64
	n, _             uint32
}

// orderArgs are the arguments of the kernels.
type orderArgs struct {
	degrees                     [2]uint64
	from                        csrArgs
	byID                        uint64
	keys, items                 [2]uint64
	tiles, place                uint64
	offsets, targets            uint64
	lists                       [2]uint64
	bits                        uint64
	first, none                 uint64
	post                        gpu.Post
	n, digit, tilesCount, words uint32
	listed, base                uint32
}

// noBase: the rows of a list are wherever the list says.
const noBase = graph.NoVertex

// work is one run.
type work struct {
	dev   *gpu.Device
	s     *gpu.Stream
	p     *graph.Placed
	a     orderArgs
	args  gpu.Args
	spare []device.Memory // given back at the end
	items [2]device.Memory
	width string
	fetch *fetcher
	trace *trace
}

// errTwice: a row has a target more than once.
var errTwice = errors.New("an edge is there more than once")

// onGPU is ByDegree on a GPU. It returns nil and no error where the host has to
// do it.
func onGPU(ctx context.Context, p *graph.Placed) (placed *graph.Placed, err error) {
	dev, ok := p.Device().(*gpu.Device)
	if !ok {
		return nil, nil
	}
	s, err := dev.Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("order: %w", err)
	}
	w := &work{dev: dev, s: s, p: p, width: p.Remote().Width(), trace: traceOf(ctx)}
	w.fetch = newFetcher(ctx, dev, w.trace)
	defer func() {
		start := time.Now()
		err = errors.Join(err, w.fetch.abandon(), s.Wait(), w.trace.collect()) // all may still be at work
		for _, m := range w.spare {
			err = errors.Join(err, m.Close())
		}
		if err = errors.Join(err, s.Close()); err != nil && placed != nil {
			err = errors.Join(err, placed.Close())
			placed = nil
		}
		w.trace.since("host-frees", start)
	}()
	placed, err = w.run(ctx)
	switch {
	case errors.Is(err, errTwice):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("order: %w", err)
	}
	return placed, nil
}

// alloc takes memory that is given back at the end, and puts its address there.
func (w *work) alloc(to *uint64, bytes uint64) (device.Memory, error) {
	m, err := w.dev.Alloc(max(bytes, 16))
	if err != nil {
		return nil, err
	}
	w.spare = append(w.spare, m)
	*to = uint64(m.Pointer())
	return m, nil
}

// launch enqueues a kernel for so many blocks' work; done, if not nil, gets its
// report.
func (w *work) launch(op string, count int, done *gpu.Ticket) (err error) {
	k, err := w.s.Kernel(image, op+w.width)
	if err != nil {
		return err
	}
	var unasked gpu.Ticket
	if done == nil {
		done = &unasked
	}
	if w.a.post, err = w.s.Post(done); err != nil {
		return err
	}
	w.args.Reset()
	gpu.Struct(&w.args, &w.a)
	return w.trace.around(w.s, op, func() error { return w.s.Launch(k, max(count, 1), &w.args) })
}

// scan replaces the first count tiles by the sums of those before.
func (w *work) scan(count uint64) error {
	k, err := w.s.Kernel(image, "order_scan")
	if err != nil {
		return err
	}
	w.args.Reset()
	gpu.Struct(&w.args, &w.a.tiles)
	gpu.Struct(&w.args, &count)
	return w.trace.around(w.s, "order_scan", func() error { return w.s.Launch(k, 1, &w.args) })
}

func blocks(n, of uint64) int { return int((n + of - 1) / of) }

// run does it. Downloads continue while kernels run: what is ready first is the
// numbering itself, then rows from the longest on.
func (w *work) run(ctx context.Context) (*graph.Placed, error) {
	start := time.Now()
	r, g := w.p.Remote(), w.p.Graph()
	n, m := uint64(g.NumVertices()), g.NumDirectedEdges()
	h := newHost(n, m, g.In() != g.Out())
	w.fetch.warm(h.slices()...)
	a := &w.a
	a.n, a.tilesCount = uint32(n), uint32(blocks(n, sortTile))
	a.degrees[0] = uint64(r.Offsets)
	if g.Directed() {
		a.degrees[1] = uint64(r.InOffsets)
	}
	for _, x := range []struct {
		to    *uint64
		bytes uint64
		mem   *device.Memory
	}{
		{&a.keys[0], 4 * n, nil}, {&a.keys[1], 4 * n, nil}, {&a.items[0], 4 * n, &w.items[0]}, {&a.items[1], 4 * n, &w.items[1]},
		{&a.tiles, 8 * max(digits*uint64(a.tilesCount), uint64(blocks(n, rowTile))), nil},
		{&a.lists[0], 4 * min(n, m/shortRow+1), nil}, {&a.lists[1], 4 * min(n, m/middleRow+1), nil},
	} {
		mem, err := w.alloc(x.to, x.bytes)
		if err != nil {
			return nil, err
		}
		if x.mem != nil {
			*x.mem = mem
		}
	}
	placeMem, err := w.alloc(&a.place, 4*n)
	if err != nil {
		return nil, err
	}
	w.trace.since("host-allocs", start)
	if err := w.uploadByID(g.IDs().ByID()); err != nil {
		return nil, err
	}
	if err := w.sort(n); err != nil {
		return nil, err
	}
	var remote placed.Parts
	taken := false
	defer func() {
		if !taken {
			w.keep(remote.Offsets, remote.Targets, remote.InOffsets, remote.InTargets, remote.First, remote.None)
		}
	}()
	d := direction{from: csrArgs{offsets: uint64(r.Offsets), targets: uint64(r.Targets), n: uint32(n)}, to: h.out,
		offsets: &remote.Offsets, targets: &remote.Targets, sorted: h.in == nil}
	d.numbered = func() error {
		return errors.Join(w.fetch.into(h.place, placeMem, 0), w.fetch.into(h.from, w.items[0], 0))
	}
	if err := w.rows(d, n, m); err != nil {
		return nil, err
	}
	if h.in != nil {
		d := direction{from: csrArgs{offsets: uint64(r.InOffsets), targets: uint64(r.InTargets), n: uint32(n)}, to: h.in,
			offsets: &remote.InOffsets, targets: &remote.InTargets}
		if err := w.rows(d, n, m); err != nil {
			return nil, err
		}
	}
	if err := w.firsts(n, h.stored, &remote); err != nil { // of the rows that were moved last
		return nil, err
	}
	if err := w.s.Sync(); err != nil {
		return nil, err
	}
	w.trace.since("until-kernels-end", start)
	if err := errors.Join(w.fetch.end(), ctx.Err()); err != nil {
		return nil, err
	}
	w.trace.since("until-downloads-end", start)
	start = time.Now()
	re, err := g.Renumbered(graph.OrderDegree, h.place, h.from, *h.out, h.in, h.stored)
	if err != nil {
		return nil, err
	}
	taken = true
	w.trace.since("host-renumbers", start)
	defer w.trace.since("host-adopts", time.Now())
	return re.On(&placed.Loaded{Device: w.dev, Parts: remote})
}

// host is what is downloaded.
type host struct {
	place, from []uint32   // of a vertex, and the vertex at a place
	out, in     *graph.CSR // in: nil where it is out
	stored      graph.Stored
}

// newHost makes room for it.
func newHost(n, m uint64, both bool) *host {
	rows := func() *graph.CSR {
		return &graph.CSR{Offsets: pages.Uncleared[uint64](int(n + 1)), Targets: pages.Uncleared[uint32](int(m))}
	}
	h := &host{place: pages.Uncleared[uint32](int(n)), from: pages.Uncleared[uint32](int(n)), out: rows(),
		stored: graph.Stored{First: pages.Uncleared[uint32](int(n)), NoIn: pages.Uncleared[uint64](int((n + 63) / 64))}}
	if both {
		h.in = rows()
	}
	return h
}

// slices are the arrays, in the order in which they are wanted.
func (h *host) slices() [][]uint32 {
	s := [][]uint32{as32(h.out.Offsets), h.place, h.from, h.out.Targets}
	if h.in != nil {
		s = append(s, as32(h.in.Offsets), h.in.Targets)
	}
	return append(s, h.stored.First)
}

// keep sees to it that memory is given back at the end.
func (w *work) keep(ms ...device.Memory) {
	for _, m := range ms {
		if m != nil {
			w.spare = append(w.spare, m)
		}
	}
}

// uploadByID uploads the vertices in the order of their ids.
func (w *work) uploadByID(byID []uint32) error {
	if byID == nil {
		return nil
	}
	m, err := w.alloc(&w.a.byID, 4*uint64(len(byID)))
	if err != nil {
		return err
	}
	return discrete.Write(w.dev, m, byID)
}

// sort leaves the vertices in items[0], by descending degree.
func (w *work) sort(n uint64) error {
	a := &w.a
	var keys gpu.Ticket
	if err := w.launch("order_keys", blocks(n, gpu.Block), &keys); err != nil {
		return err
	}
	mail, err := keys.Wait()
	if err != nil {
		return err
	}
	a.words = uint32(blocks(mail.Counts[5], 32*bitmapStep)) * bitmapStep
	if most := mail.Counts[0]; most>>32 != 0 {
		return fmt.Errorf("%w: a degree of %d, which is past 2^32-1", device.ErrNotSupported, most)
	}
	for a.digit = 0; int(a.digit) < bits.Len64(mail.Counts[0]); a.digit += digitBits {
		if err := w.launch("order_count", int(a.tilesCount), nil); err != nil {
			return err
		}
		if err := w.scan(digits * uint64(a.tilesCount)); err != nil {
			return err
		}
		if err := w.launch("order_scatter", int(a.tilesCount), nil); err != nil {
			return err
		}
		a.keys[0], a.keys[1] = a.keys[1], a.keys[0]
		a.items[0], a.items[1] = a.items[1], a.items[0]
		w.items[0], w.items[1] = w.items[1], w.items[0]
	}
	return nil
}
