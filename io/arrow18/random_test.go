// This file makes random types and arrays of v18.

package arrow18

import (
	"fmt"
	"math/rand/v2"

	v18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
)

// flat are types without children, each with other parameters.
func flat() []v18.DataType {
	p, f := &v18.PrimitiveTypes, &v18.FixedWidthTypes
	types := []v18.DataType{v18.Null, f.Boolean, p.Int8, p.Int16, p.Int32, p.Int64, p.Uint8, p.Uint16, p.Uint32, p.Uint64,
		f.Float16, p.Float32, p.Float64, p.Date32, p.Date64, f.MonthInterval, f.DayTimeInterval, f.MonthDayNanoInterval,
		v18.BinaryTypes.String, v18.BinaryTypes.LargeString, v18.BinaryTypes.StringView,
		v18.BinaryTypes.Binary, v18.BinaryTypes.LargeBinary, v18.BinaryTypes.BinaryView,
		&v18.FixedSizeBinaryType{ByteWidth: 5}, &v18.Decimal128Type{Precision: 30, Scale: 3}, &v18.Decimal256Type{Precision: 60, Scale: -2},
		&v18.Time32Type{Unit: v18.Second}, &v18.Time32Type{Unit: v18.Millisecond}, &v18.Time64Type{Unit: v18.Microsecond}, &v18.Time64Type{Unit: v18.Nanosecond}}
	for _, unit := range []v18.TimeUnit{v18.Second, v18.Millisecond, v18.Microsecond, v18.Nanosecond} {
		types = append(types, &v18.TimestampType{Unit: unit}, &v18.TimestampType{Unit: unit, TimeZone: "Europe/Oslo"}, &v18.DurationType{Unit: unit})
	}
	return types
}

// randomType returns a type nested so deep at most.
func randomType(r *rand.Rand, depth int) v18.DataType {
	types := flat()
	if depth == 0 || r.IntN(3) == 0 {
		return types[r.IntN(len(types))]
	}
	field := func() v18.Field {
		m := v18.NewMetadata([]string{"k"}, []string{fmt.Sprint(r.IntN(9))})
		return v18.Field{Name: fmt.Sprintf("f%d", r.IntN(4)), Type: randomType(r, depth-1), Nullable: true, Metadata: m}
	}
	fields := func() (all []v18.Field) {
		for range 1 + r.IntN(3) {
			all = append(all, field())
		}
		return all
	}
	codes := []v18.UnionTypeCode{5, 2, 9}
	switch r.IntN(11) {
	case 0:
		return v18.ListOfField(field())
	case 1:
		return v18.LargeListOfField(field())
	case 2:
		return v18.FixedSizeListOfField(int32(1+r.IntN(3)), field())
	case 3:
		return v18.ListViewOfField(field())
	case 4:
		return v18.LargeListViewOfField(field())
	case 5:
		return v18.StructOf(fields()...)
	case 6:
		m := v18.MapOf(v18.BinaryTypes.String, randomType(r, depth-1))
		m.KeysSorted = r.IntN(2) > 0
		return m
	case 7:
		f := fields()
		return v18.SparseUnionOf(f, codes[:len(f)])
	case 8:
		f := fields()
		return v18.DenseUnionOf(f, codes[:len(f)])
	case 9:
		index := []v18.DataType{v18.PrimitiveTypes.Int8, v18.PrimitiveTypes.Uint16, v18.PrimitiveTypes.Int64}[r.IntN(3)]
		values := []v18.DataType{v18.BinaryTypes.String, v18.PrimitiveTypes.Int64, v18.PrimitiveTypes.Date32, &v18.FixedSizeBinaryType{ByteWidth: 5}}[r.IntN(4)]
		return &v18.DictionaryType{IndexType: index, ValueType: values, Ordered: r.IntN(2) > 0}
	}
	return v18.RunEndEncodedOf(v18.PrimitiveTypes.Int32, types[1+r.IntN(len(types)-1)])
}

// randomArray returns an array of n values, as part of a longer one.
func randomArray(r *rand.Rand, mem memory18.Allocator, t v18.DataType, n int) v18.Array {
	b := array18.NewBuilder(mem, t)
	defer b.Release()
	before, after := r.IntN(4), r.IntN(4)
	for range before + n + after {
		appendRandom(r, b, t)
		if runs, ok := b.(*array18.RunEndEncodedBuilder); ok {
			runs.ContinueRun(uint64(r.IntN(3)))
		}
	}
	all := b.NewArray()
	defer all.Release()
	return array18.NewSlice(all, int64(before), int64(before+n))
}

