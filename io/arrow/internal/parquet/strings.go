// This file decodes strings: plain and with delta-encoded lengths. And values
// that are split into streams of bytes.

package parquet

import (
	"encoding/binary"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// plainStrings reads values that follow their lengths.
type plainStrings struct {
	c    *column
	data []byte
}

func (p *plainStrings) read(v *columnar.Vector, n int) error {
	mem, data := p.c.mem, p.data
	for range n {
		if len(data) < 4 {
			return columnar.Corrupt("strings end too early")
		}
		size := binary.LittleEndian.Uint32(data)
		if uint64(size) > uint64(len(data)-4) {
			return columnar.Corrupt("a string of %d bytes, where %d are left", size, len(data)-4)
		}
		if err := v.AppendFrom(mem, data, 4, 4+int64(size)); err != nil {
			return err
		}
		data = data[4+size:]
	}
	p.data = data
	return nil
}

// deltaLengths reads DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
type deltaLengths struct {
	c    *column
	len  delta
	data []byte
}

func (r *deltaLengths) init(c *column, data []byte, limit int) error {
	r.c = c
	if err := r.len.init(data, limit); err != nil {
		return err
	}
	end, err := r.len.end()
	if err != nil {
		return err
	}
	r.data = data[end:]
	return nil
}

// next returns the next value.
func (r *deltaLengths) next(n int64) ([]byte, error) {
	if n < 0 || n > int64(len(r.data)) {
		return nil, columnar.Corrupt("a string of %d bytes, where %d are left", n, len(r.data))
	}
	s := r.data[:n]
	r.data = r.data[n:]
	return s, nil
}

func (r *deltaLengths) read(v *columnar.Vector, n int) error {
	for n > 0 {
		lens := r.c.numbers[:min(n, len(r.c.numbers))]
		if err := r.len.read(lens); err != nil {
			return err
		}
		total := int64(0)
		for i, size := range lens {
			size = int64(int32(size))
			if size < 0 || size > int64(len(r.data))-total {
				return columnar.Corrupt("a string of %d bytes, where %d are left", size, int64(len(r.data))-total)
			}
			lens[i] = size
			total += size
		}
		if err := v.AppendRun(r.c.mem, r.data[:total], lens); err != nil {
			return err
		}
		r.data = r.data[total:]
		n -= len(lens)
	}
	return nil
}

// deltaPrefixes reads DELTA_BYTE_ARRAY: how much each value shares with the
// one before it, and the rest as deltaLengths.
type deltaPrefixes struct {
	c      *column
	prefix delta
	suffix deltaLengths
	last   []byte
	shared [columnar.StringStep]int64
}

func (r *deltaPrefixes) init(c *column, data []byte, limit int) error {
	// The last value stays: the first of a page shares nothing with it, but
	// arrow's Go writer at times has it so.
	r.c = c
	if err := r.prefix.init(data, limit); err != nil {
		return err
	}
	end, err := r.prefix.end()
	if err != nil {
		return err
	}
	return r.suffix.init(c, data[end:], limit)
}

func (r *deltaPrefixes) read(v *columnar.Vector, n int) error {
	for n > 0 {
		k := min(n, len(r.shared))
		shared, lens := r.shared[:k], r.c.numbers[:k]
		if err := r.prefix.read(shared); err != nil {
			return err
		}
		if err := r.suffix.len.read(lens); err != nil {
			return err
		}
		for i, keep := range shared {
			keep = int64(int32(keep))
			if r.c.gap && keep != 0 {
				return errGap
			}
			r.c.gap = false
			if keep < 0 || keep > int64(len(r.last)) {
				return columnar.Corrupt("a string shares %d bytes with one of %d", keep, len(r.last))
			}
			s, err := r.suffix.next(int64(int32(lens[i])))
			if err != nil {
				return err
			}
			if err := v.CheckLength(keep + int64(len(s))); err != nil {
				return err
			}
			r.last = append(r.last[:keep], s...)
			if r.c.leaf.width > 0 && len(r.last) != r.c.leaf.width {
				return columnar.Corrupt("a value of %d bytes in a column of %d", len(r.last), r.c.leaf.width)
			}
			if r.c.want != columnar.Strings {
				if err := r.c.convert(v, r.last, 1); err != nil {
					return err
				}
				continue
			}
			if err := v.AppendString(r.c.mem, r.last); err != nil {
				return err
			}
		}
		n -= k
	}
	return nil
}

// split reads BYTE_STREAM_SPLIT: the first bytes of all values, then the
// second bytes, and so on.
type split struct {
	c    *column
	data []byte
	n    int // values in the page
	at   int // of the next
}

func (r *split) read(v *columnar.Vector, n int) error {
	w := r.c.leaf.width
	if n > r.n-r.at {
		return columnar.Corrupt("%d values, where %d are left", n, r.n-r.at)
	}
	const step = 1024
	for n > 0 {
		k := min(n, step, max(1, (64<<10)/w))
		var err error
		if r.c.packed, err = columnar.Grow(r.c.mem, r.c.packed, k*w); err != nil {
			return err
		}
		out := r.c.packed
		for b := 0; b < w; b++ {
			from := r.data[b*r.n+r.at:]
			for i := 0; i < k; i++ {
				out[i*w+b] = from[i]
			}
		}
		if err := r.c.convert(v, out, k); err != nil {
			return err
		}
		r.at += k
		n -= k
	}
	return nil
}
