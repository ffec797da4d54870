// This file compares conditions on random Arrow IPC files, streams and records
// with a naive filter of the rows.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// arrowTypes returns the types of Arrow's that a test's column can have.
func arrowTypes(c *testColumn) []arrow.DataType {
	p, b, f := &arrow.PrimitiveTypes, &arrow.BinaryTypes, &arrow.FixedWidthTypes
	dict := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	zone := ""
	if l, ok := c.Node.LogicalType().(*schema.TimestampLogicalType); ok && l.IsAdjustedToUTC() {
		zone = "Europe/Berlin"
	}
	at := func(u arrow.TimeUnit) []arrow.DataType {
		return []arrow.DataType{&arrow.TimestampType{Unit: u, TimeZone: zone}}
	}
	switch name := c.name; name {
	case "at", "atus":
		return at(arrow.Microsecond)
	case "atms":
		return at(arrow.Millisecond)
	case "atns":
		return at(arrow.Nanosecond)
	default:
		if scale, ok := map[string]int32{"wdec": 10, "vdec": 2}[name]; ok {
			d := &arrow.Decimal128Type{Precision: 38, Scale: scale}
			return []arrow.DataType{d, &arrow.Decimal256Type{Precision: 76, Scale: scale}, dict(p.Int16, d)}
		}
		if strings.Contains(name, "dec") {
			return []arrow.DataType{&arrow.Decimal128Type{Precision: 18, Scale: 2}, &arrow.Decimal256Type{Precision: 18, Scale: 2}}
		}
		return map[string][]arrow.DataType{
			"i8": {p.Int8, dict(p.Int16, p.Int8)}, "i32": {p.Int32, dict(p.Uint16, p.Int32)}, "u32": {p.Uint32, dict(p.Int32, p.Uint32)},
			"i64": {p.Int64, dict(p.Int32, p.Int64)}, "u64": {p.Uint64, dict(p.Int64, p.Uint64)}, "u8": {p.Uint8}, "u16": {p.Uint16},
			"day": {p.Date32, p.Date64}, "f32": {p.Float32, dict(p.Int16, p.Float32)}, "f64": {p.Float64}, "half": {f.Float16},
			"text": {b.String, b.LargeString, dict(p.Uint32, b.String)}, "bytes": {b.Binary, b.LargeBinary, dict(p.Int16, b.Binary)},
			"uuid": {&arrow.FixedSizeBinaryType{ByteWidth: 16}}, "fixed": {&arrow.FixedSizeBinaryType{ByteWidth: 3}},
			"flag": {f.Boolean}, "timems": {f.Time32ms}, "timeus": {f.Time64us}, "timens": {f.Time64ns},
		}[name]
	}
}

// asInt is value i of a column of integers, of those that decimals and times are too.
func asInt(c *testColumn, i int) int64 {
	switch v := c.Values.(type) {
	case []int32:
		return int64(v[i])
	case []int64:
		return v[i]
	}
	b := c.Values.([]parquet.FixedLenByteArray)[i]
	x := int64(int8(b[0]))
	for _, c := range b[1:] {
		x = x<<8 | int64(c)
	}
	return x
}

// asBigInt is value i of a column of decimals.
func asBigInt(c *testColumn, i int) *big.Int {
	switch v := c.Values.(type) {
	case []parquet.ByteArray:
		return asBig(v[i])
	case []parquet.FixedLenByteArray:
		return asBig(v[i])
	}
	return big.NewInt(asInt(c, i))
}

