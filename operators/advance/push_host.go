// This file holds Push on the host: groups of frontier vertices, tiles of
// equal edge count, hubs cut up and shared.

package advance

import (
	"cmp"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/osmem/prefetch"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/pile"
)

// pushHost is one Push. It is a host.Job.
type pushHost struct {
	a    *onHost
	csr  *graph.CSR
	in   []uint32
	all  int // the frontier is so many vertices, the first ones; in is nil then
	out  *frontier.Frontier
	room []uint32 // the buffer of out; nil where the output is only counted
	f    Functor
	rows rowsFunctor // f, where it is one

	weights  []float32      // of the rows, where f looks at them
	wide     []float64      // of the rows, likewise: those of a graph whose weights float32 doesn't hold
	targets  []uint32       // of the rows
	paired   *pairedRows    // the rows, where f takes them with their weights side by side
	short    *placed.Ell4   // the rows of a push without rounds, where f looks at nothing but vertices
	byTarget uintptr        // an array that f looks at by sources and targets, where it is fetched ahead
	far      bool           // its elements have 8 bytes
	counted  *atomic.Uint64 // where edges are counted for that
	within   *Within        // rows are cut by it, if not nil
	group    int
	alone    bool
	trusted  bool // what f lets through isn't checked
	ranged   bool // ELL4 rows: workers write into ranges of room
	bits     bool // what f lets through is a bitmap that it fills
	parts    []part
	hubs     hubs
	fault    fault
	ell4     ell4Host
	async    asyncHost
}

// part is a worker's part of the frontier, of which all claim groups. The
// parts stay in the order of the workers from level to level, so that a worker
// mostly expands what it has found itself and still has in its cache.
type part struct {
	next atomic.Int64
	end  int
	_    [48]byte
}

func (j *pushHost) run(in, out *frontier.Frontier, f Functor) (uint64, error) {
	j.begin(in)
	if err := out.Reset(frontier.Queue); err != nil {
		return 0, err
	}
	if u, ok := f.(uniqueFunctor); !ok || !u.Unique() {
		need, err := j.need(in.Queue())
		if j.all > 0 {
			need = int(j.a.p.Graph().NumDirectedEdges())
		}
		if err != nil {
			return 0, err
		}
		if err := out.Grow(need); err != nil {
			return 0, err
		}
	}
	j.out, j.room = out, out.Room()
	j.call(f)
	edges := uint64(0)
	if ell4 := j.a.ell4Of(f); ell4 != nil && j.all == 0 {
		edges = j.ell4.run(in, ell4)
	} else {
		edges = j.runRows(in.Queue())
	}
	if err := j.end(); err != nil {
		out.SetLen(0)
		return 0, err
	}
	return edges, j.a.s.Err()
}

// runAsync pushes, and continues with vertices that are due, until nothing is left.
func (j *pushHost) runAsync(in []uint32, f Functor, due pile.Functor, far *farpile.Pile) (edges uint64, err error) {
	x, p := &j.async, &far.Host
	x.on, x.due = true, due
	defer func() { x.on, x.due = false, nil }() // after a panic too
	j.all, j.out, j.room, j.csr, j.ranged = 0, nil, nil, j.a.p.Graph().Out(), false
	j.call(f)
	j.a.reset()
	x.reset(j.a.s.Workers(), p.Now)
	j.alone = true
	x.begin(in, p)
	if x.runAlone(len(x.own) > 1) {
		j.alone = false
		j.a.s.Run(x)
	}
	for w := range x.own {
		p.Now = max(p.Now, x.own[w].last)
	}
	x.given = nil
	edges, _ = j.a.totals()
	if j.counted != nil {
		j.counted.Add(edges)
	}
	return edges, cmp.Or(j.end(), j.a.s.Err())
}

// begin looks at the input.
func (j *pushHost) begin(in *frontier.Frontier) {
	j.all, j.out, j.room = 0, nil, nil // of a push that panicked
	if in.Form() == frontier.All {
		j.all = j.a.p.NumVertices()
	}
	j.csr = j.a.p.Graph().Out()
}

