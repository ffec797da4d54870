// This file makes the graph of the next level on the host: a vertex of each label, with the edges between labels added up.

package modularity

import (
	"slices"
	"sync/atomic"
)

// contractor contracts levels on the host.
type contractor struct {
	*team
	own    []tally // of workers
	groups groups
	rooms  [2]room // for the rows of levels, in turn
	at     int
}

// room has the rows of a level.
type room struct {
	targets []uint32
	weights []int64
}

// prepare makes the workers' tallies ready for the labels of a level.
func (c *contractor) prepare(l *level) { c.ready(l.n, l) }

// ready does so for n labels.
func (c *contractor) ready(n int, l *level) {
	weighted, entries := l.weights != nil || uint64(len(l.targets)) > maxNarrow, uint64(0)
	if l.n > 0 {
		entries = l.offsets[l.n]
	}
	each := uint64(4)
	if weighted {
		each = 8
	}
	dense := uint64(len(c.own))*uint64(n)*each <= max(denseLeast, denseShare*entries)
	for i := range c.own {
		c.own[i].prepare(n, dense, weighted)
	}
}

// numbers returns the number of each label with vertices, in ascending order of the ranks of labels, and how many there are.
func (c *contractor) numbers(l *level, size []uint32) ([]uint32, int, error) {
	number := zeros[uint32](len(size))
	counts := make([]uint32, (len(size)+pieceVertices-1)/pieceVertices)
	if err := c.pieces(len(size), func(_, lo, hi int) {
		k := uint32(0)
		for r := lo; r < hi; r++ {
			if size[l.vertex(uint32(r))] > 0 {
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
		for r := lo; r < hi; r++ {
			if v := l.vertex(uint32(r)); size[v] > 0 {
				number[v] = k
				k++
			}
		}
	})
}

// run returns the level whose vertices are the parts, and the number of each label.
func (c *contractor) run(l *level, r *partition) (*level, []uint32, error) {
	number, n, err := c.numbers(l, r.size)
	if err != nil {
		return nil, nil, err
	}
	to := &level{n: n, offsets: zeros[uint64](n + 1), ends: array[uint64](n), degree: array[int64](n), total: l.total, entries: l.entries}
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
	if err := addUp(c.team, begins); err != nil {
		return nil, nil, err
	}
	next, members := zeros[uint32](n), array[uint32](l.n)
	of := array[uint32](l.n) // the number of each vertex's part
	if err := c.pieces(l.n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			k := number[r.label[v]]
			of[v] = k
			members[begins[k]+atomic.AddUint32(&next[k], 1)-1] = uint32(v)
		}
	}); err != nil {
		return nil, nil, err
	}
	return to, number, c.rowsOf(l, to, of, begins, members)
}

// addUp makes each number the sum of those up to it.
func addUp[T uint32 | uint64](t *team, a []T) error {
	const piece = 64 * pieceVertices
	sums := make([]T, (len(a)+piece-1)/piece)
	each := func(do func(i int, a []T)) error {
		return t.each(len(sums), func(_, i int) { do(i, a[i*piece:min(len(a), (i+1)*piece)]) })
	}
	if err := each(func(i int, a []T) {
		for _, x := range a {
			sums[i] += x
		}
	}); err != nil {
		return err
	}
	sum := T(0)
	for i, s := range sums {
		sums[i], sum = sum, sum+s
	}
	return each(func(i int, a []T) {
		sum := sums[i]
		for k, x := range a {
			sum += x
			a[k] = sum
		}
	})
}

