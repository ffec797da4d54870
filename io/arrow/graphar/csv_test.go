// This file tests chunks in CSV: that they make the graph that Parquet makes, how
// values may be written, and what is wrong with them.

package graphar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// oddTexts are strings that CSV has to quote, or that look like something else.
var oddTexts = []string{"", "a,b", `say "so"`, "two\nlines", "crlf\r\nin it", " spaces ", "null", "12", "ä€𝄞", ",", `"`, "\n"}

// describe says all of a graph and its properties, in the order of external ids.
func describe(t *testing.T, g *graph.Graph, p *arrow.Properties) (all []string) {
	t.Helper()
	vertices := make([]uint32, g.NumVertices())
	for v := range vertices {
		vertices[v] = uint32(v)
	}
	var props [][]string
	if p != nil {
		for i := range p.Fields() {
			rec, err := p.Gather(context.Background(), []int{i}, vertices, memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for v := range vertices {
				list = append(list, fmt.Sprintf("%v %q %v", rec.Schema().Field(0).Type, rec.Column(0).ValueStr(v), rec.Column(0).IsNull(v)))
			}
			props = append(props, list)
			rec.Release()
		}
	}
	for u := range vertices {
		line := fmt.Sprintf("vertex %s:", g.IDs().Format(uint32(u)))
		for _, list := range props {
			line += " " + list[u]
		}
		all = append(all, line)
		out := g.Out()
		for i := out.Offsets[u]; i < out.Offsets[u+1]; i++ {
			all = append(all, fmt.Sprintf("edge %s to %s, weight %v, id %d", g.IDs().Format(uint32(u)), g.IDs().Format(out.Targets[i]), out.Weights[i], out.EdgeIDs[i]))
		}
	}
	slices.Sort(all)
	return all
}

// TestSameInCSV compares a graph whose chunks are in Parquet with the same one in CSV.
func TestSameInCSV(t *testing.T) {
	testlong.Project(t)
	ctx := context.Background()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		v := vertices{name: "person", n: 1 + r.IntN(40), chunk: 1 + r.IntN(20), keys: randomKeys(r, 40, [][]any{{[]int64(nil)}, {[]int32(nil)}, {[]string(nil)}}[seed%3][0])}
		odd := column{name: "odd"}
		var texts []string
		for range v.n {
			texts = append(texts, oddTexts[r.IntN(len(oddTexts))])
			odd.valid = append(odd.valid, r.IntN(4) > 0)
		}
		odd.values = texts
		v.groups = []group{{cols: append(randomColumns(r, v.n, "i1", "f1", "d1", "b1", "s1"), odd), numbers: r.IntN(2) == 0}}
		e := edges{name: "knows", chunk: 1 + r.IntN(40), list: lists[r.IntN(4)], counts: r.IntN(3) > 0}
		for range 1 + r.IntN(200) {
			e.pairs = append(e.pairs, [2]int64{r.Int64N(int64(v.n)), r.Int64N(int64(v.n))})
		}
		e.groups = []group{{cols: randomColumns(r, len(e.pairs), "f_w", "s_x")}, {cols: randomColumns(r, len(e.pairs), "d_x", "b_x")}}
		o := Options{Weight: "f_w", SkipNulls: true, TwoPass: r.IntN(2) == 0, Workers: 1 + r.IntN(3), Properties: []string{"i1", "f1", "d1", "b1", "s1", "odd"}}
		o.Where = []string{"", "s_x > 's05'", "b_x and d_x <> '1970-01-04'", "f_w < 7 or s_x is null"}[r.IntN(4)]
		o.Graph = graph.Options{Directed: true, KeepDuplicates: true, KeepSelfLoops: true, EdgeIDs: true}
		var all [2][]string
		var stats [2]arrow.Stats
		for i := range all {
			csv := i == 1
			v.csv, v.groups[0].csv, e.csv, e.groups[0].csv, e.groups[1].csv = csv, csv, csv, csv, csv
			e.src, e.dst = v, v
			dir := t.TempDir()
			v.write(t, dir)
			path := e.write(t, dir)
			l, err := Load(ctx, path, o)
			if err != nil && !errors.Is(err, graph.ErrEmpty) {
				t.Fatalf("seed %d, %s: %v", seed, typeOf(csv), err)
			}
			if err == nil {
				all[i], stats[i] = describe(t, l.Graph, l.Properties), l.Stats
			}
		}
		if !slices.Equal(all[0], all[1]) {
			t.Fatalf("seed %d: of Parquet\n%s\nof CSV\n%s", seed, strings.Join(all[0], "\n"), strings.Join(all[1], "\n"))
		}
		if stats[0].Rows != stats[1].Rows || stats[0].NullRows != stats[1].NullRows || stats[0].RowsPassed != stats[1].RowsPassed {
			t.Errorf("seed %d: %+v of Parquet, %+v of CSV", seed, stats[0], stats[1])
		}
	}
}