// call readies the calls of the functor.
func (j *pushHost) call(f Functor) {
	j.f = f
	j.rows, _ = f.(rowsFunctor)
	j.trusted = isTrusted(f)
	j.targets, j.paired, j.short, j.counted, j.byTarget = j.csr.Targets, nil, nil, nil, 0
	m, ok := link.Of(j.given())
	if ok && j.async.on {
		j.shorten(m.Code())
	}
	if ok && (m.Code().Weights || m.Code().Wide > 0) {
		if m.Code().Weights {
			j.weights = j.csr.Weights
		}
		if m.Code().Wide > 0 {
			j.wide = j.wideOf(m)
		}
		j.pair(m)
		if c := m.Code(); j.paired == nil && c.ByTarget64 && j.all == 0 {
			j.byTarget, j.far = m.State(link.Key{}).ByTarget(c), true
		}
	}
	j.hubs.reset()
	j.fault.clear() // of a call that panicked
}

// end releases the arguments of the push, and returns its error.
func (j *pushHost) end() error {
	j.in, j.out, j.room, j.f, j.rows, j.weights, j.wide = nil, nil, nil, nil, nil, nil, nil
	j.targets, j.paired, j.short, j.counted = nil, nil, nil, nil
	return j.fault.clear()
}

// runRows pushes over the rows of the CSR.
func (j *pushHost) runRows(queue []uint32) uint64 {
	j.in, j.ranged = queue, false
	j.a.reset()
	team := j.team(queue)
	if j.alone = team == 1; j.alone {
		j.runAlone()
	} else {
		j.share(team)
		j.a.s.RunOn(team, j)
	}
	for w := range j.a.own {
		j.flush(&j.a.own[w]) // in the order of the workers
	}
	edges, _ := j.a.totals()
	if j.counted != nil {
		j.counted.Add(edges)
	}
	return edges
}

// need returns how many entries the output may get.
func (j *pushHost) need(vs []uint32) (int, error) {
	offsets, sum := j.csr.Offsets, uint64(0)
	n := uint64(len(offsets) - 1)
	for _, v := range vs {
		if uint64(v) >= n {
			return 0, j.noVertex(v)
		}
		sum += offsets[v+1] - offsets[v]
	}
	return int(sum), nil
}

// team returns how many workers a frontier is shared among: one where that costs more than it
// gains, and no more than there is work for.
func (j *pushHost) team(vs []uint32) int {
	workers := j.a.s.Workers()
	if workers == 1 || j.all > 0 || len(vs) >= workers*shareVertices {
		return workers
	}
	edges := int(min(j.degrees(vs), uint64(workers)*shareEdges))
	if len(vs) <= aloneVertices && edges <= aloneEdges {
		return 1
	}
	return min(workers, max(2, len(vs)/shareVertices, edges/shareEdges))
}

// share divides the frontier into parts and sizes the groups.
func (j *pushHost) share(team int) {
	if cap(j.parts) < team {
		j.parts = make([]part, j.a.s.Workers())
	}
	j.parts = j.parts[:team]
	n := j.size()
	for w := range j.parts {
		j.parts[w].next.Store(int64(n * w / team))
		j.parts[w].end = n * (w + 1) / team
	}
	j.group = min(max(n/(8*team), 1), groupVertices)
}

// size is how many vertices the frontier has.
func (j *pushHost) size() int { return max(len(j.in), j.all) }

// claim returns a group of part p, or an empty one at the end.
func (j *pushHost) claim(p *part, l *local) []uint32 {
	i := int(p.next.Add(int64(j.group))) - j.group
	if i >= p.end {
		return nil
	}
	return j.some(i, min(i+j.group, p.end), l)
}

// some returns entries of the frontier, a group at most.
func (j *pushHost) some(lo, hi int, l *local) []uint32 {
	if j.all == 0 {
		return j.in[lo:hi]
	}
	for i := lo; i < hi; i++ {
		l.ids[i-lo] = uint32(i)
	}
	return l.ids[:hi-lo]
}

// degrees returns the number of edges out of the vertices.
func (j *pushHost) degrees(vs []uint32) (sum uint64) {
	offsets := j.csr.Offsets
	for _, v := range vs {
		if int(v)+1 < len(offsets) { // else add says so
			sum += offsets[v+1] - offsets[v]
		}
	}
	return sum
}

// runAlone does all of it on worker 0, straight into the output.
func (j *pushHost) runAlone() {
	l := &j.a.own[0]
	for i, n := 0, j.size(); i < n && !j.stopped(); i += groupVertices {
		vs := j.some(i, min(i+groupVertices, n), l)
		j.fetch(vs)
		j.add(0, l, vs)
	}
	j.tile(0, l)
}

