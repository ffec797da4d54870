// This file moves rows to their places.

package rows

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/scan"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// Place makes the rows of the vertices.
func (b *builder) Place(place []uint32, n int) (r placed.Rows, err error) {
	if place != nil {
		var m device.Memory
		if err := b.alloc(&m, 4*uint64(b.plan.Space)); err != nil {
			return r, err
		}
		if err := discrete.Write(b.dev, m, place); err != nil {
			return r, err
		}
		b.a.place = address(m)
	}
	b.a.bits = bitsOf(n)
	if err := b.free(&b.ends); err != nil {
		return r, err
	}
	if place == nil { // the reverse isn't sorted yet
		b.a.flags |= asTheyAre
	}
	if err := b.move(&b.out, n, &r.Out, &r.Parts.Offsets, &r.Parts.Targets, &r.Parts.Weights, &r.Parts.EdgeIDs); err != nil {
		return r, err
	}
	b.a.flags &^= asTheyAre
	if b.back.starts != nil {
		if err := b.move(&b.back, n, &r.In, &r.Parts.InOffsets, &r.Parts.InTargets, &r.Parts.InWeights, &r.Parts.InEdgeIDs); err != nil {
			return r, err
		}
	}
	if r.In != nil || !b.plan.Directed {
		if err := b.firsts(&r.Parts, n); err != nil {
			return r, err
		}
	}
	if err := b.s.Sync(); err != nil {
		return r, err
	}
	for _, m := range append(r.Parts.Arrays(), r.Out, r.In) {
		b.handOver(m)
	}
	return r, nil
}

// firsts prepares for pulls along the rows that were moved last.
func (b *builder) firsts(to *placed.Parts, n int) error {
	if err := errors.Join(b.alloc(&to.First, 4*uint64(n)), b.alloc(&to.None, (uint64(n)+63)/64*8)); err != nil {
		return err
	}
	b.a.first, b.a.none, b.a.vertices = address(to.First), address(to.None), uint32(n)
	return b.launch("rows_first", blocksOf(uint64(n)), nil)
}

// move moves rows to their places.
func (b *builder) move(from *side, n int, offsets, narrow, targets, weights, ids *device.Memory) error {
	b.a.starts, b.a.entries, b.a.lengths = address(from.starts), address(from.entries), address(from.lengths)
	var lengths device.Memory
	if err := b.alloc(&lengths, 4*uint64(n)); err != nil {
		return err
	}
	b.a.ends = address(lengths)
	if err := b.launch("rows_lengths", blocksOf(uint64(b.plan.Space)), nil); err != nil {
		return err
	}
	edges, err := b.room(lengths, n, offsets)
	if err != nil {
		return err
	}
	if placed.Wide(edges) {
		*narrow = *offsets // the device has them as the host does
	} else {
		if err := b.alloc(narrow, 4*(uint64(n)+1)); err != nil {
			return err
		}
		if _, err := scan.Exclusive(b.scan, discrete.View[uint32](lengths.Pointer(), n), discrete.View[uint32]((*narrow).Pointer(), n+1), n); err != nil {
			return err
		}
	}
	if err := b.free(&lengths); err != nil {
		return err
	}
	if err := b.makeRoom(targets, weights, ids, edges, from.longest); err != nil {
		return err
	}
	b.a.offsets, b.a.targets, b.a.heavy, b.a.ids = address(*offsets), address(*targets), address(*weights), address(*ids)
	if from.kept == nil {
		err = b.sort("move", edges)
	} else {
		err = b.moveBack(from)
	}
	from.kept, from.windows = nil, nil
	return errors.Join(err, b.long.free(b), b.free(&from.starts), b.free(&from.entries), b.free(&from.lengths))
}

// makeRoom allocates memory for the rows that move, for their weights and ids if they have any, and for sorting
// the longest row. If too little is free, the entries that are still to move go to the host.
func (b *builder) makeRoom(targets, weights, ids *device.Memory, entries, longest uint64) error {
	take := func() error {
		err := b.alloc(targets, 4*entries)
		if err == nil && b.plan.Weights {
			err = b.alloc(weights, 4*entries)
		}
		if err == nil && b.plan.EdgeIDs {
			err = b.alloc(ids, 8*entries)
		}
		if err == nil {
			err = b.lists(entries)
		}
		if err == nil {
			err = b.spareFor(longest)
		}
		return err
	}
	if !tuning.InBatches || b.plan.Batch == 0 {
		err := take()
		if !errors.Is(err, device.ErrMemory) {
			return err
		}
		if err := errors.Join(b.free(targets), b.free(weights), b.free(ids)); err != nil {
			return err
		}
	}
	for _, s := range []*side{&b.out, &b.back} {
		if err := b.takeAway(s); err != nil {
			return err
		}
	}
	return take()
}
