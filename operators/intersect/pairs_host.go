// This file holds how the host shares out the edges, and chooses a strategy for
// each.

package intersect

import (
	"fmt"
	"math/bits"
	"sort"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
)

// onHost is the part of an Intersector that runs on the workers of a stream.
type onHost struct {
	p   *graph.Placed
	s   *host.Stream
	job pairsHost

	edges, common uint64 // of the last run
}

func (h *onHost) bind(s device.Stream) bool {
	hs, err := host.StreamOf(s)
	if err != nil {
		return false
	}
	h.s = hs
	return true
}

func (h *onHost) err() error        { return h.s.Err() }
func (*onHost) takes(Functor) error { return nil }
func (*onHost) remote() bool        { return false }

func (h *onHost) close() error {
	h.job.own = nil
	return nil
}

func (h *onHost) prepare() error {
	if h.p.Graph().Directed() {
		return nil
	}
	_, err := orientedOf(h.s, h.p)
	return err
}

func (h *onHost) run(o Options, f Functor, strategy strategy) (err error) {
	h.edges, h.common, err = h.job.run(h.s, h.p, o, f, strategy)
	return err
}

func (h *onHost) totals() (edges, common uint64, err error) { return h.edges, h.common, nil }

// pairsHost is one run. It is a host.Job.
type pairsHost struct {
	s        *host.Stream
	csr      *graph.CSR
	o        Options
	f        Functor // nil where there is nothing to tell it
	per      []uint32
	strategy strategy

	// Edges are numbered in the order of the sources, which are list, or all
	// vertices: those of source i begin with prefix[i].
	list   []uint32
	prefix []uint64
	bits   []uint64 // if a bitmap selects the sources
	edges  uint64

	tri    trianglesHost
	own    []*local
	sums   []uint64 // memory of prefix, where there is a list
	next   atomic.Uint64
	atomic bool // an edge may be visited by two workers
}

// local is what a worker has to itself.
type local struct {
	edges, total uint64
	k, pairs     int
	common       [tile]uint32
	pair         [tilePairs]Pair
	table        table
	_            [64]byte
}

func (j *pairsHost) run(s *host.Stream, p *graph.Placed, o Options, f Functor, strategy strategy) (edges, common uint64, err error) {
	o.Ascending = o.Ascending || o.Triangles
	j.s, j.csr, j.o, j.f, j.per, j.strategy = s, p.Graph().Out(), o, f, nil, strategy
	if c, ok := f.(*count); ok {
		j.f, j.per = nil, c.perEdge.Host()
	}
	if strategy == byLengths && o.Ascending && o.From == nil && !p.Graph().Directed() {
		if edges, common, ok, err := j.tri.count(s, p, o, f); ok || err != nil {
			return edges, common, err
		}
	}
	if err := j.sources(); err != nil {
		return 0, 0, err
	}
	for len(j.own) < s.Workers() {
		j.own = append(j.own, &local{})
	}
	for _, l := range j.own {
		l.edges, l.total, l.k, l.pairs = 0, 0, 0, 0
		l.table.forget()
	}
	j.next.Store(0)
	if j.edges <= chunkEdges || s.Workers() == 1 {
		j.Run(0)
	} else {
		s.Run(j)
	}
	for _, l := range j.own {
		edges += l.edges
		common += l.total
	}
	j.s, j.csr, j.o, j.f, j.per, j.list, j.prefix, j.bits = nil, nil, Options{}, nil, nil, nil, nil, nil
	return edges, common, s.Err()
}

// sources defines the edges to visit.
func (j *pairsHost) sources() error {
	j.prefix, j.list, j.bits, j.atomic = j.csr.Offsets, nil, nil, false
	j.edges = j.csr.NumEdges()
	if len(j.prefix) > 0 {
		j.prefix = j.prefix[:len(j.prefix)-1]
	}
	from := j.o.From
	switch {
	case from == nil:
	case from.Form() == frontier.Bitmap:
		j.bits = from.Bits()
	default:
		j.list, j.atomic = from.Queue(), true
		if cap(j.sums) < len(j.list) {
			j.sums = make([]uint64, len(j.list))
		}
		j.prefix, j.edges = j.sums[:len(j.list)], 0
		n := uint32(j.csr.NumVertices())
		for i, v := range j.list {
			if v >= n {
				return fmt.Errorf("intersect: %w: vertex %d of %d in Options.From; a functor or caller wrote it there", graph.ErrNoVertex, v, n)
			}
			j.prefix[i] = j.edges
			j.edges += j.csr.Degree(v)
		}
	}
	return nil
}

