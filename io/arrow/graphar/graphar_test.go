// This file tests reading GraphAr on directories that it writes itself, by the
// specification.

package graphar

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// column is a column of a Parquet file: []int64, []int32 or []string.
type column struct {
	name   string
	values any
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func writeParquet(t testing.TB, path string, cols ...column) {
	t.Helper()
	var nodes schema.FieldList
	for _, c := range cols {
		var n schema.Node
		switch c.values.(type) {
		case []int64:
			n = schema.NewInt64Node(c.name, parquet.Repetitions.Required, -1)
		case []int32:
			n = schema.NewInt32Node(c.name, parquet.Repetitions.Required, -1)
		case []string:
			n = schema.MustPrimitive(schema.NewPrimitiveNodeLogical(c.name, parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1))
		}
		nodes = append(nodes, n)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)))
	g := w.AppendRowGroup()
	for _, c := range cols {
		cw, err := g.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		switch cw := cw.(type) {
		case *file.Int64ColumnChunkWriter:
			_, err = cw.WriteBatch(c.values.([]int64), nil, nil)
		case *file.Int32ColumnChunkWriter:
			_, err = cw.WriteBatch(c.values.([]int32), nil, nil)
		case *file.ByteArrayColumnChunkWriter:
			var list []parquet.ByteArray
			for _, s := range c.values.([]string) {
				list = append(list, parquet.ByteArray(s))
			}
			_, err = cw.WriteBatch(list, nil, nil)
		}
		if err == nil {
			err = cw.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(g.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, out.Bytes())
}

func writeCount(t testing.TB, path string, n int) {
	writeFile(t, path, binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// vertices is a type of vertices: its keys are []int64, []int32 or []string, or
// nil for none.
type vertices struct {
	name  string
	n     int
	chunk int
	keys  any
}

func (v *vertices) write(t testing.TB, dir string) {
	text := fmt.Sprintf("type: %s\nchunk_size: %d\nprefix: vertex/%s/\nversion: gar/v1\n", v.name, v.chunk, v.name)
	if v.keys != nil {
		text += "property_groups:\n- file_type: csv\n  properties:\n  - name: other\n    data_type: string\n    is_primary: false\n" +
			"- file_type: parquet\n  properties:\n  - name: id\n    data_type: int64\n    is_primary: true\n  - name: more\n    data_type: string\n"
		for i := 0; i*v.chunk < v.n; i++ {
			lo, hi := i*v.chunk, min((i+1)*v.chunk, v.n)
			var part any
			switch k := v.keys.(type) {
			case []int64:
				part = k[lo:hi]
			case []int32:
				part = k[lo:hi]
			case []string:
				part = k[lo:hi]
			}
			writeParquet(t, filepath.Join(dir, "vertex", v.name, "id_more", fmt.Sprintf("chunk%d", i)), column{"more", make([]string, hi-lo)}, column{"id", part})
		}
	}
	writeFile(t, filepath.Join(dir, v.name+".vertex.yml"), []byte(text))
	writeCount(t, filepath.Join(dir, "vertex", v.name, "vertex_count"), v.n)
}

// edges is a kind of edges with one adjacency list.
type edges struct {
	src, dst vertices
	name     string
	chunk    int
	list     adjList
	pairs    [][2]int64
	counts   bool // write edge_count files
}

func (e *edges) dir(dir string) string {
	return filepath.Join(dir, "edge", e.src.name+"_"+e.name+"_"+e.dst.name, e.list.name())
}

func (e *edges) write(t testing.TB, dir string) (info string) {
	kind := e.src.name + "_" + e.name + "_" + e.dst.name
	text := fmt.Sprintf("src_type: %s\nedge_type: %s\ndst_type: %s\nchunk_size: %d\nsrc_chunk_size: %d\ndst_chunk_size: %d\ndirected: true\nprefix: edge/%s/\nversion: gar/v1\n",
		e.src.name, e.name, e.dst.name, e.chunk, e.src.chunk, e.dst.chunk, kind)
	text += fmt.Sprintf("adj_lists:\n- ordered: true\n  aligned_by: src\n  file_type: csv\n- ordered: %v\n  aligned_by: %s\n  file_type: parquet\n", e.list.Ordered, e.list.AlignedBy)
	info = filepath.Join(dir, kind+".edge.yml")
	writeFile(t, info, []byte(text))

	by, at := e.src, 0
	if e.list.AlignedBy == "dst" {
		by, at = e.dst, 1
	}
	base := e.dir(dir)
	writeCount(t, filepath.Join(base, "vertex_count"), by.n)
	for i := 0; i*by.chunk < by.n; i++ {
		lo, hi := int64(i*by.chunk), int64((i+1)*by.chunk)
		var part [][2]int64
		for _, p := range e.pairs {
			if p[at] >= lo && p[at] < hi {
				part = append(part, p)
			}
		}
		if e.list.Ordered {
			slices.SortStableFunc(part, func(a, b [2]int64) int { return int(a[at] - b[at]) })
			offsets := make([]int64, min(by.chunk, by.n-int(lo))+1)
			for _, p := range part {
				offsets[p[at]-lo+1]++
			}
			for k := 1; k < len(offsets); k++ {
				offsets[k] += offsets[k-1]
			}
			writeParquet(t, filepath.Join(base, "offset", fmt.Sprintf("chunk%d", i)), column{"_graphArOffset", offsets})
		}
		if e.counts {
			writeCount(t, filepath.Join(base, fmt.Sprintf("edge_count%d", i)), len(part))
		}
		if err := os.MkdirAll(filepath.Join(base, "adj_list", fmt.Sprintf("part%d", i)), 0o777); err != nil {
			t.Fatal(err)
		}
		for j := 0; j*e.chunk < len(part); j++ {
			var src, dst []int64
			for _, p := range part[j*e.chunk : min((j+1)*e.chunk, len(part))] {
				src, dst = append(src, p[0]), append(dst, p[1])
			}
			writeParquet(t, filepath.Join(base, "adj_list", fmt.Sprintf("part%d", i), fmt.Sprintf("chunk%d", j)),
				column{"_graphArSrcIndex", src}, column{"_graphArDstIndex", dst})
		}
	}
	return info
}

func writeGraphInfo(t testing.TB, dir, prefix string, vs []vertices, es []edges) string {
	text := "name: it\n" + prefix + "vertices:\n"
	for _, v := range vs {
		text += "- " + v.name + ".vertex.yml\n"
	}
	text += "edges:\n"
	for _, e := range es {
		text += "- " + e.src.name + "_" + e.name + "_" + e.dst.name + ".edge.yml\n"
	}
	path := filepath.Join(dir, "it.graph.yml")
	writeFile(t, path, []byte(text+"version: gar/v1\n"))
	return path
}

// randomKeys returns n different keys, by the type of like.
func randomKeys(r *rand.Rand, n int, like any) any {
	perm := r.Perm(5 * n)
	switch like.(type) {
	case []int64:
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = int64(perm[i])*1_000_003 - 9
		}
		return keys
	case []int32:
		keys := make([]int32, n)
		for i := range keys {
			keys[i] = int32(perm[i])
		}
		return keys
	case []string:
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("k%d", perm[i])
		}
		return keys
	}
	return nil
}

func keyText(keys any, i int64) string {
	switch k := keys.(type) {
	case []int64:
		return fmt.Sprint(k[i])
	case []int32:
		return fmt.Sprint(k[i])
	}
	return keys.([]string)[i]
}

// edgeTexts returns the edges of a directed graph, sorted, by their ids.
func edgeTexts(g *graph.Graph) (list []string) {
	for u := range uint32(g.NumVertices()) {
		for _, v := range g.Out().Neighbors(u) {
			list = append(list, g.IDs().Format(u)+" "+g.IDs().Format(v))
		}
	}
	slices.Sort(list)
	return list
}

var lists = []adjList{{Ordered: true, AlignedBy: "src"}, {AlignedBy: "src"}, {Ordered: true, AlignedBy: "dst"}, {AlignedBy: "dst"}}

// TestRandom reads random graphs, of one type of vertices and of two.
func TestRandom(t *testing.T) {
	keyTypes := []any{[]int64(nil), []int32(nil), []string(nil), nil}
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		dir := t.TempDir()
		person := vertices{name: "person", n: 1 + r.IntN(60), chunk: 1 + r.IntN(30)}
		thing := vertices{name: "thing", n: 1 + r.IntN(40), chunk: 1 + r.IntN(30)}
		person.keys = randomKeys(r, person.n, keyTypes[seed%4])
		thing.keys = person.keys
		all := []vertices{person}
		e := edges{src: person, dst: person, name: "knows", chunk: 1 + r.IntN(20), list: lists[r.IntN(4)], counts: r.IntN(3) > 0}
		bipartite := r.IntN(2) == 0
		if bipartite {
			// Keys that are different from those of the others.
			both := randomKeys(r, person.n+thing.n, keyTypes[seed%4])
			switch k := both.(type) {
			case []int64:
				person.keys, thing.keys = k[:person.n], k[person.n:]
			case []int32:
				person.keys, thing.keys = k[:person.n], k[person.n:]
			case []string:
				person.keys, thing.keys = k[:person.n], k[person.n:]
			}
			all = []vertices{thing, person}
			e.src, e.dst, e.name = person, thing, "has"
		}
		for range 1 + r.IntN(200) {
			e.pairs = append(e.pairs, [2]int64{r.Int64N(int64(e.src.n)), r.Int64N(int64(e.dst.n))})
		}
		for i := range all {
			all[i].write(t, dir)
		}
		if bipartite {
			thing.write(t, dir)
			person.write(t, dir)
		}
		edge := e.write(t, dir)
		prefix := []string{"", "prefix: ./\n", "prefix: " + dir + "/\n", "prefix: file://" + dir + "/\n"}[r.IntN(4)]
		whole := writeGraphInfo(t, dir, prefix, all, []edges{e})

		shift := int64(0)
		if bipartite {
			shift = int64(person.n)
		}
		var indices, keys []string
		for _, p := range e.pairs {
			indices = append(indices, fmt.Sprint(p[0], p[1]+shift))
			if e.src.keys != nil {
				keys = append(keys, keyText(e.src.keys, p[0])+" "+keyText(e.dst.keys, p[1]))
			}
		}
		if e.src.keys == nil {
			keys = slices.Clone(indices)
		}
		slices.Sort(indices)
		slices.Sort(keys)
		for _, path := range []string{edge, whole} {
			for _, c := range []struct {
				ids  IDs
				want []string
			}{{IDsAuto, keys}, {IDsIndex, indices}} {
				o := Options{IDs: c.ids, TwoPass: r.IntN(2) == 0, Edge: []string{"", e.name}[r.IntN(2)]}
				o.Graph = graph.Options{Directed: true, Reverse: r.IntN(2) == 0, KeepDuplicates: true, KeepSelfLoops: true, Order: graph.Order(r.IntN(3))}
				g, err := Load(context.Background(), path, o)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if got := edgeTexts(g); !slices.Equal(got, c.want) {
					t.Fatalf("seed %d, ids %d: got %q, want %q", seed, c.ids, got, c.want)
				}
				if want := e.src.n + int(shift)/max(e.src.n, 1)*e.dst.n; g.NumVertices() != want {
					t.Fatalf("seed %d: %d vertices, want %d", seed, g.NumVertices(), want)
				}
				if (g.In() != nil) != o.Graph.Reverse {
					t.Errorf("the reverse is lost")
				}
				for v := range uint32(g.NumVertices()) {
					if got, err := g.ParseVertex(g.IDs().Format(v)); got != v || err != nil {
						t.Fatalf("vertex %d is %d, %v", v, got, err)
					}
				}
			}
		}
		if names, err := Edges(whole); err != nil || len(names) != 1 || names[0] != e.src.name+"_"+e.name+"_"+e.dst.name {
			t.Errorf("Edges: %q, %v", names, err)
		}
	}
}

