// This file holds how the vertices of two graphs are found to be the same.

package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/foray-graph/foray/internal/logical"
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
	r.SetByID(b.index.byID)
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
	pos := make([]int, b.Len) // by place in b's order: how many of a's ids are less
	parts := c.parts(b.Len)
	fresh := make([][]uint32, parts) // vertices of more that g lacks, in the order of their ids
	err := c.each("", parts, func(_, i int) error {
		lo, hi := span(b.Len, parts, i)
		less := 0
		for k := lo; k < hi; k++ {
			w := at(b.index.byID, k)
			if err := c.fits(w); err != nil {
				return err
			}
			less = c.gallop(less, w)
			pos[k] = less
			c.place[w] = NoVertex
			if less < a.Len && c.compare(at(a.index.byID, less), w) == 0 {
				c.place[w] = at(a.index.byID, less)
			} else {
				fresh[i] = append(fresh[i], uint32(k))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var added []uint32 // vertices of more, in the order of their ids
	var before []int   // how many of g's ids are less than each
	if c.adds {
		for _, ks := range fresh {
			for _, k := range ks {
				w := at(b.index.byID, int(k))
				if uint64(a.Len)+uint64(len(added)) >= uint64(NoVertex) {
					return nil, tooManyVertices(uint64(a.Len)+uint64(len(added))+1, uint64(NoVertex))
				}
				c.place[w] = uint32(a.Len + len(added))
				added, before = append(added, w), append(before, pos[k])
			}
		}
	}
	c.n = a.Len + len(added)
	c.from = make([]uint32, c.n)
	if err := c.spans(c.n, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			c.from[v] = NoVertex
		}
	}); err != nil {
		return nil, err
	}
	for w, v := range c.place {
		if v != NoVertex {
			c.from[v] = uint32(w)
		}
	}
	return c.joined(added, before), nil
}

// fits reports an id of more that the type of g's ids doesn't hold.
func (c *change) fits(w uint32) error {
	a, b := c.g.ids.Type, c.otherIDs.Type
	if !a.Integer() || a == b {
		return nil
	}
	id := c.otherIDs.Int(w)
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
		return fmt.Errorf("%w: id %s is none of type %v, which those of the graph have", ErrIDRange, c.otherIDs.format(w), a)
	}
	return nil
}

// compare ranks the id of vertex v of g against that of vertex w of more.
func (c *change) compare(v, w uint32) int {
	a, b := c.g.ids, c.otherIDs
	if a.Sides != nil && a.Side(v) != b.Side(w) {
		return cmp.Compare(a.Side(v), b.Side(w))
	}
	switch {
	case a.StringOffsets != nil || b.StringOffsets != nil:
		return bytes.Compare(a.Bytes(v), b.Bytes(w))
	case a.Type.Signed():
		return cmp.Compare(a.Int(v), b.Int(w))
	}
	return cmp.Compare(uint64(a.Int(v)), uint64(b.Int(w)))
}

// gallop returns how many of g's ids are less than that of w: from or more.
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
		to.StringOffsets, to.Data = slices.Clone(a.StringOffsets), slices.Clone(a.Data)
		for _, w := range added {
			to.Data = append(to.Data, b.Bytes(w)...)
			to.StringOffsets = append(to.StringOffsets, uint64(len(to.Data)))
		}
	case a.Ints == nil && c.follow(added):
		if a.Dense32 != nil {
			to.Dense32 = slices.Clone(a.Dense32)
			for v := a.Len; v < c.n; v++ {
				to.Dense32 = append(to.Dense32, uint32(v))
			}
		}
	default:
		to.Ints = make([]int64, 0, c.n)
		if a.Ints != nil {
			to.Ints = append(to.Ints, a.Ints...)
		} else {
			for v := range uint32(a.Len) {
				to.Ints = append(to.Ints, a.Int(v))
			}
		}
		for _, w := range added {
			to.Ints = append(to.Ints, b.Int(w))
		}
	}
	if a.Sides != nil {
		to.Sides = make([]uint64, (c.n+63)/64)
		copy(to.Sides, a.Sides)
		if rest := a.Len % 64; rest > 0 {
			to.Sides[a.Len/64] &= 1<<rest - 1
		}
		for i, w := range added {
			if v := a.Len + i; b.Side(w) == Target {
				to.Sides[v/64] |= 1 << (v % 64)
			}
		}
	}
	if a.index.byID == nil && behind {
		to.SetByID(nil)
		return to
	}
	byID, done := make([]uint32, 0, c.n), 0
	upTo := func(end int) {
		for ; done < end; done++ {
			byID = append(byID, at(a.index.byID, done))
		}
	}
	for i, n := range before {
		upTo(n)
		byID = append(byID, uint32(a.Len+i))
	}
	upTo(a.Len)
	to.SetByID(byID)
	return to
}

// follow reports whether the ids of vertices that more alone has are the numbers that these get.
func (c *change) follow(added []uint32) bool {
	for i, w := range added {
		if c.otherIDs.Int(w) != int64(c.g.ids.Len+i) {
			return false
		}
	}
	return true
}
