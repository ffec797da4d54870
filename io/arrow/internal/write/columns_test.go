// This file tests WriteColumns: every type and form of values, in every format, against
// rows made naively, and against our own readers bit for bit.

package write

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// columnValues makes n values of every type, the odd ones first, as often as n allows.
func columnValues(rng *rand.Rand, n int) []ResultColumn {
	nan, inf := math.NaN(), math.Inf(1)
	zero := math.Copysign(0, -1)
	return []ResultColumn{
		{Name: "i32", Values: some(n, []int32{-1, 0, math.MinInt32, math.MaxInt32}, func() int32 { return int32(rng.Uint32()) })},
		{Name: "i64", Values: some(n, []int64{-1, 0, math.MinInt64, math.MaxInt64}, func() int64 { return int64(rng.Uint64()) })},
		{Name: "u32", Values: some(n, []uint32{0, math.MaxUint32, 1 << 31}, rng.Uint32)},
		{Name: "u64", Values: some(n, []uint64{0, math.MaxUint64, 1 << 63}, rng.Uint64)},
		{Name: "f32", Values: some(n, []float32{float32(nan), float32(inf), float32(-inf), float32(zero), 0, math.MaxFloat32,
			math.SmallestNonzeroFloat32}, rng.Float32)},
		{Name: "f64", Values: some(n, []float64{nan, inf, -inf, zero, 0, math.MaxFloat64, math.SmallestNonzeroFloat64}, rng.Float64)},
		{Name: "yes", Values: some(n, []bool{true, false}, func() bool { return rng.IntN(3) == 0 })},
		{Name: "few", Values: some(n, nil, func() int64 { return int64(rng.IntN(3)) })},
	}
}

// some makes n values, those given first.
func some[T any](n int, first []T, next func() T) []T {
	all := slices.Clone(first[:min(n, len(first))])
	for len(all) < n {
		all = append(all, next())
	}
	return all
}

// values is what has values, as a *traverse.Values does.
type values[T any] struct {
	all []T
	g   *graph.Graph
	err error
}

func (v *values[T]) Graph() *graph.Graph { return v.g }

// column makes c a column of values that are asked for when it is written.
func (v *values[T]) column(c ResultColumn) ResultColumn {
	c.Values, c.Of = []T{}, v
	c.Make = func(*graph.Graph) (any, error) { return v.all, v.err }
	return c
}

// cell is value v of a column as text, and whether it is missing. It knows nothing of how
// columns are written.
func cell(c *ResultColumn, v int, json bool) (string, bool) {
	float := func(x float64, bits int) string {
		if json && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return samples.Null
		}
		return strconv.FormatFloat(x, 'g', -1, bits)
	}
	same := func(x float64) bool {
		n, ok := c.Null.(float64)
		return ok && (n == x || n != n && x != x)
	}
	switch all := c.Values.(type) {
	case []int32:
		return strconv.Itoa(int(all[v])), c.Null != nil && c.Null == int(all[v])
	case []int64:
		return strconv.FormatInt(all[v], 10), c.Null != nil && c.Null == all[v]
	case []uint32:
		return strconv.FormatUint(uint64(all[v]), 10), c.Null != nil && c.Null == int(all[v])
	case []uint64:
		return strconv.FormatUint(all[v], 10), c.Null != nil && c.Null == all[v]
	case []float32:
		return float(float64(all[v]), 32), same(float64(all[v]))
	case []float64:
		return float(all[v], 64), same(all[v])
	case []bool:
		return strconv.FormatBool(all[v]), c.Null != nil && c.Null == all[v]
	}
	panic("no such type")
}

// columnRows makes the rows that a format should have. The last column is of vertices.
func columnRows(g *graph.Graph, cols []ResultColumn, format string, reachedOnly bool) (names, types []string, rows [][]string) {
	of := map[string]string{"i32": "int32", "i64": "int64", "u32": "uint32", "u64": "uint64", "f32": "float32", "f64": "float64",
		"yes": "bool", "few": "int64"}
	names, types = []string{"vertex"}, []string{g.IDs().Type.String()}
	for i := range cols {
		names = append(names, cols[i].Name)
		typ := of[cols[i].Name]
		if cols[i].Vertices {
			typ = g.IDs().Type.String()
		}
		if cols[i].Null != nil || cols[i].Vertices {
			typ += "?"
		}
		types = append(types, typ)
	}
	for v := range g.NumVertices() {
		row, skip := []string{idCell(g.IDs(), uint32(v), format)}, false
		for i := range cols {
			c := &cols[i]
			if c.Vertices {
				w := c.Values.([]uint32)[v]
				row = append(row, idCell(g.IDs(), w, format))
				skip = skip || i == 0 && w == graph.NoVertex
				continue
			}
			text, missing := cell(c, v, writeFormats[format] == formatJSON)
			if missing {
				text = samples.Null
				if writeFormats[format] == formatCSV {
					text = ""
				}
			}
			row = append(row, text)
			skip = skip || i == 0 && missing
		}
		if !skip || !reachedOnly {
			rows = append(rows, row)
		}
	}
	return names, types, rows
}

