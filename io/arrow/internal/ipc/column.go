// This file holds column, which reads a column of a record batch into vectors.

package ipc

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// column reads a column of a record batch. Its buffers are used again for the
// next one.
type column struct {
	mem  *columnar.Memory
	file *File
	leaf *leaf
	want columnar.Kind

	left    int64
	data    stream
	offsets stream
	offset  int64  // where the next string starts
	valid   []bits // one per struct around the column, and its own
	nulls   bool
	flags   [step]bool

	pending int64 // rows to leave out before the next read
	skipped columnar.Vector
	truth   bits // of booleans

	parts [][]byte // of views: the buffers of strings that aren't in the views

	dict    columnar.Vector // read-only: it belongs to the file's cache
	hasDict bool
}

// open starts the column in a batch. dict says that the batch is a dictionary
// of the column.
func (c *column) open(f *File, src io.ReaderAt, b *batch, l *leaf, want columnar.Kind, dict bool) error {
	c.file, c.leaf, c.want, c.left, c.hasDict, c.offset = f, l, want, b.rows, false, 0
	c.pending = 0
	node, buffer, views := l.node, l.buffer, l.views
	var nodes, buffers, before []int
	if l.in != nil {
		nodes, buffers, before = l.in.nodes, l.in.buffers, l.in.views
	}
	if dict {
		node, buffer, views, nodes, buffers, before = 0, 0, 0, nil, nil, nil
	}
	if node >= b.nodes.n {
		return columnar.Corrupt("a record batch of %d columns", b.nodes.n)
	}
	// Growing it would move streams that decompressors point to.
	if len(c.valid) < len(nodes)+1 {
		for i := range c.valid {
			c.valid[i].s.drop()
		}
		c.valid = make([]bits, len(nodes)+1)
	}
	c.nulls = false
	for i := range c.valid {
		c.valid[i].on = false
		switch {
		case i < len(nodes):
			if err := c.openBits(&c.valid[i], b, src, nodes[i], buffers[i], before[i]); err != nil {
				return err
			}
		case i == len(nodes):
			if err := c.openBits(&c.valid[i], b, src, node, buffer, views); err != nil {
				return err
			}
		}
	}
	c.data.mem, c.offsets.mem = c.mem, c.mem
	if l.dictionary && !dict {
		c.hasDict = true
		return b.open(&c.data, f, src, buffer+1, views, b.rows*int64(l.index.width))
	}
	if l.viewed() {
		if err := b.open(&c.data, f, src, buffer+1, views, b.rows*viewBytes); err != nil {
			return err
		}
		return c.openParts(f, src, b, buffer+2, views)
	}
	if l.kind == typeBool {
		c.truth.on, c.truth.left, c.truth.s.mem = true, 0, c.mem
		return b.open(&c.truth.s, f, src, buffer+1, views, (b.rows+7)/8)
	}
	if want != columnar.Strings || l.kind == typeFixed || l.kind == typeDecimal {
		return b.open(&c.data, f, src, buffer+1, views, b.rows*int64(l.width))
	}
	if b.rows == 0 {
		return nil // even the first offset may be missing
	}
	if err := b.open(&c.offsets, f, src, buffer+1, views, (b.rows+1)*int64(l.width)); err != nil {
		return err
	}
	if err := b.open(&c.data, f, src, buffer+2, views, 0); err != nil {
		return err
	}
	first, err := c.offsets.next(l.width)
	if err != nil {
		return err
	}
	c.offset = c.offsetOf(first)
	if c.offset < 0 || c.offset > c.data.size {
		return columnar.Corrupt("a string at %d of %d bytes", c.offset, c.data.size)
	}
	return c.data.skip(c.offset)
}

