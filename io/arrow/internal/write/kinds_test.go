// This file tests columns of every type that is written, through Properties, in
// every format: with and without nulls, and with dictionaries.

package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// testProperties are Properties in memory: a cell of JSON for every vertex.
type testProperties struct {
	fields []goarrow.Field
	cells  [][]any // by column and vertex
	err    error
}

func (p *testProperties) Fields() []goarrow.Field { return p.fields }

func (p *testProperties) Gather(_ context.Context, columns []int, vertices []uint32, mem memory.Allocator) (goarrow.Record, error) {
	if p.err != nil {
		return nil, p.err
	}
	var fields []goarrow.Field
	var arrays []goarrow.Array
	for _, c := range columns {
		b := array.NewBuilder(mem, p.fields[c].Type)
		defer b.Release()
		for _, v := range vertices {
			appendCell(b, p.cells[c][v])
		}
		a := b.NewArray()
		defer a.Release()
		fields, arrays = append(fields, p.fields[c]), append(arrays, a)
	}
	return array.NewRecord(goarrow.NewSchema(fields, nil), arrays, int64(len(vertices))), nil
}

func appendCell(b array.Builder, cell any) {
	if cell == nil {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(cell.(bool))
	case *array.Int8Builder:
		b.Append(int8(cell.(int64)))
	case *array.Int16Builder:
		b.Append(int16(cell.(int64)))
	case *array.Int32Builder:
		b.Append(int32(cell.(int64)))
	case *array.Int64Builder:
		b.Append(cell.(int64))
	case *array.Uint8Builder:
		b.Append(uint8(cell.(int64)))
	case *array.Uint16Builder:
		b.Append(uint16(cell.(int64)))
	case *array.Uint32Builder:
		b.Append(uint32(cell.(int64)))
	case *array.Uint64Builder:
		b.Append(uint64(cell.(int64)))
	case *array.Float32Builder:
		b.Append(float32(cell.(float64)))
	case *array.Float64Builder:
		b.Append(cell.(float64))
	case *array.StringBuilder:
		b.Append(cell.(string))
	case *array.LargeStringBuilder:
		b.Append(cell.(string))
	case *array.BinaryBuilder:
		b.Append([]byte(cell.(string)))
	case *array.Date32Builder:
		b.Append(goarrow.Date32(cell.(int64)))
	case *array.Date64Builder:
		b.Append(goarrow.Date64(cell.(int64) * 24 * 60 * 60 * 1000))
	case *array.TimestampBuilder:
		b.Append(goarrow.Timestamp(cell.(int64)))
	default:
		panic(fmt.Sprintf("%T", b))
	}
}

// propertyTypes has every type that is written.
var propertyTypes = []goarrow.DataType{
	goarrow.FixedWidthTypes.Boolean,
	goarrow.PrimitiveTypes.Int8, goarrow.PrimitiveTypes.Int16, goarrow.PrimitiveTypes.Int32, goarrow.PrimitiveTypes.Int64,
	goarrow.PrimitiveTypes.Uint8, goarrow.PrimitiveTypes.Uint16, goarrow.PrimitiveTypes.Uint32, goarrow.PrimitiveTypes.Uint64,
	goarrow.PrimitiveTypes.Float32, goarrow.PrimitiveTypes.Float64,
	goarrow.BinaryTypes.String, goarrow.BinaryTypes.LargeString, goarrow.BinaryTypes.Binary,
	goarrow.PrimitiveTypes.Date32, goarrow.PrimitiveTypes.Date64,
	&goarrow.TimestampType{Unit: goarrow.Second}, &goarrow.TimestampType{Unit: goarrow.Millisecond, TimeZone: "UTC"},
	&goarrow.TimestampType{Unit: goarrow.Microsecond, TimeZone: "Europe/Berlin"}, &goarrow.TimestampType{Unit: goarrow.Nanosecond},
}

// randomProperties makes columns of all types; values repeat in some of them.
func randomProperties(rng *rand.Rand, n int) *testProperties {
	p := &testProperties{}
	for i, t := range propertyTypes {
		nullable := rng.IntN(2) == 0
		p.fields = append(p.fields, goarrow.Field{Name: fmt.Sprintf("p%d", i), Type: t, Nullable: nullable})
		differ := 1 + rng.IntN([]int{1, 4, 300, 1 << 20}[rng.IntN(4)])
		var cells []any
		for range n {
			x := int64(rng.IntN(differ)) - int64(differ/2)
			var cell any
			switch t.ID() {
			case goarrow.BOOL:
				cell = x%2 == 0
			case goarrow.FLOAT32, goarrow.FLOAT64:
				cell = float64(float32(x) / 8)
			case goarrow.STRING, goarrow.LARGE_STRING, goarrow.BINARY:
				cell = strings.Repeat("ä,", int(x&3)) + strconv.Itoa(int(x))
			case goarrow.DATE32, goarrow.DATE64:
				cell = x % 20000
			case goarrow.TIMESTAMP:
				cell = x * 7919
			default:
				bits := 64 - t.(goarrow.FixedWidthDataType).BitWidth()
				cell = x << bits >> bits
				if goarrow.IsUnsignedInteger(t.ID()) {
					cell = int64(uint64(x) << bits >> bits)
				}
			}
			if nullable && rng.IntN(5) == 0 {
				cell = nil
			}
			cells = append(cells, cell)
		}
		p.cells = append(p.cells, cells)
	}
	return p
}

