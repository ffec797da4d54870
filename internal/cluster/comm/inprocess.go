// This file holds communicators between goroutines of one process.

package comm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// InProcess returns n communicators, one for each rank, for goroutines of this
// process.
func InProcess(n int) []Comm { return inProcess(n, Options{}) }

func inProcess(n int, o Options) []Comm {
	t := &team{deadline: o.Deadline, done: make(chan struct{}), round: newRound(n)}
	if t.deadline == 0 {
		t.deadline = deadline
	}
	t.members = make([]*member, n)
	comms := make([]Comm, n)
	for r := range comms {
		t.members[r] = &member{team: t, rank: r}
		comms[r] = t.members[r]
	}
	return comms
}

// team is the state that the ranks share.
type team struct {
	deadline time.Duration
	members  []*member
	done     chan struct{}

	mu    sync.Mutex
	err   *Error
	round *round // the call for which ranks gather
}

// round is one call of all ranks. First they gather; no rank reads another's
// memory until all have arrived. Then each does its part of the work, and none
// leaves before the last has done it.
type round struct {
	calls   []call
	words   [][]uint64
	lists   [][][]byte
	here    int
	working atomic.Int32
	ready   chan struct{} // closed when all are there and agree
	over    chan struct{} // closed when all have done their part
}

func newRound(n int) *round {
	return &round{calls: make([]call, n), words: make([][]uint64, n), lists: make([][][]byte, n),
		ready: make(chan struct{}), over: make(chan struct{})}
}

// member is a rank of a team.
type member struct {
	team   *team
	rank   int
	seq    uint64
	busy   atomic.Bool
	closed atomic.Bool
	last   atomic.Int64 // when it made progress, in ns
}

func (m *member) Rank() int             { return m.rank }
func (m *member) Size() int             { return len(m.team.members) }
func (m *member) Progress()             { m.last.Store(time.Now().UnixNano()) }
func (m *member) Done() <-chan struct{} { return m.team.done }

func (m *member) Err() error {
	m.team.mu.Lock()
	defer m.team.mu.Unlock()
	if m.team.err == nil {
		return nil
	}
	return m.team.err
}

func (m *member) Abort(cause error) {
	if m.closed.Load() {
		return
	}
	var e *Error
	if !errors.As(cause, &e) {
		e = &Error{Rank: m.rank, Err: aborted(cause)}
	}
	m.team.mu.Lock()
	defer m.team.mu.Unlock()
	m.team.fail(e)
}

// fail is called with the lock held. The first failure counts.
func (t *team) fail(e *Error) error {
	if t.err == nil {
		t.err = e
		close(t.done)
	}
	return t.err
}

func (m *member) Sum(ctx context.Context, numbers []uint64) error {
	return m.reduce(ctx, opSum, numbers)
}
func (m *member) Max(ctx context.Context, numbers []uint64) error {
	return m.reduce(ctx, opMax, numbers)
}
func (m *member) Or(ctx context.Context, bitmap []uint64) error { return m.reduce(ctx, opOr, bitmap) }

func (m *member) Barrier(ctx context.Context) error {
	return m.do(ctx, opBarrier, nil, nil, func(*round) {})
}

func (m *member) Close() error {
	if m.closed.Load() {
		return nil
	}
	err := m.do(context.Background(), opClose, nil, nil, func(*round) {})
	m.closed.Store(err == nil)
	return err
}

func (m *member) reduce(ctx context.Context, o op, words []uint64) error {
	return m.do(ctx, o, words, nil, func(r *round) {
		n, size := len(words), m.Size()
		const stripe = stripeBytes / 8
		for from, end := n*m.rank/size, n*(m.rank+1)/size; from < end; from += stripe {
			to := min(from+stripe, end)
			sum := r.words[0][from:to]
			for _, w := range r.words[1:] {
				combine(o, sum, w[from:to])
			}
			for _, w := range r.words[1:] {
				copy(w[from:to], sum)
			}
		}
	})
}

// combine reduces one rank's words into another's.
func combine(o op, into, words []uint64) {
	words = words[:len(into)]
	switch o {
	case opSum:
		for i, w := range words {
			into[i] += w
		}
	case opMax:
		for i, w := range words {
			into[i] = max(into[i], w)
		}
	case opOr:
		for i, w := range words {
			into[i] |= w
		}
	}
}

func (m *member) Exchange(ctx context.Context, out [][]byte) (in [][]byte, err error) {
	if len(out) != m.Size() {
		err := wrongLists(len(out), m.Size())
		m.Abort(err)
		return nil, err
	}
	err = m.do(ctx, opExchange, nil, out, func(r *round) {
		in = make([][]byte, m.Size())
		for from, lists := range r.lists {
			in[from] = bytes.Clone(lists[m.rank])
		}
	})
	return in, err
}

// do makes a call. work is what this rank does once all are there.
func (m *member) do(ctx context.Context, o op, words []uint64, lists [][]byte, work func(*round)) error {
	if m.closed.Load() {
		return ErrClosed
	}
	if !m.busy.CompareAndSwap(false, true) {
		err := fmt.Errorf("%v was called while another call was under way", o)
		m.Abort(err)
		return err
	}
	defer m.busy.Store(false)
	m.Progress()
	defer m.Progress()
	c := call{o, m.seq, len(words)}
	m.seq++
	r, err := m.enter(ctx, c, words, lists)
	if err != nil {
		return err
	}
	if err := m.gather(ctx, c, r); err != nil {
		return err
	}
	// All ranks are in the call, and none is blocked elsewhere: none waits for long.
	work(r)
	if r.working.Add(-1) == 0 {
		close(r.over)
	}
	<-r.over
	return nil
}

// enter takes part in the round that gathers.
func (m *member) enter(ctx context.Context, c call, words []uint64, lists [][]byte) (*round, error) {
	t := m.team
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return nil, t.err
	}
	if err := ended(ctx); err != nil {
		return nil, t.fail(&Error{m.rank, c.String(), err})
	}
	r := t.round
	r.calls[m.rank], r.words[m.rank], r.lists[m.rank] = c, words, lists
	if r.here++; r.here == len(t.members) {
		if e := mismatch(r.calls, 0); e != nil {
			return nil, t.fail(e)
		}
		t.round = newRound(len(t.members))
		r.working.Store(int32(len(t.members)))
		close(r.ready)
	}
	return r, nil
}

// gather waits until all ranks are in the call.
func (m *member) gather(ctx context.Context, c call, r *round) error {
	select {
	case <-r.ready:
		return nil
	default:
	}
	t := m.team
	since := time.Now()
	tick := time.NewTicker(max(t.deadline/asks, 1))
	defer tick.Stop()
	for {
		var cause error
		select {
		case <-r.ready:
			return nil
		case <-t.done:
		case <-ctx.Done():
			cause = ended(ctx)
		case <-tick.C:
		}
		t.mu.Lock()
		select {
		case <-r.ready: // from here on no rank leaves
			t.mu.Unlock()
			return nil
		default:
		}
		if cause != nil {
			t.fail(&Error{m.rank, c.String(), cause})
		}
		for rank, other := range t.members {
			if r.calls[rank].op != opNone {
				continue
			}
			if idle := time.Since(time.Unix(0, max(since.UnixNano(), other.last.Load()))); idle > t.deadline {
				t.fail(&Error{rank, "", hung(idle)})
			}
		}
		err := t.err
		t.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// hung is the cause of the failure of a rank for which others waited in a call.
func hung(idle time.Duration) error {
	return fmt.Errorf("%w for %v, while others wait for it", ErrHung, idle.Round(time.Millisecond))
}
