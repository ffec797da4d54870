// This file holds the lpa command.

package main

import (
	"context"

	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var lpaAlgorithm = algorithm{
	name: "lpa", short: "Find communities by label propagation",
	long: `Finds communities by label propagation, as LDBC Graphalytics defines its CDLP:
every vertex starts with its id as its label, and in each round all vertices take
the most frequent label among their neighbors; ties go to the smallest.`,
	example: `  foray lpa testdata/karate.parquet
  foray lpa follows/ --directed --iterations 5 -o labels.parquet
  foray lpa gen:kron20 --validate`,
	table: "vertex and label",
	make:  func() calculation { return &lpaCalculation{} },
}

type lpaCalculation struct{ o lpa.Options }

func (c *lpaCalculation) addFlags(g flagGroup) {
	g.flags.IntVar(&c.o.Iterations, "iterations", 10, "run `N` rounds, or fewer if a round changes nothing")
}

func (c *lpaCalculation) check(func(string) bool) error {
	if c.o.Iterations < 1 {
		return usagef("--iterations is %d; want at least 1", c.o.Iterations)
	}
	return nil
}

func (c *lpaCalculation) needs(o *graph.Options, _ *inputFlags) {
	o.Reverse, o.KeepSelfLoops = true, true
}
func (c *lpaCalculation) prepare(*graph.Placed, *inputFlags) error { return nil }

func (c *lpaCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("label", []uint32{}).Vertices()}
}

func (*lpaCalculation) bytes(p *graph.Placed) uint64 { return lpa.Bytes(p, lpa.Options{}) }

func (c *lpaCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := lpa.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return lpaAnswer{r, c.o}, nil
}

type lpaAnswer struct {
	*lpa.Result
	o lpa.Options
}

func (a lpaAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("label", a.Labels).Vertices()}
}
func (a lpaAnswer) missing() int          { return 0 }
func (a lpaAnswer) stats() traverse.Stats { return a.Stats }

func (a lpaAnswer) lines(*graph.Graph) ([][2]string, error) {
	rounds := text.Count(a.Iterations)
	if a.Iterations < a.o.Iterations {
		rounds += ", the last changed nothing"
	}
	return [][2]string{{"labels", text.Count(a.Communities)}, {"rounds", rounds}}, nil
}

func (a lpaAnswer) validate(g *graph.Graph) (string, error) {
	return "labels equal the result of the same number of rounds by the definition", lpa.Validate(g, a.Result)
}

func (a lpaAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return map[string]any{"iterations": a.o.Iterations}, map[string]any{"rounds": a.Iterations, "communities": a.Communities}
}
