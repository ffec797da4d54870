// This file holds the lookup from external ids to vertices.

package graph

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"sync"
)

// idIndex finds the vertex of an external id: the vertices in ascending order
// of their ids, for a binary search. The Builder hands it in as a by-product
// of ordering; for other id maps it is made by the first lookup.
type idIndex struct {
	once sync.Once
	byID []uint32 // nil where the vertices are in that order already
}

// search returns the vertex for which compare returns 0, where compare(v)
// ranks the id of v against the one that is sought.
func (m *IDs) search(compare func(v uint32) int) (uint32, bool) {
	m.index.once.Do(m.sortByID)
	at := func(i int) uint32 {
		if m.index.byID != nil {
			return m.index.byID[i]
		}
		return uint32(i)
	}
	i := sort.Search(m.Len, func(i int) bool { return compare(at(i)) >= 0 })
	if i < m.Len && compare(at(i)) == 0 {
		return at(i), true
	}
	return 0, false
}

// compare ranks the ids of two vertices: integers numerically by their
// signedness, strings bytewise.
func (m *IDs) compare(v, w uint32) int {
	switch {
	case m.StringOffsets != nil:
		return bytes.Compare(m.Bytes(v), m.Bytes(w))
	case m.Type.Signed():
		return cmp.Compare(m.Int(v), m.Int(w))
	}
	return cmp.Compare(uint64(m.Int(v)), uint64(m.Int(w)))
}

// ByID returns the vertices in ascending order of external id: integers by
// value, strings and binary bytewise. It is nil where the vertices are in that
// order already, vertex v being the v-th. The slice is the map's own and must
// not be written to.
//
// A Builder's id map has it. For another one that isn't dense it is worked out
// by the first call, or the first lookup: a pass over the ids, and a sort unless
// they ascend.
func (m *IDs) ByID() []uint32 {
	if m.Dense() {
		return nil
	}
	m.index.once.Do(m.sortByID)
	return m.index.byID
}

func (m *IDs) sortByID() {
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

// vertexInt looks up an integer id by its 64 bits.
func (m *IDs) vertexInt(id int64) (uint32, bool) {
	if m.Dense() {
		return uint32(id), id >= 0 && id < int64(m.Len)
	}
	if m.Type.Signed() {
		return m.search(func(v uint32) int { return cmp.Compare(m.Int(v), id) })
	}
	return m.search(func(v uint32) int { return cmp.Compare(uint64(m.Int(v)), uint64(id)) })
}

// Vertex returns the vertex with the integer id, or a *VertexError. Ids that
// aren't integers fail with ErrIDType.
func (g *Graph) Vertex(id int64) (uint32, error) {
	if !g.ids.Type.Integer() {
		return 0, fmt.Errorf("%w: vertex %d asked for, but ids are of type %v", ErrIDType, id, g.ids.Type)
	}
	if id < 0 && !g.ids.Type.Signed() {
		return 0, &VertexError{ID: id}
	}
	v, ok := g.ids.vertexInt(id)
	if !ok {
		return 0, &VertexError{ID: id}
	}
	return v, nil
}

// VertexUint returns the vertex with the integer id, which may be past
// MaxInt64, or a *VertexError. Ids that aren't integers fail with ErrIDType.
func (g *Graph) VertexUint(id uint64) (uint32, error) {
	if !g.ids.Type.Integer() {
		return 0, fmt.Errorf("%w: vertex %d asked for, but ids are of type %v", ErrIDType, id, g.ids.Type)
	}
	if int64(id) < 0 && g.ids.Type.Signed() {
		return 0, &VertexError{ID: id}
	}
	v, ok := g.ids.vertexInt(int64(id))
	if !ok {
		return 0, &VertexError{ID: id}
	}
	return v, nil
}

// VertexString returns the vertex with the string (or binary) id, or a
// *VertexError. Integer ids fail with ErrIDType.
func (g *Graph) VertexString(id string) (uint32, error) { return g.VertexBytes([]byte(id)) }

// VertexBytes returns the vertex with the binary (or string) id, or a
// *VertexError. Integer ids fail with ErrIDType. The slice is only read.
func (g *Graph) VertexBytes(id []byte) (uint32, error) {
	if g.ids.Type.Integer() {
		return 0, fmt.Errorf("%w: vertex %q asked for, but ids are of type %v", ErrIDType, id, g.ids.Type)
	}
	v, ok := g.ids.search(func(v uint32) int { return bytes.Compare(g.ids.Bytes(v), id) })
	if !ok {
		return 0, &VertexError{ID: string(id)}
	}
	return v, nil
}

// ParseVertex returns the vertex whose id reads as text, the way IDs.Format
// writes it: decimal for integers, the string itself, hexadecimal for binary.
// Text that is no id of the graph's type fails with ErrIDType, an absent id
// with a *VertexError.
func (g *Graph) ParseVertex(text string) (uint32, error) {
	t := g.ids.Type
	switch {
	case t == String:
		return g.VertexString(text)
	case t == Binary:
		id, err := hex.DecodeString(text)
		if err != nil {
			return 0, fmt.Errorf("%w: ids are binary, written in hexadecimal, but %q is not: %v", ErrIDType, text, err)
		}
		return g.VertexBytes(id)
	case t.Signed():
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%w: ids are of type %v, but %q is not: %v", ErrIDType, t, text, err)
		}
		return g.Vertex(id)
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: ids are of type %v, but %q is not: %v", ErrIDType, t, text, err)
	}
	return g.VertexUint(id)
}
