// This file holds the lookup from external ids to vertices.

package graph

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"math/bits"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// idIndex finds the vertex of an external id: the vertices in ascending order
// of their ids, for a binary search. For a Builder it is a by-product of ordering;
// for other id maps the first lookup makes it.
type idIndex struct {
	once sync.Once
	byID []uint32 // nil where the vertices are in that order already
	// Where sides are separate, so many are sources, which come first.
	sources int
}

// search returns the vertex for which compare returns 0; compare(v) compares the
// id of v with the wanted one. If sides are separate, an id on both sides is
// ErrAmbiguousSide.
func (m *IDs) search(compare func(v uint32) int) (uint32, error) {
	m.index.once.Do(m.sortByID)
	if m.Sides == nil {
		v, ok := m.searchIn(0, m.Len, compare)
		if !ok {
			return 0, ErrNoVertex
		}
		return v, nil
	}
	v, isSource := m.searchIn(0, m.index.sources, compare)
	w, isTarget := m.searchIn(m.index.sources, m.Len, compare)
	switch {
	case isSource && isTarget:
		return 0, fmt.Errorf("%w: write source:%s or target:%s", ErrAmbiguousSide, m.format(v), m.format(v))
	case isSource:
		return v, nil
	case isTarget:
		return w, nil
	}
	return 0, ErrNoVertex
}

// searchOn is search on one side.
func (m *IDs) searchOn(side Side, compare func(v uint32) int) (uint32, bool) {
	m.index.once.Do(m.sortByID)
	switch {
	case m.Sides == nil:
		return m.searchIn(0, m.Len, compare)
	case side == Source:
		return m.searchIn(0, m.index.sources, compare)
	}
	return m.searchIn(m.index.sources, m.Len, compare)
}

// searchIn is search among the vertices lo to hi-1 in ascending order of id.
func (m *IDs) searchIn(lo, hi int, compare func(v uint32) int) (uint32, bool) {
	at := func(i int) uint32 {
		if m.index.byID != nil {
			return m.index.byID[i]
		}
		return uint32(i)
	}
	i := lo + sort.Search(hi-lo, func(i int) bool { return compare(at(lo+i)) >= 0 })
	if i < hi && compare(at(i)) == 0 {
		return at(i), true
	}
	return 0, false
}

// compare ranks the ids of two vertices: integers numerically by their
// signedness, strings bytewise; sources before targets where those are
// separate.
func (m *IDs) compare(v, w uint32) int {
	if m.Sides != nil && m.sideAt(v) != m.sideAt(w) {
		return cmp.Compare(m.sideAt(v), m.sideAt(w))
	}
	switch {
	case m.StringOffsets != nil:
		return bytes.Compare(m.bytesAt(v), m.bytesAt(w))
	case m.Type.Signed():
		return cmp.Compare(m.intAt(v), m.intAt(w))
	}
	return cmp.Compare(uint64(m.intAt(v)), uint64(m.intAt(w)))
}

// ByID returns the vertices in ascending order of external id: integers by
// value, strings and binary bytewise; with separate sides all sources come
// before all targets. It is nil if the vertices are in that order already. The
// slice belongs to the map and must not be written to. Ranks is its inverse.
//
// A Builder's id map has it. For other maps that aren't dense, the first call or
// lookup computes it: a pass over the ids, and a sort unless they ascend.
func (m *IDs) ByID() []uint32 { return within(m, 0, (*IDs).allByID) }

func (m *IDs) allByID(int) []uint32 {
	if m.Dense() {
		return nil
	}
	m.index.once.Do(m.sortByID)
	return m.index.byID
}

// countSources sets the number of vertices that are sources, if sides are separate.
func (m *IDs) countSources() {
	m.index.sources = m.Len
	for i, word := range m.Sides {
		if rest := m.Len - i*64; rest < 64 {
			word &= 1<<rest - 1
		}
		m.index.sources -= bits.OnesCount64(word)
	}
}

func (m *IDs) sortByID() {
	m.countSources()
	if m.index.byID != nil {
		return
	}
	sorted := true
	for v := 1; v < m.Len && sorted; v++ {
		sorted = m.compare(uint32(v-1), uint32(v)) < 0
	}
	if sorted {
		return
	}
	byID := make([]uint32, m.Len)
	for v := range byID {
		byID[v] = uint32(v)
	}
	sort.Slice(byID, func(i, j int) bool { return m.compare(byID[i], byID[j]) < 0 })
	m.index.byID = byID
}

// rankInt ranks the integer ids of vertices against one by its 64 bits.
func (m *IDs) rankInt(id int64) func(v uint32) int {
	if m.Type.Signed() {
		return func(v uint32) int { return cmp.Compare(m.intAt(v), id) }
	}
	return func(v uint32) int { return cmp.Compare(uint64(m.intAt(v)), uint64(id)) }
}

func (m *IDs) rankBytes(id []byte) func(v uint32) int {
	return func(v uint32) int { return bytes.Compare(m.bytesAt(v), id) }
}

// FindInt returns the vertex with the given integer id (a Uint64 bit for bit) on
// the given side, and whether there is one. Without separate sides the side is
// ignored. If ids aren't integers, it finds no vertex.
func (m *IDs) FindInt(side Side, id int64) (uint32, bool) {
	if m.mapped != nil {
		defer m.mapped.mustEnter().leave()
	}
	return m.findInt(side, id)
}

func (m *IDs) findInt(side Side, id int64) (uint32, bool) {
	if !m.Type.Integer() {
		return 0, false
	}
	if m.Dense() {
		return uint32(id), id >= 0 && id < int64(m.Len)
	}
	return m.searchOn(side, m.rankInt(id))
}

