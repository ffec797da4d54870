// This file brings edges to a device while others are read.

package graph

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// early is the edges that a device has before they are all known. The host has them as well: what there is to
// do may turn out to need them there.
type early struct {
	dev     discrete.Device
	weights bool
	each    uint64 // bytes that rows take for a pair

	mu      sync.Mutex
	idle    sync.Cond // no worker is uploading
	wide    bool      // the pairs are of provisional numbers, not of low 32 bits
	known   bool      // which of both
	over    bool      // nothing goes to the device any more
	running bool
	queue   []*block
	blocks  []*block // that the device has
	parts   []placed.Pairs
	pairs   uint64 // in all of them
}

// newEarly returns nil if edges aren't uploaded early: because there is no device, or because edges have ids,
// whose upload width (32 or 64 bits) is unknown until all edges have arrived.
func newEarly(o Options) *early {
	if !o.onDevice() || o.EdgeIDs {
		return nil
	}
	e := &early{dev: o.Device.(discrete.Device), weights: o.Weights, each: (&placed.Plan{Weights: o.Weights}).Key()}
	if !o.Directed {
		e.each *= 2
	}
	e.idle.L = &e.mu
	return e
}

// filled records that a chunk is full. If all chunks of its block are, the block is uploaded.
func (e *early) filled(c *chunk, wide bool) {
	b := c.of
	if e == nil || int(b.full.Add(1)) < len(b.chunks) || uint64(len(b.chunks)) < tuning.EarlyChunks {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	if e.known && e.wide != wide { // those before get other numbers
		e.over = true
		return
	}
	e.wide, e.known = wide, true
	e.queue = append(e.queue, b)
	if !e.running {
		e.running = true
		go e.run()
	}
}

// run uploads what there is in the queue, a piece at a time.
func (e *early) run() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for !e.over {
		chunks, k := uint64(0), 0
		for k < len(e.queue) && chunks*chunkLen < tuning.EarlyPairs {
			chunks += uint64(len(e.queue[k].chunks))
			k++
		}
		if chunks*chunkLen < tuning.EarlyPairs {
			break
		}
		blocks := e.queue[:k]
		e.queue = e.queue[k:]
		rows := e.each * (e.pairs + chunks*chunkLen) // that these would become
		e.mu.Unlock()
		var p placed.Pairs
		err := panics.Call(func() (err error) {
			p, err = e.upload(blocks, rows)
			return err
		})
		e.mu.Lock()
		if err != nil { // Build finds the error again and reports it
			e.over = true
			_ = e.free()
			break
		}
		e.blocks, e.parts = append(e.blocks, blocks...), append(e.parts, p)
		e.pairs += p.Count
	}
	e.running = false
	e.idle.Broadcast()
}

// upload brings blocks to the device, if that has as many bytes of room for rows too.
func (e *early) upload(blocks []*block, rows uint64) (p placed.Pairs, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	var chunks []*chunk
	for _, b := range blocks {
		for i := range b.chunks {
			chunks = append(chunks, &b.chunks[i])
		}
	}
	pairs, n := chunkColumn(chunks, 8, 1, func(c *chunk) unsafe.Pointer { return unsafe.Pointer(c.pair) })
	if free := e.dev.Info().MemoryFree; free > 0 && free < 12*n+rows {
		return p, errMemory
	}
	p.Count = n
	if p.Pairs, err = e.dev.Alloc(8 * n); err != nil {
		return p, err
	}
	if err = e.dev.Upload(p.Pairs, 8*n, pairs); err != nil || !e.weights {
		return p, err
	}
	weights, _ := chunkColumn(chunks, 4, 1, func(c *chunk) unsafe.Pointer { return unsafe.Pointer(c.w) })
	if p.Extras, err = e.dev.Alloc(4 * n); err != nil {
		return p, err
	}
	return p, e.dev.Upload(p.Extras, 4*n, weights)
}

// stop waits for uploads in flight; there are none afterwards.
func (e *early) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	for e.running {
		e.idle.Wait()
	}
}

// drop frees the device's data, if it was not taken over.
func (e *early) drop() (err error) {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	for e.running {
		e.idle.Wait()
	}
	for _, b := range e.blocks {
		b.early = false
	}
	return e.free()
}

// free gives the device's memory back. e.mu is held.
func (e *early) free() (err error) {
	for _, p := range e.parts {
		err = errors.Join(err, p.Close())
	}
	e.parts, e.blocks, e.queue = nil, nil, nil
	return err
}

// take hands over what the device has.
func (e *early) take() (parts []placed.Pairs) {
	if e != nil {
		parts, e.parts = e.parts, nil
	}
	return parts
}

// bytes returns how much of the device's memory they take.
func (e *early) bytes() (n uint64) {
	if e == nil {
		return 0
	}
	for _, p := range e.parts {
		n += 8 * p.Count
		if e.weights {
			n += 4 * p.Count
		}
	}
	return n
}

// settleEarly keeps what the device has if the pairs are still those that are to be built of.
func (b *build) settleEarly() error {
	e := b.early
	if e == nil {
		return nil
	}
	same := b.o.DenseIDs || b.ids.direct
	if e.wide {
		same = b.ids.table != nil
	}
	if b.raw || !same || tuning.InBatches {
		b.early = nil
		return e.drop()
	}
	for _, x := range e.blocks {
		x.early = true // its chunks need not go there any more
	}
	return nil
}
