// This file holds the keyed reduce on the host: rows in tiles, and long rows by all workers together.

package reduce

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// keyedHost is one keyed reduce. It is a host.Job.
type keyedHost[T device.Elem, V operators.Number] struct {
	s     *host.Stream
	f     KeyFunctor[T, V]
	score scorer[T]           // f, if it is one
	how   operators.Reduction // of values by key
	into  operators.Reduction // of the results of Apply
	csr   *graph.CSR
	n     int
	may   bool     // Gather may fault: it isn't called for edges that are skipped
	queue []uint32 // nil: all vertices
	level int32
	team  int // workers
	tile  int // rows
	phase keyedPhase
	runs  runs
	next  atomic.Int64
	hub   hub
	*keyedScratch[T, V]

	mu  sync.Mutex
	bad atomic.Pointer[error]
}

// keyedScratch is the memory of steps on the host.
type keyedScratch[T device.Elem, V operators.Number] struct {
	own    []keyedShare[T, V]
	parts  []V // of tiles, in order
	hubs   []hub
	keys   []uint32 // of a hub's edges
	values []T
	of     []partOf[V]
}

// partOf is what a part of a hub's keys comes to: the key that is chosen, or what Apply returned.
type partOf[V operators.Number] struct {
	key   uint32
	score float64
	value V
}

type keyedPhase uint8

const (
	keyedRows   keyedPhase = iota // all rows but those of hubs
	keyedPieces                   // keys and values of pieces of a hub's row
	keyedParts                    // totals of parts of a hub's keys
)

// keyedShare is what one worker has to itself.
type keyedShare[T device.Elem, V operators.Number] struct {
	table  keyTable
	rows   []operators.Row
	run    [1]operators.Row // of them, or a part of one
	keys   []uint32         // of the edges of rows
	values []T
	pairs  pairs[T]
	scores []float64
	ends   []int // of each row's pairs
	best   best
	_      [64]byte
}

// best are vertices with the keys that they chose.
type best struct {
	vs, keys []uint32
	scores   []float64
}

func (b *best) add(v, key uint32, score float64) {
	b.vs, b.keys, b.scores = append(b.vs, v), append(b.keys, key), append(b.scores, score)
}

// Host totals in tiles of rows.
func (s *byKey[T, V]) Host(x *step.Env) error {
	if err := s.check(x.Placed); err != nil {
		return err
	}
	return step.OnHost(s.f, step.Keys, x, s.use(), func() error { return s.onHost(x) })
}

func (s *byKey[T, V]) onHost(x *step.Env) error {
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
	defer func() { j.s, j.f, j.score, j.queue, j.csr, j.keyedScratch = nil, nil, nil, nil, nil, nil }()
	j.s, j.f, j.level, j.queue, j.csr, j.n = hs, s.f, x.Level, nil, s.rows(x.Placed), x.Placed.NumVertices()
	j.score, _ = s.f.(scorer[T])
	m, _ := link.Of(s.f)
	j.how, j.into, j.may = operators.Reduction(m.Code().Reduce), operators.Sum, len(m.Code().Sites) > 0
	if s.into != nil {
		j.into = operators.Reduction(s.into.How())
	}
	j.keyedScratch = step.Scratch[keyedScratch[T, V]](x)
	if from != nil {
		j.queue = from.Queue()
		j.n = len(j.queue)
	}
	total, err := j.reduce()
	if err != nil || s.into == nil {
		return err
	}
	return s.into.Set(total)
}

// reduce runs the phases, and returns what all vertices reduce to.
func (j *keyedHost[T, V]) reduce() (V, error) {
	if j.team = j.s.Workers(); len(j.own) != j.team {
		j.own = make([]keyedShare[T, V], j.team)
	}
	j.tile = tileRows
	for j.tile > leastRows && j.n < tilesLeast*j.tile {
		j.tile /= 2
	}
	tiles := (j.n + j.tile - 1) / j.tile
	j.parts = slices.Grow(j.parts[:0], tiles)[:tiles]
	j.hubs = j.hubs[:0]
	j.bad.Store(nil)
	offsets := j.csr.Offsets
	if j.queue != nil {
		offsets = nil
	}
	j.runs.divide(offsets, j.n, j.tile, j.team)
	total := operators.Identity[V](j.into)
	if err := j.run(keyedRows); err != nil {
		return total, err
	}
	for _, v := range j.parts {
		total = operators.Join(j.into, total, v)
	}
	slices.SortFunc(j.hubs, func(a, b hub) int { return a.at - b.at })
	for _, j.hub = range j.hubs {
		v, err := j.share()
		if err != nil {
			return total, err
		}
		total = operators.Join(j.into, total, v)
	}
	return total, nil
}

