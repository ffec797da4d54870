// This file holds the reduce on the host: rows in tiles, those of hubs in segments.

package reduce

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// gatherHost is one reduce. It is a host.Job.
type gatherHost[T device.Elem, V operators.Number] struct {
	s      *host.Stream
	f      Functor[T, V]
	follow nextFunctor[T] // f, if it is one and all vertices are gone through
	csr    *graph.CSR
	n      int
	queue  []uint32 // nil: all vertices
	level  int32
	alone  bool
	phase  phase
	tile   int // rows
	team   int // workers
	runs   runs
	next   atomic.Int64
	*scratch[T, V]

	mu  sync.Mutex
	bad atomic.Pointer[error]
}

// scratch is the memory of steps on the host.
type scratch[T device.Elem, V operators.Number] struct {
	own    []share[T]
	parts  []V // of tiles, in order
	hubs   []hub
	pieces []operators.Row
	totals []T // of pieces
}

type phase uint8

const (
	rowsPhase  phase = iota // all rows but those of hubs
	piecePhase              // pieces of hubs
)

// hub is a vertex whose row is cut up.
type hub struct {
	v     uint32
	at    int // in the frontier
	first int // its first piece
}

// share is what one worker has to itself.
type share[T any] struct {
	rows   [tileRows]operators.Row
	ids    [tileRows]uint32
	totals [tileRows]T
	_      [64]byte
}

// Host reduces in tiles of rows.
func (s *gather[T, V]) Host(x *step.Env) error {
	if err := s.check(x.Placed); err != nil { // before the functor asks for weights of in-edges, as on a GPU
		return err
	}
	return step.OnHost(s.f, step.Gathers, x, s.use(), func() error { return s.onHost(x) })
}

func (s *gather[T, V]) onHost(x *step.Env) error {
	from, err := s.from(x)
	if err != nil {
		return err
	}
	hs, err := host.StreamOf(x.Stream)
	if err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	if err := hs.Err(); err != nil {
		return err
	}
	j := &s.job
	j.s, j.f, j.level, j.queue, j.csr, j.n = hs, s.f, x.Level, nil, s.rows(x.Placed), x.Placed.NumVertices()
	j.scratch = step.Scratch[scratch[T, V]](x)
	defer func() { j.s, j.f, j.follow, j.queue, j.csr, j.scratch = nil, nil, nil, nil, nil, nil }()
	if from != nil {
		j.queue = from.Queue()
		j.n = len(j.queue)
	} else {
		j.follow, _ = any(s.f).(nextFunctor[T])
	}
	if len(j.own) != hs.Workers() {
		j.own = make([]share[T], hs.Workers())
	}
	j.tile = tileRows
	for j.tile > leastRows && j.n < tilesLeast*j.tile {
		j.tile /= 2
	}
	tiles := (j.n + j.tile - 1) / j.tile
	j.parts = slices.Grow(j.parts[:0], tiles)[:tiles]
	j.hubs = j.hubs[:0]
	j.bad.Store(nil)
	j.team = hs.Workers()
	if j.n < j.team*shareRows {
		j.team = j.workers()
	}
	j.alone = j.team == 1
	offsets := j.csr.Offsets
	if j.queue != nil {
		offsets = nil
	}
	j.runs.divide(offsets, j.n, j.tile, j.team)
	j.run(rowsPhase)
	if err := j.bad.Load(); err != nil {
		return *err
	}
	if err := hs.Err(); err != nil {
		return err
	}
	how := operators.Sum
	if s.into != nil {
		how = operators.Reduction(s.into.How())
	}
	total := operators.Identity[V](how)
	for _, v := range j.parts {
		total = operators.Join(how, total, v)
	}
	for _, v := range j.applyHubs() {
		total = operators.Join(how, total, v)
	}
	if err := hs.Err(); err != nil {
		return err
	}
	if s.into != nil {
		return s.into.Set(total)
	}
	return nil
}

// workers returns how many workers a small frontier is worth, by its edges.
func (j *gatherHost[T, V]) workers() int {
	offsets, edges := j.csr.Offsets, uint64(0)
	if j.queue == nil {
		edges = offsets[j.n]
	}
	for _, v := range j.queue {
		if int(v)+1 < len(offsets) { // else its tile has the flag
			edges += offsets[v+1] - offsets[v]
		}
	}
	return int(min(max(1, edges/shareEdges, uint64(j.n/shareRows)), uint64(j.team)))
}

