// This file holds the worker whose passes over edges are steps with functors, for GPUs.

package modularity

import (
	"context"
	"errors"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// stepWorker is a worker by steps.
type stepWorker struct {
	ctx  context.Context
	team *team
	s    *scale
	c    *contractor
	open []*site
}

// site is a level on the device.
type site struct {
	p            *graph.Placed
	owned        bool // the graph isn't the caller's
	t            *traverse.Traversal
	w            *device.Buffer[int64] // weights
	mask         uint64                // of the indices of w
	rank         *device.Buffer[uint32]
	degree, in   *device.Buffer[int64]
	joined, next *device.Buffer[uint32] // scratch: one entry for each vertex
	active       *device.Buffer[uint32]
}

// baseSite is a placed graph that has the rows of the first level.
type baseSite struct{ p *graph.Placed }

// Close frees it.
func (b *baseSite) Close() error { return b.p.Close() }

type baseSiteKey struct {
	placed.Of[*baseSite]
	weighted bool
}

// baseSiteOf returns the placed graph of a first level whose rows the graph lacks: it has weights, or edges in both directions.
func baseSiteOf(ctx context.Context, p *graph.Placed, l *level, weighted bool) (*graph.Placed, error) {
	if g := p.Graph(); !weighted && !g.Directed() && g.WeightType() == graph.WeightsAuto {
		return p, nil
	}
	b, err := placed.LoadOrMakeIn(ctx, p.State(), baseSiteKey{weighted: weighted}, func() (*baseSite, error) {
		rows := graph.CSR{Offsets: l.offsets, Targets: l.targets}
		if l.weights != nil {
			rows.IntWeights, rows.Weights = l.weights, make([]float32, len(l.weights))
		}
		g, err := graph.FromCSR(rows, graph.CSROptions{Order: graph.OrderGiven, Stored: graph.Stored{Checked: true}})
		if err != nil {
			return nil, err
		}
		to, err := g.On(p.Device())
		if err != nil {
			return nil, err
		}
		return &baseSite{to}, nil
	})
	if err != nil {
		return nil, err
	}
	return b.p, nil
}

// begin makes the arrays of a level.
func (x *stepWorker) begin(l *level, p *graph.Placed, owned bool) error {
	t := traverse.New(x.ctx, p)
	s := &site{p: p, owned: owned, t: t}
	l.site, x.open = s, append(x.open, s)
	switch g := p.Graph(); {
	case t.Err() != nil:
		return t.Err()
	case g.WeightType() == graph.WeightsAuto || g.NumDirectedEdges() == 0:
		s.w = traverse.ArrayN(t, 1, int64(1))
	case g.State().ExactWeights():
		s.w, s.mask = traverse.EdgeArray(t, int64(0)), ^uint64(0)
		t.Do(t.All(), advance.VisitAll(newWiden(s.w)))
	default:
		if err := g.Fetch(); err != nil {
			return err
		}
		s.w, s.mask = traverse.FromSlice(t, g.Out().IntWeights), ^uint64(0)
	}
	s.degree = traverse.FromSlice(t, l.degree)
	s.in = s.degree
	if l.in != nil {
		s.in = traverse.FromSlice(t, l.in)
	}
	if s.rank = traverse.VertexIDs(t); l.rank != nil {
		s.rank = traverse.FromSlice(t, l.rank)
	}
	s.joined, s.next, s.active = traverse.Array[uint32](t, 0), traverse.Array[uint32](t, 0), traverse.Array[uint32](t, 0)
	return t.Err()
}

// tables are a partition on the device, where labels are ranks.
type tables struct {
	label, size *device.Buffer[uint32]
	total, in   *device.Buffer[int64]
}

// Labels are ranks there.
func (s *site) put(l *level, p *partition) *tables {
	p = l.renamed(p, l.rank, l.vertex)
	b := &tables{label: traverse.FromSlice(s.t, p.label), size: traverse.FromSlice(s.t, p.size), total: traverse.FromSlice(s.t, p.total)}
	if b.in = b.total; p.in != nil {
		b.in = traverse.FromSlice(s.t, p.in)
	}
	return b
}

// renamed returns a partition with other labels: to has the new one of each, and from returns the old one.
func (l *level) renamed(p *partition, to []uint32, from func(uint32) uint32) *partition {
	if l.rank == nil {
		return p
	}
	q := &partition{label: make([]uint32, l.n), total: make([]int64, l.n), size: make([]uint32, l.n)}
	if p.in != nil {
		q.in = make([]int64, l.n)
	}
	for v := range q.label {
		q.label[v] = to[p.label[v]]
		old := from(uint32(v)) // v as a label
		if q.total[v], q.size[v] = p.total[old], p.size[old]; p.in != nil {
			q.in[v] = p.in[old]
		}
	}
	return q
}

// get reads a partition back.
func (s *site) get(l *level, b *tables, p *partition) error {
	err := s.t.Sync()
	if err == nil {
		err = errors.Join(read(s, b.label, p.label), read(s, b.size, p.size), read(s, b.total, p.total))
	}
	if err == nil && p.in != nil {
		err = read(s, b.in, p.in)
	}
	if err == nil && l.rank != nil {
		*p = *l.renamed(p, l.byRank, l.rankOf)
	}
	return err
}

func read[T device.Elem](s *site, from *device.Buffer[T], to []T) error {
	if h := from.Host(); h != nil || len(to) == 0 {
		copy(to, h)
		return nil
	}
	return from.Read(s.p.Device(), 0, to)
}

func (l *level) isDirected() uint32 {
	if l.in == nil {
		return 0
	}
	return 1
}

func (x *stepWorker) move(l *level, p *partition, seed uint64) (rounds int, moved bool, err error) {
	s, parts := l.site, l.parts()
	t, b := s.t, s.put(l, p)
	degrees := traverse.Degrees(t)
	t.Do(t.All(), foreach.All(newFirst(s.active, s.joined), nil))
	for round := 1; round <= mostRounds; round++ {
		moves, draw, all := 0, roundSeed(seed, round), uint32(0)
		if round <= 2 {
			all = 1
		}
		for k := range parts {
			cur := t.All()
			t.Do(cur, filter.Keep(newTurn(s.rank, s.active, degrees, draw, parts, k, all)),
				reduce.OutByKey(newMove(b.label, s.next, b.size, s.degree, s.in, b.total, b.in, s.w, s.mask, x.s.expect, x.s.slack, draw, parts, k, l.isDirected()), nil),
				filter.Keep(newSettle(b.label, s.next, b.size, s.degree, b.total)))
			n := cur.Len()
			if t.Err() != nil {
				return rounds, moved, t.Err()
			}
			if moves += n; n == 0 {
				continue
			}
			if l.in != nil {
				t.Do(cur, foreach.Each(newShift(s.next, b.label, s.in, b.in), nil))
			}
			if round > 1 {
				t.Do(cur, advance.Visit(newWake(b.label, s.active)))
			}
		}
		rounds, moved = round, moved || moves > 0
		if l.settled(moves) {
			break
		}
	}
	return rounds, moved, s.get(l, b, p)
}

func (x *stepWorker) refine(l *level, p, r *partition, seed uint64) error {
	s, parts := l.site, l.parts()
	t, b, c := s.t, s.put(l, p), s.put(l, r)
	links := traverse.Array(t, int64(0))
	t.Do(t.All(), foreach.All(newFirst(s.active, s.joined), nil), reduce.Out(newInside(b.label, s.rank, links, s.w, s.mask), nil))
	for k := range parts {
		cur, now := t.All(), k+1
		t.Do(cur, filter.Keep(newAlone(b.label, c.label, c.size, s.rank, links, b.total, b.in, c.total, c.in, x.s.expect, seed, parts, k, l.isDirected())),
			reduce.OutByKey(newChoose(b.label, c.label, c.size, s.rank, s.next, s.degree, s.in, links, b.total, b.in, c.total, c.in, s.w, s.mask,
				x.s.expect, x.s.noise, seed, parts, k, l.isDirected()), nil),
			filter.Keep(newJoin(c.label, s.next, c.size, s.joined, s.degree, c.total, now)))
		if l.in != nil {
			t.Do(cur, foreach.Each(newShift(s.next, c.label, s.in, c.in), nil))
		}
		t.Do(cur, reduce.Out(newRelink(b.label, c.label, s.joined, links, s.w, s.mask, now), nil))
		if t.Err() != nil {
			return t.Err()
		}
	}
	return s.get(l, c, r)
}

// contract lets the device contract, unless the level is small, weights need more than float32, or memory is short there. Then
// the host does.
func (x *stepWorker) contract(l *level, r *partition) (*level, []uint32, error) {
	if l.site.p.Graph().NumDirectedEdges() >= tuning.DeviceEdges {
		to, number, err := x.contractThere(l, r)
		if err == nil || x.ctx.Err() != nil {
			return to, number, err
		}
	}
	if err := x.rows(l); err != nil {
		return nil, nil, err
	}
	to, number, err := x.c.run(l, r)
	if err != nil {
		return nil, nil, err
	}
	to.compact()
	rows := graph.CSR{Offsets: to.offsets, Targets: to.targets, IntWeights: to.weights, Weights: make([]float32, len(to.weights))}
	g, err := graph.FromCSR(rows, graph.CSROptions{Order: graph.OrderGiven, Stored: graph.Stored{Checked: true}})
	if err != nil {
		return nil, nil, err
	}
	p, err := g.On(l.site.p.Device())
	if err != nil {
		return nil, nil, errors.Join(err, g.Close())
	}
	return to, number, x.begin(to, p, true)
}

func (x *stepWorker) contractThere(l *level, r *partition) (*level, []uint32, error) {
	number, n, err := x.c.numbers(l, r.size)
	if err != nil {
		return nil, nil, err
	}
	to := &level{n: n, degree: make([]int64, n), total: l.total, entries: l.entries}
	if l.in != nil {
		to.in = make([]int64, n)
	}
	labels := make([]uint32, l.n)
	if err := x.team.pieces(l.n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			labels[v] = number[r.label[v]]
			if r.size[v] > 0 { // v as a label
				to.degree[number[v]] = r.total[v]
				if l.in != nil {
					to.in[number[v]] = r.in[v]
				}
			}
		}
	}); err != nil {
		return nil, nil, err
	}
	s := l.site
	b := traverse.FromSlice(s.t, labels)
	if err := s.t.Sync(); err != nil {
		return nil, nil, err
	}
	g, err := s.p.Contract(x.ctx, b, graph.Options{Weights: true, WeightType: graph.WeightsInt64, Combine: graph.CombineSum, Order: graph.OrderGiven, DeviceOnly: true})
	if err != nil {
		return nil, nil, err
	}
	p, err := g.On(s.p.Device())
	if err != nil {
		return nil, nil, errors.Join(err, g.Close())
	}
	return to, number, x.begin(to, p, true)
}

