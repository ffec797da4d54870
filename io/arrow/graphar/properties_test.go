// This file tests properties of vertices and edges on random directories.

package graphar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// randomColumns makes columns of n values: weight, eid, and some more.
func randomColumns(r *rand.Rand, n int, names ...string) []column {
	var cols []column
	for _, name := range names {
		c := column{name: name}
		var i64 []int64
		var i32 []int32
		var days []day
		var f64 []float64
		var bools []bool
		var strs []string
		for range n {
			x := r.IntN(20)
			i64, i32, days, f64 = append(i64, int64(x)), append(i32, int32(x)), append(days, day(x)), append(f64, float64(x)/2)
			bools, strs = append(bools, x&1 == 0), append(strs, fmt.Sprintf("s%02d", x))
		}
		c.values = map[string]any{"i": i64, "j": i32, "d": days, "f": f64, "b": bools, "s": strs}[name[:1]]
		if r.IntN(2) == 0 {
			for range n {
				c.valid = append(c.valid, r.IntN(5) > 0)
			}
		}
		cols = append(cols, c)
	}
	return cols
}

// grouped divides columns among groups.
func grouped(r *rand.Rand, cols []column) (groups []group) {
	for len(cols) > 0 {
		n := 1 + r.IntN(len(cols))
		groups = append(groups, group{cols: cols[:n], groupRows: r.IntN(30), numbers: r.IntN(2) == 0})
		cols = cols[n:]
	}
	return groups
}

// at is value i in words, "-" for null.
func (c column) at(i int) string {
	if c.valid != nil && !c.valid[i] {
		return "-"
	}
	one := c.pick([]int{i})
	switch v := one.values.(type) {
	case []day:
		return fmt.Sprintf("1970-01-%02d", v[0]+1)
	case []string:
		return v[0]
	}
	return strings.Trim(fmt.Sprint(one.values), "[]")
}

// whereOf is a random condition on columns and what it says of a row.
func whereOf(r *rand.Rand, cols []column, pairs [][2]int64) (string, func(i int) bool) {
	if r.IntN(4) == 0 {
		k := r.IntN(2)
		x := pairs[r.IntN(len(pairs))][k]
		return fmt.Sprintf("%s >= %d", []string{sourceColumn, targetColumn}[k], x), func(i int) bool { return pairs[i][k] >= x }
	}
	c := cols[r.IntN(len(cols))]
	if r.IntN(5) == 0 {
		return c.name + " is null", func(i int) bool { return c.at(i) == "-" }
	}
	x := r.IntN(20)
	switch c.values.(type) {
	case []int64:
		return fmt.Sprintf("%s < %d", c.name, x), func(i int) bool { return c.at(i) != "-" && c.values.([]int64)[i] < int64(x) }
	case []int32:
		return fmt.Sprintf("%s in (%d, 3)", c.name, x), func(i int) bool { v := c.at(i); return v == fmt.Sprint(x) || v == "3" }
	case []day:
		s := fmt.Sprintf("1970-01-%02d", x+1)
		return fmt.Sprintf("%s > '%s'", c.name, s), func(i int) bool { return c.at(i) > s }
	case []float64:
		return fmt.Sprintf("%s <= %g", c.name, float64(x)/2), func(i int) bool { return c.at(i) != "-" && c.values.([]float64)[i] <= float64(x)/2 }
	case []bool:
		return c.name, func(i int) bool { return c.at(i) == "true" }
	}
	s := fmt.Sprintf("s%02d", x)
	return fmt.Sprintf("%s <> '%s'", c.name, s), func(i int) bool { v := c.at(i); return v != "-" && v != s }
}