func (j *keyedHost[T, V]) run(p keyedPhase) error {
	j.phase = p
	j.next.Store(0)
	if j.team == 1 {
		j.Run(0)
	} else {
		j.s.RunOn(j.team, j)
	}
	if err := j.bad.Load(); err != nil {
		return *err
	}
	return j.s.Err()
}

// share totals a hub's row by all workers: each gets some of the keys.
func (j *keyedHost[T, V]) share() (V, error) {
	total, d := operators.Identity[V](j.into), int(j.csr.Degree(j.hub.v))
	j.of = slices.Grow(j.of[:0], j.team)[:j.team]
	j.keys, j.values = slices.Grow(j.keys[:0], d)[:d], slices.Grow(j.values[:0], d)[:d]
	for _, p := range []keyedPhase{keyedPieces, keyedParts} {
		if err := j.run(p); err != nil {
			return total, err
		}
	}
	b := partOf[V]{key: NoKey, score: math.Inf(-1)}
	for _, p := range j.of {
		if better(p.key, p.score, b.key, b.score) {
			b = p
		}
		total = operators.Join(j.into, total, p.value)
	}
	if j.score == nil {
		return total, nil
	}
	w := operators.Worker{Level: j.level, Alone: true}
	return j.f.ApplyKeys(w, []uint32{j.hub.v}, []uint32{b.key}, nil, []float64{b.score}), nil
}

// better reports that a key with a score is chosen before another one.
func better(key uint32, score float64, than uint32, s float64) bool {
	return score > s || key != NoKey && score == score && (than == NoKey || score == s && key < than)
}

// Run is the share of one worker.
func (j *keyedHost[T, V]) Run(worker int) {
	w := operators.Worker{ID: worker, Alone: j.team == 1, Level: j.level}
	l := &j.own[worker]
	for !j.s.Stopped() && j.bad.Load() == nil {
		i := int(j.next.Add(1)) - 1
		switch j.phase {
		case keyedPieces:
			if !j.piece(w, l, i) {
				return
			}
			continue
		case keyedParts:
			if i >= j.team {
				return
			}
			j.part(w, l, i)
			continue
		}
		lo, hi, ok := j.runs.rows(i)
		if !ok {
			return
		}
		for ; lo < hi && !j.s.Stopped() && j.bad.Load() == nil; lo += j.tile {
			j.tileOf(w, l, lo, min(lo+j.tile, hi))
		}
	}
}

// piece gets the keys and values of a piece of a hub's row. It reports whether there is one.
func (j *keyedHost[T, V]) piece(w operators.Worker, l *keyedShare[T, V], i int) bool {
	from := i * keyedPiece
	if from >= len(j.keys) {
		return false
	}
	to := min(from+keyedPiece, len(j.keys))
	l.rows = append(l.rows[:0], operators.Row{First: j.csr.Offsets[j.hub.v] + uint64(from), Source: j.hub.v, Len: uint32(to - from)})
	j.f.Keys(w, l.rows, j.csr.Targets, j.keys[from:to])
	j.gather(w, l, j.keys[from:to], j.values[from:to])
	return true
}

// gather gets the values of the edges of l.rows that have keys. Those of the others are left.
func (j *keyedHost[T, V]) gather(w operators.Worker, l *keyedShare[T, V], keys []uint32, values []T) {
	if !j.may || !slices.Contains(keys, NoKey) {
		j.f.Values(w, l.rows, j.csr.Targets, values)
		return
	}
	at := 0
	for _, r := range l.rows {
		for end := at + int(r.Len); at < end; {
			first := at
			for at < end && keys[at] != NoKey {
				at++
			}
			n := uint32(at - first)
			l.run[0] = operators.Row{First: r.First, Source: r.Source, Len: n}
			if n > 0 {
				j.f.Values(w, l.run[:], j.csr.Targets, values[first:at])
			}
			r.First += uint64(n)
			for ; at < end && keys[at] == NoKey; at++ {
				r.First++
			}
		}
	}
}

