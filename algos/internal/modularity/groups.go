// This file divides the vertices of a level into parts that decide one after the other.

package modularity

import (
	"slices"
	"sync/atomic"
)

// groups are the vertices with edges of a level, by part.
type groups struct {
	order  []uint32   // vertices: those of a part ascend
	begins []uint32   // where each part begins in order
	cuts   [][]uint32 // of each part: where pieces with about equally many edges begin in order
	counts []uint32
}

// parts returns how many parts the vertices of a level are divided into: a power of two.
func (l *level) parts() uint32 {
	if l.n < manyBelow {
		return fewParts
	}
	return manyParts
}

// part returns the part of so many that a vertex with a rank belongs to. The seed is another one in each round.
func part(seed uint64, parts, rank uint32) uint32 {
	x := (uint64(rank) ^ seed) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return uint32(x>>32) & (parts - 1)
}

// divide divides the vertices of a level by a seed.
func (g *groups) divide(t *team, l *level, seed uint64) error {
	parts := int(l.parts())
	pieces := (l.n + groupVertices - 1) / groupVertices
	g.counts = slices.Grow(g.counts[:0], pieces*parts)[:pieces*parts]
	each := func(i int, do func(v, k uint32)) {
		for v := uint32(i * groupVertices); v < uint32(min(l.n, (i+1)*groupVertices)); v++ {
			if l.ends[v] > l.offsets[v] {
				do(v, part(seed, uint32(parts), l.rankOf(v)))
			}
		}
	}
	if err := t.each(pieces, func(_, i int) {
		counts := g.counts[i*parts : (i+1)*parts]
		clear(counts)
		each(i, func(_, k uint32) { counts[k]++ })
	}); err != nil {
		return err
	}
	all := uint32(0)
	g.begins = append(g.begins[:0], 0)
	for k := range parts {
		for i := range pieces {
			g.counts[i*parts+k], all = all, all+g.counts[i*parts+k]
		}
		g.begins = append(g.begins, all)
	}
	g.order = slices.Grow(g.order[:0], int(all))[:all]
	if err := t.each(pieces, func(_, i int) {
		at := g.counts[i*parts : (i+1)*parts]
		each(i, func(v, k uint32) {
			g.order[at[k]] = v
			at[k]++
		})
	}); err != nil {
		return err
	}
	g.cuts = slices.Grow(g.cuts[:0], parts)[:parts]
	return t.each(parts, func(_, k int) {
		cuts, edges := append(g.cuts[k][:0], g.begins[k]), uint64(0)
		for i := g.begins[k]; i < g.begins[k+1]; i++ {
			v := g.order[i]
			if edges += l.ends[v] - l.offsets[v]; edges >= turnEdges || i+1-cuts[len(cuts)-1] == turnVertices {
				cuts, edges = append(cuts, i+1), 0
			}
		}
		if cuts[len(cuts)-1] < g.begins[k+1] {
			cuts = append(cuts, g.begins[k+1])
		}
		g.cuts[k] = cuts
	})
}

// each calls do for the vertices of a part, in pieces.
func (g *groups) each(t *team, k uint32, do func(worker int, vs []uint32)) error {
	cuts := g.cuts[k]
	return t.each(len(cuts)-1, func(w, i int) { do(w, g.order[cuts[i]:cuts[i+1]]) })
}

// share is what a worker has of a part's decisions.
type share struct {
	tally   *tally
	keys    []uint32 // labels of a row
	weights []int64  // of these

	vs, to  []uint32 // moves
	table   table    // by label: a number among changes
	changes []change
	_       [64]byte
}

// change is what moves do to a label.
type change struct {
	label     uint32
	size      int32
	total, in int64
}

// note moves vertices, and notes what this does to labels.
func (o *share) note(l *level, label []uint32) {
	o.table.begin(uint64(2 * len(o.vs)))
	o.changes = o.changes[:0]
	of := func(label uint32) *change {
		s := o.table.at(label)
		if s.sum == 0 {
			o.changes = append(o.changes, change{label: label})
			s.sum = int64(len(o.changes))
		}
		return &o.changes[s.sum-1]
	}
	for i, v := range o.vs {
		d, in := l.degree[v], int64(0)
		if l.in != nil {
			in = l.in[v]
		}
		c := of(label[v])
		c.size, c.total, c.in = c.size-1, c.total-d, c.in-in
		c = of(o.to[i])
		c.size, c.total, c.in = c.size+1, c.total+d, c.in+in
		label[v] = o.to[i]
	}
}

// apply carries moves out, and reports how many there are.
func apply(t *team, own []share, l *level, p *partition) (moves int, err error) {
	for i := range own {
		moves += len(own[i].vs)
	}
	return moves, shares(t, own, moves, func(o *share) {
		o.note(l, p.label)
		p.change(o.changes)
	})
}

// shares calls do for the shares with moves, of so many in all. Few don't call other workers.
func shares(t *team, own []share, moves int, do func(o *share)) error {
	some := func(_, i int) {
		if len(own[i].vs) > 0 {
			do(&own[i])
		}
	}
	if moves >= fewMoves {
		return t.each(len(own), some)
	}
	for i := range own {
		some(0, i)
	}
	return nil
}

// change carries changes out. Other workers do so at the same time.
func (p *partition) change(changes []change) {
	for _, c := range changes {
		atomic.AddInt64(&p.total[c.label], c.total)
		if p.in != nil {
			atomic.AddInt64(&p.in[c.label], c.in)
		}
		atomic.AddUint32(&p.size[c.label], uint32(c.size))
	}
}
