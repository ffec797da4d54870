// This file holds the types that written columns have, and what each is called
// in Arrow; write_parquet_type.go has what it is in Parquet.

package write

import (
	"fmt"
	"unicode/utf8"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// outKind is what a type is, its width aside.
type outKind uint8

const (
	kindInt       outKind = iota // of bits bits
	kindUint                     // of bits bits
	kindFloat                    // of bits bits
	kindBool                     // 0 or 1
	kindString                   // UTF-8
	kindBinary                   // any bytes
	kindDate                     // days since 1970
	kindTimestamp                // units since 1970, in UTC where there is a zone
	kindTime                     // units since midnight
	kindDecimal                  // of digits digits, scale of them behind the point, as integers of bits bits
	kindFixed                    // wide bytes; with digits a decimal, big-endian in two's complement
)

// outType is a type of values. The zero value is no type.
type outType struct {
	kind outKind
	bits int8 // of integers and floats as they are written; 32 for dates, 64 for timestamps
	unit goarrow.TimeUnit
	zone string

	digits int8 // of decimals
	scale  int8 // of them: those behind the point
	wide   int32
	uuid   bool
}

// depthType is what depths are.
var depthType = outType{kind: kindInt, bits: 32}

// weightType is what weights are.
var weightType = outType{kind: kindFloat, bits: 32}

// idType returns the type of external ids.
func idType(t graph.IDType) outType {
	switch {
	case t == graph.String:
		return outType{kind: kindString}
	case t == graph.Binary:
		return outType{kind: kindBinary}
	case t.Signed():
		return outType{kind: kindInt, bits: intBits(t)}
	}
	return outType{kind: kindUint, bits: intBits(t)}
}

// intBits is the width of an integer type.
func intBits(t graph.IDType) int8 {
	switch t {
	case graph.Int8, graph.Uint8:
		return 8
	case graph.Int16, graph.Uint16:
		return 16
	case graph.Int32, graph.Uint32:
		return 32
	}
	return 64
}

// typeOf returns the type of Arrow's that values of a property have.
func typeOf(t goarrow.DataType) (outType, bool) {
	switch t := t.(type) {
	case *goarrow.BooleanType:
		return outType{kind: kindBool}, true
	case *goarrow.Int8Type, *goarrow.Int16Type, *goarrow.Int32Type, *goarrow.Int64Type:
		return outType{kind: kindInt, bits: int8(t.(goarrow.FixedWidthDataType).BitWidth())}, true
	case *goarrow.Uint8Type, *goarrow.Uint16Type, *goarrow.Uint32Type, *goarrow.Uint64Type:
		return outType{kind: kindUint, bits: int8(t.(goarrow.FixedWidthDataType).BitWidth())}, true
	case *goarrow.Float32Type, *goarrow.Float64Type:
		return outType{kind: kindFloat, bits: int8(t.(goarrow.FixedWidthDataType).BitWidth())}, true
	case *goarrow.StringType, *goarrow.LargeStringType:
		return outType{kind: kindString}, true
	case *goarrow.BinaryType, *goarrow.LargeBinaryType:
		return outType{kind: kindBinary}, true
	case *goarrow.Date32Type, *goarrow.Date64Type:
		return outType{kind: kindDate, bits: 32}, true
	case *goarrow.TimestampType:
		return outType{kind: kindTimestamp, bits: 64, unit: t.Unit, zone: t.TimeZone}, true
	case *goarrow.Time32Type:
		return timeType(t.Unit), true
	case *goarrow.Time64Type:
		return timeType(t.Unit), true
	case *goarrow.Decimal128Type:
		return decimalType(t.Precision, t.Scale)
	case *goarrow.FixedSizeBinaryType:
		return outType{kind: kindFixed, wide: int32(t.ByteWidth)}, true
	}
	return outType{}, false
}

// timeType is the type of times of day.
func timeType(unit goarrow.TimeUnit) outType {
	bits := int8(64)
	if unit <= goarrow.Millisecond {
		bits = 32
	}
	return outType{kind: kindTime, bits: bits, unit: unit}
}

// decimalType is the type of decimals, if Parquet has it too: 64 bits where their digits fit.
func decimalType(digits, scale int32) (outType, bool) {
	digits = max(digits, scale)
	switch {
	case scale < 0 || digits > maxDecimalDigits:
		return outType{}, false
	case digits > columnar.MaxDigits:
		return outType{kind: kindFixed, wide: 16, digits: int8(digits), scale: int8(scale)}, true
	}
	return outType{kind: kindDecimal, bits: 64, digits: int8(digits), scale: int8(scale)}, true
}

// arrow returns the type in Arrow's words.
func (t outType) arrow() goarrow.DataType {
	p := &goarrow.PrimitiveTypes
	switch t.kind {
	case kindInt:
		switch t.bits {
		case 8:
			return p.Int8
		case 16:
			return p.Int16
		case 32:
			return p.Int32
		}
		return p.Int64
	case kindUint:
		switch t.bits {
		case 8:
			return p.Uint8
		case 16:
			return p.Uint16
		case 32:
			return p.Uint32
		}
		return p.Uint64
	case kindFloat:
		if t.bits == 32 {
			return p.Float32
		}
		return p.Float64
	case kindBool:
		return goarrow.FixedWidthTypes.Boolean
	case kindBinary:
		return goarrow.BinaryTypes.Binary
	case kindDate:
		return p.Date32
	case kindTime:
		if t.bits == 32 {
			return &goarrow.Time32Type{Unit: t.unit}
		}
		return &goarrow.Time64Type{Unit: t.unit}
	case kindTimestamp:
		return &goarrow.TimestampType{Unit: t.unit, TimeZone: t.zone}
	case kindDecimal, kindFixed:
		if t.digits > 0 {
			return &goarrow.Decimal128Type{Precision: int32(t.digits), Scale: int32(t.scale)}
		}
		return &goarrow.FixedSizeBinaryType{ByteWidth: int(t.wide)}
	}
	return goarrow.BinaryTypes.String
}

// integer reports whether values are in outColumn.ints, of text strings in
// outColumn.bytes; elsewhere they are floats.
func (t outType) integer() bool { return !t.text() && t.kind != kindFloat }

func (t outType) text() bool {
	return t.kind == kindString || t.kind == kindBinary || t.kind == kindFixed
}

// unsigned64 reports whether integers may exceed the greatest int64.
func (t outType) unsigned64() bool { return t.kind == kindUint && t.bits == 64 }

// width is how many bytes of Parquet and of a batch a value has; 0 for strings.
func (t outType) width() int {
	switch {
	case t.text():
		return 0
	case t.kind == kindBool:
		return 1
	case t.bits == 64:
		return 8
	}
	return 4
}

// outField describes a column of the output.
type outField struct {
	name     string
	typ      outType
	list     bool   // values are lists of typ
	optional bool   // values may be missing
	csvNull  string // what CSV has where a value is missing
	// repeats says that values come again and again, so that a dictionary of
	// them may be worth its while.
	repeats bool
	// noNUL says that values in CSV have no NUL byte: readers of edges take one for a
	// sign of UTF-16.
	noNUL bool
}

// arrow returns the column's place in a schema of Arrow.
func (f *outField) arrow() goarrow.Field {
	t := f.typ.arrow()
	var meta goarrow.Metadata
	if f.typ.uuid {
		meta = uuidMetadata()
	}
	if f.list {
		t, meta = goarrow.ListOfField(goarrow.Field{Name: "item", Type: t, Metadata: meta}), goarrow.Metadata{}
	}
	return goarrow.Field{Name: f.name, Type: t, Nullable: f.optional, Metadata: meta}
}

// checkMetadata reports metadata that isn't UTF-8.
func checkMetadata(metadata map[string]string) error {
	for key, value := range metadata {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return fmt.Errorf("%w: metadata %q is not UTF-8", ErrOutputOption, key)
		}
	}
	return nil
}
