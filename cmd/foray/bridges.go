// This file holds the bridges command.

package main

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var bridgesAlgorithm = algorithm{
	name: "bridges", short: "Find bridges, articulation points and biconnected components",
	long: `Finds bridges, articulation points and biconnected components. A bridge is an edge
whose removal leaves more connected components, an articulation point a vertex
whose removal does. Two edges are in the same biconnected component if a cycle
that passes no vertex twice has both. Directions of edges don't count.

The table has a row for each edge, with the vertex that names its component. With
--points it has a row for each vertex instead.`,
	example: `  foray bridges testdata/karate.parquet
  foray bridges cables.csv -o components.parquet
  foray bridges cables.csv --points -o - --validate`,
	table: "of edges: src, dst, weight if edges have one, component and bridge, which is 1 or 0; with --points vertex and articulation, 1 or 0",
	make:  func() calculation { return &bridgesCalculation{} },
}

type bridgesCalculation struct {
	o      bridges.Options
	points bool
}

func (c *bridgesCalculation) addFlags(g flagGroup) {
	g.flags.BoolVar(&c.points, "points", false, "write a row for each vertex, which says whether it is an articulation point")
}

func (c *bridgesCalculation) rows() string {
	if c.points {
		return ""
	}
	return edgeRows
}

func (c *bridgesCalculation) check(func(string) bool) error            { return nil }
func (c *bridgesCalculation) needs(*graph.Options, *inputFlags)        {}
func (c *bridgesCalculation) prepare(*graph.Placed, *inputFlags) error { return nil }
func (c *bridgesCalculation) bytes(p *graph.Placed) uint64             { return bridges.Bytes(p, c.o) }

func (c *bridgesCalculation) columns() []arrow.Column {
	if c.points {
		return []arrow.Column{arrow.NewColumn("articulation", []uint32{})}
	}
	return []arrow.Column{arrow.NewColumn("component", []uint32{}).Vertices(), arrow.NewColumn("bridge", []uint32{})}
}

func (c *bridgesCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := bridges.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return bridgesAnswer{r, c.points}, nil
}

type bridgesAnswer struct {
	*bridges.Result
	points bool
}

func (a bridgesAnswer) columns() []arrow.Column {
	if a.points {
		return []arrow.Column{arrow.ValuesColumn("articulation", a.Articulation)}
	}
	return []arrow.Column{arrow.ValuesColumn("component", a.Component).Vertices(), arrow.ValuesColumn("bridge", a.Bridge)}
}
func (a bridgesAnswer) missing() int          { return 0 }
func (a bridgesAnswer) stats() traverse.Stats { return a.Stats }
func (a bridgesAnswer) tabulates() bool       { return !a.points }

func (a bridgesAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (int, error) {
	wo.ReachedOnly = false
	return int(g.NumEdges()), writeEdges(ctx, path, g, a.columns(), wo)
}

func (a bridgesAnswer) lines(*graph.Graph) ([][2]string, error) {
	return [][2]string{
		{"components", text.Count(a.Components)},
		{"bridges", text.Count(a.Bridges)},
		{"points", fmt.Sprintf("%s of articulation", text.Count(a.Articulations))},
		{"rounds", text.Count(a.Stats.Rounds)},
	}, nil
}

func (a bridgesAnswer) validate(g *graph.Graph) (string, error) {
	return "a depth-first search found the same components", bridges.Validate(g, a.Result)
}

func (a bridgesAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return nil, map[string]any{"components": a.Components, "bridges": a.Bridges, "articulation_points": a.Articulations}
}
