// This file deals rows of numbers to the GPUs of the vertices that these have become.

package rows

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/scan"
	"github.com/foray-graph/foray/internal/gpu"
)

// windows processes the settled rows: their entries become pairs again, a window of them at a time. The pairs are
// grouped, and each GPU runs a kernel over the pairs for its rows. swapped means in-edges.
func (d *shardBuilder) windows(swapped bool, kernel string) error {
	most := uint64(0)
	for _, p := range d.parts {
		most = max(most, p.count)
	}
	window := placed.ShardWindow(most)
	if err := d.each(func(p *shardPart) error {
		return errors.Join(p.alloc(&p.pairs, 8*window), p.alloc(&p.to, 8*window))
	}); err != nil {
		return err
	}
	for from := uint64(0); from < most; from += window {
		if err := d.each(func(p *shardPart) error { return p.unroll(from, window, swapped) }); err != nil {
			return err
		}
		if err := d.each(func(p *shardPart) error { return p.gather(kernel) }); err != nil {
			return err
		}
	}
	return d.each(func(p *shardPart) error { return errors.Join(p.free(&p.pairs), p.free(&p.to)) })
}

// unroll makes pairs of a window of entries, and parts them.
func (p *shardPart) unroll(from, window uint64, swapped bool) error {
	from = min(from, p.count)
	a := p.args0()
	a.rows = uint32(p.oldRows)
	a.pairs, a.count, a.from = address(p.pairs), min(window, p.count-from), from
	a.begins, a.starts, a.entries, a.place = address(p.begin), address(p.old.starts), address(p.old.entries), address(p.place)
	if swapped {
		a.flags = dealtSwapped
	}
	if err := p.deal("deal_rows", &a, a.count, nil); err != nil {
		return err
	}
	return p.part(a.count, directed|keepSelfLoops, false)
}

// Deal implements placed.ShardBuilder.
func (d *shardBuilder) Shard(place []uint32, a *placed.Shards, out, in []uint64) error {
	if err := d.each((*shardPart).age); err != nil {
		return err
	}
	if place != nil {
		if err := d.spread(place); err != nil {
			return err
		}
	}
	if err := d.side(a, out, false); err != nil {
		return err
	}
	if in != nil {
		if err := d.side(a, in, true); err != nil {
			return err
		}
	} else if a.Reverse {
		for i := range a.Parts {
			p := &a.Parts[i]
			p.InOffsets, p.InTargets = p.Offsets, p.Targets
		}
	}
	candidates := make([]uint64, len(d.parts))
	if err := d.each(func(p *shardPart) (err error) {
		err = errors.Join(p.free(&p.old.starts), p.free(&p.old.entries), p.free(&p.old.lengths), p.free(&p.begin), p.free(&p.place))
		if err == nil && a.Reverse {
			candidates[p.me], err = p.firsts(a)
		}
		return err
	}); err != nil {
		return err
	}
	for _, c := range candidates {
		a.Candidates += c
	}
	return nil
}

// age makes the rows of numbers the old ones, from which the rows of vertices are built.
func (p *shardPart) age() error {
	p.out = side{}
	p.a.flags |= keepDuplicates // which are gone, or wanted
	return p.free(&p.builder.ends)
}

