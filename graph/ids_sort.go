// This file holds the parallel sort of external ids.

package graph

import "slices"

// sortBlock is the number of entries that are sorted or merged at a time,
// between two looks at the context.
const sortBlock = 1 << 15

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