// part totals a part of a hub's keys.
func (j *keyedHost[T, V]) part(w operators.Worker, l *keyedShare[T, V], i int) {
	l.pairs.reset()
	addRow(&l.table, &l.pairs, j.hub.v, j.keys, j.values, j.how, uint32(i), uint32(j.team))
	if j.score == nil {
		j.of[i] = partOf[V]{NoKey, math.Inf(-1), j.f.ApplyKeys(w, l.pairs.vs, l.pairs.keys, l.pairs.totals, nil)}
		return
	}
	l.ends = append(l.ends[:0], len(l.pairs.keys))
	l.rows = append(l.rows[:0], operators.Row{Source: j.hub.v})
	b := j.choose(w, l)
	j.of[i] = partOf[V]{b.keys[0], b.scores[0], operators.Identity[V](j.into)}
}

// tileOf totals the rows of some vertices, as many at a time as have keyedEdges edges.
func (j *keyedHost[T, V]) tileOf(w operators.Worker, l *keyedShare[T, V], lo, hi int) {
	offsets, edges := j.csr.Offsets, uint64(0)
	sum := operators.Identity[V](j.into)
	l.rows = l.rows[:0]
	for i := lo; i < hi; i++ {
		v := uint32(i)
		if j.queue != nil {
			if v = j.queue[i]; int(v)+1 >= len(offsets) {
				err := fmt.Errorf("reduce: input frontier: %w: vertex %d of %d; a functor or caller wrote it there", graph.ErrNoVertex, v, len(offsets)-1)
				j.bad.CompareAndSwap(nil, &err)
				return
			}
		}
		d := offsets[v+1] - offsets[v]
		if d > keyedHub {
			j.mu.Lock()
			j.hubs = append(j.hubs, hub{v: v, at: i})
			j.mu.Unlock()
			continue
		}
		if edges+d > keyedEdges && len(l.rows) > 0 {
			sum = operators.Join(j.into, sum, j.rowsOf(w, l, edges))
			l.rows, edges = l.rows[:0], 0
		}
		l.rows = append(l.rows, operators.Row{First: offsets[v], Source: v, Len: uint32(d)})
		edges += d
	}
	j.parts[lo/j.tile] = operators.Join(j.into, sum, j.rowsOf(w, l, edges))
}

// rowsOf totals rows, which have so many edges, and applies what they come to.
func (j *keyedHost[T, V]) rowsOf(w operators.Worker, l *keyedShare[T, V], edges uint64) V {
	n := int(edges)
	l.keys, l.values = slices.Grow(l.keys[:0], n)[:n], slices.Grow(l.values[:0], n)[:n]
	j.f.Keys(w, l.rows, j.csr.Targets, l.keys)
	j.gather(w, l, l.keys, l.values)
	l.pairs.reset()
	l.ends = l.ends[:0]
	at := 0
	for _, r := range l.rows {
		end := at + int(r.Len)
		addRow(&l.table, &l.pairs, r.Source, l.keys[at:end], l.values[at:end], j.how, 0, 1)
		l.ends, at = append(l.ends, len(l.pairs.keys)), end
	}
	if j.score == nil {
		return j.f.ApplyKeys(w, l.pairs.vs, l.pairs.keys, l.pairs.totals, nil)
	}
	b := j.choose(w, l)
	return j.f.ApplyKeys(w, b.vs, b.keys, nil, b.scores)
}

// choose returns the key that each row chooses, by score.
func (j *keyedHost[T, V]) choose(w operators.Worker, l *keyedShare[T, V]) *best {
	p, b := &l.pairs, &l.best
	l.scores = slices.Grow(l.scores[:0], len(p.keys))[:len(p.keys)]
	j.score.Scores(w, p.vs, p.keys, p.totals, l.scores)
	b.vs, b.keys, b.scores = b.vs[:0], b.keys[:0], b.scores[:0]
	at := 0
	for i, end := range l.ends {
		key, score := uint32(NoKey), math.Inf(-1)
		for ; at < end; at++ {
			if better(p.keys[at], l.scores[at], key, score) {
				key, score = p.keys[at], l.scores[at]
			}
		}
		b.add(l.rows[i].Source, key, score)
	}
	return b
}
