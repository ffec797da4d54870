// This file holds how Append and RemoveEdges make the rows of a graph of those of another one: what changes is
// found first, then written between what stays.

package graph

import (
	"sort"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// patch is what changes in a part of the rows.
type patch struct {
	lo, hi int        // the vertices of the part
	rows   []patchRow // those that what is added, or taken away, has too
	delta  cells      // the entries that it has there, sorted by row
	at     []uint64   // what becomes of each entry of delta
	length uint64     // entries of the part in the result
	first  uint64     // the first of them
}

// patchRow is a row of a patch.
type patchRow struct {
	v        uint32
	unsorted bool // in the base
	end      int  // of its entries in delta
}

// An entry of patch.at is the place among the entries of the base that an entry of delta takes, and what happens
// there; 0 where nothing does.
const (
	patchInserts = 1 << 63 // it is put before what the base has there
	patchDrops   = 1 << 62 // what the base has there goes; of RemoveEdges, all entries with the same target
	patchPlace   = patchDrops - 1
)

// rows returns the rows of the result in a direction, and how many entries were left out or, of those
// that are added, weren't there.
func (c *change) rows(base, more *CSR) (*CSR, uint64, error) {
	if len(base.Offsets) == 0 {
		base = &CSR{Offsets: []uint64{0}, Weights: base.Weights, EdgeIDs: base.EdgeIDs}
	}
	to, ascend, err := c.patched(base, more)
	if err == nil && !ascend {
		c.unsorted = true
		to, _, err = c.patched(base, more)
	}
	if err != nil {
		return nil, 0, err
	}
	return to, base.NumEdges() + more.NumEdges() - to.NumEdges(), nil
}

// patched implements rows. If the base has rows that don't ascend and c.unsorted is false, it returns wrong rows and
// false. The order is checked while rows are copied, since they are in the cache then.
func (c *change) patched(base, more *CSR) (to *CSR, ascend bool, err error) {
	patches, pile := c.patches(base, more), c.pile(base, more)
	finders := make([]finder, c.workers)
	err = c.each("", len(patches), func(w, i int) error {
		finders[w].find(c, &patches[i], pile, base, more)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	entries := uint64(0)
	for i := range patches {
		patches[i].first = entries
		entries += patches[i].length
	}
	to = &CSR{Offsets: pages.Uncleared[uint64](c.n + 1), Targets: pages.Uncleared[uint32](int(entries))}
	hugepage.Expect(to.Offsets)
	hugepage.Expect(to.Targets)
	if base.Weights != nil {
		to.Weights = pages.Uncleared[float32](int(entries))
		hugepage.Expect(to.Weights)
	}
	if base.EdgeIDs != nil {
		to.EdgeIDs = pages.Uncleared[uint64](int(entries))
		hugepage.Expect(to.EdgeIDs)
	}
	to.Offsets[c.n] = entries
	var descends atomic.Bool
	err = c.each("", len(patches), func(w, i int) error {
		p := &patches[i]
		x := patcher{c: c.crew, base: base, to: to, adds: c.adds, checks: !c.g.ascends && !c.unsorted, out: p.first, finder: &finders[w]}
		if !descends.Load() && !x.patch(p) {
			descends.Store(true)
		}
		return nil
	})
	return to, !descends.Load(), err
}

// patches cuts the vertices of the result into parts that are about as much work each.
func (c *change) patches(base, more *CSR) []patch {
	old := base.NumVertices()
	fresh := 1 + int(more.NumEdges())/max(1, more.NumVertices()) // a new row
	work := func(v int) int {
		k := min(v, old)
		return int(base.Offsets[k]) + k + (v-k)*fresh
	}
	total := work(c.n)
	parts := max(1, min(c.n, max(4*c.workers, total/patchWork)))
	patches := make([]patch, 0, parts)
	for i, lo := 0, 0; i < parts; i++ {
		_, end := span(total, parts, i)
		hi := c.n
		if i < parts-1 {
			hi = lo + sort.Search(c.n-lo, func(k int) bool { return work(lo+k) >= end })
		}
		if lo < hi || c.n == 0 {
			patches = append(patches, patch{lo: lo, hi: hi})
		}
		lo = hi
	}
	return patches
}

// finder finds what changes, one goroutine at a time.
type finder struct {
	sorter rowSorter
	sorted cells    // a row of the base
	starts []uint64 // where rows of a patch begin in the added entries
}

// pile is the memory of all patches; each patch takes a piece.
type pile struct {
	rows          []patchRow
	delta         cells
	at            []uint64
	usedRows, end atomic.Int64
}

func (c *change) pile(base, more *CSR) *pile {
	n := int(more.NumEdges())
	s := &pile{rows: make([]patchRow, more.NumVertices()), at: pages.Uncleared[uint64](n)}
	s.delta.targets = pages.Uncleared[uint32](n)
	if base.Weights != nil && c.adds && more.Weights != nil {
		s.delta.weights = pages.Uncleared[float32](n)
	}
	if base.EdgeIDs != nil && c.adds && more.EdgeIDs != nil {
		s.delta.ids = pages.Uncleared[uint64](n)
	}
	hugepage.Expect(s.rows)
	hugepage.Expect(s.at)
	hugepage.Expect(s.delta.targets)
	return s
}

// find fills in a patch of which the vertices are known. Each of its loops has loads from all over what is added
// that don't wait for each other.
func (f *finder) find(c *change, p *patch, s *pile, base, more *CSR) {
	rows := 0
	for _, u := range c.from[p.lo:p.hi] {
		if u != NoVertex {
			rows++
		}
	}
	end := int(s.usedRows.Add(int64(rows)))
	p.rows = s.rows[end-rows : end-rows : end]
	f.starts = f.starts[:0]
	entries := 0
	for i, u := range c.from[p.lo:p.hi] {
		if c.stopped(i) {
			return // and each says why
		}
		if u == NoVertex {
			continue
		}
		start, end := more.Offsets[u], more.Offsets[u+1]
		if start < end || !c.g.ascends {
			entries += int(end - start)
			f.starts = append(f.starts, start)
			p.rows = append(p.rows, patchRow{v: uint32(p.lo + i), end: entries})
		}
	}
	end = int(s.end.Add(int64(entries)))
	p.delta, p.at = s.delta.span(end-entries, end), s.at[end-entries:end]
	lo := 0
	for i, start := range f.starts {
		if c.stopped(i) {
			return
		}
		row := p.delta.targets[lo:p.rows[i].end]
		for j, t := range more.Targets[start : start+uint64(len(row))] { // mostly too few for copy
			row[j] = t
		}
		if p.delta.weights != nil {
			copy(p.delta.weights[lo:], more.Weights[start:start+uint64(len(row))])
		}
		if p.delta.ids != nil {
			copy(p.delta.ids[lo:], more.EdgeIDs[start:start+uint64(len(row))])
		}
		lo += len(row)
	}
	for i, t := range p.delta.targets {
		if c.stopped(i) {
			return
		}
		p.delta.targets[i] = c.place[t]
	}
	old := base.NumVertices()
	p.length = base.Offsets[min(p.hi, old)] - base.Offsets[min(p.lo, old)]
	lo = 0
	for i := range p.rows {
		if c.stopped(4 * i) { // rows are sorted and sought in
			return
		}
		r := &p.rows[i]
		row := p.delta.span(lo, r.end)
		if len(row.targets) > 1 {
			f.sorter.sort(row)
		}
		from, had := base.NumEdges(), base.row(0, 0)
		if int(r.v) < old {
			from = base.Offsets[r.v]
			had = base.row(from, base.Offsets[r.v+1])
		}
		if r.unsorted = c.unsorted && !ascends(had.targets); r.unsorted {
			had = f.sort(had)
		}
		p.length += c.findRow(had, from, row, p.at[lo:r.end])
		lo = r.end
	}
}

// sort returns a row of the base in order. It is the finder's, until the next call.
func (f *finder) sort(row cells) cells {
	s := cells{targets: append(f.sorted.targets[:0], row.targets...)}
	if row.weights != nil {
		s.weights = append(f.sorted.weights[:0], row.weights...)
	}
	if row.ids != nil {
		s.ids = append(f.sorted.ids[:0], row.ids...)
	}
	f.sorter.sort(s)
	f.sorted = s
	return s
}

// ascends reports whether a row ascends. It looks at all of it, since nearly all rows do.
func ascends(row []uint32) bool {
	// Two at a time: where none has bit 31, a target with that bit set keeps it less the target before, unless that
	// is larger.
	const top = 1<<63 | 1<<31
	kept, all, rest := uint64(top), uint64(0), row
	for ; len(rest) > 8; rest = rest[8:] {
		r := (*[9]uint32)(rest)
		a, b := uint64(r[0])|uint64(r[1])<<32, uint64(r[2])|uint64(r[3])<<32
		c, d := uint64(r[4])|uint64(r[5])<<32, uint64(r[6])|uint64(r[7])<<32
		kept &= (uint64(r[1]) | uint64(r[2])<<32 | top) - a
		kept &= (uint64(r[3]) | uint64(r[4])<<32 | top) - b
		kept &= (uint64(r[5]) | uint64(r[6])<<32 | top) - c
		kept &= (uint64(r[7]) | uint64(r[8])<<32 | top) - d
		all |= a | b | c | d | uint64(r[8])
	}
	if all&top != 0 {
		kept, rest = top, row
	}
	descents := uint64(0)
	for i := 1; i < len(rest); i++ {
		descents |= uint64(rest[i]) - uint64(rest[i-1])
	}
	return kept&top == top && int64(descents) >= 0
}

// findRow finds the places of delta's entries in a row of the base, which begins at the base's entry from. It
// returns by how much the row grows. Besides the entries that delta has too, it reads few entries of the base.
func (c *change) findRow(base cells, from uint64, delta cells, at []uint64) (grows uint64) {
	i := 0
	for j := 0; j < len(delta.targets); {
		t, end := delta.targets[j], j+1
		for end < len(delta.targets) && delta.targets[end] == t {
			end++
		}
		for k := j; k < end; k++ {
			at[k] = 0
		}
		first := lowerBound(base.targets, i, t)
		last := first
		for last < len(base.targets) && base.targets[last] == t {
			last++
		}
		switch place := from + uint64(first); {
		case !c.adds:
			if last > first {
				at[j] = patchDrops | place
				grows -= uint64(last - first)
			}
		case first == last:
			for k := j; k < end; k++ {
				at[k] = patchInserts | place
			}
			grows += uint64(end - j)
		case c.o.KeepDuplicates:
			k := first
			for ; j < end; j++ {
				for k < last && !delta.before(j, base, k) {
					k++
				}
				at[j] = patchInserts | (from + uint64(k))
				grows++
			}
		case c.o.Combine == CombineFirst:
		case delta.before(j, base, first): // others that the graph kept stay
			at[j] = patchInserts | patchDrops | place
		}
		i, j = last, end
	}
	return grows
}

// lowerBound returns the first entry from i on that isn't less than t.
func lowerBound(row []uint32, i int, t uint32) int {
	step := 1
	for i+step <= len(row) && row[i+step-1] < t {
		i += step
		step *= 2
	}
	end := min(i+step, len(row))
	for i < end {
		if mid := int(uint(i+end) >> 1); row[mid] < t {
			i = mid + 1
		} else {
			end = mid
		}
	}
	return i
}

// before reports whether entry j is lighter than entry i of another row, or has the smaller id.
func (r cells) before(j int, other cells, i int) bool {
	if r.weights != nil {
		if a, b := weightKey(r.weights[j]), weightKey(other.weights[i]); a != b {
			return a < b
		}
	}
	return r.ids != nil && r.ids[j] < other.ids[i]
}
