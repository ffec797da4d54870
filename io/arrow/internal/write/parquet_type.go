// This file holds what types of written columns are in Parquet.

package write

import (
	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/io/arrow/internal/parquet/metadata"
)

// parquet returns the column's place in a schema of Parquet: its physical type,
// and a logical one that keeps width and sign of integers.
func (f *outField) parquet() metadata.Column {
	c := metadata.Column{Name: f.name, Type: f.typ.physical(), Optional: f.optional, List: f.list}
	switch t := f.typ; t.kind {
	case kindInt, kindUint:
		c.Logical = metadata.Logical{Kind: metadata.Integer, Bits: int(t.bits), Signed: t.kind == kindInt}
	case kindString:
		c.Logical.Kind = metadata.String
	case kindDate:
		c.Logical.Kind = metadata.Date
	case kindTimestamp:
		unit := metadata.Millis // of seconds too, which Parquet hasn't got
		switch t.unit {
		case goarrow.Microsecond:
			unit = metadata.Micros
		case goarrow.Nanosecond:
			unit = metadata.Nanos
		}
		c.Logical = metadata.Logical{Kind: metadata.Timestamp, Unit: unit, UTC: t.zone != ""}
	case kindDecimal, kindFixed:
		c.Length = int(t.wide)
		switch {
		case t.uuid:
			c.Logical.Kind = metadata.UUID
		case t.digits > 0:
			c.Logical = metadata.Logical{Kind: metadata.Decimal, Precision: int(t.digits)}
		}
	}
	return c
}

// physical returns the type that values have in pages.
func (t outType) physical() metadata.Type {
	switch {
	case t.kind == kindBool:
		return metadata.Boolean
	case t.kind == kindFixed:
		return metadata.FixedLenByteArray
	case t.text():
		return metadata.ByteArray
	case t.kind == kindFloat && t.bits == 64:
		return metadata.Double
	case t.kind == kindFloat:
		return metadata.Float
	case t.bits == 64:
		return metadata.Int64
	}
	return metadata.Int32
}
