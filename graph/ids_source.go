// This file holds the step from provisional numbers to vertices in ascending
// order of external id.

package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// idSource is what the pairs of a build refer to: provisional numbers below
// space, and the way from there to ids.
type idSource struct {
	typ      IDType
	logical  string
	separate bool   // sources and targets are numbered apart, by the table
	space    int    // every provisional number is below
	n        int    // how many of them are vertices; set by count
	least    uint64 // the ordered key of number 0, where there is no table

	// One of these forms:
	dense  bool     // every number is a vertex
	direct bool     // the numbers in seen are vertices
	ranked bool     // numbers are ranks in seen, a set of distances from least
	table  *idTable // numbers are the table's
	listed []uint32 // numbers in ascending order of id
	sorted []uint64 // the ordered keys of all numbers, which are ranks; ranked is set too

	seen    bitset
	byID    []idEntry // the table's ids, sorted: of separate ones the sources first
	sources int       // how many of them are sources
}

// idEntry is an id of the table and its provisional number. The key of an
// integer is its ordered key, that of a string eight bytes of it.
type idEntry struct {
	key    uint64
	number uint32
}

// bitset is a set of numbers. Sets from several goroutines are safe.
type bitset []uint64

func newBitset(n uint64) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i uint64) {
	at, bit := &b[i/64], uint64(1)<<(i%64)
	// Nearly all bits are set already when they are set: look before locking.
	if atomic.LoadUint64(at)&bit == 0 {
		atomic.OrUint64(at, bit)
	}
}

func (b bitset) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// rank returns how many elements are less than i; ranks is what ranks returns.
func (b bitset) rank(ranks []uint32, i uint32) uint32 {
	return ranks[i/64] + uint32(bits.OnesCount64(b[i/64]&(1<<(i%64)-1)))
}

// ranks returns, for every word, the number of elements before it.
func (b bitset) ranks() []uint32 {
	r, n := make([]uint32, len(b)), 0
	for i, word := range b {
		r[i] = uint32(n)
		n += bits.OnesCount64(word)
	}
	return r
}

