// A program that reads edges from a table of Apache Iceberg and writes depths
// into another, both through iceberg-go, whose records of Arrow for Go v18 go to
// Foray and back without a copy (io/arrow18). It links v18's Parquet package
// too; a program can't link v15's next to it.
//
//	go run .
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	aarrow "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog/hadoop"
	"github.com/apache/iceberg-go/table"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	dir, err := os.MkdirTemp("", "lake")
	if err == nil {
		err = run(context.Background(), dir)
		_ = os.RemoveAll(dir)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run makes a warehouse of two tables in a directory.
func run(ctx context.Context, dir string) error {
	lake, err := hadoop.NewCatalog("lake", dir, nil)
	if err != nil {
		return err
	}
	if err := lake.CreateNamespace(ctx, table.Identifier{"social"}, nil); err != nil {
		return err
	}
	follows, err := lake.CreateTable(ctx, table.Identifier{"social", "follows"}, iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "src", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		iceberg.NestedField{ID: 2, Name: "dst", Type: iceberg.PrimitiveTypes.Int64, Required: true}))
	if err != nil {
		return err
	}
	edges, err := ring(1000)
	if err != nil {
		return err
	}
	defer edges.Release()
	if follows, err = follows.Append(ctx, edges, nil); err != nil {
		return err
	}

	g, err := load(ctx, follows, arrow.Options{Source: "src", Target: "dst"})
	if err != nil {
		return err
	}
	res, err := search(ctx, g, 1)
	if err != nil {
		return err
	}
	defer res.Close()
	fmt.Println("reached", res.Reached, "of", g.NumVertices(), "vertices in", res.Levels, "levels")

	depths, err := lake.CreateTable(ctx, table.Identifier{"social", "depths"}, iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "vertex", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		iceberg.NestedField{ID: 2, Name: "depth", Type: iceberg.PrimitiveTypes.Int32}))
	if err != nil {
		return err
	}
	if depths, err = save(ctx, depths, g, res); err != nil {
		return err
	}
	rows, err := depths.Scan().ToArrowTable(ctx)
	if err != nil {
		return err
	}
	defer rows.Release()
	fmt.Println("the table of depths has", rows.NumRows(), "rows")

	// Foray's own Parquet files are for v18's reader too.
	path := dir + "/depths.parquet"
	if err := arrow.Write(ctx, path, g, arrow.ResultColumns(res), arrow.WriteOptions{}); err != nil {
		return err
	}
	n, err := parquetRows(ctx, path)
	fmt.Println("the file of depths has", n, "rows")
	return err
}

// ring returns the edges between each of n vertices and the next.
func ring(n int64) (array.RecordReader, error) {
	schema := aarrow.NewSchema([]aarrow.Field{
		{Name: "src", Type: aarrow.PrimitiveTypes.Int64}, {Name: "dst", Type: aarrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for v := range n {
		b.Field(0).(*array.Int64Builder).Append(v)
		b.Field(1).(*array.Int64Builder).Append((v + 1) % n)
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	return array.NewRecordReader(schema, []aarrow.RecordBatch{rec})
}

// search searches from an id on the host.
func search(ctx context.Context, g *graph.Graph, from int64) (*bfs.Result, error) {
	source, err := g.Vertex(from)
	if err != nil {
		return nil, err
	}
	placed, err := g.On(host.New(0))
	if err != nil {
		return nil, err
	}
	defer placed.Close()
	return bfs.Run(ctx, placed, source, bfs.Options{})
}

// parquetRows reads a file with v18 and counts its rows.
func parquetRows(ctx context.Context, path string) (int64, error) {
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return 0, err
	}
	rows, err := r.ReadTable(ctx)
	if err != nil {
		return 0, err
	}
	defer rows.Release()
	return rows.NumRows(), nil
}
