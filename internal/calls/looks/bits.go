// This file holds the sort of keys by a part of their bits.

package looks

import "math/bits"

// Insertion is the length of rows up to which SortBits sorts by insertion.
const Insertion = 8

// SortBits sorts keys by the 32 bits from shift up. It returns spare, which it
// may have made larger. Short rows are sorted by insertion, long ones by one
// byte after the other, least first, leaving out the bytes that all keys share.
func SortBits[K uint32 | uint64](keys, spare []K, shift uint) []K {
	if len(keys) <= Insertion {
		for i := 1; i < len(keys); i++ {
			x := keys[i]
			j := i
			for ; j > 0 && keys[j-1] > x; j-- {
				keys[j] = keys[j-1]
			}
			keys[j] = x
		}
		return spare
	}
	all, some, sorted := ^K(0), K(0), true
	for i, x := range keys {
		all, some = all&x, some|x
		sorted = sorted && (i == 0 || keys[i-1] <= x)
	}
	if sorted {
		return spare
	}
	if cap(spare) < len(keys) {
		spare = make([]K, 1<<bits.Len(uint(len(keys))))
	}
	from, to := keys, spare[:len(keys)]
	for end := shift + 32; shift < end; shift += 8 {
		if uint8((all^some)>>shift) == 0 {
			continue
		}
		var at [256]uint32
		for _, x := range from {
			at[uint8(x>>shift)]++
		}
		sum := uint32(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, x := range from {
			i := uint8(x >> shift)
			to[at[i]] = x
			at[i]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
	return spare
}
