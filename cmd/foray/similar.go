// This file holds the similar command.

package main

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var similarAlgorithm = algorithm{
	name: "similar", short: "Find vertices with similar neighborhoods",
	long: `Finds the vertices whose neighbors are the most similar to those of each vertex, or
the similarity of the pairs in --pairs. The table has a row for each pair, the most
similar first; of equal scores the smaller id comes first. Vertices without a common
neighbor have no row, and a pair of them has score 0. --measure is one of

  jaccard      common neighbors / neighbors of either
  overlap      common neighbors / the smaller number of neighbors
  cosine       common neighbors / the root of the product of both numbers
  adamic-adar  the sum of 1/ln(neighbors) over common neighbors

Directions, self-loops and repeated edges don't count. Each vertex takes as many steps
as its neighbors have edges: with hubs, name some vertices or take --samples.`,
	example: `  foray similar testdata/karate.parquet --source 1 -k 5
  foray similar testdata/karate.parquet --pairs candidates.csv -o scores.csv
  foray similar ratings.csv --measure cosine --weighted --weight stars`,
	table: "vertex, neighbor and score",
	make:  func() calculation { return &similarCalculation{} },
}

type similarCalculation struct {
	pairRows
	app     *app // where there are such flags
	o       similar.Options
	measure *enum
	ids     []string
	from    string // of --sources-from
	pairs   string
	samples int
	seed    uint64
	k       int
}

// pairRows are tables whose rows aren't vertices.
type pairRows struct{}

// rows is what rows are.
func (pairRows) rows() string { return "pairs of vertices" }

func (c *similarCalculation) addFlags(g flagGroup) {
	c.measure = newEnum("MEASURE", similar.Jaccard.String(), similar.Overlap.String(), similar.Cosine.String(), similar.AdamicAdar.String())
	g.flags.Var(c.measure, "measure", "jaccard, overlap, cosine or adamic-adar")
	g.flags.IntVarP(&c.k, "top", "k", 10, fmt.Sprintf("find the `K` most similar vertices of each, at most %d", similar.MostK))
	g.flags.StringArrayVarP(&c.ids, "source", "s", nil, "`ID` of a vertex to find similar ones of; may be repeated (default all vertices)")
	g.flags.IntVar(&c.samples, "samples", 0, "find those of `N` random vertices")
	g.flags.Uint64Var(&c.seed, "seed", 0, "random seed of --samples, a `NUMBER`")
	g.flags.BoolVar(&c.o.Weighted, "weighted", false, "take the cosine of the weights of edges, of 0 or more")
}

// addSeeds adds the flags of files to the command foray similar.
func (c *similarCalculation) addSeeds(a *app, g flagGroup) {
	c.app = a
	g.flags.StringVar(&c.from, "sources-from", "", "more --source ids, from a table or text at `PATH`: Parquet, Arrow, a table of Iceberg or Delta Lake, .csv, .tsv or a text with an id a line; PATH;column=NAME names the column")
	g.flags.StringVar(&c.pairs, "pairs", "", "find the similarity of the pairs of ids in a table at `PATH`: Parquet, Arrow, .csv or .tsv, with the columns src and dst; PATH;columns=A,B names others")
}

func (c *similarCalculation) addInput(in flagGroup, f *inputFlags) { f.addWeights(in) }

func (c *similarCalculation) check(given func(string) bool) error {
	c.o.Measure = similar.Measure(slices.Index(c.measure.allowed, c.measure.value))
	named := given("source") || given("sources-from") || given("samples")
	switch {
	case given("weight") && !c.o.Weighted:
		return usagef("--weight names the weights that --weighted takes; pass that too")
	case c.o.Weighted && c.o.Measure != similar.Cosine:
		return usagef("--weighted is for --measure cosine")
	case c.k < 1 || c.k > similar.MostK:
		return usagef("--top is %d; want a number from 1 to %d", c.k, similar.MostK)
	case given("samples") && c.samples < 1:
		return usagef("--samples is %d; want at least 1, or omit it for all vertices", c.samples)
	case given("samples") && (given("source") || given("sources-from")):
		return usagef("--samples chooses the vertices that --source and --sources-from name; pass one of them")
	case given("seed") && !given("samples"):
		return usagef("--seed is for --samples")
	case given("pairs") && (named || given("top")):
		return usagef("--pairs names both vertices of each pair; --source, --sources-from, --samples and --top are for similar vertices that are looked for")
	}
	return nil
}

