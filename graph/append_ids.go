// This file holds how the vertices of two graphs are found to be the same.

package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
	"github.com/foray-graph/foray/internal/text/logical"
)

// inKindsOf returns the ids b as ids of the kinds that a has, where all of their vertices are of some of these kinds with
// the same types of ids; else b itself. A key begins with its kind's place among the names, which ascend in
// both, so that the order of ids stays.
func inKindsOf(a, b *IDs) *IDs {
	from, to := b.logicalType(), a.logicalType()
	if a.Logical == b.Logical || a.Type != b.Type || from == nil || to == nil || from.Kind != logical.Kinds || to.Kind != logical.Kinds {
		return b
	}
	place := make([]int, len(from.Names))
	for k, name := range from.Names {
		place[k] = -1
		if i, ok := to.FindKind(name); ok && from.Parts[k].String() == to.Parts[i].String() {
			place[k] = i
		}
	}
	r := &IDs{Type: b.Type, Len: b.Len, StringOffsets: b.StringOffsets, Data: slices.Clone(b.Data), Logical: a.Logical, Sides: b.Sides}
	for v := range uint32(b.Len) {
		key := r.Bytes(v)
		if len(key) == 0 || int(key[0]) >= len(place) || place[key[0]] < 0 {
			return b
		}
		key[0] = byte(place[key[0]])
	}
	b.index.once.Do(b.sortByID)
	r.setByID(b.index.byID)
	return r
}

