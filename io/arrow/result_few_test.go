package arrow_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/io/arrow"
)

// TestFewReached: what a small search of a Searcher has reached is written as the rows of a whole search.
func TestFewReached(t *testing.T) {
	for _, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree} {
		g, err := testgraph.Uniform(5000, 4, testgraph.Undirected).Graph(1).Reorder(t.Context(), graph.ReorderOptions{Order: order})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(host.New(2))
		if err != nil {
			t.Fatal(err)
		}
		s, err := bfs.NewSearcher(p, bfs.Options{DepthLimit: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, byID := range []bool{false, true} {
			o := arrow.WriteOptions{ReachedOnly: true, SortByID: byID}
			write := func(r *bfs.Result) string {
				path := filepath.Join(t.TempDir(), "r.csv")
				if err := arrow.Write(t.Context(), path, g, arrow.ResultColumns(r), o); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			for source := range uint32(5) {
				few, err := s.Run(t.Context(), bfs.Query{Sources: []uint32{source}})
				if err != nil {
					t.Fatal(err)
				}
				if !few.Few() {
					t.Fatal("the search lists nothing")
				}
				all, err := bfs.Run(t.Context(), p, source, bfs.Options{DepthLimit: 2})
				if err != nil {
					t.Fatal(err)
				}
				got := write(few)
				want := write(all)
				if got != want {
					t.Fatalf("source %d, by id %v:\n%s\nwant\n%s", source, byID, got, want)
				}
				records := func(r *bfs.Result) []string {
					columns := append(arrow.ResultColumns(r), arrow.DegreeColumn("degree"))
					reader, err := arrow.Records(t.Context(), g, columns, arrow.RecordOptions{ReachedOnly: true, BatchRows: 7})
					if err != nil {
						t.Fatal(err)
					}
					_, rows := texts(t, reader)
					return rows
				}
				if got, want := records(few), records(all); !slices.Equal(got, want) {
					t.Fatalf("source %d: records %q, want %q", source, got, want)
				}
				all.Close()
			}
		}
		s.Close()
		p.Close()
	}
}
