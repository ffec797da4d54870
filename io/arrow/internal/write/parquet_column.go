// This file holds a column of a row group on its way into Parquet: values,
// plain or as indices into a dictionary, and levels.

package write

import (
	"encoding/binary"
	"math"
	"slices"

	goarrow "github.com/apache/arrow/go/v15/arrow"
)

// parquetColumn is a column of the row group being written.
type parquetColumn struct {
	field     *outField
	pool      *pagePool
	pageBytes int
	size      int   // of a value of 32 or 64 bits in the file
	scale     int64 // that integers are multiplied by

	page  *parquetPage   // being filled
	pages []*parquetPage // filled; being compressed
	whole int            // indices of the page that belong to whole rows
	dict  parquetDict
	stats columnStats

	dictPage *parquetPage // being compressed, once the row group is at its end
}

func newParquetColumn(f *outField, pool *pagePool) parquetColumn {
	c := parquetColumn{field: f, pool: pool, pageBytes: pageBytes, page: pool.get(), size: f.typ.width(), scale: 1}
	if (f.typ.kind == kindTimestamp || f.typ.kind == kindTime) && f.typ.unit == goarrow.Second {
		c.scale = 1000 // Parquet's coarsest times are of milliseconds
	}
	c.stats.reset()
	c.dict.begin(f)
	return c
}

// append adds rows lo to hi of a batch's column.
func (p *parquetColumn) append(c *outColumn, lo, hi int) {
	for lo < hi {
		end := min(hi, lo+pageRows-p.page.rows)
		p.whole = len(p.page.indices)
		next := 0
		if p.field.list {
			next = p.appendList(c, lo)
		} else {
			next = p.appendValues(c, lo, end)
			p.page.rows += next - lo
			p.page.entries += next - lo
			if p.field.optional {
				p.page.appendLevels(c, p.page.rows-(next-lo), lo, next)
			}
		}
		lo = next
		if p.page.rows >= pageRows || len(p.page.indices) >= pageRows || p.dict.state != dictOn && len(p.page.values) >= p.pageBytes {
			p.flush()
		}
	}
}

// appendList adds row i of a list, and returns the next one. A row is never
// divided among pages.
func (p *parquetColumn) appendList(c *outColumn, i int) int {
	lo, hi := c.elements(i, i+1)
	present := byte(1) // an empty list
	switch {
	case c.missing(i):
		present = 0
		p.page.nulls++
	case lo < hi:
		present = 2
	default:
		p.page.nulls++
	}
	if !p.field.optional && present > 0 {
		present--
	}
	values := *c
	values.valid = nil
	for at := lo; at < hi; {
		at = p.appendValues(&values, at, hi)
	}
	p.page.rows++
	p.page.entries += max(1, hi-lo)
	for j := range max(1, hi-lo) {
		p.page.repetition = append(p.page.repetition, byte(min(j, 1)))
		p.page.definition = append(p.page.definition, present)
	}
	return i + 1
}

// appendValues adds values from lo on until the page is full, hi at the latest,
// and returns where they ended.
func (p *parquetColumn) appendValues(c *outColumn, lo, hi int) int {
	if p.dict.state == dictOn {
		if next := p.appendIndices(c, lo, hi); next > lo || next == hi {
			return next
		}
		p.leaveDict()
	}
	next := 0
	switch t := p.field.typ; {
	case t.text():
		next = p.appendStrings(c, lo, hi)
	case t.kind == kindBool:
		next = p.appendBools(c, lo, hi)
	case t.kind == kindFloat && t.bits == 32:
		next = p.appendFloats(c, lo, hi)
	case t.kind == kindFloat:
		next = p.appendDoubles(c, lo, hi)
	case p.size == 8:
		next = p.append64(c, lo, hi)
	default:
		next = p.append32(c, lo, hi)
	}
	if p.dict.state == dictTrial {
		p.try(c, lo, next)
	}
	return next
}

// lookup finds value i in the dictionary, or adds it.
func (p *parquetColumn) lookup(c *outColumn, i int) (index uint32, added, ok bool) {
	if p.field.typ.text() {
		return p.dict.text(c.bytes[i])
	}
	return p.dict.int(c.ints[i]*p.scale, p.size)
}

// try adds to the dictionary what the page has plain already.
func (p *parquetColumn) try(c *outColumn, lo, hi int) {
	d := &p.dict
	for i := lo; i < hi; i++ {
		if c.missing(i) {
			continue
		}
		index, _, ok := p.lookup(c, i)
		if d.inPage++; !ok || d.inPage%dictProbe == 0 && d.hopeless() {
			d.state = dictOff
			p.page.indices = p.page.indices[:0]
			return
		}
		p.page.indices = append(p.page.indices, index)
	}
}

