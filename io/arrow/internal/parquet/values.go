// This file chooses the decoder of a data page, and decodes numbers: plain and
// as deltas.

package parquet

import (
	"encoding/binary"
	"math"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// startValues chooses the decoder of a data page.
func (c *column) startValues(h header, data []byte) error {
	c.sawData = true
	c.page = h.values
	integer := c.leaf.physical == typeInt32 || c.leaf.physical == typeInt64
	switch enc := h.encoding; {
	case c.leaf.physical == typeBoolean && (enc == encPlain || enc == encRLE):
		c.values = &c.bools
		return c.bools.init(data, enc)
	case enc == encPlain && c.leaf.width > 0:
		c.fixed = plainFixed{c: c, data: data}
		c.values = &c.fixed
	case enc == encPlain:
		c.strings = plainStrings{c: c, data: data}
		c.values = &c.strings
	case enc == encRLEDictionary || enc == encPlainDictionary:
		if !c.hasDict {
			return columnar.Corrupt("a page of dictionary indices without a dictionary")
		}
		c.indices.c = c
		c.indices.idx.init(nil, 0)
		if len(data) > 0 {
			if data[0] > 32 {
				return columnar.Corrupt("dictionary indices of %d bits", data[0])
			}
			c.indices.idx.init(data[1:], uint(data[0]))
		}
		c.values = &c.indices
	case enc == encDeltaBinary && integer:
		c.deltas.c = c
		c.values = &c.deltas
		return c.deltas.d.init(data, h.values)
	case enc == encDeltaLength && c.leaf.physical == typeByteArray:
		c.values = &c.lengths
		return c.lengths.init(c, data, h.values)
	case enc == encDeltaBytes && (c.leaf.physical == typeByteArray || c.leaf.physical == typeFixed):
		c.values = &c.prefixes
		return c.prefixes.init(c, data, h.values)
	case enc == encSplit && c.leaf.width > 0:
		if len(data)%c.leaf.width != 0 {
			return columnar.Corrupt("%d bytes are no whole number of values of %d bytes", len(data), c.leaf.width)
		}
		c.split = split{c: c, data: data, n: len(data) / c.leaf.width}
		c.values = &c.split
	default:
		return columnar.Unsupported("%s encoded as %s", name(typeNames[:], c.leaf.physical), name(encodingNames[:], enc))
	}
	return nil
}

// plainFixed reads values of one width, one after the other.
type plainFixed struct {
	c    *column
	data []byte
}

func (p *plainFixed) read(v *columnar.Vector, n int) error {
	w := p.c.leaf.width
	if n > len(p.data)/w {
		return columnar.Corrupt("%d values of %d bytes, where %d bytes are left", n, w, len(p.data))
	}
	data := p.data[:n*w]
	p.data = p.data[n*w:]
	return p.c.convert(v, data, n)
}

// convert appends n plain values of the column's width.
func (c *column) convert(v *columnar.Vector, data []byte, n int) error {
	switch c.want {
	case columnar.Ints:
		at := len(v.Ints)
		v.Ints = v.Ints[:at+n]
		dst := v.Ints[at:]
		switch {
		case c.leaf.physical == typeFixed:
			for i := range dst {
				x, ok := bigEndian(data[i*c.leaf.width : (i+1)*c.leaf.width])
				if !ok {
					return columnar.Corrupt("a decimal of more than %d digits", columnar.MaxDigits)
				}
				dst[i] = x
			}
		case c.leaf.width == 8:
			columnar.CopyInts(dst, data)
		case c.leaf.unsigned:
			widenUnsigned(dst, data)
		default:
			widenSigned(dst, data)
		}
		return columnar.CheckWidth(c.leaf.ID, dst)
	case columnar.Strings:
		return v.AppendFixed(c.mem, data[:n*c.leaf.width], c.leaf.width, n)
	case columnar.Numbers:
		at := len(v.Doubles)
		v.Doubles = v.Doubles[:at+n]
		c.leaf.doubles(v.Doubles[at:], data)
		return nil
	}
	at := len(v.Floats)
	v.Floats = v.Floats[:at+n]
	c.leaf.floats(v.Floats[at:], data)
	return nil
}

// doubles widens plain floats.
func (l *leaf) doubles(dst []float64, data []byte) {
	switch {
	case l.half:
		for i := range dst {
			dst[i] = float64(columnar.Half(binary.LittleEndian.Uint16(data[i*2:])))
		}
	case l.physical == typeFloat:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[i*4:])))
		}
	default:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[i*8:]))
		}
	}
}

// widenSigned makes 64-bit integers of plain signed 32-bit ones.
func widenSigned(dst []int64, data []byte) {
	for ; len(dst) >= 8 && len(data) >= 32; dst, data = dst[8:], data[32:] {
		d, b := (*[8]int64)(dst), (*[32]byte)(data)
		d[0] = int64(int32(binary.LittleEndian.Uint32(b[0:])))
		d[1] = int64(int32(binary.LittleEndian.Uint32(b[4:])))
		d[2] = int64(int32(binary.LittleEndian.Uint32(b[8:])))
		d[3] = int64(int32(binary.LittleEndian.Uint32(b[12:])))
		d[4] = int64(int32(binary.LittleEndian.Uint32(b[16:])))
		d[5] = int64(int32(binary.LittleEndian.Uint32(b[20:])))
		d[6] = int64(int32(binary.LittleEndian.Uint32(b[24:])))
		d[7] = int64(int32(binary.LittleEndian.Uint32(b[28:])))
	}
	for i := range dst {
		dst[i] = int64(int32(binary.LittleEndian.Uint32(data[i*4:])))
	}
}

