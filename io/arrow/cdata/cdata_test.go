//go:build cdata && cgo

// This file tests both ways against each other: records of all types there and back,
// streams that end early, structures that contradict themselves.

package cdata_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	aarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/io/arrow/cdata"
)

// The structures as the specification lays them out. Pointers are C's.
type cSchema struct {
	format, name, metadata          uintptr
	flags, children                 int64
	child, dictionary, release, own uintptr
}
type cArray struct {
	length, nulls, offset, buffers, children int64
	buffer, child, dictionary, release, own  uintptr
}
type cStream struct{ schema, next, lastError, release, own uintptr }

var mem = memory.NewGoAllocator()

// columns are all types that can be exported, each with what appends a random
// value.
var columns = []struct {
	typ    aarrow.DataType
	append func(array.Builder, *rand.Rand)
}{
	{aarrow.PrimitiveTypes.Int8, func(b array.Builder, r *rand.Rand) { b.(*array.Int8Builder).Append(int8(r.Int64())) }},
	{aarrow.PrimitiveTypes.Int16, func(b array.Builder, r *rand.Rand) { b.(*array.Int16Builder).Append(int16(r.Int64())) }},
	{aarrow.PrimitiveTypes.Int32, func(b array.Builder, r *rand.Rand) { b.(*array.Int32Builder).Append(int32(r.Int64())) }},
	{aarrow.PrimitiveTypes.Int64, func(b array.Builder, r *rand.Rand) { b.(*array.Int64Builder).Append(int64(r.Uint64())) }},
	{aarrow.PrimitiveTypes.Uint8, func(b array.Builder, r *rand.Rand) { b.(*array.Uint8Builder).Append(uint8(r.Int64())) }},
	{aarrow.PrimitiveTypes.Uint16, func(b array.Builder, r *rand.Rand) { b.(*array.Uint16Builder).Append(uint16(r.Int64())) }},
	{aarrow.PrimitiveTypes.Uint32, func(b array.Builder, r *rand.Rand) { b.(*array.Uint32Builder).Append(r.Uint32()) }},
	{aarrow.PrimitiveTypes.Uint64, func(b array.Builder, r *rand.Rand) { b.(*array.Uint64Builder).Append(r.Uint64()) }},
	{aarrow.PrimitiveTypes.Float32, func(b array.Builder, r *rand.Rand) { b.(*array.Float32Builder).Append(r.Float32()) }},
	{aarrow.PrimitiveTypes.Float64, func(b array.Builder, r *rand.Rand) { b.(*array.Float64Builder).Append(r.Float64()) }},
	{aarrow.FixedWidthTypes.Boolean, func(b array.Builder, r *rand.Rand) { b.(*array.BooleanBuilder).Append(r.IntN(2) == 0) }},
	{aarrow.PrimitiveTypes.Date32, func(b array.Builder, r *rand.Rand) { b.(*array.Date32Builder).Append(aarrow.Date32(r.Int32())) }},
	{&aarrow.TimestampType{Unit: aarrow.Microsecond, TimeZone: "UTC"}, func(b array.Builder, r *rand.Rand) {
		b.(*array.TimestampBuilder).Append(aarrow.Timestamp(r.Int64()))
	}},
	{&aarrow.Decimal128Type{Precision: 20, Scale: 3}, func(b array.Builder, r *rand.Rand) {
		b.(*array.Decimal128Builder).Append(decimal128.FromI64(r.Int64()))
	}},
	{aarrow.BinaryTypes.String, func(b array.Builder, r *rand.Rand) { b.(*array.StringBuilder).Append(word(r)) }},
	{aarrow.BinaryTypes.LargeString, func(b array.Builder, r *rand.Rand) { b.(*array.LargeStringBuilder).Append(word(r)) }},
	{aarrow.BinaryTypes.Binary, func(b array.Builder, r *rand.Rand) { b.(*array.BinaryBuilder).Append([]byte(word(r))) }},
	{aarrow.BinaryTypes.LargeBinary, func(b array.Builder, r *rand.Rand) { b.(*array.BinaryBuilder).Append([]byte(word(r))) }},
	{&aarrow.FixedSizeBinaryType{ByteWidth: 5}, func(b array.Builder, r *rand.Rand) {
		b.(*array.FixedSizeBinaryBuilder).Append(fmt.Appendf(nil, "%05d", r.IntN(1e5)))
	}},
}

func word(r *rand.Rand) string { return strings.Repeat("ü", r.IntN(4)) + fmt.Sprint(r.IntN(1000)) }

