// This file holds column, which reads the pages of one column chunk after the
// other into vectors.

package parquet

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"
	"sort"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// column reads a column chunk. Its buffers are used again for the next one.
type column struct {
	ctx  context.Context
	src  io.ReaderAt
	file *File
	leaf *leaf
	want columnar.Kind
	mem  *columnar.Memory
	cod  *codecs

	codec    int
	pos, end int64  // the next page and the end of the chunk
	win      []byte // bytes of the file from winAt on
	winAt    int64
	plain    []byte // a decompressed page

	left     int64 // values left in the chunk
	page     int   // values left in the page
	sawData  bool
	hasDict  bool
	dict     columnar.Vector
	defs     hybrid
	reps     hybrid
	nested   *levels // of a page, decoded and not yet read
	values   reader
	valid    [columnar.StringStep * 8]bool
	scratch  [1024]uint32
	numbers  [1024]int64
	packed   []byte // values put together by BYTE_STREAM_SPLIT
	fixed    plainFixed
	strings  plainStrings
	indices  dictionary
	deltas   deltaInts
	lengths  deltaLengths
	prefixes deltaPrefixes
	split    split
	bools    bools
	skipped  columnar.Vector // what is read and not wanted
	chunk    *Chunk
	more     []Chunk    // that follow on it
	nth      int        // how many came before
	jumps    []PageSpan // where the chunk's pages are, if that is known
	pending  int64      // rows to skip before the next read
	gap      bool       // rows were left out undecoded since values were last decoded
	whole    bool       // none are to be
}

// reader appends the next n values of a page to v. There are no nulls among
// them; v has room.
type reader interface {
	read(v *columnar.Vector, n int) error
}

func (c *column) open(ctx context.Context, src io.ReaderAt, f *File, k int, chunk *Chunk) {
	c.ctx, c.src, c.file = ctx, src, f
	c.leaf, c.want = &f.leaves[f.picked[k]], f.wants[k]
	c.more, c.nth, c.pending = chunk.more, 0, 0
	c.dict.Long = f.levels
	c.begin(chunk)
}

// begin starts a chunk.
func (c *column) begin(chunk *Chunk) {
	c.chunk, c.jumps = chunk, nil
	c.codec, c.end = chunk.codec, chunk.Start+chunk.Length
	c.win, c.winAt = c.win[:0], 0
	c.whole = false
	c.rewind()
}

// rewind goes back to the beginning of the chunk.
func (c *column) rewind() {
	c.pos, c.left = c.chunk.Start, c.chunk.values
	c.page, c.sawData, c.hasDict, c.values = 0, false, false, nil
	c.prefixes.last, c.gap = c.prefixes.last[:0], false
}

// drop lets go of all buffers.
func (c *column) drop() { *c = column{mem: c.mem, cod: c.cod} }

// need makes n bytes from pos on available in the window, or as many as the
// chunk has. The slice is valid until the next call.
func (c *column) need(n int) ([]byte, error) {
	if int64(n) > c.end-c.pos {
		n = int(c.end - c.pos)
	}
	if at := c.pos - c.winAt; at >= 0 && at+int64(n) <= int64(len(c.win)) {
		return c.win[at : at+int64(n)], nil
	}
	// A little beyond what is asked for: the next page's header is there then.
	size := int(min(int64(max(n+windowBytes/4, windowBytes)), c.end-c.pos))
	var have []byte
	if at := c.pos - c.winAt; at >= 0 && at < int64(len(c.win)) {
		have = c.win[at:]
	}
	win, err := columnar.Grow(c.mem, c.win, size)
	if err != nil {
		return nil, err
	}
	copied := copy(win, have)
	c.win, c.winAt = win, c.pos
	if _, err := c.src.ReadAt(win[copied:], c.pos+int64(copied)); err != nil {
		c.win = c.win[:0]
		return nil, readError(err)
	}
	return win[:n], nil
}

// read reads up to n rows, fewer at the end of the chunk or where v is full.
func (c *column) read(v *columnar.Vector, n int) error {
	for c.pending >= c.left && len(c.more) > 0 {
		c.pending -= c.left
		chunk := &c.more[0]
		c.more, c.nth = c.more[1:], c.nth+1
		c.begin(chunk)
	}
	from := c.chunk.values - c.left + c.pending
	err := c.after(v, n)
	if errors.Is(err, errGap) {
		// Its writer made each page follow on from the one before: from here on
		// all are decoded.
		c.whole, c.jumps = true, nil
		c.rewind()
		c.pending = from
		err = c.after(v, n)
	}
	return err
}

