// This file reads a table's schema.

package delta

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// structType is a struct in a schema.
type structType struct {
	Type   string        `json:"type"`
	Fields []structField `json:"fields"`
}

type structField struct {
	Name     string          `json:"name"`
	Type     json.RawMessage `json:"type"`
	Nullable bool            `json:"nullable"`
	Metadata struct {
		ID       *int   `json:"delta.columnMapping.id"`
		Physical string `json:"delta.columnMapping.physicalName"`
	} `json:"metadata"`
}

// column is a leaf of the schema.
type column struct {
	field    *tables.Field
	physical []string // names in the files, and in statistics
}

// partition is a partition column.
type partition struct {
	path string // as tables.DataFile.Fixed has it
	key  string // as partitionValues have it
	typ  *columnar.Column
}

// readSchema reads the schema of a table's metadata.
func (t *table) readSchema(m *metadata) error {
	var s structType
	if err := json.Unmarshal([]byte(m.SchemaString), &s); err != nil {
		return columnar.Corrupt("the schema: %w", text.Plainly(err))
	}
	if s.Type != "struct" {
		return columnar.Corrupt("the schema is a %.40q, not a struct", s.Type)
	}
	var err error
	if t.fields, err = t.structFields(&s, 0); err != nil {
		return err
	}
	t.columns = map[string]*column{}
	t.addColumns(t.fields, "", nil)
	for _, name := range m.PartitionColumns {
		i := -1
		for k := range t.fields {
			if t.fields[k].Name == name {
				i = k
			}
		}
		if i < 0 || t.fields[i].Opaque || len(t.fields[i].Children) > 0 {
			return columnar.Corrupt("the partition column %.100q isn't one of the schema, or of a type that partition columns don't have", name)
		}
		t.partitions = append(t.partitions, partition{path: name, key: t.fields[i].Physical, typ: &t.fields[i].Type})
	}
	return nil
}

// structFields makes fields of those of a struct.
func (t *table) structFields(s *structType, depth int) ([]tables.Field, error) {
	if depth > columnar.MaxDepth {
		return nil, columnar.Unsupported("columns nested more than %d deep", columnar.MaxDepth)
	}
	fields := make([]tables.Field, len(s.Fields))
	seen := make(map[string]bool, len(s.Fields))
	for i := range s.Fields {
		f := &s.Fields[i]
		to := &fields[i]
		*to = tables.Field{Name: f.Name, Physical: f.Name, Required: !f.Nullable}
		if seen[f.Name] {
			return nil, columnar.Corrupt("the schema has the column %.100q twice", f.Name)
		}
		seen[f.Name] = true
		if t.mapping != unmapped {
			if f.Metadata.Physical == "" || f.Metadata.ID == nil {
				return nil, columnar.Corrupt("column %.100q lacks a physical name or an id, by which the table finds columns", f.Name)
			}
			to.Physical, to.ID = f.Metadata.Physical, *f.Metadata.ID
		}
		var name string
		if json.Unmarshal(f.Type, &name) == nil {
			to.Type, to.Opaque = typeOf(name)
			continue
		}
		var inner structType
		if err := json.Unmarshal(f.Type, &inner); err != nil {
			return nil, columnar.Corrupt("the type of column %.100q: %w", f.Name, text.Plainly(err))
		}
		if inner.Type != "struct" || len(inner.Fields) == 0 {
			kind := inner.Type
			if kind == "array" {
				kind = "list"
			}
			to.Type, to.Opaque = columnar.Column{Type: fmt.Sprintf("%.40s", kind)}, true
			continue
		}
		var err error
		if to.Children, err = t.structFields(&inner, depth+1); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// addColumns adds the leaves below some fields to the table's.
func (t *table) addColumns(fields []tables.Field, before string, physical []string) {
	for i := range fields {
		f := &fields[i]
		path, names := f.Name, append(physical[:len(physical):len(physical)], f.Physical)
		if before != "" {
			path = before + "." + f.Name
		}
		if len(f.Children) > 0 {
			t.addColumns(f.Children, path, names)
		} else if !f.Opaque {
			t.columns[path] = &column{f, names}
		}
	}
}

// typeOf returns the type of that name, and whether its values aren't read.
func typeOf(name string) (c columnar.Column, opaque bool) {
	integer := func(id graph.IDType) columnar.Column {
		return columnar.Column{Type: id.String(), IsID: true, ID: id, Numeric: true, Class: columnar.Signed}
	}
	switch name {
	case "string":
		return columnar.Column{Type: "string", IsID: true, ID: graph.String, Class: columnar.Text}, false
	case "long":
		return integer(graph.Int64), false
	case "integer":
		return integer(graph.Int32), false
	case "short":
		return integer(graph.Int16), false
	case "byte":
		return integer(graph.Int8), false
	case "float":
		return columnar.Column{Type: "float", Numeric: true, Class: columnar.Float, Single: true}, false
	case "double":
		return columnar.Column{Type: "double", Numeric: true, Class: columnar.Float}, false
	case "boolean":
		return columnar.Column{Type: "boolean", Class: columnar.Bool}, false
	case "binary":
		return columnar.Column{Type: "binary", IsID: true, ID: graph.Binary, Class: columnar.Bytes}, false
	case "date":
		return columnar.Column{Type: "date", Class: columnar.Date}, false
	case "timestamp":
		return columnar.Column{Type: "timestamp", Class: columnar.Timestamp, Unit: 1e6, UTC: true, Zone: "UTC"}, false
	case "timestamp_ntz":
		return columnar.Column{Type: "timestamp", Class: columnar.Timestamp, Unit: 1e6}, false
	}
	if digits, scale, ok := decimal(name); ok {
		c = columnar.Column{Type: fmt.Sprintf("decimal of scale %d", scale), Numeric: true, Class: columnar.Decimal, Scale: scale}
		if digits > columnar.MaxDigits {
			c.Class = columnar.BigDecimal
		}
		if scale == 0 {
			c.Digits = digits
		}
		return c, false
	}
	return columnar.Column{Type: fmt.Sprintf("%.40s", name)}, true
}

// decimal reads decimal(digits,scale).
func decimal(name string) (digits, scale int, ok bool) {
	inner, ok := strings.CutPrefix(name, "decimal(")
	if !ok {
		return 10, 0, name == "decimal"
	}
	inner, ok = strings.CutSuffix(inner, ")")
	first, second, two := strings.Cut(inner, ",")
	digits, err := strconv.Atoi(strings.TrimSpace(first))
	if two && err == nil {
		scale, err = strconv.Atoi(strings.TrimSpace(second))
	}
	const most = 38
	return digits, scale, ok && err == nil && digits > 0 && digits <= most && scale >= 0 && scale <= digits
}
