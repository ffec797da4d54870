// This file decodes data pages of indices into a dictionary.

package parquet

import "github.com/foray-graph/foray/io/arrow/internal/columnar"

// dictionary reads indices into the dictionary of the chunk.
type dictionary struct {
	c   *column
	idx hybrid
}

func (d *dictionary) read(v *columnar.Vector, n int) error {
	c := d.c
	for n > 0 {
		// Sorted columns are long runs of one value.
		i, run, err := d.idx.repeat(n)
		if err != nil {
			return err
		}
		if run > 0 {
			if err := d.repeat(v, i, run); err != nil {
				return err
			}
			n -= run
			continue
		}
		k := min(n, d.idx.left, len(c.scratch))
		idx := c.scratch[:k]
		if err := d.idx.read(idx); err != nil {
			return err
		}
		switch c.want {
		case columnar.Ints:
			at := len(v.Ints)
			v.Ints = v.Ints[:at+k]
			err = gather(v.Ints[at:], c.dict.Ints, idx)
		case columnar.Weights:
			at := len(v.Floats)
			v.Floats = v.Floats[:at+k]
			err = gather(v.Floats[at:], c.dict.Floats, idx)
		case columnar.Numbers:
			at := len(v.Doubles)
			v.Doubles = v.Doubles[:at+k]
			err = gather(v.Doubles[at:], c.dict.Doubles, idx)
		case columnar.Strings:
			err = d.strings(v, idx)
		}
		if err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// repeat appends value i of the dictionary n times.
func (d *dictionary) repeat(v *columnar.Vector, i uint32, n int) error {
	c := d.c
	if int(i) >= c.dict.Len() {
		return badIndex(i, c.dict.Len())
	}
	switch c.want {
	case columnar.Ints:
		at := len(v.Ints)
		v.Ints = v.Ints[:at+n]
		fill(v.Ints[at:], c.dict.Ints[i])
	case columnar.Weights:
		at := len(v.Floats)
		v.Floats = v.Floats[:at+n]
		fill(v.Floats[at:], c.dict.Floats[i])
	case columnar.Numbers:
		at := len(v.Doubles)
		v.Doubles = v.Doubles[:at+n]
		fill(v.Doubles[at:], c.dict.Doubles[i])
	case columnar.Strings:
		for range n {
			if err := v.AppendFrom(c.mem, c.dict.Data, c.dict.Offsets[i], c.dict.Offsets[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

func fill[T any](dst []T, x T) {
	for i := range dst {
		dst[i] = x
	}
}

// strings appends the strings of the indices. Where they lie is looked up for
// some of them at a time, so that those looks don't wait for one another.
func (d *dictionary) strings(v *columnar.Vector, idx []uint32) error {
	c := d.c
	offsets := c.dict.Offsets
	var from, to [32]int64
	for len(idx) > 0 {
		k := min(len(idx), len(from))
		for j, i := range idx[:k] {
			if int(i) >= len(offsets)-1 {
				return badIndex(i, len(offsets)-1)
			}
			from[j], to[j] = offsets[i], offsets[i+1]
		}
		for j, at := range from[:k] {
			if err := v.AppendFrom(c.mem, c.dict.Data, at, to[j]); err != nil {
				return err
			}
		}
		idx = idx[k:]
	}
	return nil
}

func gather[T any](dst, dict []T, idx []uint32) error {
	dst = dst[:len(idx)]
	for k, i := range idx {
		if int(i) >= len(dict) {
			return badIndex(i, len(dict))
		}
		dst[k] = dict[i]
	}
	return nil
}

func badIndex(i uint32, n int) error {
	return columnar.Corrupt("index %d into a dictionary of %d values", i, n)
}
