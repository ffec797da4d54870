// This file holds the hits command.

package main

import (
	"context"

	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var hitsAlgorithm = algorithm{
	name: "hits", short: "Find hubs and authorities",
	long: `Finds hubs and authorities, as networkx' hits does: a good hub leads to good
authorities, and good hubs lead to a good authority. Each of the two adds up to 1.
Rounds end once one changes the hubs, the largest of which is 1, by less than the
tolerance, in sum.

Self-loops are kept. Repeated edges become one edge, which with --weighted has
the sum of their weights; see --combine.`,
	example: `  foray hits testdata/karate.parquet
  foray hits links/ --src page --dst link --directed -o hits.parquet
  foray hits transfers.parquet --directed --weighted --weight amount`,
	table: "vertex, hub and authority",
	make:  func() calculation { return &hitsCalculation{} },
}

type hitsCalculation struct{ converging }

func (c *hitsCalculation) addFlags(g flagGroup) { c.addRounds(g, 1e-8, 100) }

func (c *hitsCalculation) options() hits.Options {
	return hits.Options{Tolerance: c.tolerance, Iterations: c.iterations, Weighted: c.weighted}
}

func (c *hitsCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("hub", []float64{}), arrow.NewColumn("authority", []float64{})}
}

func (c *hitsCalculation) bytes(p *graph.Placed) uint64 {
	return hits.Bytes(p, c.options())
}

func (c *hitsCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.options()
	o.EachLevel, o.Logger = report, logOf(ctx)
	r, err := hits.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return hitsAnswer{r, c}, nil
}

type hitsAnswer struct {
	*hits.Result
	asked *hitsCalculation
}

func (a hitsAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("hub", a.Hubs), arrow.ValuesColumn("authority", a.Authorities)}
}
func (a hitsAnswer) missing() int          { return 0 }
func (a hitsAnswer) stats() traverse.Stats { return a.Stats }

func (a hitsAnswer) lines(g *graph.Graph) ([][2]string, error) {
	hubs, err := a.Hubs.Slice()
	if err != nil {
		return nil, err
	}
	authorities, err := a.Authorities.Slice()
	if err != nil {
		return nil, err
	}
	return [][2]string{a.asked.rounds(a.Iterations, a.Change, a.Converged), {"hubs", highest(hubs, g.IDs())}, {"authority", highest(authorities, g.IDs())}}, nil
}

func (a hitsAnswer) validate(g *graph.Graph) (string, error) {
	return "values equal the result of the same number of rounds by the definition", hits.Validate(g, a.Result, a.asked.options())
}

func (a hitsAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return a.asked.metadata(a.Iterations, a.Converged)
}
