// This file compares what is read of random Arrow IPC files, streams and
// records with what was written.

package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// arrowKind is a type of Arrow column that ids are read from.
type arrowKind struct {
	id  graph.IDType
	typ arrow.DataType
}

func arrowKinds() []arrowKind {
	p := arrow.PrimitiveTypes
	dict := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	return []arrowKind{
		{graph.Int8, p.Int8}, {graph.Int16, p.Int16}, {graph.Int32, p.Int32}, {graph.Int64, p.Int64},
		{graph.Uint8, p.Uint8}, {graph.Uint16, p.Uint16}, {graph.Uint32, p.Uint32}, {graph.Uint64, p.Uint64},
		{graph.String, arrow.BinaryTypes.String}, {graph.String, arrow.BinaryTypes.LargeString},
		{graph.Binary, arrow.BinaryTypes.Binary}, {graph.Binary, arrow.BinaryTypes.LargeBinary},
		{graph.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 5}},
		{graph.String, dict(p.Int16, arrow.BinaryTypes.String)}, {graph.String, dict(p.Uint32, arrow.BinaryTypes.String)},
		{graph.Int64, dict(p.Int32, p.Int64)}, {graph.Uint32, dict(p.Int64, p.Uint32)},
		{graph.Binary, dict(p.Uint16, arrow.BinaryTypes.Binary)},
	}
}

// appendRandom appends a value to a builder and returns how it prints.
func appendRandom(b array.Builder, r *rand.Rand) string {
	n := r.Uint64() >> r.IntN(64)
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(n))
		return fmt.Sprint(int8(n))
	case *array.Int16Builder:
		b.Append(int16(n))
		return fmt.Sprint(int16(n))
	case *array.Int32Builder:
		b.Append(int32(n))
		return fmt.Sprint(int32(n))
	case *array.Int64Builder:
		b.Append(int64(n))
		return fmt.Sprint(int64(n))
	case *array.Uint8Builder:
		b.Append(uint8(n))
		return fmt.Sprint(uint8(n))
	case *array.Uint16Builder:
		b.Append(uint16(n))
		return fmt.Sprint(uint16(n))
	case *array.Uint32Builder:
		b.Append(uint32(n))
		return fmt.Sprint(uint32(n))
	case *array.Uint64Builder:
		b.Append(n)
		return fmt.Sprint(int64(n)) // batches hold the bits
	case *array.Float16Builder:
		f := float16.New(float32(r.IntN(100)) / 4)
		b.Append(f)
		return fmt.Sprint(f.Float32())
	case *array.Float32Builder:
		f := r.Float32()
		b.Append(f)
		return fmt.Sprint(f)
	case *array.Float64Builder:
		f := r.NormFloat64()
		b.Append(f)
		return fmt.Sprint(float32(f))
	case *array.Decimal128Builder:
		x := int64(n) >> 11
		b.Append(decimal128.FromI64(x))
		return fmt.Sprint(float32(float64(x) / 100))
	}
	s := fmt.Sprint(n % 5000)
	if r.IntN(200) == 0 {
		s = strings.Repeat(s, r.IntN(500))
	}
	var err error
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(s)
	case *array.LargeStringBuilder:
		b.Append(s)
	case *array.BinaryBuilder:
		b.Append([]byte(s))
	case *array.FixedSizeBinaryBuilder:
		s = fmt.Sprintf("%05d", n%5000)
		b.Append([]byte(s))
	case *array.BinaryDictionaryBuilder:
		err = b.AppendString(s)
	case *array.Int64DictionaryBuilder:
		err = b.Append(int64(n % 300))
		s = fmt.Sprint(n % 300)
	case *array.Uint32DictionaryBuilder:
		err = b.Append(uint32(n % 300))
		s = fmt.Sprint(n % 300)
	default:
		panic(fmt.Sprintf("builder %T", b))
	}
	if err != nil {
		panic(err)
	}
	return s
}

// randomRecord returns a record with the columns of the schema. Ids
// and weights are random, the rest null. text holds what the columns of ids
// and weight say, "-" for null.
func randomRecord(r *rand.Rand, schema *arrow.Schema, rows int) (arrow.Record, map[string][]string) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	text := map[string][]string{}
	valid := map[string][]bool{}
	// A struct's builder appends to its fields where it is null itself.
	var row func(i int, name string, f arrow.Field, b array.Builder, skip bool)
	row = func(i int, name string, f arrow.Field, b array.Builder, skip bool) {
		if _, ok := valid[name]; !ok {
			valid[name] = nil
			if f.Nullable {
				valid[name] = nullPattern(r, rows)
			}
		}
		ok := there(valid[name], i) && !skip
		if sb, is := b.(*array.StructBuilder); is {
			if !skip {
				sb.Append(ok)
			}
			for k, child := range f.Type.(*arrow.StructType).Fields() {
				row(i, name+"."+child.Name, child, sb.FieldBuilder(k), !ok)
			}
			return
		}
		wanted := strings.HasSuffix(name, "src") || strings.HasSuffix(name, "dst") || name == "w"
		s := "-"
		if ok && wanted {
			s = appendRandom(b, r)
		} else if !skip {
			b.AppendNull()
		}
		text[name] = append(text[name], s)
	}
	for k, f := range schema.Fields() {
		for i := range rows {
			row(i, f.Name, f, b.Field(k), false)
		}
	}
	return b.NewRecord(), text
}

