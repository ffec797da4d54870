// This file holds the loop of a push with two piles and its refill on the host without rounds: each
// worker has its own vertices by stage, works on those of its lowest stage, and takes vertices of a
// lower stage from others before it continues with a later one (Wasp: D'Antonio et al., SC 2025).

package advance

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/pile"
)

// asyncHost is a push and its refill until nothing is left. It is a host.Job.
type asyncHost struct {
	p   *pushHost
	on  bool // such a push is under way
	due pile.Functor
	own []asyncWorker

	mesh  bool     // rows are short, so workers have parts of the graph for themselves
	given []uint32 // a long frontier, from which workers take chunks
	chunk int
	first uint32 // the stage of the frontier
	next  atomic.Int64

	_      [64]byte
	busy   atomic.Int32 // workers that have vertices, or are about to take some
	_      [60]byte
	hungry atomic.Int32 // workers that look for vertices
	asleep atomic.Int32 // of these, those that sleep
	failed atomic.Bool  // a worker panicked
	_      [52]byte
	mu     sync.Mutex
	change sync.Cond // signaled when vertices may be taken, or busy is 0; its lock is mu
}

// asyncWorker is what a worker has to do, by stage.
type asyncWorker struct {
	// What others look at: the stage, and below it 1 if the queue has vertices to take.
	shown atomic.Uint64
	_     [120]byte

	mu     sync.Mutex // of queue, head and robbed
	queue  []uint32   // the vertices of the present stage, from head on, the oldest first
	head   int
	robbed bool // another worker took vertices since the last look

	stage  uint32 // the present one
	last   uint32 // the latest stage of which it expanded a vertex
	slots  uint64 // bits: those that have vertices
	later  [asyncSlots]slot
	spare  [][]uint32          // of slots that are empty
	beyond []later             // of stages whose slot has another one
	least  uint32              // the lowest of these
	asked  []uint32            // when vertices are due
	taken  []uint32            // from another worker
	recent [recentSlots]uint32 // a table of some vertices that are in the queue, and 1; else 0
	_      [64]byte
}

// slot is the vertices of a later stage.
type slot struct {
	stage uint32
	vs    []uint32
}

// later is a vertex of a later stage.
type later struct{ v, stage uint32 }

// reset readies the loop. A push that panicked may have left vertices.
func (j *asyncHost) reset(workers int, stage uint32) {
	if len(j.own) != workers {
		j.own = make([]asyncWorker, workers)
	}
	for w := range j.own {
		o := &j.own[w]
		o.queue, o.head, o.robbed, o.stage, o.last = o.queue[:0], 0, false, stage, stage
		o.beyond, o.least = o.beyond[:0], pile.Never
		o.show(pile.Never, 0)
		for ; o.slots != 0; o.slots &= o.slots - 1 {
			o.empty(&o.later[bits.TrailingZeros64(o.slots)])
		}
		j.p.a.own[w].own = o
	}
	clear(j.own[0].recent[:]) // others clear theirs when they come
	j.change.L = &j.mu
	j.busy.Store(1) // worker 0, which has the frontier
	j.given, j.first, j.mesh = nil, stage, j.p.a.p.State().MaxDegree() <= tuning.ShortRows
	j.next.Store(0)
	j.hungry.Store(0)
	j.failed.Store(false)
}

// begin gives worker 0 what is in the pile, and the frontier, unless it is so long that all workers take chunks of it.
func (j *asyncHost) begin(in []uint32, p *farpile.OnHost) {
	o := &j.own[0]
	if n := len(in) / (8 * len(j.own)); len(j.own) > 1 && n >= asyncSteal {
		j.given, j.chunk = in, min(n, asyncChunk)
	} else {
		o.add(in)
	}
	if len(p.List) == 0 {
		return
	}
	due := o.ask(len(p.List))
	j.due.Due(operators.Worker{Alone: true, Level: j.p.a.Level}, p.List, due)
	for i, v := range p.List {
		p.Far[v>>6] = 0
		if d := due[i]; d > p.Now && d != pile.Never {
			o.put(v, d)
		}
	}
	p.List = p.List[:0]
}

// stopped reports whether the loop is to end early.
func (j *asyncHost) stopped() bool { return j.p.stopped() || j.failed.Load() }

// Run is the share of one worker.
func (j *asyncHost) Run(worker int) {
	l, o := &j.p.a.own[worker], &j.own[worker]
	if worker > 0 {
		clear(o.recent[:])
		j.busy.Add(1)
	}
	ended := false
	defer func() { // after a panic too: others wait for this
		if !ended {
			j.failed.Store(true)
		}
		j.leave()
	}()
	j.work(worker, l, o)
	ended = true
}