// spread brings the vertices of numbers to all GPUs: a share to each by the bus, the rest by the links.
func (d *shardBuilder) spread(place []uint32) error {
	m := len(d.parts)
	cut := func(i int) int { return len(place) * i / m }
	if err := d.each(func(p *shardPart) error {
		if err := p.alloc(&p.place, 4*uint64(len(place))); err != nil {
			return err
		}
		return discrete.WriteAt(p.dev, p.place, cut(p.me), place[cut(p.me):cut(p.me+1)])
	}); err != nil {
		return err
	}
	return d.each(func(p *shardPart) error {
		for k := 1; k < m; k++ {
			from := d.parts[(p.me+k)%m]
			lo, hi := cut(from.me), cut(from.me+1)
			if lo == hi {
				continue
			}
			off := 4 * uintptr(lo)
			if err := p.s.CopyFrom(p.place.Pointer()+off, from.dev, from.place.Pointer()+off, 4*uint64(hi-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// side builds the rows of vertices or, if swapped, the reverse rows. offsets covers the rows of all GPUs.
func (d *shardBuilder) side(a *placed.Shards, offsets []uint64, swapped bool) error {
	if err := d.each(func(p *shardPart) error { return p.begins(a, offsets, swapped) }); err != nil {
		return err
	}
	if err := d.windows(swapped, d.parts[0].kernel("rows_parted_scatter")); err != nil {
		return err
	}
	return d.each(func(p *shardPart) error { return p.finish(a, swapped) })
}

// begins makes room for the rows of the GPU's vertices.
func (p *shardPart) begins(a *placed.Shards, offsets []uint64, swapped bool) error {
	if a.Wide { // the other side's starts belong to the part
		p.out.starts = nil
	}
	if err := p.free(&p.out.starts); err != nil {
		return err
	}
	part, m := &a.Parts[p.me], len(p.d.parts)
	n := part.Vertices
	p.plan.Space = n
	lengths := make([]uint32, n)
	for l := range lengths {
		v := l*m + p.me
		lengths[l] = uint32(offsets[v+1] - offsets[v])
	}
	if err := p.alloc(&p.builder.ends, 4*uint64(n)); err != nil {
		return err
	}
	if err := discrete.Write(p.dev, p.builder.ends, lengths); err != nil {
		return err
	}
	entries, err := p.room(p.builder.ends, n, &p.out.starts)
	if err != nil {
		return err
	}
	p.entries = entries
	at := &part.Offsets
	if swapped {
		at = &part.InOffsets
	}
	if a.Wide {
		p.give(part, p.out.starts, at)
	} else {
		var narrow device.Memory
		if err := p.alloc(&narrow, 4*(uint64(n)+1)); err != nil {
			return err
		}
		p.give(part, narrow, at)
		if _, err := scan.Exclusive(p.scan, discrete.View[uint32](p.builder.ends.Pointer(), n), discrete.View[uint32](narrow.Pointer(), n+1), n); err != nil {
			return err
		}
	}
	if err := p.alloc(&p.out.entries, 4*entries); err != nil {
		return err
	}
	at = &part.Targets
	if swapped {
		at = &part.InTargets
	}
	p.give(part, p.out.entries, at)
	return nil
}

// give makes memory a part's.
func (p *shardPart) give(part *placed.Shard, m device.Memory, at *uintptr) {
	p.handOver(m)
	part.Mem = append(part.Mem, m)
	*at = m.Pointer()
}

// finish sorts the rows by vertex, and gives targets their numbers over all GPUs.
func (p *shardPart) finish(a *placed.Shards, swapped bool) error {
	if err := p.free(&p.builder.ends); err != nil {
		return err
	}
	if err := p.alloc(&p.out.lengths, 4*uint64(p.plan.Space)); err != nil {
		return err
	}
	if err := p.sortRows(p.entries, bitsOf(a.Vertices)); err != nil {
		return err
	}
	if err := p.free(&p.out.lengths); err != nil {
		return err
	}
	x := p.args0()
	x.entries, x.count, x.stride = address(p.out.entries), p.entries, a.Stride
	return p.deal("deal_targets", &x, x.count, nil)
}

// firsts prepares for pulls along the rows that were made last, and returns how many aren't empty.
func (p *shardPart) firsts(a *placed.Shards) (candidates uint64, err error) {
	part := &a.Parts[p.me]
	var first, none device.Memory
	if err := p.alloc(&first, 4*uint64(part.Vertices)); err != nil {
		return 0, err
	}
	p.give(part, first, &part.First)
	if err := p.alloc(&none, uint64(a.Stride)/8); err != nil {
		return 0, err
	}
	p.give(part, none, &part.None)
	x := p.args0()
	x.offsets, x.entries, x.first, x.none, x.stride = address(p.out.starts), address(p.out.entries), address(first), address(none), a.Stride
	var done gpu.Ticket
	if err := p.deal("deal_first", &x, uint64(a.Stride), &done); err != nil {
		return 0, err
	}
	mail, err := done.Wait()
	part.Words = uint32(mail.Counts[1])
	return mail.Counts[0], err
}
