// This file holds Iceberg's types, and what they are to the reader.

package iceberg

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// kind is the kind of a type.
type kind uint8

const (
	unknownKind kind = iota // one that this package doesn't know, or that no values are read of
	booleanKind
	intKind
	longKind
	floatKind
	doubleKind
	decimalKind
	dateKind
	timeKind
	timestampKind
	timestamptzKind
	timestampNanosKind
	timestamptzNanosKind
	stringKind
	uuidKind
	fixedKind
	binaryKind
	structKind
	listKind
	mapKind
)

var kinds = map[string]kind{"boolean": booleanKind, "int": intKind, "long": longKind, "float": floatKind, "double": doubleKind,
	"date": dateKind, "time": timeKind, "timestamp": timestampKind, "timestamptz": timestamptzKind,
	"timestamp_ns": timestampNanosKind, "timestamptz_ns": timestamptzNanosKind,
	"string": stringKind, "uuid": uuidKind, "binary": binaryKind}

// dataType is a type.
type dataType struct {
	kind      kind
	name      string // as the metadata has it
	precision int    // of decimals
	scale     int
	length    int     // of fixed
	fields    []field // of structs
}

// field is a field of a schema.
type field struct {
	ID       int             `json:"id"`
	Name     string          `json:"name"`
	Required bool            `json:"required"`
	Type     dataType        `json:"type"`
	Initial  json.RawMessage `json:"initial-default"`
}

// UnmarshalJSON reads a type: a name, or an object with the parts of a nested one.
func (t *dataType) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var name string
		if err := json.Unmarshal(b, &name); err != nil {
			return err
		}
		return t.parse(name)
	}
	var nested struct {
		Type   string          `json:"type"`
		Fields json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(b, &nested); err != nil {
		return err
	}
	t.name = nested.Type
	switch nested.Type {
	case "struct":
		t.kind = structKind
		if nested.Fields == nil {
			return fmt.Errorf("a struct without fields")
		}
		return json.Unmarshal(nested.Fields, &t.fields)
	case "list":
		t.kind = listKind
	case "map":
		t.kind = mapKind
	case "":
		return fmt.Errorf("a type without a name")
	}
	return nil
}

// parse reads the name of a type that isn't nested.
func (t *dataType) parse(name string) (err error) {
	t.name, t.kind = name, kinds[name]
	arguments := func(prefix, open, end string) (string, bool) {
		rest, ok := strings.CutPrefix(name, prefix)
		rest, opened := strings.CutPrefix(strings.TrimSpace(rest), open)
		rest, ended := strings.CutSuffix(rest, end)
		return rest, ok && opened && ended
	}
	if length, ok := arguments("fixed", "[", "]"); ok {
		t.kind = fixedKind
		if t.length, err = strconv.Atoi(strings.TrimSpace(length)); err != nil || t.length < 0 {
			return fmt.Errorf("the type %.60q has no length", name)
		}
	}
	if numbers, ok := arguments("decimal", "(", ")"); ok {
		t.kind = decimalKind
		precision, scale, _ := strings.Cut(numbers, ",")
		t.precision, err = strconv.Atoi(strings.TrimSpace(precision))
		if err == nil {
			t.scale, err = strconv.Atoi(strings.TrimSpace(scale))
		}
		if err != nil || t.precision < 1 || t.precision > maxPrecision || t.scale < 0 || t.scale > t.precision {
			return fmt.Errorf("the type %.60q is no decimal of 1 to %d digits", name, maxPrecision)
		}
	}
	return nil
}

// unit returns how many of a time's or timestamp's values make a second.
func (k kind) unit() int64 {
	if k == timestampNanosKind || k == timestamptzNanosKind {
		return 1e9
	}
	return 1e6
}

// column describes the column as a Parquet file that has it would.
func (t *dataType) column(path string, nullable bool) columnar.Column {
	c := columnar.Column{Path: path, Type: t.name, Nullable: nullable}
	id := func(class columnar.Class, of graph.IDType) {
		c.Class, c.IsID, c.ID = class, true, of
	}
	switch t.kind {
	case booleanKind:
		c.Class = columnar.Bool
	case intKind:
		id(columnar.Signed, graph.Int32)
		c.Type, c.Numeric = "int32", true
	case longKind:
		id(columnar.Signed, graph.Int64)
		c.Type, c.Numeric = "int64", true
	case floatKind, doubleKind:
		c.Class, c.Numeric, c.Single = columnar.Float, true, t.kind == floatKind
	case decimalKind:
		c.Type = fmt.Sprintf("decimal of scale %d", t.scale)
		c.Class, c.Scale, c.Numeric = columnar.Decimal, t.scale, true
		if t.precision > columnar.MaxDigits {
			c.Class = columnar.BigDecimal
		}
		if t.scale == 0 {
			c.Digits = t.precision
		}
	case dateKind:
		c.Class = columnar.Date
	case timeKind:
		c.Class, c.Unit = columnar.Time, t.kind.unit()
	case timestampKind, timestampNanosKind:
		c.Type, c.Class, c.Unit = "timestamp", columnar.Timestamp, t.kind.unit()
	case timestamptzKind, timestamptzNanosKind:
		c.Type, c.Class, c.Unit, c.UTC, c.Zone = "timestamp", columnar.Timestamp, t.kind.unit(), true, "UTC"
	case stringKind:
		id(columnar.Text, graph.String)
	case uuidKind:
		id(columnar.UUID, graph.Binary)
		c.Width, c.IsUUID = 16, true
	case fixedKind:
		c.Type = fmt.Sprintf("fixed_size_binary[%d]", t.length)
		if t.length > 0 && t.length <= columnar.MaxIDBytes {
			id(columnar.Bytes, graph.Binary)
			c.Width = t.length
		}
	case binaryKind:
		id(columnar.Bytes, graph.Binary)
	}
	return c
}
