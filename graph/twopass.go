// This file holds TwoPass, which reads its input twice instead of holding it.

package graph

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/callctx"
)

// TwoPass builds a graph without holding the edges: read is called twice, and
// must yield the same edges each time (in any order, from any number of
// goroutines). Apart from the graph and the id map it holds nothing per edge.
//
// The graph is the one that a Builder makes. For a short time the rows still
// have their duplicates; and if Order renumbers, a sixteenth of the graph is
// held twice while rows are moved. If read yields different edges the second
// time, TwoPass fails, unless every vertex has the same number of edges as
// before. Apart from reading, it takes longer than a Builder: every id is
// looked up twice, and edges are moved to their rows one by one.
//
// yield may be called from several goroutines at once; read passes on the error
// that it returns. Errors are the same as for AddInts and Builder.Build,
// ErrMalformed for reads that differ, and whatever read returns.
func TwoPass(ctx context.Context, o Options, read func(ctx context.Context, yield func(Batch) error) error) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if len(o.EdgeColumns) > 0 {
		return nil, fmt.Errorf("%w: TwoPass doesn't hold the edges, and so no edge columns; use a Builder, or clear arrow.Options.TwoPass", ErrOptions)
	}
	if !o.combines() {
		return twoPass(ctx, newIntake(o), read)
	}
	g, err := twoPass(ctx, newIntake(o.kept()), read)
	if err != nil {
		return nil, err
	}
	return g.combined(ctx, o)
}

func twoPass(ctx context.Context, in intake, read func(ctx context.Context, yield func(Batch) error) error) (*Graph, error) {
	if err := in.o.Check(); err != nil {
		return nil, err
	}
	if in.o.DeviceOnly {
		return nil, fmt.Errorf("%w: Options.DeviceOnly, but TwoPass is for the host", ErrOptions)
	}
	p := &passes{crew: newCrew(ctx, in.o), intake: in}
	p.crew.pace = in.pace
	if !in.o.DenseIDs {
		p.table = newIDTable(in.maxVertices, in.o.Bipartite)
	}
	if err := read(ctx, p.first); err != nil {
		return nil, err
	}
	if p.inexact && p.weightType() != WeightsFloat32 {
		if p.o.EdgeIDs {
			return nil, fmt.Errorf("%w: TwoPass has no room for edge ids beside weights that need 64 bits; use a Builder, or set Options.WeightType to WeightsFloat32", ErrOptions)
		}
		p.packing = &weightPacking{t: p.weightType()}
	}
	if err := p.rowsFor(); err != nil {
		return nil, err
	}
	read1, vertices1 := p.edges, p.vertices
	p.edges, p.vertices = 0, 0
	if err := read(ctx, p.second); err != nil {
		return nil, err
	}
	if p.edges != read1 {
		return nil, fmt.Errorf("%w: %d edges, then %d", errChanged, read1, p.edges)
	}
	if p.vertices != vertices1 {
		return nil, fmt.Errorf("%w: %d vertices, then %d", errChanged, vertices1, p.vertices)
	}
	return p.graph()
}

// passes is one run of TwoPass.
type passes struct {
	*crew
	mu sync.Mutex // guards intake and reported
	intake
	reported uint64
	check    uint64   // when so many edges were read, look at the memory again
	table    *idTable // nil where ids are dense
	scratch  sync.Pool
	loops    atomic.Uint64

	// First pass: degrees by provisional number.
	outDegree, inDegree counters
	// Second pass: the rows by ascending id, with self-loops and duplicates.
	ids     idSource
	given   []uint32  // the vertex of a provisional number; nil if the same
	out, in *openRows // in is nil where there is no reverse
	packing *weightPacking
	entries sync.Pool
}

