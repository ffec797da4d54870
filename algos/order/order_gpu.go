// This file holds the numbering by degree on a GPU.

package order

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/graph"
)

// What the kernels are compiled with (order.cuh).
const (
	digits    = 256
	digitBits = 8
	sortTile  = 64 * gpu.Block
	rowTile   = 8 * gpu.Block
	shortRow  = 32
	middleRow = 8192
)

// csrArgs is a graph (gather.cuh).
type csrArgs struct {
	offsets, targets uint64
	n, _             uint32
}

// orderArgs are the arguments of the kernels.
type orderArgs struct {
	degrees                       [2]uint64
	from                          csrArgs
	byID                          uint64
	keys, items                   [2]uint64
	tiles, place                  uint64
	offsets, targets              uint64
	lists                         [2]uint64
	bits                          uint64
	first, none                   uint64
	post                          gpu.Post
	n, digit, tilesCount, bmWords uint32
	listed, _                     uint32
}

// scanArgs are those of order_scan.
type scanArgs struct {
	tiles, count, slot uint64
}

// work is one run.
type work struct {
	dev   *gpu.Device
	s     *gpu.Stream
	p     *graph.Placed
	a     orderArgs
	args  gpu.Args
	spare []device.Memory // given back at the end
	width string
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
	w := &work{dev: dev, s: s, p: p, width: "_o32"}
	if p.Remote().Wide {
		w.width = "_o64"
	}
	defer func() {
		err = errors.Join(err, s.Wait()) // kernels may still be at work
		for _, m := range w.spare {
			err = errors.Join(err, m.Free())
		}
		if err = errors.Join(err, s.Close()); err != nil && placed != nil {
			err = errors.Join(err, placed.Free())
			placed = nil
		}
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
	return w.s.Launch(k, max(count, 1), &w.args)
}

// scan replaces the first count tiles by the sums of those before.
func (w *work) scan(count uint64) error {
	k, err := w.s.Kernel(image, "order_scan")
	if err != nil {
		return err
	}
	var unasked gpu.Ticket
	post, err := w.s.Post(&unasked)
	if err != nil {
		return err
	}
	a := scanArgs{w.a.tiles, count, post.Slot}
	w.args.Reset()
	gpu.Struct(&w.args, &a.tiles)
	gpu.Struct(&w.args, &a.count)
	gpu.Struct(&w.args, &a.slot)
	return w.s.Launch(k, 1, &w.args)
}

func blocks(n, of uint64) int { return int((n + of - 1) / of) }

// run does it.
func (w *work) run(ctx context.Context) (*graph.Placed, error) {
	r, g := w.p.Remote(), w.p.Graph()
	n, m := uint64(g.NumVertices()), g.NumDirectedEdges()
	a := &w.a
	a.n, a.tilesCount, a.bmWords = uint32(n), uint32(blocks(n, sortTile)), uint32((n+31)/32)
	a.degrees[0] = uint64(r.Offsets)
	if g.Directed() {
		a.degrees[1] = uint64(r.InOffsets)
	}
	for _, x := range []struct {
		to    *uint64
		bytes uint64
	}{
		{&a.keys[0], 4 * n}, {&a.keys[1], 4 * n}, {&a.items[0], 4 * n}, {&a.items[1], 4 * n},
		{&a.tiles, 8 * max(digits*uint64(a.tilesCount), uint64(blocks(n, rowTile)))},
		{&a.lists[0], 4 * min(n, m/shortRow+1)}, {&a.lists[1], 4 * min(n, m/middleRow+1)},
	} {
		if _, err := w.alloc(x.to, x.bytes); err != nil {
			return nil, err
		}
	}
	placeMem, err := w.alloc(&a.place, 4*n)
	if err != nil {
		return nil, err
	}
	if err := w.uploadByID(g.IDs().ByID()); err != nil {
		return nil, err
	}
	if err := w.sort(n); err != nil {
		return nil, err
	}
	var remote graph.RemoteParts
	taken := false
	defer func() {
		if !taken {
			w.keep(remote.Offsets, remote.Targets, remote.InOffsets, remote.InTargets, remote.First, remote.None)
		}
	}()
	out, err := w.rows(csrArgs{offsets: uint64(r.Offsets), targets: uint64(r.Targets), n: uint32(n)}, n, m, &remote.Offsets, &remote.Targets)
	if err != nil {
		return nil, err
	}
	var in *graph.CSR
	if g.In() != g.Out() {
		if in, err = w.rows(csrArgs{offsets: uint64(r.InOffsets), targets: uint64(r.InTargets), n: uint32(n)}, n, m, &remote.InOffsets, &remote.InTargets); err != nil {
			return nil, err
		}
	}
	stored, err := w.firsts(n, &remote) // of the rows that were made last
	if err != nil {
		return nil, err
	}
	place := make([]uint32, n)
	if err := device.ReadFrom(w.dev, place, placeMem); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	re, err := g.Renumbered(graph.OrderDegree, place, nil, *out, in, stored)
	if err != nil {
		return nil, err
	}
	taken = true
	return re.Adopt(w.dev, remote)
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
	return device.WriteTo(w.dev, m, byID)
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
	}
	return nil
}