// FindBytes is FindInt for strings and binary. The slice is only read.
func (m *IDs) FindBytes(side Side, id []byte) (uint32, bool) {
	if m.mapped != nil {
		defer m.mapped.mustEnter().leave()
	}
	return m.findBytes(side, id)
}

func (m *IDs) findBytes(side Side, id []byte) (uint32, bool) {
	if m.Type.Integer() {
		return 0, false
	}
	return m.searchOn(side, m.rankBytes(id))
}

// vertexInt looks up an integer id by its 64 bits; name is the id for errors.
func (m *IDs) vertexInt(id int64, name any) (uint32, error) {
	if m.Dense() {
		if id < 0 || id >= int64(m.Len) {
			return 0, &vertexError{ID: name}
		}
		return uint32(id), nil
	}
	v, err := m.search(m.rankInt(id))
	if err == ErrNoVertex {
		err = &vertexError{ID: name}
	}
	return v, err
}

// vertexBytes is vertexInt for strings.
func (m *IDs) vertexBytes(id []byte, name any) (uint32, error) {
	v, err := m.search(m.rankBytes(id))
	if err == ErrNoVertex {
		err = &vertexError{ID: name}
	}
	return v, err
}

// Vertex returns the vertex with the integer id, or an error that wraps ErrNoVertex. If ids aren't
// integers, the error is ErrIDType. An id that is on both of two separate sides is
// ErrAmbiguousSide; IDs.FindInt searches one side. On a closed graph the error is
// device.ErrClosed.
func (g *Graph) Vertex(id int64) (uint32, error) {
	reading, err := g.look()
	if err != nil {
		return 0, err
	}
	defer looked(reading)
	if !g.ids.Type.Integer() {
		return 0, fmt.Errorf("%w: vertex %d asked for, but ids are of type %v", ErrIDType, id, g.ids.Type)
	}
	if id < 0 && !g.ids.Type.Signed() {
		return 0, &vertexError{ID: id}
	}
	return g.ids.vertexInt(id, id)
}

// VertexString returns the vertex with the string id, or the binary id of these bytes. Errors are the same
// as for Vertex, ErrIDType for integer ids.
func (g *Graph) VertexString(id string) (uint32, error) {
	reading, err := g.look()
	if err != nil {
		return 0, err
	}
	defer looked(reading)
	if g.ids.Type.Integer() {
		return 0, fmt.Errorf("%w: vertex %q asked for, but ids are of type %v; ParseVertex finds ids of all types by their text", ErrIDType, id, g.ids.Type)
	}
	if strings.HasPrefix(g.ids.Logical, "tuple(") {
		return 0, fmt.Errorf("%w: vertex %q asked for, but ids are %s; ParseVertex finds them by their text, such as \"acme,42\"", ErrIDType, id, g.ids.Logical)
	}
	if strings.HasPrefix(g.ids.Logical, "kinds(") {
		return 0, fmt.Errorf("%w: vertex %q asked for, but ids are %s; ParseVertex finds them by their text, such as \"user:42\"", ErrIDType, id, g.ids.Logical)
	}
	return g.ids.vertexBytes([]byte(id), id)
}

// ParseVertex returns the vertex whose id is written as text, in the form of
// IDs.Format: decimal for integers, the string itself, hexadecimal for binary, and
// logical values as in IDs.Logical, such as "user:1" for vertex 1 of kind user: the
// part before the first colon is the kind, the rest is the id. If sides are separate,
// the prefix "source:" or "target:" names the side; without it, an id on both sides
// is ErrAmbiguousSide. Text that isn't an id of the graph's type fails with ErrIDType, an
// absent id with ErrNoVertex.
func (g *Graph) ParseVertex(text string) (uint32, error) {
	reading, err := g.look()
	if err != nil {
		return 0, err
	}
	defer looked(reading)
	m := g.ids
	if m.Sides != nil {
		for _, side := range []Side{Source, Target} {
			rest, ok := strings.CutPrefix(text, side.String()+":")
			if !ok {
				continue
			}
			n, raw, err := m.parse(rest)
			if err != nil {
				return 0, err
			}
			v, found := m.findInt(side, n)
			if !m.Type.Integer() {
				v, found = m.findBytes(side, raw)
			}
			if !found {
				return 0, &vertexError{ID: text}
			}
			return v, nil
		}
	}
	n, raw, err := m.parse(text)
	if err != nil {
		return 0, err
	}
	if m.Type.Integer() {
		return m.vertexInt(n, text)
	}
	return m.vertexBytes(raw, text)
}

// parse reads an id as Format writes it, without a side: an integer by its 64
// bits, or bytes.
func (m *IDs) parse(text string) (n int64, raw []byte, err error) {
	t := m.logicalType()
	switch {
	case t != nil && m.Type.Integer():
		n, err = t.ParseInt(text)
	case t != nil:
		raw, err = t.ParseBytes(text)
	case m.Type == String:
		raw = []byte(text)
	case m.Type == Binary:
		raw, err = hex.DecodeString(text)
		if err != nil {
			err = fmt.Errorf("want hexadecimal digits: %w", err)
		}
	case m.Type.Signed():
		n, err = strconv.ParseInt(text, 10, 64)
	default:
		var u uint64
		u, err = strconv.ParseUint(text, 10, 64)
		n = int64(u)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("%w: ids are of type %s, but %q is not: %v", ErrIDType, typeName(m.Type, m.Logical), text, err)
	}
	return n, raw, nil
}
