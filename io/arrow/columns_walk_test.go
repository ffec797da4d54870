package arrow_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/graphar"
	"github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/edgelist"
)

// walkRows are rows of edges, each between other vertices than the others, with columns of all types. The first column has
// the number of each row.
type walkRows struct {
	src, dst []int64
	columns  []graph.Column
}

// newWalkRows returns n random rows.
func newWalkRows(r *rand.Rand, n int) *walkRows {
	w := &walkRows{}
	vertices := 2 + r.IntN(n+2)
	seen := map[[2]int64]bool{}
	for len(w.src) < n {
		u, v := r.Int64N(int64(vertices+n)), r.Int64N(int64(vertices+n))
		if u == v || seen[[2]int64{u, v}] || seen[[2]int64{v, u}] {
			continue
		}
		seen[[2]int64{u, v}] = true
		w.src, w.dst = append(w.src, u), append(w.dst, v)
	}
	ints := func(value func() int64) (all []int64) {
		for range n {
			all = append(all, value())
		}
		return all
	}
	texts := func(binary, lack bool, value func() string) graph.Column {
		s, valid := graph.Strings{Offsets: []int64{0}, Binary: binary}, make([]bool, n)
		for i := range n {
			if valid[i] = !lack || r.IntN(4) > 0; valid[i] {
				s.Data = append(s.Data, value()...)
			}
			s.Offsets = append(s.Offsets, int64(len(s.Data)))
		}
		return graph.Column{Values: s, Valid: valid}
	}
	add := func(name, what string, c graph.Column) {
		c.Name, c.Logical = name, what
		w.columns = append(w.columns, c)
	}
	row := int64(-1)
	add("row", "", graph.Column{Values: ints(func() int64 { row++; return row })})
	i32, u32, u64, flag, f32, f64 := make([]int32, n), make([]uint32, n), make([]uint64, n), make([]uint32, n), make([]float32, n), make([]float64, n)
	for i := range n {
		i32[i], u32[i], u64[i], flag[i], f32[i], f64[i] = int32(r.Uint32()), r.Uint32(), r.Uint64(), r.Uint32N(2), r.Float32(), r.NormFloat64()
		if r.IntN(5) == 0 {
			f32[i], f64[i] = float32(math.NaN()), math.NaN()
		}
	}
	add("i32", "", graph.Column{Values: i32})
	add("u32", "", graph.Column{Values: u32})
	add("i64", "", graph.Column{Values: ints(func() int64 { return int64(r.Uint64()) })})
	add("u64", "", graph.Column{Values: u64})
	add("f32", "", graph.Column{Values: f32})
	add("f64", "", graph.Column{Values: f64})
	add("flag", "bool", graph.Column{Values: flag})
	add("day", "date32", graph.Column{Values: ints(func() int64 { return r.Int64N(40000) - 20000 })})
	add("at", "timestamp[us]", graph.Column{Values: ints(func() int64 { return int64(r.Uint64()) >> 8 })})
	add("utc", "timestamp[ms,UTC]", graph.Column{Values: ints(func() int64 { return r.Int64N(4e12) - 2e12 })})
	add("fine", "timestamp[ns]", graph.Column{Values: ints(func() int64 { return r.Int64N(4e18) - 2e18 })})
	add("clock", "time[us]", graph.Column{Values: ints(func() int64 { return r.Int64N(86_400_000_000) })})
	add("price", "decimal(18,2)", graph.Column{Values: ints(func() int64 { return r.Int64N(2e18-2) - 1e18 + 1 })})
	add("kind", "", texts(false, true, func() string { return []string{"", "follows", "likes", "a,\"b\"\nc", "ä"}[r.IntN(5)] }))
	add("blob", "", texts(true, true, func() string { return string([]byte{byte(r.Uint32()), 0}) }))
	add("key", "uuid", texts(true, false, func() string { return strings.Repeat(string(rune('a'+r.IntN(5))), 16) }))
	return w
}

// names are the names of the columns.
func (w *walkRows) names() (all []string) {
	for _, c := range w.columns {
		all = append(all, c.Name)
	}
	return all
}

