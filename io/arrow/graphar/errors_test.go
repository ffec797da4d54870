// This file tests what is wrong with directories in GraphAr's format.

package graphar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// replace returns what replaces text in a file.
func replace(name, old, with string) func(t *testing.T, dir string) {
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

// remove returns what removes a file.
func remove(name string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// parquetOf returns what writes another file.
func parquetOf(name string, cols ...column) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) { writeParquet(t, filepath.Join(dir, name), cols...) }
}

// TestErrors damages the sample.
func TestErrors(t *testing.T) {
	count := func(name string, n int) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { writeCount(t, filepath.Join(dir, name), n) }
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
		}, errMismatch, "8 bytes"},
		"negative count":      {count("vertex/person/vertex_count", -1), errMismatch, "-1"},
		"many vertices":       {count("vertex/person/vertex_count", 1<<40), graph.ErrTooManyVertices, "vertex_count"},
		"more vertices":       {count("vertex/person/vertex_count", 7), errMismatch, "vertex_count says 5"},
		"more edges":          {count(base+"edge_count0", 4), errMismatch, "but the counts say 6"},
		"very many edges":     {count(base+"edge_count0", 1<<62), fs.ErrNotExist, "chunk2"},
		"YAML":                {replace(edge, "chunk_size: 2", "chunk_size: [[["), errInfo, edge},
		"no chunk size":       {replace(edge, "\nchunk_size: 2", ""), errInfo, "chunk_size"},
		"negative chunk size": {replace(edge, "\nchunk_size: 2", "\nchunk_size: -2"), errInfo, "chunk_size"},
		"other chunk size":    {replace(vertex, "chunk_size: 2", "chunk_size: 3"), errMismatch, "vertices in a chunk"},
		"version":             {replace(edge, "gar/v1", "gar/v2"), errors.ErrUnsupported, "version \"gar/v2\""},
		"ORC and JSON": {func(t *testing.T, dir string) {
			replace(edge, "csv", "orc")(t, dir)
			replace(edge, "parquet", "json")(t, dir)
		}, errors.ErrUnsupported, "orc, json; Parquet and CSV are read"},
		"Parquet called CSV": {replace(edge, "parquet", "csv"), arrow.ErrDamaged, "it should be CSV, but it begins like Parquet"},
		"ORC keys":           {replace(vertex, "parquet", "orc"), errors.ErrUnsupported, "the property id is in orc; Parquet and CSV are read; Options.IndexIDs takes their numbers"},
		"alignment":          {replace(edge, "aligned_by: src", "aligned_by: edge"), errInfo, "aligned by"},
		"no such key":        {replace(vertex, "name: id", "name: uid"), fs.ErrNotExist, "uid_more"},
		"twice a key":        {parquetOf("vertex/person/id_more/chunk1", column{name: "id", values: []int64{10, 40}}), errIDs, "the id 10"},
		"few keys":           {parquetOf("vertex/person/id_more/chunk1", column{name: "id", values: []int64{30}}), errMismatch, "1 vertices, want 2"},
		"many keys":          {parquetOf("vertex/person/id_more/chunk2", column{name: "id", values: []int64{50, 60}}), errMismatch, "2 vertices, want 1"},
		"types of keys":      {parquetOf("vertex/person/id_more/chunk1", column{name: "id", values: []string{"a", "b"}}), arrow.ErrColumnType, "id"},
		"no column":          {parquetOf("vertex/person/id_more/chunk1", column{name: "di", values: []int64{1, 2}}), arrow.ErrColumn, "id"},
		"an end too large":   {parquetOf(base+"adj_list/part0/chunk1", column{name: sourceColumn, values: []int64{1}}, column{name: targetColumn, values: []int64{5}}), errMismatch, "from vertex 1 of 5 to 5 of 5"},
		"an end below 0":     {parquetOf(base+"adj_list/part0/chunk1", column{name: sourceColumn, values: []int64{-1}}, column{name: targetColumn, values: []int64{0}}), errMismatch, "from vertex -1 of 5"},
		"ends are strings":   {parquetOf(base+"adj_list/part0/chunk1", column{name: sourceColumn, values: []string{"a"}}, column{name: targetColumn, values: []string{"b"}}), arrow.ErrColumnType, "ids are"},
		"columns of edges":   {parquetOf(base+"adj_list/part0/chunk1", column{name: "src", values: []int64{1}}, column{name: "dst", values: []int64{2}}), arrow.ErrColumn, sourceColumn},
		"offsets descend":    {parquetOf(base+"offset/chunk0", column{name: offsetColumn, values: []int64{0, 4, 3}}), errMismatch, "offset 2 is 3, after 4"},
		"offsets begin":      {parquetOf(base+"offset/chunk0", column{name: offsetColumn, values: []int64{1, 2, 3}}), errMismatch, "from 0"},
		"offsets end":        {parquetOf(base+"offset/chunk0", column{name: offsetColumn, values: []int64{0, 2, 4}}), errMismatch, "edge_count0 says 3"},
		"few offsets":        {parquetOf(base+"offset/chunk0", column{name: offsetColumn, values: []int64{0, 3}}), errMismatch, "2 offsets for 2 vertices"},
		"a damaged chunk": {func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, base+"adj_list/part0/chunk0"), []byte("PAR1....PAR1"))
		}, arrow.ErrDamaged, "chunk0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, info := sample(t, dir)
			if _, err := loadGraph(context.Background(), info, Options{}); err != nil {
				t.Fatal("before it is damaged: ", err)
			}
			c.damage(t, dir)
			_, err := loadGraph(context.Background(), info, Options{})
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
	if _, err := loadGraph(context.Background(), info, Options{}); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(e.dir(dir), "adj_list", "part0")
	if err := os.Remove(filepath.Join(part, "chunk0")); err != nil {
		t.Fatal(err)
	}
	if _, err := loadGraph(context.Background(), info, Options{}); !errors.Is(err, errMismatch) || !strings.Contains(err.Error(), "last chunk is number 1, but there are 1") {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(part, "chunk1")); err != nil {
		t.Fatal(err)
	}
	if _, err := loadGraph(context.Background(), info, Options{}); !errors.Is(err, errMismatch) || !strings.Contains(err.Error(), "the offsets end at") {
		t.Error(err)
	}
}