// csvSample writes the sample in CSV, with a property w of its edges.
func csvSample(t *testing.T, dir string) string {
	v := vertices{name: "person", n: 5, chunk: 2, keys: []int64{10, 20, 30, 40, 50}, csv: true}
	v.groups = []group{{cols: []column{{name: "name", values: []string{"a", "b", "c", "d", "e"}}}, csv: true, numbers: true}}
	v.write(t, dir)
	e := edges{src: v, dst: v, name: "knows", chunk: 2, list: adjList{Ordered: true, AlignedBy: "src"}, counts: true, csv: true,
		pairs: [][2]int64{{0, 1}, {0, 2}, {1, 2}, {3, 0}, {4, 4}}}
	e.groups = []group{{cols: []column{{name: "w", values: []float64{1, 2, 3, 4, 5}}}, csv: true}}
	return e.write(t, dir)
}

// TestCSVForms reads what other writers write.
func TestCSVForms(t *testing.T) {
	dir := t.TempDir()
	path := csvSample(t, dir)
	const base = "edge/person_knows_person/ordered_by_source/"
	// Another order of columns and one more, CRLF, a byte order mark, empty lines,
	// spaces, quotes, and no line end at the end.
	writeFile(t, filepath.Join(dir, base+"adj_list/part0/chunk0"), []byte("\xef\xbb\xbf\"_graphArDstIndex\",more,_graphArSrcIndex\r\n\r\n\"1\",\"x,\r\n\"\"y\", 0\r\n+2,,0"))
	l, err := Load(context.Background(), path, Options{Weight: "w", Properties: []string{"name"}, Graph: graph.Options{Directed: true, KeepSelfLoops: true}})
	if err != nil {
		t.Fatal(err)
	}
	g, p, stats := l.Graph, l.Properties, l.Stats
	if got, want := edgeTexts(g), []string{"10 20", "10 30", "20 30", "40 10", "50 50"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if w := g.Out().Weights; len(w) != 5 || p == nil {
		t.Errorf("weights %v, properties %v", w, p)
	}
	if stats.Bytes == 0 || stats.BytesRead < stats.Bytes || stats.BytesRead > 3*stats.Bytes {
		t.Errorf("%d bytes in files, %d read", stats.Bytes, stats.BytesRead)
	}
}

// TestCSVErrors damages the sample in CSV.
func TestCSVErrors(t *testing.T) {
	testlong.Project(t)
	const (
		edge   = "person_knows_person.edge.yml"
		vertex = "person.vertex.yml"
		base   = "edge/person_knows_person/ordered_by_source/"
		chunk  = base + "adj_list/part0/chunk0"
		w      = base + "of_w/part0/chunk0"
		keys   = "vertex/person/id_more/chunk0"
		names  = "vertex/person/of_name/chunk0"
	)
	put := func(name, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, name), []byte(text)) }
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		want   error
		text   string
	}{
		"no number":         {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0,1\n0,x\n"), arrow.ErrDamaged, chunk + `: line 3, column "_graphArDstIndex": damaged file: "x" is no int64; correct it`},
		"a null end":        {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0,1\n\n0,\n"), arrow.ErrNull, chunk + `: line 4, column "_graphArDstIndex"`},
		"too few values":    {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0\n0,1\n"), arrow.ErrDamaged, "line 2: damaged file: it has 1 values, but the header names 2 columns"},
		"an open quote":     {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0,1\n\"0,1\n"), arrow.ErrDamaged, "line 3: damaged file: a double quote in this row isn't closed"},
		"a quote inside":    {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0,1\n0\"\",1\n"), arrow.ErrDamaged, "line 3: damaged file: a double quote inside"},
		"after the quote":   {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0,1\n\"0\"1,1\n"), arrow.ErrDamaged, "line 3: damaged file: after a value in double quotes"},
		"a number too long": {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0,1\n0,99999999999999999999\n"), arrow.ErrDamaged, "beyond the values of type int64"},
		"another vertex":    {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0,1\n0,9\n"), errMismatch, "to 9 of 5"},
		"more rows":         {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n0,1\n0,2\n1,2\n"), errMismatch, "wrong number of rows"},
		"a long row":        {put(chunk, "_graphArSrcIndex,_graphArDstIndex\n"+strings.Repeat("1", 17<<20)), arrow.ErrDamaged, "line 2: damaged file: the row has more than"},
		"no header":         {put(chunk, ""), arrow.ErrDamaged, chunk + ": damaged file: it is empty"},
		"another header":    {put(chunk, "src,dst\n0,1\n0,2\n"), arrow.ErrColumn, `"src" "dst"`},
		"half a header":     {put(chunk, "_graphArSrcIndex,dst\n0,1\n0,2\n"), arrow.ErrColumn, "_graphArDstIndex"},
		"a name twice":      {put(chunk, "_graphArSrcIndex,_graphArDstIndex,_graphArDstIndex\n0,1,1\n0,2,2\n"), arrow.ErrDamaged, "two columns of the header have that name"},
		"compressed":        {put(chunk, "\x1f\x8b\x08\x00"), errors.ErrUnsupported, "it is compressed"},
		"no chunk":          {remove(chunk), fs.ErrNotExist, chunk},
		"a null weight":     {put(w, "w\n1\n\"\"\n"), arrow.ErrNull, w + `: line 3, column "w"`},
		"a large weight":    {put(w, "w\n1\n1e300\n"), graph.ErrWeights, w + `: line 3, column "w"`},
		"a huge weight":     {put(w, "w\n1\n1e999\n"), arrow.ErrDamaged, "beyond the values of type double"},
		"a weight type":     {replace(edge, "double", "list"), errors.ErrUnsupported, `of type "list", which isn't read from CSV; there it is one of bool, int32`},
		"offsets":           {put(base+"offset/chunk0", "_graphArOffset\n0\n2\n1\n"), errMismatch, "offset 2 is 1, after 2"},
		"no offset":         {put(base+"offset/chunk0", "_graphArOffset\n0\nx\n3\n"), arrow.ErrDamaged, "offset/chunk0: line 3, column"},
		"a null key":        {put(keys, "id,more\n10,\n,\n"), arrow.ErrNull, keys + `: line 3, column "id": null: a row without an id`},
		"no key":            {put(keys, "more\n\"\"\n\"\"\n"), arrow.ErrColumn, keys},
		"fewer keys":        {put(keys, "id,more\n10,\n"), errMismatch, "1 vertices, want 2"},
		"a key type":        {replace(vertex, "name: id\n    data_type: int64", "name: id\n    data_type: double"), arrow.ErrColumnType, "ids are integers or strings"},
		"numbers":           {put(names, "_graphArVertexIndex,name\n0,a\n2,b\n"), errMismatch, "row 1 has vertex 2, want 1"},
		"not UTF-8":         {put(names, "name\na\n\xff\n"), arrow.ErrDamaged, names + `: line 3, column "name"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := csvSample(t, dir)
			c.damage(t, dir)
			o := Options{Weight: "w", Properties: []string{"name"}}
			if name == "a large weight" { // which a float64 holds
				o.Graph.WeightType = graph.WeightsFloat32
			}
			_, _, err := loadWithProperties(context.Background(), path, o)
			if !errors.Is(err, c.want) || err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.text)
			}
		})
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := loadGraph(ctx, csvSample(t, dir), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
