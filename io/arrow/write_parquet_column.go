// This file holds a column of a row group on its way into Parquet: plain
// values, definition levels, statistics.

package arrow

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// maxStatBytes is the longest string that statistics have.
const maxStatBytes = 4096

// parquetColumn is a column of the row group being written.
type parquetColumn struct {
	field     *outField
	pool      *pagePool
	pageBytes int

	page  *parquetPage   // being filled
	pages []*parquetPage // filled; being compressed
	stats columnStats
}

func newParquetColumn(f *outField, pool *pagePool) parquetColumn {
	c := parquetColumn{field: f, pool: pool, pageBytes: pageBytes, page: pool.get()}
	c.stats.reset()
	return c
}

// append adds rows lo to hi of a batch's column.
func (p *parquetColumn) append(c *outColumn, lo, hi int) {
	for lo < hi {
		end := min(hi, lo+pageRows-p.page.rows)
		var next int
		switch {
		case p.field.float:
			next = p.appendFloats(c, lo, end)
		case !p.field.integer():
			next = p.appendStrings(c, lo, end)
		case intBits(p.field.typ) == 64:
			next = p.append64(c, lo, end)
		default:
			next = p.append32(c, lo, end)
		}
		if p.field.optional {
			p.page.appendLevels(c, lo, next)
		}
		p.page.rows += next - lo
		lo = next
		if p.page.rows == pageRows || len(p.page.values) >= p.pageBytes {
			p.flush()
		}
	}
}

// room is how many values of so many bytes fit into the page, one at least.
func (p *parquetColumn) room(size int) int {
	return max(1, (p.pageBytes-len(p.page.values))/size)
}

// The four methods that follow append values from row lo on until the page is
// full, hi at the latest, and return where they ended.

func (p *parquetColumn) append64(c *outColumn, lo, hi int) int {
	hi = min(hi, lo+p.room(8))
	values := p.page.values
	for i, x := range c.ints[lo:hi] {
		if !c.missing(lo + i) {
			values = binary.LittleEndian.AppendUint64(values, uint64(x))
			p.stats.addInt(x, !p.field.typ.Signed())
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
			p.stats.addFloat(x)
		}
	}
	return hi
}

func (p *parquetColumn) appendStrings(c *outColumn, lo, hi int) int {
	for i := lo; i < hi; i++ {
		if len(p.page.values) >= p.pageBytes {
			return i
		}
		if !c.missing(i) {
			p.page.values = binary.LittleEndian.AppendUint32(p.page.values, uint32(len(c.bytes[i])))
			p.page.values = append(p.page.values, c.bytes[i]...)
			p.stats.addBytes(c.bytes[i])
		}
	}
	return hi
}

// flush ends the page and lets it be compressed.
func (p *parquetColumn) flush() {
	if p.page.rows == 0 {
		return
	}
	p.stats.nulls += int64(p.page.nulls)
	p.page.optional = p.field.optional
	p.pool.compress(p.page)
	p.pages = append(p.pages, p.page)
	p.page = p.pool.get()
}

// write writes the column chunk, once its pages are compressed.
func (p *parquetColumn) write(w *countingWriter, meta *metadata.ColumnChunkMetaDataBuilder, props *parquet.WriterProperties, group, column int16) error {
	pager, err := file.NewPageWriter(w, props.Compression(), compress.DefaultCompressionLevel, meta,
		group, column, memory.DefaultAllocator, false, nil, nil)
	if err != nil {
		return err
	}
	for _, page := range p.pages {
		<-page.done
		// With statistics, though empty: else they are those of whatever page
		// the module's pool had this one for.
		data := file.NewDataPageV1WithStats(memory.NewBufferBytes(page.data), int32(page.rows),
			parquet.Encodings.Plain, parquet.Encodings.RLE, parquet.Encodings.RLE, int32(page.size), metadata.EncodedStatistics{})
		_, err := pager.WriteDataPage(data)
		data.Release()
		if err != nil {
			return err
		}
		p.pool.put(page)
	}
	p.pages = p.pages[:0]
	meta.SetStats(p.stats.encode(p.field))
	p.stats.reset()
	return pager.Close(false, false)
}

// columnStats are the least and the greatest value and the number of missing
// ones.
type columnStats struct {
	nulls             int64
	any               bool // a value was added
	least, greatest   int64
	fleast, fgreatest float32
	bleast, bgreatest []byte
}

func (s *columnStats) reset() { *s = columnStats{bleast: s.bleast[:0], bgreatest: s.bgreatest[:0]} }

// addInt adds an integer. Those of 64 unsigned bits are compared as such, and
// kept as the bits that they are.
func (s *columnStats) addInt(x int64, unsigned64 bool) {
	const sign = math.MinInt64
	if unsigned64 {
		x ^= sign
	}
	if !s.any {
		s.any, s.least, s.greatest = true, x, x
	}
	s.least, s.greatest = min(s.least, x), max(s.greatest, x)
}

func (s *columnStats) addFloat(x float32) {
	if x != x {
		return // NaN has no place in an order
	}
	if !s.any {
		s.any, s.fleast, s.fgreatest = true, x, x
	}
	s.fleast, s.fgreatest = min(s.fleast, x), max(s.fgreatest, x)
}

func (s *columnStats) addBytes(x []byte) {
	if !s.any || bytes.Compare(x, s.bleast) < 0 {
		s.bleast = append(s.bleast[:0], x...)
	}
	if !s.any || bytes.Compare(x, s.bgreatest) > 0 {
		s.bgreatest = append(s.bgreatest[:0], x...)
	}
	s.any = true
}

// encode returns the statistics as plain values.
func (s *columnStats) encode(f *outField) metadata.EncodedStatistics {
	e := metadata.EncodedStatistics{Signed: f.float || f.typ.Signed()}
	e.SetNullCount(s.nulls)
	if !s.any {
		return e
	}
	le := binary.LittleEndian
	switch {
	case f.float:
		// Zeros are written so that they bound zeros of either sign.
		lo, hi := s.fleast, s.fgreatest
		if lo == 0 {
			lo = float32(math.Copysign(0, -1))
		}
		if hi == 0 {
			hi = 0
		}
		e.SetMin(le.AppendUint32(nil, math.Float32bits(lo))).SetMax(le.AppendUint32(nil, math.Float32bits(hi)))
	case !f.integer():
		e.SetMin(bytes.Clone(s.bleast)).SetMax(bytes.Clone(s.bgreatest))
		e.ApplyStatSizeLimits(maxStatBytes)
	case intBits(f.typ) == 64:
		lo, hi := uint64(s.least), uint64(s.greatest)
		if !f.typ.Signed() {
			lo, hi = lo^1<<63, hi^1<<63
		}
		e.SetMin(le.AppendUint64(nil, lo)).SetMax(le.AppendUint64(nil, hi))
	default:
		e.SetMin(le.AppendUint32(nil, uint32(s.least))).SetMax(le.AppendUint32(nil, uint32(s.greatest)))
	}
	return e
}