// sample writes a small graph, and returns the path of its edges' file.
func sample(t testing.TB, dir string) (e edges, info string) {
	v := vertices{name: "person", n: 5, chunk: 2, keys: []int64{10, 20, 30, 40, 50}}
	v.write(t, dir)
	e = edges{src: v, dst: v, name: "knows", chunk: 2, list: adjList{Ordered: true, AlignedBy: "src"}, counts: true,
		pairs: [][2]int64{{0, 1}, {0, 2}, {1, 2}, {3, 0}, {4, 4}}}
	return e, e.write(t, dir)
}

// TestErrors damages the sample.
func TestErrors(t *testing.T) {
	replace := func(name, old, with string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), old) {
				t.Fatalf("no %q in %s", old, data)
			}
			writeFile(t, path, []byte(strings.ReplaceAll(string(data), old, with)))
		}
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	count := func(name string, n int) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { writeCount(t, filepath.Join(dir, name), n) }
	}
	parquet := func(name string, cols ...column) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { writeParquet(t, filepath.Join(dir, name), cols...) }
	}
	const (
		edge   = "person_knows_person.edge.yml"
		vertex = "person.vertex.yml"
		base   = "edge/person_knows_person/ordered_by_source/"
	)
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		want   error
		text   string
	}{
		"no edge file":   {remove(edge), fs.ErrNotExist, edge},
		"no vertex file": {remove(vertex), fs.ErrNotExist, "vertices of type \"person\""},
		"no count":       {remove("vertex/person/vertex_count"), fs.ErrNotExist, "vertex_count"},
		"no chunk":       {remove(base + "adj_list/part0/chunk1"), fs.ErrNotExist, "chunk 1 of 2"},
		"no part":        {remove(base + "adj_list/part1"), fs.ErrNotExist, "part1"},
		"no offsets":     {remove(base + "offset/chunk2"), fs.ErrNotExist, "chunk2"},
		"no keys":        {remove("vertex/person/id_more/chunk1"), fs.ErrNotExist, "chunk1"},
		"short count": {func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "vertex/person/vertex_count"), []byte("5"))
		}, ErrMismatch, "8 bytes"},
		"negative count":      {count("vertex/person/vertex_count", -1), ErrMismatch, "-1"},
		"many vertices":       {count("vertex/person/vertex_count", 1<<40), graph.ErrTooManyVertices, "vertex_count"},
		"more vertices":       {count("vertex/person/vertex_count", 7), ErrMismatch, "vertex_count says 5"},
		"more edges":          {count(base+"edge_count0", 4), ErrMismatch, "but the counts say 6"},
		"very many edges":     {count(base+"edge_count0", 1<<62), fs.ErrNotExist, "chunk2"},
		"YAML":                {replace(edge, "chunk_size: 2", "chunk_size: [[["), ErrInfo, edge},
		"no chunk size":       {replace(edge, "\nchunk_size: 2", ""), ErrInfo, "chunk_size"},
		"negative chunk size": {replace(edge, "\nchunk_size: 2", "\nchunk_size: -2"), ErrInfo, "chunk_size"},
		"other chunk size":    {replace(vertex, "chunk_size: 2", "chunk_size: 3"), ErrMismatch, "vertices in a chunk"},
		"version":             {replace(edge, "gar/v1", "gar/v2"), arrow.ErrUnsupported, "version \"gar/v2\""},
		"CSV":                 {replace(edge, "parquet", "csv"), arrow.ErrUnsupported, "csv, csv; only Parquet"},
		"ORC keys":            {replace(vertex, "parquet", "orc"), arrow.ErrUnsupported, "primary key id is in orc"},
		"alignment":           {replace(edge, "aligned_by: src", "aligned_by: edge"), ErrInfo, "aligned by"},
		"no such key":         {replace(vertex, "name: id", "name: uid"), fs.ErrNotExist, "uid_more"},
		"twice a key":         {parquet("vertex/person/id_more/chunk1", column{"id", []int64{10, 40}}), ErrIDs, "primary key 10"},
		"few keys":            {parquet("vertex/person/id_more/chunk1", column{"id", []int64{30}}), ErrMismatch, "1 vertices, want 2"},
		"many keys":           {parquet("vertex/person/id_more/chunk2", column{"id", []int64{50, 60}}), ErrMismatch, "2 vertices, want 1"},
		"types of keys":       {parquet("vertex/person/id_more/chunk1", column{"id", []string{"a", "b"}}), arrow.ErrColumnType, "id"},
		"no column":           {parquet("vertex/person/id_more/chunk1", column{"di", []int64{1, 2}}), arrow.ErrColumn, "id"},
		"an end too large":    {parquet(base+"adj_list/part0/chunk1", column{sourceColumn, []int64{1}}, column{targetColumn, []int64{5}}), ErrMismatch, "from vertex 1 of 5 to 5 of 5"},
		"an end below 0":      {parquet(base+"adj_list/part0/chunk1", column{sourceColumn, []int64{-1}}, column{targetColumn, []int64{0}}), ErrMismatch, "from vertex -1 of 5"},
		"ends are strings":    {parquet(base+"adj_list/part0/chunk1", column{sourceColumn, []string{"a"}}, column{targetColumn, []string{"b"}}), arrow.ErrColumnType, "ids are"},
		"columns of edges":    {parquet(base+"adj_list/part0/chunk1", column{"src", []int64{1}}, column{"dst", []int64{2}}), arrow.ErrColumn, sourceColumn},
		"offsets descend":     {parquet(base+"offset/chunk0", column{offsetColumn, []int64{0, 4, 3}}), ErrMismatch, "offset 2 is 3, after 4"},
		"offsets begin":       {parquet(base+"offset/chunk0", column{offsetColumn, []int64{1, 2, 3}}), ErrMismatch, "from 0"},
		"offsets end":         {parquet(base+"offset/chunk0", column{offsetColumn, []int64{0, 2, 4}}), ErrMismatch, "edge_count0 says 3"},
		"few offsets":         {parquet(base+"offset/chunk0", column{offsetColumn, []int64{0, 3}}), ErrMismatch, "2 offsets for 2 vertices"},
		"a damaged chunk": {func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, base+"adj_list/part0/chunk0"), []byte("PAR1....PAR1"))
		}, arrow.ErrDamaged, "chunk0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, info := sample(t, dir)
			if _, err := Load(context.Background(), info, Options{}); err != nil {
				t.Fatal("before it is damaged: ", err)
			}
			c.damage(t, dir)
			_, err := Load(context.Background(), info, Options{})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %v and %q", err, c.want, c.text)
			}
		})
	}
}