// TestPropertiesRandom compares graphs with weights, ids of edges, conditions
// and properties of vertices with what was written.
func TestPropertiesRandom(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 2))
		dir := t.TempDir()
		person := vertices{name: "person", n: 1 + r.IntN(30), chunk: 1 + r.IntN(30)}
		thing := vertices{name: "thing", n: 1 + r.IntN(20), chunk: 1 + r.IntN(20)}
		both := randomKeys(r, person.n+thing.n, []int64(nil)).([]int64)
		var names []string
		for i := range both {
			names = append(names, fmt.Sprintf("n%d", both[i]))
		}
		person.keys, thing.keys = both[:person.n], both[person.n:]
		person.groups = append(grouped(r, randomColumns(r, person.n, "s1", "i1", "f1", "d1", "b1")), group{cols: []column{{name: "name", values: names[:person.n]}}})
		thing.groups = append(grouped(r, randomColumns(r, thing.n, "s1", "i1", "j2")), group{cols: []column{{name: "name", values: names[person.n:]}}})
		e := edges{src: person, dst: person, name: "knows", chunk: 1 + r.IntN(40), list: lists[r.IntN(4)], counts: r.IntN(3) > 0}
		ends := []vertices{person}
		if r.IntN(2) == 0 {
			e.dst, ends = thing, []vertices{person, thing}
		}
		for range 1 + r.IntN(300) {
			e.pairs = append(e.pairs, [2]int64{r.Int64N(int64(e.src.n)), r.Int64N(int64(e.dst.n))})
		}
		cols := randomColumns(r, len(e.pairs), "f_w", "i_w", "j_x", "s_x", "d_x", "b_x")
		ids := make([]int64, len(e.pairs))
		for i := range ids {
			ids[i] = int64(i) * 3
		}
		e.groups = append(grouped(r, cols), group{cols: []column{{name: "eid", values: ids}}, groupRows: r.IntN(20)})
		for i := range ends {
			ends[i].write(t, dir)
		}
		path := e.write(t, dir)
		for range 6 {
			o := Options{TwoPass: r.IntN(3) == 0, Nulls: arrow.NullSkip, Workers: 1 + r.IntN(3)}
			o.Graph = graph.Options{Directed: true, Reverse: r.IntN(2) == 0, KeepDuplicates: true, KeepSelfLoops: true, EdgeIDs: true, Order: graph.Order(r.IntN(3))}
			keep := func(int) bool { return true }
			if r.IntN(3) > 0 {
				text, holds := whereOf(r, cols, e.pairs)
				o.Where, keep = text, holds
				if r.IntN(2) == 0 {
					text, more := whereOf(r, cols, e.pairs)
					o.Where, keep = o.Where+" and "+text, func(i int) bool { return holds(i) && more(i) }
				}
			}
			var weights column
			if r.IntN(2) == 0 {
				weights = cols[r.IntN(2)]
				o.Weight = weights.name
			}
			if r.IntN(2) == 0 {
				o.EdgeID = "eid"
			}
			id := func(v int64) string { return fmt.Sprint(both[v]) }
			switch r.IntN(3) {
			case 0:
				o.IDs, id = IDsIndex, func(v int64) string { return fmt.Sprint(v) }
			case 1:
				o.VertexID, id = "name", func(v int64) string { return names[v] }
			}
			for _, name := range []string{"s1", "i1", "f1", "d1", "b1", "j2", "id"} {
				if r.IntN(2) == 0 && (name != "j2" || len(ends) == 2) {
					o.Properties = append(o.Properties, name)
				}
			}
			shift := int64(0)
			if len(ends) == 2 {
				shift = int64(person.n)
			}
			var want []string
			for n, i := range e.order {
				if !keep(i) || o.Weight != "" && weights.at(i) == "-" {
					continue
				}
				p := e.pairs[i]
				s := id(p[0]) + " " + id(p[1]+shift)
				if o.Weight != "" {
					s += " w" + weights.at(i)
				}
				if o.EdgeID != "" {
					n = int(ids[i])
				}
				want = append(want, fmt.Sprint(s, " #", n))
			}
			g, props, err := LoadWithProperties(context.Background(), path, o)
			if len(want) == 0 {
				if !errors.Is(err, graph.ErrEmpty) || o.Where != "" && !strings.Contains(err.Error(), "no row meets the condition") && o.Weight == "" {
					t.Fatalf("seed %d: %q: no edges, but %v", seed, o.Where, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %q: %v", seed, o.Where, err)
			}
			var got []string
			out := g.Out()
			for u := range uint32(g.NumVertices()) {
				at := out.Offsets[u]
				for k, v := range out.Neighbors(u) {
					s := g.IDs().Format(u) + " " + g.IDs().Format(v)
					if o.Weight != "" {
						s += fmt.Sprint(" w", out.Weights[at+uint64(k)])
					}
					got = append(got, fmt.Sprint(s, " #", out.EdgeIDs[at+uint64(k)]))
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %+v: got %q, want %q", seed, o, got, want)
			}
			if want := person.n + int(shift)/max(person.n, 1)*thing.n; g.NumVertices() != want {
				t.Fatalf("seed %d: %d vertices, want %d", seed, g.NumVertices(), want)
			}
			sameProperties(t, g, props, o.Properties, ends, id)
		}
	}
}

// sameProperties compares properties with those that were written.
func sameProperties(t *testing.T, g *graph.Graph, p *arrow.VertexProperties, names []string, ends []vertices, id func(int64) string) {
	t.Helper()
	if len(names) == 0 {
		if p != nil {
			t.Error("properties that nobody asked for")
		}
		return
	}
	var all []int
	for i := range names {
		all = append(all, i)
	}
	base := int64(0)
	for _, v := range ends {
		for i := range v.n {
			u, err := g.ParseVertex(id(base + int64(i)))
			if err != nil {
				t.Fatal(err)
			}
			rec, err := p.Gather(context.Background(), all, []uint32{u}, memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			for k, name := range names {
				want := "-"
				if name == "id" {
					want = fmt.Sprint(v.keys.([]int64)[i])
				}
				for _, g := range v.groups {
					for _, c := range g.cols {
						if c.name == name {
							want = c.at(i)
						}
					}
				}
				got := "-"
				if !rec.Column(k).IsNull(0) {
					got = rec.Column(k).ValueStr(0)
				}
				if got != want || rec.ColumnName(k) != name {
					t.Fatalf("%s %d: %s is %q, want %q", v.name, i, name, got, want)
				}
			}
			rec.Release()
		}
		base += int64(v.n)
	}
}

// TestPropertyErrors: what is wrong with properties is said with the file and
// the names that there are.
func TestPropertyErrors(t *testing.T) {
	const (
		edge = "person_knows_person.edge.yml"
		base = "edge/person_knows_person/ordered_by_source/"
	)
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		o      Options
		want   error
		text   string
	}{
		"no such weight":       {nil, Options{Weight: "cost"}, arrow.ErrColumn, `Options.Weight names "cost", but the properties are "w" (double), "since" (date), "eid" (int64)`},
		"no weight":            {nil, Options{Graph: graph.Options{Weights: true}}, arrow.ErrColumn, `no property is named "weight"`},
		"a date for a weight":  {nil, Options{Weight: "since"}, arrow.ErrColumnType, "weights are numbers, but it is date"},
		"no such edge id":      {nil, Options{EdgeID: "x"}, arrow.ErrColumn, "Options.EdgeID"},
		"an edge id of floats": {nil, Options{EdgeID: "w"}, arrow.ErrColumnType, "ids of edges are integers"},
		"condition":            {nil, Options{Where: "since >"}, arrow.ErrWhere, "the end, where a value belongs"},
		"no such column":       {nil, Options{Where: "x = 1"}, arrow.ErrColumn, `Options.Where names "x"`},
		"type of a condition":  {nil, Options{Where: "since > 5"}, arrow.ErrWhere, "compare it with a date in quotes"},
		"no edge meets it":     {nil, Options{Where: "w > 1000"}, graph.ErrEmpty, "no row meets the condition"},
		"no such property":     {nil, Options{Properties: []string{"height"}}, arrow.ErrColumn, `Options.Properties names "height", but the properties are`},
		"twice a property":     {nil, Options{Properties: []string{"s", "s"}}, graph.ErrOptions, `"s" twice`},
		"a property in CSV":    {nil, Options{Properties: []string{"other"}}, arrow.ErrUnsupported, "the property other is in csv; only Parquet is read"},
		"no such id":           {nil, Options{VertexID: "height"}, arrow.ErrColumn, `Options.VertexID names "height"`},
		"an id in CSV":         {nil, Options{VertexID: "other"}, arrow.ErrUnsupported, "other is in csv"},
		"an id twice":          {nil, Options{VertexID: "s"}, ErrIDs, "two vertices have the id"},
		"an id of floats":      {nil, Options{VertexID: "f"}, arrow.ErrColumnType, "ids are integers, strings or binary"},
		"id and numbers":       {nil, Options{VertexID: "s", IDs: IDsIndex}, graph.ErrOptions, "asks for numbers"},
		"null weight":          {parquetOf(base+"of_w/part0/chunk0", column{name: "w", values: []float64{1, 2}, valid: []bool{true, false}}), Options{Weight: "w"}, arrow.ErrNull, "of_w/part0/chunk0: row group 0, column \"w\", row 1"},
		"few weights":          {parquetOf(base+"of_w/part0/chunk0", column{name: "w", values: []float64{1}}), Options{Weight: "w"}, ErrMismatch, "of_w/part0/chunk0: damaged"},
		"many weights":         {parquetOf(base+"of_w/part0/chunk1", column{name: "w", values: []float64{1, 2}}), Options{Weight: "w"}, arrow.ErrRows, "wrong number of rows: 2, where the file that it goes with has 1"},
		"no weights":           {remove(base + "of_w/part1/chunk0"), Options{Weight: "w"}, nil, "of_w/part1/chunk0"},
		"another column":       {parquetOf(base+"of_w/part0/chunk0", column{name: "v", values: []float64{1, 2}}), Options{Weight: "w"}, ErrMismatch, edge + " says what properties edges have"},
		"another type":         {parquetOf(base+"of_w/part0/chunk0", column{name: "w", values: []int64{1, 2}}), Options{Weight: "w"}, ErrMismatch, `property "w" is of type double, but in`},
		"a weight past floats": {parquetOf(base+"of_w/part0/chunk0", column{name: "w", values: []float64{1e300, 2}}), Options{Weight: "w"}, arrow.ErrWeight, "1e+300"},
		"damaged weights": {func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, base+"of_w/part0/chunk0"), []byte("PAR1....PAR1"))
		}, Options{Weight: "w"}, arrow.ErrDamaged, "of_w/part0/chunk0"},
		"weights in CSV":     {replace(edge, "file_type: parquet\n  prefix: of_w/", "file_type: csv\n  prefix: of_w/"), Options{Weight: "w"}, arrow.ErrUnsupported, "the property w is in csv"},
		"two of a name":      {replace(edge, "name: since", "name: w"), Options{}, ErrInfo, "names of their own"},
		"no name":            {replace(edge, "name: since", "name: \"\""), Options{}, ErrInfo, "names of their own"},
		"few properties":     {parquetOf("vertex/person/of_s/chunk1", column{name: "s", values: []string{"x"}}, column{name: "f", values: []float64{1}}), Options{Properties: []string{"s"}}, ErrMismatch, "of_s/chunk1"},
		"type of a property": {parquetOf("vertex/person/of_s/chunk1", column{name: "s", values: []int64{1, 2}}, column{name: "f", values: []float64{1, 2}}), Options{Properties: []string{"s"}}, arrow.ErrColumnType, "in %s it is utf8"},
		"other numbers": {parquetOf("vertex/person/of_s/chunk1", column{name: vertexColumn, values: []int64{2, 4}}, column{name: "s", values: []string{"x", "y"}}, column{name: "f", values: []float64{1, 2}}),
			Options{Properties: []string{"s"}}, ErrMismatch, "row 1 has vertex 4, want 3"},
		"no property's column": {parquetOf("vertex/person/of_s/chunk1", column{name: "t", values: []string{"x", "y"}}), Options{Properties: []string{"s"}}, arrow.ErrColumn, `"t" (string)`},
		"two primary keys":     {replace("person.vertex.yml", "name: more\n    data_type: string", "name: more\n    data_type: string\n    is_primary: true"), Options{}, ErrIDs, "primary keys are id, more; name one"},
		"type of a key":        {replace("person.vertex.yml", "data_type: int64", "data_type: string"), Options{}, ErrMismatch, `property "id" is of type string, but in`},
		"very many vertices": {func(t *testing.T, dir string) {
			replace("person.vertex.yml", "chunk_size: 2", "chunk_size: 4000000000")(t, dir)
			replace(edge, "src_chunk_size: 2\ndst_chunk_size: 2", "src_chunk_size: 4000000000\ndst_chunk_size: 4000000000")(t, dir)
			writeCount(t, filepath.Join(dir, "vertex/person/vertex_count"), 4_000_000_000)
			writeCount(t, filepath.Join(dir, base+"vertex_count"), 4_000_000_000)
			writeCount(t, filepath.Join(dir, base+"edge_count0"), 3)
		}, Options{}, ErrMismatch, "2 vertices, want 4000000000"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			info := sampleWithProperties(t, dir)
			if c.damage != nil {
				c.damage(t, dir)
			}
			_, _, err := LoadWithProperties(context.Background(), info, c.o)
			text := strings.ReplaceAll(c.text, "%s", filepath.Join(dir, "vertex/person/of_s/chunk0"))
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), text) {
				t.Errorf("got %v, want %v and %q", err, c.want, text)
			}
		})
	}
	dir := t.TempDir()
	if _, err := Load(context.Background(), sampleWithProperties(t, dir), Options{Properties: []string{"s"}}); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("Load with properties: %v", err)
	}
}

