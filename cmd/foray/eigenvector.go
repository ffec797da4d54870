// This file holds the eigenvector command.

package main

import (
	"context"

	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var eigenvectorAlgorithm = algorithm{
	name: "eigenvector", short: "Find eigenvector centrality",
	long: `Finds eigenvector centrality, as networkx does: a vertex is central if central
vertices lead to it. Values are the eigenvector of the largest eigenvalue of the
adjacency matrix, and their L2 norm is 1. Rounds end once one changes the values by
less than the tolerance times the number of vertices, in sum.

Self-loops are kept. Repeated edges become one edge, which with --weighted has
the sum of their weights; see --combine.`,
	example: `  foray eigenvector testdata/karate.parquet
  foray eigenvector follows/ --directed -o central.parquet
  foray eigenvector transfers.parquet --weighted --weight amount`,
	table: "vertex and centrality",
	make:  func() calculation { return &eigenvectorCalculation{converging{mean: true}} },
}

type eigenvectorCalculation struct{ converging }

func (c *eigenvectorCalculation) addFlags(g flagGroup) { c.addRounds(g, 1e-6, 100) }

func (c *eigenvectorCalculation) options() eigenvector.Options {
	return eigenvector.Options{Tolerance: c.tolerance, Iterations: c.iterations, Weighted: c.weighted}
}

func (c *eigenvectorCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("centrality", []float64{})}
}

func (c *eigenvectorCalculation) bytes(p *graph.Placed) uint64 {
	return eigenvector.Bytes(p, c.options())
}

func (c *eigenvectorCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.options()
	o.EachLevel, o.Logger = report, logOf(ctx)
	r, err := eigenvector.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return eigenvectorAnswer{r, c}, nil
}

type eigenvectorAnswer struct {
	*eigenvector.Result
	asked *eigenvectorCalculation
}

func (a eigenvectorAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("centrality", a.Centrality)}
}
func (a eigenvectorAnswer) missing() int          { return 0 }
func (a eigenvectorAnswer) stats() traverse.Stats { return a.Stats }

func (a eigenvectorAnswer) lines(g *graph.Graph) ([][2]string, error) {
	all, err := a.Centrality.Slice()
	if err != nil {
		return nil, err
	}
	return [][2]string{a.asked.rounds(a.Iterations, a.Change, a.Converged), {"highest", highest(all, g.IDs())}}, nil
}

func (a eigenvectorAnswer) validate(g *graph.Graph) (string, error) {
	return "values equal the result of the same number of rounds by the definition", eigenvector.Validate(g, a.Result, a.asked.options())
}

func (a eigenvectorAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return a.asked.metadata(a.Iterations, a.Converged)
}
