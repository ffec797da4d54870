// This file holds Push on the host: groups of frontier vertices, tiles of
// equal edge count, hubs cut up and shared.

package advance

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// pushHost is one Push. It is a host.Job.
type pushHost struct {
	a    *Advancer
	csr  *graph.CSR
	in   []uint32
	out  *frontier.Frontier
	room []uint32 // the buffer of out; nil where the output is only counted
	f    Functor
	rows RowsFunctor // f, where it is one

	group int
	alone bool
	next  counter
	hubs  hubs
}

func (j *pushHost) run(in, out *frontier.Frontier, f Functor) (Edges, error) {
	s := j.a.s
	if err := s.Err(); err != nil {
		return 0, err
	}
	queue := in.Queue()
	j.csr = j.a.p.Graph().Out()
	if err := out.Reset(frontier.Queue); err != nil {
		return 0, err
	}
	if u, ok := f.(UniqueFunctor); !ok || !u.Unique() {
		if err := out.Grow(int(j.degrees(queue))); err != nil {
			return 0, err
		}
	}
	j.in, j.out, j.room, j.f = queue, out, out.Room(), f
	j.rows, _ = f.(RowsFunctor)
	j.a.reset()
	j.hubs.reset()
	j.next.n.Store(0)
	j.alone = s.Workers() == 1 ||
		len(queue) <= aloneVertices && j.degrees(queue) <= aloneEdges
	if j.alone {
		j.runAlone()
	} else {
		j.group = min(max(len(queue)/(8*s.Workers()), 1), groupVertices)
		s.Run(j)
	}
	edges, _ := j.a.totals()
	j.in, j.out, j.room, j.f, j.rows = nil, nil, nil, nil, nil
	return edges, s.Err()
}

// degrees returns the number of edges out of the vertices.
func (j *pushHost) degrees(vs []uint32) (sum uint64) {
	offsets := j.csr.Offsets
	for _, v := range vs {
		sum += offsets[v+1] - offsets[v]
	}
	return sum
}

// runAlone does all of it on worker 0, straight into the output.
func (j *pushHost) runAlone() {
	l := &j.a.own[0]
	for i := 0; i < len(j.in) && !j.a.s.Stopped(); i += groupVertices {
		j.add(0, l, j.in[i:min(i+groupVertices, len(j.in))])
		j.tile(0, l)
	}
}

// Run is the share of one worker.
func (j *pushHost) Run(worker int) {
	l := &j.a.own[worker]
	j.hubs.busy.Add(1)
	for !j.a.s.Stopped() {
		i := int(j.next.n.Add(int64(j.group))) - j.group
		if i >= len(j.in) {
			break
		}
		j.add(worker, l, j.in[i:min(i+j.group, len(j.in))])
	}
	j.tile(worker, l)
	j.hubs.busy.Add(-1)
	for !j.a.s.Stopped() {
		r, ok := j.hubs.take()
		if !ok {
			break
		}
		l.rows[0], l.n, l.edges = r, 1, uint64(r.Len)
		j.tile(worker, l)
	}
	j.flush(l)
}

// add gathers the rows of some vertices into tiles and passes on those that
// are full.
func (j *pushHost) add(worker int, l *local, vs []uint32) {
	offsets := j.csr.Offsets
	n, edges := l.n, l.edges
	for _, v := range vs {
		first := offsets[v]
		d := offsets[v+1] - first
		if d == 0 {
			continue
		}
		if edges+d > TileEdges || n == groupVertices {
			l.n, l.edges = n, edges
			j.tile(worker, l)
			n, edges = 0, 0
			if d > TileEdges {
				j.long(worker, l, v, first, d)
				continue
			}
		}
		l.rows[n] = Row{First: first, Source: v, Len: uint32(d)}
		n++
		edges += d
	}
	l.n, l.edges = n, edges
}

// long passes on a row that is longer than a tile: a hub's for all workers.
func (j *pushHost) long(worker int, l *local, v uint32, first, d uint64) {
	if d >= hubEdges && !j.alone {
		j.hubs.add(v, first, d)
		return
	}
	for d > 0 {
		part := min(d, TileEdges)
		l.rows[0], l.n, l.edges = Row{First: first, Source: v, Len: uint32(part)}, 1, part
		j.tile(worker, l)
		first, d = first+part, d-part
	}
}

// tile calls the functor on the rows gathered.
func (j *pushHost) tile(worker int, l *local) {
	if l.n == 0 {
		return
	}
	w := Worker{ID: worker, Alone: j.alone}
	rows, edges := l.rows[:l.n], l.edges
	l.n, l.edges = 0, 0
	l.visited += edges
	direct := j.alone && j.room != nil
	var out []uint32
	if direct {
		out = j.out.Spare()
	} else {
		if uint64(len(l.out)-l.k) < edges {
			j.flush(l)
		}
		out = l.out[l.k:]
	}
	k := 0
	if j.rows != nil {
		k = j.rows.VisitRows(w, rows, j.csr.Targets, out)
	} else {
		for _, r := range rows {
			k += j.f.Visit(w, r.Source, r.First, j.csr.Targets[r.First:r.First+uint64(r.Len)], out[k:])
		}
	}
	switch {
	case j.room == nil:
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
	at := j.out.Reserve(l.k)
	copy(j.room[at:], l.out[:l.k])
	l.k = 0
}

// hubs holds the pieces of long rows, for all workers to take.
type hubs struct {
	busy   atomic.Int32 // workers that may still add
	len    atomic.Int32
	mu     sync.Mutex
	pieces []Row
	taken  int
}

func (h *hubs) reset() {
	h.pieces, h.taken = h.pieces[:0], 0
	h.len.Store(0)
	h.busy.Store(0)
}

// add cuts a row into pieces of a tile each.
func (h *hubs) add(v uint32, first, d uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for d > 0 {
		part := min(d, TileEdges)
		h.pieces = append(h.pieces, Row{First: first, Source: v, Len: uint32(part)})
		first, d = first+part, d-part
	}
	h.len.Store(int32(len(h.pieces)))
}

// take returns a piece. While another worker may add pieces it waits; false
// means that there are no more and won't be.
func (h *hubs) take() (Row, bool) {
	for spins := 0; ; spins++ {
		if spins > 1<<12 {
			runtime.Gosched()
		}
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
		if idle {
			return Row{}, false
		}
	}
}
