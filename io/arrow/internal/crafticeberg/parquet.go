// Package crafticeberg writes Apache Iceberg tables for tests, and records the rows of each
// snapshot: with schemas and partition specs that change, the manifests of all writers, and
// deletes of all kinds.
package crafticeberg

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/craft"
)

// Column is a column of a schema. Values are int64, of int, long, date, timestamp and decimal (without the point),
// float64 of double, and string; nil is null.
type Column struct {
	ID       int
	Name     string
	Type     string // "int", "long", "double", "string", "date", "timestamp", "decimal(P, S)", or "uuid" of 16 bytes
	Required bool
	Default  any // what rows of files without the column have
}

// Row is a row of a table: values by field id, of the columns that there were when it was
// written.
type Row map[int]any

// describe returns the physical type and the member of LogicalType, as Parquet numbers them, and
// the length of values where it is fixed. Decimals have several forms, of which pick chooses.
func describe(typ string, pick int) (physical, length int, logical *craft.Struct) {
	var digits, scale int64
	if n, _ := fmt.Sscanf(typ, "decimal(%d, %d)", &digits, &scale); n == 2 {
		forms := [][2]int{{6, 0}, {7, 16}, {7, 13}, {2, 0}, {7, 5}, {1, 0}}
		if digits > 9 {
			forms = forms[:3]
		}
		form := forms[pick%len(forms)]
		return form[0], form[1], new(craft.Struct).Sub(5, new(craft.Struct).Int(1, scale).Int(2, digits))
	}
	physical, logical = plainType(typ)
	if typ == "uuid" {
		length = 16
	}
	return physical, length, logical
}

func plainType(typ string) (physical int, logical *craft.Struct) {
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

// stored returns a value as PLAIN has it in a column of a physical type.
func stored(typ string, physical, length int, v any) []byte {
	if !strings.HasPrefix(typ, "decimal") {
		return plain(typ, v)
	}
	switch x := v.(int64); physical {
	case 1:
		return plain("int", x)
	case 2:
		return plain("long", x)
	case 7:
		return bigEndian(x, length)
	default:
		b := bigEndian(x, 1+int(uint64(x)%11)) // as many bytes as the writer likes
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
	}
}

// bigEndian returns a number in two's complement in so many bytes, or as many as it takes.
func bigEndian(x int64, n int) (b []byte) {
	for n > 0 || len(b) == 0 || x>>(8*min(len(b)-1, 7)+7) != x>>63 {
		b = append([]byte{byte(x >> min(8*len(b), 63))}, b...)
		n--
	}
	return b
}

// DataFile returns a Parquet file with columns, whose elements have field ids if ids.
func DataFile(columns []Column, rows []Row, ids bool) []byte {
	out := []byte("PAR1")
	schema := []*craft.Struct{new(craft.Struct).Bytes(4, "table").Int(5, int64(len(columns)))}
	var chunks []*craft.Struct
	for _, c := range columns {
		physical, size, logical := describe(c.Type, len(rows)*7+c.ID)
		var levels, values []byte
		for i, r := range rows {
			if i%8 == 0 {
				levels = append(levels, 0)
			}
			if v := r[c.ID]; v != nil {
				levels[i/8] |= 1 << (i % 8)
				values = append(values, stored(c.Type, physical, size, v)...)
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
		if size > 0 {
			e.Int(2, int64(size))
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

// orNull returns a schema in which all fields and elements may be null, as some writers have it,
// if the table is to have such.
func (t *Table) orNull(schema string) string {
	if !t.Nullable {
		return schema
	}
	var root any
	if err := json.Unmarshal([]byte(schema), &root); err != nil {
		panic(err)
	}
	var change func(x any)
	may := func(m map[string]any, key string) {
		change(m[key])
		if _, is := m[key].([]any); !is {
			m[key] = []any{"null", m[key]}
		}
	}
	change = func(x any) {
		switch x := x.(type) {
		case []any:
			for _, e := range x {
				change(e)
			}
		case map[string]any:
			if x["type"] == "array" {
				may(x, "items")
			}
			if fields, ok := x["fields"].([]any); ok {
				for _, f := range fields {
					may(f.(map[string]any), "type")
				}
			}
		}
	}
	change(root)
	b, err := json.Marshal(root)
	if err != nil {
		panic(err)
	}
	return string(b)
}
