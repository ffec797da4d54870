// This file holds the katz command.

package main

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var katzAlgorithm = algorithm{
	name: "katz", short: "Find Katz centrality",
	long: `Finds Katz centrality, as networkx does: the centrality of a vertex is --beta, plus
--alpha times the sum of the centralities of its in-neighbors. The L2 norm of the values is 1. Rounds end once one
changes the values by less than the tolerance times the number of vertices, in sum.
--alpha must be less than 1 divided by the largest eigenvalue of the adjacency
matrix; else the command fails, and names one that is small enough.

Self-loops are kept. Repeated edges become one edge, which with --weighted has
the sum of their weights; see --combine.`,
	example: `  foray katz testdata/karate.parquet
  foray katz follows/ --src user --dst follows --directed --alpha 0.001
  foray katz transfers.parquet --weighted --weight amount --alpha 1e-6`,
	table: "vertex and centrality",
	make:  func() calculation { return &katzCalculation{converging: converging{mean: true}} },
}

type katzCalculation struct {
	converging
	alpha, beta float64
}

func (c *katzCalculation) addFlags(g flagGroup) {
	g.flags.Float64Var(&c.alpha, "alpha", 0.1, "what an edge multiplies by, above 0")
	g.flags.Float64Var(&c.beta, "beta", 1, "the constant that each vertex gets, above 0")
	c.addRounds(g, 1e-6, 1000)
}

func (c *katzCalculation) check(given func(string) bool) error {
	switch {
	case !(c.alpha > 0 && c.alpha <= largestFactor):
		return usagef("--alpha is %v; want a number above 0 and at most 1e+100, such as 0.1", c.alpha)
	case !(c.beta >= 1/largestFactor && c.beta <= largestFactor):
		return usagef("--beta is %v; want a number from 1e-100 to 1e+100, such as 1", c.beta)
	}
	return c.converging.check(given)
}

// largestFactor is the largest alpha and beta of package katz, and the least beta is 1 divided by it.
const largestFactor = 1e100

func (c *katzCalculation) options() katz.Options {
	return katz.Options{Alpha: c.alpha, Beta: c.beta, Tolerance: c.tolerance, Iterations: c.iterations, Weighted: c.weighted}
}

func (c *katzCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("centrality", []float64{})}
}

func (c *katzCalculation) bytes(p *graph.Placed) uint64 {
	return katz.Bytes(p, c.options())
}

func (c *katzCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.options()
	o.EachLevel, o.Logger = report, logOf(ctx)
	r, err := katz.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return katzAnswer{r, c}, nil
}

type katzAnswer struct {
	*katz.Result
	asked *katzCalculation
}

func (a katzAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("centrality", a.Centrality)}
}
func (a katzAnswer) missing() int          { return 0 }
func (a katzAnswer) stats() traverse.Stats { return a.Stats }

func (a katzAnswer) lines(g *graph.Graph) ([][2]string, error) {
	all, err := a.Centrality.Slice()
	if err != nil {
		return nil, err
	}
	rounds := a.asked.rounds(a.Iterations, a.Change, a.Converged)
	if !a.Converged && a.Change >= a.asked.beta*float64(len(all)) { // as much as the first round
		rounds[1] = fmt.Sprintf("%s, the last changed values by %s in sum, as much as the first or more: NOT converged, --alpha is too large for this graph or --iterations too few", text.Count(a.Iterations), short(a.Change))
	}
	return [][2]string{rounds, {"highest", highest(all, g.IDs())}}, nil
}

func (a katzAnswer) validate(g *graph.Graph) (string, error) {
	return "values equal the result of the same number of rounds by the definition", katz.Validate(g, a.Result, a.asked.options())
}

func (a katzAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options, counts = a.asked.metadata(a.Iterations, a.Converged)
	options["alpha"], options["beta"] = a.asked.alpha, a.asked.beta
	return options, counts
}
