// This file tests what is wrong with properties, and damaged directories.

package graphar

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

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
		"condition":            {nil, Options{Where: "since >"}, graph.ErrOptions, "the end, where a value belongs"},
		"no such column":       {nil, Options{Where: "x = 1"}, arrow.ErrColumn, `Options.Where names "x"`},
		"type of a condition":  {nil, Options{Where: "since > 5"}, graph.ErrOptions, "compare it with a date in quotes"},
		"no such property":     {nil, Options{Properties: []string{"height"}}, arrow.ErrColumn, `Options.Properties names "height", but the properties are`},
		"twice a property":     {nil, Options{Properties: []string{"s", "s"}}, graph.ErrOptions, `"s" twice`},
		"a property in ORC":    {nil, Options{Properties: []string{"other"}}, errors.ErrUnsupported, "the property other is in orc; Parquet and CSV are read"},
		"no such id":           {nil, Options{VertexID: "height"}, arrow.ErrColumn, `Options.VertexID names "height"`},
		"an id in ORC":         {nil, Options{VertexID: "other"}, errors.ErrUnsupported, "other is in orc"},
		"an id twice":          {nil, Options{VertexID: "s"}, errIDs, "two vertices have the id"},
		"an id of floats":      {nil, Options{VertexID: "f"}, arrow.ErrColumnType, "ids are integers, strings or binary"},
		"id and numbers":       {nil, Options{VertexID: "s", IndexIDs: true}, graph.ErrOptions, "asks for numbers"},
		"null weight":          {parquetOf(base+"of_w/part0/chunk0", column{name: "w", values: []float64{1, 2}, valid: []bool{true, false}}), Options{Weight: "w"}, arrow.ErrNull, "of_w/part0/chunk0: row group 0, column \"w\", row 1"},
		"few weights":          {parquetOf(base+"of_w/part0/chunk0", column{name: "w", values: []float64{1}}), Options{Weight: "w"}, errMismatch, "of_w/part0/chunk0: damaged"},
		"many weights":         {parquetOf(base+"of_w/part0/chunk1", column{name: "w", values: []float64{1, 2}}), Options{Weight: "w"}, arrow.ErrDamaged, "wrong number of rows: 2, where the file that it goes with has 1"},
		"no weights":           {remove(base + "of_w/part1/chunk0"), Options{Weight: "w"}, nil, "of_w/part1/chunk0"},
		"another column":       {parquetOf(base+"of_w/part0/chunk0", column{name: "v", values: []float64{1, 2}}), Options{Weight: "w"}, errMismatch, edge + " says what properties edges have"},
		"another type":         {parquetOf(base+"of_w/part0/chunk0", column{name: "w", values: []int64{1, 2}}), Options{Weight: "w"}, errMismatch, `property "w" is of type double, but in`},
		"a weight past floats": {parquetOf(base+"of_w/part0/chunk0", column{name: "w", values: []float64{1e300, 2}}), Options{Weight: "w", Graph: graph.Options{WeightType: graph.WeightsFloat32}}, graph.ErrWeights, "1e+300"},
		"damaged weights": {func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, base+"of_w/part0/chunk0"), []byte("PAR1....PAR1"))
		}, Options{Weight: "w"}, arrow.ErrDamaged, "of_w/part0/chunk0"},
		"weights in ORC":     {replace(edge, "file_type: parquet\n  prefix: of_w/", "file_type: orc\n  prefix: of_w/"), Options{Weight: "w"}, errors.ErrUnsupported, "the property w is in orc"},
		"two of a name":      {replace(edge, "name: since", "name: w"), Options{}, errInfo, "names of their own"},
		"no name":            {replace(edge, "name: since", "name: \"\""), Options{}, errInfo, "names of their own"},
		"few properties":     {parquetOf("vertex/person/of_s/chunk1", column{name: "s", values: []string{"x"}}, column{name: "f", values: []float64{1}}), Options{Properties: []string{"s"}}, errMismatch, "of_s/chunk1"},
		"type of a property": {parquetOf("vertex/person/of_s/chunk1", column{name: "s", values: []int64{1, 2}}, column{name: "f", values: []float64{1, 2}}), Options{Properties: []string{"s"}}, arrow.ErrColumnType, "in %s it is utf8"},
		"other numbers": {parquetOf("vertex/person/of_s/chunk1", column{name: vertexColumn, values: []int64{2, 4}}, column{name: "s", values: []string{"x", "y"}}, column{name: "f", values: []float64{1, 2}}),
			Options{Properties: []string{"s"}}, errMismatch, "row 1 has vertex 4, want 3"},
		"no property's column": {parquetOf("vertex/person/of_s/chunk1", column{name: "t", values: []string{"x", "y"}}), Options{Properties: []string{"s"}}, arrow.ErrColumn, `"t" (string)`},
		"two primary keys":     {replace("person.vertex.yml", "name: more\n    data_type: string", "name: more\n    data_type: string\n    is_primary: true"), Options{}, errIDs, "primary keys are id, more; name one"},
		"type of a key":        {replace("person.vertex.yml", "data_type: int64", "data_type: string"), Options{}, errMismatch, `property "id" is of type string, but in`},
		"very many vertices": {func(t *testing.T, dir string) {
			replace("person.vertex.yml", "chunk_size: 2", "chunk_size: 4000000000")(t, dir)
			replace(edge, "src_chunk_size: 2\ndst_chunk_size: 2", "src_chunk_size: 4000000000\ndst_chunk_size: 4000000000")(t, dir)
			writeCount(t, filepath.Join(dir, "vertex/person/vertex_count"), 4_000_000_000)
			writeCount(t, filepath.Join(dir, base+"vertex_count"), 4_000_000_000)
			writeCount(t, filepath.Join(dir, base+"edge_count0"), 3)
		}, Options{}, errMismatch, "2 vertices, want 4000000000"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			info := sampleWithProperties(t, dir)
			if c.damage != nil {
				c.damage(t, dir)
			}
			_, _, err := loadWithProperties(context.Background(), info, c.o)
			text := strings.ReplaceAll(c.text, "%s", filepath.Join(dir, "vertex/person/of_s/chunk0"))
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), text) {
				t.Errorf("got %v, want %v and %q", err, c.want, text)
			}
		})
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
	rounds := testlong.Rounds(50, 2000)
	for range rounds {
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
		_, _, err := loadWithProperties(context.Background(), info, o)
		writeFile(t, path, files[path])
		if err != nil {
			failed++
			if !strings.Contains(err.Error(), dir) && !errors.Is(err, device.ErrMemory) {
				t.Errorf("%s: %v names no file", path, err)
			}
		}
	}
	if failed < rounds/3 {
		t.Errorf("%d of %d failed", failed, rounds)
	}
}
