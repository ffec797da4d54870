// This file holds what a prepared graph's file consists of: a row for each
// vertex, whose columns' buffers are the graph's arrays as they are.

package prepared

import (
	"fmt"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// storedKind is the type of a column.
type storedKind uint8

const (
	storedUint32 storedKind = iota
	storedInt64
	storedUint64
	storedBits
	storedStrings
	storedBinary
	storedRows    // of a CSR: a list of targets
	storedWeights // of a CSR with weights: a list of targets and weights
	storedEll4    // four targets
	// Of a CSR with edge ids: a list of targets and ids, or of targets, weights
	// and ids.
	storedEdgeIDs
	storedWeightsEdgeIDs
	// Of a CSR with weights that float32 doesn't hold: a list of targets, weights, weights of 64 bits and
	// perhaps ids.
	storedFloatWeights
	storedIntWeights
	storedFloatWeightsEdgeIDs
	storedIntWeightsEdgeIDs
	// Columns of edges: a list of values for each vertex.
	storedEdgeInt32
	storedEdgeUint32
	storedEdgeInt64
	storedEdgeUint64
	storedEdgeFloat32
	storedEdgeFloat64
	// The strings of one: a list that only the first vertex has.
	storedDictionary
	// Columns of vertices.
	storedVertexInt32
	storedVertexUint32
	storedVertexInt64
	storedVertexUint64
	storedVertexFloat32
	storedVertexFloat64
)

// isRows reports whether a column is a CSR, whose lists may be of structs.
func (k storedKind) isRows() bool {
	return k == storedRows || k.hasWeights() || k.hasEdgeIDs()
}

func (k storedKind) hasWeights() bool {
	return k == storedWeights || k == storedWeightsEdgeIDs || k.hasWideWeights()
}

func (k storedKind) hasEdgeIDs() bool {
	return k == storedEdgeIDs || k == storedWeightsEdgeIDs || k == storedFloatWeightsEdgeIDs || k == storedIntWeightsEdgeIDs
}

// hasWideWeights reports whether there are weights of 64 bits.
func (k storedKind) hasWideWeights() bool {
	return k >= storedFloatWeights && k <= storedIntWeightsEdgeIDs
}

// isEdges reports whether a column has a value per edge.
func (k storedKind) isEdges() bool { return k >= storedEdgeInt32 && k <= storedEdgeFloat64 }

// isVertices reports whether a column is one of graph.Graph.VertexColumns.
func (k storedKind) isVertices() bool { return k >= storedVertexInt32 && k <= storedVertexFloat64 }

// hasIntWeights reports whether these are integers.
func (k storedKind) hasIntWeights() bool {
	return k == storedIntWeights || k == storedIntWeightsEdgeIDs
}

// rowsKind returns the kind of a CSR.
func rowsKind(c *graph.CSR) storedKind {
	weights, edgeIDs := c.Weights != nil, c.EdgeIDs != nil
	switch {
	case c.IntWeights != nil && edgeIDs:
		return storedIntWeightsEdgeIDs
	case c.IntWeights != nil:
		return storedIntWeights
	case c.FloatWeights != nil && edgeIDs:
		return storedFloatWeightsEdgeIDs
	case c.FloatWeights != nil:
		return storedFloatWeights
	case weights && edgeIDs:
		return storedWeightsEdgeIDs
	case edgeIDs:
		return storedEdgeIDs
	case weights:
		return storedWeights
	}
	return storedRows
}

// storedTypes are the columns' Arrow types, as package ipcfile puts them.
var storedTypes = [...]string{"uint32", "int64", "uint64", "bool", "large_string", "large_binary",
	"large_list<uint32>", "large_list<struct<uint32, float32>>", "fixed_size_list[4]<uint32>",
	"large_list<struct<uint32, uint64>>", "large_list<struct<uint32, float32, uint64>>",
	"large_list<struct<uint32, float32, float64>>", "large_list<struct<uint32, float32, int64>>",
	"large_list<struct<uint32, float32, float64, uint64>>", "large_list<struct<uint32, float32, int64, uint64>>",
	"large_list<int32>", "large_list<uint32>", "large_list<int64>", "large_list<uint64>", "large_list<float32>", "large_list<float64>",
	"large_list<large_binary>", "int32", "uint32", "int64", "uint64", "float32", "float64"}

// The names of the columns, in their order.
const (
	columnID    = "id"    // the external id, where ids aren't the vertices' own numbers
	columnSide  = "side"  // graph.IDs.Sides, where sources and targets are separate
	columnByID  = "by_id" // row i: the vertex with the i-th external id, where these don't ascend
	columnOut   = "out"   // the vertices that edges lead to
	columnIn    = "in"    // those that edges come from, of a directed graph
	columnFirst = "first" // placed.Prepared.First
	columnNoIn  = "no_in" // placed.Prepared.NoIn
	columnEll4  = "fours" // placed.Ell4.Rows
	columnLong  = "long"  // placed.Ell4.Long
	columnEdge  = "edge." // and the name of a column of edges
	columnCodes = "strings."
	columnValue = "vertex." // and the name of a column of vertices
)

// storedArray is a buffer of the file that is an array of the graph.
type storedArray struct {
	name string // such as "out.targets"; empty for a validity bitmap, which has no bytes
	data []byte // what is to be written, or the file's own
	size int64  // bytes that it must have; -1 for the bytes of strings
	at   int64  // where in the body it is
	sum  uint64
	// check goes over the values from byte lo to hi of data, of which lo is a
	// multiple of checkBlock; nil where all values are fine.
	check func(lo, hi int) error
}

// storedColumn is a column: the lengths of its nodes and its buffers, in the
// order in which Arrow has them.
type storedColumn struct {
	name   string
	kind   storedKind
	nodes  []int64
	arrays []*storedArray
}

// newStoredColumn returns a column of n rows; of lists, with m values.
func newStoredColumn(name string, kind storedKind, n, m int64) *storedColumn {
	c := &storedColumn{name: name, kind: kind}
	node := func(length int64) {
		c.nodes = append(c.nodes, length)
		c.arrays = append(c.arrays, &storedArray{}) // validity
	}
	array := func(name string, size int64) {
		c.arrays = append(c.arrays, &storedArray{name: c.name + "." + name, size: size})
	}
	node(n)
	switch kind {
	case storedUint32, storedVertexInt32, storedVertexUint32, storedVertexFloat32:
		array("values", 4*n)
	case storedInt64, storedUint64, storedVertexInt64, storedVertexUint64, storedVertexFloat64:
		array("values", 8*n)
	case storedBits:
		array("values", (n+63)/64*8)
	case storedStrings, storedBinary:
		array("offsets", 8*(n+1))
		array("data", -1)
	case storedEll4:
		node(4 * n)
		array("values", 16*n)
	case storedEdgeInt32, storedEdgeUint32, storedEdgeFloat32:
		array("offsets", 8*(n+1))
		node(m)
		array("values", 4*m)
	case storedEdgeInt64, storedEdgeUint64, storedEdgeFloat64:
		array("offsets", 8*(n+1))
		node(m)
		array("values", 8*m)
	case storedDictionary: // m is the number of strings
		array("offsets", 8*(n+1))
		node(m)
		array("string_offsets", 8*(m+1))
		array("data", -1)
	default: // a CSR
		array("offsets", 8*(n+1))
		if kind != storedRows {
			node(m) // the struct
		}
		node(m)
		array("targets", 4*m)
		if kind.hasWeights() {
			node(m)
			array("weights", 4*m)
		}
		if kind.hasWideWeights() {
			node(m)
			array("exact_weights", 8*m)
		}
		if kind.hasEdgeIDs() {
			node(m)
			array("edge_ids", 8*m)
		}
	}
	return c
}

// array returns the column's buffer of that name.
func (c *storedColumn) array(name string) *storedArray {
	for _, a := range c.arrays {
		if a.name == c.name+"."+name {
			return a
		}
	}
	return nil
}

// storedGraph is the file: what its metadata says, and its columns.
type storedGraph struct {
	storedHead
	columns []*storedColumn
	length  int64 // of the body, of a graph that is read
}

// column returns the column of that name, or nil.
func (s *storedGraph) column(name string) *storedColumn {
	for _, c := range s.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (s *storedGraph) add(name string, kind storedKind) *storedColumn {
	c := newStoredColumn(name, kind, int64(s.vertices), int64(s.entries))
	s.columns = append(s.columns, c)
	return c
}

// arrays returns all buffers that are arrays, in the order of the file.
func (s *storedGraph) arrays() (list []*storedArray) {
	for _, c := range s.columns {
		for _, a := range c.arrays {
			if a.name != "" {
				list = append(list, a)
			}
		}
	}
	return list
}

// newStoredGraph lays out a graph.
func newStoredGraph(g *graph.Graph) (*storedGraph, error) {
	ids := g.IDs()
	if err := write.CheckIDs(ids); err != nil {
		return nil, err
	}
	s := &storedGraph{storedHead: storedHead{
		version:  1,
		vertices: uint64(g.NumVertices()), entries: g.NumDirectedEdges(),
		directed: g.Directed(), order: g.Order(), idType: ids.Type, logical: ids.Logical, stats: g.Stats(), weights: g.WeightType(),
	}}
	if err := s.addIDs(ids); err != nil {
		return nil, err
	}
	s.addRows(columnOut, g.Out())
	if g.Directed() && g.In() != nil {
		s.addRows(columnIn, g.In())
	}
	if slices.ContainsFunc(s.columns, func(c *storedColumn) bool { return c.kind.hasEdgeIDs() }) {
		s.version = versionEdgeIDs
	}
	if g.IDs().Kinds() != nil {
		s.version = versionKinds
	}
	if slices.ContainsFunc(s.columns, func(c *storedColumn) bool { return c.kind.hasWideWeights() }) {
		s.version = versionWideWeights
	}
	s.addColumns(g)
	s.addVertexColumns(g)
	if p := g.State().Prepare(); p != nil {
		s.add(columnFirst, storedUint32).array("values").data = bytesOf(p.First)
		s.add(columnNoIn, storedBits).array("values").data = bytesOf(p.NoIn)
	}
	if f := g.State().Ell4(); f != nil {
		s.add(columnEll4, storedEll4).array("values").data = bytesOf(f.Rows)
		if f.Long != nil {
			s.add(columnLong, storedBits).array("values").data = bytesOf(f.Long)
		}
	}
	for _, a := range s.arrays() {
		if a.size < 0 {
			a.size = int64(len(a.data))
		} else if a.size != int64(len(a.data)) {
			return nil, fmt.Errorf("%w: %s has %d bytes, want %d", graph.ErrMalformed, a.name, len(a.data), a.size)
		}
	}
	return s, nil
}

func (s *storedGraph) addIDs(ids *graph.IDs) error {
	switch {
	case ids.StringOffsets != nil:
		for v, at := range ids.StringOffsets {
			if next := ids.StringOffsets[min(v+1, ids.Len)]; at > next || next > uint64(len(ids.Data)) {
				return fmt.Errorf("%w: the id of vertex %d is bytes %d to %d of %d", graph.ErrMalformed, v, at, next, len(ids.Data))
			}
		}
		kind := storedBinary
		if ids.Type == graph.String && areUTF8(ids) {
			kind = storedStrings
		}
		c := s.add(columnID, kind)
		c.array("offsets").data, c.array("data").data = bytesOf(ids.StringOffsets), ids.Data
	case ids.Dense32 != nil:
		s.add(columnID, storedUint32).array("values").data = bytesOf(ids.Dense32)
	case ids.Ints != nil && ids.Type == graph.Uint64:
		s.add(columnID, storedUint64).array("values").data = bytesOf(ids.Ints)
	case ids.Ints != nil:
		s.add(columnID, storedInt64).array("values").data = bytesOf(ids.Ints)
	default:
		return nil
	}
	if ids.Sides != nil {
		s.add(columnSide, storedBits).array("values").data = bytesOf(ids.Sides)
	}
	if byID := ids.ByID(); byID != nil {
		s.add(columnByID, storedUint32).array("values").data = bytesOf(byID)
	}
	return nil
}

// areUTF8 reports whether all ids are UTF-8, which Arrow's strings must be.
func areUTF8(ids *graph.IDs) bool {
	for v := range uint32(ids.Len) {
		if !utf8.Valid(ids.Bytes(v)) {
			return false
		}
	}
	return true
}

func (s *storedGraph) addRows(name string, csr *graph.CSR) {
	c := s.add(name, rowsKind(csr))
	if c.array("offsets").data = bytesOf(csr.Offsets); len(csr.Offsets) == 0 {
		c.array("offsets").data = make([]byte, 8) // Arrow has a first offset always
	}
	c.array("targets").data = bytesOf(csr.Targets)
	if csr.Weights != nil {
		c.array("weights").data = bytesOf(csr.Weights)
	}
	if csr.IntWeights != nil {
		c.array("exact_weights").data = bytesOf(csr.IntWeights)
	}
	if csr.FloatWeights != nil {
		c.array("exact_weights").data = bytesOf(csr.FloatWeights)
	}
	if csr.EdgeIDs != nil {
		c.array("edge_ids").data = bytesOf(csr.EdgeIDs)
	}
}

// bytesOf returns the memory of an array.
func bytesOf[T any](a []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(unsafe.Sizeof(zero)))
}

// arrayOf is the reverse of bytesOf. The bytes are aligned as T is.
func arrayOf[T any](b []byte) []T {
	var zero T
	if len(b) == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}