// sampleWithProperties is the sample with properties of vertices and edges.
func sampleWithProperties(t testing.TB, dir string) string {
	e, _ := sample(t, dir)
	e.src.groups = []group{{cols: []column{{name: "s", values: []string{"a", "b", "a", "d", "e"}}, {name: "f", values: []float64{1, 2, 3, 4, 5}}}}}
	e.src.write(t, dir)
	n := len(e.pairs)
	w, since, ids := make([]float64, n), make([]day, n), make([]int64, n)
	for i := range n {
		w[i], since[i], ids[i] = float64(i), day(i), int64(i)
	}
	e.groups = []group{{cols: []column{{name: "w", values: w}}}, {cols: []column{{name: "since", values: since}, {name: "eid", values: ids}}}}
	return e.write(t, dir)
}

// TestDamaged: whatever is in the files, loading ends, with a graph or with an
// error that names one.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	dir := t.TempDir()
	info := sampleWithProperties(t, dir)
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	paths := slices.Sorted(maps.Keys(files))
	failed := 0
	for range 600 {
		path := paths[r.IntN(len(paths))]
		data := slices.Clone(files[path])
		for range 1 + r.IntN(3) {
			data[r.IntN(len(data))] = byte(r.IntN(256))
		}
		if r.IntN(10) == 0 {
			data = data[:r.IntN(len(data))]
		}
		writeFile(t, path, data)
		o := Options{Properties: []string{"s", "f"}, Where: "since < '1970-01-04' or w >= 0", Weight: "w", EdgeID: "eid"}
		o.Graph.MemoryLimit = 256 << 20
		_, _, err := LoadWithProperties(context.Background(), info, o)
		writeFile(t, path, files[path])
		if err != nil {
			failed++
			if !strings.Contains(err.Error(), dir) && !errors.Is(err, graph.ErrMemory) {
				t.Errorf("%s: %v names no file", path, err)
			}
		}
	}
	if failed < 200 {
		t.Errorf("%d of 600 failed", failed)
	}
}