// ids finds the vertices of more in g, sets n, place and from, and returns the ids of the result.
func (c *change) ids() (*IDs, error) {
	a, b := c.g.ids, inKindsOf(c.g.ids, c.more.ids)
	c.otherIDs = b
	if a.Type.Integer() != b.Type.Integer() || !a.Type.Integer() && a.Type != b.Type || a.Logical != b.Logical || (a.Sides == nil) != (b.Sides == nil) {
		return nil, errIDs(a, b)
	}
	a.index.once.Do(a.sortByID)
	b.index.once.Do(b.sortByID)
	c.place = make([]uint32, b.Len)
	parts := c.parts(b.Len)
	fresh := make([][]freshID, parts)
	err := c.each("", parts, func(_, i int) (err error) {
		lo, hi := span(b.Len, parts, i)
		if a.Type.Integer() && a.Sides == nil && a.Len/closeIDs < b.Len {
			fresh[i], err = c.merge(lo, hi)
		} else {
			fresh[i], err = c.seek(lo, hi)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	added, before := []uint32{}, []int{} // as joined wants them
	if c.adds {
		for _, list := range fresh {
			for _, f := range list {
				if uint64(a.Len)+uint64(len(added)) >= uint64(NoVertex) {
					return nil, tooManyVertices(uint64(a.Len)+uint64(len(added))+1, uint64(NoVertex))
				}
				c.place[f.w] = uint32(a.Len + len(added))
				added, before = append(added, f.w), append(before, f.less)
			}
		}
	}
	c.n = a.Len + len(added)
	c.from = pages.Uncleared[uint32](c.n)
	hugepage.Expect(c.from)
	if err := c.spans(c.n, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			c.from[v] = NoVertex
		}
	}); err != nil {
		return nil, err
	}
	for w, v := range c.place {
		if c.stopped(w) {
			return nil, c.ctx.Err()
		}
		if v != NoVertex {
			c.from[v] = uint32(w)
		}
	}
	return c.joined(added, before), c.ctx.Err()
}

// freshID is a vertex of more that g lacks, and how many of g's ids are less than its.
type freshID struct {
	w    uint32
	less int
}

// seek finds the vertices of more that are lo to hi-1 in the order of ids, and returns those that g lacks. It
// looks at few of g's ids for each.
func (c *change) seek(lo, hi int) (fresh []freshID, err error) {
	a, b := c.g.ids, c.otherIDs
	less := 0
	for k := lo; k < hi; k++ {
		if c.stopped(k - lo) {
			return nil, c.ctx.Err()
		}
		w := at(b.index.byID, k)
		if err := c.fits(w); err != nil {
			return nil, err
		}
		less = c.gallop(less, w)
		c.place[w] = NoVertex
		if less < a.Len && c.compare(at(a.index.byID, less), w) == 0 {
			c.place[w] = at(a.index.byID, less)
		} else {
			fresh = append(fresh, freshID{w, less})
		}
	}
	return fresh, nil
}

// merge is seek for integers where more has so many that it looks at all of g's ids between the first and the last:
// loads of ids one after the other in their order, which lie anywhere, don't wait for each other.
func (c *change) merge(lo, hi int) (fresh []freshID, err error) {
	a, b := c.g.ids, c.otherIDs
	if lo == hi {
		return nil, nil
	}
	flip := uint64(0)
	if a.Type.Signed() {
		flip = 1 << 63
	}
	var ids [mergedIDs]uint64 // of g
	first := at(b.index.byID, lo)
	if err := c.fits(first); err != nil {
		return nil, err
	}
	less := c.gallop(0, first)
	i, n := 0, 0 // of ids; ids[i] is the one with less before it
	for k := lo; k < hi; k++ {
		if c.stopped(k - lo) {
			return nil, c.ctx.Err()
		}
		w := at(b.index.byID, k)
		if err := c.fits(w); err != nil {
			return nil, err
		}
		id := uint64(b.intAt(w)) ^ flip
		for {
			if i == n {
				n = min(len(ids), a.Len-less)
				for j := range ids[:n] {
					ids[j] = uint64(a.intAt(at(a.index.byID, less+j))) ^ flip
				}
				i = 0
			}
			if i == n || ids[i] >= id {
				break
			}
			i++
			less++
		}
		c.place[w] = NoVertex
		if i < n && ids[i] == id {
			c.place[w] = at(a.index.byID, less)
		} else {
			fresh = append(fresh, freshID{w, less})
		}
	}
	return fresh, nil
}

// fits reports an id of more that the type of g's ids doesn't hold.
func (c *change) fits(w uint32) error {
	a, b := c.g.ids.Type, c.otherIDs.Type
	if !a.Integer() || a == b {
		return nil
	}
	id := c.otherIDs.intAt(w)
	ok := true
	switch {
	case a.Signed() && !b.Signed() && id < 0: // 2^63 and more
		ok = false
	case a.Signed():
		shift := 64 - a.bits()
		ok = id<<shift>>shift == id
	case b.Signed() && id < 0:
		ok = false
	default:
		ok = a.bits() == 64 || uint64(id)>>a.bits() == 0
	}
	if !ok {
		return fmt.Errorf("%w: id %s doesn't fit type %v of the graph's ids", ErrIDRange, c.otherIDs.format(w), a)
	}
	return nil
}

// compare ranks the id of vertex v of g against that of vertex w of more.
func (c *change) compare(v, w uint32) int {
	a, b := c.g.ids, c.otherIDs
	if a.Sides != nil && a.sideAt(v) != b.sideAt(w) {
		return cmp.Compare(a.sideAt(v), b.sideAt(w))
	}
	switch {
	case a.StringOffsets != nil || b.StringOffsets != nil:
		return bytes.Compare(a.bytesAt(v), b.bytesAt(w))
	case a.Type.Signed():
		return cmp.Compare(a.intAt(v), b.intAt(w))
	}
	return cmp.Compare(uint64(a.intAt(v)), uint64(b.intAt(w)))
}

// gallop returns how many of g's ids are less than w's id. The result is at least from.
func (c *change) gallop(from int, w uint32) int {
	a := c.g.ids
	less := func(i int) bool { return c.compare(at(a.index.byID, i), w) < 0 }
	step := 1
	for from+step <= a.Len && less(from+step-1) {
		from += step
		step *= 2
	}
	end := min(from+step, a.Len)
	return from + sort.Search(end-from, func(i int) bool { return !less(from + i) })
}

// joined returns g's ids, and behind them those of vertices that more alone has, given in ascending order
// of id with how many of g's ids are less than each.
func (c *change) joined(added []uint32, before []int) *IDs {
	a, b := c.g.ids, c.otherIDs
	to := &IDs{Type: a.Type, Len: c.n, Logical: a.Logical}
	behind := len(added) == 0 || before[0] == a.Len // all of them
	switch {
	case a.StringOffsets != nil || !a.Type.Integer():
		bytes := len(a.Data)
		for i, w := range added {
			if c.stopped(i) {
				return nil // and ids says why
			}
			bytes += len(b.bytesAt(w))
		}
		to.StringOffsets = pages.Uncleared[uint64](len(a.StringOffsets) + len(added))
		hugepage.Expect(to.StringOffsets)
		end := copy(to.StringOffsets, a.StringOffsets)
		to.Data = append(slices.Grow([]byte(nil), bytes), a.Data...)
		for i, w := range added {
			if c.stopped(i) {
				return nil
			}
			to.Data = append(to.Data, b.bytesAt(w)...)
			to.StringOffsets[end+i] = uint64(len(to.Data))
		}
	case a.Ints == nil && c.follow(added):
		if a.Dense32 != nil {
			to.Dense32 = pages.Uncleared[uint32](c.n)
			hugepage.Expect(to.Dense32)
			for v := copy(to.Dense32, a.Dense32); v < c.n; v++ {
				to.Dense32[v] = uint32(v)
			}
		}
	default:
		to.Ints = pages.Uncleared[int64](c.n)
		hugepage.Expect(to.Ints)
		if copy(to.Ints, a.Ints) == 0 {
			for v := range to.Ints[:a.Len] {
				if c.stopped(v) {
					return nil
				}
				to.Ints[v] = a.intAt(uint32(v))
			}
		}
		for i, w := range added {
			if c.stopped(i) {
				return nil
			}
			to.Ints[a.Len+i] = b.intAt(w)
		}
	}
	if a.Sides != nil {
		to.Sides = make([]uint64, (c.n+63)/64)
		copy(to.Sides, a.Sides)
		if rest := a.Len % 64; rest > 0 {
			to.Sides[a.Len/64] &= 1<<rest - 1
		}
		for i, w := range added {
			if v := a.Len + i; b.sideAt(w) == Target {
				to.Sides[v/64] |= 1 << (v % 64)
			}
		}
	}
	if a.index.byID == nil && behind {
		to.setByID(nil)
		return to
	}
	byID, done := pages.Uncleared[uint32](c.n), 0
	hugepage.Expect(byID)
	upTo := func(end, shift int) {
		if a.index.byID != nil {
			copy(byID[done+shift:], a.index.byID[done:end])
			done = end
		}
		for ; done < end; done++ {
			byID[done+shift] = uint32(done)
		}
	}
	for i, n := range before {
		if c.stopped(i) {
			return nil
		}
		upTo(n, i)
		byID[n+i] = uint32(a.Len + i)
	}
	upTo(a.Len, len(before))
	to.setByID(byID)
	return to
}

// follow reports whether the ids of vertices that more alone has are the numbers that these get.
func (c *change) follow(added []uint32) bool {
	for i, w := range added {
		if c.otherIDs.intAt(w) != int64(c.g.ids.Len+i) {
			return false
		}
	}
	return true
}
