// This file holds the bc command.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var bcAlgorithm = algorithm{
	name: "bc", short: "Find betweenness centrality", oneSource: true,
	long: `Finds betweenness centrality: for every vertex, the share of the shortest paths
between all pairs of other vertices that go through it. Edges count as steps,
whatever they weigh; in a directed graph paths follow them.

All vertices are sources of paths, which takes time in proportion to vertices
times edges. With --samples, or with --source, scores are estimates from some
sources. Scores are divided by the number of pairs, as networkx does,
unless --unnormalized says otherwise.`,
	example: `  foray bc testdata/karate.parquet
  foray bc follows/ --directed --samples 256 --seed 7 -o scores.parquet
  foray bc gen:kron20 --samples 4 --validate
  foray bc road.gr --source 1 --source 99 --unnormalized -o -`,
	table: "vertex and betweenness",
	make:  func() calculation { return &bcCalculation{} },
}

type bcCalculation struct {
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
	return nil
}

func (c *bcCalculation) needs(o *graph.Options, _ *inputFlags) { o.Reverse = true }

func (c *bcCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	c.given, err = in.vertexIDs(p.Graph(), "source", c.ids)
	return err
}

func (c *bcCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("betweenness", []float64{})}
}

func (c *bcCalculation) bytes(p *graph.Placed) uint64 {
	s, err := bc.NewSearcher(p, bc.Options{})
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
	return []arrow.Column{arrow.ValuesColumn("betweenness", a.Betweenness)}
}
func (a bcAnswer) missing() int          { return 0 }
func (a bcAnswer) stats() traverse.Stats { return a.Stats }

func (a bcAnswer) lines(g *graph.Graph) ([][2]string, error) {
	scores, err := a.Betweenness.Slice()
	if err != nil {
		return nil, err
	}
	from := "all vertices"
	if a.Sources != nil {
		from = fmt.Sprintf("%s of %s", text.Count(len(a.Sources)), text.Plural(g.NumVertices(), "vertex"))
	}
	top := "none"
	if best := largest(scores, g.IDs(), 3); len(best) > 0 {
		names := make([]string, len(best))
		for i, v := range best {
			names[i] = formatID(g.IDs(), v) + " (" + short(scores[v]) + ")"
		}
		top = strings.Join(names, ", ")
	}
	return [][2]string{{"sources", from}, {"highest", top}}, nil
}

func (a bcAnswer) validate(g *graph.Graph) (string, error) {
	return "sums of scores with random weights are what the paths say that they are", bc.Validate(g, a.Result)
}

func (a bcAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options = map[string]any{}
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
