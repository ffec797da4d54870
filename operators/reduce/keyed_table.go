// This file holds how the host totals a row's values by key.

package reduce

import (
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
)

// pairs are keys of vertices with their totals.
type pairs[T device.Elem] struct {
	vs, keys []uint32
	totals   []T
}

func (p *pairs[T]) reset() { p.vs, p.keys, p.totals = p.vs[:0], p.keys[:0], p.totals[:0] }

// keyTable finds the pair of a key. It is one worker's.
type keyTable struct {
	slots []uint32 // by hash, with linear probing: the number of a pair, from 1 on; 0: free
	met   []uint32 // the slots that are taken
	which []uint32 // of each edge: the number of its pair, from 1 on; 0: none
}

// keyHash mixes the bits of a key: keys are often multiples of something.
func keyHash(key uint32) uint32 {
	key *= 0x9e3779b1
	return key ^ key>>15
}

// keyPart is the part of several that a key belongs to, which says nothing about its hash.
func keyPart(key, parts uint32) uint32 {
	key = (key ^ key>>16) * 0x85ebca6b
	key = (key ^ key>>13) * 0xc2b2ae35
	return uint32(uint64(key^key>>16) * uint64(parts) >> 32)
}

// addRow appends the pairs of a vertex to p: the keys in the order in which they come first, the values of each in order. With
// several parts it appends only the keys of one of them.
func addRow[T device.Elem](t *keyTable, p *pairs[T], v uint32, keys []uint32, values []T, how operators.Reduction, part, parts uint32) {
	if len(t.which) < len(keys) {
		t.which = make([]uint32, max(len(keys), 2*len(t.which)))
	}
	first := len(p.keys)
	if len(keys) <= keyedShort && parts == 1 {
		p.keys = t.few(p.keys, keys)
	} else {
		p.keys = t.many(p.keys, keys, part, parts)
	}
	zero := identity[T](how)
	for range p.keys[first:] {
		p.vs, p.totals = append(p.vs, v), append(p.totals, zero)
	}
	fold(how, p.totals[first:], t.which[:len(keys)], values)
}

// few compares all keys of a short row with one another.
func (t *keyTable) few(all, keys []uint32) []uint32 {
	first, which := len(all), t.which[:len(keys)]
next:
	for i, key := range keys {
		which[i] = 0
		if key == NoKey {
			continue
		}
		for j, have := range all[first:] {
			if have == key {
				which[i] = uint32(j) + 1
				continue next
			}
		}
		all = append(all, key)
		which[i] = uint32(len(all) - first)
	}
	return all
}

// many looks keys up in the table, which is empty before and after. Runs of equal keys are looked up once.
func (t *keyTable) many(all, keys []uint32, part, parts uint32) []uint32 {
	bits := 4
	for 1<<bits < 2*len(keys) {
		bits++
	}
	if len(t.slots) < 1<<bits {
		t.slots = make([]uint32, 1<<bits)
	}
	slots, met, which := t.slots[:1<<bits], t.met[:0], t.which[:len(keys)]
	mask, shift := uint32(len(slots)-1), 32-uint(bits)
	first, last, number := len(all), uint32(NoKey), uint32(0)
	for i, key := range keys {
		if key == last {
			which[i] = number
			continue
		}
		last, number = key, 0
		if key != NoKey && (parts == 1 || keyPart(key, parts) == part) {
			at := keyHash(key) >> shift & mask
			for number = slots[at]; number != 0 && all[first+int(number)-1] != key; number = slots[at] {
				at = (at + 1) & mask
			}
			if number == 0 {
				all = append(all, key)
				number = uint32(len(all) - first)
				slots[at] = number
				met = append(met, at)
			}
		}
		which[i] = number
	}
	for _, at := range met {
		slots[at] = 0
	}
	t.met = met
	return all
}

// fold reduces each value into the total of its pair.
func fold[T device.Elem](how operators.Reduction, totals []T, which []uint32, values []T) {
	values = values[:len(which)]
	for i, n := range which {
		if n == 0 {
			continue
		}
		x, to := values[i], &totals[n-1]
		switch how {
		case operators.Sum:
			*to += x
		case operators.Min:
			if x < *to {
				*to = x
			}
		case operators.Max:
			if x > *to {
				*to = x
			}
		case operators.Or:
			*to = union(*to, x)
		}
	}
}

// union is for integers: the generator refuses others.
func union[T device.Elem](a, b T) T { return T(uint64(a) | uint64(b)) }

// identity is what changes nothing in a reduction of values of edges. Functors that foray generate made have no other
// types.
func identity[T device.Elem](how operators.Reduction) (x T) {
	if how != operators.Min && how != operators.Max {
		return x
	}
	most := how == operators.Min
	switch p := any(&x).(type) {
	case *int32:
		*p = pick[int32](most, math.MaxInt32, math.MinInt32)
	case *uint32:
		*p = pick[uint32](most, math.MaxUint32, 0)
	case *int64:
		*p = pick[int64](most, math.MaxInt64, math.MinInt64)
	case *uint64:
		*p = pick[uint64](most, math.MaxUint64, 0)
	case *float32:
		*p = pick(most, float32(math.Inf(1)), float32(math.Inf(-1)))
	case *float64:
		*p = pick(most, math.Inf(1), math.Inf(-1))
	}
	return x
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
