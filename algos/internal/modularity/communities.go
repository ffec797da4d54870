// Package modularity is what louvain and leiden share: communities of high modularity, level by level.
//
// Weights are integers of 64 bits, so that sums don't depend on the order in which they are added up. Vertices of a level are divided into
// parts by a hash of the seed and their rank. Those of one part decide at the same time, from the state that the part before
// left. So results are the same for any number of workers, and on all devices.
package modularity

import (
	"slices"
	"sync/atomic"
)

// found is communities of the vertices of a placed graph.
type found struct {
	label  []uint32 // of every vertex, from 0 on, without gaps
	count  int
	value  float64    // modularity
	levels [][]uint32 // coarser and coarser, if they are kept; the last one is label
	rounds int
}

// task is what is searched for.
type task struct {
	seed    uint64
	leiden  bool
	keep    bool               // levels
	initial []uint32           // labels, or nil
	level   func(vertices int) // is called before each level
}

// worker does what takes passes over edges.
type worker interface {
	// move moves the vertices of a level between communities, until few move.
	move(l *level, p *partition, seed uint64) (rounds int, moved bool, err error)
	// refine merges vertices, which are alone in r, within the communities of p.
	refine(l *level, p, r *partition, seed uint64) error
	// contract returns the level whose vertices are the labels with vertices, in ascending order, and the number of each.
	contract(l *level, r *partition) (next *level, number []uint32, err error)
	// cut returns the weight of the entries between communities.
	cut(l *level, p *partition) (int64, error)
	// rows gets the rows of a level to the host.
	rows(l *level) error
	// leave gives back what a level takes.
	leave(l *level) error
}

// search finds communities. Passes over vertices alone are done on the host.
type search struct {
	*team
	task
	work worker
	s    scale
	l    *level
	p    *partition
	of   []uint32 // of every vertex of the graph: its vertex of the level; nil: the same
	c    *contractor
	out  found
}

// single returns the partition in which each vertex is alone.
func (x *search) single(l *level) (*partition, error) {
	p := &partition{label: array[uint32](l.n), total: array[int64](l.n), size: array[uint32](l.n)}
	if l.in != nil {
		p.in = array[int64](l.n)
	}
	return p, x.pieces(l.n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			p.label[v], p.total[v], p.size[v] = uint32(v), l.degree[v], 1
		}
		if l.in != nil {
			copy(p.in[lo:hi], l.in[lo:hi])
		}
	})
}

// weigh fills in the totals of a partition's labels.
func (x *search) weigh(l *level, label []uint32) (*partition, error) {
	p := &partition{label: label, total: zeros[int64](l.n), size: zeros[uint32](l.n)}
	if l.in != nil {
		p.in = zeros[int64](l.n)
	}
	return p, x.pieces(l.n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			r := label[v]
			atomic.AddInt64(&p.total[r], l.degree[v])
			atomic.AddUint32(&p.size[r], 1)
			if l.in != nil {
				atomic.AddInt64(&p.in[r], l.in[v])
			}
		}
	})
}

// value returns the modularity of a partition of a level.
func (x *search) value(l *level, p *partition) (float64, error) {
	cut, err := x.work.cut(l, p)
	if err != nil {
		return 0, err
	}
	squares, err := x.squares(p)
	return x.s.value(cut, l.entries, squares), err
}

// squares returns the sum of the squares of totals.
func (x *search) squares(p *partition) (sum product, err error) {
	sums := make([]product, (len(p.total)+pieceVertices-1)/pieceVertices)
	err = x.pieces(len(p.total), func(_, lo, hi int) {
		s := &sums[lo/pieceVertices]
		for c := lo; c < hi; c++ {
			if p.in != nil {
				s.add(p.total[c], p.in[c])
			} else {
				s.add(p.total[c], p.total[c])
			}
		}
	})
	for _, s := range sums {
		sum.join(s)
	}
	return sum, err
}