// random returns a record of all columns; of a sliced one rows at both ends are
// cut off.
func random(r *rand.Rand, rows int, sliced bool) aarrow.Record {
	var fields []aarrow.Field
	for i, c := range columns {
		f := aarrow.Field{Name: fmt.Sprint("column ", i), Type: c.typ, Nullable: i%2 == 0}
		if i%5 == 0 {
			f.Metadata = aarrow.NewMetadata([]string{"unit", ""}, []string{"", "ü"})
		}
		fields = append(fields, f)
	}
	cut := 0
	if sliced {
		cut = r.IntN(30)
	}
	meta := aarrow.NewMetadata([]string{"by"}, []string{"nobody"})
	b := array.NewRecordBuilder(mem, aarrow.NewSchema(fields, &meta))
	defer b.Release()
	for i, c := range columns {
		for range rows + 2*cut {
			if i%2 == 0 && r.IntN(3) == 0 {
				b.Field(i).AppendNull()
			} else {
				c.append(b.Field(i), r)
			}
		}
	}
	rec := b.NewRecord()
	return rec.NewSlice(int64(cut), int64(cut+rows))
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		var recs []aarrow.Record
		for range r.IntN(4) {
			recs = append(recs, random(r, r.IntN(200), seed%2 == 0))
		}
		schema := random(r, 0, false).Schema()
		from, err := array.NewRecordReader(schema, recs)
		if err != nil {
			t.Fatal(err)
		}
		var s cStream
		if err := cdata.ExportStream(context.Background(), from, unsafe.Pointer(&s)); err != nil {
			t.Fatal(err)
		}
		to, err := cdata.ImportStream(unsafe.Pointer(&s))
		if err != nil {
			t.Fatal(err)
		}
		if s.release != 0 {
			t.Error("the stream isn't marked as released")
		}
		if !to.Schema().Equal(schema) || !to.Schema().Metadata().Equal(schema.Metadata()) {
			t.Fatalf("seed %d: schema %v, want %v", seed, to.Schema(), schema)
		}
		for i, want := range recs {
			if !to.Next() || !array.RecordEqual(to.Record(), want) {
				t.Fatalf("seed %d: record %d of %d: %v, %v", seed, i, len(recs), to.Err(), to.Record())
			}
		}
		if to.Next() || to.Err() != nil || to.Next() {
			t.Errorf("seed %d: more than %d records, or %v", seed, len(recs), to.Err())
		}
		to.Release()
		for _, want := range recs {
			var a cArray
			var sc cSchema
			if err := cdata.ExportBatch(want, unsafe.Pointer(&a), unsafe.Pointer(&sc)); err != nil {
				t.Fatal(err)
			}
			one, err := cdata.ImportBatch(unsafe.Pointer(&a), unsafe.Pointer(&sc))
			if err != nil || a.release != 0 || sc.release != 0 {
				t.Fatal(err)
			}
			one.Retain()
			one.Release()
			if !one.Next() || !array.RecordEqual(one.Record(), want) || one.Next() || one.Err() != nil {
				t.Errorf("seed %d: a batch alone: %v", seed, one.Err())
			}
			one.Release()
			if one.Next() {
				t.Error("a record after Release")
			}
		}
	}
}

// counted is a reader that notes when it is released, and may fail.
type counted struct {
	array.RecordReader
	fail error
	refs int
}

func (c *counted) Retain()  { c.refs++ }
func (c *counted) Release() { c.refs-- }
func (c *counted) Err() error {
	if c.fail != nil {
		return c.fail
	}
	return c.RecordReader.Err()
}

func TestStreamsEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	rec := random(r, 10, false)
	fresh := func() *counted {
		rr, err := array.NewRecordReader(rec.Schema(), []aarrow.Record{rec, rec})
		if err != nil {
			t.Fatal(err)
		}
		return &counted{RecordReader: rr, refs: 1}
	}
	ctx, cancel := context.WithCancel(context.Background())
	from := fresh()
	var s cStream
	if err := cdata.ExportStream(ctx, from, unsafe.Pointer(&s)); err != nil {
		t.Fatal(err)
	}
	to, err := cdata.ImportStream(unsafe.Pointer(&s))
	if err != nil {
		t.Fatal(err)
	}
	if !to.Next() {
		t.Fatal(to.Err())
	}
	cancel()
	if to.Next() || !errors.Is(to.Err(), cdata.ErrStream) || !strings.Contains(to.Err().Error(), "context canceled") {
		t.Errorf("canceled on the way: %v", to.Err())
	}
	if from.refs != 2 {
		t.Errorf("%d references to the reader, want 2", from.refs)
	}
	to.Release()
	if from.refs != 1 {
		t.Errorf("%d references to the reader after the stream's release, want 1", from.refs)
	}
	if _, err := cdata.ImportStream(unsafe.Pointer(&s)); !errors.Is(err, cdata.ErrReleased) {
		t.Errorf("a stream that is gone: %v", err)
	}
	if _, err := cdata.ImportStream(nil); !errors.Is(err, cdata.ErrReleased) {
		t.Errorf("no stream: %v", err)
	}
	if _, err := cdata.ImportBatch(unsafe.Pointer(&cArray{}), unsafe.Pointer(&cSchema{})); !errors.Is(err, cdata.ErrReleased) {
		t.Errorf("an empty batch: %v", err)
	}

	from = fresh()
	if err := cdata.ExportStream(context.Background(), from, unsafe.Pointer(&s)); err != nil {
		t.Fatal(err)
	}
	if to, err = cdata.ImportStream(unsafe.Pointer(&s)); err != nil {
		t.Fatal(err)
	}
	for to.Next() {
		if from.fail == nil {
			from.fail = errors.New("the disk is on fire")
		}
	}
	if !errors.Is(to.Err(), cdata.ErrStream) || !strings.Contains(to.Err().Error(), "on fire") {
		t.Errorf("a reader that fails: %v", to.Err())
	}
	to.Release()

	for _, typ := range []aarrow.DataType{aarrow.ListOf(aarrow.ListOf(aarrow.PrimitiveTypes.Int64)), aarrow.ListOf(aarrow.BinaryTypes.StringView), aarrow.LargeListOf(aarrow.PrimitiveTypes.Int64)} {
		lists := aarrow.NewSchema([]aarrow.Field{{Name: "l", Type: typ}}, nil)
		rr, _ := array.NewRecordReader(lists, nil)
		if err := cdata.ExportStream(context.Background(), rr, unsafe.Pointer(&s)); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v: %v", typ, err)
		}
	}
}
