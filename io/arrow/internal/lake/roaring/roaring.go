// Package roaring decodes deletion vectors: sets of row numbers, as Apache Iceberg and
// Delta Lake have them in Puffin files and files of their own. They are 64-bit Roaring
// bitmaps in the portable format (https://github.com/RoaringBitmap/RoaringFormatSpec),
// behind a magic number.
package roaring

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// magic opens a vector.
var magic = [4]byte{0xd1, 0xd3, 0x39, 0x64}

// Numbers of the format.
const (
	cookieNoRuns  = 12346
	cookieRuns    = 12347
	arrayMax      = 4096 // a container of more values is a bitmap
	bitmapBytes   = 1 << 13
	noOffsetsMax  = 4 // bitmaps with runs and fewer containers have no offsets
	maxContainers = 1 << 16
)

// Framed decodes a vector with its length in front and its checksum behind, both
// big-endian. rows is how many rows the file has whose rows are numbered.
func Framed(b []byte, rows int64) ([]int64, error) {
	if len(b) < 12 {
		return nil, columnar.Corrupt("a deletion vector of %d bytes", len(b))
	}
	n := int64(binary.BigEndian.Uint32(b))
	if n != int64(len(b)-8) {
		return nil, columnar.Corrupt("a deletion vector of %d bytes, where it says %d", len(b)-8, n)
	}
	body := b[4 : len(b)-4]
	if sum := binary.BigEndian.Uint32(b[len(b)-4:]); sum != crc32.ChecksumIEEE(body) {
		return nil, columnar.Corrupt("the deletion vector's checksum is wrong")
	}
	return Decode(body, rows)
}

// Decode decodes a vector that begins with its magic number. The row numbers ascend and
// are less than rows.
func Decode(b []byte, rows int64) ([]int64, error) {
	if len(b) < 12 || [4]byte(b) != magic {
		return nil, columnar.Corrupt("the deletion vector doesn't begin with the magic number D1 D3 39 64")
	}
	d := &decoder{b: b[4:], rows: rows}
	count := d.uint64()
	last := int64(-1)
	for range count {
		key := int64(d.uint32())
		if d.err == nil && (key <= last || key > 1<<31-1) {
			d.fail("its bitmaps are not in order")
		}
		if d.err != nil {
			break
		}
		last = key
		d.bitmap(key << 32)
	}
	if d.err == nil && len(d.b) > 0 {
		d.fail("%d bytes follow it", len(d.b))
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.out, nil
}

type decoder struct {
	b    []byte
	rows int64
	out  []int64
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = columnar.Corrupt("the deletion vector: "+format, args...)
	}
}

// take returns the next n bytes, or nil.
func (d *decoder) take(n int) []byte {
	if d.err != nil || len(d.b) < n {
		d.fail("it ends too early")
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) uint16() (v uint16) {
	if b := d.take(2); b != nil {
		v = binary.LittleEndian.Uint16(b)
	}
	return v
}

func (d *decoder) uint32() (v uint32) {
	if b := d.take(4); b != nil {
		v = binary.LittleEndian.Uint32(b)
	}
	return v
}

func (d *decoder) uint64() (v uint64) {
	if b := d.take(8); b != nil {
		v = binary.LittleEndian.Uint64(b)
	}
	return v
}

// bitmap decodes a 32-bit Roaring bitmap, whose values count from base on.
func (d *decoder) bitmap(base int64) {
	cookie := d.uint32()
	count := int(cookie>>16) + 1
	var runs []byte
	switch {
	case cookie == cookieNoRuns:
		if n := d.uint32(); n <= maxContainers {
			count = int(n)
		} else {
			d.fail("a bitmap of %d containers", n)
		}
	case cookie&0xffff == cookieRuns:
		runs = d.take((count + 7) / 8)
	default:
		d.fail("a bitmap begins with %d", cookie)
	}
	heads := d.take(4 * count)
	if runs == nil || count >= noOffsetsMax {
		d.take(4 * count) // where the containers are, which follow each other
	}
	last := -1
	for i := 0; i < count && d.err == nil; i++ {
		key, values := int(binary.LittleEndian.Uint16(heads[4*i:])), int(binary.LittleEndian.Uint16(heads[4*i+2:]))+1
		if key <= last {
			d.fail("its containers are not in order")
			return
		}
		last = key
		at, before := base+int64(key)<<16, len(d.out)
		switch {
		case runs != nil && runs[i/8]>>(i%8)&1 == 1:
			d.runs(at)
		case values <= arrayMax:
			d.array(at, values)
		default:
			d.bits(at)
		}
		if d.err == nil && len(d.out)-before != values {
			d.fail("a container of %d values, where it says %d", len(d.out)-before, values)
		}
	}
}

// add appends the rows from first up to last, which must come after those before.
func (d *decoder) add(first, last int64) {
	if last >= d.rows {
		d.fail("row %d of a file of %d rows", last, d.rows)
		return
	}
	for row := first; row <= last; row++ {
		d.out = append(d.out, row)
	}
}

func (d *decoder) array(base int64, n int) {
	b := d.take(2 * n)
	last := int64(-1)
	for i := 0; i < n && d.err == nil; i++ {
		v := int64(binary.LittleEndian.Uint16(b[2*i:]))
		if v <= last {
			d.fail("the values of a container are not in order")
			return
		}
		last = v
		d.add(base+v, base+v)
	}
}

func (d *decoder) bits(base int64) {
	b := d.take(bitmapBytes)
	for i := 0; i < len(b) && d.err == nil; i += 8 {
		for w := binary.LittleEndian.Uint64(b[i:]); w != 0 && d.err == nil; w &= w - 1 {
			v := base + int64(i*8+bits.TrailingZeros64(w))
			d.add(v, v)
		}
	}
}

func (d *decoder) runs(base int64) {
	n := int(d.uint16())
	last := int64(-1)
	for range n {
		first, more := int64(d.uint16()), int64(d.uint16())
		if d.err == nil && (first <= last || first+more > 0xffff) {
			d.fail("the runs of a container are not in order")
		}
		if d.err != nil {
			return
		}
		last = first + more
		d.add(base+first, base+last)
	}
}