// appendValue appends value i of a column.
func appendValue(b array.Builder, c *testColumn, i int) error {
	raw := func() []byte { return plainValue(c.Values, i) }
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(asInt(c, i)))
	case *array.Int32Builder:
		b.Append(int32(asInt(c, i)))
	case *array.Int64Builder:
		b.Append(asInt(c, i))
	case *array.Uint8Builder:
		b.Append(uint8(asInt(c, i)))
	case *array.Uint16Builder:
		b.Append(uint16(asInt(c, i)))
	case *array.Uint32Builder:
		b.Append(uint32(asInt(c, i)))
	case *array.Uint64Builder:
		b.Append(uint64(asInt(c, i)))
	case *array.Int8DictionaryBuilder:
		return b.Append(int8(asInt(c, i)))
	case *array.Int32DictionaryBuilder:
		return b.Append(int32(asInt(c, i)))
	case *array.Int64DictionaryBuilder:
		return b.Append(asInt(c, i))
	case *array.Uint32DictionaryBuilder:
		return b.Append(uint32(asInt(c, i)))
	case *array.Uint64DictionaryBuilder:
		return b.Append(uint64(asInt(c, i)))
	case *array.Float32DictionaryBuilder:
		return b.Append(c.Values.([]float32)[i])
	case *array.BinaryDictionaryBuilder:
		return b.Append(raw())
	case *array.Date32Builder:
		b.Append(arrow.Date32(asInt(c, i)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(asInt(c, i) * 86_400_000))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(asInt(c, i)))
	case *array.Time32Builder:
		b.Append(arrow.Time32(asInt(c, i)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(asInt(c, i)))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(asBigInt(c, i)))
	case *array.Decimal128DictionaryBuilder:
		return b.Append(decimal128.FromBigInt(asBigInt(c, i)))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromBigInt(asBigInt(c, i)))
	case *array.Float16Builder:
		b.Append(float16.FromLEBytes(raw()))
	case *array.Float32Builder:
		b.Append(c.Values.([]float32)[i])
	case *array.Float64Builder:
		b.Append(c.Values.([]float64)[i])
	case *array.BooleanBuilder:
		b.Append(c.Values.([]bool)[i])
	case *array.StringBuilder:
		b.Append(string(raw()))
	case *array.LargeStringBuilder:
		b.Append(string(raw()))
	case *array.BinaryBuilder: // of large binary too
		b.Append(raw())
	case *array.FixedSizeBinaryBuilder:
		b.Append(raw())
	default:
		return fmt.Errorf("builder %T", b)
	}
	return nil
}

// whereRecord makes a record of the columns, between their numbers as src and dst.
func whereRecord(t *testing.T, r *rand.Rand, all []testColumn, rows int) arrow.Record {
	t.Helper()
	ids := make([]int64, rows)
	for i := range ids {
		ids[i] = int64(i)
	}
	number := array.NewInt64Builder(memory.DefaultAllocator)
	number.AppendValues(ids, nil)
	ends := number.NewArray()
	fields, arrays := []arrow.Field{{Name: "src", Type: arrow.PrimitiveTypes.Int64}}, []arrow.Array{ends}
	for k := range all {
		c := &all[k]
		types := arrowTypes(c)
		if len(types) == 0 {
			t.Fatalf("no type for %s", c.name)
		}
		typ := types[r.IntN(len(types))]
		b := array.NewBuilder(memory.DefaultAllocator, typ)
		for i := range rows {
			if !c.Valid[i] {
				b.AppendNull()
			} else if err := appendValue(b, c, i); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		fields, arrays = append(fields, arrow.Field{Name: c.name, Type: typ, Nullable: true}), append(arrays, b.NewArray())
	}
	fields, arrays = append(fields, arrow.Field{Name: "dst", Type: arrow.PrimitiveTypes.Int64}), append(arrays, ends)
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(rows))
}

