// This file holds the color command.

package main

import (
	"context"

	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var colorAlgorithm = algorithm{
	name: "color", short: "Color vertices greedily",
	long: `Colors vertices so that neighbors, along edges in either direction, have different
colors: 0, 1 and so on, without gaps. Each vertex gets the smallest color that none of
its neighbors has yet, by descending random priority, or with --largest-first by
descending degree. The colors depend only on the graph, its ids and --seed.`,
	example: `  foray color testdata/karate.parquet
  foray color conflicts.csv --largest-first -o colors.parquet
  foray color gen:kron20 --seed 7 --validate`,
	table: "vertex and color",
	make:  func() calculation { return &colorCalculation{} },
}

type colorCalculation struct{ o color.Options }

func (c *colorCalculation) addFlags(g flagGroup) {
	g.flags.BoolVar(&c.o.LargestFirst, "largest-first", false, "color vertices of larger degree first, which takes fewer colors on most graphs, and more rounds")
	g.flags.Uint64Var(&c.o.Seed, "seed", 0, "random seed of the priorities, a `NUMBER`")
}
func (c *colorCalculation) check(func(string) bool) error            { return nil }
func (c *colorCalculation) needs(*graph.Options, *inputFlags)        {}
func (c *colorCalculation) prepare(*graph.Placed, *inputFlags) error { return nil }
func (c *colorCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("color", []uint32{})}
}
func (c *colorCalculation) bytes(p *graph.Placed) uint64 { return color.Bytes(p, c.o) }

func (c *colorCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := color.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return colorAnswer{r, c.o}, nil
}

type colorAnswer struct {
	*color.Result
	o color.Options
}

func (a colorAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("color", a.Color)}
}
func (a colorAnswer) missing() int          { return 0 }
func (a colorAnswer) stats() traverse.Stats { return a.Stats }

func (a colorAnswer) lines(*graph.Graph) ([][2]string, error) {
	return [][2]string{{"colors", text.Count(a.Colors)}, {"rounds", text.Count(a.Stats.Rounds)}}, nil
}

func (a colorAnswer) validate(g *graph.Graph) (string, error) {
	return "neighbors have different colors, and each vertex has neighbors of all smaller ones", color.Validate(g, a.Result)
}

func (a colorAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options = map[string]any{"seed": a.o.Seed}
	if a.o.LargestFirst {
		options["largest_first"] = true
	}
	return options, map[string]any{"colors": a.Colors}
}
