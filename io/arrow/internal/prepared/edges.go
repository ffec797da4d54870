// This file holds the columns of edges in a prepared graph's file.

package prepared

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// versionColumns is the first version whose edges may have columns.
const versionColumns = 5

// keyColumns is JSON of storedEdge; missing where there are none.
const keyColumns = "foray.edge_columns"

// storedEdge describes a column of edges in the metadata.
type storedEdge struct {
	Name    string `json:"name"`
	Logical string `json:"logical,omitempty"`
	// Strings is the number of strings of a column of codes, -1 of numbers.
	Strings int64 `json:"strings"`
	Binary  bool  `json:"binary,omitempty"`
}

// addColumns lays out the columns of a graph's edges.
func (s *storedGraph) addColumns(g *graph.Graph) {
	for _, c := range g.EdgeColumns() {
		s.version = versionColumns
		e := storedEdge{Name: c.Name, Logical: c.Logical, Strings: -1}
		if c.Dictionary != nil && s.vertices == 0 { // no vertex has the list of strings
			c.Dictionary = &graph.Strings{Binary: c.Dictionary.Binary}
		}
		if c.Dictionary != nil {
			e.Strings, e.Binary = int64(c.Dictionary.Len()), c.Dictionary.Binary
		}
		s.edges = append(s.edges, e)
		kind, data := storedEdgeUint32, []byte(nil)
		switch a := c.Values.(type) {
		case []int32:
			kind, data = storedEdgeInt32, bytesOf(a)
		case []uint32:
			data = bytesOf(a)
		case []int64:
			kind, data = storedEdgeInt64, bytesOf(a)
		case []uint64:
			kind, data = storedEdgeUint64, bytesOf(a)
		case []float32:
			kind, data = storedEdgeFloat32, bytesOf(a)
		case []float64:
			kind, data = storedEdgeFloat64, bytesOf(a)
		}
		values := s.add(columnEdge+c.Name, kind)
		values.array("offsets").data, values.array("values").data = s.column(columnOut).array("offsets").data, data
		if c.Dictionary == nil {
			continue
		}
		d := newStoredColumn(columnCodes+c.Name, storedDictionary, int64(s.vertices), e.Strings)
		s.columns = append(s.columns, d)
		offsets := make([]uint64, s.vertices+1)
		for v := range offsets[1:] {
			offsets[v+1] = uint64(e.Strings)
		}
		d.array("offsets").data = bytesOf(offsets)
		d.array("string_offsets").data, d.array("data").data = bytesOf(c.Dictionary.Offsets), c.Dictionary.Data
		if len(c.Dictionary.Offsets) == 0 {
			d.array("string_offsets").data = make([]byte, 8)
		}
	}
}

// readEdges reads the descriptions of columns of edges.
func (h *storedHead) readEdges(kv map[string]string) error {
	text, ok := kv[keyColumns]
	if !ok {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &h.edges); err != nil || h.version < versionColumns {
		return columnar.Corrupt("metadata %s is %.100q in format version %d", keyColumns, text, h.version)
	}
	names := map[string]bool{}
	for _, e := range h.edges {
		if e.Name == "" || names[e.Name] || e.Strings < -1 || e.Strings > int64(graph.NoCode) || e.Strings > 0 && h.vertices == 0 {
			return columnar.Corrupt("metadata %s has a column %.100q of %d strings", keyColumns, e.Name, e.Strings)
		}
		names[e.Name] = true
	}
	return nil
}

// edge returns the description of a column of edges, or nil.
func (h *storedHead) edge(name string) *storedEdge {
	for i := range h.edges {
		if h.edges[i].Name == name {
			return &h.edges[i]
		}
	}
	return nil
}

// setEdgeChecks gives the arrays of a column of edges the checks of their values.
func (s *storedGraph) setEdgeChecks(e *storedEdge) {
	values, out := s.column(columnEdge+e.Name), s.column(columnOut).array("offsets")
	offsets := values.array("offsets")
	offsets.check = func(lo, hi int) error {
		if !bytes.Equal(offsets.data[lo:hi], out.data[lo:hi]) {
			return fmt.Errorf("%w: the column's rows aren't those of %s", graph.ErrMalformed, columnOut)
		}
		return nil
	}
	if e.Strings < 0 {
		return
	}
	codes := arrayOf[uint32](values.array("values").data)
	values.array("values").check = func(lo, hi int) error {
		for i, c := range codes[lo/4 : hi/4] {
			if c != graph.NoCode && int64(c) >= e.Strings {
				return fmt.Errorf("%w: code %d is %d, and there are %d strings", graph.ErrMalformed, lo/4+i, c, e.Strings)
			}
		}
		return nil
	}
	d := s.column(columnCodes + e.Name)
	lists := d.array("offsets")
	lists.check = ascend(arrayOf[uint64](lists.data), uint64(e.Strings))
	starts, size := d.array("string_offsets"), uint64(len(d.array("data").data))
	starts.check = ascend(arrayOf[uint64](starts.data), size)
}

// completeEdges reports columns of edges that are missing.
func (s *storedGraph) completeEdges() error {
	for i := range s.edges {
		e := &s.edges[i]
		if s.column(columnEdge+e.Name) == nil || e.Strings >= 0 && s.column(columnCodes+e.Name) == nil {
			return columnar.Corrupt("it has no column %.100q, which the metadata says it has", columnEdge+e.Name)
		}
	}
	return nil
}

// edgeColumns returns the columns of the edges. Unless they are trusted, strings that don't ascend are an error.
func (s *storedGraph) edgeColumns(trust bool) ([]graph.Column, error) {
	var all []graph.Column
	for _, e := range s.edges {
		from := s.column(columnEdge + e.Name)
		c, data := graph.Column{Name: e.Name, Logical: e.Logical}, from.array("values").data
		switch from.kind {
		case storedEdgeInt32:
			c.Values = arrayOf[int32](data)
		case storedEdgeInt64:
			c.Values = arrayOf[int64](data)
		case storedEdgeUint64:
			c.Values = arrayOf[uint64](data)
		case storedEdgeFloat32:
			c.Values = arrayOf[float32](data)
		case storedEdgeFloat64:
			c.Values = arrayOf[float64](data)
		default:
			c.Values = arrayOf[uint32](data)
		}
		if e.Strings >= 0 {
			d := s.column(columnCodes + e.Name)
			c.Dictionary = &graph.Strings{Offsets: arrayOf[int64](d.array("string_offsets").data), Data: d.array("data").data, Binary: e.Binary}
			for i := 1; i < c.Dictionary.Len() && !trust; i++ {
				if bytes.Compare(c.Dictionary.Value(i-1), c.Dictionary.Value(i)) >= 0 {
					return nil, columnar.PlaceAt(-1, d.name, fmt.Errorf("%w: string %d doesn't come after the one before", graph.ErrMalformed, i))
				}
			}
		}
		all = append(all, c)
	}
	return all, nil
}