// wantCell is what a cell reads as, and wantType what its column's type does.
func wantCell(t goarrow.DataType, cell any, format string) string {
	if cell == nil {
		if format == "csv" {
			return ""
		}
		return samples.Null
	}
	switch t := t.(type) {
	case *goarrow.BinaryType:
		return fmt.Sprintf("%x", cell)
	case *goarrow.Uint64Type:
		return strconv.FormatUint(uint64(cell.(int64)), 10)
	case *goarrow.Float32Type:
		return strconv.FormatFloat(cell.(float64), 'g', -1, 32)
	case *goarrow.Float64Type:
		return strconv.FormatFloat(cell.(float64), 'g', -1, 64)
	case *goarrow.Date32Type, *goarrow.Date64Type:
		return goarrow.Date32(cell.(int64)).FormattedString()
	case *goarrow.TimestampType:
		x, unit := cell.(int64), t.Unit
		if format == "parquet" && unit == goarrow.Second {
			x, unit = 1000*x, goarrow.Millisecond
		}
		return timeCell(x, unit, t.TimeZone != "")
	}
	return fmt.Sprint(cell)
}

func wantType(f goarrow.Field, format string) string {
	t := arrowTypeName(f.Type)
	switch s := f.Type.(type) {
	case *goarrow.LargeStringType:
		t = "string"
	case *goarrow.Date64Type:
		t = "date"
	case *goarrow.TimestampType:
		if format == "parquet" && s.Unit == goarrow.Second {
			t = strings.Replace(t, "[s,", "[ms,", 1)
		}
	}
	if f.Nullable {
		t += "?"
	}
	return t
}

func TestWriteProperties(t *testing.T) {
	testlong.Project(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 32))
	for _, n := range []int{0, 1, 500, 5000} {
		for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
			for range 2 {
				g := samples.WithIDs(t, randomResultIDs(rng, graph.String, n))
				r, p := randomResult(rng, n), randomProperties(rng, n)
				o := WriteOptions{Properties: p, ReachedOnly: rng.IntN(2) == 0, RowGroup: rng.IntN(2 * (n + 1))}
				path := filepath.Join(t.TempDir(), "r."+format)
				if err := WriteResult(context.Background(), path, g, r, o); err != nil {
					t.Fatal(err)
				}
				names, types, rows := wantRows(g, r, format, o.ReachedOnly)
				for _, f := range p.fields {
					names, types = append(names, f.Name), append(types, wantType(f, format))
				}
				next := 0
				for v := range n {
					if o.ReachedOnly && r.DepthList[v] < 0 {
						continue
					}
					for c, f := range p.fields {
						rows[next] = append(rows[next], wantCell(f.Type, p.cells[c][v], format))
					}
					next++
				}
				readBack(t, path).equal(t, names, types, rows)
			}
		}
	}
}

