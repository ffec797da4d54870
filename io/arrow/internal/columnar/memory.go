// This file holds Memory, which bounds what buffers a file can make us
// allocate. Sizes that a file states are checked against it before they are
// allocated, so that a few bytes cannot ask for gigabytes.

package columnar

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
)

// Pool is the memory that the workers of one reading share.
type Pool struct {
	limit int64
	used  atomic.Int64
	turn  chan struct{} // holds one token, for the worker that needs more than its share
}

// NewPool returns a Pool for a dataset of so many bytes.
func NewPool(bytes int64) *Pool {
	p := &Pool{limit: sharedFloor + sharedPerByte*bytes, turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p
}

// Memory is one worker's account with a Pool. It is not safe for concurrent
// use. A worker that needs more than the rest of the pool waits for its
// turn, in which it alone may go past it, up to a limit that depends on the
// size of its file; so neither the number of workers nor their timing decides
// whether a file can be read.
type Memory struct {
	pool  *Pool
	ctx   context.Context
	used  int64
	limit int64
	mine  bool // it is our turn
}

// NewMemory opens an account.
func NewMemory(p *Pool) *Memory { return &Memory{pool: p, ctx: context.Background()} }

// NewFixed opens a separate account, for data that stays while a file of the
// given size is read.
func NewFixed(fileBytes int64) *Memory {
	return &Memory{ctx: context.Background(), limit: fixedFloor + fixedPerByte*fileBytes}
}

// Unlimited returns an account for data that is in memory already.
func Unlimited() *Memory {
	return &Memory{ctx: context.Background(), limit: math.MaxInt64}
}

// Begin starts a block of a file of the given size.
func (m *Memory) Begin(ctx context.Context, fileBytes int64) {
	m.ctx = ctx
	m.limit = holderFloor + holderPerByte*fileBytes
}

// End ends a block and reports whether the worker has to let go of its
// buffers (and call Reset), because it went past its share.
func (m *Memory) End() (drop bool) { return m.mine }

// Reset says that no buffer is held any more.
func (m *Memory) Reset() {
	m.pool.used.Add(-m.used)
	m.used = 0
	if m.mine {
		m.mine = false
		m.pool.turn <- struct{}{}
	}
}

// Check returns an error where n more bytes are too many.
func (m *Memory) Check(n int64) error {
	if n > 0 && n > m.limit-m.used {
		return Corrupt("it asks for %s of buffers, where its size allows for %s", text.Bytes(uint64(m.used)+uint64(n)), text.Bytes(uint64(m.limit)))
	}
	return nil
}

func (m *Memory) add(n int64) error {
	if err := m.Check(n); err != nil {
		return err
	}
	if m.pool == nil {
		m.used += n
		return nil
	}
	if total := m.pool.used.Add(n); n > 0 && total > m.pool.limit && !m.mine {
		select {
		case <-m.ctx.Done():
			m.pool.used.Add(-n)
			return m.ctx.Err()
		case <-m.pool.turn:
			m.mine = true
		}
	}
	m.used += n
	return nil
}

// give takes n bytes off the account.
func (m *Memory) give(n int64) {
	m.used -= n
	if m.pool != nil {
		m.pool.used.Add(-n)
	}
}

// Grow returns a slice of length n, which is buf where it is large enough,
// else a new one; the contents are not kept. The old one must not be used
// any more.
func Grow[T any](m *Memory, buf []T, n int) ([]T, error) {
	if n <= cap(buf) {
		return buf[:n], nil
	}
	var zero T
	size := int64(unsafe.Sizeof(zero))
	// A little more than asked for, lest pages that grow by a byte reallocate
	// each time.
	room := n + n/8 + 64
	if err := m.add((int64(room) - int64(cap(buf))) * size); err != nil {
		return buf, err
	}
	return make([]T, n, room), nil
}

// Extend returns buf with room for n more elements after its length; the
// contents are kept.
func Extend[T any](m *Memory, buf []T, n int) ([]T, error) {
	need := len(buf) + n
	if need <= cap(buf) {
		return buf, nil
	}
	var zero T
	size := int64(unsafe.Sizeof(zero))
	room := max(need, cap(buf)+cap(buf)/2) + 64
	if err := m.add(int64(room) * size); err != nil {
		return buf, err
	}
	grown := make([]T, len(buf), room)
	copy(grown, buf)
	m.give(int64(cap(buf)) * size) // both were alive until here
	return grown, nil
}

// Work counts what is decompressed of one file. It is safe for concurrent use.
type Work struct {
	done  atomic.Int64
	times int64
	limit int64
}

// Limits are what users may raise for files that they trust. 0 is the default.
type Limits struct {
	Footer    uint64 // bytes of a footer
	Expansion int64  // bytes that come of each that a file has
}

// CheckFooter refuses a footer of so many bytes that is too large.
func (l Limits) CheckFooter(n int64) error {
	if l.Footer == 0 {
		l.Footer = maxFooter
	}
	if uint64(n) <= l.Footer {
		return nil
	}
	return limit.Error("Options.MaxFooter", text.Bytes(l.Footer), "the footer takes %s", text.Bytes(uint64(n)))
}

// NewWork returns the account of a file of so many bytes.
func NewWork(fileBytes int64, l Limits) *Work {
	if l.Expansion == 0 {
		l.Expansion = maxExpansion
	}
	w := &Work{times: l.Expansion, limit: math.MaxInt64}
	if hi, lo := bits.Mul64(uint64(l.Expansion), uint64(fileBytes)); hi == 0 && lo < math.MaxInt64-workFloor {
		w.limit = workFloor + int64(lo)
	}
	return w
}

// Add counts n more bytes.
func (w *Work) Add(n int) error {
	if w.done.Add(int64(n)) > w.limit {
		return limit.Error("Options.MaxExpansion", w.times, "it decompresses to %s, and so to more than %d times its size", text.Bytes(uint64(w.done.Load())), w.times)
	}
	return nil
}