// take checks a batch and calls use with the provisional numbers of its edges,
// piece by piece: edge i is from src[i] to dst[i], and has x besides.
func (p *passes) take(e Batch, insert bool, use func(src, dst []uint32, x extras) error) error {
	if e.Vertices {
		return p.takeVertices(e, insert)
	}
	if err := e.checkNegative(&p.o); err != nil {
		return err
	}
	var (
		typ    = e.Type
		lo, hi uint64
		err    error
		edges  = len(e.Src)
	)
	switch {
	case e.SrcStrings != nil || e.DstStrings != nil:
		if err = e.checkForm(); err == nil {
			edges = e.SrcStrings.Len()
			typ, err = p.checkStrings(*e.SrcStrings, *e.DstStrings, e.extras())
		}
	case !typ.Integer():
		err = fmt.Errorf("%w: a batch of type %v has integer ids", ErrIDType, typ)
	case typ == Uint64:
		lo, hi, err = checkInts(&p.intake, typ, unsigned(e.Src), unsigned(e.Dst), e.extras())
	default:
		lo, hi, err = checkInts(&p.intake, typ, e.Src, e.Dst, e.extras())
	}
	if err != nil {
		return err
	}
	x, release, err := p.weigh(e.extras())
	defer release()
	if err != nil {
		return err
	}
	if err := p.enter(intakeBatch{typ: typ, logical: e.Logical, edges: edges, lo: lo, hi: hi, weights: x.typ, inexact: x.inexact}); err != nil {
		return err
	}
	s, _ := p.scratch.Get().(*idBatch)
	if s == nil {
		s = &idBatch{}
	}
	defer p.scratch.Put(s)
	for at := 0; at < edges; {
		n := min(idBatchLen/2, edges-at)
		s.reset(2 * n)
		switch {
		case !typ.Integer():
			err = p.table.mapStrings(s, *e.SrcStrings, *e.DstStrings, at, at+n, insert)
		case p.o.DenseIDs:
			for i := range n {
				s.out[i], s.out[n+i] = uint32(e.Src[at+i]), uint32(e.Dst[at+i])
			}
		default:
			for i := range n {
				s.keys[i], s.keys[n+i] = typ.orderedKey(e.Src[at+i]), typ.orderedKey(e.Dst[at+i])
			}
			err = p.table.mapInts(s, n, insert)
		}
		if err != nil {
			return err
		}
		if err := use(s.out[:n], s.out[n:], p.wanted(x).part(at, at+n)); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// enter checks a batch in.
func (p *passes) enter(e intakeBatch) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.note(e); err != nil {
		return err
	}
	if p.o.DenseIDs && p.out != nil && e.edges+e.vertices > 0 && e.hi-p.ids.least >= uint64(p.ids.n) {
		return errChanged
	}
	if given := p.items(); p.out == nil && given >= p.check {
		p.check = given + max(given/16, 1<<16)
		if err := p.checkMemory(); err != nil {
			return err
		}
	}
	if p.progress != nil && p.edges-p.reported >= 1<<20 {
		p.reported = p.edges
		p.progress(Progress{Phase: "read", Done: p.edges})
	}
	return nil
}

// checkMemory returns an error if the input read so far can't be built. p.mu is
// held, or no other goroutine runs.
func (p *passes) checkMemory() error {
	l := load{o: p.o, edges: p.edges, strings: !p.typ.Integer(), table: !p.o.DenseIDs}
	if p.o.DenseIDs {
		l.vertices = p.hi - p.lo + 1
	} else {
		l.vertices, l.stringBytes = p.table.count()
	}
	return p.refuse(l, l.memory().TwoPass)
}

// takeVertices is take for vertices, which only need to be known.
func (p *passes) takeVertices(e Batch, insert bool) error {
	if err := e.checkVertexForm(); err != nil {
		return err
	}
	n := intakeBatch{typ: e.Type, logical: e.Logical, vertices: len(e.Src)}
	var err error
	switch {
	case e.SrcStrings != nil:
		n.vertices = e.SrcStrings.Len()
		n.typ, err = p.checkColumn(*e.SrcStrings)
	case !e.Type.Integer():
		err = fmt.Errorf("%w: a batch of type %v has integer ids", ErrIDType, e.Type)
	case e.Type == Uint64:
		n.lo, n.hi, err = checkVertices(&p.intake, e.Type, unsigned(e.Src))
	default:
		n.lo, n.hi, err = checkVertices(&p.intake, e.Type, e.Src)
	}
	if err == nil {
		err = p.enter(n)
	}
	if err != nil || p.o.DenseIDs {
		return err
	}
	s, _ := p.scratch.Get().(*idBatch)
	if s == nil {
		s = &idBatch{}
	}
	defer p.scratch.Put(s)
	var src, dst Strings
	if e.SrcStrings != nil {
		src = *e.SrcStrings
	}
	if e.Side == Target {
		src, dst = dst, src
	}
	for at := 0; at < n.vertices && err == nil; {
		k := min(idBatchLen, n.vertices-at)
		s.reset(k)
		if n.typ.Integer() {
			for i := range k {
				s.keys[i] = n.typ.orderedKey(e.Src[at+i])
			}
			err = p.table.mapInts(s, e.Side.sources(k), insert)
		} else {
			err = p.table.mapStrings(s, src, dst, at, at+k, insert)
		}
		at += k
	}
	return err
}

// first counts degrees.
func (p *passes) first(e Batch) error {
	return p.take(e, true, func(src, dst []uint32, _ extras) error {
		p.outDegree.add(src)
		switch {
		case !p.o.Directed:
			p.outDegree.add(dst)
		case p.o.Reverse:
			p.inDegree.add(dst)
		}
		return nil
	})
}

// rowsFor makes room for the rows.
func (p *passes) rowsFor() error {
	if err := p.orVertices(); err != nil {
		return err
	}
	if err := p.checkMemory(); err != nil {
		return err
	}
	p.ids = idSource{typ: p.typ, logical: p.logical, separate: p.o.Bipartite, least: p.lo, table: p.table, dense: p.o.DenseIDs}
	if p.o.DenseIDs {
		p.ids.n = int(p.hi - p.lo + 1)
		p.ids.space = p.ids.n
	} else if err := p.ids.sortTable(p.crew); err != nil {
		return err
	}
	n := p.ids.n
	if uint64(n) > p.maxVertices {
		return tooManyVertices(uint64(n), p.maxVertices)
	}
	var err error
	if p.given, _, err = p.number(&p.ids, degrees{}, OrderGiven); err != nil {
		return err
	}
	if p.out, err = p.room(&p.outDegree); err == nil && p.o.Directed && p.o.Reverse {
		p.in, err = p.room(&p.inDegree)
	}
	return err
}

// room makes empty rows for the degrees counted.
func (p *passes) room(degree *counters) (*openRows, error) {
	if degree.overflow.Load() {
		return nil, errRowTooLong
	}
	offsets, err := p.offsets(p.ids.n, p.given, degree.array(p.ids.space))
	*degree = counters{}
	o := p.o
	o.EdgeIDs = o.EdgeIDs || p.packing != nil
	return newOpenRows(offsets, o), err
}

// second puts edges into their rows.
func (p *passes) second(e Batch) error {
	return p.take(e, false, func(src, dst []uint32, x extras) error {
		s, _ := p.entries.Get().(*entryBatch)
		if s == nil {
			s = &entryBatch{}
		}
		defer p.entries.Put(s)
		s.from, s.fromIDs = s.from[:0], s.fromIDs[:0]
		loops := uint64(0)
		for i, u := range src {
			v := dst[i]
			if p.given != nil {
				u, v = p.given[u], p.given[v]
			}
			if u == v && !p.o.KeepSelfLoops {
				loops++
				continue
			}
			w := float32(0)
			if x.weights != nil {
				w = plainWeight(x.weights[i])
			}
			s.from = append(s.from, rowEntry{u, v, w})
			both := !p.o.Directed && u != v
			if both {
				s.from = append(s.from, rowEntry{v, u, w})
			}
			if x.edgeIDs != nil || p.packing != nil {
				id := p.laneOf(&x, i)
				s.fromIDs = append(s.fromIDs, id)
				if both {
					s.fromIDs = append(s.fromIDs, id)
				}
			}
		}
		p.loops.Add(loops)
		ok := p.out.put(s)
		if ok && p.in != nil {
			for i, e := range s.from {
				s.from[i].row, s.from[i].target = e.target, e.row
			}
			ok = p.in.put(s)
		}
		if !ok {
			return errChanged
		}
		return nil
	})
}
