// This file has a GPU sort rows.

package rows

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// longRows are the lists of rows that a warp doesn't sort, and the memory for sorting the longest of them.
type longRows struct {
	entries uint64 // that there may be
	lists   [2]device.Memory
	lengths device.Memory // of the rows of the second list
	count   int           // of these
	spots   array         // where each row's part of spare begins
	spare   array
}

// array is memory that grows.
type array struct {
	device.Memory
	bytes uint64
}

// grow enlarges the array to the given size, and discards its contents.
func (a *array) grow(b *builder, bytes uint64) error {
	if a.bytes >= bytes && a.Memory != nil {
		return nil
	}
	a.bytes = 0
	if err := b.free(&a.Memory); err != nil {
		return err
	}
	err := b.alloc(&a.Memory, bytes)
	if err == nil {
		a.bytes = bytes
	}
	return err
}

func (l *longRows) free(b *builder) error {
	err := errors.Join(l.freeLists(b), b.free(&l.spots.Memory), b.free(&l.spare.Memory))
	*l = longRows{}
	return err
}

func (l *longRows) freeLists(b *builder) error {
	l.entries = 0
	return errors.Join(b.free(&l.lists[0]), b.free(&l.lists[1]), b.free(&l.lengths))
}

// spareFor allocates memory for sorting a row of that many entries, if rows aren't sorted in place.
func (b *builder) spareFor(entries uint64) error {
	if b.key() == 4 || entries*b.key() <= blockRow || b.a.flags&asTheyAre != 0 {
		return nil
	}
	return b.long.spare.grow(b, b.key()*entries)
}

// sorter returns the kernel that settles or moves rows: for the longest keys one does both.
func (b *builder) sorter(kernel, name string) string {
	if b.key() > 8 {
		return b.kernel(kernel)
	}
	return b.kernel(kernel + "_" + name)
}

// lists allocates the lists of rows that have at most that many entries.
func (b *builder) lists(entries uint64) error {
	l := &b.long
	if l.entries >= entries && l.lists[0] != nil {
		return nil
	}
	if err := l.freeLists(b); err != nil {
		return err
	}
	long := min(uint64(b.plan.Space), entries*b.key()/blockRow+1)
	if err := errors.Join(b.alloc(&l.lists[0], 4*min(uint64(b.plan.Space), entries/uint64(b.a.warpRow)+1)), b.alloc(&l.lists[1], 4*long), b.alloc(&l.lengths, 4*long)); err != nil {
		return err
	}
	l.entries = entries
	b.a.lists, b.a.longs, b.a.room = [2]uint64{address(l.lists[0]), address(l.lists[1])}, address(l.lengths), uint32(long)
	return nil
}

// sort sorts rows that have at most that many entries. Lists exist until b.long.free.
func (b *builder) sort(name string, entries uint64) error {
	n, l := uint64(b.a.space), &b.long
	b.a.flags &^= moves
	if name == "move" {
		b.a.flags |= moves
	}
	if err := b.lists(entries); err != nil {
		return err
	}
	var listed gpu.Ticket
	if err := b.launch("rows_lists", blocksOf(n), &listed); err != nil {
		return err
	}
	if err := b.launch(b.sorter("rows_warp", name), blocksOf(n), nil); err != nil {
		return err
	}
	mail, err := listed.Wait()
	if err != nil {
		return err
	}
	b.a.huge = uint32(mail.Counts[4])
	l.count = int(mail.Counts[2] + mail.Counts[4])
	if rows := mail.Counts[1]; rows > 0 {
		b.a.listed = uint32(rows)
		if err := b.launch(b.sorter("rows_block", name), rows, nil); err != nil {
			return err
		}
	}
	if l.count == 0 {
		return nil
	}
	kernel := b.kernel("rows_digits")
	if name == "move" && b.key() == 4 { // where rows go is room to sort them in
		b.a.listed = uint32(l.count)
		return b.launch(kernel, uint64(l.count), nil)
	}
	return b.sortLong(kernel)
}

// sortLong sorts the rows of the second list, as many at a time as there is memory for.
func (b *builder) sortLong(kernel string) error {
	l := &b.long
	lengths := make([]uint32, b.a.room)
	if err := discrete.Read(b.dev, lengths, l.lengths); err != nil {
		return err
	}
	length := func(k int) uint64 { // as long_row of rows.cuh finds it
		if b.a.flags&asTheyAre != 0 {
			return 0 // they aren't sorted
		}
		if k >= int(b.a.huge) {
			k = len(lengths) - 1 - (k - int(b.a.huge))
		}
		return uint64(lengths[k])
	}
	total, longest := uint64(0), uint64(0)
	for k := range l.count {
		total, longest = total+length(k), max(longest, length(k))
	}
	if longest > longestRow {
		return placed.ErrRowTooLong
	}
	room := total
	if tuning.InBatches {
		room = longest
	}
	for {
		err := l.spare.grow(b, b.key()*room)
		if err == nil {
			room = l.spare.bytes / b.key()
			break
		}
		if !errors.Is(err, device.ErrMemory) || room == longest {
			return err
		}
		room = max(room/2, longest)
	}
	spots, used := make([]uint64, l.count), uint64(0)
	var ends []int // of the rows that are sorted at the same time
	for k := range spots {
		if used+length(k) > room {
			ends, used = append(ends, k), 0
		}
		spots[k] = used
		used += length(k)
	}
	ends = append(ends, l.count)
	if err := l.spots.grow(b, 8*uint64(l.count)); err != nil {
		return err
	}
	if err := discrete.Write(b.dev, l.spots.Memory, spots); err != nil {
		return err
	}
	b.a.spare, b.a.spots = address(l.spare.Memory), address(l.spots.Memory)
	for _, end := range ends {
		b.a.listed = uint32(end)
		if err := b.launch(kernel, uint64(end)-uint64(b.a.skip), nil); err != nil {
			return err
		}
		b.a.skip = uint32(end)
	}
	b.a.skip = 0
	return nil
}