// TestNullAs: a missing value may be of any numeric type that holds it.
func TestNullAs(t *testing.T) {
	check := func(null any, got any, ok, want bool) {
		t.Helper()
		if ok != want {
			t.Errorf("%v (%T) as %T: %t, want %t", null, null, got, ok, want)
		}
	}
	for null, want := range map[any]bool{-1.0: true, float32(7): true, float64(math.MinInt64): true, float64(1 << 63): false, 0.5: false, math.Inf(1): false} {
		x, ok := nullAs[int64](null)
		check(null, x, ok, want)
	}
	for null, want := range map[any]bool{float64(math.MaxUint32): true, float64(1 << 32): false, -1.0: false, math.Copysign(0, -1): true} {
		x, ok := nullAs[uint32](null)
		check(null, x, ok, want)
	}
	for null, want := range map[any]bool{uint32(7): true, uint64(math.MaxUint64): false, uint64(1<<24 + 1): false} {
		x, ok := nullAs[float32](null)
		check(null, x, ok, want)
	}
	if x, ok := nullAs[uint64](math.NaN()); ok {
		t.Errorf("NaN as %d", x)
	}
}

func TestWriteColumns(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 32))
	nulls := map[string][]any{"i32": {-1, int64(math.MinInt32)}, "i64": {int64(math.MaxInt64)}, "u32": {math.MaxUint32, 0},
		"u64": {uint64(math.MaxUint64)}, "f32": {math.NaN(), math.Inf(-1), 0.0}, "f64": {math.NaN(), math.Inf(1), 0.0}, "yes": {true}, "few": {int64(1)}}
	for _, typ := range idTypes {
		for _, n := range []int{0, 1, 9, 500} {
			for format := range writeFormats {
				g := samples.WithIDs(t, randomResultIDs(rng, typ, n))
				cols := columnValues(rng, n)
				for i := range cols {
					if choice := nulls[cols[i].Name]; rng.IntN(2) == 0 {
						cols[i].Null = choice[rng.IntN(len(choice))]
						if x, ok := cols[i].Null.(int64); ok && cols[i].Name == "i32" {
							cols[i].Null = int(x)
						}
					}
				}
				cols = append(cols, ResultColumn{Name: "root", Vertices: true, Values: randomResult(rng, n).ParentList})
				rng.Shuffle(len(cols), func(i, j int) { cols[i], cols[j] = cols[j], cols[i] })
				cols = cols[:1+rng.IntN(len(cols))]
				o := WriteOptions{RowGroup: rng.IntN(n + 1), ReachedOnly: rng.IntN(2) == 0 && (cols[0].Null != nil || cols[0].Vertices),
					Metadata: map[string]string{"from": "here"}}
				t.Run(fmt.Sprintf("%v/%d/%s/%d/%t", typ, n, format, len(cols), o.ReachedOnly), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "columns."+format)
					if err := WriteColumns(context.Background(), path, g, cols, o); err != nil {
						t.Fatal(err)
					}
					names, types, rows := columnRows(g, cols, format, o.ReachedOnly)
					back := readBack(t, path)
					back.equal(t, names, types, rows)
					if f := writeFormats[format]; f != formatCSV && f != formatJSON && back.metadata["from"] != "here" {
						t.Errorf("metadata %v", back.metadata)
					}
				})
			}
		}
	}
}

