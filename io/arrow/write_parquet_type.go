// This file holds what types of written columns are in Parquet.

package arrow

import (
	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/io/arrow/internal/pqmeta"
)

// parquet returns the column's place in a schema of Parquet: its physical type,
// and a logical one that keeps width and sign of integers.
func (f *outField) parquet() pqmeta.Column {
	c := pqmeta.Column{Name: f.name, Type: f.typ.physical(), Optional: f.optional, List: f.list}
	switch t := f.typ; t.kind {
	case kindInt, kindUint:
		c.Logical = pqmeta.Logical{Kind: pqmeta.Integer, Bits: int(t.bits), Signed: t.kind == kindInt}
	case kindString:
		c.Logical.Kind = pqmeta.String
	case kindDate:
		c.Logical.Kind = pqmeta.Date
	case kindTimestamp:
		unit := pqmeta.Millis // of seconds too, which Parquet hasn't got
		switch t.unit {
		case goarrow.Microsecond:
			unit = pqmeta.Micros
		case goarrow.Nanosecond:
			unit = pqmeta.Nanos
		}
		c.Logical = pqmeta.Logical{Kind: pqmeta.Timestamp, Unit: unit, UTC: t.zone != ""}
	case kindDecimal, kindFixed:
		c.Length = int(t.wide)
		switch {
		case t.uuid:
			c.Logical.Kind = pqmeta.UUID
		case t.digits > 0:
			c.Logical = pqmeta.Logical{Kind: pqmeta.Decimal, Precision: int(t.digits)}
		}
	}
	return c
}

// physical returns the type that values have in pages.
func (t outType) physical() pqmeta.Type {
	switch {
	case t.kind == kindBool:
		return pqmeta.Boolean
	case t.kind == kindFixed:
		return pqmeta.FixedLenByteArray
	case t.text():
		return pqmeta.ByteArray
	case t.kind == kindFloat && t.bits == 64:
		return pqmeta.Double
	case t.kind == kindFloat:
		return pqmeta.Float
	case t.bits == 64:
		return pqmeta.Int64
	}
	return pqmeta.Int32
}
