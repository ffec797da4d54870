// This file has a GPU part entries by their rows.

package rows

import (
	"errors"
	"math/bits"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// partArgs are the arguments of the kernels (part.cuh).
type partArgs struct {
	pairs, weights, count     uint64
	seen, counts, to, heavy   uint64
	post                      gpu.Post
	base, flags, shift, parts uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(partArgs{})-96] // as in part.cuh

// part groups the entries of pairs by neighboring rows, so that counting and scattering
// touch only a part of the rows at a time, which fits in a cache. The pairs are replaced by
// these entries. It reports false if grouping isn't worthwhile, or takes more memory than is free.
func (b *builder) part() (loops uint64, parted bool, err error) {
	p := &b.plan
	if p.Batch > 0 || p.WholeIDs() { // no kernel groups entries with such ids
		return 0, false, nil
	}
	entries := p.Pairs
	if !p.Directed {
		entries *= 2
	}
	n := uint64(p.Space)
	parts := uint32(1) << min(bits.Len64((b.key()*entries+4*n)/tuning.PartBytes), bits.Len32(mostParts-1), int(bitsOf(p.Space)))
	// What comes next takes the place of pairs.
	each, old := uint64(8), uint64(8)
	if p.Extras() {
		each, old = 12, 12
	}
	later := b.key()*entries + 16*n
	need := each*entries + later - min(later, old*p.Pairs)
	if parts < leastParts || b.dev.Info().MemoryFree < need {
		return 0, false, nil
	}
	a := partArgs{seen: b.a.seen, base: b.a.base, flags: b.a.flags,
		shift: bitsOf(p.Space) - uint32(bits.Len32(parts)-1), parts: parts}
	var counts, to, heavy device.Memory
	err = b.alloc(&counts, 8*mostParts)
	if err == nil {
		err = b.alloc(&to, 8*entries)
	}
	if err == nil && p.Extras() {
		err = b.alloc(&heavy, 4*entries)
	}
	if errors.Is(err, device.ErrMemory) {
		return 0, false, errors.Join(b.free(&counts), b.free(&to))
	}
	if err != nil {
		return 0, false, err
	}
	a.counts, a.to, a.heavy = address(counts), address(to), address(heavy)
	run := func(name string, blocks uint64, done *gpu.Ticket) error {
		return enqueue(b, name, &a, &a.post, blocks, done)
	}
	over := func(name string, counted []gpu.Ticket) error {
		for i, piece := range b.pieces {
			var done *gpu.Ticket
			if counted != nil {
				done = &counted[i]
			}
			a.pairs, a.weights, a.count = address(piece.Pairs), address(piece.Extras), piece.Count
			if err := run(name, blocksOf(piece.Count), done); err != nil {
				return err
			}
		}
		return nil
	}
	counted := make([]gpu.Ticket, len(b.pieces))
	if err := errors.Join(over("part_count", counted), run("part_begin", 1, nil), over(b.kernel("part_scatter"), nil)); err != nil {
		return 0, false, err
	}
	found := uint64(0)
	for i := range counted {
		mail, err := counted[i].Wait()
		if err != nil {
			return 0, false, err
		}
		loops, found = loops+mail.Counts[0], found+mail.Counts[2]
	}
	if err := errors.Join(b.free(&counts), b.freePairs()); err != nil {
		return 0, false, err
	}
	b.pieces = []placed.Pairs{{Pairs: to, Extras: heavy, Count: found}}
	return loops, true, nil
}