func (x *stepWorker) cut(l *level, p *partition) (int64, error) {
	t, s := l.site.t, l.site
	sum := traverse.Scalar[int64](t, operators.Sum)
	if t.Err() == nil {
		t.Do(t.All(), reduce.Out(newBetween(traverse.FromSlice(t, p.label), s.w, s.mask), sum))
	}
	return traverse.Get(t, sum), t.Err()
}

func (x *stepWorker) rows(l *level) error {
	g := l.site.p.Graph()
	if l.offsets != nil {
		return nil
	}
	if err := g.Fetch(); err != nil {
		return err
	}
	out := g.Out()
	if l.offsets, l.targets, l.weights = out.Offsets, out.Targets, out.IntWeights; l.weights == nil && out.Weights != nil {
		l.weights = make([]int64, len(out.Weights))
		for e, w := range out.Weights {
			l.weights[e] = int64(w)
		}
	}
	if l.ends = nil; l.n > 0 {
		l.ends = l.offsets[1:]
	}
	l.divide()
	return nil
}

func (x *stepWorker) leave(l *level) error {
	s := l.site
	i := slices.Index(x.open, s)
	if i < 0 {
		return nil
	}
	x.open = slices.Delete(x.open, i, i+1)
	return s.close()
}

// close leaves all levels.
func (x *stepWorker) close() (err error) {
	for _, s := range x.open {
		err = errors.Join(err, s.close())
	}
	x.open = nil
	return err
}

func (s *site) close() error {
	s.t.Close()
	if !s.owned {
		return nil
	}
	return errors.Join(s.p.Graph().Close(), s.p.Close())
}
