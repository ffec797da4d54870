// Package budget divides memory among searches. device.Budget is what users see of it.
package budget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/text"
)

// ErrLarge is device.ErrBudget.
var ErrLarge = errors.New("more than the memory budget")

// ErrStopped: the caller waited until it was told to stop.
var ErrStopped = errors.New("stopped")

// Budget shares a number of bytes, such as the GPU memory that searches may
// take. A caller that requests more than is left waits in a queue, first come,
// first served, until other callers have returned enough, instead of failing. It
// is safe for concurrent use. Its zero value is a budget of 0 bytes. It only counts: users of the memory must acquire
// it here first.
type Budget struct {
	Bytes uint64 // in total

	mu     sync.Mutex
	used   uint64 // parked holds included
	queue  []*claim
	parked []*Hold // the longest parked first
}

// claim is a waiting caller.
type claim struct {
	bytes uint64
	kind  any
	hold  *Hold         // what was granted
	ready chan struct{} // closed then
}

// Hold is a part of a Budget that was granted.
type Hold struct {
	// Value belongs to the holder, for the object that uses the bytes. It stays
	// with a parked hold.
	Value any

	b     *Budget
	bytes uint64
	kind  any
	evict func() // while parked
	done  bool
}

// Used returns the number of bytes that are held, including parked holds.
func (b *Budget) Used() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Waiting returns the number of callers that wait in the queue.
func (b *Budget) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue)
}

// Reuse returns a hold parked with that kind, if there is one: its Value is unchanged. Otherwise it
// waits until that many bytes are left and no earlier caller waits, and holds them, with a nil
// Value. To make room it evicts parked holds, the longest parked first. Kinds are compared by ==; holds
// of one kind have the same size. A nil kind fits no parked hold. It returns the context's error, ErrLarge
// at once for more bytes than the budget has, or ErrStopped if stop, which may be nil, is closed
// while it waits.
func (b *Budget) Reuse(ctx context.Context, stop <-chan struct{}, bytes uint64, kind any) (*Hold, error) {
	if err := callctx.Check(ctx, "device"); err != nil {
		return nil, err
	}
	if bytes > b.Bytes {
		return nil, fmt.Errorf("device: %w: %s are needed at once, but the budget is %s", ErrLarge, text.Bytes(bytes), text.Bytes(b.Bytes))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &claim{bytes: bytes, kind: kind, ready: make(chan struct{})}
	b.mu.Lock()
	b.queue = append(b.queue, c)
	b.mu.Unlock()
	b.serve()
	err := ErrStopped
	select {
	case <-c.ready:
		select {
		case <-stop: // in the same moment, which must not serve one that waits after another
		default:
			return c.hold, nil
		}
	case <-stop:
	case <-ctx.Done():
		err = ctx.Err()
	}
	b.mu.Lock()
	waiting := b.remove(c)
	b.mu.Unlock()
	switch {
	case waiting:
		b.serve() // those behind may be less
	case c.hold.evict != nil: // granted in the same moment
		c.hold.Park(c.hold.evict)
	default:
		c.hold.Release()
	}
	return nil, err
}

// remove takes a claim out of the queue and reports whether it was there.
func (b *Budget) remove(c *claim) bool {
	for i, x := range b.queue {
		if x == c {
			b.queue = append(b.queue[:i], b.queue[i+1:]...)
			return true
		}
	}
	return false
}

// serve grants claims from the front of the queue while there are enough bytes,
// and evicts parked holds if that makes room for the next claim.
func (b *Budget) serve() {
	for {
		b.mu.Lock()
		for len(b.queue) > 0 && b.grant(b.queue[0]) {
			b.queue = b.queue[1:]
		}
		if len(b.queue) == 0 || len(b.parked) == 0 {
			b.mu.Unlock()
			return
		}
		h := b.parked[0]
		b.parked = b.parked[1:]
		b.mu.Unlock()
		h.end()
	}
}

// grant grants a claim if there are enough bytes. The caller holds b.mu.
func (b *Budget) grant(c *claim) bool {
	if c.kind != nil {
		for i := len(b.parked) - 1; i >= 0; i-- {
			if h := b.parked[i]; h.kind == c.kind {
				b.parked = slices.Delete(b.parked, i, i+1)
				c.hold = h
				close(c.ready)
				return true
			}
		}
	}
	if c.bytes > b.Bytes-b.used {
		return false
	}
	b.used += c.bytes
	c.hold = &Hold{b: b, bytes: c.bytes, kind: c.kind}
	close(c.ready)
	return true
}

// end evicts a hold that was parked until now.
func (h *Hold) end() {
	h.evict() // frees the memory, which may take a while
	h.b.mu.Lock()
	defer h.b.mu.Unlock()
	h.done = true
	h.b.used -= h.bytes
}

// Release returns the bytes to the budget; the memory itself must be freed
// before. A second time, or for nil, it does nothing. A parked hold no longer
// belongs to its holder, who must not release it.
func (h *Hold) Release() {
	if h == nil {
		return
	}
	b := h.b
	b.mu.Lock()
	if h.done {
		b.mu.Unlock()
		return
	}
	h.done = true
	b.used -= h.bytes
	b.mu.Unlock()
	b.serve()
}

// Park ends the use of a hold, but leaves the memory to the next Reuse with its
// kind. It stays held until other callers need it. Then evict is called, in any
// goroutine; it must free the memory, and must not use the Budget. Afterwards the
// bytes are returned.
func (h *Hold) Park(evict func()) {
	b := h.b
	b.mu.Lock()
	h.evict = evict
	b.parked = append(b.parked, h)
	b.mu.Unlock()
	b.serve() // a request may already be waiting
}

// Evict evicts all parked holds of a kind.
func (b *Budget) Evict(kind any) {
	b.mu.Lock()
	var out []*Hold
	b.parked = slices.DeleteFunc(b.parked, func(h *Hold) bool {
		if h.kind != kind {
			return false
		}
		out = append(out, h)
		return true
	})
	b.mu.Unlock()
	for _, h := range out {
		h.end()
	}
	b.serve()
}