// rows moves the rows of one direction and returns them as the host has them.
func (w *work) rows(from csrArgs, n, m uint64, offsets, targets *device.Memory) (_ *graph.CSR, err error) {
	a, width := &w.a, uint64(4)
	if w.width == "_o64" {
		width = 8
	}
	if *offsets, err = w.dev.Alloc((n + 1) * width); err != nil {
		return nil, err
	}
	if *targets, err = w.dev.Alloc(max(4*m, 16)); err != nil {
		return nil, err
	}
	a.from, a.offsets, a.targets = from, uint64((*offsets).Pointer()), uint64((*targets).Pointer())
	if err := w.launch("order_lengths", blocks(n, rowTile), nil); err != nil {
		return nil, err
	}
	if err := w.scan(uint64(blocks(n, rowTile))); err != nil {
		return nil, err
	}
	var listed, long gpu.Ticket
	if err := w.launch("order_offsets", blocks(n, rowTile), &listed); err != nil {
		return nil, err
	}
	if err := w.launch("order_short", blocks(n, gpu.Block), nil); err != nil {
		return nil, err
	}
	mail, err := listed.Wait()
	if err != nil {
		return nil, err
	}
	if count := int(mail.Counts[2]); count > 0 {
		if err := w.longRows(count, &long); err != nil {
			return nil, err
		}
	}
	if count := int(mail.Counts[1]); count > 0 {
		a.listed = uint32(count)
		if err := w.launch("order_middle", count, nil); err != nil {
			return nil, err
		}
	}
	if mail.Counts[2] > 0 {
		if mail, err = long.Wait(); err != nil {
			return nil, err
		}
		if mail.Counts[4] > 0 {
			return nil, errTwice
		}
	}
	if err := w.s.Sync(); err != nil {
		return nil, err
	}
	csr := &graph.CSR{Offsets: make([]uint64, n+1), Targets: make([]uint32, m)}
	if err := device.ReadFrom(w.dev, csr.Targets, *targets); err != nil {
		return nil, err
	}
	if width == 8 {
		return csr, device.ReadFrom(w.dev, csr.Offsets, *offsets)
	}
	narrow := make([]uint32, n+1)
	if err := device.ReadFrom(w.dev, narrow, *offsets); err != nil {
		return nil, err
	}
	for i, x := range narrow {
		csr.Offsets[i] = uint64(x)
	}
	return csr, nil
}

// longRows has the long rows moved, each block with a bitmap of its own.
func (w *work) longRows(count int, done *gpu.Ticket) error {
	a, most := &w.a, w.dev.Info().Units
	if a.bits == 0 { // else they are zero
		words := uint64(a.bmWords) * uint64(most)
		if _, err := w.alloc(&a.bits, 4*words); err != nil {
			return err
		}
		if err := w.s.Fill(uintptr(a.bits), 0, words); err != nil {
			return err
		}
	}
	a.listed = uint32(count)
	return w.launch("order_long", min(count, most), done)
}

// firsts works out what pulls probe first, of the rows that were moved last.
func (w *work) firsts(n uint64, to *graph.RemoteParts) (stored graph.Stored, err error) {
	words := (n + 63) / 64
	if to.First, err = w.dev.Alloc(max(4*n, 16)); err != nil {
		return stored, err
	}
	if to.None, err = w.dev.Alloc(max(8*words, 16)); err != nil {
		return stored, err
	}
	w.a.first, w.a.none = uint64(to.First.Pointer()), uint64(to.None.Pointer())
	if err := w.launch("order_first", blocks(n, gpu.Block), nil); err != nil {
		return stored, err
	}
	if err := w.s.Sync(); err != nil {
		return stored, err
	}
	stored.First, stored.NoIn = make([]uint32, n), make([]uint64, words)
	if err := device.ReadFrom(w.dev, stored.First, to.First); err != nil {
		return stored, err
	}
	return stored, device.ReadFrom(w.dev, stored.NoIn, to.None)
}
