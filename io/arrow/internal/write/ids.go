// This file holds the form of external ids in files: the columns for what an
// id map says its ids stand for, and how they are filled.

package write

import (
	"fmt"
	"math"
	"strconv"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// formType returns the type that ids of a form, or parts of a tuple, are written
// in.
func formType(t logical.Type) outType {
	switch t.Kind {
	case logical.Date32, logical.Date64:
		return outType{kind: kindDate, bits: 32}
	case logical.Timestamp:
		return outType{kind: kindTimestamp, bits: 64, unit: columnar.UnitOf(t.Unit), zone: t.Zone}
	case logical.Decimal:
		switch {
		case t.Width <= 9:
			return outType{kind: kindDecimal, bits: 32, digits: int8(t.Width)}
		case t.Width <= 18:
			return outType{kind: kindDecimal, bits: 64, digits: int8(t.Width)}
		}
		return outType{kind: kindFixed, wide: 16, digits: int8(t.Width)}
	case logical.UUID:
		return outType{kind: kindFixed, wide: 16, uuid: true}
	case logical.Fixed:
		if t.Width > 0 {
			return outType{kind: kindFixed, wide: int32(t.Width)}
		}
	}
	return idType(columnar.BaseOf(t))
}

// idFields returns the columns that external ids of vertices are written as,
// and fillIDs fills them. They are the one place where the attributes of an id
// map say what its ids look like outside: ids of several columns are the columns
// name_1, name_2 and so on, where sources and targets are separate the
// column name_side comes first, and where vertices have kinds the column name_kind,
// or kind beside vertex, comes behind.
func idFields(m *graph.IDs, name string, optional bool) []outField {
	var fields []outField
	if m.Sides != nil {
		fields = append(fields, outField{name: name + "_side", typ: idType(graph.String), optional: optional, repeats: true})
	}
	form := columnar.FormOfIDs(m)
	if form.Kind == logical.Kinds {
		return []outField{{name: name, typ: formType(kindsColumn(form)), optional: optional},
			{name: kindColumn(name), typ: idType(graph.String), optional: optional, repeats: true}}
	}
	if form.Kind != logical.Tuple {
		return append(fields, outField{name: name, typ: formType(form), optional: optional})
	}
	for i, p := range form.Parts {
		fields = append(fields, outField{name: name + "_" + strconv.Itoa(i+1), typ: formType(p), optional: optional})
	}
	return fields
}

// fillIDs makes the columns the external ids of the vertices. With optional,
// graph.NoVertex stands for a value that is missing.
func fillIDs(cols []outColumn, m *graph.IDs, vs []uint32, optional bool) error {
	if m.Sides != nil {
		cols[0].setValid(vs, optional)
		cols[0].bytes = cols[0].bytes[:0]
		for _, v := range vs {
			if v == graph.NoVertex {
				cols[0].bytes = append(cols[0].bytes, nil)
			} else {
				cols[0].bytes = append(cols[0].bytes, []byte(m.Side(v).String()))
			}
		}
		cols = cols[1:]
	}
	form := columnar.FormOfIDs(m)
	if form.Kind == logical.Kinds {
		return fillKinds(cols, m, vs, optional, form)
	}
	if form.Kind == logical.Tuple {
		return fillTuples(cols, m, vs, optional, form)
	}
	if err := cols[0].fillIDs(m, vs, optional); err != nil {
		return err
	}
	return cols[0].shape(form)
}

// setValid sets the validity of the vertices.
func (c *outColumn) setValid(vs []uint32, optional bool) {
	c.valid = c.valid[:0]
	if optional {
		for _, v := range vs {
			c.valid = append(c.valid, v != graph.NoVertex)
		}
	}
}

// fillTuples makes each of the columns a part of ids that are tuples.
func fillTuples(cols []outColumn, m *graph.IDs, vs []uint32, optional bool, form logical.Type) error {
	for i := range cols {
		cols[i].setValid(vs, optional)
		cols[i].ints, cols[i].bytes = cols[i].ints[:0], cols[i].bytes[:0]
	}
	var none logical.Value
	var values []logical.Value
	for _, v := range vs {
		values = values[:0]
		if v != graph.NoVertex {
			key, err := keyOf(m, v)
			if err != nil {
				return err
			}
			var ok bool
			if values, ok = form.Split(values, key); !ok {
				return fmt.Errorf("%w: the id of vertex %d is no %v", graph.ErrMalformed, v, form)
			}
		}
		for i, p := range form.Parts {
			x := &none
			if v != graph.NoVertex {
				x = &values[i]
			}
			if p.Integer() {
				cols[i].ints = append(cols[i].ints, x.Int)
			} else {
				cols[i].bytes = append(cols[i].bytes, x.Bytes)
			}
		}
	}
	for i, p := range form.Parts {
		if err := cols[i].shape(p); err != nil {
			return err
		}
	}
	return nil
}

// keyOf returns the bytes that an id is kept as.
func keyOf(m *graph.IDs, v uint32) ([]byte, error) {
	lo, hi := m.StringOffsets[v], m.StringOffsets[v+1]
	if lo > hi || hi > uint64(len(m.Data)) {
		return nil, fmt.Errorf("%w: the id of vertex %d is bytes %d to %d of %d", graph.ErrMalformed, v, lo, hi, len(m.Data))
	}
	return m.Data[lo:hi:hi], checkIDLength(hi - lo)
}

// shape makes the values of a column, as the graph has them, those of its type.
func (c *outColumn) shape(form logical.Type) error {
	switch {
	case form.Kind == logical.Date64:
		const day = 24 * 60 * 60 * 1000
		for i, x := range c.ints {
			if c.missing(i) {
				continue
			}
			if x%day != 0 {
				return fmt.Errorf("%w: a date of %d milliseconds since 1970 is no whole day", graph.ErrIDRange, x)
			}
			c.ints[i] = x / day
		}
		return c.checkBounds(math.MinInt32, math.MaxInt32)
	case form.Kind == logical.Timestamp && form.Unit == "s": // Parquet has milliseconds
		return c.checkBounds(math.MinInt64/1000, math.MaxInt64/1000)
	case form.Kind == logical.Fixed && form.Width == 0 || form.Integer():
		return nil
	}
	wide := int(formType(form).wide)
	for i, b := range c.bytes {
		if c.missing(i) || wide == 0 {
			continue
		}
		if len(b) != wide {
			return fmt.Errorf("%w: an id of %d bytes is no %v", graph.ErrMalformed, len(b), form)
		}
		if form.Kind == logical.Decimal { // two's complement, big-endian
			c.bytes[i] = flipped(b)
		}
	}
	return nil
}

// flipped returns the bytes with the first bit the other way round, which is
// between decimals as the graph has them and two's complement.
func flipped(b []byte) []byte {
	b = append([]byte(nil), b...)
	b[0] ^= 0x80
	return b
}

// appendFixed appends a value of fixed width as text.
func appendFixed(buf []byte, t outType, b []byte) []byte {
	form := logical.Type{Kind: logical.Fixed, Width: int(t.wide)}
	switch {
	case t.uuid:
		form = logical.Type{Kind: logical.UUID}
	case t.digits > 0:
		form, b = logical.Type{Kind: logical.Decimal, Width: int(t.digits)}, flipped(b)
		return appendPoint(append(buf, form.FormatBytes(b)...), len(buf), t)
	}
	return append(buf, form.FormatBytes(b)...)
}

// fixedValues copies values lo to hi to a buffer of Arrow's.
func (c *outColumn) fixedValues(t outType, to []byte, lo, hi int) {
	clear(to)
	size := 16
	if t.kind == kindFixed {
		size = int(t.wide)
	}
	for i := lo; i < hi; i++ {
		value := to[(i-lo)*size:][:size]
		switch {
		case c.missing(i):
		case t.kind == kindDecimal:
			x := c.ints[i]
			for k := range value {
				value[k] = byte(x)
				x >>= 8
			}
		case t.digits > 0:
			for k, b := range c.bytes[i] { // little-endian
				value[size-1-k] = b
			}
		default:
			copy(value, c.bytes[i])
		}
	}
}

// uuidMetadata identifies Arrow's extension type of UUIDs.
func uuidMetadata() goarrow.Metadata {
	return goarrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.uuid", ""})
}
