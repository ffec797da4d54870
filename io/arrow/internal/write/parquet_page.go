// This file holds pages of Parquet, and their levels and indices: the hybrid of runs and packed bits that
// Parquet calls RLE.

package write

import (
	"encoding/binary"
	"math/bits"
)

// parquetPage is a data page, version 1: levels, if the column has any, and the
// values that are there, compressed together; or a dictionary's page, which is
// values alone.
type parquetPage struct {
	field   *outField // nil for a dictionary
	rows    int
	entries int  // levels: one a row, except for lists, which have one a value
	nulls   int  // entries without a value
	bools   int  // values of one bit
	indexed bool // values are indices into the dictionary
	width   int  // bits of an index
	*pageScratch

	size int    // before compression
	data []byte // what is written, once done is closed
	err  error  // of making it, likewise
	done chan struct{}
}

// pageScratch is the memory that a page needs until it is compressed.
type pageScratch struct {
	levels  []byte // a bit per row: whether its value is there
	values  []byte
	indices []uint32
	raw     []byte // all of it together

	repetition, definition []byte // of lists, a level per entry
}

// appendLevels adds whether the values of rows lo to hi are there, from the
// page's row at on.
func (p *parquetPage) appendLevels(c *outColumn, at, lo, hi int) {
	for i := lo; i < hi; i, at = i+1, at+1 {
		if at%8 == 0 {
			p.levels = append(p.levels, 0)
		}
		if c.missing(i) {
			p.nulls++
		} else {
			p.levels[at/8] |= 1 << (at % 8)
		}
	}
}

// encode returns the page before compression.
func (p *parquetPage) encode() []byte {
	if p.field == nil || !p.indexed && !p.field.list && !p.field.optional {
		return p.values
	}
	raw := p.raw[:0]
	switch {
	case p.field.list:
		raw = appendBlock(raw, func(raw []byte) []byte { return appendHybrid(raw, p.repetition, 1) })
		width := 1
		if p.field.optional {
			width = 2
		}
		raw = appendBlock(raw, func(raw []byte) []byte { return appendHybrid(raw, p.definition, width) })
	case p.field.optional:
		raw = appendBlock(raw, p.appendDefinition)
	}
	if p.indexed {
		raw = appendHybrid(append(raw, byte(p.width)), p.indices, p.width)
	} else {
		raw = append(raw, p.values...)
	}
	p.raw = raw
	return raw
}

// appendBlock appends what has its length before it.
func appendBlock(raw []byte, more func([]byte) []byte) []byte {
	at := len(raw)
	raw = more(append(raw, 0, 0, 0, 0))
	binary.LittleEndian.PutUint32(raw[at:], uint32(len(raw)-at-4))
	return raw
}

// appendDefinition appends the definition levels of a column without lists, of
// one bit: one run of a repeated value where all are alike, else one run of all
// bits packed, in eights.
func (p *parquetPage) appendDefinition(raw []byte) []byte {
	switch p.nulls {
	case 0:
		return append(binary.AppendUvarint(raw, uint64(p.rows)<<1), 1)
	case p.rows:
		return append(binary.AppendUvarint(raw, uint64(p.rows)<<1), 0)
	}
	return append(binary.AppendUvarint(raw, uint64(len(p.levels))<<1|1), p.levels...)
}

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
