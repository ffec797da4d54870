package foray_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/io/arrow"
)

func Example() {
	dir, err := os.MkdirTemp("", "foray")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	search(context.Background(), "testdata/karate.parquet", filepath.Join(dir, "depths.parquet"))
	// Output:
	// 34 vertices, 78 edges
	// reached 34 in 4 levels
}

// README: begin
func search(ctx context.Context, in, out string) {
	g, err := arrow.Load(ctx, in, arrow.Options{Source: "src", Target: "dst"})
	check(err)
	fmt.Println(g.NumVertices(), "vertices,", g.NumEdges(), "edges")

	dev, err := device.Open("auto") // the best device that opens, at last the host
	check(err)
	defer dev.Close()
	log.Println("searching on", dev.Info().Name)
	dg, err := g.On(dev) // placed once, shared by any number of searches
	check(err)
	defer dg.Free()

	source, err := g.Vertex(1) // ids are those of the file
	check(err)
	res, err := dobfs.Run(ctx, dg, source, dobfs.Options{Parents: true})
	check(err)
	defer res.Free()
	fmt.Println("reached", res.Reached, "in", res.Levels, "levels")
	check(arrow.WriteResult(ctx, out, g, res)) // columns vertex, depth, parent
}

// README: end

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// TestREADME sees to it that the README shows the code that runs here.
func TestREADME(t *testing.T) {
	code, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(code), "// README: begin\n")
	shown, _, closed := strings.Cut(after, "\n// README: end")
	if !ok || !closed {
		t.Fatal("example_test.go has lost its marks")
	}
	if !strings.Contains(string(readme), "```go\n"+strings.TrimSpace(shown)+"\n```") {
		t.Error("README.md shows other code than the example that is tested")
	}
}