// TestMissingInTheMiddle: without counts, chunks must still be whole.
func TestMissingInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	e, info := sample(t, dir)
	for i := range 3 {
		if err := os.Remove(filepath.Join(e.dir(dir), fmt.Sprintf("edge_count%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(context.Background(), info, Options{}); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(e.dir(dir), "adj_list", "part0")
	if err := os.Remove(filepath.Join(part, "chunk0")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(context.Background(), info, Options{}); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "last chunk is number 1, but there are 1") {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(part, "chunk1")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(context.Background(), info, Options{}); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "the offsets end at") {
		t.Error(err)
	}
}

func TestChoice(t *testing.T) {
	dir := t.TempDir()
	e, _ := sample(t, dir)
	other := e
	other.name = "likes"
	other.write(t, dir)
	whole := writeGraphInfo(t, dir, "", []vertices{e.src}, []edges{e, other})
	for name, want := range map[string]error{"": ErrEdge, "hates": ErrEdge, "likes": nil, "person_knows_person": nil} {
		if _, err := Load(context.Background(), whole, Options{Edge: name}); !errors.Is(err, want) {
			t.Errorf("%q: %v", name, err)
		} else if want != nil && !strings.Contains(err.Error(), "person_knows_person, person_likes_person") {
			t.Errorf("%q: %v doesn't say which there are", name, err)
		}
	}
	if _, err := Load(context.Background(), filepath.Join(dir, "person.vertex.yml"), Options{}); !errors.Is(err, ErrInfo) {
		t.Errorf("vertices: %v", err)
	}
	if _, err := Load(context.Background(), whole, Options{Edge: "likes", Graph: graph.Options{Weights: true}}); !errors.Is(err, arrow.ErrUnsupported) {
		t.Errorf("weights: %v", err)
	}
	writeFile(t, whole, []byte("name: it\nprefix: s3://bucket/it\nvertices: []\nedges: []\n"))
	if _, err := Load(context.Background(), whole, Options{}); !errors.Is(err, arrow.ErrUnsupported) {
		t.Errorf("elsewhere: %v", err)
	}
	writeFile(t, whole, []byte("name: it\nvertices: []\nedges: []\n"))
	if _, err := Load(context.Background(), whole, Options{}); !errors.Is(err, ErrEdge) {
		t.Errorf("no edges: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Load(ctx, filepath.Join(dir, "person_likes_person.edge.yml"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSameKeys: two types whose keys are the same.
func TestSameKeys(t *testing.T) {
	dir := t.TempDir()
	a := vertices{name: "a", n: 2, chunk: 2, keys: []int64{1, 2}}
	b := vertices{name: "b", n: 2, chunk: 2, keys: []int64{2, 3}}
	a.write(t, dir)
	b.write(t, dir)
	e := edges{src: a, dst: b, name: "has", chunk: 9, list: adjList{AlignedBy: "dst"}, pairs: [][2]int64{{0, 1}, {1, 1}}}
	info := e.write(t, dir)
	if _, err := Load(context.Background(), info, Options{}); !errors.Is(err, ErrIDs) || !strings.Contains(err.Error(), "primary key 2") {
		t.Error(err)
	}
	g, err := Load(context.Background(), info, Options{IDs: IDsIndex, Graph: graph.Options{Directed: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got := edgeTexts(g); !slices.Equal(got, []string{"0 3", "1 3"}) {
		t.Errorf("%q", got)
	}
}

// FuzzInfo reads what fuzzing makes of YAML files.
func FuzzInfo(f *testing.F) {
	seed := f.TempDir()
	e, info := sample(f, seed)
	whole := writeGraphInfo(f, seed, "", []vertices{e.src}, []edges{e})
	for _, path := range []string{info, whole, filepath.Join(seed, "person.vertex.yml")} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("a: &a [x, x]\nb: &b [*a, *a]\nedges: [*b, *b]\n"))
	for _, name := range []string{"person_knows_person.edge.yml", "it.graph.yml", "person.vertex.yml"} {
		if _, err := os.Stat(filepath.Join(seed, name)); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		sample(t, dir)
		for _, name := range []string{"person.vertex.yml", "person_knows_person.edge.yml"} {
			old, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, name), data)
			if g, err := Load(context.Background(), filepath.Join(dir, "person_knows_person.edge.yml"), Options{}); err == nil && g.NumVertices() == 0 {
				t.Error("a graph without vertices")
			}
			writeFile(t, filepath.Join(dir, name), old)
		}
		writeFile(t, filepath.Join(dir, "it.graph.yml"), data)
		_, _ = Load(context.Background(), filepath.Join(dir, "it.graph.yml"), Options{})
	})
}
