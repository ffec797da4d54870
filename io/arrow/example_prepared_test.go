// This file holds the example of prepared graphs.

package arrow_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/foray-graph/foray/io/arrow"
)

// A graph is built once, and opened wherever it is searched.
func ExampleWriteGraph() {
	ctx := context.Background()
	g, err := arrow.Load(ctx, "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "karate.foray")
	if err := arrow.WriteGraph(ctx, path, g, arrow.WriteGraphOptions{}); err != nil {
		log.Fatal(err)
	}

	g, _, err = arrow.OpenGraph(ctx, path, arrow.OpenGraphOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	v, err := g.Vertex(34)
	fmt.Println(g.NumVertices(), "vertices,", g.NumEdges(), "edges; degree of 34:", g.Out().Degree(v), err)
	// Output: 34 vertices, 78 edges; degree of 34: 17 <nil>
}
