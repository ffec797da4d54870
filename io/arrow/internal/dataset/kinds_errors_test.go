// This file tests what kinds of vertices can't be.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestKindsErrors has what can't be, in words.
func TestKindsErrors(t *testing.T) {
	dir := t.TempDir()
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	likes := samples.TextTable(t, filepath.Join(dir, "likes.arrow"), []arrow.Field{samples.Nullable("user", number), samples.Nullable("item", text), samples.Nullable("kind", text)},
		[][]string{{"1", "1", "u"}, {"2", "1", "u"}, {"2", "2", ""}})
	odd := samples.TextTable(t, filepath.Join(dir, "odd.arrow"), []arrow.Field{samples.Nullable("a:b", number), samples.Nullable("c", number), samples.Nullable("kind", text)},
		[][]string{{"1", "2", "no kind"}})
	var many [][]string
	for i := range 300 {
		many = append(many, []string{"1", "2", fmt.Sprint("k", i)})
	}
	wide := samples.TextTable(t, filepath.Join(dir, "wide.arrow"), []arrow.Field{samples.Nullable("src", number), samples.Nullable("dst", number), samples.Nullable("kind", text)}, many)
	for name, c := range map[string]struct {
		tables []Table
		o      Options
		want   error
		says   string
	}{
		"the other way round":   {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "i:item"}}, Options{}, input.ErrColumn, `Options\.Target is "i:item", but kinds are written COLUMN:KIND: write item:i; the columns are`},
		"one end":               {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item"}}, Options{}, graph.ErrOptions, `Options\.Source has a kind, u, and Options\.Target has none; write COLUMN:KIND in both, or in none`},
		"the other end":         {[]Table{{Paths: []string{likes}, Target: "item:i"}}, Options{}, graph.ErrOptions, `Options\.Target has a kind, i, and Options\.Source has none`},
		"one table":             {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:i"}, {Paths: []string{odd}, Source: "a:b", Target: "c"}}, Options{}, graph.ErrOptions, `vertices of .*likes\.arrow have kinds, and those of .*odd\.arrow have none`},
		"the other table":       {[]Table{{Paths: []string{odd}, Source: "a:b", Target: "c"}, {Paths: []string{likes}, Source: "user:u", Target: "item:i"}}, Options{}, graph.ErrOptions, `vertices of .*likes\.arrow have kinds, and those of .*odd\.arrow have none`},
		"no column":             {[]Table{{Paths: []string{likes}, Source: "users:u", Target: "item:i"}}, Options{}, input.ErrColumn, `column "users": Options\.Source names it, but .*did you mean "user"\?`},
		"no name":               {[]Table{{Paths: []string{likes}, Source: "user:u v", Target: "item:i"}}, Options{}, input.ErrColumn, `Options\.Source is "user:u v", but "u v" can't name a kind: use letters, digits, _, - and dots`},
		"empty":                 {[]Table{{Paths: []string{likes}, Source: "user:", Target: "item:i"}}, Options{}, input.ErrColumn, `"" can't name a kind`},
		"several columns":       {[]Table{{Paths: []string{likes}, Source: "user,kind:u", Target: "item,kind:i"}}, Options{}, input.ErrColumn, `ids of kind "u" are of several columns`},
		"numbers as kinds":      {[]Table{{Paths: []string{likes}, Source: "item:{user}", Target: "user:i"}}, Options{}, input.ErrColumnType, `column "user": wrong column type: names of kinds are strings, but it is int64`},
		"no column of kinds":    {[]Table{{Paths: []string{likes}, Source: "item:{kinds}", Target: "user:i"}}, Options{}, input.ErrColumn, `column "kinds": .*did you mean "kind"\?`},
		"null kind":             {[]Table{{Paths: []string{likes}, Source: "user:{kind}", Target: "item:i"}}, Options{}, input.ErrNull, `column "kind", row 2: null: an edge without the kind of its source`},
		"a value that's none":   {[]Table{{Paths: []string{odd}, Source: "a:b:{kind}", Target: "c:u"}}, Options{}, graph.ErrOptions, `odd\.arrow: column "kind": .*"no kind" can't name a kind`},
		"too many":              {[]Table{{Paths: []string{wide}, Source: "src:{kind}", Target: "dst:u"}}, Options{}, graph.ErrOptions, `column "kind": .*more than 256 values`},
		"types within a kind":   {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:u"}}, Options{}, input.ErrColumnType, `ids of sources and targets are kinds\(u:int64\) and kinds\(u:string\)`},
		"types in two tables":   {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:i"}, {Paths: []string{odd}, Source: "a:b:u", Target: "c:i"}}, Options{}, input.ErrColumnType, `it is kinds\(i:int64,u:int64\), but in .* ids are kinds\(i:string,u:int64\)`},
		"separate":              {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:i"}}, Options{Graph: graph.Options{Bipartite: true}}, graph.ErrOptions, `Options\.Bipartite with kinds`},
		"vertices without kind": {[]Table{{Paths: []string{likes}, Source: "user:u", Target: "item:i"}}, Options{SkipNulls: true, Vertices: &VertexTable{Paths: []string{likes}, ID: "user"}}, graph.ErrOptions, `have none`},
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
	_, err = Load(context.Background(), odd, Options{Source: "a:b:x", Target: ":y"})
	check(t, err, input.ErrColumn, `which column goes with "a:b" isn't clear`)
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
	// Properties belong to the vertices of the kind.
	people := samples.TextTable(t, filepath.Join(dir, "people.arrow"), []arrow.Field{samples.Nullable("id", number), samples.Nullable("n", number)}, [][]string{{"1", "5"}, {"2", "6"}})
	p, err := LoadVertexProperties(context.Background(), g, VertexTable{Paths: []string{people}, ID: "id:y", Properties: []string{"n"}, SkipUnknown: true}, Options{})
	if err != nil || p == nil {
		t.Fatal(err)
	}
	_, err = LoadVertexProperties(context.Background(), g, VertexTable{Paths: []string{people}, ID: "id", Properties: []string{"n"}}, Options{})
	check(t, err, input.ErrColumnType, `it is int64, but ids of the graph are kinds\(x:int64,y:int64\)`)
}
