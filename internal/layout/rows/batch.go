// This file builds rows from edges that don't fit on a GPU at once. The edges are copied to it in batches,
// twice, and the finished rows wait in the host's memory until their place is free.

package rows

import (
	"errors"
	"sort"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// batches are pairs of which the device holds two batches at a time: a kernel processes one while the next
// is copied.
type batches struct {
	pairs, extras, ids func(at uint64, part []byte)
	buffers            [2]placed.Pairs
}

func (p *batches) free(b *builder) (err error) {
	for i := range p.buffers {
		err = errors.Join(err, b.freePiece(&p.buffers[i]))
	}
	return err
}

// over is overPairs.
func (p *batches) over(b *builder, kernel string, counts bool) (loops uint64, err error) {
	size := min(b.plan.Batch, b.plan.Pairs)
	for at, i := uint64(0), 0; at < b.plan.Pairs; at, i = at+size, i^1 {
		n, buffer := min(size, b.plan.Pairs-at), &p.buffers[i]
		upload := func(m *device.Memory, width uint64, fill func(at uint64, part []byte)) error {
			if *m == nil {
				if err := b.alloc(m, width*size); err != nil {
					return err
				}
			}
			return b.dev.Upload(*m, width*n, func(off uint64, part []byte) { fill(width*at+off, part) })
		}
		if err := upload(&buffer.Pairs, 8, p.pairs); err != nil {
			return 0, err
		}
		if !counts && b.plan.Extras() {
			if err := upload(&buffer.Extras, 4, p.extras); err != nil {
				return 0, err
			}
		}
		if !counts && b.plan.WholeIDs() {
			if err := upload(&buffer.IDs, 8, p.ids); err != nil {
				return 0, err
			}
		}
		if err := b.s.Sync(); err != nil { // whose batch this buffer gets next
			return 0, err
		}
		buffer.Count = n
		dropped, err := b.overPiece(*buffer, kernel, counts)
		if err != nil {
			return 0, err
		}
		loops += dropped
	}
	return loops, nil
}

// window is neighboring rows: numbers from first to end-1, and their entries.
type window struct{ first, end, begin, last uint64 }

// takeAway brings entries of rows to the host, and gives their memory back.
func (b *builder) takeAway(s *side) error {
	if s.entries == nil {
		return nil
	}
	if err := b.s.Sync(); err != nil {
		return err
	}
	if err := s.cut(b); err != nil {
		return err
	}
	s.kept = []uint32{}
	if len(s.windows) > 0 {
		s.kept = pages.Uncleared[uint32](int(b.key() / 4 * s.windows[len(s.windows)-1].last))
		hugepage.Expect(s.kept)
	}
	if err := discrete.Read(b.dev, s.kept, s.entries); err != nil {
		return err
	}
	return b.free(&s.entries)
}

// cut cuts rows into windows of at most a batch of entries, or of one row.
func (s *side) cut(b *builder) error {
	most, n := b.batch(), uint64(b.plan.Space)+1
	piece := make([]uint64, min(n, startsAtOnce))
	w := window{}
	add := func() {
		if w.last > w.begin {
			s.windows = append(s.windows, w)
		}
		w = window{first: w.end, end: w.end, begin: w.last, last: w.last}
	}
	for at := uint64(0); at < n; at += startsAtOnce {
		piece = piece[:min(startsAtOnce, n-at)]
		if err := b.dev.Download(bytesOf(piece), s.starts, 8*at); err != nil {
			return err
		}
		for k := 0; k < len(piece); {
			fit := sort.Search(len(piece)-k, func(i int) bool { return piece[k+i]-w.begin > most })
			if fit > 0 {
				w.end, w.last = at+uint64(k+fit-1), piece[k+fit-1]
			}
			if k += fit; k == len(piece) {
				break
			}
			if w.end == w.first {
				w.end, w.last = at+uint64(k), piece[k]
				k++
			}
			add()
		}
	}
	add()
	return nil
}

func bytesOf(s []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 8*len(s))
}

// batch returns how many pairs or entries the device gets at a time.
func (b *builder) batch() uint64 {
	if b.plan.Batch > 0 {
		return b.plan.Batch
	}
	return tuning.BatchPairs
}

// moveBack moves rows to their places whose entries are on the host: one window of them is sorted while
// the next comes.
func (b *builder) moveBack(s *side) error {
	largest := uint64(0)
	for _, w := range s.windows {
		largest = max(largest, w.last-w.begin)
	}
	starts, lengths, space := b.a.starts, b.a.lengths, b.a.space
	var buffers [2]device.Memory
	both := 1 // 0: there is no room for the second
	for i, w := range s.windows {
		buffer := &buffers[i&both]
		if *buffer == nil {
			err := b.alloc(buffer, b.key()*largest)
			if i > 0 && errors.Is(err, device.ErrMemory) {
				both, buffer = 0, &buffers[0]
			} else if err != nil {
				return err
			}
		}
		if both == 0 {
			if err := b.s.Sync(); err != nil {
				return err
			}
		}
		part := s.kept[b.key()/4*w.begin : b.key()/4*w.last]
		if err := discrete.Write(b.dev, *buffer, part); err != nil {
			return err
		}
		b.a.entries = address(*buffer) - b.key()*w.begin
		b.a.starts, b.a.lengths, b.a.begin, b.a.space = starts+8*w.first, lengths+4*w.first, uint32(w.first), uint32(w.end-w.first)
		// What sorted the window before last in this buffer is done once rows of the last are listed.
		if err := b.sort("move", largest); err != nil {
			return err
		}
	}
	b.a.begin, b.a.space = 0, space
	return errors.Join(b.free(&buffers[0]), b.free(&buffers[1]))
}
