// This file decodes DELTA_BINARY_PACKED.

package parquet

import (
	"encoding/binary"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// delta reads integers that are packed as differences. It holds no block: the
// sizes of blocks are the file's word alone.
type delta struct {
	data   []byte
	p      int
	left   int // values that were not read yet
	first  bool
	last   uint64
	perBl  int // miniblocks in a block
	per    int // values in a miniblock
	widths []byte
	min    uint64
	width  uint
	mini   int    // values left in the miniblock
	bits   []byte // what of it is there
	bit    int
}

// init reads the header. There may be at most limit values.
func (d *delta) init(data []byte, limit int) error {
	*d = delta{data: data, first: true}
	if len(data) == 0 {
		return nil // some writers leave it out where all is null
	}
	block, err := d.uvarint()
	if err != nil {
		return err
	}
	minis, err := d.uvarint()
	if err != nil {
		return err
	}
	total, err := d.uvarint()
	if err != nil {
		return err
	}
	first, err := d.uvarint()
	if err != nil {
		return err
	}
	if total == 0 {
		return nil // then the rest may be anything
	}
	if minis == 0 || block > 1<<31 || block%minis != 0 || block/minis == 0 || block/minis%32 != 0 {
		return columnar.Corrupt("delta blocks of %d values in %d miniblocks", block, minis)
	}
	if total > uint64(limit) {
		return columnar.Corrupt("%d delta values where at most %d belong", total, limit)
	}
	d.perBl, d.per, d.left = int(minis), int(block/minis), int(total)
	d.last = first>>1 ^ -(first & 1)
	return nil
}

func (d *delta) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.data[d.p:])
	if n <= 0 {
		return 0, columnar.Corrupt("delta values end too early")
	}
	d.p += n
	return v, nil
}

// next starts the next miniblock.
func (d *delta) next() error {
	if len(d.widths) == 0 {
		zigzag, err := d.uvarint()
		if err != nil {
			return err
		}
		if d.perBl > len(d.data)-d.p {
			return columnar.Corrupt("delta values end too early")
		}
		d.min = zigzag>>1 ^ -(zigzag & 1)
		d.widths = d.data[d.p : d.p+d.perBl]
		d.p += d.perBl
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return columnar.Corrupt("delta values of %d bits", d.width)
	}
	rest := d.data[d.p:]
	size := min(d.per/8*int(d.width), len(rest))
	d.bits, d.bit, d.mini = rest[:size], 0, d.per
	d.p += size
	return nil
}

// read fills dst, which must not be longer than the rest.
func (d *delta) read(dst []int64) error {
	if len(dst) > d.left {
		return columnar.Corrupt("%d delta values are left where %d belong", d.left, len(dst))
	}
	d.left -= len(dst)
	if d.first && len(dst) > 0 {
		d.first = false
		dst[0] = int64(d.last)
		dst = dst[1:]
	}
	for len(dst) > 0 {
		if d.mini == 0 {
			if err := d.next(); err != nil {
				return err
			}
		}
		n := min(len(dst), d.mini)
		if d.bit+n*int(d.width) > len(d.bits)*8 {
			return columnar.Corrupt("delta values end too early")
		}
		d.unpack(dst[:n])
		d.mini -= n
		dst = dst[n:]
	}
	return nil
}

// unpack reads values of a miniblock, of which there must be enough.
func (d *delta) unpack(dst []int64) {
	last, bit, width := d.last, d.bit, int(d.width)
	if width == 0 {
		for i := range dst {
			last += d.min
			dst[i] = int64(last)
		}
		d.last = last
		return
	}
	i := 0
	if width <= 57 { // a value and seven bits before it fit a word
		mask := uint64(1)<<width - 1
		for fast := (len(d.bits) - 8) * 8; i < len(dst) && bit <= fast; i++ {
			last += d.min + binary.LittleEndian.Uint64(d.bits[bit>>3:])>>(bit&7)&mask
			dst[i] = int64(last)
			bit += width
		}
	}
	mask := ^uint64(0) >> (64 - width)
	for ; i < len(dst); i++ {
		at := bit >> 3
		v := tail64(d.bits[at:min(at+8, len(d.bits))]) >> (bit & 7)
		if shift := 64 - bit&7; shift < width {
			v |= uint64(d.bits[at+8]) << shift
		}
		last += d.min + v&mask
		dst[i] = int64(last)
		bit += width
	}
	d.last, d.bit = last, bit
}

// end returns where the values end, without reading them.
func (d delta) end() (int, error) {
	rest := d.left - 1
	for rest > 0 {
		if err := d.next(); err != nil {
			return 0, err
		}
		if len(d.bits) < d.per/8*int(d.width) {
			return 0, columnar.Corrupt("delta values end too early")
		}
		rest -= d.per
	}
	return d.p, nil
}
