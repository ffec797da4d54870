// Package looks splits long work into pieces and checks a context between them, so that the work
// ends within milliseconds of the context.
package looks

import (
	"context"
	"slices"
)

// piece is how many items, of 1 to 100 ns, are done between two looks at the context, which take some 10 ns each:
// 3 ms at most.
const piece = 1 << 15

// Pieces calls do for ranges of n items, one after the other, until all are done or the context is. The error is the
// context's.
func Pieces(ctx context.Context, n int, do func(lo, hi int)) error {
	for lo := 0; lo < n; lo += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		do(lo, min(lo+piece, n))
	}
	return ctx.Err()
}

// Rows splits rows into ranges that have about as many entries as a piece has items, and calls do for each range in
// turn. It stops when all rows are done or the context ends, and then returns the context's error. A longer row is a
// range of one row.
func Rows(ctx context.Context, offsets []uint64, do func(lo, hi int)) error {
	n := max(len(offsets), 1) - 1
	for lo := 0; lo < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := Cut(offsets, lo, n)
		do(lo, hi)
		lo = hi
	}
	return ctx.Err()
}

// Cut returns the end of the range of rows that begins with row lo and has about as many entries and rows as a piece
// has items. The end is at most n.
func Cut(offsets []uint64, lo, n int) (hi int) {
	n = min(n, lo+piece)
	most := offsets[lo] + piece
	hi = lo + 1
	if hi >= n || offsets[n] <= most {
		return n
	}
	at, _ := slices.BinarySearch(offsets[hi:n+1], most+1) // the first that is too far
	return max(hi, hi+at-1)
}

// Sort sorts keys. Once the context is done it returns its error, and the keys are in no order.
func Sort(ctx context.Context, keys []uint64) error {
	for len(keys) > piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		lo, hi := split(keys)
		if lo > len(keys)-hi { // the shorter part by a call, which bounds the stack
			if err := Sort(ctx, keys[hi:]); err != nil {
				return err
			}
			keys = keys[:lo]
		} else {
			if err := Sort(ctx, keys[:lo]); err != nil {
				return err
			}
			keys = keys[hi:]
		}
	}
	slices.Sort(keys)
	return nil
}

// split moves a pivot: keys below it come first, then keys equal to it, then all others. It returns where the
// second and the third part begin.
func split(keys []uint64) (lo, hi int) {
	var sample [31]uint64
	for i := range sample {
		sample[i] = keys[len(keys)/len(sample)*i]
	}
	slices.Sort(sample[:])
	pivot := sample[len(sample)/2]
	lo, hi = 0, len(keys)
	for i := 0; i < hi; {
		switch x := keys[i]; {
		case x < pivot:
			keys[i], keys[lo] = keys[lo], x
			lo++
			i++
		case x > pivot:
			hi--
			keys[i], keys[hi] = keys[hi], x
		default:
			i++
		}
	}
	return lo, hi
}
