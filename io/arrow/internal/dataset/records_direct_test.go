package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	aarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
)

// intRecords makes records of edges of an integer type, with weights of another,
// sliced, some of them with nulls.
func intRecords(r *rand.Rand, id, weight aarrow.DataType, nulls bool) array.RecordReader {
	schema := aarrow.NewSchema([]aarrow.Field{
		{Name: "src", Type: id, Nullable: true}, {Name: "dst", Type: id, Nullable: true}, {Name: "weight", Type: weight, Nullable: true}}, nil)
	var recs []aarrow.Record
	for range 1 + r.IntN(4) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for range 10 + r.IntN(500) {
			for k := range 3 {
				s := fmt.Sprint(r.IntN(100))
				if nulls && r.IntN(20) == 0 {
					b.Field(k).AppendNull()
				} else if err := b.Field(k).AppendValueFromString(s); err != nil {
					panic(err)
				}
			}
		}
		rec := b.NewRecord()
		recs = append(recs, rec.NewSlice(int64(r.IntN(10)), rec.NumRows()))
	}
	rr, err := array.NewRecordReader(schema, recs)
	if err != nil {
		panic(err)
	}
	return rr
}

// Integers that are added from where they are make the graph that copies of them
// make.
func TestLoadRecordsDirectly(t *testing.T) {
	ctx := context.Background()
	p := aarrow.PrimitiveTypes
	for _, id := range []aarrow.DataType{p.Int8, p.Int32, p.Uint32, p.Int64, p.Uint64} {
		for _, weight := range []aarrow.DataType{p.Float32, p.Float64} {
			for i := range 24 {
				o := Options{SkipNulls: true, Stats: &Stats{}, Graph: graph.Options{
					Directed: i%2 == 0, DenseIDs: i%4 < 2, Weights: i%8 < 4, KeepDuplicates: i%3 == 0}}
				records := func() array.RecordReader {
					return intRecords(rand.New(rand.NewPCG(7, uint64(i))), id, weight, i%5 == 0)
				}
				got, err := LoadRecords(ctx, records(), o)
				if err != nil {
					t.Fatal(err)
				}
				b := graph.NewBuilder(o.Graph)
				stats, err := ReadRecords(ctx, records(), o, b.Add)
				if err != nil {
					t.Fatal(err)
				}
				want, err := b.Build(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if *o.Stats != stats {
					t.Errorf("%v, %d: stats %+v, want %+v", id, i, *o.Stats, stats)
				}
				same := slices.Equal(got.Out().Offsets, want.Out().Offsets) && slices.Equal(got.Out().Targets, want.Out().Targets) &&
					slices.Equal(got.Out().Weights, want.Out().Weights) && got.IDs().Type == want.IDs().Type
				for v := range uint32(got.NumVertices()) {
					same = same && got.IDs().Int(v) == want.IDs().Int(v)
				}
				if !same {
					t.Errorf("%v, weights %v, %d: another graph", id, weight, i)
				}
			}
		}
	}
	o := Options{Graph: graph.Options{DenseIDs: true, Vertices: 50}}
	if _, err := LoadRecords(ctx, intRecords(rand.New(rand.NewPCG(1, 1)), p.Uint32, p.Float32, false), o); !errors.Is(err, graph.ErrIDRange) {
		t.Errorf("dense ids past the last vertex: %v", err)
	}
}

// BenchmarkLoadRecords makes graphs of 2^22 dense ids in memory.
func BenchmarkLoadRecords(b *testing.B) {
	const rows = 1 << 22
	for _, id := range []aarrow.DataType{aarrow.PrimitiveTypes.Int32, aarrow.PrimitiveTypes.Uint32, aarrow.PrimitiveTypes.Int64} {
		schema := aarrow.NewSchema([]aarrow.Field{{Name: "src", Type: id}, {Name: "dst", Type: id}}, nil)
		rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		r := rand.New(rand.NewPCG(1, 2))
		for range rows {
			for k := range 2 {
				x := r.Uint32N(1 << 18)
				switch f := rb.Field(k).(type) {
				case *array.Int32Builder:
					f.Append(int32(x))
				case *array.Uint32Builder:
					f.Append(x)
				case *array.Int64Builder:
					f.Append(int64(x))
				}
			}
		}
		rec := rb.NewRecord()
		o := Options{Graph: graph.Options{DenseIDs: true, Directed: true, KeepDuplicates: true, Order: graph.OrderGiven}}
		run := func(name string, load func(array.RecordReader) error) {
			b.Run(fmt.Sprint(id, "/", name), func(b *testing.B) {
				b.SetBytes(rows * 2 * int64(id.(aarrow.FixedWidthDataType).BitWidth()/8))
				b.ReportAllocs()
				for range b.N {
					rr, err := array.NewRecordReader(schema, []aarrow.Record{rec})
					if err == nil {
						err = load(rr)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		add := func(rr array.RecordReader, direct bool) error {
			gb := graph.NewBuilder(o.Graph)
			var builder func(graph.Batch) *graph.Builder
			if direct {
				builder = func(graph.Batch) *graph.Builder { return gb }
			}
			_, err := eachRecord(context.Background(), rr, o, builder, gb.Add)
			return err
		}
		run("add/direct", func(rr array.RecordReader) error { return add(rr, true) })
		run("add/copied", func(rr array.RecordReader) error { return add(rr, false) })
		run("load", func(rr array.RecordReader) error {
			_, err := LoadRecords(context.Background(), rr, o)
			return err
		})
	}
}

// TestRecordsCrossed: ids of two columns are of two columns, also where the
// other end has the same ones the other way round.
func TestRecordsCrossed(t *testing.T) {
	schema := aarrow.NewSchema([]aarrow.Field{{Name: "a", Type: aarrow.PrimitiveTypes.Int64}, {Name: "b", Type: aarrow.PrimitiveTypes.Int64}}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[{"a":1,"b":2},{"a":2,"b":3}]`))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := array.NewRecordReader(schema, []aarrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	g, err := LoadRecords(context.Background(), reader, Options{Source: "a,b", Target: "b,a"})
	if err != nil {
		t.Fatal(err)
	}
	if g.NumVertices() != 4 || g.IDs().Type != graph.Binary {
		t.Errorf("%d vertices of type %v, want 4 pairs", g.NumVertices(), g.IDs().Type)
	}
}
