// Package columnar holds decoded columns of Parquet and Arrow files: vectors of values, the types
// of columns, and guards that check the numbers in a file before the process allocates memory for
// them.
package columnar

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Kind says into what a column is decoded.
type Kind uint8

// The kinds of vectors.
const (
	Ints    Kind = iota // integer ids, into Ints
	Strings             // string and binary ids, into Offsets and Data
	Weights             // numbers, into Floats
	Numbers             // floats as they are, into Doubles
)

// Vector is a batch of values of one column. Its slices are reused by the
// next batch.
type Vector struct {
	Kind   Kind
	Ints   []int64
	Floats []float32
	// Doubles are what filters compare.
	Doubles []float64
	// Value i is Data[Offsets[i]:Offsets[i+1]].
	Offsets []int64
	Data    []byte
	// Codes are strings as numbers, instead of Offsets and Data, in vectors that only conditions read.
	Codes []uint32
	// Valid marks the values that are there; it is empty if all are. What the
	// others are doesn't matter.
	Valid []bool
	Nulls int
	// Long: strings may have up to MaxLongBytes.
	Long bool
}

// Reset empties the vector for values of a kind and makes room for rows.
func (v *Vector) Reset(m *Memory, kind Kind, rows int) error {
	var err error
	v.Kind, v.Nulls = kind, 0
	v.Valid = v.Valid[:0]
	switch kind {
	case Ints:
		v.Ints, err = Grow(m, v.Ints, rows)
		v.Ints = v.Ints[:0]
	case Weights:
		v.Floats, err = Grow(m, v.Floats, rows)
		v.Floats = v.Floats[:0]
	case Numbers:
		v.Doubles, err = Grow(m, v.Doubles, rows)
		v.Doubles = v.Doubles[:0]
	case Strings:
		v.Offsets, err = Grow(m, v.Offsets, rows+1)
		v.Offsets = append(v.Offsets[:0], 0)
		v.Data = v.Data[:0]
	}
	return err
}

// Len returns the number of values.
func (v *Vector) Len() int {
	switch v.Kind {
	case Ints:
		return len(v.Ints)
	case Weights:
		return len(v.Floats)
	case Numbers:
		return len(v.Doubles)
	}
	return max(0, len(v.Offsets)-1)
}

// Full reports whether no more strings should be added.
func (v *Vector) Full() bool { return v.Kind == Strings && len(v.Data) >= batchBytes }

// Room makes room for n more values and keeps those that are there.
func (v *Vector) Room(m *Memory, n int) error {
	var err error
	switch v.Kind {
	case Ints:
		v.Ints, err = Extend(m, v.Ints, n)
	case Weights:
		v.Floats, err = Extend(m, v.Floats, n)
	case Numbers:
		v.Doubles, err = Extend(m, v.Doubles, n)
	case Strings:
		v.Offsets, err = Extend(m, v.Offsets, n)
	}
	return err
}

// Head returns a vector of the first n values, of which so many are null. It
// shares their memory.
func (v *Vector) Head(n, nulls int) Vector {
	h := Vector{Kind: v.Kind, Nulls: nulls, Data: v.Data}
	switch v.Kind {
	case Ints:
		h.Ints = v.Ints[:n]
	case Weights:
		h.Floats = v.Floats[:n]
	case Numbers:
		h.Doubles = v.Doubles[:n]
	case Strings:
		h.Offsets = v.Offsets[:n+1]
	}
	if nulls > 0 {
		h.Valid = v.Valid[:n]
	}
	return h
}

// Tail makes v a copy of the values of from, from index at on.
func (v *Vector) Tail(m *Memory, from *Vector, at int) error {
	n := from.Len() - at
	if err := v.Reset(m, from.Kind, n); err != nil {
		return err
	}
	switch v.Kind {
	case Ints:
		v.Ints = append(v.Ints, from.Ints[at:]...)
	case Weights:
		v.Floats = append(v.Floats, from.Floats[at:]...)
	case Numbers:
		v.Doubles = append(v.Doubles, from.Doubles[at:]...)
	case Strings:
		for i := at; i < from.Len(); i++ {
			if err := v.AppendString(m, from.Data[from.Offsets[i]:from.Offsets[i+1]]); err != nil {
				return err
			}
		}
	}
	if from.Nulls == 0 {
		return nil
	}
	nulls := 0
	for _, ok := range from.Valid[at:] {
		if !ok {
			nulls++
		}
	}
	return v.MarkValid(m, 0, from.Valid[at:], nulls)
}

