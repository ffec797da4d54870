package sssp_test

import (
	"errors"
	"fmt"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
)

// TestTreeStays: a tree has its own memory, which neither the next search of a placed graph nor the next run of
// a Searcher writes to.
func TestTreeStays(t *testing.T) {
	tell := func(tree *sssp.Tree) string { return fmt.Sprint(tree.Distances(), testgraph.Array(tree.Parents())) }
	for name, c := range map[string]struct {
		batch graph.Batch
		o     sssp.Options
		want  string
	}{
		"int64":   {graph.Batch{IntWeights: []int64{1, 1, 1}}, sssp.Options{Parents: true}, "[0 1 2 3] [0 0 1 2]"},
		"float64": {graph.Batch{FloatWeights: []float64{0.1, 0.1, 0.1}}, sssp.Options{Parents: true}, "[0 0.1 0.2 0.30000000000000004] [0 0 1 2]"},
		"float32": {graph.Batch{IntWeights: []int64{1, 1, 1}}, sssp.Options{Parents: true, Float32: true}, "[0 1 2 3] [0 0 1 2]"},
	} {
		c.batch.Src, c.batch.Dst = []int64{1, 2, 3}, []int64{2, 3, 4}
		b := graph.NewBuilder(graph.Options{Weights: true})
		if err := b.Add(c.batch); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := placed(t, g, 2)
		var trees []*sssp.Tree
		for _, source := range []uint32{0, 3} {
			r, err := sssp.Run(t.Context(), p, source, c.o)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := r.Tree()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tree.Depths(); !errors.Is(err, graph.ErrOptions) {
				t.Errorf("depths: %v", err)
			}
			trees = append(trees, tree)
			r.Close()
		}
		s, err := sssp.NewSearcher(p, c.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range []uint32{0, 3} {
			r, err := s.Run(t.Context(), sssp.Query{Sources: []uint32{source}})
			if err != nil {
				t.Fatal(err)
			}
			tree, err := r.Tree()
			if err != nil {
				t.Fatal(err)
			}
			trees = append(trees, tree)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if got := tell(trees[2*i]); got != c.want {
				t.Errorf("%s: tree %d is %s after another search, want %s", name, 2*i, got, c.want)
			}
		}
	}
}
