// This file holds what workers of the host do in a push that may run ahead: workers continue with
// the vertices they have found, without a round (bucket fusion: Zhang et al., CGO 2020), and share
// them with idle workers.

package advance

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/engine/bitmap"
)

// aheadHost is the part of a push that runs ahead.
type aheadHost struct {
	p      *pushHost
	inside bool     // a push is under way
	bits   []uint64 // of the vertices that are in the output; nil: no running ahead

	busy    atomic.Int32 // workers that may still find something
	waiting atomic.Int32 // those that have nothing left
	asleep  atomic.Int32 // of these, those that sleep
	len     atomic.Int32 // of given
	mu      sync.Mutex
	change  sync.Cond  // of given, or of busy to 0; its lock is mu
	given   [][]uint32 // vertices that workers left to others
	spare   [][]uint32
}

func (j *aheadHost) on() bool { return j.bits != nil }

func (j *aheadHost) reset() {
	if j.inside { // of a push that panicked
		for w := range j.p.a.own {
			j.p.a.own[w].recent = nil
		}
	}
	j.inside = j.on()
	j.change.L = &j.mu
	j.spare = append(j.spare, j.given...) // of a push that panicked
	j.given = j.given[:0]
	j.len.Store(0)
	j.busy.Store(0)
	j.waiting.Store(0)
}

// run lets a worker continue, and then help others.
func (j *aheadHost) run(worker int, l *local) {
	if !j.on() {
		return
	}
	l.goesOn = true
	j.busy.Add(1)
	busy := true
	defer func() { // after a panic too: others wait for this
		l.goesOn = false
		if busy {
			j.leave()
		}
	}()
	for busy {
		j.goOn(worker, l)
		if j.p.alone {
			return
		}
		busy = false
		if busy = j.take(l); busy {
			j.expand(worker, l)
		}
	}
}

// leave marks the worker as idle.
func (j *aheadHost) leave() {
	if j.busy.Add(-1) == 0 && j.asleep.Load() > 0 {
		j.mu.Lock()
		j.change.Broadcast()
		j.mu.Unlock()
	}
}

// goOn expands what the worker has found, as long as it is little.
func (j *aheadHost) goOn(worker int, l *local) {
	for l.k > 0 && l.k < aheadMost && !j.p.stopped() {
		l.further = append(l.further[:0], l.out[:l.k]...)
		l.k = 0
		j.expand(worker, l)
	}
}

// expand visits the rows of l.further, of which it leaves a part to workers that wait.
func (j *aheadHost) expand(worker int, l *local) {
	j.p.fetch(l.further[:min(groupVertices, len(l.further))])
	for vs := l.further; len(vs) > 0; {
		if len(vs) >= 2*aheadShare && j.waiting.Load() > j.len.Load() {
			half := len(vs) / 2
			l.forget(vs[half:])
			j.give(vs[half:])
			vs = vs[:half]
			continue
		}
		group := vs[:min(groupVertices, len(vs))]
		vs = vs[len(group):]
		j.p.fetch(vs[:min(groupVertices, len(vs))])
		l.forget(group) // before the rows are read: what is found for their vertices from now on counts
		j.p.add(worker, l, group)
	}
	j.p.tile(worker, l)
}

// give leaves vertices to a worker that waits.
func (j *aheadHost) give(vs []uint32) {
	j.mu.Lock()
	var to []uint32
	if n := len(j.spare); n > 0 {
		to, j.spare = j.spare[n-1], j.spare[:n-1]
	}
	j.given = append(j.given, append(to[:0], vs...))
	j.len.Store(int32(len(j.given)))
	if j.asleep.Load() > 0 {
		j.change.Signal()
	}
	j.mu.Unlock()
}

// take gets l.further from another worker, for which it waits as hubs.take does. false means
// that there is nothing left, and no worker that could find anything but those that are at it.
func (j *aheadHost) take(l *local) bool {
	j.waiting.Add(1)
	defer j.waiting.Add(-1)
	j.leave()
	for spins := 0; ; spins++ {
		idle := j.busy.Load() == 0 // before the look: what was given by then is seen
		if j.len.Load() > 0 && j.pop(l) {
			return true
		}
		switch {
		case idle:
			return false
		case spins > hubSpins+hubYields:
			j.sleep()
		case spins > hubSpins:
			runtime.Gosched()
		}
	}
}

func (j *aheadHost) pop(l *local) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := len(j.given)
	if n == 0 {
		return false
	}
	j.busy.Add(1)
	l.further, j.given[n-1] = j.given[n-1], l.further
	j.spare, j.given = append(j.spare, j.given[n-1]), j.given[:n-1]
	j.len.Store(int32(n - 1))
	return true
}

// sleep waits until there may be something, or nothing more will come.
func (j *aheadHost) sleep() {
	j.asleep.Add(1)
	j.mu.Lock()
	for j.busy.Load() > 0 && len(j.given) == 0 {
		j.change.Wait()
	}
	j.mu.Unlock()
	j.asleep.Add(-1)
}

// keep keeps those of the first k entries, found by a worker, that it doesn't have yet, as far as it
// remembers. A bitmap for all workers would know, but an atomic operation more for each vertex
// found, and one for each expanded, take longer than to look at some rows twice.
func (j *aheadHost) keep(l *local, out []uint32, k int) int {
	if l.recent == nil {
		l.recent = new([recentSlots]uint32)
	}
	n, recent := 0, l.recent
	for _, v := range out[:k] {
		out[n] = v
		if slot := &recent[v%recentSlots]; *slot != v+1 {
			*slot = v + 1
			n++
		}
	}
	return n
}

// forget says that the worker doesn't have these vertices any more.
func (l *local) forget(vs []uint32) {
	recent := l.recent
	if recent == nil {
		return // it has found nothing yet
	}
	for _, v := range vs {
		if slot := &recent[v%recentSlots]; *slot == v+1 {
			*slot = 0
		}
	}
}

// claim drops those of the vertices, found by a worker, that are in the output already.
func (j *aheadHost) claim(l *local) {
	l.forget(l.out[:l.k])
	k := 0
	for _, v := range l.out[:l.k] {
		if j.p.alone && bitmap.ClaimAlone(j.bits, v) || !j.p.alone && bitmap.Claim(j.bits, v) {
			l.out[k] = v
			k++
		}
	}
	l.k = k
}
