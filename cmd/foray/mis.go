// This file holds the mis command.

package main

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var misAlgorithm = algorithm{
	name: "mis", short: "Find a maximal independent set",
	long: `Finds a maximal independent set: vertices no two of which are neighbors, along
edges in either direction, and to which no vertex can be added. Vertices join by
descending random priority, unless a neighbor has joined. The set depends only on
the graph, its ids and --seed.`,
	example: `  foray mis testdata/karate.parquet
  foray mis conflicts.csv --seed 7 -o chosen.parquet
  foray mis gen:kron20 --validate`,
	table: "vertex and member, which is 1 in the set and 0 outside",
	make:  func() calculation { return &misCalculation{} },
}

type misCalculation struct{ o mis.Options }

func (c *misCalculation) addFlags(g flagGroup) {
	g.flags.Uint64Var(&c.o.Seed, "seed", 0, "random seed of the priorities, a `NUMBER`")
}
func (c *misCalculation) check(func(string) bool) error            { return nil }
func (c *misCalculation) needs(*graph.Options, *inputFlags)        {}
func (c *misCalculation) prepare(*graph.Placed, *inputFlags) error { return nil }
func (c *misCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("member", []uint32{})}
}
func (c *misCalculation) bytes(p *graph.Placed) uint64 { return mis.Bytes(p, c.o) }

func (c *misCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := mis.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return misAnswer{r, c.o}, nil
}

type misAnswer struct {
	*mis.Result
	o mis.Options
}

func (a misAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("member", a.Member)}
}
func (a misAnswer) missing() int          { return 0 }
func (a misAnswer) stats() traverse.Stats { return a.Stats }

func (a misAnswer) lines(g *graph.Graph) ([][2]string, error) {
	return [][2]string{
		{"members", fmt.Sprintf("%s of %s", text.Count(a.Size), text.Plural(g.NumVertices(), "vertex"))},
		{"rounds", text.Count(a.Stats.Rounds)},
	}, nil
}

func (a misAnswer) validate(g *graph.Graph) (string, error) {
	return "no edge joins two members, and each other vertex has a member as neighbor", mis.Validate(g, a.Result)
}

func (a misAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return map[string]any{"seed": a.o.Seed}, map[string]any{"members": a.Size}
}