// appendIndices is appendValues by the dictionary. It ends where that is full.
func (p *parquetColumn) appendIndices(c *outColumn, lo, hi int) int {
	indices := p.page.indices
	defer func() { p.page.indices = indices }()
	for i := lo; i < hi; i++ {
		if c.missing(i) {
			continue
		}
		index, added, ok := p.lookup(c, i)
		if !ok {
			return i
		}
		if added {
			p.addStat(c, i)
		}
		indices = append(indices, index)
	}
	return hi
}

// addStat adds value i to the statistics, for those that go into a dictionary.
func (p *parquetColumn) addStat(c *outColumn, i int) {
	if p.field.typ.text() {
		p.stats.addBytes(c.bytes[i])
		return
	}
	p.stats.addInt(c.ints[i]*p.scale, p.field.typ.unsigned64())
}

// leaveDict ends the use of a dictionary that is full. The page is written with
// the rows that it has; what it has of a list that has begun goes over into the
// next one, plain.
func (p *parquetColumn) leaveDict() {
	part := slices.Clone(p.page.indices[p.whole:])
	p.page.indices = p.page.indices[:p.whole]
	p.flush()
	p.dict.state, p.whole = dictOff, 0
	for _, index := range part {
		p.page.values = append(p.page.values, p.dict.entry(index, p.size)...)
	}
}

// room is how many values of so many bytes fit into the page, one at least. A
// row of a list is never divided.
func (p *parquetColumn) room(size int) int {
	if p.field.list {
		return math.MaxInt32
	}
	return max(1, (p.pageBytes-len(p.page.values))/size)
}

// The methods that follow append values from lo on until the page is full, hi
// at the latest, and return where they ended.

func (p *parquetColumn) append64(c *outColumn, lo, hi int) int {
	hi = min(hi, lo+p.room(8))
	values, unsigned, scale := p.page.values, p.field.typ.unsigned64(), p.scale
	for i, x := range c.ints[lo:hi] {
		if !c.missing(lo + i) {
			x *= scale
			values = binary.LittleEndian.AppendUint64(values, uint64(x))
			p.stats.addInt(x, unsigned)
		}
	}
	p.page.values = values
	return hi
}

func (p *parquetColumn) append32(c *outColumn, lo, hi int) int {
	hi = min(hi, lo+p.room(4))
	values := p.page.values
	for i, x := range c.ints[lo:hi] {
		if !c.missing(lo + i) {
			values = binary.LittleEndian.AppendUint32(values, uint32(x))
			p.stats.addInt(x, false) // of 32 unsigned bits, so not negative
		}
	}
	p.page.values = values
	return hi
}

func (p *parquetColumn) appendFloats(c *outColumn, lo, hi int) int {
	hi = min(hi, lo+p.room(4))
	for i, x := range c.floats[lo:hi] {
		if !c.missing(lo + i) {
			p.page.values = binary.LittleEndian.AppendUint32(p.page.values, math.Float32bits(x))
			p.stats.addFloat(float64(x))
		}
	}
	return hi
}

func (p *parquetColumn) appendDoubles(c *outColumn, lo, hi int) int {
	hi = min(hi, lo+p.room(8))
	for i, x := range c.doubles[lo:hi] {
		if !c.missing(lo + i) {
			p.page.values = binary.LittleEndian.AppendUint64(p.page.values, math.Float64bits(x))
			p.stats.addFloat(x)
		}
	}
	return hi
}

// appendBools appends bits, of which a page of pageRows rows has few bytes.
func (p *parquetColumn) appendBools(c *outColumn, lo, hi int) int {
	for i, x := range c.ints[lo:hi] {
		if c.missing(lo + i) {
			continue
		}
		if p.page.bools%8 == 0 {
			p.page.values = append(p.page.values, 0)
		}
		p.page.values[p.page.bools/8] |= byte(x&1) << (p.page.bools % 8)
		p.page.bools++
		p.stats.addInt(x&1, false)
	}
	return hi
}

func (p *parquetColumn) appendStrings(c *outColumn, lo, hi int) int {
	for i := lo; i < hi; i++ {
		if len(p.page.values) >= p.pageBytes && !p.field.list {
			return i
		}
		if !c.missing(i) {
			if p.field.typ.kind != kindFixed {
				p.page.values = binary.LittleEndian.AppendUint32(p.page.values, uint32(len(c.bytes[i])))
			}
			p.page.values = append(p.page.values, c.bytes[i]...)
			p.stats.addBytes(c.bytes[i])
		}
	}
	return hi
}