// sortTable fills byID with the ids of the table.
func (s *idSource) sortTable(c *crew) error {
	t := s.table
	n, _ := t.count()
	s.n, s.space = int(n), t.space()
	all := make([]idEntry, n)
	common := 0
	if !s.typ.Integer() {
		common = t.commonPrefix(c)
	}
	// The even shards, which have the sources where those are separate, come first.
	var starts [tableShards]int
	at, sources := 0, 0
	for i := range tableShards {
		sh := i*2%tableShards + i*2/tableShards
		if i == tableShards/2 {
			sources = at
		}
		starts[sh] = at
		at += int(t.shards[sh].n)
	}
	err := c.each("", tableShards, func(_, sh int) error {
		for i := range t.shards[sh].n {
			e := idEntry{number: i<<shardBits | uint32(sh)}
			if s.typ.Integer() {
				e.key = *t.shards[sh].keys.at(i)
			} else {
				e.key = prefixKey(t.stringOf(e.number)[common:])
			}
			all[starts[sh]+int(i)] = e
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.byID = all
	if !s.separate {
		return s.sortEntries(c, all)
	}
	s.sources = sources
	if err := s.sortEntries(c, all[:sources]); err != nil {
		return err
	}
	return s.sortEntries(c, all[sources:])
}

func (s *idSource) sortEntries(c *crew, all []idEntry) error {
	if s.typ.Integer() {
		return c.sortInts("order", all)
	}
	return c.sort("order", all, func(x, y idEntry) int {
		if x.key != y.key {
			return cmp.Compare(x.key, y.key)
		}
		return bytes.Compare(s.table.stringOf(x.number), s.table.stringOf(y.number))
	})
}

// prefixKey returns the first eight bytes of a string as a number that sorts
// as they do.
func prefixKey(id []byte) (key uint64) {
	for i, x := range id[:min(8, len(id))] {
		key |= uint64(x) << (56 - 8*i)
	}
	return key
}

// commonPrefix returns how many bytes all strings begin with in common, so
// that they can be sorted by the bytes that follow.
func (t *idTable) commonPrefix(c *crew) int {
	var first []byte
	n := -1
	for s := range t.shards {
		sh := &t.shards[s]
		if n == 0 || c.ctx.Err() != nil {
			return 0
		}
		for i := range sh.n {
			id := sh.bytesOf(i)
			if n < 0 {
				first, n = id, len(id)
			}
			k := 0
			for k < min(n, len(id)) && id[k] == first[k] {
				k++
			}
			n = k
		}
	}
	return max(n, 0)
}

// stringOf returns the string with that provisional number.
func (t *idTable) stringOf(number uint32) []byte {
	return t.shards[number%tableShards].bytesOf(number >> shardBits)
}

// ids makes the id map. final gives the vertex of a provisional number; nil
// means the number itself. inOrder means that vertices ascend by id.
func (s *idSource) ids(c *crew, final []uint32, inOrder bool) (*IDs, error) {
	m := &IDs{Type: s.typ, Len: s.n, Logical: s.logical}
	vertex := func(p uint32) uint32 {
		if final != nil {
			return final[p]
		}
		return p
	}
	// Ids that happen to be 0 to n-1 are dense, declared or not.
	isDense := s.typ.Integer() && s.table == nil && s.sorted == nil &&
		s.least == s.typ.orderedKey(0) && (s.dense || s.n == s.span())
	if isDense && inOrder {
		return m, nil
	}
	if s.dense && isDense { // a number is the rank of its id
		m.index.byID, m.Dense32 = final, pages.Uncleared[uint32](s.n)
		hugepage.Expect(m.Dense32)
		parts := c.parts(s.n)
		return m, c.each("", parts, func(_, i int) error {
			for number, end := span(s.n, parts, i); number < end; number++ {
				m.Dense32[final[number]] = uint32(number)
			}
			return nil
		})
	}
	parts, err := s.cut(c)
	if err != nil {
		return nil, err
	}
	var byID []uint32
	if !inOrder {
		byID = make([]uint32, s.n)
		hugepage.Expect(byID)
		m.index.byID = byID
	}
	if s.separate {
		m.Sides = make([]uint64, (s.n+63)/64)
		for _, e := range s.byID[s.sources:] {
			v := vertex(e.number)
			m.Sides[v/64] |= 1 << (v % 64)
		}
	}
	integer := s.typ.Integer()
	switch {
	case isDense:
		m.Dense32 = make([]uint32, s.n)
		hugepage.Expect(m.Dense32)
	case integer:
		m.Ints = make([]int64, s.n)
		hugepage.Expect(m.Ints)
	default:
		m.StringOffsets = make([]uint64, s.n+1)
	}
	err = parts.all(func(r ranked) {
		v := vertex(r.number)
		if byID != nil {
			byID[r.rank] = v
		}
		switch {
		case isDense:
			m.Dense32[v] = uint32(r.rank)
		case integer:
			m.Ints[v] = s.typ.idOf(r.key)
		default:
			m.StringOffsets[v+1] = uint64(len(s.table.stringOf(r.number)))
		}
	})
	if err != nil || integer {
		return m, err
	}
	for v := range s.n {
		m.StringOffsets[v+1] += m.StringOffsets[v]
	}
	m.Data = make([]byte, m.StringOffsets[s.n])
	return m, parts.all(func(r ranked) { copy(m.Data[m.StringOffsets[vertex(r.number)]:], s.table.stringOf(r.number)) })
}

// span returns one more than the largest number in seen.
func (s *idSource) span() int {
	for i := len(s.seen) - 1; i >= 0; i-- {
		if s.seen[i] != 0 {
			return i*64 + bits.Len64(s.seen[i])
		}
	}
	return 0
}

func tooManyVertices(n, most uint64) error {
	return fmt.Errorf("%w: %d; vertex ids are 32 bits, which is enough for %d", ErrTooManyVertices, n, most)
}