// after skips what is to be skipped, and reads.
func (c *column) after(v *columnar.Vector, n int) error {
	if skip := c.pending; skip > 0 {
		c.pending = 0
		if err := c.skip(skip); err != nil {
			return err
		}
	}
	return c.take(v, n)
}

func (c *column) take(v *columnar.Vector, n int) error {
	n = int(min(int64(n), c.left))
	if err := v.Reset(c.mem, c.want, n); err != nil {
		return err
	}
	step := n
	if c.want == columnar.Strings {
		step = columnar.StringStep
	} else if c.leaf.maxDef > 0 {
		step = len(c.valid)
	}
	for n > 0 && !v.Full() {
		for c.page == 0 {
			if err := c.nextPage(); err != nil {
				return err
			}
		}
		k := min(n, c.page)
		if c.leaf.maxDef == 0 {
			k = min(k, step)
			if err := c.values.read(v, k); err != nil {
				return err
			}
		} else {
			var err error
			if k, err = c.readNullable(v, k, step); err != nil {
				return err
			}
		}
		n -= k
		c.page -= k
		c.left -= int64(k)
	}
	// A run of one long string is decompression too.
	if c.want == columnar.Strings {
		if err := c.file.work.Add(len(v.Data)); err != nil {
			return err
		}
	}
	return v.Finish(c.mem)
}

// readNullable appends n rows or fewer, of which some may be null.
func (c *column) readNullable(v *columnar.Vector, n, step int) (int, error) {
	top := uint32(c.leaf.maxDef)
	at := v.Len()
	level, run, err := c.defs.repeat(n)
	if err != nil {
		return 0, err
	}
	if run > 0 && level == top {
		// The usual case: no nulls for long.
		if c.want == columnar.Strings && run > step {
			c.defs.left += run - step
			run = step
		}
		return run, c.values.read(v, run)
	}
	nulls := 0
	if run == 0 {
		run = min(n, step)
		levels := c.scratch[:run]
		if err := c.defs.read(levels); err != nil {
			return 0, err
		}
		for i, l := range levels {
			c.valid[i] = l == top
			if l > top {
				return 0, columnar.Corrupt("a definition level of %d, where %d is the highest", l, top)
			}
			if l != top {
				nulls++
			}
		}
	} else {
		if level > top {
			return 0, columnar.Corrupt("a definition level of %d, where %d is the highest", level, top)
		}
		if run > step {
			c.defs.left += run - step
			run = step
		}
		clear(c.valid[:run])
		nulls = run
	}
	if nulls < run {
		if err := c.values.read(v, run-nulls); err != nil {
			return 0, err
		}
	}
	if nulls > 0 {
		v.Spread(at, c.valid[:run])
	}
	return run, v.MarkValid(c.mem, at, c.valid[:run], nulls)
}

// nextPage starts the next page with values, or returns an error after the last one.
func (c *column) nextPage() error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.pos >= c.end {
		return columnar.Corrupt("its pages end %d values too early", c.left)
	}
	h, err := c.nextHeader()
	if err != nil {
		return err
	}
	return c.enter(h)
}

// enter starts the page that follows the header, if it is one with values.
func (c *column) enter(h header) error {
	if err := c.checkPage(h); err != nil {
		return err
	}
	if !h.hasValues() {
		c.pos += int64(h.packed)
		return nil
	}
	body, err := c.need(h.packed)
	if err != nil {
		return err
	}
	if h.hasCRC && crc32.ChecksumIEEE(body) != h.crc {
		return columnar.Corrupt("the checksum of a page is wrong")
	}
	if err := c.startPage(h, body); err != nil {
		return err
	}
	c.pos += int64(h.packed)
	return nil
}

func (c *column) checkPage(h header) error {
	if int64(h.packed) > c.end-c.pos {
		return columnar.Corrupt("a page of %d bytes, where %d are left", h.packed, c.end-c.pos)
	}
	if !h.hasValues() || h.kind == pageDictionary {
		return nil
	}
	if int64(h.values) > c.left {
		return columnar.Corrupt("a page of %d values, where %d are left", h.values, c.left)
	}
	if c.jumps == nil || c.repeated() || h.values == 0 {
		return nil
	}
	// A wrong index may have left out pages that are wanted, so that reading on would lose rows.
	row := c.chunk.values - c.left
	i := sort.Search(len(c.jumps), func(i int) bool { return c.jumps[i].First >= row })
	if i == len(c.jumps) || c.jumps[i].First != row || rowsOf(c.jumps, i, c.chunk) != int64(h.values) {
		return columnar.Corrupt("a page of %d values from row %d on, which the offset index doesn't have; write the file without page indexes", h.values, row)
	}
	return nil
}