// run finds communities from a level on.
func (x *search) run() error {
	var err error
	if x.initial != nil {
		x.p, err = x.weigh(x.l, x.initial)
	} else {
		x.p, err = x.single(x.l)
	}
	if err != nil {
		return err
	}
	if x.initial == nil { // only self-loops are within communities
		squares, err := x.squares(x.p)
		if err != nil {
			return err
		}
		x.out.value = x.s.value(x.l.entries-x.l.loops, x.l.entries, squares)
	} else if x.out.value, err = x.value(x.l, x.p); err != nil {
		return err
	}
	for at := uint64(0); at < mostLevels; at++ {
		more, err := x.step(at)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	return x.finish()
}

// step does a level, and reports whether there is another one.
func (x *search) step(at uint64) (more bool, err error) {
	l, seed := x.l, x.seed*31+at
	x.level(l.n)
	before := slices.Clone(x.p.label)
	rounds, moved, err := x.work.move(l, x.p, seed)
	x.out.rounds += rounds
	if err != nil {
		return false, err
	}
	parts := x.p
	switch {
	case !x.leiden && !moved, x.leiden && x.p.trivial():
		return false, nil
	case x.leiden:
		if parts, err = x.single(l); err != nil {
			return false, err
		}
		if err := x.work.refine(l, x.p, parts, ^seed); err != nil {
			return false, err
		}
	}
	next, number, err := x.work.contract(l, parts)
	if err != nil {
		return false, err
	}
	to, err := x.carry(l, next, parts, number)
	if err != nil {
		return false, err
	}
	value, err := x.value(next, to)
	if err != nil {
		return false, err
	}
	if value < x.out.value { // vertices that moved at the same time made it worse
		if x.p, err = x.weigh(l, before); err == nil {
			err = x.work.leave(next)
		}
		return false, err
	}
	stuck := next.n == l.n && !moved
	small := value-x.out.value < leastRise && at > 0
	if err := x.follow(number, parts.label); err != nil {
		return false, err
	}
	if err := x.work.leave(l); err != nil {
		return false, err
	}
	x.l, x.p, x.out.value = next, to, value
	if x.keep {
		x.out.levels = append(x.out.levels, slices.Clone(x.of))
	}
	return !stuck && !small, nil
}

// trivial reports whether each community has one vertex.
func (p *partition) trivial() bool {
	for _, s := range p.size {
		if s > 1 {
			return false
		}
	}
	return true
}

// carry returns the communities of the next level's vertices: those of their members, or each one alone.
func (x *search) carry(l, next *level, parts *partition, number []uint32) (*partition, error) {
	if !x.leiden {
		return x.single(next)
	}
	least := make([]uint32, l.n) // by label: the first vertex of the next level with it
	for i := range least {
		least[i] = none
	}
	community := make([]uint32, next.n)
	if err := x.pieces(l.n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			if parts.label[v] == uint32(v) { // each part has the vertex that it is named after
				k, own := number[parts.label[v]], x.p.label[v]
				community[k] = own
				lower(&least[own], k)
			}
		}
	}); err != nil {
		return nil, err
	}
	if err := x.pieces(next.n, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			community[k] = least[community[k]]
		}
	}); err != nil {
		return nil, err
	}
	return x.weigh(next, community)
}

// lower lowers a number that several workers lower.
func lower(p *uint32, to uint32) {
	for {
		was := atomic.LoadUint32(p)
		if was <= to || atomic.CompareAndSwapUint32(p, was, to) {
			return
		}
	}
}

// follow brings each vertex of the graph to the next level.
func (x *search) follow(number, part []uint32) error {
	if x.of == nil {
		x.of = make([]uint32, len(part))
		return x.pieces(len(part), func(_, lo, hi int) {
			for v := lo; v < hi; v++ {
				x.of[v] = number[part[v]]
			}
		})
	}
	return x.pieces(len(x.of), func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			x.of[v] = number[part[x.of[v]]]
		}
	})
}

// finish numbers the communities that were found.
func (x *search) finish() error {
	if x.leiden && !x.p.trivial() {
		err := x.work.rows(x.l)
		if err != nil {
			return err
		}
		split(x.l, x.p)
		if x.p, err = x.weigh(x.l, x.p.label); err != nil {
			return err
		}
		if x.out.value, err = x.value(x.l, x.p); err != nil {
			return err
		}
	}
	if err := x.work.leave(x.l); err != nil {
		return err
	}
	number, n, err := x.c.numbers(x.l, x.p.size)
	if err != nil {
		return err
	}
	if err := x.follow(number, x.p.label); err != nil {
		return err
	}
	x.out.label, x.out.count = x.of, n
	if k := len(x.out.levels); x.keep && (k == 0 || !slices.Equal(x.out.levels[k-1], x.of)) {
		x.out.levels = append(x.out.levels, x.of)
	}
	return nil
}

// split makes communities of the connected parts of communities.
func split(l *level, p *partition) {
	root := make([]uint32, l.n)
	for v := range root {
		root[v] = uint32(v)
	}
	find := func(v uint32) uint32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	for v := range uint32(l.n) {
		for e := l.offsets[v]; e < l.ends[v]; e++ {
			u := l.targets[e]
			if p.label[u] != p.label[v] || l.weights != nil && l.weights[e] == 0 {
				continue
			}
			if a, b := find(u), find(v); l.before(a, b) {
				root[b] = a
			} else {
				root[a] = b
			}
		}
	}
	for v := range uint32(l.n) {
		p.label[v] = find(v)
	}
}
