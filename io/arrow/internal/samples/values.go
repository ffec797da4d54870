// This file holds columns of every type of ids, for tests.

package samples

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/parquet"
	pqschema "github.com/apache/arrow/go/v15/parquet/schema"
)

// ValueKind is a type of ids: how a number becomes a value of it, in a record
// and in Parquet, and as text.
type ValueKind struct {
	Logical string
	Type    goarrow.DataType
	UUID    bool
	Append  func(b array.Builder, x int64)
	Text    func(x int64) string

	Node   func(t testing.TB, name string) pqschema.Node // nil where Parquet has no such type
	Values func(xs []int64) any
}

func ints64(xs []int64) any { return xs }

func ints32(xs []int64) any {
	var out []int32
	for _, x := range xs {
		out = append(out, int32(x))
	}
	return out
}

// bigOf is a number of many digits.
func bigOf(x int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(x), new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil))
}

func rawOf(x int64, width int) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(x)*0x9e3779b97f4a7c15)
	return append(b, bytes.Repeat([]byte{7}, 16)...)[:width]
}

func fixedValues(f func(x int64) []byte) func(xs []int64) any {
	return func(xs []int64) any {
		var out []parquet.FixedLenByteArray
		for _, x := range xs {
			out = append(out, f(x))
		}
		return out
	}
}

// twosComplement is a decimal as Parquet has it.
func twosComplement(x *big.Int, width int) []byte {
	if x.Sign() < 0 {
		x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
	}
	return x.FillBytes(make([]byte, width))
}

func ValueKinds() []ValueKind {
	day := func(x int64) string { return time.Unix(x*86400, 0).UTC().Format(time.DateOnly) }
	leaf := func(l pqschema.LogicalType, p parquet.Type, width int) func(t testing.TB, name string) pqschema.Node {
		return func(t testing.TB, name string) pqschema.Node { return Node(t, name, false, l, p, width) }
	}
	pt := &goarrow.PrimitiveTypes
	kinds := []ValueKind{
		{"", pt.Int16, false, func(b array.Builder, x int64) { b.(*array.Int16Builder).Append(int16(x)) }, func(x int64) string { return fmt.Sprint(x) },
			leaf(pqschema.NewIntLogicalType(16, true), parquet.Types.Int32, 0), ints32},
		{"", goarrow.BinaryTypes.String, false, func(b array.Builder, x int64) { b.(*array.StringBuilder).Append(fmt.Sprint("s", x)) }, func(x int64) string { return fmt.Sprint("s", x) },
			leaf(pqschema.StringLogicalType{}, parquet.Types.ByteArray, 0), func(xs []int64) any {
				var out []parquet.ByteArray
				for _, x := range xs {
					out = append(out, parquet.ByteArray(fmt.Sprint("s", x)))
				}
				return out
			}},
		{"date32", pt.Date32, false, func(b array.Builder, x int64) { b.(*array.Date32Builder).Append(goarrow.Date32(x)) }, day,
			leaf(pqschema.DateLogicalType{}, parquet.Types.Int32, 0), ints32},
		{"date64", pt.Date64, false, func(b array.Builder, x int64) { b.(*array.Date64Builder).Append(goarrow.Date64(x * 86400000)) }, day, nil, nil},
		{"decimal(9,0)", &goarrow.Decimal128Type{Precision: 9}, false, func(b array.Builder, x int64) {
			b.(*array.Decimal128Builder).Append(decimal128.FromI64(x))
		}, func(x int64) string { return fmt.Sprint(x) }, leaf(pqschema.NewDecimalLogicalType(9, 0), parquet.Types.Int32, 0), ints32},
		{"decimal(18,0)", &goarrow.Decimal256Type{Precision: 18}, false, func(b array.Builder, x int64) {
			b.(*array.Decimal256Builder).Append(decimal256.FromI64(x))
		}, func(x int64) string { return fmt.Sprint(x) }, leaf(pqschema.NewDecimalLogicalType(18, 0), parquet.Types.FixedLenByteArray, 8),
			fixedValues(func(x int64) []byte { return twosComplement(big.NewInt(x), 8) })},
		{"decimal(38,0)", &goarrow.Decimal128Type{Precision: 38}, false, func(b array.Builder, x int64) {
			b.(*array.Decimal128Builder).Append(decimal128.FromBigInt(bigOf(x)))
		}, func(x int64) string { return bigOf(x).String() }, leaf(pqschema.NewDecimalLogicalType(38, 0), parquet.Types.FixedLenByteArray, 16),
			fixedValues(func(x int64) []byte { return twosComplement(bigOf(x), 16) })},
		{"decimal(30,0)", &goarrow.Decimal256Type{Precision: 30}, false, func(b array.Builder, x int64) {
			b.(*array.Decimal256Builder).Append(decimal256.FromBigInt(bigOf(x)))
		}, func(x int64) string { return bigOf(x).String() }, leaf(pqschema.NewDecimalLogicalType(30, 0), parquet.Types.FixedLenByteArray, 13),
			fixedValues(func(x int64) []byte { return twosComplement(bigOf(x), 13) })},
		{"uuid", &goarrow.FixedSizeBinaryType{ByteWidth: 16}, true, func(b array.Builder, x int64) {
			b.(*array.FixedSizeBinaryBuilder).Append(rawOf(x, 16))
		}, func(x int64) string {
			s := fmt.Sprintf("%x", rawOf(x, 16))
			return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
		}, leaf(pqschema.UUIDLogicalType{}, parquet.Types.FixedLenByteArray, 16), fixedValues(func(x int64) []byte { return rawOf(x, 16) })},
		{"fixed(5)", &goarrow.FixedSizeBinaryType{ByteWidth: 5}, false, func(b array.Builder, x int64) {
			b.(*array.FixedSizeBinaryBuilder).Append(rawOf(x, 5))
		}, func(x int64) string { return fmt.Sprintf("%x", rawOf(x, 5)) }, leaf(nil, parquet.Types.FixedLenByteArray, 5),
			fixedValues(func(x int64) []byte { return rawOf(x, 5) })},
	}
	units := []struct {
		name string
		unit goarrow.TimeUnit
		each time.Duration
		pq   pqschema.TimeUnitType
	}{{"s", goarrow.Second, time.Second, 0}, {"ms", goarrow.Millisecond, time.Millisecond, pqschema.TimeUnitMillis},
		{"us", goarrow.Microsecond, time.Microsecond, pqschema.TimeUnitMicros}, {"ns", goarrow.Nanosecond, 1, pqschema.TimeUnitNanos}}
	for _, u := range units {
		for _, zone := range []string{"", "UTC"} {
			k := ValueKind{Logical: "timestamp[" + u.name + "]", Type: &goarrow.TimestampType{Unit: u.unit, TimeZone: zone}, Values: ints64}
			layout := "2006-01-02T15:04:05.999999999"
			if zone != "" {
				k.Logical, layout = "timestamp["+u.name+","+zone+"]", layout+"Z"
			}
			k.Append = func(b array.Builder, x int64) { b.(*array.TimestampBuilder).Append(goarrow.Timestamp(x)) }
			k.Text = func(x int64) string { return time.Unix(0, 0).Add(time.Duration(x) * u.each).UTC().Format(layout) }
			if u.pq != 0 {
				k.Node = leaf(pqschema.NewTimestampLogicalType(zone != "", u.pq), parquet.Types.Int64, 0)
			}
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// Null is what a missing value reads as in a table.
const Null = "\x00null"

// ListJoint stands between the values of a list in a cell.
const ListJoint = "\x00,"
