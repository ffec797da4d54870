// This file holds the pipeline: one goroutine cuts chunks of lines, others
// parse them and pass on batches of edges.

package edgelist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
)

// A parser turns whole lines into edges. Each worker has its own.
type parser interface {
	// parse parses data, whole lines. Where it fails, it returns the offset in
	// data of the line that it failed at; or -1 where the edges weren't taken.
	parse(data []byte) (int, error)
	// flush passes on the edges that wait for a batch to fill.
	flush() error
}

// failure keeps the error of the earliest chunk: the first error in the file is
// reported, whichever goroutine found its error first.
type failure struct {
	seq atomic.Int64 // of err; MaxInt64 while err is nil
	mu  sync.Mutex
	err error
}

func (f *failure) set(seq int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seq < f.seq.Load() {
		f.err = err
		f.seq.Store(seq)
	}
}

// seqNow is for an error that ends everything at once: an error of yield.
const seqNow = -1

// runPipeline parses first and then the rest of l by the given number of
// parsers. It returns when all of its goroutines have.
func runPipeline(l *lines, first []chunk, workers int, newParser func() parser) error {
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	var f failure
	f.seq.Store(math.MaxInt64)

	work := make(chan chunk)
	free := make(chan []byte, workers+1) // as many as there are; sends never wait
	for range workers + 1 {
		free <- nil
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var p parser // once there is work: small inputs don't need many
			for c := range work {
				// Chunks before the failed one continue: they may fail too,
				// earlier in the file.
				if c.seq < f.seq.Load() && ctx.Err() == nil {
					err := panics.Await(func() error {
						panics.Point("parse text")
						if p == nil {
							p = newParser()
						}
						if t, ok := p.(interface{ startAt(line uint64) }); ok {
							t.startAt(c.line)
						}
						if off, err := p.parse(c.data); err != nil {
							f.fail(l.in.name, c, off, err, cancel)
						}
						return nil
					})
					if err != nil {
						f.set(seqNow, fmt.Errorf("%s: from line %d on: %w", l.in.name, c.line, err))
						cancel()
					}
				}
				free <- c.data[:0]
			}
			if p != nil && f.seq.Load() == math.MaxInt64 && ctx.Err() == nil {
				err := panics.Await(p.flush)
				if panics.In(err) || errors.Is(err, panics.ErrExited) {
					err = l.in.named(err)
				}
				if err != nil {
					f.set(seqNow, err)
				}
			}
		})
	}

	for seq := int64(0); f.seq.Load() == math.MaxInt64; seq++ {
		var spare []byte
		select {
		case spare = <-free:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		var c chunk
		var err error
		if len(first) > 0 {
			c, first = first[0], first[1:]
		} else if c, err = l.chunk(spare); err != nil {
			if err != io.EOF {
				f.set(seq, err)
			}
			break
		}
		c.seq = seq
		select {
		case work <- c:
		case <-ctx.Done():
		}
	}
	close(work)
	wg.Wait()
	if f.err != nil {
		return f.err
	}
	if err := l.ctx.Err(); err != nil {
		return l.in.named(err)
	}
	return nil
}

// fail keeps an error of the parser at an offset of a chunk.
func (f *failure) fail(name string, c chunk, off int, err error, cancel func()) {
	if off < 0 {
		f.set(seqNow, err)
		cancel()
		return
	}
	line := c.line + uint64(bytes.Count(c.data[:off], []byte{'\n'}))
	f.set(c.seq, at(name, line, err))
}

// batch gathers the edges of integer ids.
type batch struct {
	yield    func(graph.Batch) error
	typ      graph.IDType
	src, dst []int64
	w        *weightList // nil if weights aren't wanted
	beside   *columnBatch
	n        int
	most     int // edges of a batch, once src and dst have grown
}

func newBatch(o *Options, typ graph.IDType, yield func(graph.Batch) error) *batch {
	first := min(o.batch, firstBatch)
	b := &batch{yield: yield, typ: typ, src: make([]int64, first), dst: make([]int64, first), most: o.batch}
	if o.Graph.Weights {
		b.w = &weightList{bits: make([]uint64, 0, first), rounds: o.rounds(), float: o.rounds(), floats: o.rounds()}
	}
	return b
}

// ofFloats converts integers to floats too, if floats is set.
func (b *batch) ofFloats(floats bool) *batch {
	if b.w != nil {
		b.w.float, b.w.floats = b.w.float || floats, b.w.floats || floats
	}
	return b
}

func (b *batch) flush() error {
	if b.n == 0 {
		return nil
	}
	e := graph.Batch{Type: b.typ, Src: b.src[:b.n], Dst: b.dst[:b.n]}
	if b.w != nil {
		b.w.give(&e)
	}
	b.beside.give(&e)
	full := b.n == len(b.src)
	b.n = 0
	err := b.yield(e)
	b.beside.clear()
	if b.w != nil {
		b.w.reset()
	}
	if next := min(2*len(b.src), b.most); full && next > len(b.src) {
		b.src, b.dst = make([]int64, next), make([]int64, next)
	}
	return err
}