// checkSeeds refuses files that can't be read.
func (c *similarCalculation) checkSeeds(given func(string) bool, f *algorithmFlags, paths []string) error {
	f.inputFlags.seeds = c.from != "" || c.pairs != ""
	if given("sources-from") {
		path, _, err := splitSeeds("sources-from", c.from)
		if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	if given("pairs") {
		path, _, err := splitPairs(c.pairs)
		if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	return f.checkInside(paths, &f.outputFlags)
}

func (c *similarCalculation) needs(o *graph.Options, in *inputFlags) {
	if in.weights = in.weights || c.o.Weighted; c.o.Weighted {
		o.Weights, o.NonNegative, o.Combine = true, true, graph.CombineSum
	}
}

func (c *similarCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	g := p.Graph()
	if c.o.Sources, err = in.vertexIDs(g, "source", c.ids); err != nil {
		return err
	}
	if c.from != "" {
		more, err := c.app.seeds(context.Background(), g, in, "sources-from", c.from)
		if err != nil {
			return err
		}
		c.o.Sources = joined(c.o.Sources, more)
	}
	if c.samples > 0 {
		c.o.Sources = sampled(g, c.samples, c.seed)
	}
	if c.o.K = c.k; c.pairs != "" {
		c.o.K = 0
		c.o.Pairs, err = readPairs(context.Background(), g, in, c.pairs)
	}
	return err
}

func (c *similarCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("score", []float64{})}
}

func (c *similarCalculation) bytes(p *graph.Placed) uint64 { return similar.Bytes(p, c.o) }

func (c *similarCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel, o.Logger = report, logOf(ctx)
	r, err := similar.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return similarAnswer{r, c, p.NumVertices()}, nil
}

type similarAnswer struct {
	*similar.Result
	c *similarCalculation
	n int // vertices
}

func (a similarAnswer) columns() []arrow.Column { return a.c.columns() }
func (a similarAnswer) missing() int            { return 0 }
func (a similarAnswer) stats() traverse.Stats   { return a.Stats }
func (a similarAnswer) Close() error            { return nil }
func (a similarAnswer) tabulates() bool         { return true }

func (a similarAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (rows int, err error) {
	wo.ReachedOnly, wo.SortByID = false, false
	like := []arrow.Column{arrow.NewColumn("vertex", []uint32{}).Vertices(), arrow.NewColumn("neighbor", []uint32{}).Vertices(), arrow.NewColumn("score", []float64{})}
	all := []arrow.Column{arrow.NewColumn("vertex", a.Vertex).Vertices(), arrow.NewColumn("neighbor", a.Neighbor).Vertices(), arrow.NewColumn("score", a.Score)}
	return len(a.Score), arrow.WriteTable(ctx, path, g, like, oneBatch(all), wo)
}

// oneBatch is a table in one batch.
func oneBatch(columns []arrow.Column) iter.Seq2[[]arrow.Column, error] {
	return func(yield func([]arrow.Column, error) bool) { yield(columns, nil) }
}

func (a similarAnswer) lines(g *graph.Graph) ([][2]string, error) {
	of := text.Plural(len(a.Score), "pair") + " of " + text.Plural(a.n, "vertex")
	switch {
	case a.c.o.Pairs != nil:
		of = text.Plural(len(a.Score), "pair")
	case a.c.o.Sources != nil:
		of = text.Plural(len(a.Score), "pair") + " of " + text.Plural(len(a.c.o.Sources), "source")
	}
	lines := [][2]string{{"similar", of + ", by " + a.c.measure.value}}
	best := -1
	for i, x := range a.Score {
		if best < 0 || x > a.Score[best] {
			best = i
		}
	}
	if best >= 0 {
		lines = append(lines, [2]string{"highest", fmt.Sprintf("%s and %s (%s)", formatID(g.IDs(), a.Vertex[best]), formatID(g.IDs(), a.Neighbor[best]), short(a.Score[best]))})
	}
	return lines, nil
}

func (a similarAnswer) validate(g *graph.Graph) (string, error) {
	what := "scores of up to 64 vertices are as defined, and no other vertex is more similar"
	if a.c.o.Pairs != nil {
		what = "scores are as defined"
	}
	return what, similar.Validate(g, a.Result, a.c.o)
}

func (a similarAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options = map[string]any{"measure": a.c.measure.value}
	if a.c.o.Weighted {
		options["weighted"] = true
	}
	if a.c.o.Pairs == nil {
		options["top"] = a.c.k
	}
	if a.c.samples > 0 {
		options["samples"], options["seed"] = a.c.samples, a.c.seed
	}
	return options, map[string]any{"pairs": len(a.Score)}
}
