// This file holds the triangles command.

package main

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var trianglesAlgorithm = algorithm{
	name: "triangles", short: "Count triangles and clustering",
	long: `Counts the triangles of a graph, in total and at every vertex, and computes local
clustering coefficients as LDBC Graphalytics defines them (LCC): the share of
the ordered pairs of a vertex's neighbors that an edge joins. A triangle is three
vertices, each two of which are joined by an edge in either direction.`,
	example: `  foray triangles testdata/karate.parquet
  foray triangles follows/ --directed -o clustering.parquet
  foray triangles gen:kron20 --count-only`,
	table: "vertex, triangles and coefficient",
	make:  func() calculation { return &trianglesCalculation{} },
}

type trianglesCalculation struct{ o triangles.Options }

func (c *trianglesCalculation) addFlags(g flagGroup) {
	g.flags.BoolVar(&c.o.CountOnly, "count-only", false, "find only the total count, which takes half as long")
}

func (c *trianglesCalculation) check(given func(string) bool) error {
	if c.o.CountOnly && given("output") {
		return usagef("--count-only finds nothing for every vertex that -o could write; leave one of them out")
	}
	return nil
}

func (c *trianglesCalculation) needs(*graph.Options, *inputFlags) {}

func (c *trianglesCalculation) prepare(p *graph.Placed, _ *inputFlags) error {
	return triangles.Prepare(context.Background(), p)
}

func (c *trianglesCalculation) columns() []arrow.Column {
	if c.o.CountOnly {
		return nil
	}
	return []arrow.Column{arrow.NewColumn("triangles", []uint64{}), arrow.NewColumn("coefficient", []float64{})}
}

func (*trianglesCalculation) bytes(p *graph.Placed) uint64 {
	return triangles.Bytes(p, triangles.Options{})
}

func (c *trianglesCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := triangles.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return trianglesAnswer{r}, nil
}

type trianglesAnswer struct{ *triangles.Result }

func (a trianglesAnswer) columns() []arrow.Column {
	if a.Triangles == nil {
		return nil
	}
	return []arrow.Column{arrow.ValuesColumn("triangles", a.Triangles), arrow.ValuesColumn("coefficient", a.Coefficient)}
}

func (a trianglesAnswer) missing() int          { return 0 }
func (a trianglesAnswer) stats() traverse.Stats { return a.Stats }

func (a trianglesAnswer) lines(g *graph.Graph) ([][2]string, error) {
	all := [][2]string{{"triangles", text.Count(a.Total)}}
	if a.Triangles == nil {
		return all, nil
	}
	counts, err := a.Triangles.Slice()
	if err != nil {
		return nil, err
	}
	most := 0
	for v, k := range counts {
		if k > counts[most] {
			most = v
		}
	}
	if a.Total > 0 {
		all[0][1] += fmt.Sprintf("; vertex %s is in most of them, %s", formatID(g.IDs(), uint32(most)), text.Count(counts[most]))
	}
	return append(all, [2]string{"clustering", fmt.Sprintf("%.6g on average", a.Average)}), nil
}

func (a trianglesAnswer) validate(g *graph.Graph) (string, error) {
	return "counting in a simpler way found the same", triangles.Validate(g, a.Result)
}

func (a trianglesAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return nil, map[string]any{"triangles": a.Total, "average_coefficient": a.Average}
}