// runAlone is the loop of worker 0 while it is the only one. It reports whether there is work for others.
func (j *asyncHost) runAlone(share bool) bool {
	l, o := &j.p.a.own[0], &j.own[0]
	for !j.stopped() {
		if share && (len(j.given) > 0 || len(o.queue)-o.head >= aloneVertices) {
			return true
		}
		group := j.take(l, o)
		if len(group) > 0 {
			j.expand(0, l, o, group)
		} else if !j.turn(0, o) {
			return false
		}
	}
	return false
}

// work is the loop of a worker.
func (j *asyncHost) work(worker int, l *local, o *asyncWorker) {
	for !j.stopped() {
		o.mu.Lock()
		group := j.take(l, o)
		left := len(o.queue) - o.head
		o.show(o.stage, left)
		o.mu.Unlock()
		if len(group) > 0 {
			if left >= asyncSteal && j.asleep.Load() > 0 {
				j.wake()
			}
			j.expand(worker, l, o, group)
			continue
		}
		if j.more(o) {
			continue
		}
		if next := o.next(); next == pile.Never {
			if !j.wait(worker, o) {
				return
			}
		} else if !j.lag(worker, o, next) {
			j.turn(worker, o)
		}
	}
}

// more gives a worker whose queue is empty a chunk of the frontier, if there is one. No worker is at a later stage before
// the frontier has been shared out.
func (j *asyncHost) more(o *asyncWorker) bool {
	if j.next.Load() >= int64(len(j.given)) {
		return false
	}
	i := int(j.next.Add(int64(j.chunk))) - j.chunk
	if i >= len(j.given) {
		return false
	}
	o.fill(j.first, j.given[i:min(i+j.chunk, len(j.given))])
	return true
}

// show tells others the stage, and whether the queue has vertices of it to take. It writes only what is new, since others
// read that all the time.
func (o *asyncWorker) show(stage uint32, n int) {
	x := uint64(stage) << 32
	if n >= asyncSteal {
		x++
	}
	if x != o.shown.Load() {
		o.shown.Store(x)
	}
}

// take removes the oldest vertices from the queue, a group at most, and fetches the rows of the next ones.
func (j *asyncHost) take(l *local, o *asyncWorker) []uint32 {
	most := asyncGroup
	if left := len(o.queue) - o.head; left < 2*asyncGroup && j.hungry.Load() > 0 {
		most = max(left/2, asyncSteal) // and others take the rest
	}
	n := copy(l.ids[:most], o.queue[o.head:])
	if o.head += n; o.head == len(o.queue) {
		o.queue, o.head = o.queue[:0], 0
		j.p.fetch(l.ids[:n])
	} else {
		j.p.fetch(o.queue[o.head:min(o.head+asyncGroup, len(o.queue))])
	}
	for _, v := range l.ids[:n] { // before the rows are read: what is found for their vertices from now on counts
		if slot := &o.recent[v%recentSlots]; *slot == v+1 {
			*slot = 0
		}
	}
	return l.ids[:n]
}

// expand visits the rows of some vertices and adds what is due now to the queue.
func (j *asyncHost) expand(worker int, l *local, o *asyncWorker, group []uint32) {
	o.last = max(o.last, o.stage)
	j.p.add(worker, l, group)
	j.p.tile(worker, l)
	j.keep(l, o)
}

// keep adds what a worker has found to its queue.
func (j *asyncHost) keep(l *local, o *asyncWorker) {
	vs := l.out[:l.k]
	l.k = 0
	j.p.fetch(vs) // their rows: the queue may be too short for take to do so in time
	if j.p.alone {
		o.add(vs)
		return
	}
	o.mu.Lock()
	o.add(vs)
	o.show(o.stage, len(o.queue)-o.head)
	o.mu.Unlock()
}

// add adds vertices to the queue that aren't there, as far as the worker remembers.
func (o *asyncWorker) add(vs []uint32) {
	if o.robbed { // what others took may be found again
		o.robbed = false
		clear(o.recent[:])
	}
	if 2*o.head > len(o.queue) && len(o.queue)+len(vs) > cap(o.queue) { // or the same vertices move again and again
		o.queue, o.head = o.queue[:copy(o.queue, o.queue[o.head:])], 0
	}
	for _, v := range vs {
		if slot := &o.recent[v%recentSlots]; *slot != v+1 {
			*slot = v + 1
			o.queue = append(o.queue, v)
		}
	}
}

