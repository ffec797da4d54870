// This file tests vertices of several kinds.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/graph"
)

// textTable writes a file of columns, whose values are given as their builders read
// them; "" is null.
func textTable(t testing.TB, path string, fields []arrow.Field, rows [][]string) string {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, row := range rows {
		for i, x := range row {
			if x == "" {
				b.Field(i).AppendNull()
			} else if err := b.Field(i).AppendValueFromString(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return writeTo(t, path, writeIPC(t, false, schema, []arrow.Record{b.NewRecord()}))
}

func nullable(name string, typ arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true}
}

// kindIDs are types of ids and the ids of a kind, ascending.
var kindIDs = []struct {
	typ arrow.DataType
	ids []string
}{
	{arrow.PrimitiveTypes.Int64, []string{"-7", "1", "2", "10", "30"}},
	{arrow.PrimitiveTypes.Int16, []string{"-7", "1", "2", "10", "30"}},
	{arrow.PrimitiveTypes.Uint64, []string{"1", "2", "10", "18446744073709551615"}},
	{arrow.BinaryTypes.String, []string{"1", "10", "2", "a:b", "ü,\"x\""}},
	{arrow.FixedWidthTypes.Date32, []string{"1969-12-30", "2020-01-01", "2024-02-29"}},
	{&arrow.Decimal128Type{Precision: 30}, []string{"-5", "1", "100000000000000000000"}},
}

// edgesByText returns the edges by the ids' text, each way of those that have two.
func edgesByText(g *graph.Graph) map[string]bool {
	edges := map[string]bool{}
	for u := range uint32(g.NumVertices()) {
		for _, v := range g.Out().Neighbors(u) {
			edges[g.IDs().Format(u)+" to "+g.IDs().Format(v)] = true
		}
	}
	return edges
}

// TestKindsRandom: graphs of tables with kinds have the vertices and edges that a map
// from kind and id to vertices has.
func TestKindsRandom(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		dir := t.TempDir()
		names := []string{"item", "user", "a-b.c_d", "Ä"}[:1+r.IntN(4)]
		of := make([]int, len(names))
		for i := range of {
			of[i] = r.IntN(len(kindIDs))
		}
		vertices, edges := map[string]bool{}, map[string]bool{}
		var tables []Table
		for n := range 1 + r.IntN(4) {
			src, dst := r.IntN(len(names)), r.IntN(len(names))
			fields := []arrow.Field{nullable("s", kindIDs[of[src]].typ), nullable("d", kindIDs[of[dst]].typ), nullable("sk", arrow.BinaryTypes.String)}
			byColumn := r.IntN(3) == 0
			var rows [][]string
			for range r.IntN(12) {
				k := src // of one type, where a column says which
				if byColumn {
					for k = r.IntN(len(names)); of[k] != of[src]; k = r.IntN(len(names)) {
					}
				}
				pick := func(k int) string { ids := kindIDs[of[k]].ids; return ids[r.IntN(len(ids))] }
				row := []string{pick(k), pick(dst), names[k]}
				if null := r.IntN(20); null < 2 || byColumn && null == 2 {
					row[null] = ""
				} else {
					s, d := names[k]+":"+row[0], names[dst]+":"+row[1]
					vertices[s], vertices[d] = true, true
					if s != d {
						edges[s+" to "+d] = true
					}
				}
				rows = append(rows, row)
			}
			table := Table{Paths: []string{textTable(t, filepath.Join(dir, fmt.Sprintf("%d.arrow", n)), fields, rows)}, Source: "s:" + names[src], Target: "d:" + names[dst]}
			if byColumn {
				table.Source = "s:{SK}"
			}
			tables = append(tables, table)
		}
		o := Options{Nulls: NullSkip, TwoPass: r.IntN(2) == 0, Graph: graph.Options{Directed: true, Reverse: true}, Workers: 1 + r.IntN(2)}
		if r.IntN(2) == 0 {
			k := r.IntN(len(names))
			id := kindIDs[of[k]].ids[0]
			vertices[names[k]+":"+id] = true
			o.Vertices = &VertexTable{ID: "id:" + names[k], Paths: []string{textTable(t, filepath.Join(dir, "v.arrow"), []arrow.Field{nullable("id", kindIDs[of[k]].typ)}, [][]string{{id}})}}
		}
		g, err := LoadTables(ctx, tables, o)
		if len(edges) == 0 { // self-loops alone, or none
			if err == nil && len(edgesByText(g)) > 0 {
				t.Errorf("seed %d: edges", seed)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same := func(what string, g *graph.Graph) {
			t.Helper()
			got := map[string]bool{}
			for v := range uint32(g.NumVertices()) {
				got[g.IDs().Format(v)] = true
			}
			if !maps.Equal(got, vertices) || !maps.Equal(edgesByText(g), edges) {
				t.Errorf("seed %d, %s: vertices %v and edges %v, want %v and %v", seed, what, got, edgesByText(g), vertices, edges)
			}
		}
		same("built", g)
		last := ""
		for rank := range uint32(g.NumVertices()) {
			v := g.IDs().AtRank(rank)
			name := g.IDs().Format(v)
			kind, id, _ := strings.Cut(name, ":")
			if w, err := g.ParseVertex(name); err != nil || w != v || g.IDs().Kind(v) != kind {
				t.Errorf("seed %d: %s is vertex %d of kind %s, %d, %v", seed, name, v, g.IDs().Kind(v), w, err)
			}
			at := slices.Index(kindIDs[of[slices.Index(names, kind)]].ids, id)
			if now := fmt.Sprintf("%s %03d", kind, at); now <= last {
				t.Errorf("seed %d: %s comes after %s", seed, now, last)
			} else {
				last = now
			}
		}
		// Prepared, and as tables of edges and results.
		path := filepath.Join(dir, "g.foray")
		if err := WriteGraph(ctx, path, g, WriteGraphOptions{}); err != nil {
			t.Fatal(err)
		}
		p, err := OpenGraph(ctx, path, OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		same("prepared", p)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		data := rewritten(t, g, func(s *storedGraph) {
			if s.version != 3 {
				t.Errorf("kinds are of version %d", s.version)
			}
			s.version = 2
		})
		if _, err := openBytes(t, path, data, OpenGraphOptions{}); !errors.Is(err, ErrDamaged) {
			t.Errorf("kinds of version 2: %v", err)
		}
		for _, name := range []string{"edges.parquet", "edges.arrow"} {
			path := filepath.Join(dir, name)
			if err := WriteEdges(ctx, path, g); err != nil {
				t.Fatal(err)
			}
			back, err := Load(ctx, path, Options{Source: "src:{src_kind}", Target: "dst:{dst_kind}", Graph: graph.Options{Directed: true}})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !maps.Equal(edgesByText(back), edges) {
				t.Errorf("seed %d: %v, want %v", seed, edgesByText(back), edges)
			}
		}
		next := make([]uint32, g.NumVertices())
		for v := range next {
			next[v] = graph.NoVertex
			if row := g.Out().Neighbors(uint32(v)); len(row) > 0 {
				next[v] = row[0]
			}
		}
		result := filepath.Join(dir, "next.parquet")
		if err := WriteColumns(ctx, result, g, []ResultColumn{{Name: "next", Values: next, Vertices: true}}); err != nil {
			t.Fatal(err)
		}
		back, err := Load(ctx, result, Options{Source: "vertex:{kind}", Target: "next:{next_kind}", Nulls: NullSkip, Graph: graph.Options{Directed: true}})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for e := range edgesByText(back) {
			if !edges[e] {
				t.Errorf("seed %d: %s is no edge", seed, e)
			}
		}
	}
}

// TestKindsErrors has what can't be, in words.
func TestKindsErrors(t *testing.T) {
	dir := t.TempDir()
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	likes := textTable(t, filepath.Join(dir, "likes.arrow"), []arrow.Field{nullable("user", number), nullable("item", text), nullable("kind", text)},
		[][]string{{"1", "1", "u"}, {"2", "1", "u"}, {"2", "2", ""}})
	odd := textTable(t, filepath.Join(dir, "odd.arrow"), []arrow.Field{nullable("a:b", number), nullable("c", number), nullable("kind", text)},
		[][]string{{"1", "2", "no kind"}})
	var many [][]string
	for i := range 300 {
		many = append(many, []string{"1", "2", fmt.Sprint("k", i)})
	}
	wide := textTable(t, filepath.Join(dir, "wide.arrow"), []arrow.Field{nullable("src", number), nullable("dst", number), nullable("kind", text)}, many)
	for name, c := range map[string]struct {
		tables []Table
		o      Options
		want   error
		says   string
	}{
		"the other way round":   {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "i:item"}}, Options{}, ErrColumn, `Options\.Target is "i:item", but kinds are written COLUMN:KIND: write item:i; the columns are`},
		"one end":               {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item"}}, Options{}, graph.ErrOptions, `Options\.Source has a kind, u, and Options\.Target has none; write COLUMN:KIND in both, or in none`},
		"the other end":         {[]Table{{Paths: []string{likes}, Target: "item:i"}}, Options{}, graph.ErrOptions, `Options\.Target has a kind, i, and Options\.Source has none`},
		"one table":             {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:i"}, {Paths: []string{odd}, Source: "a:b", Target: "c"}}, Options{}, graph.ErrOptions, `vertices of .*likes\.arrow have kinds, and those of .*odd\.arrow have none`},
		"the other table":       {[]Table{{Paths: []string{odd}, Source: "a:b", Target: "c"}, {Paths: []string{likes}, Source: "user:u", Target: "item:i"}}, Options{}, graph.ErrOptions, `vertices of .*likes\.arrow have kinds, and those of .*odd\.arrow have none`},
		"no column":             {[]Table{{Paths: []string{likes}, Source: "users:u", Target: "item:i"}}, Options{}, ErrColumn, `column "users": Options\.Source names it, but .*did you mean "user"\?`},
		"no name":               {[]Table{{Paths: []string{likes}, Source: "user:u v", Target: "item:i"}}, Options{}, ErrColumn, `Options\.Source is "user:u v", but "u v" can't name a kind: use letters, digits, _, - and dots`},
		"empty":                 {[]Table{{Paths: []string{likes}, Source: "user:", Target: "item:i"}}, Options{}, ErrColumn, `"" can't name a kind`},
		"several columns":       {[]Table{{Paths: []string{likes}, Source: "user,kind:u", Target: "item,kind:i"}}, Options{}, ErrColumn, `ids of kind "u" are of several columns`},
		"numbers as kinds":      {[]Table{{Paths: []string{likes}, Source: "item:{user}", Target: "user:i"}}, Options{}, ErrColumnType, `column "user": wrong column type: names of kinds are strings, but it is int64`},
		"no column of kinds":    {[]Table{{Paths: []string{likes}, Source: "item:{kinds}", Target: "user:i"}}, Options{}, ErrColumn, `column "kinds": .*did you mean "kind"\?`},
		"null kind":             {[]Table{{Paths: []string{likes}, Source: "user:{kind}", Target: "item:i"}}, Options{}, ErrNull, `column "kind", row 2: null: an edge without the kind of its source`},
		"a value that's none":   {[]Table{{Paths: []string{odd}, Source: "a:b:{kind}", Target: "c:u"}}, Options{}, graph.ErrOptions, `odd\.arrow: column "kind": .*"no kind" can't name a kind`},
		"too many":              {[]Table{{Paths: []string{wide}, Source: "src:{kind}", Target: "dst:u"}}, Options{}, graph.ErrOptions, `column "kind": .*more than 256 values`},
		"types within a kind":   {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:u"}}, Options{}, ErrColumnType, `ids of sources and targets are kinds\(u:int64\) and kinds\(u:string\)`},
		"types in two tables":   {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:i"}, {Paths: []string{odd}, Source: "a:b:u", Target: "c:i"}}, Options{}, ErrColumnType, `it is kinds\(i:int64,u:int64\), but in .* ids are kinds\(i:string,u:int64\)`},
		"separate":              {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:i"}}, Options{Graph: graph.Options{SeparateIDs: true}}, graph.ErrOptions, `Options\.SeparateIDs with kinds`},
		"vertices without kind": {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:i"}}, Options{Nulls: NullSkip, Vertices: &VertexTable{Paths: []string{likes}, ID: "user"}}, graph.ErrOptions, `have none`},
	} {
		_, err := LoadTables(context.Background(), c.tables, c.o)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		check(t, err, c.want, c.says)
	}
	// A column that is called just so has no kind, and one before the last colon one.
	g, err := Load(context.Background(), odd, Options{Source: "a:b", Target: "c"})
	if err != nil || g.IDs().Kinds() != nil || g.IDs().Kind(0) != "" {
		t.Errorf("%v", err)
	}
	g, err = Load(context.Background(), odd, Options{Source: "a:b:x", Target: ":y"})
	check(t, err, ErrColumn, `which column goes with "a:b" isn't clear`)
	g, err = Load(context.Background(), odd, Options{Source: "a:b:x", Target: "C:y"})
	if err != nil || !slices.Equal(g.IDs().Kinds(), []string{"x", "y"}) {
		t.Fatalf("%v", err)
	}
	if _, err := g.VertexString("x:1"); !errors.Is(err, graph.ErrIDType) || !strings.Contains(err.Error(), "ParseVertex") {
		t.Errorf("%v", err)
	}
	for id, want := range map[string]string{"1": `want KIND:ID, such as x:1; the kinds are x, y`, "z:1": `there is no kind "z"; want KIND:ID, the kinds are x, y`, "x:a": "ids of kind x are of type int64"} {
		if _, err := g.ParseVertex(id); !errors.Is(err, graph.ErrIDType) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := g.ParseVertex("x:2"); !errors.Is(err, graph.ErrNoVertex) {
		t.Errorf("%v", err)
	}
	// Properties are those of the vertices of the kind.
	people := textTable(t, filepath.Join(dir, "people.arrow"), []arrow.Field{nullable("id", number), nullable("n", number)}, [][]string{{"1", "5"}, {"2", "6"}})
	p, err := LoadVertexProperties(context.Background(), g, VertexTable{Paths: []string{people}, ID: "id:y", Properties: []string{"n"}, SkipUnknown: true}, Options{})
	if err != nil || p == nil {
		t.Fatal(err)
	}
	_, err = LoadVertexProperties(context.Background(), g, VertexTable{Paths: []string{people}, ID: "id", Properties: []string{"n"}}, Options{})
	check(t, err, ErrColumnType, `it is int64, but ids of the graph are kinds\(x:int64,y:int64\)`)
}
