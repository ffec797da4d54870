// This file holds dictionaries of Parquet: the values of a column chunk that
// differ, and whether it is worth writing them instead of each one.

package write

import (
	"encoding/binary"
	"math/bits"
)

// dictState is how a column chunk uses a dictionary.
type dictState uint8

const (
	// dictOff: values are written as they are.
	dictOff dictState = iota
	// dictTrial: the first page's values are gathered both ways.
	dictTrial
	// dictOn: pages hold indices into the dictionary.
	dictOn
)

// parquetDict is the dictionary of a column chunk.
type parquetDict struct {
	state  dictState
	used   bool   // by a page
	n      int    // entries
	plain  []byte // the entries, as the dictionary's page has them
	ints   []int64
	table  []uint32 // of entries of ints, by hash, plus one; a power of two long
	shift  uint
	texts  map[string]uint32
	ends   []int // of the texts in plain
	fixed  bool  // texts have one length, which isn't written
	inPage int   // values of the trial page that were looked at
}

// begin starts a column chunk.
func (d *parquetDict) begin(f *outField) {
	d.state, d.fixed = dictOff, f.typ.kind == kindFixed
	if f.repeats && f.typ.kind != kindFloat && f.typ.kind != kindBool {
		d.state = dictTrial
	}
	d.used, d.n, d.inPage = false, 0, 0
	d.plain, d.ints, d.ends = d.plain[:0], d.ints[:0], d.ends[:0]
	clear(d.table)
	clear(d.texts)
}

// full reports whether there is no room for a value of so many bytes.
func (d *parquetDict) full(size int) bool {
	return len(d.plain)+size > maxDictBytes || d.n >= maxDictEntries
}

// int returns the index of an integer, size bytes wide in the file. added says
// that it is new; ok is false where it is and there is no room.
func (d *parquetDict) int(x int64, size int) (index uint32, added, ok bool) {
	if 2*d.n >= len(d.table) {
		d.grow()
	}
	mask := uint64(len(d.table) - 1)
	at := uint64(x) * 0x9E3779B97F4A7C15 >> d.shift
	for {
		e := d.table[at&mask]
		if e == 0 {
			break
		}
		if d.ints[e-1] == x {
			return e - 1, false, true
		}
		at++
	}
	if d.full(size) {
		return 0, false, false
	}
	d.ints = append(d.ints, x)
	if size == 8 {
		d.plain = binary.LittleEndian.AppendUint64(d.plain, uint64(x))
	} else {
		d.plain = binary.LittleEndian.AppendUint32(d.plain, uint32(x))
	}
	d.n++
	d.table[at&mask] = uint32(d.n)
	return uint32(d.n - 1), true, true
}

// grow makes the table twice as large.
func (d *parquetDict) grow() {
	size := max(64, 2*len(d.table))
	d.table = make([]uint32, size)
	d.shift = uint(64 - bits.TrailingZeros(uint(size)))
	for i, x := range d.ints {
		at := uint64(x) * 0x9E3779B97F4A7C15 >> d.shift
		for d.table[at&uint64(size-1)] != 0 {
			at++
		}
		d.table[at&uint64(size-1)] = uint32(i + 1)
	}
}

// text is int for strings and binary.
func (d *parquetDict) text(x []byte) (index uint32, added, ok bool) {
	if i, there := d.texts[string(x)]; there {
		return i, false, true
	}
	if d.full(4 + len(x)) {
		return 0, false, false
	}
	if d.texts == nil {
		d.texts = map[string]uint32{}
	}
	if !d.fixed {
		d.plain = binary.LittleEndian.AppendUint32(d.plain, uint32(len(x)))
	}
	d.plain = append(d.plain, x...)
	d.texts[string(x)] = uint32(d.n)
	d.ends = append(d.ends, len(d.plain))
	d.n++
	return uint32(d.n - 1), true, true
}

// entry returns an entry as it stands in a plain page.
func (d *parquetDict) entry(index uint32, size int) []byte {
	if size > 0 {
		return d.plain[int(index)*size:][:size]
	}
	begin := 0
	if index > 0 {
		begin = d.ends[index-1]
	}
	return d.plain[begin:d.ends[index]]
}

// helps reports whether the trial page is smaller with the dictionary.
func (d *parquetDict) helps(indices int, plain int) bool {
	return dictOverhead+len(d.plain)+indices*bitWidth(d.n)/8 < plain*dictGainNum/dictGainDen
}

// hopeless reports whether the values seen so far are too many for a
// dictionary.
func (d *parquetDict) hopeless() bool {
	return d.inPage >= dictProbe && d.n > d.inPage/dictProbeDen*dictProbeNum
}