// Run is the share of one worker.
func (j *pushHost) Run(worker int) {
	l := &j.a.own[worker]
	j.visitParts(worker, l)
	j.visitHubs(worker, l)
}

// visitParts visits what a worker gets of the parts.
func (j *pushHost) visitParts(worker int, l *local) {
	j.hubs.enter()
	defer j.hubs.leave() // the others wait for this, even after a panic
	for i := range j.parts {
		p := &j.parts[(worker+i)%len(j.parts)]
		for !j.stopped() {
			vs := j.claim(p, l)
			if len(vs) == 0 {
				break
			}
			j.fetch(vs)
			j.add(worker, l, vs)
		}
	}
	j.tile(worker, l)
}

// visitHubs visits what a worker gets of the pieces of long rows.
func (j *pushHost) visitHubs(worker int, l *local) {
	for !j.stopped() {
		r, ok := j.hubs.take()
		if !ok {
			break
		}
		l.rows[0], l.n, l.edges = r, 1, uint64(r.Len)
		j.tile(worker, l)
	}
}

// add gathers the rows of some vertices into tiles and passes on those that
// are full.
func (j *pushHost) add(worker int, l *local, vs []uint32) {
	if j.paired != nil {
		j.addPaired(worker, l, vs)
		return
	}
	if j.short != nil {
		j.addShort(worker, l, vs)
		return
	}
	offsets := j.csr.Offsets
	touched := uint32(0)
	for _, v := range vs {
		if int(v)+1 >= len(offsets) {
			j.fault.report(j.noVertex(v))
			return
		}
		first := offsets[v]
		d := offsets[v+1] - first
		if j.within != nil {
			first, d = j.within.cut(j.csr.Weights, v, first, d)
		}
		if d == 0 {
			continue
		}
		touched += j.touch(first, d)
		j.row(worker, l, v, first, d)
	}
	l.touched = touched
}

// touch fetches a row for the functor, many rows at a time: loads whose result isn't needed. Of a long row
// it fetches the beginning, and the processor continues.
func (j *pushHost) touch(first, d uint64) (touched uint32) {
	last := first + 1
	if d <= touchEdges {
		last = first + d
	}
	for e := first; e < last; e += lineEdges {
		touched += j.targets[e]
	}
	if j.weights != nil {
		for e := first; e < last; e += lineEdges {
			touched += math.Float32bits(j.weights[e])
		}
	}
	if j.wide != nil {
		for e := first; e < last; e += lineEdges / 2 {
			touched += uint32(math.Float64bits(j.wide[e]))
		}
	}
	return touched
}

// row adds a row, or a part of one, to the tile.
func (j *pushHost) row(worker int, l *local, v uint32, first, d uint64) {
	if l.edges+d > tileEdges || l.n == groupVertices {
		j.tile(worker, l)
		if d > tileEdges {
			j.long(worker, l, v, first, d)
			return
		}
	}
	l.rows[l.n] = operators.Row{First: first, Source: v, Len: uint32(d)}
	l.n++
	l.edges += d
}

// long passes on a row that is longer than a tile: a hub's for all workers.
func (j *pushHost) long(worker int, l *local, v uint32, first, d uint64) {
	if d >= hubEdges && !j.alone && !j.async.on {
		j.hubs.add(v, first, d)
		return
	}
	for d > 0 {
		part := min(d, tileEdges)
		l.rows[0], l.n, l.edges = operators.Row{First: first, Source: v, Len: uint32(part)}, 1, part
		j.tile(worker, l)
		first, d = first+part, d-part
	}
}

// tile calls the functor on the rows gathered.
func (j *pushHost) tile(worker int, l *local) { j.tileOf(worker, l, j.targets) }

