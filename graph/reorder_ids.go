// This file holds the external ids' part of renumbering vertices, on all
// processors: each pass reads at random places.

package graph

import "github.com/foray-graph/foray/internal/osmem/hugepage"

// inverse returns the inverse of a permutation of 0 to n-1, of which nil is the
// identity.
func (c *crew) inverse(a []uint32, n int) ([]uint32, error) {
	b := make([]uint32, n)
	hugepage.Advise(b)
	return b, c.spans(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			b[at(a, i)] = uint32(i)
		}
	})
}

// spans calls do for parts of 0 to n-1.
func (c *crew) spans(n int, do func(lo, hi int)) error {
	parts := c.parts(n)
	return c.each("", parts, func(_, i int) error {
		do(span(n, parts, i))
		return nil
	})
}

// identity reports whether a[i] is i for all i.
func identity(a []uint32) bool {
	for i, x := range a {
		if x != uint32(i) {
			return false // nearly always at once
		}
	}
	return true
}

// movedIDs returns the ids m of the vertices in their new places. byID is
// m.ByID; from is the inverse of place. What is returned may share arrays with
// place and from.
func (c *crew) movedIDs(m *IDs, byID, place, from []uint32) (*IDs, error) {
	to := &IDs{Type: m.Type, Len: m.Len, Logical: m.Logical}
	if m.Sides != nil {
		to.Sides = make([]uint64, len(m.Sides))
		err := c.spans(len(to.Sides), func(lo, hi int) {
			for v := lo * 64; v < min(hi*64, len(from)); v++ {
				old := from[v]
				to.Sides[v/64] |= m.Sides[old/64] >> (old % 64) & 1 << (v % 64)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	moved := place // byID of the new ids
	if byID != nil {
		moved = make([]uint32, m.Len)
		hugepage.Advise(moved)
		err := c.spans(m.Len, func(lo, hi int) {
			for i, v := range byID[lo:hi] {
				moved[lo+i] = place[v]
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if err := c.moveValues(to, m, from); err != nil {
		return nil, err
	}
	if !to.Dense() {
		if identity(moved) {
			moved = nil
		}
		to.setByID(moved)
	}
	return to, nil
}

// moveValues sets the ids themselves.
func (c *crew) moveValues(to, m *IDs, from []uint32) error {
	switch {
	case m.Type.Integer() && m.Dense():
		if !identity(from) {
			to.Dense32 = from
		}
		return nil
	case m.Dense32 != nil:
		ids := make([]uint32, m.Len)
		err := c.spans(m.Len, func(lo, hi int) {
			for v := lo; v < hi; v++ {
				ids[v] = m.Dense32[from[v]]
			}
		})
		if !identity(ids) {
			to.Dense32 = ids
		}
		return err
	case m.Ints != nil:
		to.Ints = make([]int64, m.Len)
		return c.spans(m.Len, func(lo, hi int) {
			for v := lo; v < hi; v++ {
				to.Ints[v] = m.Ints[from[v]]
			}
		})
	}
	to.StringOffsets = make([]uint64, m.Len+1)
	err := c.spans(m.Len, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			to.StringOffsets[v+1] = uint64(len(m.bytesAt(from[v])))
		}
	})
	if err != nil {
		return err
	}
	for v := range m.Len {
		to.StringOffsets[v+1] += to.StringOffsets[v]
	}
	to.Data = make([]byte, to.StringOffsets[m.Len])
	return c.spans(m.Len, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			copy(to.Data[to.StringOffsets[v]:], m.bytesAt(from[v]))
		}
	})
}
