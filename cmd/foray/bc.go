// This file holds the bc command.

package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var bcAlgorithm = algorithm{
	name: "bc", short: "Find betweenness centrality", oneSource: true,
	long: `Finds betweenness centrality: for every vertex, the share of the shortest paths
between all pairs of other vertices that go through it, or with --edges for every
edge. Edges count as steps, or with --weighted paths are as long as the sum of their
weights, which must be above 0. In a directed graph paths follow the edges.

All vertices are sources of paths, which takes time in proportion to vertices
times edges. With --samples, or with --source, scores are estimates from some
sources. Scores are divided by the number of pairs, as networkx does,
unless --unnormalized says otherwise.`,
	example: `  foray bc testdata/karate.parquet
  foray bc follows/ --directed --samples 256 --seed 7 -o scores.parquet
  foray bc gen:kron20 --samples 4 --validate
  foray bc road.gr --weighted --source 1 --source 99 --unnormalized -o -
  foray bc testdata/karate.parquet --edges -o edges.csv`,
	table: "vertex and betweenness; with --edges src, dst, weight if edges have one, and betweenness",
	make:  func() calculation { return &bcCalculation{} },
}

type bcCalculation struct {
	byWeight
	o     bc.Options
	ids   []string // of sources
	given []uint32
	seen  func(graph.Progress) // is called after searches; nil: nothing is
}

func (c *bcCalculation) observe(f func(graph.Progress)) { c.seen = f }

func (*bcCalculation) called() string { return "bc" }

func (c *bcCalculation) sooner(*graph.Graph) string {
	if c.given != nil || c.o.Samples > 0 {
		return ""
	}
	return "--samples N estimates the scores by searches from N vertices"
}

func (c *bcCalculation) addFlags(g flagGroup) {
	g.flags.StringArrayVarP(&c.ids, "source", "s", nil, "`ID` of a source of paths; may be repeated (default all vertices)")
	g.flags.IntVar(&c.o.Samples, "samples", 0, "use `K` random vertices as sources of paths")
	g.flags.Uint64Var(&c.o.Seed, "seed", 0, "random seed of --samples, a `NUMBER`")
	g.flags.BoolVar(&c.o.Edges, "edges", false, "find the betweenness of edges, of which -o has the rows")
	c.addWeighted(g, "paths are as long as the sum of their edges' weights")
	g.flags.BoolVar(&c.o.Unnormalized, "unnormalized", false, "sum over pairs, instead of dividing by their number")
}

func (c *bcCalculation) check(given func(string) bool) error {
	switch {
	case given("samples") && c.o.Samples < 1:
		return usagef("--samples is %d; want at least 1, or omit it for all vertices", c.o.Samples)
	case given("samples") && given("source"):
		return usagef("--samples chooses the sources that --source names; pass one of them")
	case given("seed") && !given("samples"):
		return usagef("--seed is for --samples")
	}
	c.o.Weighted = c.weighted
	return c.byWeight.check(given)
}

func (c *bcCalculation) rows() string {
	if c.o.Edges {
		return edgeRows
	}
	return ""
}

func (c *bcCalculation) needs(o *graph.Options, in *inputFlags) {
	o.Reverse = !c.weighted && !c.o.Edges
	if in.weights = in.weights || c.weighted; c.weighted {
		o.Weights = true
	}
}

func (c *bcCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	c.given, err = in.vertexIDs(p.Graph(), "source", c.ids)
	return err
}

func (c *bcCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("betweenness", []float64{})}
}

func (c *bcCalculation) bytes(p *graph.Placed) uint64 {
	s, err := bc.NewSearcher(p, c.o)
	if err != nil {
		return 0
	}
	defer s.Close()
	return s.Bytes()
}

func (c *bcCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel, o.Sources, o.Progress = report, c.given, c.seen
	o.Logger = logOf(ctx)
	r, err := bc.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return bcAnswer{r, c}, nil
}

type bcAnswer struct {
	*bc.Result
	c *bcCalculation
}

func (a bcAnswer) columns() []arrow.Column {
	if a.c.o.Edges {
		return []arrow.Column{arrow.ValuesColumn("betweenness", a.Edges)}
	}
	return []arrow.Column{arrow.ValuesColumn("betweenness", a.Betweenness)}
}
func (a bcAnswer) missing() int          { return 0 }
func (a bcAnswer) stats() traverse.Stats { return a.Stats }
func (a bcAnswer) tabulates() bool       { return a.c.o.Edges }

func (a bcAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (int, error) {
	wo.ReachedOnly = false
	return int(g.NumEdges()), writeEdges(ctx, path, g, a.columns(), wo)
}

func (a bcAnswer) lines(g *graph.Graph) ([][2]string, error) {
	best, err := a.highest(g)
	if err != nil {
		return nil, err
	}
	from := "all vertices"
	if a.Sources != nil {
		from = fmt.Sprintf("%s of %s", text.Count(len(a.Sources)), text.Plural(g.NumVertices(), "vertex"))
	}
	lines := [][2]string{{"sources", from}, {"highest", best}}
	if a.WhyHost != "" {
		lines = append(lines, [2]string{"searched", "on the host: " + a.WhyHost})
	}
	return lines, nil
}

// highest names what has the highest scores.
func (a bcAnswer) highest(g *graph.Graph) (string, error) {
	if !a.c.o.Edges {
		scores, err := a.Betweenness.Slice()
		return highest(scores, g.IDs()), err
	}
	scores, err := a.Edges.Slice()
	if err != nil || len(scores) == 0 {
		return "none", err
	}
	if err := g.Fetch(); err != nil {
		return "", err
	}
	c, ids := g.Out(), g.IDs()
	most, ends := -1.0, [2]uint32{} // of equal ones the edge of smaller ids
	for v := range uint32(c.NumVertices()) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			x, y := v, c.Targets[e]
			if scores[e] < most || !g.Directed() && x < y {
				continue
			}
			if !g.Directed() && ids.Rank(x) > ids.Rank(y) {
				x, y = y, x
			}
			if scores[e] > most || cmp.Or(cmp.Compare(ids.Rank(x), ids.Rank(ends[0])), cmp.Compare(ids.Rank(y), ids.Rank(ends[1]))) < 0 {
				most, ends = scores[e], [2]uint32{x, y}
			}
		}
	}
	return fmt.Sprintf("%s to %s (%s)", formatID(ids, ends[0]), formatID(ids, ends[1]), short(most)), nil
}

func (a bcAnswer) validate(g *graph.Graph) (string, error) {
	return "sums of scores times random numbers are what the paths say that they are", bc.Validate(g, a.Result)
}

func (a bcAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options = a.c.options(map[string]any{})
	if a.c.o.Edges {
		options["edges"] = true
	}
	if a.c.o.Unnormalized {
		options["unnormalized"] = true
	}
	switch {
	case len(a.c.ids) > 0:
		options["source"] = a.c.ids
	case a.Sources != nil:
		options["samples"], options["seed"] = a.c.o.Samples, a.c.o.Seed
	}
	return options, nil
}