// only returns the rows lo to hi with some of the columns.
func (w *walkRows) only(lo, hi int, names []string) *walkRows {
	part := &walkRows{src: w.src[lo:hi], dst: w.dst[lo:hi]}
	for _, c := range w.columns {
		if !slices.Contains(names, c.Name) {
			continue
		}
		switch a := c.Values.(type) {
		case []int32:
			c.Values = a[lo:hi]
		case []uint32:
			c.Values = a[lo:hi]
		case []int64:
			c.Values = a[lo:hi]
		case []uint64:
			c.Values = a[lo:hi]
		case []float32:
			c.Values = a[lo:hi]
		case []float64:
			c.Values = a[lo:hi]
		case graph.Strings:
			a.Offsets = a.Offsets[lo : hi+1]
			c.Values, c.Valid = a, c.Valid[lo:hi]
		}
		part.columns = append(part.columns, c)
	}
	return part
}

// text returns value i of a column.
func (w *walkRows) text(k, i int) string {
	c := &w.columns[k]
	if s, ok := c.Values.(graph.Strings); ok {
		if !c.Valid[i] {
			return "missing"
		}
		return fmt.Sprintf("%q", s.Value(i))
	}
	return valueText(c, i)
}

// build makes a graph of the rows.
func (w *walkRows) build(t *testing.T, o graph.Options) *graph.Graph {
	t.Helper()
	o.EdgeColumns = w.names()
	b := graph.NewBuilder(o)
	defer b.Close()
	columns := slices.Clone(w.columns)
	if err := b.Add(graph.Batch{Type: graph.Int64, Src: w.src, Dst: w.dst, Columns: columns}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// check compares each edge of a graph with the row that its first column names: of first to end, of which some keep.
func (w *walkRows) check(t *testing.T, label string, g *graph.Graph, names []string, keep func(i int) bool) {
	t.Helper()
	var places []int
	for k, c := range w.columns {
		if slices.Contains(names, c.Name) {
			places = append(places, k)
		}
	}
	columns := g.EdgeColumns()
	if len(columns) != len(places) {
		t.Fatalf("%s: %d columns, want %d", label, len(columns), len(places))
	}
	rows, seen := columns[0].Values.([]int64), map[int64]int{}
	out := g.Out()
	for u := range uint32(out.NumVertices()) {
		for e := out.Offsets[u]; e < out.Offsets[u+1]; e++ {
			i := rows[e]
			seen[i]++
			a, b := g.IDs().Int(u), g.IDs().Int(out.Targets[e])
			if i < 0 || int(i) >= len(w.src) || !(a == w.src[i] && b == w.dst[i] || !g.Directed() && a == w.dst[i] && b == w.src[i]) || !keep(int(i)) {
				t.Fatalf("%s: edge %d to %d has the columns of row %d", label, a, b, i)
			}
			for at, k := range places {
				c := &columns[at]
				if c.Name != w.columns[k].Name || c.Logical != w.columns[k].Logical {
					t.Fatalf("%s: column %s (%s), want %s (%s)", label, c.Name, c.Logical, w.columns[k].Name, w.columns[k].Logical)
				}
				if got, want := valueText(c, int(e)), w.text(k, int(i)); got != want {
					t.Fatalf("%s: row %d has %s %s, want %s", label, i, c.Name, got, want)
				}
			}
		}
	}
	each := 1
	if !g.Directed() {
		each = 2
	}
	for i := range w.src {
		want := 0
		if keep(i) {
			want = each
		}
		if seen[int64(i)] != want {
			t.Fatalf("%s: row %d is there %d times, want %d", label, i, seen[int64(i)], want)
		}
	}
}

// walkReader loads rows by a reader, which has some of the columns.
type walkReader struct {
	name    string
	columns []string
	load    func(t *testing.T, w *walkRows, o graph.Options) *graph.Graph
}

// walkTypes are the types of the columns as edgelist.Options.ColumnTypes has them.
func walkTypes(w *walkRows) map[string]string {
	types := map[string]string{}
	for _, c := range w.columns {
		types[c.Name] = c.Logical
		if c.Logical == "" {
			types[c.Name] = strings.TrimPrefix(fmt.Sprintf("%T", c.Values), "[]")
			if s, ok := c.Values.(graph.Strings); ok {
				types[c.Name] = map[bool]string{false: "string", true: "binary"}[s.Binary]
			}
		}
	}
	return types
}

func walkReaders() []walkReader {
	ctx := context.Background()
	all := newWalkRows(rand.New(rand.NewPCG(1, 1)), 1).names()
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(n string) bool { return slices.Contains(names, n) })
	}
	written := func(t *testing.T, w *walkRows, name string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := arrow.WriteEdges(ctx, path, w.build(t, graph.Options{Directed: true}), arrow.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		return path
	}
	loaded := func(t *testing.T, path string, names []string, o graph.Options) *graph.Graph {
		g, err := arrow.Load(ctx, path, arrow.Options{EdgeColumns: names, Graph: o})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	read := func(t *testing.T, w *walkRows, path string, o graph.Options) *graph.Graph {
		o.EdgeColumns = w.names()
		g, err := edgelist.Load(ctx, path, edgelist.Options{ColumnTypes: walkTypes(w), Source: "src", Target: "dst", Graph: o})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	readers := []walkReader{
		{"builder", all, func(t *testing.T, w *walkRows, o graph.Options) *graph.Graph { return w.build(t, o) }},
		{"records", all, func(t *testing.T, w *walkRows, o graph.Options) *graph.Graph {
			f, err := os.Open(written(t, w, "e.arrows"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			r, err := ipc.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Release()
			g, err := arrow.LoadRecords(ctx, r, arrow.Options{EdgeColumns: w.names(), Graph: o})
			if err != nil {
				t.Fatal(err)
			}
			return g
		}},
		{"delta", without("u32", "u64", "utc", "fine", "clock", "key"), func(t *testing.T, w *walkRows, o graph.Options) *graph.Graph {
			return loaded(t, deltaOf(t, w, written(t, w, "e.parquet")), w.names(), o)
		}},
		{"graphar", []string{"row", "i32", "i64", "f32", "f64", "flag", "day", "at", "kind"}, func(t *testing.T, w *walkRows, o graph.Options) *graph.Graph {
			o.EdgeColumns = w.names()
			l, err := graphar.Load(ctx, grapharOf(t, w), graphar.Options{Graph: o})
			if err != nil {
				t.Fatal(err)
			}
			return l.Graph
		}},
		{"iceberg", []string{"row", "i32", "i64", "f64", "day", "at", "price", "kind", "key"}, func(t *testing.T, w *walkRows, o graph.Options) *graph.Graph {
			return loaded(t, icebergOf(t, w), w.names(), o)
		}},
	}
	for _, name := range []string{"e.parquet", "e.arrow", "e.arrows"} {
		readers = append(readers, walkReader{name, all, func(t *testing.T, w *walkRows, o graph.Options) *graph.Graph {
			return loaded(t, written(t, w, name), w.names(), o)
		}})
	}
	for _, name := range []string{"e.csv", "e.jsonl"} { // which have binary as hexadecimal
		readers = append(readers, walkReader{name, without("blob"), func(t *testing.T, w *walkRows, o graph.Options) *graph.Graph {
			return read(t, w, written(t, w, name), o)
		}})
	}
	return readers
}

// deltaOf makes a Parquet file a table of Delta Lake.
func deltaOf(t *testing.T, w *walkRows, path string) string {
	t.Helper()
	types := map[string]string{"i32": "integer", "f32": "float", "f64": "double", "flag": "boolean", "day": "date", "at": "timestamp_ntz", "price": "decimal(18,2)", "kind": "string", "blob": "binary"}
	fields := []map[string]any{}
	for _, name := range append([]string{"src", "dst"}, w.names()...) {
		typ := types[name]
		if typ == "" {
			typ = "long"
		}
		fields = append(fields, map[string]any{"name": name, "type": typ, "nullable": true, "metadata": map[string]any{}})
	}
	schema, err := json.Marshal(map[string]any{"type": "struct", "fields": fields})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	for _, action := range []map[string]any{
		{"protocol": map[string]any{"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": []string{"timestampNtz"}, "writerFeatures": []string{"timestampNtz"}}},
		{"metaData": map[string]any{"id": "walk", "format": map[string]any{"provider": "parquet"}, "schemaString": string(schema), "partitionColumns": []string{}, "configuration": map[string]string{}}},
		{"add": map[string]any{"path": filepath.Base(path), "size": info.Size(), "partitionValues": map[string]string{}, "modificationTime": 1, "dataChange": true}},
	} {
		line, err := json.Marshal(action)
		if err != nil {
			t.Fatal(err)
		}
		log.Write(append(line, '\n'))
	}
	dir := filepath.Dir(path)
	if err := os.Mkdir(filepath.Join(dir, "_delta_log"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "_delta_log", "00000000000000000000.json"), log.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// grapharOf makes the rows a graph of GraphAr, of one chunk.
func grapharOf(t *testing.T, w *walkRows) string {
	t.Helper()
	dir, vertices := t.TempDir(), int64(0)
	order := make([]int, len(w.src))
	for i := range order {
		order[i], vertices = i, max(vertices, w.src[i]+1, w.dst[i]+1)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(w.src[a], w.src[b]), cmp.Compare(w.dst[a], w.dst[b])) }) // as edges are written
	var src, dst []int64
	for _, i := range order {
		src, dst = append(src, w.src[i]), append(dst, w.dst[i])
	}
	types := map[string]string{"i32": "int32", "f32": "float", "f64": "double", "flag": "bool", "day": "date", "at": "timestamp", "kind": "string"}
	groups := ""
	for _, name := range w.names() {
		typ := types[name]
		if typ == "" {
			typ = "int64"
		}
		groups += "  - name: " + name + "\n    data_type: " + typ + "\n"
	}
	store := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	store("v.vertex.yml", "type: v\nchunk_size: 100000\nprefix: vertex/v/\nversion: gar/v1\n")
	store("e.edge.yml", "src_type: v\nedge_type: e\ndst_type: v\nchunk_size: 100000\nsrc_chunk_size: 100000\ndst_chunk_size: 100000\ndirected: true\nprefix: edge/\nversion: gar/v1\n"+
		"adj_lists:\n- ordered: false\n  aligned_by: src\n  file_type: parquet\nproperty_groups:\n- file_type: parquet\n  prefix: all/\n  properties:\n"+groups)
	count := string(binary.LittleEndian.AppendUint64(nil, uint64(vertices)))
	store("vertex/v/vertex_count", count)
	store("edge/unordered_by_source/vertex_count", count)
	long := func(name string) schema.Node { return samples.Node(t, name, false, nil, parquet.Types.Int64, 0) }
	store("edge/unordered_by_source/adj_list/part0/chunk0", string(samples.WriteParquet(t, len(src), len(src), []samples.ParquetColumn{
		{Node: long("_graphArSrcIndex"), Values: src}, {Node: long("_graphArDstIndex"), Values: dst}})))
	chunk := store("edge/unordered_by_source/all/part0/chunk0", "")
	if err := arrow.WriteEdges(context.Background(), chunk, w.build(t, graph.Options{Directed: true, Order: graph.OrderGiven}), arrow.WriteOptions{Format: "parquet"}); err != nil {
		t.Fatal(err)
	}
	return store("it.graph.yml", "name: it\nvertices:\n- v.vertex.yml\nedges:\n- e.edge.yml\nversion: gar/v1\n")
}

// icebergOf makes the rows a table of Iceberg.
func icebergOf(t *testing.T, w *walkRows) string {
	t.Helper()
	types := map[string]string{"i32": "int", "f64": "double", "day": "date", "at": "timestamp", "price": "decimal(18, 2)", "kind": "string", "key": "uuid"}
	columns := []crafticeberg.Column{{ID: 1, Name: "src", Type: "long", Required: true}, {ID: 2, Name: "dst", Type: "long", Required: true}}
	for i, name := range w.names() {
		typ := types[name]
		if typ == "" {
			typ = "long"
		}
		columns = append(columns, crafticeberg.Column{ID: 3 + i, Name: name, Type: typ})
	}
	rows := make([]crafticeberg.Row, len(w.src))
	for i := range rows {
		rows[i] = crafticeberg.Row{1: w.src[i], 2: w.dst[i]}
		for k, c := range w.columns {
			var value any
			switch a := c.Values.(type) {
			case []int32:
				value = int64(a[i])
			case []int64:
				value = a[i]
			case []float64:
				if value = a[i]; a[i] != a[i] {
					value = nil
				}
			case graph.Strings:
				if c.Valid[i] {
					value = string(a.Value(i))
				}
			}
			rows[i][3+k] = value
		}
	}
	dir := t.TempDir()
	table := crafticeberg.New(dir, columns, rand.New(rand.NewPCG(5, 7)), crafticeberg.Options{Version: 2, Plain: true})
	table.Append(rows)
	table.WriteMetadata()
	return dir
}

// TestColumnsStay compares the columns of each edge with its row, by every reader and for every type, on the whole way: load,
// prepare, append, all orders, a condition, and what is written.
func TestColumnsStay(t *testing.T) {
	ctx := context.Background()
	for _, reader := range walkReaders() {
		t.Run(reader.name, func(t *testing.T) {
			for seed := range uint64(testlong.Rounds(1, 8)) {
				r := rand.New(rand.NewPCG(seed, 77))
				n := 2 + r.IntN(300)
				half := 1 + r.IntN(n-1)
				all := newWalkRows(r, n)
				o := graph.Options{Directed: r.IntN(2) == 0, Order: graph.Order(r.IntN(3))}
				o.Reverse = o.Directed && r.IntN(2) == 0
				names := reader.columns
				any := func(int) bool { return true }
				first := func(i int) bool { return i < half }
				g := reader.load(t, all.only(0, half, names), o)
				all.check(t, "loaded", g, names, first)

				path := filepath.Join(t.TempDir(), "g.foray")
				if err := arrow.WriteGraph(ctx, path, g, arrow.WriteGraphOptions{}); err != nil {
					t.Fatal(err)
				}
				opened, _, err := arrow.OpenGraph(ctx, path, arrow.OpenGraphOptions{InMemory: r.IntN(2) == 0})
				if err != nil {
					t.Fatal(err)
				}
				all.check(t, "opened", opened, names, first)

				g, err = opened.Append(ctx, reader.load(t, all.only(half, n, names), o), graph.AppendOptions{})
				if err != nil {
					t.Fatal(err)
				}
				all.check(t, "appended", g, names, any)
				for _, order := range []graph.Order{graph.OrderAuto, graph.OrderGiven, graph.OrderDegree} {
					if g, err = g.Reorder(ctx, graph.ReorderOptions{Order: order}); err != nil {
						t.Fatal(err)
					}
					all.check(t, "in order "+order.String(), g, names, any)
				}
				most := r.IntN(n)
				some, err := arrow.FilterEdges(ctx, g, fmt.Sprintf("row < %d", most))
				if err != nil {
					t.Fatal(err)
				}
				few := func(i int) bool { return i < most }
				all.check(t, "filtered", some, names, few)
				if some.NumEdges() == 0 {
					continue
				}
				for _, name := range []string{"e.parquet", "e.arrow", "e.csv", "e.jsonl"} {
					path := filepath.Join(t.TempDir(), name)
					if err := arrow.WriteEdges(ctx, path, some, arrow.WriteOptions{}); err != nil {
						t.Fatal(err)
					}
					back, kept := graph.Options{Directed: o.Directed}, names
					var again *graph.Graph
					if filepath.Ext(name) == ".parquet" || filepath.Ext(name) == ".arrow" {
						again, err = arrow.Load(ctx, path, arrow.Options{EdgeColumns: names, Graph: back})
					} else {
						kept = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "blob" })
						types := walkTypes(all)
						maps.DeleteFunc(types, func(n, _ string) bool { return !slices.Contains(kept, n) })
						back.EdgeColumns = kept
						again, err = edgelist.Load(ctx, path, edgelist.Options{ColumnTypes: types, Graph: back})
					}
					if err != nil {
						t.Fatal(err)
					}
					all.check(t, "written to "+name, again, kept, few)
				}
				if err := opened.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