// sort keeps those of the first k entries that are due now.
func (j *asyncHost) sort(worker, k int, out, due []uint32) int {
	o, n, now := &j.own[worker], uint32(len(j.p.csr.Offsets)-1), 0
	stage := o.stage
	for i, v := range out[:k] {
		switch d := due[i]; {
		case v >= n:
			return j.p.through(out[i:], 1) // which reports it
		case d <= stage:
			out[now] = v
			now++
		case d != pile.Never:
			o.put(v, d)
		}
	}
	return now
}

// put keeps a vertex for a later stage.
func (o *asyncWorker) put(v, stage uint32) {
	i := stage % asyncSlots
	s := &o.later[i]
	switch bit := uint64(1) << i; {
	case o.slots&bit == 0:
		o.slots |= bit
		o.begin(s, stage)
	case s.stage != stage:
		o.beyond, o.least = append(o.beyond, later{v, stage}), min(o.least, stage)
		return
	}
	s.vs = append(s.vs, v)
}

// begin begins a slot, in the memory of another one if there is some: which slots have vertices, and how many, differs
// from search to search.
func (o *asyncWorker) begin(s *slot, stage uint32) {
	s.stage = stage
	if n := len(o.spare); n > 0 {
		s.vs, o.spare = o.spare[n-1], o.spare[:n-1]
	} else {
		s.vs = make([]uint32, 0, asyncRoom)
	}
}

// empty empties a slot.
func (o *asyncWorker) empty(s *slot) { s.vs, o.spare = nil, append(o.spare, s.vs[:0]) }

// next returns the lowest of the later stages that a worker has vertices for; pile.Never: it has none.
func (o *asyncWorker) next() uint32 {
	stage := o.least
	for left := o.slots; left != 0; left &= left - 1 {
		stage = min(stage, o.later[bits.TrailingZeros64(left)].stage)
	}
	return stage
}

// turn continues with the next stage that the worker has vertices for, and reports whether it has any. Vertices
// that are due earlier by now were expanded then.
func (j *asyncHost) turn(worker int, o *asyncWorker) bool {
	stage := o.next()
	if stage == pile.Never {
		return false
	}
	if o.least == stage {
		o.sift()
	}
	i := stage % asyncSlots
	s := &o.later[i]
	vs := s.vs
	due := o.ask(len(vs))
	j.due.Due(operators.Worker{ID: worker, Alone: j.p.alone, Level: j.p.a.Level}, vs, due)
	o.slots &^= 1 << i
	k := 0
	for i, v := range vs {
		if due[i] >= stage && due[i] != pile.Never {
			vs[k] = v
			k++
		}
	}
	o.fill(stage, vs[:k])
	o.empty(s)
	return true
}

// ask returns room for when so many vertices are due.
func (o *asyncWorker) ask(n int) []uint32 {
	if len(o.asked) < n {
		o.asked = make([]uint32, 2*n)
	}
	return o.asked[:n]
}

// fill gives a worker whose queue is empty vertices of a stage.
func (o *asyncWorker) fill(stage uint32, vs []uint32) {
	o.stage = stage
	o.mu.Lock()
	o.add(vs)
	o.show(stage, len(o.queue)-o.head)
	o.mu.Unlock()
}

// sift moves vertices that wait beyond the slots to those, at least those of the lowest stage.
func (o *asyncWorker) sift() {
	i := o.least % asyncSlots
	s := &o.later[i]
	if o.slots>>i&1 != 0 && s.stage != o.least {
		for _, v := range s.vs {
			o.beyond = append(o.beyond, later{v, s.stage})
		}
		o.empty(s)
		o.slots &^= 1 << i
	}
	if o.slots>>i&1 == 0 {
		o.slots |= 1 << i
		o.begin(s, o.least)
	}
	all := o.beyond
	o.beyond, o.least = o.beyond[:0], pile.Never
	for _, x := range all {
		o.put(x.v, x.stage)
	}
}

// steal takes half of the vertices of a worker whose stage is lower than next, for one that has none of its present
// stage: the newest ones, or on a mesh those of large numbers, since a part of it that only one worker writes to stays in
// that worker's cache.
func (j *asyncHost) steal(from int, o *asyncWorker, next uint32) bool {
	x := &j.own[from]
	if !x.mu.TryLock() {
		return false
	}
	shown, n := x.shown.Load(), len(x.queue)-x.head
	stage := uint32(shown >> 32)
	if n < asyncSteal || stage >= next {
		x.mu.Unlock()
		return false
	}
	all := x.queue[x.head:]
	k := n - n/2
	if j.mesh {
		k = o.takeAbove(middleOf(all), all)
	} else {
		o.taken = append(o.taken[:0], all[k:]...)
	}
	x.queue, x.robbed = x.queue[:x.head+k], true
	x.show(stage, k)
	x.mu.Unlock()
	o.fill(stage, o.taken)
	return true
}