// Run is the share of one worker: chunks of edges, each of them from one source
// to the next.
func (j *pairsHost) Run(worker int) {
	l := j.own[worker]
	for !j.s.Stopped() {
		at := j.next.Add(chunkEdges) - chunkEdges
		if at >= j.edges {
			break
		}
		end := min(at+chunkEdges, j.edges)
		// The source that has edge at: the last that begins no later.
		i := sort.Search(len(j.prefix), func(i int) bool { return j.prefix[i] > at }) - 1
		for at < end && !j.s.Stopped() {
			u := uint32(i)
			if j.list != nil {
				u = j.list[i]
			}
			first := j.csr.Offsets[u] + at - j.prefix[i]
			last := min(j.csr.Offsets[u+1], first+end-at)
			if last > first && (j.bits == nil || j.bits[u>>6]>>(u&63)&1 != 0) {
				j.row(worker, l, u, first, last)
			}
			at += last - first
			i++
		}
	}
	j.flush(worker, l)
	l.table.forget()
}

// row visits the edges first to last, which leave u.
func (j *pairsHost) row(worker int, l *local, u uint32, first, last uint64) {
	c := j.csr
	a := c.Neighbors(u)
	targets := c.Targets[first:last]
	if j.o.Ascending {
		k := below(targets, u+1)
		targets, first = targets[k:], first+uint64(k)
	}
	l.edges += uint64(len(targets))
	if j.o.Triangles {
		a = a[:below(a, u)]
	}
	if len(a) == 0 || len(targets) == 0 {
		return
	}
	tables := j.strategy == byTable || j.strategy == byLengths && len(a) >= tableRow && len(targets) >= tablePairs
	for i, v := range targets {
		b := c.Neighbors(v)
		if j.o.Triangles {
			b = b[:below(b, u)]
		}
		if len(b) == 0 {
			continue
		}
		how := j.strategy
		if how == byLengths {
			how = choose(len(a), len(b), tables)
		}
		if how == byTable {
			l.table.hold(u, a, c.NumVertices())
		}
		j.pair(worker, l, Pair{Edge: first + uint64(i), U: u, V: v}, a, b, how)
	}
}

// choose returns the quickest way to intersect rows of these lengths, of which
// the first has a table.
func choose(a, b int, tables bool) strategy {
	short, long := min(a, b), max(a, b)
	how, cost := byMerge, mergeStep*(a+b)
	if c := searchStep * short * (bits.Len(uint(long/short)) + 1); c < cost {
		how, cost = bySearch, c
	}
	if tables && tableStep*b < cost {
		how = byTable
	}
	return how
}

// pair intersects two rows, in pieces that fit into the tile.
func (j *pairsHost) pair(worker int, l *local, p Pair, a, b []uint32, how strategy) {
	if how == bySearch && len(a) > len(b) {
		a, b = b, a
	}
	total := uint32(0)
	last := graph.NoVertex // the one before, which no row has
	for {
		if l.k >= flushAt || l.pairs == tilePairs {
			j.flush(worker, l)
		}
		k, out := 0, l.common[l.k:]
		done := true
		switch how {
		case byMerge:
			k, a, b, last = merge(a, b, out, last)
			done = len(a) == 0 || len(b) == 0
		case bySearch:
			piece := a[:min(len(a), len(out))]
			k, b, last = search(piece, b, out, last)
			a = a[len(piece):]
			done = len(a) == 0 || len(b) == 0
		case byTable:
			piece := b[:min(len(b), len(out))]
			k, last = l.table.find(piece, out, last)
			b = b[len(piece):]
			done = len(b) == 0
		}
		total += uint32(k)
		if k > 0 && j.f != nil {
			p.First, p.Len = uint32(l.k), uint32(k)
			l.pair[l.pairs] = p
			l.pairs++
			l.k += k
		}
		if done {
			break
		}
	}
	l.total += uint64(total)
	switch {
	case j.per == nil || total == 0:
	case j.atomic:
		atomic.AddUint32(&j.per[p.Edge], total)
	default:
		j.per[p.Edge] += total
	}
}

// flush passes a tile on.
func (j *pairsHost) flush(worker int, l *local) {
	pairs, common := l.pair[:l.pairs], l.common[:l.k]
	l.pairs, l.k = 0, 0
	if len(pairs) > 0 {
		j.f.Common(worker, pairs, common)
	}
}

// below returns how many entries of a row are less than v.
func below(row []uint32, v uint32) int {
	lo, hi := 0, len(row)
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); row[m] < v {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}