func (c *column) openBits(v *bits, b *batch, src io.ReaderAt, node, buffer, views int) error {
	v.s.mem = c.mem
	v.left = 0
	length, nulls := b.nodes.i64(node, 0), b.nodes.i64(node, 8)
	switch {
	case b.flat.err != nil:
		return b.flat.err
	case length != b.rows || nulls < 0 || nulls > length:
		return columnar.Corrupt("a column of %d rows and %d nulls in a batch of %d rows", length, nulls, b.rows)
	case nulls == 0:
		return nil
	}
	v.on, c.nulls = true, true
	return b.open(&v.s, c.file, src, buffer, views, (length+7)/8)
}

// read reads up to n rows, fewer at the end of the batch or where v is full.
func (c *column) read(v *columnar.Vector, n int) error {
	for c.pending > 0 {
		if err := c.take(&c.skipped, int(min(c.pending, step))); err != nil {
			return err
		}
		if c.pending -= int64(c.skipped.Len()); c.skipped.Len() == 0 {
			return columnar.Corrupt("%d rows are missing", c.pending)
		}
	}
	return c.take(v, n)
}

func (c *column) take(v *columnar.Vector, n int) error {
	n = int(min(int64(n), c.left))
	if err := v.Reset(c.mem, c.want, n); err != nil {
		return err
	}
	for n > 0 && !v.Full() {
		k, err := c.some(v, n)
		if err != nil {
			return err
		}
		n -= k
	}
	// A dictionary of long strings is decompression too.
	if c.want == columnar.Strings {
		if err := c.file.work.Add(len(v.Data)); err != nil {
			return err
		}
	}
	return v.Finish(c.mem)
}

// some appends a few rows, at most n, and returns how many.
func (c *column) some(v *columnar.Vector, n int) (int, error) {
	k := min(n, step)
	if c.want == columnar.Strings {
		k = min(n, columnar.StringStep)
	}
	at := v.Len()
	flags := c.flags[:k]
	nulls := 0
	if c.nulls {
		for i := range flags {
			flags[i] = true
		}
		for i := range c.valid {
			if err := c.valid[i].read(flags); err != nil {
				return 0, err
			}
		}
	}
	var err error
	switch {
	case c.hasDict:
		err = c.readIndices(v, flags)
	case c.leaf.viewed():
		err = c.readViews(v, flags)
	case c.want == columnar.Strings && c.leaf.kind != typeFixed && c.leaf.kind != typeDecimal:
		err = c.readStrings(v, k)
	case c.leaf.kind == typeBool:
		err = c.readBools(v, k)
	default:
		var data []byte
		if data, err = c.data.next(k * c.leaf.width); err == nil {
			err = c.convert(v, data, k)
		}
	}
	if err != nil {
		return 0, err
	}
	c.left -= int64(k)
	if c.nulls {
		for _, ok := range flags {
			if !ok {
				nulls++
			}
		}
	}
	return k, v.MarkValid(c.mem, at, flags, nulls)
}

