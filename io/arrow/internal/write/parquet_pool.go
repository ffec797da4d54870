// This file holds the pool of goroutines that compress pages of Parquet.

package write

import (
	"bytes"
	"sync"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/io/arrow/internal/codec"
	"github.com/foray-graph/foray/io/arrow/internal/parquet/metadata"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// pagePool compresses pages, as many at a time as there are cores, and keeps
// their memory for the next ones.
type pagePool struct {
	// encode appends a page, compressed, to an empty slice; nil where pages stay
	// as they are. Several goroutines call it.
	encode func(to, page []byte) []byte
	tokens chan struct{}
	group  sync.WaitGroup

	mu      sync.Mutex
	scratch []*pageScratch
	buffers [][]byte // of compressed pages
	gzips   []*gzip.Writer
}

// newPagePool returns one of so many goroutines. frugal has them hold less memory.
func newPagePool(kind metadata.Codec, workers int, frugal bool) (*pagePool, error) {
	p := &pagePool{tokens: make(chan struct{}, workers)}
	switch kind {
	case metadata.Zstd:
		options := []zstd.EOption{zstd.WithEncoderLevel(zstdLevel), zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(workers), zstd.WithEncoderCRC(false)}
		if frugal {
			options = append(options, zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(limitedWindow))
		}
		encoder, err := zstd.NewWriter(nil, options...)
		if err != nil {
			return nil, err
		}
		p.encode = func(to, page []byte) []byte { return encoder.EncodeAll(page, to) }
	case metadata.Snappy:
		p.encode = func(to, page []byte) []byte { return snappy.Encode(to[:cap(to)], page) }
	case metadata.Gzip:
		p.encode = p.gzip
	case metadata.Brotli:
		brotli, err := codec.Brotli.Get()
		if err != nil {
			return nil, err
		}
		p.encode = brotli.Compress
	}
	return p, nil
}

// gzip compresses a page. Compressors are kept: each takes half a megabyte.
func (p *pagePool) gzip(to, page []byte) []byte {
	w := pop(p, &p.gzips)
	if w == nil {
		w = gzip.NewWriter(nil)
	}
	out := bytes.NewBuffer(to)
	w.Reset(out)
	// Neither fails, as writing to memory doesn't.
	_, _ = w.Write(page)
	_ = w.Close()
	push(p, &p.gzips, w)
	return out.Bytes()
}

// pop takes the last element of a list, or the zero value of an empty one.
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
		page.err = panics.Call(func() error {
			panics.Point("write page")
			page.data = page.encode()
			page.size = len(page.data)
			if p.encode == nil {
				return nil
			}
			page.data = p.encode(pop(p, &p.buffers)[:0], page.data)
			push(p, &p.scratch, page.pageScratch)
			page.pageScratch = nil
			return nil
		})
	})
}

// wait waits until no page is being compressed.
func (p *pagePool) wait() { p.group.Wait() }