// rowsOf adds up the edges of each part. A row begins where it would if no edges had met, so there are gaps between rows.
func (c *contractor) rowsOf(l, to *level, of, begins, members []uint32) error {
	if err := c.pieces(to.n, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			edges := uint64(0)
			for _, v := range members[begins[k]:begins[k+1]] {
				edges += l.ends[v] - l.offsets[v]
			}
			to.offsets[k+1] = edges
		}
	}); err != nil {
		return err
	}
	if err := addUp(c.team, to.offsets); err != nil {
		return err
	}
	at := &c.rooms[c.at]
	c.at = 1 - c.at
	if edges := int(to.offsets[to.n]); cap(at.targets) < edges || cap(at.weights) < edges {
		at.targets, at.weights = array[uint32](edges), array[int64](edges)
	} else {
		at.targets, at.weights = at.targets[:edges], at.weights[:edges]
	}
	to.targets, to.weights = at.targets, at.weights
	to.divide()
	c.ready(to.n, l)
	var larges []large
	for k := range to.n {
		if to.offsets[k+1]-to.offsets[k] > 2*partEdges {
			larges = append(larges, large{part: uint32(k)})
		}
	}
	if err := c.byRows(to, func(w, lo, hi int) {
		for k := lo; k < hi; k++ {
			if to.offsets[k+1]-to.offsets[k] <= 2*partEdges {
				to.ends[k] = c.row(w, l, to, of, uint32(k), members[begins[k]:begins[k+1]], to.offsets[k])
			}
		}
	}); err != nil || len(larges) == 0 {
		return err
	}
	var pieces []*piece
	for i := range larges {
		x := &larges[i]
		lo, at, edges := int(begins[x.part]), to.offsets[x.part], uint64(0)
		for j := lo; j < int(begins[x.part+1]); j++ {
			v := members[j]
			edges += l.ends[v] - l.offsets[v]
			if edges >= partEdges || j+1 == int(begins[x.part+1]) {
				x.pieces = append(x.pieces, &piece{part: x.part, vs: members[lo : j+1], at: at})
				at, lo, edges = at+edges, j+1, 0
			}
		}
		pieces = append(pieces, x.pieces...)
	}
	if err := c.each(len(pieces), func(w, i int) {
		p := pieces[i]
		p.end = c.row(w, l, to, of, p.part, p.vs, p.at)
	}); err != nil {
		return err
	}
	return c.each(len(larges), func(w, i int) { c.merge(w, to, &larges[i]) })
}

// large is a part of many edges, whose row comes from several workers.
type large struct {
	part   uint32
	pieces []*piece
}

// piece is some vertices of a large part: their edges are from at to end, added up.
type piece struct {
	part    uint32
	vs      []uint32
	at, end uint64
}

// row adds up the edges of some vertices of a part, at a place of the level's rows, and returns where they end.
func (c *contractor) row(w int, l, to *level, of []uint32, part uint32, vs []uint32, at uint64) uint64 {
	t, edges := &c.own[w], uint64(0)
	for _, v := range vs {
		edges += l.ends[v] - l.offsets[v]
	}
	t.begin(min(edges, uint64(to.n)))
	for _, v := range vs {
		row := l.targets[l.offsets[v]:l.ends[v]]
		t.row = slices.Grow(t.row[:0], len(row))[:len(row)]
		n := 0
		for _, u := range row {
			k := of[u]
			t.row[n] = k
			if k != part {
				n++
			}
		}
		if l.weights == nil {
			t.add(t.row[:n], nil)
			continue
		}
		weights := l.weights[l.offsets[v]:l.ends[v]]
		if n < len(row) {
			t.rowWeights = slices.Grow(t.rowWeights[:0], len(row))[:len(row)]
			n = 0
			for i, u := range row {
				t.rowWeights[n] = weights[i]
				if of[u] != part {
					n++
				}
			}
			weights = t.rowWeights
		}
		t.add(t.row[:n], weights[:n])
	}
	return to.put(t, at)
}

// put writes what a tally has at a place of the rows, and returns where that ends.
func (l *level) put(t *tally, at uint64) uint64 {
	keys, sums := t.end()
	for i, k := range keys {
		if sums[i] > 0 {
			l.targets[at], l.weights[at] = k, sums[i]
			at++
		}
	}
	return at
}

// merge adds up what several workers have of a part.
func (c *contractor) merge(w int, to *level, x *large) {
	t, entries := &c.own[w], uint64(0)
	for _, p := range x.pieces {
		entries += p.end - p.at
	}
	t.begin(min(entries, uint64(to.n)))
	for _, p := range x.pieces {
		t.add(to.targets[p.at:p.end], to.weights[p.at:p.end])
	}
	to.ends[x.part] = to.put(t, to.offsets[x.part])
}

// compact returns rows without gaps.
func (l *level) compact() {
	offsets, targets, weights := make([]uint64, l.n+1), []uint32(nil), []int64(nil)
	for v := range l.n {
		targets = append(targets, l.targets[l.offsets[v]:l.ends[v]]...)
		weights = append(weights, l.weights[l.offsets[v]:l.ends[v]]...)
		offsets[v+1] = uint64(len(targets))
	}
	l.offsets, l.ends, l.targets, l.weights = offsets, offsets[1:], targets, weights
	l.divide()
}