func (c *column) offsetOf(b []byte) int64 {
	if c.leaf.width == 4 {
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

func (c *column) readStrings(v *columnar.Vector, n int) error {
	w := c.leaf.width
	ends, err := c.offsets.next(n * w)
	if err != nil {
		return err
	}
	end := c.offset
	for i := 0; i < n; i++ {
		next := c.offsetOf(ends[i*w:])
		if next < end || next-c.offset > c.data.size {
			return columnar.Corrupt("a string from %d to %d, where %d bytes are left", end, next, c.data.size-end+c.offset)
		}
		if err := columnar.CheckLength(next - end); err != nil {
			return err
		}
		end = next
	}
	data, err := c.data.next(int(end - c.offset))
	if err != nil {
		return err
	}
	at := c.offset
	for i := 0; i < n; i++ {
		end := c.offsetOf(ends[i*w:])
		if err := v.AppendString(c.mem, data[at-c.offset:end-c.offset]); err != nil {
			return err
		}
		at = end
	}
	c.offset = end
	return nil
}

// readIndices appends values of the dictionary, and clears the flags of those
// that are null in it.
func (c *column) readIndices(v *columnar.Vector, flags []bool) error {
	w := c.leaf.index.width
	data, err := c.data.next(len(flags) * w)
	if err != nil {
		return err
	}
	size := c.dict.Len()
	for i := range flags {
		var x uint64
		switch w {
		case 1:
			x = uint64(data[i])
		case 2:
			x = uint64(binary.LittleEndian.Uint16(data[i*2:]))
		case 4:
			x = uint64(binary.LittleEndian.Uint32(data[i*4:]))
		default:
			x = binary.LittleEndian.Uint64(data[i*8:])
		}
		if shift := 64 - 8*w; !c.leaf.index.unsigned {
			x = uint64(int64(x<<shift) >> shift) // negative ones are out of range
		}
		null := c.nulls && !flags[i]
		if !null && x >= uint64(size) {
			return columnar.Corrupt("index %d into a dictionary of %d values", x, size)
		}
		if !null && c.dict.Nulls > 0 && !c.dict.Valid[x] {
			if !c.nulls { // so far none of this column
				c.nulls = true
				for k := range flags {
					flags[k] = true
				}
			}
			flags[i], null = false, true
		}
		if null {
			x = 0
		}
		switch {
		case c.want == columnar.Ints && null:
			v.Ints = append(v.Ints, 0)
		case c.want == columnar.Ints:
			v.Ints = append(v.Ints, c.dict.Ints[x])
		case c.want == columnar.Weights && null:
			v.Floats = append(v.Floats, 0)
		case c.want == columnar.Weights:
			v.Floats = append(v.Floats, c.dict.Floats[x])
		case c.want == columnar.Numbers && null:
			v.Doubles = append(v.Doubles, 0)
		case c.want == columnar.Numbers:
			v.Doubles = append(v.Doubles, c.dict.Doubles[x])
		case null:
			err = v.AppendString(c.mem, nil)
		default:
			err = v.AppendString(c.mem, c.dict.Data[c.dict.Offsets[x]:c.dict.Offsets[x+1]])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// convert appends n values of the column's width.
func (c *column) convert(v *columnar.Vector, data []byte, n int) error {
	switch c.want {
	case columnar.Ints:
		at := len(v.Ints)
		v.Ints = v.Ints[:at+n]
		if c.leaf.kind == typeDecimal {
			c.leaf.decimals(v.Ints[at:], data)
		} else {
			c.leaf.ints(v.Ints[at:], data)
		}
	case columnar.Numbers:
		at := len(v.Doubles)
		v.Doubles = v.Doubles[:at+n]
		c.leaf.doubles(v.Doubles[at:], data)
	case columnar.Strings:
		if c.leaf.kind != typeDecimal {
			return v.AppendFixed(c.mem, data[:n*c.leaf.width], c.leaf.width, n)
		}
		for i := range n { // big-endian, as in Parquet
			var value [maxDecimal]byte
			w := copy(value[:], data[i*c.leaf.width:(i+1)*c.leaf.width])
			slices.Reverse(value[:w])
			if err := v.AppendString(c.mem, value[:w]); err != nil {
				return err
			}
		}
	case columnar.Weights:
		at := len(v.Floats)
		v.Floats = v.Floats[:at+n]
		c.leaf.floats(v.Floats[at:], data)
	}
	return nil
}

// readBools appends n booleans, as 0 and 1.
func (c *column) readBools(v *columnar.Vector, n int) error {
	var some [step]bool
	truth := some[:n]
	for i := range truth {
		truth[i] = true
	}
	if err := c.truth.read(truth); err != nil {
		return err
	}
	for _, t := range truth {
		x := int64(0)
		if t {
			x = 1
		}
		v.Ints = append(v.Ints, x)
	}
	return nil
}

// drop lets go of all buffers.
func (c *column) drop() {
	c.data.drop()
	c.offsets.drop()
	c.truth.s.drop()
	for i := range c.valid {
		c.valid[i].s.drop()
	}
	*c = column{mem: c.mem}
}
