// This file holds pages of Parquet and the pool of goroutines that compress
// them.

package arrow

import (
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/klauspost/compress/zstd"
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

// pagePool compresses pages, as many at a time as there are cores, and keeps
// their memory for the next ones.
type pagePool struct {
	codec  compress.Codec // nil for none
	zstd   *zstd.Encoder  // in the place of the codec, which makes one per page
	tokens chan struct{}
	group  sync.WaitGroup

	mu      sync.Mutex
	scratch []*pageScratch
	buffers [][]byte // of compressed pages
}

func newPagePool(codec compress.Compression) (*pagePool, error) {
	workers := runtime.GOMAXPROCS(0)
	p := &pagePool{tokens: make(chan struct{}, workers)}
	var err error
	switch codec {
	case compress.Codecs.Uncompressed:
	case compress.Codecs.Zstd:
		p.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstdLevel),
			zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(workers), zstd.WithEncoderCRC(false))
	default:
		p.codec, err = compress.GetCodec(codec)
	}
	return p, err
}

// pop takes the last element of a list, or the zero value if there is none.
func pop[T any](p *pagePool, list *[]T) (x T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(*list); n > 0 {
		x, *list = (*list)[n-1], (*list)[:n-1]
	}
	return x
}

func push[T any](p *pagePool, list *[]T, x T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*list = append(*list, x)
}

// get returns an empty page.
func (p *pagePool) get() *parquetPage {
	s := pop(p, &p.scratch)
	if s == nil {
		s = &pageScratch{}
	}
	s.levels, s.values, s.indices = s.levels[:0], s.values[:0], s.indices[:0]
	s.repetition, s.definition = s.repetition[:0], s.definition[:0]
	return &parquetPage{pageScratch: s, done: make(chan struct{})}
}

// put takes a page's memory back once it is written.
func (p *pagePool) put(page *parquetPage) {
	if page.pageScratch != nil {
		push(p, &p.scratch, page.pageScratch)
	} else {
		push(p, &p.buffers, page.data)
	}
}

// compress begins to compress a page, and waits while all cores do so.
func (p *pagePool) compress(page *parquetPage) {
	p.tokens <- struct{}{}
	p.group.Go(func() {
		defer func() { <-p.tokens }()
		defer close(page.done)
		page.data = page.encode()
		page.size = len(page.data)
		if p.zstd == nil && p.codec == nil {
			return
		}
		to := pop(p, &p.buffers)
		if p.zstd != nil {
			page.data = p.zstd.EncodeAll(page.data, to[:0])
		} else { // snappy goes by the buffer's length, the others by its capacity
			page.data = p.codec.EncodeLevel(to[:cap(to)], page.data, compress.DefaultCompressionLevel)
		}
		push(p, &p.scratch, page.pageScratch)
		page.pageScratch = nil
	})
}

// wait waits until no page is being compressed.
func (p *pagePool) wait() { p.group.Wait() }