// widenUnsigned makes 64-bit integers of plain unsigned 32-bit ones.
func widenUnsigned(dst []int64, data []byte) {
	for i := range dst {
		dst[i] = int64(binary.LittleEndian.Uint32(data[i*4:]))
	}
}

// floats converts plain numbers.
func (l *leaf) floats(dst []float32, data []byte) {
	switch {
	case l.decimal:
		for i := range dst {
			dst[i] = float32(l.decimalOf(data[i*l.width : (i+1)*l.width]))
		}
	case l.half:
		for i := range dst {
			dst[i] = columnar.Half(binary.LittleEndian.Uint16(data[i*2:]))
		}
	case l.physical == typeFloat:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[i*4:]))
		}
	case l.physical == typeDouble:
		for i := range dst {
			dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(data[i*8:])))
		}
	default:
		for i := range dst {
			dst[i] = l.float(l.int(data[i*l.width:]))
		}
	}
}

// float converts an integer of the column, which is a uint64 bit for bit.
func (l *leaf) float(x int64) float32 {
	switch {
	case l.decimal:
		return float32(float64(x) / math.Pow10(l.scale))
	case l.unsigned:
		return float32(uint64(x))
	}
	return float32(x)
}

// decimalOf converts a decimal: an integer, or big-endian in two's complement.
func (l *leaf) decimalOf(b []byte) float64 {
	if l.physical != typeFixed {
		return float64(l.int(b)) / math.Pow10(l.scale)
	}
	return columnar.DecimalFloat(b, l.scale)
}

// bigEndian returns an integer in two's complement, if 64 bits hold it.
func bigEndian(b []byte) (x int64, ok bool) {
	for i, c := range b {
		switch {
		case i == 0:
			x = int64(int8(c))
		case x > math.MaxInt64>>8 || x < math.MinInt64>>8:
			return 0, false
		default:
			x = x<<8 | int64(c)
		}
	}
	return x, len(b) > 0
}

// deltaInts reads DELTA_BINARY_PACKED.
type deltaInts struct {
	c *column
	d delta
}

func (r *deltaInts) read(v *columnar.Vector, n int) error {
	c := r.c
	if c.want == columnar.Ints {
		at := len(v.Ints)
		v.Ints = v.Ints[:at+n]
		dst := v.Ints[at:]
		if err := r.d.read(dst); err != nil {
			return err
		}
		return r.narrow(dst)
	}
	for n > 0 {
		k := min(n, len(c.numbers))
		if err := r.d.read(c.numbers[:k]); err != nil {
			return err
		}
		if err := r.narrow(c.numbers[:k]); err != nil {
			return err
		}
		for _, x := range c.numbers[:k] {
			v.Floats = append(v.Floats, c.leaf.float(x))
		}
		n -= k
	}
	return nil
}

// narrow wraps values of 32-bit columns, whose deltas may overflow.
func (r *deltaInts) narrow(dst []int64) error {
	if r.c.leaf.width == 8 {
		return nil
	}
	if r.c.leaf.unsigned {
		for i, x := range dst {
			dst[i] = int64(uint32(x))
		}
	} else {
		for i, x := range dst {
			dst[i] = int64(int32(x))
		}
	}
	return columnar.CheckWidth(r.c.leaf.ID, dst)
}

// bools reads booleans: bits, lowest first, or runs.
type bools struct {
	data []byte // bits
	at   int    // the next of them
	runs hybrid
	rle  bool
}

func (b *bools) init(data []byte, enc int) error {
	*b = bools{data: data, rle: enc == encRLE}
	if !b.rle {
		return nil
	}
	if len(data) < 4 {
		return columnar.Corrupt("booleans without a length")
	}
	n := uint64(binary.LittleEndian.Uint32(data))
	if n > uint64(len(data)-4) {
		return columnar.Corrupt("booleans of %d bytes in a page of %d", n, len(data))
	}
	b.runs.init(data[4:4+n], 1)
	return nil
}

func (b *bools) read(v *columnar.Vector, n int) error {
	if b.rle {
		var some [256]uint32
		for n > 0 {
			k := min(n, len(some))
			if err := b.runs.read(some[:k]); err != nil {
				return err
			}
			for _, x := range some[:k] {
				v.Ints = append(v.Ints, int64(x))
			}
			n -= k
		}
		return nil
	}
	if n > len(b.data)*8-b.at {
		return columnar.Corrupt("%d booleans, where %d are left", n, len(b.data)*8-b.at)
	}
	for i := b.at; i < b.at+n; i++ {
		v.Ints = append(v.Ints, int64(b.data[i>>3]>>(i&7)&1))
	}
	b.at += n
	return nil
}