func TestWritePropertyErrors(t *testing.T) {
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 2})
	r := samples.TestResult{DepthList: []int32{0, 1}}
	field := func(name string, typ goarrow.DataType) []goarrow.Field {
		return []goarrow.Field{{Name: name, Type: typ}}
	}
	failed := errors.New("the table is gone")
	for _, c := range []struct {
		p    Properties
		want error
		says string
	}{
		{&testProperties{fields: field("depth", goarrow.PrimitiveTypes.Int8)}, ErrOutputOption, `named "depth"`},
		{&testProperties{fields: append(field("x", goarrow.PrimitiveTypes.Int8), field("x", goarrow.PrimitiveTypes.Int8)...)}, ErrOutputOption, `named "x"`},
		{&testProperties{fields: field("x", goarrow.ListOf(goarrow.PrimitiveTypes.Int8))}, ErrOutputOption, `property "x" is of type list<`},
		{&testProperties{fields: field("x", goarrow.FixedWidthTypes.Float16)}, ErrOutputOption, "cast it to"},
		{&testProperties{fields: field("x", goarrow.PrimitiveTypes.Int8), cells: [][]any{{nil, int64(1)}}}, ErrOutputOption, "1 values are null"},
		{&testProperties{fields: field("x", &goarrow.TimestampType{Unit: goarrow.Second}), cells: [][]any{{int64(1) << 62, int64(1)}}}, ErrOutputOption, "too far"},
		{&testProperties{fields: field("x", goarrow.PrimitiveTypes.Int8), err: failed}, failed, "properties"},
		{otherRows{&testProperties{fields: field("x", goarrow.PrimitiveTypes.Int8), cells: [][]any{{int64(1), int64(1)}}}}, ErrOutputOption, "1 rows and 1 columns for 2 vertices"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "r.parquet")
		err := WriteResult(context.Background(), path, g, r, WriteOptions{Properties: c.p})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got %v, want %q", err, c.says)
		}
		samples.Unchanged(t, dir, path, "")
	}
	if err := WriteEdges(context.Background(), "-", g, WriteOptions{Properties: &testProperties{}, Stdout: &bytes.Buffer{}}); !errors.Is(err, ErrOutputOption) {
		t.Errorf("edges with properties: %v", err)
	}
}

// otherRows returns too few rows.
type otherRows struct{ *testProperties }

func (o otherRows) Gather(ctx context.Context, columns []int, vertices []uint32, mem memory.Allocator) (goarrow.Record, error) {
	return o.testProperties.Gather(ctx, columns, vertices[1:], mem)
}

// TestDictionaries writes columns that begin with few values and continue with
// many, so that dictionaries are begun, given up at any place, and not begun.
func TestDictionaries(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(33, 34))
	const n = 3*pageRows/2 + 1234
	for _, typ := range []graph.IDType{graph.Int64, graph.String} {
		g := samples.WithIDs(t, randomResultIDs(rng, typ, n))
		for _, few := range []int{1, 3 * n / 4, n} {
			for _, differ := range []int{1, 30_000} {
				if typ == graph.String && (differ == 1 || few == n) {
					continue // as with integers
				}
				if differ == 1 && few > 1 && !testlong.Long() {
					continue
				}
				r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
				for v := range n {
					r.DepthList[v], r.ParentList[v] = int32(rng.IntN(differ)), uint32(rng.IntN(differ))
					if v >= few {
						r.DepthList[v], r.ParentList[v] = int32(v), uint32(v)
					}
					if v%7 == 3 {
						r.DepthList[v], r.ParentList[v] = -1, graph.NoVertex
					}
				}
				var out bytes.Buffer
				if err := WriteResult(context.Background(), "-", g, r, WriteOptions{Format: "parquet", Compression: "snappy", Stdout: &out, RowGroup: n - 100}); err != nil {
					t.Fatal(err)
				}
				names, types, rows := wantRows(g, r, "parquet", false)
				got := readBytes(t, "parquet", out.Bytes())
				got.equal(t, names, types, rows)
				for i, column := range []string{"vertex", "depth", "parent"} {
					used := slices.Contains(got.encodings[i], "RLE_DICTIONARY")
					if want := i > 0 && few > 1; used != want {
						t.Errorf("%v, %d of %d values among the first %d: %s has %v", typ, differ, n, few, column, got.encodings[i])
					}
				}
			}
		}
	}
}

// TestDictionariesLoaded reads dictionaries with this package's own reader, as
// edges from parents to vertices.
func TestDictionariesLoaded(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	const n = 20_000
	for _, typ := range []graph.IDType{graph.Int64, graph.Uint32, graph.String} {
		ids := randomResultIDs(rng, typ, n)
		g := samples.WithIDs(t, ids)
		r := samples.TestResult{ParentList: make([]uint32, n)}
		var want []string
		for v := range r.ParentList {
			r.ParentList[v] = rng.Uint32N(300)
			want = append(want, fmt.Sprintf("%q %q", ids.Format(r.ParentList[v]), ids.Format(uint32(v))))
		}
		slices.Sort(want)
		path := filepath.Join(t.TempDir(), "r.parquet")
		if err := WriteResult(context.Background(), path, g, r, WriteOptions{RowGroup: 7000}); err != nil {
			t.Fatal(err)
		}
		if got := readBack(t, path).encodings[1]; !slices.Contains(got, "RLE_DICTIONARY") {
			t.Fatalf("parents have %v", got)
		}
		got, err := dataset.Load(context.Background(), path, dataset.Options{Source: "parent", Target: "vertex",
			Graph: graph.Options{Directed: true, KeepSelfLoops: true, KeepDuplicates: true}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(edgeList(got), want) {
			t.Errorf("%v: %d edges, want %d, or others", typ, got.NumEdges(), len(want))
		}
	}
}
