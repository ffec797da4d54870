// This file tests that no first edge is written that is read as something else.

package edgelist

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/graph"
)

func TestWriteHead(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		edges [][2]string
		bad   bool
	}{
		{[][2]string{{"from", "to"}, {"to", "x"}}, true},
		{[][2]string{{"Source", "TARGET"}}, true},
		{[][2]string{{"$a", "b"}, {"1", "2"}}, true}, // integers below words
		{[][2]string{{"\ufeffa", "b"}}, true},
		{[][2]string{{"$a", "b"}, {"1", "x"}}, false},
		{[][2]string{{"a", "b"}, {"from", "to"}}, false},
		{[][2]string{{"\ufeff", "b"}, {"a", "b"}}, false},
	} {
		b := graph.NewBuilder(graph.Options{Directed: true, Order: graph.OrderGiven})
		var ends [2]graph.Strings
		for i := range ends {
			ends[i].Offsets = []int64{0}
			for _, e := range c.edges {
				ends[i].Data = append(ends[i].Data, e[i]...)
				ends[i].Offsets = append(ends[i].Offsets, int64(len(ends[i].Data)))
			}
		}
		if err := b.AddStrings(ends[0], ends[1], nil); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"g.el", "g.txt", "g.csv", "g.tsv"} {
			path := filepath.Join(t.TempDir(), name)
			err := Write(ctx, path, g, WriteOptions{})
			if c.bad && (name == "g.el" || name == "g.txt") {
				if !errors.Is(err, ErrFormat) {
					t.Errorf("%q to %s: %v, want %v", c.edges, name, err, ErrFormat)
				}
				continue
			}
			if err != nil {
				t.Errorf("%q to %s: %v", c.edges, name, err)
				continue
			}
			back, err := Load(ctx, path, Options{IDs: "string", Graph: graph.Options{Directed: true}})
			if err != nil {
				t.Errorf("%q from %s: %v", c.edges, name, err)
			} else if got := back.NumEdges(); got != uint64(len(c.edges)) {
				t.Errorf("%q from %s: %d edges", c.edges, name, got)
			}
		}
	}
}

// TestWriteHeaderWords: an edge whose ids are the same word of headers is refused where no header
// stands before it: a reader couldn't tell.
func TestWriteHeaderWords(t *testing.T) {
	batch := graph.Batch{Type: graph.String, SrcStrings: &graph.Strings{Offsets: []int64{0}}, DstStrings: &graph.Strings{Offsets: []int64{0}}}
	addString(batch.SrcStrings, []byte("weight"))
	addString(batch.DstStrings, []byte("weight"))
	b := graph.NewBuilder(graph.Options{Directed: true, KeepSelfLoops: true})
	if err := b.Add(batch); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(context.Background(), filepath.Join(t.TempDir(), "x.el"), g, WriteOptions{}); !errors.Is(err, ErrFormat) {
		t.Errorf("%v, want ErrFormat", err)
	}
}