// tileOf does so with rows of these targets.
func (j *pushHost) tileOf(worker int, l *local, targets []uint32) {
	if l.n == 0 {
		return
	}
	w := operators.Worker{ID: worker, Alone: j.alone, Level: j.a.Level}
	rows, edges := l.rows[:l.n], l.edges
	l.n, l.edges = 0, 0
	l.visited += edges
	direct := j.alone && j.room != nil && !j.ranged && !j.async.on
	var out []uint32
	if direct {
		if out = j.spare(int(edges)); out == nil {
			return
		}
	} else {
		if uint64(len(l.out)-l.k) < edges {
			j.flush(l)
		}
		out = l.out[l.k:]
	}
	k := 0
	if j.rows != nil {
		if j.byTarget != 0 {
			if j.far {
				prefetch.Ends64(j.byTarget, rows, targets)
			} else {
				prefetch.Ends(j.byTarget, rows, targets)
			}
		}
		k = j.emits("VisitRows", j.rows.VisitRows(w, rows, targets, out), int(edges))
	} else {
		for _, r := range rows {
			k += j.emits("Visit", j.f.Visit(w, r.Source, r.First, targets[r.First:r.First+uint64(r.Len)], out[k:]), int(r.Len))
		}
	}
	if !j.async.on { // which looks itself
		k = j.through(out, k)
	}
	switch {
	case j.room == nil && !j.async.on:
		l.emitted += k
	case direct:
		j.out.Reserve(k)
	default:
		if l.k += k; l.k >= flushAt {
			j.flush(l)
		}
	}
}

// flush moves a worker's output into room that it reserves in the frontier.
func (j *pushHost) flush(l *local) {
	if l.k == 0 {
		return
	}
	switch {
	case j.async.on:
		j.async.keep(l, l.own)
		return
	case j.ranged:
		j.ell4.keep(l)
		return
	}
	at := j.out.Reserve(l.k)
	if at+l.k > len(j.room) {
		j.tooMany()
	} else {
		copy(j.room[at:], l.out[:l.k])
	}
	l.k = 0
}

// hubs holds the pieces of long rows, for all workers to take.
type hubs struct {
	busy   atomic.Int32 // workers that may still add
	asleep atomic.Int32 // workers that wait in sleep
	len    atomic.Int32
	mu     sync.Mutex
	change sync.Cond // of pieces, or of busy to 0; its lock is mu
	pieces []operators.Row
	taken  int
}

// enter and leave enclose the time in which a worker may add.
func (h *hubs) enter() { h.busy.Add(1) }

func (h *hubs) leave() {
	if h.busy.Add(-1) == 0 {
		h.wake()
	}
}

// wake wakes the workers that sleep. The lock keeps it from coming between a
// sleeper's look and its sleep.
func (h *hubs) wake() {
	if h.asleep.Load() > 0 {
		h.mu.Lock()
		h.change.Broadcast()
		h.mu.Unlock()
	}
}

func (h *hubs) reset() {
	h.change.L = &h.mu
	h.pieces, h.taken = h.pieces[:0], 0
	h.len.Store(0)
	h.busy.Store(0)
}

// add cuts a row into pieces of a tile each.
func (h *hubs) add(v uint32, first, d uint64) {
	defer h.wake()
	h.mu.Lock()
	defer h.mu.Unlock()
	for d > 0 {
		part := min(d, tileEdges)
		h.pieces = append(h.pieces, operators.Row{First: first, Source: v, Len: uint32(part)})
		first, d = first+part, d-part
	}
	h.len.Store(int32(len(h.pieces)))
}

// take returns a piece. While another worker may add pieces it waits: it spins,
// yields, then sleeps. On a machine that is busy with other work the one that
// it waits for may have been taken off its core, and spinning would keep it off.
// false means that there are no more pieces and won't be.
func (h *hubs) take() (operators.Row, bool) {
	for spins := 0; ; spins++ {
		idle := h.busy.Load() == 0 // before the look: what was added by then is seen
		if h.len.Load() > 0 {
			h.mu.Lock()
			if h.taken < len(h.pieces) {
				r := h.pieces[h.taken]
				h.taken++
				h.mu.Unlock()
				return r, true
			}
			h.mu.Unlock()
		}
		switch {
		case idle:
			return operators.Row{}, false
		case spins > hubSpins+hubYields:
			h.sleep()
		case spins > hubSpins:
			runtime.Gosched()
		}
	}
}

// sleep waits until there may be a piece, or no more will come.
func (h *hubs) sleep() {
	h.asleep.Add(1)
	h.mu.Lock()
	for h.busy.Load() > 0 && h.taken == len(h.pieces) {
		h.change.Wait()
	}
	h.mu.Unlock()
	h.asleep.Add(-1)
}