// nextHeader reads the header at pos and moves behind it.
func (c *column) nextHeader() (header, error) {
	for size := 512; ; size *= 8 {
		b, err := c.need(size)
		if err != nil {
			return header{}, err
		}
		t := thrift{b: b}
		h, err := t.header()
		if errors.Is(err, errShort) {
			if len(b) == size && size < maxHeader {
				continue
			}
			return h, columnar.Corrupt("a page header: %w", err)
		}
		if err == nil {
			c.pos += int64(t.p)
		}
		return h, err
	}
}

func (c *column) startPage(h header, body []byte) error {
	switch h.kind {
	case pageDictionary:
		return c.startDictionary(h, body)
	case pageDataV2:
		levels := h.repBytes + h.defBytes
		if levels > h.packed || levels > h.plain {
			return columnar.Corrupt("levels of %d bytes in a page of %d", levels, h.packed)
		}
		if c.repeated() {
			c.reps.init(body[:h.repBytes], c.repWidth())
		}
		if c.leaf.maxDef > 0 {
			c.defs.init(body[h.repBytes:levels], c.defWidth())
		}
		if !h.compressed {
			return c.startValues(h, body[levels:])
		}
		// The levels stay where they are: body must outlive them.
		data, err := c.decompress(h.plain-levels, body[levels:])
		if err != nil {
			return err
		}
		return c.startValues(h, data)
	}
	data, err := c.decompress(h.plain, body)
	if err != nil {
		return err
	}
	if c.repeated() {
		levels, rest, err := levelsOf(data, h.reps)
		if err != nil {
			return err
		}
		c.reps.init(levels, c.repWidth())
		data = rest
	}
	if c.leaf.maxDef > 0 {
		levels, rest, err := levelsOf(data, h.defs)
		if err != nil {
			return err
		}
		c.defs.init(levels, c.defWidth())
		data = rest
	}
	return c.startValues(h, data)
}

// levelsOf returns the levels that a page of version 1 begins with, and what follows.
func levelsOf(data []byte, encoding int) (levels, rest []byte, err error) {
	if encoding != encRLE {
		return nil, nil, columnar.Unsupported("levels encoded as %s", name(encodingNames[:], encoding))
	}
	if len(data) < 4 {
		return nil, nil, columnar.Corrupt("a page of %d bytes has no room for levels", len(data))
	}
	n := int64(data[0]) | int64(data[1])<<8 | int64(data[2])<<16 | int64(data[3])<<24
	if n > int64(len(data)-4) {
		return nil, nil, columnar.Corrupt("levels of %d bytes in a page of %d", n, len(data))
	}
	return data[4 : 4+n], data[4+n:], nil
}

func (c *column) defWidth() uint { return uint(bits.Len(uint(c.leaf.maxDef))) }

// decompress returns the plain bytes of a page. The slice is valid until the
// next call, or the next of need.
func (c *column) decompress(size int, body []byte) ([]byte, error) {
	if c.codec == codecNone {
		if size != len(body) {
			return nil, columnar.Corrupt("an uncompressed page of %d bytes, but its header says %d", len(body), size)
		}
		return body, nil
	}
	err := plausible(c.codec, len(body), size)
	if err == nil {
		err = c.file.work.Add(size)
	}
	if err == nil {
		c.plain, err = columnar.Grow(c.mem, c.plain, size)
	}
	if err != nil {
		return nil, err
	}
	return c.plain, c.cod.decompress(c.codec, c.plain, body)
}

func (c *column) startDictionary(h header, body []byte) error {
	if c.sawData || c.hasDict {
		return columnar.Corrupt("a dictionary where data belongs")
	}
	if h.encoding != encPlain && h.encoding != encPlainDictionary {
		return columnar.Unsupported("a dictionary encoded as %s", name(encodingNames[:], h.encoding))
	}
	data, err := c.decompress(h.plain, body)
	if err != nil {
		return err
	}
	least := c.leaf.width
	if least == 0 {
		least = 4 // the length of a string
	}
	if h.values > len(data)/least {
		return columnar.Corrupt("a dictionary of %d values in %d bytes", h.values, len(data))
	}
	if err := c.dict.Reset(c.mem, c.want, h.values); err != nil {
		return err
	}
	c.hasDict = true
	if c.leaf.width > 0 {
		c.fixed = plainFixed{c: c, data: data}
		return c.fixed.read(&c.dict, h.values)
	}
	c.strings = plainStrings{c: c, data: data}
	return c.strings.read(&c.dict, h.values)
}
