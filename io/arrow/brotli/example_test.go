package brotli_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	_ "github.com/foray-graph/foray/io/arrow/brotli"
)

// Edges as Parquet compressed with Brotli, written and read.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 2}, []int64{2, 3}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "edges.parquet")
	if err := arrow.WriteEdges(ctx, path, g, arrow.WriteOptions{Compression: "brotli"}); err != nil {
		log.Fatal(err)
	}
	read, err := arrow.Load(ctx, path, arrow.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.NumEdges(), "edges")
	// Output: 2 edges
}
