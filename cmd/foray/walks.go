// This file holds the walks command.

package main

import (
	"context"
	"fmt"
	"iter"

	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var walksAlgorithm = algorithm{
	name: "walks", short: "Make random walks",
	long: `Makes random walks along out-edges: --count walks of --length steps from each vertex,
or from each --source. The table has a row for each walk, with the list of ids that it
visits. Edges are equally likely, or with --weighted in proportion to their weights.

--p and --q are those of node2vec: the weight of an edge back to the vertex before is
divided by P, that of an edge to a vertex that isn't a neighbor of the one before by Q.

A walk ends early at a vertex without out-edges. Its list is shorter, and the line
"ended" counts such walks. Walks are the same for a seed on all devices. Self-loops are
kept, and repeated edges become one edge; with --weighted it has the sum of their weights.`,
	example: `  foray walks testdata/karate.parquet --count 10 --length 40 -o walks.parquet
  foray walks follows/ --directed --source 42 --length 5 -o -
  foray walks testdata/karate.parquet --p 0.5 --q 2 --seed 7 -o walks.parquet`,
	table: "vertex and walk, a list of ids",
	make:  func() calculation { return &walksCalculation{} },
}

type walksCalculation struct {
	byWeight
	app  *app // where there are such flags
	o    walks.Options
	ids  []string
	from string // of --sources-from
}

// rows is what rows are.
func (c *walksCalculation) rows() string { return "walks" }

func (c *walksCalculation) addFlags(g flagGroup) {
	g.flags.IntVar(&c.o.Length, "length", 80, fmt.Sprintf("take `N` steps, at most %d", walks.MostLength))
	g.flags.IntVar(&c.o.Count, "count", 1, fmt.Sprintf("make `N` walks from each start, at most %d", walks.MostCount))
	g.flags.StringArrayVarP(&c.ids, "source", "s", nil, "`ID` of a vertex to start at; may be repeated (default all vertices)")
	g.flags.Uint64Var(&c.o.Seed, "seed", 0, "random seed, a `NUMBER`")
	g.flags.Float64Var(&c.o.P, "p", 1, "divide the weight of an edge back to the vertex before by `P`")
	g.flags.Float64Var(&c.o.Q, "q", 1, "divide the weight of an edge away from the neighbors of the vertex before by `Q`")
	c.addWeighted(g, "choose edges in proportion to their weights")
}

// addSeeds adds the flag of a file of starts to the command foray walks.
func (c *walksCalculation) addSeeds(a *app, g flagGroup) {
	c.app = a
	g.flags.StringVar(&c.from, "sources-from", "", "more --source ids, from a table or text at `PATH`: Parquet, Arrow, a table of Iceberg or Delta Lake, .csv, .tsv or a text with an id a line; PATH;column=NAME names the column")
}

func (c *walksCalculation) checkSeeds(given func(string) bool, f *algorithmFlags, paths []string) error {
	if f.inputFlags.seeds = c.from != ""; !given("sources-from") {
		return nil
	}
	path, _, err := splitSeeds("sources-from", c.from)
	if err != nil {
		return err
	}
	return f.checkInside(append(paths, path), &f.outputFlags)
}

func (c *walksCalculation) check(given func(string) bool) error {
	const most = 1e9
	switch {
	case c.o.Length < 1 || c.o.Length > walks.MostLength:
		return usagef("--length is %d; want a number from 1 to %d", c.o.Length, walks.MostLength)
	case c.o.Count < 1 || c.o.Count > walks.MostCount:
		return usagef("--count is %d; want a number from 1 to %d", c.o.Count, walks.MostCount)
	case !(c.o.P >= 1/most && c.o.P <= most):
		return usagef("--p is %v; want a number from 1e-09 to 1e+09, such as 0.5", c.o.P)
	case !(c.o.Q >= 1/most && c.o.Q <= most):
		return usagef("--q is %v; want a number from 1e-09 to 1e+09, such as 2", c.o.Q)
	}
	return c.byWeight.check(given)
}

func (c *walksCalculation) needs(o *graph.Options, in *inputFlags) {
	c.byWeight.needs(o, in)
	o.Reverse = false
}

func (c *walksCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	c.o.Weighted = c.weighted
	if c.o.Starts, err = in.vertexIDs(p.Graph(), "source", c.ids); err != nil || c.from == "" {
		return err
	}
	more, err := c.app.seeds(context.Background(), p.Graph(), in, "sources-from", c.from)
	c.o.Starts = joined(c.o.Starts, more)
	return err
}

func (c *walksCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("walk", []uint32{}).Vertices()}
}