// FuzzInfo reads what fuzzing makes of YAML files.
func FuzzInfo(f *testing.F) {
	seed := f.TempDir()
	e, _ := sample(f, seed)
	info := sampleWithProperties(f, seed)
	whole := writeGraphInfo(f, seed, "", []vertices{e.src}, []edges{e})
	for _, path := range []string{info, whole, filepath.Join(seed, "person.vertex.yml")} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("a: &a [x, x]\nb: &b [*a, *a]\nedges: [*b, *b]\n"))
	dir := filepath.Join(f.TempDir(), fmt.Sprint(os.Getpid())) // workers are processes
	sampleWithProperties(f, dir)
	files := map[string][]byte{}
	for _, name := range []string{"person.vertex.yml", "person_knows_person.edge.yml"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		files[name] = data
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, old := range files {
			writeFile(t, filepath.Join(dir, name), data)
			if g, err := loadGraph(context.Background(), filepath.Join(dir, "person_knows_person.edge.yml"), Options{Where: "w >= 0", Graph: graph.Options{MemoryLimit: 1 << 28}}); err == nil && g.NumVertices() == 0 {
				t.Error("a graph without vertices")
			}
			writeFile(t, filepath.Join(dir, name), old)
		}
		writeFile(t, filepath.Join(dir, "it.graph.yml"), data)
		_, _ = loadGraph(context.Background(), filepath.Join(dir, "it.graph.yml"), Options{}) // it must return
	})
}
