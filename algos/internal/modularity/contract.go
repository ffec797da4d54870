// This file makes the graph of the next level on the host: a vertex of each label, with the edges between labels added up.

package modularity

import "sync/atomic"

// contractor contracts levels on the host.
type contractor struct {
	*team
	arenas []arena
}

// arena has rows that a worker made, one after the other.
type arena struct {
	table   table
	targets []uint32
	weights []int64
	_       [64]byte
}

// stretch is rows within an arena.
type stretch struct {
	arena  int32
	length uint32
	at     uint64
}

// numbers returns the number of each label with vertices, in ascending order of labels, and how many there are.
func (c *contractor) numbers(size []uint32) ([]uint32, int, error) {
	number := make([]uint32, len(size))
	counts := make([]uint32, (len(size)+pieceVertices-1)/pieceVertices)
	if err := c.pieces(len(size), func(_, lo, hi int) {
		k := uint32(0)
		for _, s := range size[lo:hi] {
			if s > 0 {
				k++
			}
		}
		counts[lo/pieceVertices] = k
	}); err != nil {
		return nil, 0, err
	}
	all := uint32(0)
	for i, k := range counts {
		counts[i], all = all, all+k
	}
	return number, int(all), c.pieces(len(size), func(_, lo, hi int) {
		k := counts[lo/pieceVertices]
		for r, s := range size[lo:hi] {
			if s > 0 {
				number[lo+r] = k
				k++
			}
		}
	})
}

// run returns the level whose vertices are the parts, and the number of each label.
func (c *contractor) run(l *level, r *partition) (*level, []uint32, error) {
	number, n, err := c.numbers(r.size)
	if err != nil {
		return nil, nil, err
	}
	to := &level{n: n, offsets: make([]uint64, n+1), degree: make([]int64, n), total: l.total, entries: l.entries}
	if l.in != nil {
		to.in = make([]int64, n)
	}
	begins := make([]uint32, n+1) // where the members of a part begin
	if err := c.pieces(len(r.size), func(_, lo, hi int) {
		for label := lo; label < hi; label++ {
			if r.size[label] > 0 {
				k := number[label]
				begins[k+1], to.degree[k] = r.size[label], r.total[label]
				if l.in != nil {
					to.in[k] = r.in[label]
				}
			}
		}
	}); err != nil {
		return nil, nil, err
	}
	for k := range n {
		begins[k+1] += begins[k]
	}
	next, members := make([]uint32, n), make([]uint32, l.n)
	of := make([]uint32, l.n) // the number of each vertex's part
	if err := c.pieces(l.n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			k := number[r.label[v]]
			of[v] = k
			members[begins[k]+atomic.AddUint32(&next[k], 1)-1] = uint32(v)
		}
	}); err != nil {
		return nil, nil, err
	}
	rows := make([]stretch, n)
	if err := c.rowsOf(l, of, begins, members, rows); err != nil {
		return nil, nil, err
	}
	for k := range n {
		to.offsets[k+1] = to.offsets[k] + uint64(rows[k].length)
	}
	to.targets, to.weights = make([]uint32, to.offsets[n]), make([]int64, to.offsets[n])
	to.divide()
	return to, number, c.byRows(to, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			x, at := rows[k], to.offsets[k]
			a := &c.arenas[x.arena]
			copy(to.targets[at:], a.targets[x.at:x.at+uint64(x.length)])
			copy(to.weights[at:], a.weights[x.at:x.at+uint64(x.length)])
		}
	})
}

// large is a part of many edges, whose rows come from several workers.
type large struct {
	part   uint32
	pieces []stretch
}

// rowsOf adds up the edges of each part.
func (c *contractor) rowsOf(l *level, of, begins, members []uint32, rows []stretch) error {
	for i := range c.arenas {
		c.arenas[i].targets, c.arenas[i].weights = c.arenas[i].targets[:0], c.arenas[i].weights[:0]
	}
	many := make([]bool, len(rows))
	if err := c.each((len(rows)+partsAtOnce-1)/partsAtOnce, func(w, i int) {
		for k := i * partsAtOnce; k < min(len(rows), (i+1)*partsAtOnce); k++ {
			vs, edges := members[begins[k]:begins[k+1]], uint64(0)
			for _, v := range vs {
				edges += l.offsets[v+1] - l.offsets[v]
			}
			if many[k] = edges > 2*partEdges; !many[k] {
				rows[k] = c.row(w, l, of, uint32(k), vs, edges)
			}
		}
	}); err != nil {
		return err
	}
	type piece struct{ large, at, lo, hi int }
	var larges []large
	var pieces []piece
	for k, is := range many {
		if !is {
			continue
		}
		lo, edges, x := int(begins[k]), uint64(0), large{part: uint32(k)}
		for i := lo; i < int(begins[k+1]); i++ {
			v := members[i]
			edges += l.offsets[v+1] - l.offsets[v]
			if edges >= partEdges || i+1 == int(begins[k+1]) {
				pieces = append(pieces, piece{len(larges), len(x.pieces), lo, i + 1})
				x.pieces, lo, edges = append(x.pieces, stretch{}), i+1, 0
			}
		}
		larges = append(larges, x)
	}
	if err := c.each(len(pieces), func(w, i int) {
		p := pieces[i]
		x, edges := &larges[p.large], uint64(0)
		for _, v := range members[p.lo:p.hi] {
			edges += l.offsets[v+1] - l.offsets[v]
		}
		x.pieces[p.at] = c.row(w, l, of, x.part, members[p.lo:p.hi], edges)
	}); err != nil {
		return err
	}
	made := make([]arena, len(c.arenas)) // as they are now: merging appends to them
	for i := range made {
		made[i].targets, made[i].weights = c.arenas[i].targets, c.arenas[i].weights
	}
	return c.each(len(larges), func(w, i int) { rows[larges[i].part] = c.merge(w, &larges[i], made, len(rows)) })
}

// row adds up the edges of some vertices of a part.
func (c *contractor) row(w int, l *level, of []uint32, part uint32, vs []uint32, edges uint64) stretch {
	t := &c.arenas[w].table
	t.begin(min(edges, uint64(len(l.offsets))))
	for _, v := range vs {
		lo, hi := l.offsets[v], l.offsets[v+1]
		if l.weights == nil {
			for _, u := range l.targets[lo:hi] {
				if k := of[u]; k != part {
					t.add(k, 1)
				}
			}
			continue
		}
		for e := lo; e < hi; e++ {
			if k := of[l.targets[e]]; k != part && l.weights[e] > 0 {
				t.add(k, l.weights[e])
			}
		}
	}
	return c.put(w)
}

// put appends what a worker's table has to its arena.
func (c *contractor) put(w int) stretch {
	a := &c.arenas[w]
	x := stretch{arena: int32(w), length: uint32(len(a.table.met)), at: uint64(len(a.targets))}
	for _, at := range a.table.met {
		s := a.table.slots[at]
		a.targets, a.weights = append(a.targets, s.key), append(a.weights, s.sum)
	}
	return x
}

// merge adds up what several workers have of a part.
func (c *contractor) merge(w int, x *large, made []arena, n int) stretch {
	entries := uint64(0)
	for _, p := range x.pieces {
		entries += uint64(p.length)
	}
	t := &c.arenas[w].table
	t.begin(min(entries, uint64(n)))
	for _, p := range x.pieces {
		a := &made[p.arena]
		for i := p.at; i < p.at+uint64(p.length); i++ {
			t.add(a.targets[i], a.weights[i])
		}
	}
	return c.put(w)
}