// appendRandom appends a value, one in four of them missing.
func appendRandom(r *rand.Rand, b array18.Builder, t v18.DataType) {
	text := func() string { return longText[r.IntN(5):][:r.IntN(len(longText)-5)] }
	switch b := b.(type) { // first those whose missing values are their children's
	case *array18.SparseUnionBuilder:
		u := t.(*v18.SparseUnionType)
		picked := r.IntN(len(u.Fields()))
		b.Append(u.TypeCodes()[picked])
		for i, f := range u.Fields() {
			if i == picked {
				appendRandom(r, b.Child(i), f.Type)
			} else {
				b.Child(i).AppendEmptyValue()
			}
		}
		return
	case *array18.DenseUnionBuilder:
		u := t.(*v18.DenseUnionType)
		i := r.IntN(len(u.Fields()))
		b.Append(u.TypeCodes()[i])
		appendRandom(r, b.Child(i), u.Fields()[i].Type)
		return
	case *array18.RunEndEncodedBuilder:
		b.Append(1)
		appendRandom(r, b.ValueBuilder(), t.(*v18.RunEndEncodedType).Encoded())
		return
	}
	if r.IntN(4) == 0 {
		b.AppendNull()
		return
	}
	many := func(value array18.Builder, n int, t v18.DataType) {
		for range n {
			appendRandom(r, value, t)
		}
	}
	switch b := b.(type) {
	case *array18.NullBuilder:
		b.AppendNull()
	case *array18.BooleanBuilder:
		b.Append(r.IntN(2) > 0)
	case *array18.Int8Builder:
		b.Append(int8(r.Int64()))
	case *array18.Int16Builder:
		b.Append(int16(r.Int64()))
	case *array18.Int32Builder:
		b.Append(r.Int32() - 1<<30)
	case *array18.Int64Builder:
		b.Append(r.Int64() - 1<<62)
	case *array18.Uint8Builder:
		b.Append(uint8(r.Uint64()))
	case *array18.Uint16Builder:
		b.Append(uint16(r.Uint64()))
	case *array18.Uint32Builder:
		b.Append(r.Uint32())
	case *array18.Uint64Builder:
		b.Append(r.Uint64())
	case *array18.Float16Builder:
		b.Append(float16.New(r.Float32()))
	case *array18.Float32Builder:
		b.Append(r.Float32())
	case *array18.Float64Builder:
		b.Append(r.NormFloat64())
	case *array18.Date32Builder:
		b.Append(v18.Date32(r.IntN(30000)))
	case *array18.Date64Builder:
		b.Append(v18.Date64(r.Int64N(30000) * 86_400_000))
	case *array18.Time32Builder:
		b.Append(v18.Time32(r.IntN(86_400)))
	case *array18.Time64Builder:
		b.Append(v18.Time64(r.Int64N(86_400_000_000)))
	case *array18.TimestampBuilder:
		b.Append(v18.Timestamp(r.Int64N(1e9)))
	case *array18.DurationBuilder:
		b.Append(v18.Duration(r.Int64()))
	case *array18.MonthIntervalBuilder:
		b.Append(v18.MonthInterval(r.Int32()))
	case *array18.DayTimeIntervalBuilder:
		b.Append(v18.DayTimeInterval{Days: r.Int32(), Milliseconds: r.Int32()})
	case *array18.MonthDayNanoIntervalBuilder:
		b.Append(v18.MonthDayNanoInterval{Months: r.Int32(), Days: r.Int32(), Nanoseconds: r.Int64()})
	case *array18.Decimal128Builder:
		b.Append(decimal128.New(r.Int64N(1e9), r.Uint64()))
	case *array18.Decimal256Builder:
		b.Append(decimal256.New(r.Uint64()>>20, r.Uint64(), r.Uint64(), r.Uint64()))
	case *array18.FixedSizeBinaryBuilder:
		b.Append([]byte(fmt.Sprintf("%05d", r.IntN(100000))))
	case *array18.StringBuilder:
		b.Append(text())
	case *array18.LargeStringBuilder:
		b.Append(text())
	case *array18.StringViewBuilder:
		b.Append(text())
	case *array18.BinaryBuilder: // large ones too
		b.Append([]byte(text()))
	case *array18.BinaryViewBuilder:
		b.Append([]byte(text()))
	case *array18.StructBuilder:
		b.Append(true)
		for i, f := range t.(*v18.StructType).Fields() {
			many(b.FieldBuilder(i), 1, f.Type)
		}
	case *array18.MapBuilder:
		b.Append(true)
		for range r.IntN(3) {
			b.KeyBuilder().(*array18.StringBuilder).Append(text())
			many(b.ItemBuilder(), 1, t.(*v18.MapType).ItemType())
		}
	case *array18.FixedSizeListBuilder:
		b.Append(true)
		many(b.ValueBuilder(), int(t.(*v18.FixedSizeListType).Len()), t.(*v18.FixedSizeListType).Elem())
	case *array18.ListBuilder:
		b.Append(true)
		many(b.ValueBuilder(), r.IntN(4), t.(v18.ListLikeType).Elem())
	case *array18.LargeListBuilder:
		b.Append(true)
		many(b.ValueBuilder(), r.IntN(4), t.(v18.ListLikeType).Elem())
	case *array18.ListViewBuilder:
		n := r.IntN(4)
		b.AppendWithSize(true, n)
		many(b.ValueBuilder(), n, t.(v18.ListLikeType).Elem())
	case *array18.LargeListViewBuilder:
		n := r.IntN(4)
		b.AppendWithSize(true, n)
		many(b.ValueBuilder(), n, t.(v18.ListLikeType).Elem())
	case array18.DictionaryBuilder:
		if err := b.AppendValueFromString(map[v18.Type]string{v18.STRING: text(), v18.INT64: fmt.Sprint(r.IntN(20)), v18.DATE32: fmt.Sprintf("2020-01-%02d", 1+r.IntN(28)),
			v18.FIXED_SIZE_BINARY: "AAAAAAA="}[t.(*v18.DictionaryType).ValueType.ID()]); err != nil {
			panic(err)
		}
	default:
		panic(fmt.Sprintf("no values of %v", t))
	}
}

const longText = "a text that is too long for a view to hold in place"