// Compact keeps the values whose flag is set; those beyond the flags go too.
func (v *Vector) Compact(keep []bool) {
	n := 0
	switch v.Kind {
	case Ints:
		for i, ok := range keep {
			v.Ints[n] = v.Ints[i]
			if ok {
				n++
			}
		}
	case Weights:
		for i, ok := range keep {
			v.Floats[n] = v.Floats[i]
			if ok {
				n++
			}
		}
	case Numbers:
		for i, ok := range keep {
			v.Doubles[n] = v.Doubles[i]
			if ok {
				n++
			}
		}
	case Strings:
		var end int64
		start := v.Offsets[0]
		for i, ok := range keep {
			next := v.Offsets[i+1]
			if ok {
				end += int64(copy(v.Data[end:], v.Data[start:next]))
				n++
				v.Offsets[n] = end
			}
			start = next
		}
	}
}

// Forget empties the vector and gives its memory back.
func (v *Vector) Forget(m *Memory) {
	m.give(int64(cap(v.Ints)+cap(v.Offsets)+cap(v.Doubles))*8 + int64(cap(v.Floats))*4 + int64(cap(v.Data)+cap(v.Valid)))
	*v = Vector{}
}

// Spread moves the values from index at on, which are packed, apart to where
// valid says; valid says it for all the rows from at on. There must be room.
func (v *Vector) Spread(at int, valid []bool) {
	end := at + len(valid)
	from := v.Len() - 1
	switch v.Kind {
	case Ints:
		v.Ints = v.Ints[:end]
		for i := end - 1; i >= at && i > from; i-- {
			v.Ints[i] = 0
			if valid[i-at] {
				v.Ints[i] = v.Ints[from]
				from--
			}
		}
	case Weights:
		v.Floats = v.Floats[:end]
		for i := end - 1; i >= at && i > from; i-- {
			v.Floats[i] = 0
			if valid[i-at] {
				v.Floats[i] = v.Floats[from]
				from--
			}
		}
	case Numbers:
		v.Doubles = v.Doubles[:end]
		for i := end - 1; i >= at && i > from; i-- {
			v.Doubles[i] = 0
			if valid[i-at] {
				v.Doubles[i] = v.Doubles[from]
				from--
			}
		}
	case Strings:
		v.Offsets = v.Offsets[:end+1]
		for i := end; i > at; i-- {
			v.Offsets[i] = v.Offsets[from+1]
			if valid[i-1-at] {
				from--
			}
		}
	}
}

// MarkValid records which of the rows from at on are there; nulls of them are
// not. Rows that are never marked are there.
func (v *Vector) MarkValid(m *Memory, at int, valid []bool, nulls int) error {
	if nulls == 0 {
		return nil
	}
	v.Nulls += nulls
	if err := v.padValid(m, at); err != nil {
		return err
	}
	var err error
	if v.Valid, err = Extend(m, v.Valid, len(valid)); err != nil {
		return err
	}
	v.Valid = append(v.Valid, valid...)
	return nil
}

// Finish ends a batch: Valid is either empty or as long as the vector.
func (v *Vector) Finish(m *Memory) error {
	if v.Nulls == 0 {
		return nil
	}
	return v.padValid(m, v.Len())
}

func (v *Vector) padValid(m *Memory, to int) error {
	if len(v.Valid) >= to {
		return nil
	}
	var err error
	if v.Valid, err = Extend(m, v.Valid, to-len(v.Valid)); err != nil {
		return err
	}
	for len(v.Valid) < to {
		v.Valid = append(v.Valid, true)
	}
	return nil
}

// Half returns the number that the IEEE 754 binary16 bits stand for.
func Half(bits uint16) float32 {
	sign := uint32(bits>>15) << 31
	exp, frac := uint32(bits>>10&31), uint32(bits&1023)
	switch exp {
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case 0:
		f := float32(frac) / (1 << 24)
		if sign != 0 {
			f = -f
		}
		return f
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// CopyInts fills dst with little-endian integers.
func CopyInts(dst []int64, data []byte) {
	if len(dst) == 0 {
		return
	}
	to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)*8)
	copy(to, data[:len(to)])
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(to[i*8:]))
		}
	}
}
