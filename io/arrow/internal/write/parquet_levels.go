// This file holds the hybrid of runs and packed bits that Parquet calls RLE:
// levels and indices into dictionaries are written in it.

package write

import (
	"encoding/binary"
	"math/bits"
)

// appendHybrid appends numbers of so many bits, 1 to 32.
func appendHybrid[T uint8 | uint32](to []byte, xs []T, width int) []byte {
	for i := 0; i < len(xs); {
		if n := runLength(xs[i:]); n >= minRun {
			to = binary.AppendUvarint(to, uint64(n)<<1)
			x := uint64(xs[i])
			for b := 0; b < width; b += 8 {
				to = append(to, byte(x>>b))
			}
			i += n
			continue
		}
		// Packed, in eights, until a run begins that an eight ends before.
		end := i + minRun
		for end < len(xs) && runLength(xs[end:min(len(xs), end+minRun)]) < minRun {
			end += minRun
		}
		to = binary.AppendUvarint(to, uint64((end-i)/minRun)<<1|1)
		to = appendPacked(to, xs[i:min(end, len(xs))], width)
		i = min(end, len(xs))
	}
	return to
}

// runLength is how many of the first numbers are alike.
func runLength[T uint8 | uint32](xs []T) int {
	n := 1
	for n < len(xs) && xs[n] == xs[0] {
		n++
	}
	return min(n, len(xs))
}

// appendPacked appends numbers bit by bit, the lowest first, filled up with
// zeros to a multiple of eight numbers.
func appendPacked[T uint8 | uint32](to []byte, xs []T, width int) []byte {
	var word uint64
	filled := 0
	for _, x := range xs {
		word |= uint64(x) << filled
		for filled += width; filled >= 8; filled -= 8 {
			to = append(to, byte(word))
			word >>= 8
		}
	}
	if missing := -len(xs) & (minRun - 1); missing > 0 {
		for filled += missing * width; filled >= 8; filled -= 8 {
			to = append(to, byte(word))
			word >>= 8
		}
	}
	return to
}

// bitWidth is how many bits the numbers below n take, one at least: some
// readers don't take none.
func bitWidth(n int) int { return max(1, bits.Len(uint(max(n, 1)-1))) }
