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

// keyColumns is JSON of storedColumnInfo; missing where there are none.
const keyColumns = "foray.edge_columns"

// storedColumnInfo describes a column of edges or vertices in the metadata.
type storedColumnInfo struct {
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
		e := s.infoOf(&c)
		s.edges = append(s.edges, e)
		kind, data := bytesOfColumn(&c)
		values := s.add(columnEdge+c.Name, storedEdgeInt32+kind)
		values.array("offsets").data, values.array("values").data = s.column(columnOut).array("offsets").data, data
		s.addStrings(&c, &e)
	}
}

// infoOf describes a column. Without vertices it has no strings, since no vertex has the list of them.
func (s *storedGraph) infoOf(c *graph.Column) storedColumnInfo {
	e := storedColumnInfo{Name: c.Name, Logical: c.Logical, Strings: -1}
	if c.Dictionary != nil && s.vertices == 0 {
		c.Dictionary = &graph.Strings{Binary: c.Dictionary.Binary}
	}
	if c.Dictionary != nil {
		e.Strings, e.Binary = int64(c.Dictionary.Len()), c.Dictionary.Binary
	}
	return e
}

// bytesOfColumn returns the values of a column, and their type: what comes after the kind of int32.
func bytesOfColumn(c *graph.Column) (kind storedKind, data []byte) {
	switch a := c.Values.(type) {
	case []int32:
		return 0, bytesOf(a)
	case []int64:
		return storedEdgeInt64 - storedEdgeInt32, bytesOf(a)
	case []uint64:
		return storedEdgeUint64 - storedEdgeInt32, bytesOf(a)
	case []float32:
		return storedEdgeFloat32 - storedEdgeInt32, bytesOf(a)
	case []float64:
		return storedEdgeFloat64 - storedEdgeInt32, bytesOf(a)
	}
	a, _ := c.Values.([]uint32)
	return storedEdgeUint32 - storedEdgeInt32, bytesOf(a)
}

// addStrings lays out the strings of a column of codes.
func (s *storedGraph) addStrings(c *graph.Column, e *storedColumnInfo) {
	if c.Dictionary == nil {
		return
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

// readColumns reads the descriptions of columns of edges and vertices.
func (h *storedHead) readColumns(kv map[string]string) error {
	names := map[string]bool{}
	read := func(key string, version int, into *[]storedColumnInfo) error {
		text, ok := kv[key]
		if !ok {
			return nil
		}
		if err := json.Unmarshal([]byte(text), into); err != nil || h.version < version {
			return columnar.Corrupt("metadata %s is %.100q in format version %d", key, text, h.version)
		}
		for _, e := range *into {
			if e.Name == "" || names[e.Name] || e.Strings < -1 || e.Strings > int64(graph.NoCode) || e.Strings > 0 && h.vertices == 0 {
				return columnar.Corrupt("metadata %s has a column %.100q of %d strings", key, e.Name, e.Strings)
			}
			names[e.Name] = true
		}
		return nil
	}
	if err := read(keyColumns, versionColumns, &h.edges); err != nil {
		return err
	}
	return read(keyVertexColumns, versionVertexColumns, &h.values)
}

// info returns the description of a column among some, or nil.
func info(all []storedColumnInfo, name string) *storedColumnInfo {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// coded returns the description of a column of edges or vertices, or nil.
func (h *storedHead) coded(name string) *storedColumnInfo {
	if e := info(h.edges, name); e != nil {
		return e
	}
	return info(h.values, name)
}

// setEdgeChecks gives the arrays of a column of edges the checks of their values.
func (s *storedGraph) setEdgeChecks(e *storedColumnInfo) {
	values, out := s.column(columnEdge+e.Name), s.column(columnOut).array("offsets")
	offsets := values.array("offsets")
	offsets.check = func(lo, hi int) error {
		if !bytes.Equal(offsets.data[lo:hi], out.data[lo:hi]) {
			return fmt.Errorf("%w: the column's rows aren't those of %s", graph.ErrMalformed, columnOut)
		}
		return nil
	}
	s.setCodeChecks(e, values)
}

// setCodeChecks gives the codes and the strings of a column their checks.
func (s *storedGraph) setCodeChecks(e *storedColumnInfo, values *storedColumn) {
	if e.Strings < 0 {
		s.setBooleanCheck(e, values)
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

// setBooleanCheck gives booleans their check.
func (s *storedGraph) setBooleanCheck(e *storedColumnInfo, values *storedColumn) {
	if e.Logical != "bool" || values.kind != storedEdgeUint32 && values.kind != storedVertexUint32 {
		return
	}
	all := arrayOf[uint32](values.array("values").data)
	values.array("values").check = func(lo, hi int) error {
		for i, x := range all[lo/4 : hi/4] {
			if x > 1 {
				return fmt.Errorf("%w: boolean %d is %d; want 0 or 1", graph.ErrMalformed, lo/4+i, x)
			}
		}
		return nil
	}
}

// completeColumns reports columns of edges or vertices that are missing.
func (s *storedGraph) completeColumns() error {
	for prefix, all := range map[string][]storedColumnInfo{columnEdge: s.edges, columnValue: s.values} {
		for _, e := range all {
			if s.column(prefix+e.Name) == nil || e.Strings >= 0 && s.column(columnCodes+e.Name) == nil {
				return columnar.Corrupt("it has no column %.100q, which the metadata says it has", prefix+e.Name)
			}
		}
	}
	return nil
}

// columnsOf returns columns of the edges or vertices. Unless they are trusted, strings that don't ascend are an error.
func (s *storedGraph) columnsOf(prefix string, infos []storedColumnInfo, trust bool) ([]graph.Column, error) {
	var all []graph.Column
	for _, e := range infos {
		from := s.column(prefix + e.Name)
		c, data := graph.Column{Name: e.Name, Logical: e.Logical}, from.array("values").data
		switch from.kind {
		case storedEdgeInt32, storedVertexInt32:
			c.Values = arrayOf[int32](data)
		case storedEdgeInt64, storedVertexInt64:
			c.Values = arrayOf[int64](data)
		case storedEdgeUint64, storedVertexUint64:
			c.Values = arrayOf[uint64](data)
		case storedEdgeFloat32, storedVertexFloat32:
			c.Values = arrayOf[float32](data)
		case storedEdgeFloat64, storedVertexFloat64:
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