// randomSchema returns a schema with columns src and dst, in a struct at
// times, w if weighted, and others of all sorts between them.
func randomSchema(r *rand.Rand, typ arrow.DataType, weighted bool) (*arrow.Schema, string) {
	sorts := []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Date32,
		arrow.ListOf(arrow.BinaryTypes.String), arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int8), arrow.LargeListOf(arrow.PrimitiveTypes.Int64),
		arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64), arrow.FixedWidthTypes.MonthDayNanoInterval,
		arrow.StructOf(arrow.Field{Name: "x", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Int8, Nullable: true}),
		arrow.BinaryTypes.LargeBinary, &arrow.Decimal256Type{Precision: 50, Scale: 3},
		arrow.DenseUnionOf([]arrow.Field{{Name: "u", Type: arrow.PrimitiveTypes.Int8, Nullable: true}}, []arrow.UnionTypeCode{0}),
		arrow.SparseUnionOf([]arrow.Field{{Name: "u", Type: arrow.PrimitiveTypes.Int8, Nullable: true}}, []arrow.UnionTypeCode{0}),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String),
		arrow.ListViewOf(arrow.PrimitiveTypes.Int32),
	}
	ends := []arrow.Field{{Name: "src", Type: typ, Nullable: r.IntN(2) == 0}, {Name: "dst", Type: typ, Nullable: r.IntN(2) == 0}}
	prefix := ""
	if r.IntN(3) == 0 {
		prefix = "edge."
		ends = []arrow.Field{{Name: "edge", Type: arrow.StructOf(ends...), Nullable: r.IntN(2) == 0}}
	}
	if weighted {
		types := []arrow.DataType{arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Float16,
			&arrow.Decimal128Type{Precision: 20, Scale: 2}}
		ends = append(ends, arrow.Field{Name: "w", Type: types[r.IntN(len(types))], Nullable: r.IntN(2) == 0})
	}
	var fields []arrow.Field
	for i, f := range ends {
		for k := range r.IntN(3) {
			fields = append(fields, arrow.Field{Name: fmt.Sprintf("other%d-%d", i, k), Type: sorts[r.IntN(len(sorts))], Nullable: true})
		}
		fields = append(fields, f)
	}
	return arrow.NewSchema(fields, nil), prefix
}

// dictionaries reports whether a field has any, which arrow's file writer
// can't replace between records.
func dictionaries(schema *arrow.Schema) bool { return strings.Contains(schema.String(), "dictionary") }

func TestIPCRandom(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	for seed := range seeds(120) {
		r := rand.New(rand.NewPCG(seed, 11))
		k := arrowKinds()[int(seed)%len(arrowKinds())]
		weighted := r.IntN(2) == 0
		t.Run(fmt.Sprintf("%d-%v", seed, k.typ), func(t *testing.T) {
			schema, prefix := randomSchema(r, k.typ, weighted)
			stream := r.IntN(2) == 0
			records := 1 + r.IntN(4)
			if dictionaries(schema) && !stream {
				records = 1
			}
			var recs []arrow.Record
			var want []edge
			for range records {
				rows := randomRows(r)
				rec, text := randomRecord(r, schema, rows)
				// Arrow's writer fails over slices of unions.
				if rows > 10 && r.IntN(3) == 0 && !strings.Contains(schema.String(), "union") { // with offsets into its buffers
					from := r.IntN(rows / 2)
					to := from + r.IntN(rows-from)
					rec = rec.NewSlice(int64(from), int64(to))
					for name := range text {
						text[name] = text[name][from:to]
					}
				}
				recs = append(recs, rec)
				for i := range int(rec.NumRows()) {
					e := edge{src: text[prefix+"src"][i], dst: text[prefix+"dst"][i]}
					if weighted {
						e.weight = text["w"][i]
					}
					want = append(want, e)
				}
			}
			o := Options{Source: prefix + "src", Target: prefix + "dst", SkipNulls: true, Workers: 1 + r.IntN(4)}
			if weighted {
				o.Weight = "w"
			}
			want = whole(want)
			t.Run("records", func(t *testing.T) {
				reader, err := array.NewRecordReader(schema, recs)
				if err != nil {
					t.Fatal(err)
				}
				var got []edge
				stats, err := ReadRecords(context.Background(), reader, o, func(b graph.Batch) error {
					got = append(got, edgesOf(t, b)...)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				sortEdges(got)
				sameEdges(t, got, want)
				if stats.Rows-stats.NullRows != int64(len(got)) || stats.RowGroups != len(recs) {
					t.Errorf("%+v of %d edges in %d records", stats, len(got), len(recs))
				}
			})
			var opts []ipc.Option
			switch r.IntN(3) {
			case 0:
				opts = append(opts, ipc.WithLZ4())
			case 1:
				opts = append(opts, ipc.WithZstd())
			}
			if strings.Contains(schema.String(), "union") {
				opts = nil // arrow's writer doesn't compress them right
			}
			if stream && r.IntN(2) == 0 {
				opts = append(opts, ipc.WithDictionaryDeltas(true))
			}
			data := samples.WriteIPC(t, stream, schema, recs, opts...)
			path := tempFile(t, "edges.arrow", data)
			got, d, err := collect(t, []string{path}, o)
			if err != nil {
				t.Fatalf("%v; %v", err, schema)
			}
			sameEdges(t, got, want)
			if d.Schema().IDType != k.id {
				t.Errorf("ids are %v, want %v", d.Schema().IDType, k.id)
			}
		})
	}
}
