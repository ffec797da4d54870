// Package roaring reads serialized Roaring bitmaps, such as the deletion vectors of Delta Lake and
// Iceberg, in the portable form of https://github.com/RoaringBitmap/RoaringFormatSpec. It checks
// the data before it allocates memory for them.
package roaring

import (
	"encoding/binary"
	"math/bits"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

const (
	cookieRuns  = 12347 // some containers are runs; the upper half is how many there are
	cookiePlain = 12346
	noOffsets   = 4       // fewer containers, of which some are runs, have no offsets
	arrayMost   = 4096    // values of a container that is an array
	wordsBytes  = 1 << 13 // of a container that is bits
)

// Parse64 returns the values of a bitmap of 64 bits, ascending, of which there must be
// so many. It must fill data.
func Parse64(data []byte, cardinality int64) ([]int64, error) {
	p, err := newParser(data, cardinality)
	if err != nil {
		return nil, err
	}
	n, err := p.uint64()
	if err != nil {
		return nil, err
	}
	// The least that a bitmap takes: its key, cookie and number of containers.
	if n > uint64(len(p.data))/12 {
		return nil, columnar.Corrupt("%d bitmaps in %d bytes", n, len(p.data))
	}
	last := int64(-1)
	for range n {
		key, err := p.uint32()
		if err != nil {
			return nil, err
		}
		if int64(key) <= last || key >= 1<<31 {
			return nil, columnar.Corrupt("bitmap %d behind bitmap %d", key, last)
		}
		last = int64(key)
		if err := p.bitmap(last << 32); err != nil {
			return nil, err
		}
	}
	return p.end()
}

// ParseArray is Parse64 for the form in which old writers of Delta Lake have them: the
// bitmaps of keys 0, 1 and so on, each behind its length, and numbers big-endian but for
// those in the bitmaps.
func ParseArray(data []byte, cardinality int64) ([]int64, error) {
	p, err := newParser(data, cardinality)
	if err != nil {
		return nil, err
	}
	n, err := p.uint32()
	if n = bits.ReverseBytes32(n); err != nil {
		return nil, err
	}
	// The least that a bitmap takes: its length, cookie and number of containers.
	if uint64(n) > uint64(len(p.data))/12 {
		return nil, columnar.Corrupt("%d bitmaps in %d bytes", n, len(p.data))
	}
	for key := range int64(n) {
		size, err := p.uint32()
		if size = bits.ReverseBytes32(size); err != nil {
			return nil, err
		}
		before := len(p.data)
		if err := p.bitmap(key << 32); err != nil {
			return nil, err
		}
		if read := before - len(p.data); uint32(read) != size {
			return nil, columnar.Corrupt("a bitmap of %d bytes, where %d belong", read, size)
		}
	}
	return p.end()
}

func newParser(data []byte, cardinality int64) (*parser, error) {
	// A run of 4 bytes has 65,536 values at most.
	if cardinality < 0 || uint64(cardinality) > uint64(len(data))/4*(1<<16) {
		return nil, columnar.Corrupt("%d values in %d bytes", cardinality, len(data))
	}
	return &parser{data: data, most: cardinality, values: make([]int64, 0, min(cardinality, int64(len(data))))}, nil
}

// end returns the values, if nothing is left and there are as many as belong.
func (p *parser) end() ([]int64, error) {
	switch {
	case len(p.data) > 0:
		return nil, columnar.Corrupt("%d bytes behind the last bitmap", len(p.data))
	case int64(len(p.values)) != p.most:
		return nil, columnar.Corrupt("the bitmap has %d values, where %d belong", len(p.values), p.most)
	}
	return p.values, nil
}

// parser reads from the front of data.
type parser struct {
	data   []byte
	values []int64
	most   int64
}

func (p *parser) take(n int) ([]byte, error) {
	if n > len(p.data) {
		return nil, columnar.Corrupt("a bitmap ends too early")
	}
	b := p.data[:n]
	p.data = p.data[n:]
	return b, nil
}

func (p *parser) uint16() (uint16, error) {
	b, err := p.take(2)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint16(b), nil
}

func (p *parser) uint32() (uint32, error) {
	b, err := p.take(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (p *parser) uint64() (uint64, error) {
	b, err := p.take(8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// bitmap reads a bitmap of 32 bits, whose values are added to base.
func (p *parser) bitmap(base int64) error {
	cookie, err := p.uint32()
	if err != nil {
		return err
	}
	var n int
	var runs []byte // a bit for each container
	switch {
	case cookie&0xffff == cookieRuns:
		n = int(cookie>>16) + 1
		if runs, err = p.take((n + 7) / 8); err != nil {
			return err
		}
	case cookie == cookiePlain:
		count, err := p.uint32()
		if err != nil {
			return err
		}
		if count > 1<<16 {
			return columnar.Corrupt("a bitmap of %d containers", count)
		}
		n = int(count)
	default:
		return columnar.Corrupt("a bitmap that begins with %d", cookie)
	}
	head, err := p.take(4 * n)
	if err != nil {
		return err
	}
	if runs == nil || n >= noOffsets {
		if _, err := p.take(4 * n); err != nil { // where containers are, which follow each other
			return err
		}
	}
	last := -1
	for i := range n {
		key, size := binary.LittleEndian.Uint16(head[4*i:]), int(binary.LittleEndian.Uint16(head[4*i+2:]))+1
		if int(key) <= last {
			return columnar.Corrupt("container %d behind container %d", key, last)
		}
		last = int(key)
		from := len(p.values)
		switch at := base + int64(key)<<16; {
		case runs != nil && runs[i/8]>>(i%8)&1 == 1:
			err = p.runs(at)
		case size <= arrayMost:
			err = p.array(at, size)
		default:
			err = p.bits(at)
		}
		if err != nil {
			return err
		}
		if got := len(p.values) - from; got != size {
			return columnar.Corrupt("a container of %d values, where %d belong", got, size)
		}
	}
	return nil
}

// room returns an error where there are more values than belong.
func (p *parser) room(n int) error {
	if int64(len(p.values)+n) > p.most {
		return columnar.Corrupt("the bitmap has more than %d values", p.most)
	}
	return nil
}

func (p *parser) array(at int64, n int) error {
	b, err := p.take(2 * n)
	if err == nil {
		err = p.room(n)
	}
	if err != nil {
		return err
	}
	last := -1
	for ; len(b) > 0; b = b[2:] {
		x := int(binary.LittleEndian.Uint16(b))
		if x <= last {
			return columnar.Corrupt("value %d behind value %d", x, last)
		}
		last = x
		p.values = append(p.values, at+int64(x))
	}
	return nil
}

func (p *parser) bits(at int64) error {
	b, err := p.take(wordsBytes)
	if err != nil {
		return err
	}
	for i := 0; i < wordsBytes; i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		if err := p.room(bits.OnesCount64(word)); err != nil {
			return err
		}
		for ; word != 0; word &= word - 1 {
			p.values = append(p.values, at+int64(i)*8+int64(bits.TrailingZeros64(word)))
		}
	}
	return nil
}

func (p *parser) runs(at int64) error {
	n, err := p.uint16()
	if err != nil {
		return err
	}
	last := -1
	for range n {
		word, err := p.uint32()
		if err != nil {
			return err
		}
		first, more := int(word&0xffff), int(word>>16)
		if first <= last || first+more > 0xffff {
			return columnar.Corrupt("a run of %d values from %d on, behind value %d", more+1, first, last)
		}
		if err := p.room(more + 1); err != nil {
			return err
		}
		for x := first; x <= first+more; x++ {
			p.values = append(p.values, at+int64(x))
		}
		last = first + more
	}
	return nil
}
