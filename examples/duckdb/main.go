// This program is a pipeline. DuckDB writes a table of followers as Parquet,
// with a partition per day; Foray searches it; DuckDB joins depths and names.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	dir, err := os.MkdirTemp("", "foray")
	check(err)
	pipeline(context.Background(), dir, "u1", func(files string) string { return files })
	check(os.RemoveAll(dir))
}

// pipeline prints how far all users are from one user. Its files go to dir, and
// from there to where upload puts them, such as s3://bucket/follows.
func pipeline(ctx context.Context, dir, from string, upload func(files string) string) {
	db, err := sql.Open("duckdb", "") // in memory
	check(err)
	defer db.Close()
	_, err = db.ExecContext(ctx, fmt.Sprintf(lake, dir))
	check(err)

	g, err := arrow.Load(ctx, upload(dir+"/follows"), arrow.Options{Source: "follower", Target: "followed", Where: "day >= '2026-01-01'",
		Graph: graph.Options{Directed: true, Reverse: true}})
	check(err)
	dev, err := device.Open("auto") // a GPU, if there is one
	check(err)
	defer dev.Close()
	placed, err := g.On(dev)
	check(err)
	defer placed.Close()
	source, err := g.VertexString(from)
	check(err)
	depths, err := dobfs.Run(ctx, placed, source, dobfs.Options{})
	check(err)
	defer depths.Close()
	check(arrow.Write(ctx, dir+"/depths.parquet", g, arrow.ResultColumns(depths), arrow.WriteOptions{}))

	check(show(ctx, db, fmt.Sprintf(named, dir)))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
