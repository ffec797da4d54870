// This file holds the parallel sort of external ids.

package graph

import (
	"cmp"
	"math/bits"
	"slices"
)

// sort sorts entries: blocks on all workers, then merged pairwise.
func (c *crew) sort(phase string, all []idEntry, compare func(x, y idEntry) int) error {
	blocks := (len(all) + sortBlock - 1) / sortBlock
	at := func(i int) int { return min(i*sortBlock, len(all)) }
	err := c.each(phase, blocks, func(_, i int) error {
		slices.SortFunc(all[at(i):at(i+1)], compare)
		return nil
	})
	if err != nil || blocks < 2 {
		return err
	}
	from, to := all, make([]idEntry, len(all))
	for width := 1; width < blocks; width *= 2 {
		// Every block of the result is merged on its own, so that the last
		// rounds keep all workers busy.
		err := c.each("", blocks, func(_, i int) error {
			first := i / (2 * width) * (2 * width)
			lo, mid, hi := at(first), at(first+width), at(first+2*width)
			mergePiece(to[lo:hi], from[lo:mid], from[mid:hi], at(i)-lo, at(i+1)-lo, compare)
			return nil
		})
		if err != nil {
			return err
		}
		from, to = to, from
	}
	if &from[0] != &all[0] {
		copy(all, from)
	}
	return nil
}

// mergePiece writes items k0 to k1-1 of the merge of x and y.
func mergePiece(to, x, y []idEntry, k0, k1 int, compare func(x, y idEntry) int) {
	// How many of the first k0 items are x's: entries differ, so that it is
	// the i where x[i] comes after y[k0-i-1] and y[k0-i] after x[i-1].
	lo, hi := max(0, k0-len(y)), min(k0, len(x))
	for lo < hi {
		i := (lo + hi) / 2
		if compare(x[i], y[k0-i-1]) < 0 {
			lo = i + 1
		} else {
			hi = i
		}
	}
	i, j := lo, k0-lo
	for k := k0; k < k1; k++ {
		if j == len(y) || i < len(x) && compare(x[i], y[j]) < 0 {
			to[k] = x[i]
			i++
		} else {
			to[k] = y[j]
			j++
		}
	}
}

// sortInts sorts entries by key alone: partitioned by the keys' highest bits
// into buckets, then each bucket by one byte after the other.
func (c *crew) sortInts(phase string, all []idEntry) error {
	if len(all) < 2 {
		return nil
	}
	least, most := all[0].key, all[0].key
	for _, e := range all {
		least, most = min(least, e.key), max(most, e.key)
	}
	const buckets = 1 << 11
	shift := max(0, bits.Len64(most-least)-11)
	parts := c.parts(len(all))
	starts := make([][buckets]uint32, parts)
	to := make([]idEntry, len(all))
	err := c.each("", parts, func(_, i int) error {
		lo, hi := span(len(all), parts, i)
		for _, e := range all[lo:hi] {
			starts[i][(e.key-least)>>shift]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	sum := uint32(0)
	var ends [buckets]uint32
	for k := range buckets {
		for i := range starts {
			starts[i][k], sum = sum, sum+starts[i][k]
		}
		ends[k] = sum
	}
	err = c.each("", parts, func(_, i int) error {
		lo, hi := span(len(all), parts, i)
		at := &starts[i]
		for _, e := range all[lo:hi] {
			k := (e.key - least) >> shift
			to[at[k]] = e
			at[k]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.each(phase, buckets, func(_, k int) error {
		lo := uint32(0)
		if k > 0 {
			lo = ends[k-1]
		}
		return c.sortBucket(to[lo:ends[k]], all[lo:ends[k]])
	})
}

// sortBucket sorts from into to, by the bytes in which the keys differ.
func (c *crew) sortBucket(from, to []idEntry) error {
	if len(from) < 64 {
		copy(to, from)
		slices.SortFunc(to, func(x, y idEntry) int { return cmp.Compare(x.key, y.key) })
		return nil
	}
	all, some := ^uint64(0), uint64(0)
	for _, e := range from {
		all, some = all&e.key, some|e.key
	}
	result := to
	for shift := 0; shift < 64; shift += 8 {
		if uint8((all^some)>>shift) == 0 {
			continue
		}
		// A bucket can be all there is.
		if err := c.ctx.Err(); err != nil {
			return err
		}
		var at [256]uint32
		for _, e := range from {
			at[uint8(e.key>>shift)]++
		}
		sum := uint32(0)
		for i, n := range at {
			at[i], sum = sum, sum+n
		}
		for _, e := range from {
			i := uint8(e.key >> shift)
			to[at[i]] = e
			at[i]++
		}
		from, to = to, from
	}
	if &from[0] != &result[0] {
		copy(result, from)
	}
	return nil
}
