// This file holds the ring of slots that operators count in, and how the host
// reads the counts.

package gpu

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu/driver"
)

// Counts is the number of additional counters that an operator has.
const Counts = 8

// slotBytes is the size of a slot on the device (frontier/queue.cuh).
const slotBytes = 128

// StreamBytes is the GPU memory that a Stream takes.
const StreamBytes = ringSlots * slotBytes

// Mail is an operator's report: the packed number of output entries and of
// their outgoing edges, the number of edges that it visited, if the
// host can't know it, and the operator's additional counters.
type Mail struct {
	Tail, Visited uint64
	Counts        [Counts]uint64
	stamp         uint64
	_             [5]uint64
}

// Post is where an operator reports to, in the layout of kernels.
type Post struct {
	Slot, Mail, Stamp uint64
}

// Ticket stands for the report of one operator. It must not be copied while
// the operator is under way.
type Ticket struct {
	s     *Stream
	slot  int
	stamp uint64
	mail  Mail
	done  bool
}

// ring belongs to one stream.
type ring struct {
	slots  device.Memory
	pinned *driver.Host
	mails  []Mail // in pinned, written by the device
	owners []*Ticket
	next   int
	stamp  uint64
}

var _ = [1]struct{}{}[unsafe.Sizeof(Mail{})-slotBytes] // the device has the same layout

// Ready ensures that the next k posts come from one round of the ring. An
// operator that takes several posts before its first launch calls it, because
// work that is enqueued between rounds zeroes the slots.
func (s *Stream) Ready(k int) error {
	r := &s.ring
	if r.next+k <= len(r.mails) {
		return nil
	}
	if err := s.Fill(r.slots.Pointer(), 0, uint64(len(r.mails))*slotBytes/4); err != nil {
		return err
	}
	r.next = 0
	r.stamp++
	return nil
}

// Post returns where the next operator must report to, and makes t its ticket.
func (s *Stream) Post(t *Ticket) (Post, error) {
	r := &s.ring
	if err := s.Ready(1); err != nil {
		return Post{}, err
	}
	i := r.next
	// A report that hasn't been read yet moves into its ticket.
	if old := r.owners[i]; old != nil && !old.done && old.slot == i && old != t {
		if _, err := old.Wait(); err != nil && !errors.Is(err, errNever) {
			return Post{}, err
		}
	}
	r.next++
	r.owners[i] = t
	*t = Ticket{s: s, slot: i, stamp: r.stamp}
	return Post{
		Slot:  uint64(r.slots.Pointer()) + uint64(i)*slotBytes,
		Mail:  uint64(r.pinned.Ptr()) + uint64(i)*slotBytes,
		Stamp: r.stamp,
	}, nil
}

// errNever: the operator wasn't enqueued, because its launch failed or its
// context was done.
var errNever = errors.New("gpu: the operator that this waits for was never launched")

// collect moves the reports that have arrived into their tickets, before the ring's
// memory is freed.
func (r *ring) collect() {
	for i, t := range r.owners {
		if t != nil && !t.done && t.slot == i && atomic.LoadUint64(&r.mails[i].stamp) == t.stamp {
			t.mail, t.done = r.mails[i], true
		}
	}
	r.mails, r.owners = nil, nil
}

// Wait waits until the operator is done and returns its report. The
// error is the context's, or the device's.
func (t *Ticket) Wait() (Mail, error) { return t.WaitMeanwhile(nil) }

// WaitMeanwhile is Wait that calls do, if not nil, now and then while the operator is at
// work, every 200 microseconds at most. An error of do ends the wait, not the operator.
func (t *Ticket) WaitMeanwhile(do func() error) (Mail, error) {
	if t.done {
		return t.mail, nil
	}
	if t.s == nil {
		return Mail{}, fmt.Errorf("gpu: waiting for nothing")
	}
	if t.s.ring.mails == nil { // closed, and not done by then
		return Mail{}, t.s.Err()
	}
	m := &t.s.ring.mails[t.slot]
	var asked time.Time
	for spins := 1; atomic.LoadUint64(&m.stamp) != t.stamp; spins++ {
		if spins%spinsPerLook != 0 {
			continue
		}
		if err := t.s.Err(); err != nil {
			return Mail{}, err
		}
		if now := time.Now(); asked.IsZero() {
			asked = now
		} else if now.Sub(asked) > queryEvery {
			asked = now
			switch idle, err := t.s.failed(); {
			case err != nil:
				return Mail{}, err
			case idle && atomic.LoadUint64(&m.stamp) != t.stamp:
				return Mail{}, errNever
			case !idle && do != nil:
				if err := do(); err != nil {
					return Mail{}, err
				}
				asked = time.Now()
			}
			runtime.Gosched()
		}
	}
	t.mail, t.done = *m, true
	t.s.ring.owners[t.slot] = nil
	return t.mail, nil
}
