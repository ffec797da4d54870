// Package crafticeberg writes Apache Iceberg tables for tests, and keeps the rows that
// each of their snapshots has: with schemas and partition specs that change, manifests in
// all the ways that writers have, and deletes of all kinds.
package crafticeberg

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/foray-graph/foray/io/arrow/internal/craft"
)

// Column is a column of a schema. Values are int64, of int, long, date and timestamp,
// float64 of double, and string; nil is null.
type Column struct {
	ID       int
	Name     string
	Type     string // "int", "long", "double", "string", "date", "timestamp", or "uuid" of 16 bytes
	Required bool
	Default  any // what rows of files without the column have
}

// Row is a row of a table: values by field id, of the columns that there were when it was
// written.
type Row map[int]any

// physical types and members of LogicalType, as Parquet numbers them.
func describe(typ string) (physical int, logical *craft.Struct) {
	none := new(craft.Struct)
	switch typ {
	case "int":
		return 1, nil
	case "long":
		return 2, nil
	case "double":
		return 5, nil
	case "string":
		return 6, new(craft.Struct).Sub(1, none)
	case "date":
		return 1, new(craft.Struct).Sub(6, none)
	case "uuid":
		return 7, new(craft.Struct).Sub(14, none)
	case "timestamp":
		return 2, new(craft.Struct).Sub(8, new(craft.Struct).Bool(1, false).Sub(2, new(craft.Struct).Sub(2, none)))
	}
	panic(typ)
}

// plain returns a value as PLAIN has it.
func plain(typ string, v any) []byte {
	switch typ {
	case "int", "date":
		return binary.LittleEndian.AppendUint32(nil, uint32(v.(int64)))
	case "long", "timestamp":
		return binary.LittleEndian.AppendUint64(nil, uint64(v.(int64)))
	case "double":
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v.(float64)))
	case "uuid":
		return []byte(v.(string))
	case "string":
		s := v.(string)
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
	}
	panic(fmt.Sprint(typ, v))
}

// DataFile returns a Parquet file with columns, whose elements have field ids if ids.
func DataFile(columns []Column, rows []Row, ids bool) []byte {
	out := []byte("PAR1")
	schema := []*craft.Struct{new(craft.Struct).Bytes(4, "table").Int(5, int64(len(columns)))}
	var chunks []*craft.Struct
	for _, c := range columns {
		physical, logical := describe(c.Type)
		var levels, values []byte
		for i, r := range rows {
			if i%8 == 0 {
				levels = append(levels, 0)
			}
			if v := r[c.ID]; v != nil {
				levels[i/8] |= 1 << (i % 8)
				values = append(values, plain(c.Type, v)...)
			}
		}
		body := values
		if !c.Required { // bit-packed groups of eight
			head := binary.AppendUvarint(nil, uint64(len(levels))<<1|1)
			body = binary.LittleEndian.AppendUint32(nil, uint32(len(head)+len(levels)))
			body = append(append(append(body, head...), levels...), values...)
		}
		col := &craft.Column{Name: c.Name, Type: physical, Optional: !c.Required, Logical: logical, Rows: int64(len(rows)),
			Pages: []craft.Page{{Values: len(rows), Body: body}}}
		b := col.Bytes()
		at, length := int64(len(out)), int64(len(b))
		meta := new(craft.Struct).Int(1, int64(physical)).ListHead(2, 5, 2).Raw(0, 6). // PLAIN, RLE
												ListHead(3, 8, 1).Raw(binary.AppendUvarint(nil, uint64(len(c.Name)))...).Raw([]byte(c.Name)...).
												Int(4, 0).Long(5, int64(len(rows))).Long(6, length).Long(7, length).Long(9, at)
		chunks = append(chunks, new(craft.Struct).Long(2, at).Sub(3, meta))
		e := new(craft.Struct).Int(1, int64(physical))
		if c.Type == "uuid" {
			e.Int(2, 16)
		}
		rep := int64(1)
		if c.Required {
			rep = 0
		}
		e.Int(3, rep).Bytes(4, c.Name)
		if c.Type == "string" { // old readers look at the converted type
			e.Int(6, 0)
		}
		if ids {
			e.Int(9, int64(c.ID))
		}
		if logical != nil {
			e.Sub(10, logical)
		}
		schema = append(schema, e)
		out = append(out, b...)
	}
	var groups []*craft.Struct
	if len(rows) > 0 {
		groups = append(groups, new(craft.Struct).List(1, chunks...).Long(2, int64(len(out))).Long(3, int64(len(rows))))
	}
	return craft.Footer(out, new(craft.Struct).Int(1, 1).List(2, schema...).Long(3, int64(len(rows))).List(4, groups...))
}