// takeAbove takes the vertices of larger numbers, and moves the others, whose number it returns, to the front.
func (o *asyncWorker) takeAbove(most uint32, all []uint32) (left int) {
	o.taken = o.taken[:0]
	for _, v := range all {
		if v > most {
			o.taken = append(o.taken, v)
		} else {
			all[left] = v
			left++
		}
	}
	return left
}

// middleOf returns about the middle one of some numbers, by size; one at least isn't larger.
func middleOf(vs []uint32) uint32 {
	var some [asyncSamples]uint32
	for i := range some {
		some[i] = vs[(len(vs)-1)*i/(asyncSamples-1)]
	}
	slices.Sort(some[:])
	return some[asyncSamples/2]
}

// victim returns the worker of the lowest stage below next that has vertices to take, or -1, and the lowest
// stage that any other worker is at.
func (j *asyncHost) victim(worker int, next uint32) (from int, lowest uint32) {
	from, lowest = -1, pile.Never
	for i := 1; i < len(j.own); i++ {
		w := worker + i
		if w >= len(j.own) {
			w -= len(j.own)
		}
		x := j.own[w].shown.Load()
		stage := uint32(x >> 32)
		lowest = min(lowest, stage)
		if uint32(x) != 0 && stage < next {
			from, next = w, stage
		}
	}
	return from, lowest
}

// lag waits while the next stage of a worker is too far ahead of those that others are at, and takes vertices
// of lower stages from others, if they have any: true.
func (j *asyncHost) lag(worker int, o *asyncWorker, next uint32) bool {
	below := next
	if j.mesh {
		below -= min(next, asyncSlack)
	}
	from, lowest := j.victim(worker, below)
	if from >= 0 && j.steal(from, o, below) {
		return true
	}
	if from < 0 && next-min(next, lowest) <= asyncLead {
		return false
	}
	o.show(next, 0) // or two may wait for each other
	j.hungry.Add(1)
	defer j.hungry.Add(-1)
	for spins := 0; !j.stopped(); spins++ {
		pause(spins)
		from, lowest = j.victim(worker, below)
		if from >= 0 && j.steal(from, o, below) {
			return true
		}
		if from < 0 && next-min(next, lowest) <= asyncLead {
			return false
		}
	}
	return false
}

// wait waits until there is something to take, which it takes, or until nothing is left: false.
func (j *asyncHost) wait(worker int, o *asyncWorker) bool {
	o.show(pile.Never, 0)
	j.hungry.Add(1)
	defer j.hungry.Add(-1)
	j.leave()
	for spins := 0; !j.stopped(); spins++ {
		if from, _ := j.victim(worker, pile.Never); from >= 0 {
			j.busy.Add(1) // before it has them: busy is 0 only when nothing is left
			if j.steal(from, o, pile.Never) {
				return true
			}
			j.leave()
		}
		if j.busy.Load() == 0 {
			break
		}
		if spins > asyncSpins+hubYields {
			j.sleep(worker)
		} else {
			pause(spins)
		}
	}
	j.busy.Add(1)
	return false
}

// pause passes some time: the more, the longer a worker has waited.
func pause(spins int) {
	switch {
	case spins > asyncSpins+hubYields:
		time.Sleep(asyncNap)
	case spins > asyncSpins:
		runtime.Gosched()
	default:
		for range asyncPause {
		}
	}
}

// leave marks the worker as idle.
func (j *asyncHost) leave() {
	if j.busy.Add(-1) == 0 && j.asleep.Load() > 0 {
		j.mu.Lock()
		j.change.Broadcast()
		j.mu.Unlock()
	}
}

// wake wakes a worker that sleeps.
func (j *asyncHost) wake() {
	j.mu.Lock()
	j.change.Signal()
	j.mu.Unlock()
}

// sleep waits until there may be something to take, or nothing more will come.
func (j *asyncHost) sleep(worker int) {
	j.asleep.Add(1)
	j.mu.Lock()
	for j.busy.Load() > 0 {
		if from, _ := j.victim(worker, pile.Never); from >= 0 {
			break
		}
		j.change.Wait()
	}
	j.mu.Unlock()
	j.asleep.Add(-1)
}