// TestWhereIPCRandom: whatever the types, dictionaries, batches and buffers, the
// rows equal the result of a naive filter.
func TestWhereIPCRandom(t *testing.T) {
	testlong.Project(t)
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 79))
		rows := 1 + r.IntN(1200)
		all := slices.DeleteFunc(testColumns(t, r, rows), func(c testColumn) bool { return c.name == "i96" }) // which Arrow doesn't have
		rec := whereRecord(t, r, all, rows)
		var recs []arrow.Record
		for from := 0; from < rows; {
			to := min(rows, from+1+r.IntN(rows))
			recs = append(recs, rec.NewSlice(int64(from), int64(to)))
			from = to
		}
		stream := r.IntN(2) == 0
		opts := [][]ipc.Option{nil, {ipc.WithLZ4()}, {ipc.WithZstd()}}[r.IntN(3)]
		path := tempFile(t, "x.arrow", samples.WriteIPC(t, stream, rec.Schema(), recs, opts...))
		for range 20 {
			text, holds := condition(r, all, rows, r.IntN(4))
			var want []int
			for i := range rows {
				if holds(i) == isTrue {
					want = append(want, i)
				}
			}
			o := Options{Where: text, Source: "src", Target: "dst", Workers: 1 + r.IntN(3)}
			d, err := Open(context.Background(), []string{path}, o)
			if err != nil {
				t.Fatalf("seed %d: %.300s: %v", seed, text, err)
			}
			if got := rowsWhere(t, d); !slices.Equal(got, want) {
				t.Fatalf("seed %d: stream %v: %.600s: %d rows, want %d", seed, stream, text, len(got), len(want))
			}
			reader, err := array.NewRecordReader(rec.Schema(), recs)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			stats, err := ReadRecords(context.Background(), reader, o, func(b graph.Batch) error {
				for _, x := range b.Src {
					got = append(got, int(x))
				}
				return nil
			})
			if err != nil || !slices.Equal(got, want) || stats.Rows-stats.RowsPassed != int64(len(want)) {
				t.Fatalf("seed %d: records: %.600s: %d rows, want %d, %+v, %v", seed, text, len(got), len(want), stats, err)
			}
		}
	}
}

// TestWhereScales: decimals of negative scales are hundreds, say; those of more than
// any type has can't be compared, and the error names the column.
func TestWhereScales(t *testing.T) {
	for _, typ := range []arrow.DataType{
		&arrow.Decimal128Type{Precision: 9, Scale: -2}, &arrow.Decimal128Type{Precision: 38, Scale: -2}, &arrow.Decimal256Type{Precision: 76, Scale: -2},
		&arrow.Decimal128Type{Precision: 9, Scale: 1 << 30}, &arrow.Decimal256Type{Precision: 76, Scale: -1 << 30},
	} {
		number, price := array.NewInt64Builder(memory.DefaultAllocator), array.NewBuilder(memory.DefaultAllocator, typ)
		for i := range int64(5) { // 0, 100, 200, 300, 400
			number.Append(i)
			if b, ok := price.(*array.Decimal128Builder); ok {
				b.Append(decimal128.FromI64(i))
			} else {
				price.(*array.Decimal256Builder).Append(decimal256.FromI64(i))
			}
		}
		ends := number.NewArray()
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "src", Type: ends.DataType()}, {Name: "dst", Type: ends.DataType()}, {Name: "price", Type: typ}}, nil),
			[]arrow.Array{ends, ends, price.NewArray()}, 5)
		for text, want := range map[string]string{"price = 300": "[3]", "price < 200": "[0 1]", "price > 250.5": "[3 4]", "price in (100, 150)": "[1]", "price <> 150": "[0 1 2 3 4]"} {
			reader, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
			if err != nil {
				t.Fatal(err)
			}
			got := []int64{}
			_, err = ReadRecords(context.Background(), reader, Options{Where: text}, func(b graph.Batch) error {
				got = append(got, b.Src...)
				return nil
			})
			if scale := typ.(arrow.DecimalType).GetScale(); scale != -2 {
				if !errors.Is(err, ErrWhere) || !strings.Contains(err.Error(), `column "price" (`) || !strings.Contains(err.Error(), "can't be compared") {
					t.Errorf("%v: %s: %v, want ErrWhere", typ, text, err)
				}
			} else if err != nil || fmt.Sprint(got) != want {
				t.Errorf("%v: %s: %v, %v, want %s", typ, text, got, err, want)
			}
		}
	}
}
