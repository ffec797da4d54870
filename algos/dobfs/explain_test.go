package dobfs_test

import (
	"context"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestExplain: each choice agrees with the level, and its numbers lead to it.
func TestExplain(t *testing.T) {
	for name, f := range factors {
		for _, g := range []testgraph.Case{testgraph.Uniform(50_000, 8, testgraph.Undirected), testgraph.ByName("skewed-undirected"), testgraph.Path(3_000)} {
			p := testgraph.Place(g.Graph(1), 2)
			var choices []dobfs.Choice
			o := f
			o.Stats = true
			r, err := bfs.Run(context.Background(), p, 1, o.Explain(func(c dobfs.Choice) { choices = append(choices, c) }))
			if err != nil {
				t.Fatal(err)
			}
			if len(choices) != r.Levels || r.Algorithm != "dobfs" {
				t.Errorf("%s, %s: %d choices of %d levels", name, r.Algorithm, len(choices), r.Levels)
			}
			at, pulled := 0, false
			for _, l := range r.Stats {
				c := choices[at]
				if l.Levels == 1 && (c.Pull != (l.Direction == "pull") || c.Frontier != l.Frontier) || c.Pulling != pulled {
					t.Fatalf("%s: level %+v was chosen by %+v", name, l, c)
				}
				want := c.Counted && c.Edges > max(c.Unpushed/c.Alpha, c.Least)
				if c.Pulling {
					want = float64(c.Frontier) >= c.Stay || c.Edges >= c.Least
				}
				if c.Pull != want {
					t.Fatalf("%s: %+v doesn't lead to its choice", name, c)
				}
				at += l.Levels
				pulled = choices[at-1].Pull
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
