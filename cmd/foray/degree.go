// This file holds the degree command.

package main

import (
	"context"

	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var degreeAlgorithm = algorithm{
	name: "degree", short: "Count the edges of vertices",
	long: `Counts the edges of every vertex: its in-edges, its out-edges, or both. A self-loop
of an undirected graph counts twice. The centrality is the degree divided by the
number of other vertices. With --weighted the strength is the sum of the weights.

Self-loops are kept. Repeated edges become one edge, which with --weighted has
the sum of their weights; see --combine.`,
	example: `  foray degree testdata/karate.parquet
  foray degree follows/ --directed --direction in -o followers.parquet
  foray degree transfers.parquet --directed --weighted --weight amount`,
	table: "vertex, degree and centrality, and strength with --weighted",
	make:  func() calculation { return &degreeCalculation{} },
}

type degreeCalculation struct {
	byWeight
	direction *enum
}

func (c *degreeCalculation) addFlags(g flagGroup) {
	c.direction = newEnum("both|in|out", "both", "in", "out")
	g.flags.Var(c.direction, "direction", "edges of a directed graph that count")
	c.addWeighted(g, "add up the weights of edges too")
}

// options returns the options of the package.
func (c *degreeCalculation) options() degree.Options {
	return degree.Options{In: c.direction.value == "in", Out: c.direction.value == "out", Weighted: c.weighted}
}

func (c *degreeCalculation) needs(o *graph.Options, in *inputFlags) {
	c.byWeight.needs(o, in)
	o.Reverse = c.direction.value != "out"
}

func (c *degreeCalculation) prepare(p *graph.Placed, _ *inputFlags) error {
	if c.direction.value != "both" && !p.Graph().Directed() {
		return usagef("--direction %s is for directed graphs, and this one is undirected: --directed reads its edges so", c.direction.value)
	}
	return nil
}

func (c *degreeCalculation) columns() []arrow.Column {
	list := []arrow.Column{arrow.NewColumn("degree", []uint64{}), arrow.NewColumn("centrality", []float64{})}
	if c.weighted {
		list = append(list, arrow.NewColumn("strength", []float64{}))
	}
	return list
}

func (c *degreeCalculation) bytes(p *graph.Placed) uint64 { return degree.Bytes(p, c.options()) }

func (c *degreeCalculation) run(ctx context.Context, p *graph.Placed, _ func(traverse.Level)) (answer, error) {
	o := c.options()
	o.Logger = logOf(ctx)
	r, err := degree.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return degreeAnswer{r, c}, nil
}

type degreeAnswer struct {
	*degree.Result
	asked *degreeCalculation
}

func (a degreeAnswer) columns() []arrow.Column {
	list := []arrow.Column{arrow.ValuesColumn("degree", a.Degree), arrow.ValuesColumn("centrality", a.Centrality)}
	if a.Strength != nil {
		list = append(list, arrow.ValuesColumn("strength", a.Strength))
	}
	return list
}
func (a degreeAnswer) missing() int          { return 0 }
func (a degreeAnswer) stats() traverse.Stats { return a.Stats }

func (a degreeAnswer) lines(g *graph.Graph) ([][2]string, error) {
	values, what := a.Centrality, "centralities"
	if a.Strength != nil {
		values, what = a.Strength, "strengths"
	}
	all, err := values.Slice()
	if err != nil {
		return nil, err
	}
	return [][2]string{{"largest", "degree " + text.Count(a.Largest)}, {"highest", what + ": " + highest(all, g.IDs())}}, nil
}

func (a degreeAnswer) validate(g *graph.Graph) (string, error) {
	return "degrees equal the number of edges, counted one by one", degree.Validate(g, a.Result, a.asked.options())
}

func (a degreeAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return a.asked.byWeight.options(map[string]any{"direction": a.asked.direction.value}), map[string]any{"largest": a.Largest}
}
