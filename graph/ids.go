// This file holds IDs, the map between the external ids of the input and the
// dense vertex ids of the graph.

package graph

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/foray-graph/foray/internal/text/logical"
)

// IDType is the type of the external ids, so that results can be written in the type
// of the input.
type IDType uint8

// The types of external ids. Integers keep their width and signedness.
const (
	Int64 IDType = iota
	Int32
	Int16
	Int8
	Uint64
	Uint32
	Uint16
	Uint8
	String
	Binary
)

var idTypeNames = [...]string{"int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "string", "binary"}

func (t IDType) String() string {
	if int(t) < len(idTypeNames) {
		return idTypeNames[t]
	}
	return "IDType(" + strconv.Itoa(int(t)) + ")"
}

// Integer reports whether ids of this type are integers.
func (t IDType) Integer() bool { return t <= Uint8 }

// Signed reports whether ids of this type are signed integers.
func (t IDType) Signed() bool { return t <= Int8 }

// IDs maps external ids to vertices and back. It is immutable and safe for
// concurrent use. It has one of four forms:
//
//   - dense: vertex v has the external id v, nothing is stored;
//   - renumbered: Dense32[v] is the external id of v, and the external ids are
//     0 to Len-1 in another order;
//   - integers: Ints[v] is the external id of v (a Uint64 bit for bit);
//   - strings: Data[StringOffsets[v]:StringOffsets[v+1]] is the external id of v.
//
// The fields are read-only once the map belongs to a Graph. To make one for FromCSR, set
// Type, Len and the slices of one form; external ids must be unique.
type IDs struct {
	Type          IDType
	Len           int      // vertices
	Dense32       []uint32 // one per vertex, or nil
	Ints          []int64  // one per vertex, or nil
	StringOffsets []uint64 // one per vertex and one more, or nil
	Data          []byte   // the strings, one after the other

	// Logical is the logical type of the integers or bytes, if they encode other
	// values: "date32", "timestamp[us,UTC]", "decimal(18,0)", "uuid",
	// "fixed(20)", "tuple(int32,string)" for ids of several columns, or
	// "kinds(item:string,user:int64)" for vertices of several kinds. The graph
	// keeps it, formats and parses such ids as text, and doesn't mix ids of
	// different logical types. An empty string means plain values of Type.
	Logical string
	// Sides has a bit per vertex, set if it is a target, in graphs with
	// Options.Bipartite; else nil. External ids are then unique on each side.
	Sides []uint64

	mapped  *mapped // guards slices that are in a mapped file
	meaning logicalType
	index   idIndex // external to internal; unused where dense
	ranks   idRanks // internal to the place in that order
}

// Dense reports whether external ids are the vertex ids themselves.
func (m *IDs) Dense() bool { return m.Ints == nil && m.StringOffsets == nil && m.Dense32 == nil }

// within calls a method of the map. Arrays in a mapped file stay until it returns; after their
// release it panics, as documented for Graph.Close.
func within[X, R any](m *IDs, x X, read func(m *IDs, x X) R) R {
	if m.mapped != nil {
		defer m.mapped.mustEnter().leave()
	}
	return read(m, x)
}

// Int returns the external id of v as an integer. Uint64 ids past MaxInt64 have
// the same bits. For strings it is 0.
func (m *IDs) Int(v uint32) int64 {
	if m.Ints != nil && m.mapped == nil { // here, so that it is inlined
		return m.Ints[v]
	}
	return within(m, v, (*IDs).intAt)
}

func (m *IDs) intAt(v uint32) int64 {
	switch {
	case m.Ints != nil:
		return m.Ints[v]
	case m.Dense32 != nil:
		return int64(m.Dense32[v])
	case m.StringOffsets != nil:
		return 0
	}
	return int64(v)
}

// Bytes returns the external id of v if ids are strings or binary, else nil.
// The slice aliases the map and must not be written to.
func (m *IDs) Bytes(v uint32) []byte {
	return within(m, v, (*IDs).bytesAt)
}

func (m *IDs) bytesAt(v uint32) []byte {
	if m.StringOffsets == nil {
		return nil
	}
	return m.Data[m.StringOffsets[v]:m.StringOffsets[v+1]]
}

// Side returns the side of v. Without separate sides it is Source.
func (m *IDs) Side(v uint32) Side { return within(m, v, (*IDs).sideAt) }

func (m *IDs) sideAt(v uint32) Side {
	if m.Sides != nil && m.Sides[v/64]>>(v%64)&1 != 0 {
		return Target
	}
	return Source
}

// Format returns the external id of v as text: decimal for integers, the string
// itself, hexadecimal for binary; and the logical value if Logical is set: a date as
// 2006-01-02, a timestamp as in RFC 3339, a UUID in its groups, a tuple as its parts
// between commas, each as in a CSV file; "user:1" for vertex 1 of kind user. If
// sides are separate, it is prefixed with "source:" or "target:".
func (m *IDs) Format(v uint32) string { return within(m, v, (*IDs).formatAt) }

func (m *IDs) formatAt(v uint32) string {
	if m.Sides == nil {
		return m.format(v)
	}
	return m.sideAt(v).String() + ":" + m.format(v)
}

// Kinds returns the names of the vertices' kinds, ascending, or nil if they have no
// kinds. Vertices of different kinds are never the same, even with equal ids. The
// order of ids (ByID) is by kind, in this order, then by id.
func (m *IDs) Kinds() []string {
	if t := m.logicalType(); t != nil {
		return slices.Clone(t.Names)
	}
	return nil
}

// Kind returns the kind of v, empty if vertices have no kinds.
func (m *IDs) Kind(v uint32) string { return within(m, v, (*IDs).kindAt) }

func (m *IDs) kindAt(v uint32) string {
	if t := m.logicalType(); t != nil && t.Kind == logical.Kinds {
		if b := m.bytesAt(v); len(b) > 0 && int(b[0]) < len(t.Names) {
			return t.Names[b[0]]
		}
	}
	return ""
}

func (m *IDs) format(v uint32) string {
	if t := m.logicalType(); t != nil {
		if m.Type.Integer() {
			return t.FormatInt(m.intAt(v))
		}
		return t.FormatBytes(m.bytesAt(v))
	}
	switch {
	case m.Type == Binary:
		return fmt.Sprintf("%x", m.bytesAt(v))
	case m.Type == String:
		return string(m.bytesAt(v))
	case m.Type.Signed():
		return strconv.FormatInt(m.intAt(v), 10)
	}
	return strconv.FormatUint(uint64(m.intAt(v)), 10)
}

// logicalType is the parsed form of IDs.Logical, cached.
type logicalType struct {
	once sync.Once
	t    *logical.Type
}

// logicalType returns the parsed Logical, or nil if it is empty or doesn't fit
// Type.
func (m *IDs) logicalType() *logical.Type {
	if m.Logical == "" {
		return nil
	}
	m.meaning.once.Do(func() {
		if t, err := logical.Parse(m.Logical); err == nil && t.Fits(m.Type.String()) {
			m.meaning.t = &t
		}
	})
	return m.meaning.t
}

// typeName is the name of a type for messages.
func typeName(t IDType, logical string) string {
	if logical != "" {
		return logical
	}
	return t.String()
}

// checkLogical reports an invalid Logical, or one that doesn't fit ids of that type.
func checkLogical(t IDType, name string) error {
	if name == "" {
		return nil
	}
	l, err := logical.Parse(name)
	if err == nil && !l.Fits(t.String()) {
		err = fmt.Errorf("%q is nothing that ids of type %v stand for", name, t)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrIDType, err)
	}
	return nil
}
