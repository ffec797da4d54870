// This file tests tables of results of many sources, and ids that are read alone.

package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func TestWriteSources(t *testing.T) {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Order: graph.OrderGiven})
	if err := b.Add(graph.Batch{Src: []int64{10, 20, 30}, Dst: []int64{20, 30, 40}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rows := []SourceRows{{Source: 1, Vertices: []uint32{1, 2, 0}, Depths: []int32{0, 1, 1}, Distances: []float32{0, 0.5, 2}, Parents: []uint32{1, 1, graph.NoVertex}}, {Source: 0}}
	read := func(rows ...SourceRows) func(context.Context, func(SourceRows) error) error {
		return func(_ context.Context, yield func(SourceRows) error) error {
			for _, r := range rows {
				if err := yield(r); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for _, c := range []struct {
		t    SourceTable
		o    WriteOptions
		want string
	}{
		{SourceTable{Read: read(rows...)}, WriteOptions{}, "source,vertex,depth\n20,20,0\n20,30,1\n20,10,1\n"},
		{SourceTable{Read: read(rows...), Parents: true}, WriteOptions{SortByID: true, VertexColumn: "v"}, "source,v,depth,parent\n20,10,1,\n20,20,0,20\n20,30,1,20\n"},
		{SourceTable{Read: read(rows...), Distances: graph.WeightsFloat32}, WriteOptions{}, "source,vertex,distance\n20,20,0\n20,30,0.5\n20,10,2\n"},
		{SourceTable{Read: read()}, WriteOptions{}, "source,vertex,depth\n"},
	} {
		var out bytes.Buffer
		c.o.Stdout = &out
		if err := WriteSources(ctx, "-", g, c.t, c.o); err != nil || out.String() != c.want {
			t.Errorf("%s, %v, want %s", out.String(), err, c.want)
		}
	}
	// More rows than a batch has, in Parquet.
	many := SourceRows{Source: 3}
	for i := range 150_000 {
		many.Vertices, many.Depths = append(many.Vertices, uint32(i%4)), append(many.Depths, int32(i))
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := WriteSources(ctx, path, g, SourceTable{Read: read(rows[0], many, rows[0])}, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	var ids []string
	if err := dataset.EachID(ctx, dataset.VertexTable{Paths: []string{path}}, dataset.Options{}, func(id string) error { ids = append(ids, id); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(ids) != 150_006 || ids[2] != "10" || ids[3] != "10" || ids[4] != "20" || ids[150_005] != "10" {
		t.Errorf("%d ids", len(ids))
	}
	stop := errors.New("stop")
	for name, c := range map[string]struct {
		t    SourceTable
		o    WriteOptions
		want error
	}{
		"depths":       {SourceTable{Read: read(SourceRows{Vertices: []uint32{1}})}, WriteOptions{}, ErrResult},
		"distances":    {SourceTable{Read: read(rows[0]), Distances: graph.WeightsFloat32, Parents: true}, WriteOptions{PartitionBy: "depth"}, ErrOutputOption},
		"parents":      {SourceTable{Read: read(SourceRows{Vertices: []uint32{1}, Depths: []int32{1}}), Parents: true}, WriteOptions{}, ErrResult},
		"source":       {SourceTable{Read: read(SourceRows{Source: 4})}, WriteOptions{}, ErrResult},
		"vertex":       {SourceTable{Read: read(SourceRows{Vertices: []uint32{4}, Depths: []int32{1}})}, WriteOptions{}, ErrResult},
		"no vertex":    {SourceTable{Read: read(SourceRows{Vertices: []uint32{graph.NoVertex}, Depths: []int32{1}})}, WriteOptions{}, ErrResult},
		"nothing":      {SourceTable{}, WriteOptions{}, ErrResult},
		"two names":    {SourceTable{Read: read()}, WriteOptions{VertexColumn: "source"}, ErrOutputOption},
		"their error":  {SourceTable{Read: func(context.Context, func(SourceRows) error) error { return stop }}, WriteOptions{}, stop},
		"swallowed":    {SourceTable{Read: func(_ context.Context, yield func(SourceRows) error) error { yield(SourceRows{Source: 9}); return nil }}, WriteOptions{}, ErrResult},
		"not for rows": {SourceTable{Read: read()}, WriteOptions{Format: "nope"}, ErrOutputFormat},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		if err := WriteSources(ctx, path, g, c.t, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file is there", name)
		}
	}
	// What isn't the writer's fault isn't blamed on it.
	failing := func(_ context.Context, yield func(SourceRows) error) error { yield(rows[0]); return stop }
	if err := WriteSources(ctx, filepath.Join(t.TempDir(), "x.csv"), g, SourceTable{Read: failing}, WriteOptions{}); err != stop {
		t.Errorf("an error of Read became %v", err)
	}
	if err := WriteEdges(ctx, "-", g, WriteOptions{SortByID: true}); !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), "SortByID and VertexColumn are for results") {
		t.Errorf("%v", err)
	}
}

func TestEachID(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	path := samples.TextTable(t, filepath.Join(dir, "a.arrow"), []arrow.Field{samples.Nullable("name", text), samples.Nullable("n", number), samples.Nullable("n2", number)}, [][]string{{"b", "1", "2"}, {"a", "2", "1"}, {"b", "", "1"}})
	empty := samples.TextTable(t, filepath.Join(dir, "e.arrow"), []arrow.Field{samples.Nullable("name", text)}, nil)
	for name, c := range map[string]struct {
		t    dataset.VertexTable
		o    dataset.Options
		want string
		err  error
	}{
		"the first": {dataset.VertexTable{Paths: []string{path}}, dataset.Options{}, "b a b", nil},
		"named":     {dataset.VertexTable{Paths: []string{path}, ID: "n"}, dataset.Options{SkipNulls: true}, "1 2", nil},
		"a null":    {dataset.VertexTable{Paths: []string{path}, ID: "n"}, dataset.Options{}, "", input.ErrNull},
		"where":     {dataset.VertexTable{Paths: []string{path}, ID: "n"}, dataset.Options{Where: "name = 'a'"}, "2", nil},
		"several":   {dataset.VertexTable{Paths: []string{path}, ID: "name,n"}, dataset.Options{SkipNulls: true}, "b,1 a,2", nil},
		"a kind":    {dataset.VertexTable{Paths: []string{path}, ID: "n:k"}, dataset.Options{SkipNulls: true}, "k:1 k:2", nil},
		"kinds":     {dataset.VertexTable{Paths: []string{path}, ID: "n:{name}"}, dataset.Options{SkipNulls: true}, "b:1 a:2", nil},
		"no column": {dataset.VertexTable{Paths: []string{path}, ID: "m"}, dataset.Options{}, "", input.ErrColumn},
		"no rows":   {dataset.VertexTable{Paths: []string{empty}}, dataset.Options{}, "", graph.ErrEmpty},
		"no row":    {dataset.VertexTable{Paths: []string{path}}, dataset.Options{Where: "n > 7"}, "", graph.ErrEmpty},
		"no path":   {dataset.VertexTable{}, dataset.Options{}, "", graph.ErrOptions},
		"twice":     {dataset.VertexTable{Paths: []string{path, path}}, dataset.Options{}, "b a b b a b", nil},
	} {
		var got []string
		err := dataset.EachID(ctx, c.t, c.o, func(id string) error { got = append(got, id); return nil })
		if c.err == nil && (err != nil || strings.Join(got, " ") != c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := dataset.EachID(ctx, dataset.VertexTable{Paths: []string{path}}, dataset.Options{}, nil); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("%v", err)
	}
	// What a table of vertices is read by.
	within := filepath.Join(t.TempDir(), "in")
	if err := os.Mkdir(within, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(within, "a.arrow")); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	for name, c := range map[string]struct {
		o    dataset.Options
		want error
	}{"links": {dataset.Options{FollowLinks: true}, nil}, "no links": {dataset.Options{}, input.ErrUnsupported}, "footer": {dataset.Options{FollowLinks: true, MaxFooter: 5}, input.ErrLimit}} {
		for _, id := range []string{"name", "name:{name}"} {
			if err := dataset.EachID(ctx, dataset.VertexTable{Paths: []string{within}, ID: id}, c.o, func(string) error { return nil }); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v", name, id, err)
			}
		}
		c.o.Source, c.o.Target, c.o.SkipNulls = "n:{name}", "n2:{name}", true
		if _, err := dataset.Load(ctx, within, c.o); !errors.Is(err, c.want) {
			t.Errorf("edges, %s: %v", name, err)
		}
	}
	stop := fmt.Errorf("stop")
	if err := dataset.EachID(ctx, dataset.VertexTable{Paths: []string{path}}, dataset.Options{}, func(string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

// TestSortByID: rows come by id, also of partitions and of kinds.
func TestSortByID(t *testing.T) {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Order: graph.OrderDegree})
	if err := b.Add(graph.Batch{Src: []int64{30, 30, 30, -5}, Dst: []int64{20, 10, -5, 10}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	degrees := make([]int32, g.NumVertices())
	for v := range degrees {
		degrees[v] = int32(g.Out().Degree(uint32(v)))
	}
	var out bytes.Buffer
	o := WriteOptions{Stdout: &out, SortByID: true, VertexColumn: "key"}
	if err := WriteColumns(ctx, "-", g, []ResultColumn{{Name: "degree", Values: degrees}}, o); err != nil {
		t.Fatal(err)
	}
	if want := "key,degree\n-5,2\n10,2\n20,1\n30,3\n"; out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
	if err := CheckColumns(ctx, "-", g, []ResultColumn{{Name: "key", Values: degrees}}, o); !errors.Is(err, ErrOutputColumn) {
		t.Errorf("%v", err)
	}
	if err := CheckColumns(ctx, "-", g, []ResultColumn{{Name: "vertex", Values: degrees}}, o); err != nil {
		t.Errorf("%v", err)
	}
}