func (j *gatherHost[T, V]) run(p phase) {
	j.phase = p
	j.next.Store(0)
	if j.alone {
		j.Run(0)
	} else {
		j.s.RunOn(j.team, j)
	}
}

// applyHubs reduces the rows that were put aside and applies their totals, in the order of
// the frontier. It returns what Apply did.
func (j *gatherHost[T, V]) applyHubs() (values []V) {
	if len(j.hubs) == 0 {
		return nil
	}
	slices.SortFunc(j.hubs, func(a, b hub) int { return a.at - b.at })
	j.pieces = j.pieces[:0]
	for i := range j.hubs {
		h := &j.hubs[i]
		h.first = len(j.pieces)
		first, last := j.csr.Offsets[h.v], j.csr.Offsets[h.v+1]
		for ; first < last; first += pieceEdges {
			j.pieces = append(j.pieces, operators.Row{First: first, Source: h.v, Len: uint32(min(pieceEdges, last-first))})
		}
	}
	j.totals = slices.Grow(j.totals[:0], len(j.pieces))[:len(j.pieces)]
	j.run(piecePhase)
	if j.s.Err() != nil {
		return nil
	}
	w := operators.Worker{Level: j.level, Alone: true}
	for i, h := range j.hubs {
		end := len(j.pieces)
		if i+1 < len(j.hubs) {
			end = j.hubs[i+1].first
		}
		total := j.totals[h.first]
		for _, t := range j.totals[h.first+1 : end] {
			total = j.f.Join(total, t)
		}
		values = append(values, j.f.Apply(w, []uint32{h.v}, []T{total}))
	}
	return values
}

// Run is the share of one worker.
func (j *gatherHost[T, V]) Run(worker int) {
	w := operators.Worker{ID: worker, Alone: j.alone, Level: j.level}
	for !j.s.Stopped() && j.bad.Load() == nil {
		if j.phase == piecePhase {
			i := int(j.next.Add(1)) - 1
			if i >= len(j.pieces) {
				return
			}
			j.f.Gather(w, j.pieces[i:i+1], j.csr.Targets, j.totals[i:i+1])
			continue
		}
		lo, hi, ok := j.runs.rows(int(j.next.Add(1)) - 1)
		if !ok {
			return
		}
		for ; lo < hi && !j.s.Stopped() && j.bad.Load() == nil; lo += j.tile {
			j.rowsOf(w, lo, min(lo+j.tile, hi))
		}
	}
}

// rowsOf reduces the rows of some vertices.
func (j *gatherHost[T, V]) rowsOf(w operators.Worker, lo, hi int) {
	l := &j.own[w.ID]
	k, offsets := 0, j.csr.Offsets
	if j.follow != nil && offsets[hi]-offsets[lo] <= hubEdges {
		for i := lo; i < hi; i++ {
			l.ids[i-lo] = uint32(i)
		}
		j.follow.GatherNext(w, uint32(lo), offsets[lo:hi+1], j.csr.Targets, l.totals[:hi-lo])
		j.parts[lo/j.tile] = j.f.Apply(w, l.ids[:hi-lo], l.totals[:hi-lo])
		return
	}
	for i := lo; i < hi; i++ {
		v := uint32(i)
		if j.queue != nil {
			if v = j.queue[i]; int(v)+1 >= len(offsets) {
				err := fmt.Errorf("reduce: input frontier: %w: vertex %d of %d; a functor or caller wrote it there", graph.ErrNoVertex, v, len(offsets)-1)
				j.bad.CompareAndSwap(nil, &err)
				return
			}
		}
		first := offsets[v]
		d := offsets[v+1] - first
		if d > hubEdges {
			j.mu.Lock()
			j.hubs = append(j.hubs, hub{v: v, at: i})
			j.mu.Unlock()
			continue
		}
		l.rows[k] = operators.Row{First: first, Source: v, Len: uint32(d)}
		l.ids[k] = v
		k++
	}
	j.f.Gather(w, l.rows[:k], j.csr.Targets, l.totals[:k])
	j.parts[lo/j.tile] = j.f.Apply(w, l.ids[:k], l.totals[:k])
}
