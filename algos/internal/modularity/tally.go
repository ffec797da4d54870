// This file totals weights by label, for one vertex or part at a time.

package modularity

import "slices"

// tally totals weights by label. It is one worker's. Labels have an entry of an array each, or slots of a table in short rows,
// and if the arrays of all workers would take more memory than the rows.
type tally struct {
	narrow []uint32 // by label, if each edge weighs 1; 0 between calls
	wide   []int64  // by label, else
	table  table    // without narrow and wide
	short  bool     // the table has the labels of this row
	keys   []uint32 // that were met
	sums   []int64

	row        []uint32 // scratch of the contractor: labels of a row, and their weights
	rowWeights []int64
	_          [64]byte
}

// prepare makes the tally ready for labels below n.
func (t *tally) prepare(n int, dense, weighted bool) {
	switch {
	case !dense:
		t.narrow, t.wide = nil, nil
	case weighted:
		t.narrow, t.wide = nil, again(t.wide, n)
	default:
		t.narrow, t.wide = again(t.narrow, n), nil
	}
}

// again returns an array of zeros, the given one if it has room: that one is zeros.
func again[T uint32 | int64](a []T, n int) []T {
	if cap(a) >= n {
		return a[:n]
	}
	return zeros[T](n)
}

// begin begins with the labels of so many entries of rows.
func (t *tally) begin(entries uint64) {
	t.keys = t.keys[:0]
	if t.short = t.narrow == nil && t.wide == nil || entries <= shortRow; t.short {
		t.table.begin(entries)
	}
}

// add adds the weights of labels. Each weighs 1 if weights is nil.
func (t *tally) add(keys []uint32, weights []int64) {
	switch {
	case t.short && weights == nil:
		for _, k := range keys {
			t.table.add(k, 1)
		}
	case t.short:
		for i, k := range keys {
			t.table.add(k, weights[i])
		}
	case t.narrow != nil:
		t.keys = addDense(t.narrow, t.keys, keys, weights)
	default:
		t.keys = addDense(t.wide, t.keys, keys, weights)
	}
}

// addDense notes a label whenever its sum is 0, without a branch that the processor would have to guess.
func addDense[T uint32 | int64](sums []T, met, keys []uint32, weights []int64) []uint32 {
	m := len(met)
	met = slices.Grow(met, len(keys))[:m+len(keys)]
	if weights == nil {
		for _, k := range keys {
			was := sums[k]
			sums[k] = was + 1
			met[m] = k
			if was == 0 {
				m++
			}
		}
		return met[:m]
	}
	weights = weights[:len(keys)]
	for i, k := range keys {
		was := sums[k]
		sums[k] = was + T(weights[i])
		met[m] = k
		if was == 0 {
			m++
		}
	}
	return met[:m]
}

// of returns the sum of a label, before end.
func (t *tally) of(key uint32) int64 {
	switch {
	case t.short:
		return t.table.get(key)
	case t.narrow != nil:
		return int64(t.narrow[key])
	default:
		return t.wide[key]
	}
}

// end returns the labels and their sums, until the next begin. A label may come again with the sum 0: its weights are 0.
func (t *tally) end() (keys []uint32, sums []int64) {
	switch {
	case t.short:
		t.sums = t.sums[:0]
		for _, at := range t.table.met {
			s := &t.table.slots[at]
			t.keys, t.sums = append(t.keys, s.key), append(t.sums, s.sum)
		}
	case t.narrow != nil:
		t.sums = endDense(t.narrow, t.keys, t.sums)
	default:
		t.sums = endDense(t.wide, t.keys, t.sums)
	}
	return t.keys, t.sums
}

func endDense[T uint32 | int64](by []T, keys []uint32, sums []int64) []int64 {
	sums = slices.Grow(sums[:0], len(keys))[:len(keys)]
	for i, k := range keys {
		sums[i], by[k] = int64(by[k]), 0
	}
	return sums
}

// table totals weights by label, in slots by a hash.
type table struct {
	slots []slot
	met   []uint32 // slots that are taken
	shift uint
	mask  uint32
}

type slot struct {
	key uint32
	sum int64
}

// begin empties the table, and makes room for so many labels.
func (t *table) begin(labels uint64) {
	for _, s := range t.met {
		t.slots[s].key = none
	}
	t.met = t.met[:0]
	size, shift := uint64(8), uint(29)
	for size < 2*labels {
		size, shift = 2*size, shift-1
	}
	if uint64(len(t.slots)) < size {
		t.slots = make([]slot, size)
		for i := range t.slots {
			t.slots[i].key = none
		}
	}
	t.mask, t.shift = uint32(size-1), shift
}

// add adds a weight to a label's total.
func (t *table) add(key uint32, w int64) { t.at(key).sum += w }

// get returns a label's total.
func (t *table) get(key uint32) int64 {
	for at := key * hashFactor >> t.shift; ; at++ {
		switch s := &t.slots[at&t.mask]; s.key {
		case key:
			return s.sum
		case none:
			return 0
		}
	}
}

// at returns the slot of a label. The sum of a new one is 0.
func (t *table) at(key uint32) *slot {
	slots, at := t.slots[:t.mask+1], key*hashFactor>>t.shift
	for {
		at &= t.mask
		s := &slots[at]
		if s.key == key {
			return s
		}
		if s.key == none {
			s.key, s.sum = key, 0
			t.met = append(t.met, at)
			return s
		}
		at++
	}
}
