// This file holds the hash table of ids.

package engine

import "math/bits"

// mix spreads the bits of an id (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// table maps ids to numbers below 2^32-1 by open addressing.
type table struct {
	keys   []uint64
	values []uint32 // number + 1; 0 is an empty slot
	n      int
}

// newTable has room for n ids.
func newTable(n int) *table {
	size := 1 << bits.Len(uint(max(n, 2)*4/3))
	return &table{keys: make([]uint64, size), values: make([]uint32, size)}
}

// tableBytes returns the size of a table of n ids.
func tableBytes(n uint64) uint64 { return 12 << bits.Len64(max(n, 2)*4/3) }

// slot returns the slot of an id, or the empty slot for it.
func (t *table) slot(id uint64) int {
	mask := len(t.keys) - 1
	// The upper bits chose the rank: the lower ones are independent of them.
	i := int(mix(id)) & mask
	for t.values[i] != 0 && t.keys[i] != id {
		i = (i + 1) & mask
	}
	return i
}

// find returns the number of an id.
func (t *table) find(id uint64) (uint32, bool) {
	v := t.values[t.slot(id)]
	return v - 1, v != 0
}

// add returns the number of an id, the next one if it is new.
func (t *table) add(id uint64) uint32 {
	i := t.slot(id)
	if t.values[i] == 0 {
		if (t.n+1)*4 > len(t.keys)*3 {
			t.grow()
			i = t.slot(id)
		}
		t.n++
		t.keys[i], t.values[i] = id, uint32(t.n)
	}
	return t.values[i] - 1
}

func (t *table) grow() {
	old := *t
	t.keys, t.values = make([]uint64, 2*len(old.keys)), make([]uint32, 2*len(old.keys))
	for i, v := range old.values {
		if v != 0 {
			j := t.slot(old.keys[i])
			t.keys[j], t.values[j] = old.keys[i], v
		}
	}
}
