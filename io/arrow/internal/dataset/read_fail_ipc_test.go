// This file tests what reading Arrow files and records says when it fails.

package dataset

import (
	"context"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func TestIPCFails(t *testing.T) {
	two := func(a, b goarrow.DataType) *goarrow.Schema {
		return goarrow.NewSchema([]goarrow.Field{{Name: "src", Type: a, Nullable: true}, {Name: "dst", Type: b, Nullable: true}}, nil)
	}
	ints := two(goarrow.PrimitiveTypes.Int64, goarrow.PrimitiveTypes.Int64)
	b := array.NewRecordBuilder(memory.DefaultAllocator, ints)
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	b.Field(1).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, []bool{true, true, false})
	rec := b.NewRecord()
	file := samples.WriteIPC(t, false, ints, []goarrow.Record{rec, rec})
	stream := samples.WriteIPC(t, true, ints, []goarrow.Record{rec}, ipc.WithZstd())
	wrong := func(a, b goarrow.DataType) []byte { return samples.WriteIPC(t, false, two(a, b), nil) }
	views := samples.WriteIPC(t, false, two(goarrow.PrimitiveTypes.Int64, goarrow.PrimitiveTypes.Int64), nil)
	views = views[:len(views)-1]
	for _, c := range []struct {
		name string
		data []byte
		kind error
		says string
	}{
		{"null", file, input.ErrNull, `x\.arrow: record batch [01], column "dst", row 2: null: an edge without target`},
		{"truncated file", views, input.ErrDamaged, `x\.arrow: damaged file: it doesn't end with ARROW1; it may be truncated$`},
		{"truncated stream", stream[:len(stream)-40], input.ErrDamaged, `x\.arrow: record batch 0: damaged file: a message with a body of \d+ bytes, where \d+ are left$`},
		{"time", wrong(goarrow.FixedWidthTypes.Time64us, goarrow.FixedWidthTypes.Time64us), input.ErrColumnType, `column "src": wrong column type: ids are .*, but it is time$`},
		{"two timestamps", wrong(goarrow.FixedWidthTypes.Timestamp_us, goarrow.FixedWidthTypes.Timestamp_ms), input.ErrColumnType, `column "dst": .* it is timestamp\[ms,UTC\], but column "src" is timestamp\[us,UTC\]`},
		{"two zones", wrong(goarrow.FixedWidthTypes.Timestamp_us, &goarrow.TimestampType{Unit: goarrow.Microsecond}), input.ErrColumnType, `it is timestamp\[us\], but column "src" is timestamp\[us,UTC\]`},
		{"a fraction", wrong(&goarrow.Decimal128Type{Precision: 9, Scale: 2}, goarrow.PrimitiveTypes.Int64), input.ErrColumnType, `column "src": .* but it is decimal of scale 2$`},
		{"list", wrong(goarrow.ListOf(goarrow.PrimitiveTypes.Int64), goarrow.PrimitiveTypes.Int64), input.ErrColumnType, `column "src": .* but it is list$`},
		{"two types", wrong(goarrow.PrimitiveTypes.Uint64, goarrow.PrimitiveTypes.Int64), input.ErrColumnType, `column "dst": .* it is int64, but column "src" is uint64`},
		{"string and binary", wrong(goarrow.BinaryTypes.String, goarrow.BinaryTypes.Binary), input.ErrColumnType, `column "dst": .* it is binary, but column "src" is string`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(context.Background(), tempFile(t, "x.arrow", c.data), Options{})
			check(t, err, c.kind, c.says)
		})
	}
	r, err := array.NewRecordReader(ints, []goarrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	_, err = LoadRecords(context.Background(), r, Options{})
	check(t, err, input.ErrNull, `^records: record batch 0, column "dst", row 2: null`)
	_, err = LoadRecords(context.Background(), r, Options{TwoPass: true})
	check(t, err, input.ErrUnsupported, `records can be read only once; clear Options\.TwoPass`)
	_, err = LoadRecords(context.Background(), r, Options{Source: "from"})
	check(t, err, input.ErrColumn, `^records: column "from": Options\.Source names it`)
}
