// This file builds rows of numbers on several GPUs, from grouped entries: it sorts the rows, and removes
// duplicates.

package rows

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/scan"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
	"github.com/foray-graph/foray/internal/text"
)

// roomFor makes room for rows that were counted, after a look at whether there is enough.
func (p *shardPart) roomFor(entries *uint64) (err error) {
	n := p.plan.Space
	if *entries, err = p.room(p.builder.ends, n, &p.out.starts); err != nil {
		return err
	}
	settling, dealing, _ := p.d.plan.ShardPhases(len(p.d.parts), *entries)
	if p.before > 0 && max(settling, dealing) > p.before {
		return fmt.Errorf("%w: rows of %d entries that are %s's take about %s to build, of which %s are free there", device.ErrMemory,
			*entries, p.s.Name(), text.Bytes(max(settling, dealing)), text.Bytes(p.before))
	}
	return p.alloc(&p.out.entries, 4**entries)
}

// settle sorts the rows, removes duplicates, and writes the lengths of rows by number.
func (p *shardPart) settle(entries uint64, lengths []uint32) (kept uint64, err error) {
	if err := errors.Join(p.free(&p.pairs), p.free(&p.to)); err != nil {
		return 0, err
	}
	n := uint64(p.plan.Space)
	if err := p.alloc(&p.out.lengths, 4*n); err != nil {
		return 0, err
	}
	if err := p.sortRows(entries, bitsOf(len(p.d.parts)<<p.d.bits)); err != nil {
		return 0, err
	}
	if err := p.lengthsTo(lengths, p.out.lengths); err != nil {
		return 0, err
	}
	if err := p.alloc(&p.begin, 8*(n+1)); err != nil {
		return 0, err
	}
	p.old, p.oldRows = p.out, p.plan.Space
	p.count, err = scan.Exclusive(p.scan, discrete.View[uint32](p.out.lengths.Pointer(), int(n)), discrete.View[uint64](p.begin.Pointer(), int(n)+1), int(n))
	return p.count, err
}

// sortRows sorts the rows, whose targets have the given number of bits.
func (p *shardPart) sortRows(entries uint64, bits uint32) error {
	p.a.space, p.a.bits = uint32(p.plan.Space), bits
	p.a.starts, p.a.entries, p.a.lengths = address(p.out.starts), address(p.out.entries), address(p.out.lengths)
	if err := p.sort("settle", entries); err != nil {
		return err
	}
	return errors.Join(p.s.Sync(), p.long.free(p.builder))
}

// lengthsTo copies the lengths for the GPU's numbers to the array for all numbers.
func (p *shardPart) lengthsTo(all []uint32, from device.Memory) error {
	if err := p.s.Sync(); err != nil {
		return err
	}
	own := pages.Uncleared[uint32](p.plan.Space)
	hugepage.Expect(own)
	defer pages.Release(own)
	if err := discrete.Read(p.dev, own, from); err != nil {
		return err
	}
	for l, x := range own {
		all[l*len(p.d.parts)+p.me] = x
	}
	return nil
}

// seen returns the numbers that any GPU has seen.
func (d *shardBuilder) seen() ([]uint64, error) {
	words := (d.plan.Space + 63) / 64
	all, part := make([]uint64, words), make([]uint64, words)
	for _, p := range d.parts {
		if err := discrete.Read(p.dev, part, p.seen); err != nil {
			return nil, err
		}
		for i, w := range part {
			all[i] |= w
		}
		if err := p.free(&p.seen); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inDegrees counts in-edges of the settled rows by number.
func (d *shardBuilder) inDegrees(edges uint64) ([]uint32, error) {
	if err := d.windows(true, "rows_parted_count"); err != nil { // ends is zero
		return nil, err
	}
	in := make([]uint32, d.plan.Space)
	if err := d.each(func(p *shardPart) error { return p.lengthsTo(in, p.builder.ends) }); err != nil {
		return nil, err
	}
	for _, x := range in {
		edges -= uint64(x)
	}
	if edges != 0 {
		return nil, placed.ErrRowTooLong
	}
	return in, nil
}
