// This file holds how the rows are moved, and downloaded from the longest on.

package order

import (
	"sort"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// direction is what is moved: the rows of a graph, or of its reverse.
type direction struct {
	from             csrArgs
	to               *graph.CSR // on the host
	offsets, targets *device.Memory
	sorted           bool         // rows are in descending order of their length then
	numbered         func() error // what to download as soon as there is the numbering, or nil
}

// rows enqueues all of it, and sees whether the kernels could do it.
func (w *work) rows(d direction, n, m uint64) (err error) {
	a, width := &w.a, uint64(4)
	if w.width == "_o64" {
		width = 8
	}
	if *d.offsets, err = w.dev.Alloc((n + 1) * width); err != nil {
		return err
	}
	if *d.targets, err = w.dev.Alloc(max(4*m, 16)); err != nil {
		return err
	}
	offsets, targets := *d.offsets, *d.targets
	a.from, a.offsets, a.targets, a.base = d.from, uint64(offsets.Pointer()), uint64(targets.Pointer()), noBase
	if err := w.launch("order_lengths", blocks(n, rowTile), nil); err != nil {
		return err
	}
	if err := w.scan(uint64(blocks(n, rowTile))); err != nil {
		return err
	}
	var listed, long gpu.Ticket
	if err := w.launch("order_offsets", blocks(n, rowTile), &listed); err != nil {
		return err
	}
	placed, err := w.fetch.after(w.s, func() error {
		if width == 8 {
			return w.fetch.dev.Download(bytesOf(d.to.Offsets), offsets, 0)
		}
		return w.fetch.widened(d.to.Offsets, offsets)
	})
	if err != nil {
		return err
	}
	if d.numbered != nil {
		if _, err := w.fetch.after(w.s, d.numbered); err != nil {
			return err
		}
	}
	if err := w.launch("order_short", blocks(n, gpu.Block), nil); err != nil {
		return err
	}
	mail, err := listed.Wait()
	if err != nil {
		return err
	}
	// fetch downloads the rows at places lo to hi-1 once the stream has come here.
	fetch := func(lo, hi int) error {
		_, err := w.fetch.after(w.s, func() error {
			begin, end := d.to.Offsets[lo], d.to.Offsets[hi]
			return w.fetch.into(d.to.Targets[begin:end], targets, begin)
		})
		return err
	}
	longs, middles := int(mail.Counts[2]), int(mail.Counts[1])
	if d.sorted {
		if err := fetch(longs+middles, int(n)); err != nil {
			return err
		}
		a.base = 0
	}
	if longs > 0 {
		if err := w.longRows(longs, &long); err != nil {
			return err
		}
	}
	if d.sorted {
		if err := fetch(0, longs); err != nil {
			return err
		}
		<-placed
		if err := w.fetch.err(); err != nil {
			return err
		}
		for lo := longs; lo < longs+middles; {
			hi := lo + 1 + sort.Search(longs+middles-lo-1, func(i int) bool {
				return d.to.Offsets[lo+1+i]-d.to.Offsets[lo] >= tuning.OrderPart
			})
			a.base, a.listed = uint32(lo), uint32(hi-lo)
			if err := w.launch("order_middle", hi-lo, nil); err != nil {
				return err
			}
			if err := fetch(lo, hi); err != nil {
				return err
			}
			lo = hi
		}
	} else {
		if middles > 0 {
			a.listed = uint32(middles)
			if err := w.launch("order_middle", middles, nil); err != nil {
				return err
			}
		}
		if err := fetch(0, int(n)); err != nil {
			return err
		}
	}
	if longs > 0 {
		if mail, err = long.Wait(); err != nil {
			return err
		}
		if mail.Counts[4] > 0 {
			return errTwice
		}
	}
	return nil
}

// longRows has the long rows moved, with a bitmap per block.
func (w *work) longRows(count int, done *gpu.Ticket) error {
	a, most := &w.a, w.dev.Info().Units
	if a.bits == 0 { // else they are zero
		words := uint64(a.words) * uint64(most)
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
func (w *work) firsts(n uint64, stored graph.Stored, to *placed.Parts) (err error) {
	words := (n + 63) / 64
	if to.First, err = w.dev.Alloc(max(4*n, 16)); err != nil {
		return err
	}
	if to.None, err = w.dev.Alloc(max(8*words, 16)); err != nil {
		return err
	}
	first, none := to.First, to.None
	w.a.first, w.a.none = uint64(first.Pointer()), uint64(none.Pointer())
	if err := w.launch("order_first", blocks(n, gpu.Block), nil); err != nil {
		return err
	}
	_, err = w.fetch.after(w.s, func() error {
		if err := w.fetch.into(stored.First, first, 0); err != nil {
			return err
		}
		return w.fetch.dev.Download(bytesOf(stored.NoIn), none, 0)
	})
	return err
}
