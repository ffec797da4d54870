// This file holds the commands louvain and leiden.

package main

import (
	"context"
	"strconv"

	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var louvainAlgorithm = algorithm{
	name: "louvain", short: "Find communities by Louvain's method",
	long: `Finds communities of high modularity by Louvain's method: vertices move to the
community of a neighbor by which modularity rises most; then communities become the
vertices of the next level. Communities may be disconnected: leiden finds connected ones.
` + communitiesLong,
	example: `  foray louvain testdata/karate.parquet
  foray louvain transfers.parquet --weighted --weight amount -o groups.parquet
  foray louvain gen:kron20 --seed 7 --validate`,
	table: "vertex and community, and with --levels those of each level, level1 and so on",
	make:  func() calculation { return &communityCalculation{} },
}

var leidenAlgorithm = algorithm{
	name: "leiden", short: "Find connected communities by Leiden's method",
	long: `Finds communities of high modularity by Leiden's method. It is Louvain's with a
refinement: parts of a community that are connected, and well connected to the rest,
become the vertices of the next level. So every community is connected.
` + communitiesLong,
	example: `  foray leiden testdata/karate.parquet
  foray leiden follows/ --src user --dst follows --directed --resolution 2
  foray leiden gen:kron20 --seed 7 --validate`,
	table: "vertex and community, and with --levels those of each level, level1 and so on",
	make:  func() calculation { return &communityCalculation{connected: true} },
}

const communitiesLong = `Labels are 0, 1 and so on, without gaps. They depend only on the graph, its ids, the
options and --seed. With --directed, modularity is that of directed graphs.

Self-loops are kept. Repeated edges become one edge, which with --weighted has
the sum of their weights; see --combine.`

// communityCalculation is for both: their options are the same.
type communityCalculation struct {
	byWeight
	connected bool
	o         leiden.Options
}

func (c *communityCalculation) addFlags(g flagGroup) {
	g.flags.Float64Var(&c.o.Resolution, "resolution", 1, "find more and smaller communities the larger it is, a `NUMBER` above 0")
	g.flags.Uint64Var(&c.o.Seed, "seed", 0, "random seed, a `NUMBER`")
	g.flags.BoolVar(&c.o.Levels, "levels", false, "also write the communities of each level")
	g.flags.StringVar(&c.o.Initial, "initial", "", "begin with the communities in this `COLUMN` of a prepared graph's vertices, of integers or strings (convert --vertex-columns)")
	c.addWeighted(g, "count the weights of edges")
}

func (c *communityCalculation) check(given func(string) bool) error {
	if !(c.o.Resolution > 0 && c.o.Resolution <= largestResolution) {
		return usagef("--resolution is %v; want a number above 0 and at most 1e+09, such as 1", c.o.Resolution)
	}
	if given("initial") && c.o.Initial == "" {
		return usagef("--initial: the name of a column is empty")
	}
	return c.byWeight.check(given)
}

// largestResolution is the largest of packages louvain and leiden.
const largestResolution = 1e9

func (c *communityCalculation) options() leiden.Options {
	o := c.o
	o.Weighted = c.weighted
	return o
}

func (c *communityCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("community", []uint32{})}
}

func (c *communityCalculation) bytes(p *graph.Placed) uint64 { return leiden.Bytes(p, c.options()) }

// idle says that weights are there, and not used.
func (c *communityCalculation) idle(g *graph.Graph) string {
	if c.weighted || g.WeightType() == graph.WeightsAuto {
		return ""
	}
	return "the graph has weights, which are not used: each edge counts 1; --weighted counts them"
}

func (c *communityCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.options()
	o.EachLevel, o.Logger = report, logOf(ctx)
	if c.connected {
		r, err := leiden.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return communityAnswer{r, c}, nil
	}
	r, err := louvain.Run(ctx, p, louvain.Options(o))
	if err != nil {
		return nil, err
	}
	return communityAnswer{(*leiden.Result)(r), c}, nil
}

type communityAnswer struct {
	*leiden.Result
	asked *communityCalculation
}

func (a communityAnswer) columns() []arrow.Column {
	list := []arrow.Column{arrow.ValuesColumn("community", a.Community)}
	for i, l := range a.Levels {
		list = append(list, arrow.ValuesColumn("level"+strconv.Itoa(i+1), l))
	}
	return list
}
func (a communityAnswer) missing() int          { return 0 }
func (a communityAnswer) stats() traverse.Stats { return a.Stats }

func (a communityAnswer) lines(*graph.Graph) ([][2]string, error) {
	all, err := a.Community.Slice()
	if err != nil {
		return nil, err
	}
	sizes, largest := make([]int, a.Communities), 0
	for _, c := range all {
		sizes[c]++
		largest = max(largest, sizes[c])
	}
	return [][2]string{
		{"modularity", strconv.FormatFloat(a.Modularity, 'f', 6, 64)},
		{"communities", text.Count(a.Communities) + "; the largest has " + text.Plural(largest, "vertex")},
		{"levels", text.Count(a.Stats.Rounds)},
	}, nil
}

func (a communityAnswer) validate(g *graph.Graph) (string, error) {
	if a.asked.connected {
		return "each community is connected, and the modularity is the one by the definition", leiden.Validate(g, a.Result, a.asked.options())
	}
	return "labels are contiguous, and the modularity is the one by the definition", louvain.Validate(g, (*louvain.Result)(a.Result), louvain.Options(a.asked.options()))
}

func (a communityAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options = a.asked.byWeight.options(map[string]any{"seed": a.asked.o.Seed, "resolution": a.asked.o.Resolution})
	if a.asked.o.Initial != "" {
		options["initial"] = a.asked.o.Initial
	}
	return options, map[string]any{"communities": a.Communities, "modularity": a.Modularity}
}
