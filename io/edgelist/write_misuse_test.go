package edgelist_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/edgelist"
)

// TestWriteLeavesNothing has Progress panic, and names of formats that are only read.
func TestWriteLeavesNothing(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []uint32{0}, []uint32{1}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Progress didn't panic")
			}
		}()
		edgelist.Write(ctx, dir+"/e.el", g, edgelist.WriteOptions{Progress: func(graph.Progress) { panic("the caller's") }})
	}()
	for _, name := range []string{"e.ndjson.gz", "e.gr", "e.metis", "e.jsonl.gz", "e.el.xz", "e.el.bz2"} {
		if err := edgelist.Write(ctx, dir+"/"+name, g, edgelist.WriteOptions{}); !errors.Is(err, edgelist.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Error("left:", left, err)
	}
}
