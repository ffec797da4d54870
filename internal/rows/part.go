// This file has a GPU part entries by their rows.

package rows

import (
	"errors"
	"math/bits"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/tuning"
)

// partArgs are the arguments of the kernels (part.cuh).
type partArgs struct {
	pairs, weights, count     uint64
	seen, counts, to, heavy   uint64
	post                      gpu.Post
	base, flags, shift, parts uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(partArgs{})-96] // as part.cuh says

// part puts the entries of pairs that lie in neighbouring rows beside each other, so that counting and
// scattering them has to do with one part of the rows at a time, which a cache holds. The pairs
// are those entries then. It reports false where that isn't worth it, or takes more memory than there is.
func (b *builder) part() (loops uint64, parted bool, err error) {
	p := &b.plan
	if p.Batch > 0 || p.WholeIDs() { // no kernel parts what has such ids
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
	a := partArgs{pairs: b.a.pairs, weights: b.a.weights, count: p.Pairs, seen: b.a.seen, base: b.a.base, flags: b.a.flags,
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
	var counted gpu.Ticket
	if err := errors.Join(run("part_count", blocksOf(p.Pairs), &counted), run("part_begin", 1, nil), run(b.kernel("part_scatter"), blocksOf(p.Pairs), nil)); err != nil {
		return 0, false, err
	}
	mail, err := counted.Wait()
	if err != nil {
		return 0, false, err
	}
	if err := errors.Join(b.free(&counts), b.edges.free(b)); err != nil {
		return 0, false, err
	}
	b.edges = edges{pairs: to, weights: heavy}
	b.take(&b.edges)
	b.a.count = mail.Counts[2]
	return mail.Counts[0], true, nil
}