// TestWriteColumnsReadByUs reads columns back as properties of the vertices, bit for bit.
func TestWriteColumnsReadByUs(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	const n = 3000
	b := graph.NewBuilder(graph.Options{})
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = rng.Int64() - 1<<62
	}
	if err := graph.AddInts(b, ids, append(ids[1:n:n], ids[0]), nil); err != nil {
		t.Fatal(err)
	}
	g := samples.Built(t, b)
	cols := columnValues(rng, g.NumVertices())
	cols[0].Null = -1
	var names []string
	for _, c := range cols {
		names = append(names, c.Name)
	}
	var every []uint32
	for v := range uint32(g.NumVertices()) {
		every = append(every, v)
	}
	for _, format := range []string{"parquet", "arrow", "arrows"} {
		path := filepath.Join(t.TempDir(), "columns."+format)
		if err := WriteColumns(context.Background(), path, g, cols, WriteOptions{RowGroup: 1000}); err != nil {
			t.Fatal(err)
		}
		p, err := dataset.LoadVertexProperties(context.Background(), g, dataset.VertexTable{Paths: []string{path}, Properties: names}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		record, err := p.Gather(context.Background(), []int{0, 1, 2, 3, 4, 5, 6, 7}, every, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range cols {
			bits := func(v int) (got, want uint64) {
				switch a := record.Column(i).(type) {
				case *array.Int32:
					return uint64(a.Value(v)), uint64(c.Values.([]int32)[v])
				case *array.Int64:
					return uint64(a.Value(v)), uint64(c.Values.([]int64)[v])
				case *array.Uint32:
					return uint64(a.Value(v)), uint64(c.Values.([]uint32)[v])
				case *array.Uint64:
					return a.Value(v), c.Values.([]uint64)[v]
				case *array.Float32:
					return uint64(math.Float32bits(a.Value(v))), uint64(math.Float32bits(c.Values.([]float32)[v]))
				case *array.Float64:
					return math.Float64bits(a.Value(v)), math.Float64bits(c.Values.([]float64)[v])
				case *array.Boolean:
					if a.Value(v) == c.Values.([]bool)[v] {
						return 0, 0
					}
					return 0, 1
				}
				t.Fatalf("%s: column %s is of type %T", format, c.Name, record.Column(i))
				return 0, 0
			}
			for v := range n {
				missing := i == 0 && c.Values.([]int32)[v] == -1
				if got, want := bits(v); record.Column(i).IsNull(v) != missing || !missing && got != want {
					t.Fatalf("%s: %s of vertex %d is %x (null %t), want %x (null %t)", format, c.Name, v, got, record.Column(i).IsNull(v), want, missing)
				}
			}
		}
		record.Release()
	}
}

// TestWriteColumnsOf writes what has values, and what WriteResult writes.
func TestWriteColumnsOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	const n = 400
	g := samples.WithIDs(t, randomResultIDs(rng, graph.String, n))
	r := randomResult(rng, n)
	dir := t.TempDir()
	write := func(name string, cols ...ResultColumn) *writtenTable {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := WriteColumns(context.Background(), path, g, cols, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		return readBack(t, path)
	}
	plain := columnValues(rng, n)
	var had []ResultColumn
	for _, c := range plain {
		switch all := c.Values.(type) {
		case []int32:
			c = (&values[int32]{all, g, nil}).column(c)
		case []int64:
			c = (&values[int64]{all, nil, nil}).column(c)
		case []uint32:
			c = (&values[uint32]{all, g, nil}).column(c)
		case []uint64:
			c = (&values[uint64]{all, g, nil}).column(c)
		case []float32:
			c = (&values[float32]{all, g, nil}).column(c)
		case []float64:
			c = (&values[float64]{all, g, nil}).column(c)
		case []bool:
			c = (&values[bool]{all, g, nil}).column(c)
		}
		had = append(had, c)
	}
	want := write("plain.parquet", plain...)
	write("had.parquet", had...).equal(t, want.names, want.types, want.rows)

	path := filepath.Join(dir, "result.parquet")
	if err := WriteResult(context.Background(), path, g, r, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	want = readBack(t, path)
	write("same.parquet", ResultColumn{Name: "depth", Values: r.DepthList, Null: -1},
		ResultColumn{Name: "parent", Values: r.ParentList, Vertices: true}).equal(t, want.names, want.types, want.rows)
}

// TestWriteColumnsPartitioned divides rows by a column of vertices and one of booleans.
func TestWriteColumnsPartitioned(t *testing.T) {
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 4, Ints: []int64{10, 11, 12, 13}})
	cols := []ResultColumn{{Name: "root", Values: []uint32{0, 0, graph.NoVertex, 3}, Vertices: true},
		{Name: "yes", Values: []bool{true, false, true, true}}}
	for by, want := range map[string]map[string][]string{
		"root": {"root=10": {"10", "11"}, "root=13": {"13"}, "root=__HIVE_DEFAULT_PARTITION__": {"12"}},
		"yes":  {"yes=true": {"10", "12", "13"}, "yes=false": {"11"}},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		if err := WriteColumns(context.Background(), dir, g, cols, WriteOptions{PartitionBy: by}); err != nil {
			t.Fatal(err)
		}
		for name, ids := range want {
			back := readBack(t, filepath.Join(dir, name, "part-0.parquet"))
			var got []string
			for _, row := range back.rows {
				got = append(got, row[0])
			}
			if !slices.Equal(got, ids) {
				t.Errorf("%s has %v, want %v", name, got, ids)
			}
		}
	}
}