func (c *walksCalculation) bytes(p *graph.Placed) uint64 { return walks.Bytes(p, c.o) }

func (c *walksCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	a := walksAnswer{c: c, p: p}
	o := c.o
	o.EachLevel, o.Logger = report, logOf(ctx)
	for b, err := range walks.Each(ctx, p, o) {
		if err != nil {
			return nil, err
		}
		a.walks += len(b.Starts)
		a.ended += b.Ended
		a.steps += len(b.Vertices) - len(b.Starts)
	}
	return a, nil
}

// walksAnswer counts walks. They are made again where they are written or checked, since they may not fit into memory.
type walksAnswer struct {
	c                   *walksCalculation
	p                   *graph.Placed
	walks, steps, ended int
}

func (a walksAnswer) columns() []arrow.Column { return a.c.columns() }
func (a walksAnswer) missing() int            { return 0 }
func (a walksAnswer) stats() traverse.Stats   { return traverse.Stats{Device: a.p.Device().Info().Name} }
func (a walksAnswer) Close() error            { return nil }
func (a walksAnswer) tabulates() bool         { return true }

func (a walksAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (rows int, err error) {
	wo.ReachedOnly, wo.SortByID = false, false
	like := []arrow.Column{arrow.NewColumn("vertex", []uint32{}).Vertices(), arrow.NewListColumn("walk", nil, nil)}
	return a.walks, arrow.WriteTable(ctx, path, g, like, walkBatches(walks.Each(ctx, a.p, a.c.o)), wo)
}

// walkBatches are batches of walks as columns.
func walkBatches(all iter.Seq2[walks.Batch, error]) iter.Seq2[[]arrow.Column, error] {
	return func(yield func([]arrow.Column, error) bool) {
		for b, err := range all {
			if !yield([]arrow.Column{arrow.NewColumn("vertex", b.Starts).Vertices(), arrow.NewListColumn("walk", b.Offsets, b.Vertices)}, err) {
				return
			}
		}
	}
}

func (a walksAnswer) lines(g *graph.Graph) ([][2]string, error) {
	ended := "none early"
	if a.ended > 0 {
		ended = text.Count(a.ended) + " (" + text.Percent(uint64(a.ended), uint64(a.walks)) + ") early, at a vertex where no edge leads on"
	}
	starts := text.Plural(g.NumVertices(), "vertex")
	if a.c.o.Starts != nil {
		starts = text.Plural(len(a.c.o.Starts), "source")
	}
	return [][2]string{{"walks", fmt.Sprintf("%s from %s, %s", text.Count(a.walks), starts, text.Plural(a.steps, "step"))}, {"ended", ended}}, nil
}

func (a walksAnswer) validate(g *graph.Graph) (string, error) {
	for b, err := range walks.Each(context.Background(), a.p, a.c.o) {
		if err == nil {
			err = walks.Validate(g, b, a.c.o)
		}
		if err != nil {
			return "", err
		}
	}
	return "each step follows an edge, and walks end early only where no edge leads on", nil
}

func (a walksAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options = a.c.options(map[string]any{"length": a.c.o.Length, "count": a.c.o.Count, "seed": a.c.o.Seed})
	if a.c.o.P != 1 || a.c.o.Q != 1 {
		options["p"], options["q"] = a.c.o.P, a.c.o.Q
	}
	return options, map[string]any{"walks": a.walks, "steps": a.steps, "ended": a.ended}
}
