// This file holds the pagerank command.

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var pagerankAlgorithm = algorithm{
	name: "pagerank", short: "Rank vertices by PageRank", several: true,
	long: `Ranks the vertices of a graph by PageRank: the share of time that a random walker
spends at each vertex. The walker follows edges, and sometimes jumps to a random
vertex. Ranks add up to 1. Rounds end once one changes the ranks by less than the
tolerance, in sum. With --tolerance 0 they end only after --iterations, as LDBC
Graphalytics defines it.

Self-loops are kept. Repeated edges become one edge, which with --weighted has
the sum of their weights; see --combine.`,
	example: `  foray pagerank testdata/karate.parquet
  foray pagerank follows/ --src user --dst follows --directed -o ranks.parquet
  foray pagerank gen:kron20 --iterations 10 --damping 0.85 --tolerance 0
  foray pagerank transfers.parquet --directed --weighted --weight amount`,
	table: "vertex and rank",
	make:  func() calculation { return &pagerankCalculation{} },
}

type pagerankCalculation struct {
	o      pagerank.Options
	column string // of the personalization
	in     *inputFlags
}

func (c *pagerankCalculation) addFlags(g flagGroup) {
	g.flags.Float64Var(&c.o.Damping, "damping", defaultDamping, "the `PROBABILITY` of following an edge rather than jumping")
	g.flags.Float64Var(&c.o.Tolerance, "tolerance", defaultTolerance, "end once a round changes the ranks by less than `X` in sum; 0: after --iterations")
	g.flags.IntVar(&c.o.Iterations, "iterations", defaultIterations, "run at most `N` rounds")
	g.flags.BoolVar(&c.o.Weighted, "weighted", false, "follow edges in proportion to their weights")
	g.flags.StringVar(&c.column, personalization, "", "walkers jump to vertices in proportion to this `COLUMN` of --vertices, numbers of any scale; nulls count as 0 (default uniform)")
}

func (c *pagerankCalculation) addInput(in flagGroup, f *inputFlags) {
	f.addWeights(in)
	c.in = f
}

// personalization is the name of the flag.
const personalization = "personalization"

var errNoTable = usagef("--personalization needs --vertices, the table whose column it is")

func (c *pagerankCalculation) check(given func(string) bool) error {
	switch {
	case !(c.o.Damping > 0 && c.o.Damping < 1):
		return usagef("--damping is %v; want a number above 0 and below 1, such as %v", c.o.Damping, defaultDamping)
	case c.o.Iterations < 1 || c.o.Iterations > math.MaxInt32:
		return usagef("--iterations is %d; want 1 to %d, such as %d", c.o.Iterations, math.MaxInt32, defaultIterations)
	case c.in != nil && given(personalization) && len(c.in.vertices) == 0:
		return errNoTable
	case given("weight") && !c.o.Weighted:
		return usagef("--weight names the weights that --weighted follows edges by; pass that too")
	}
	if !(c.o.Tolerance >= 0 && c.o.Tolerance <= math.MaxFloat64) {
		return usagef("--tolerance is %v; want a finite number, 0 or more, such as %v", c.o.Tolerance, defaultTolerance)
	}
	if c.o.Tolerance == 0 {
		c.o.Tolerance = -1 // none
	}
	return nil
}

func (c *pagerankCalculation) needs(o *graph.Options, in *inputFlags) {
	o.Reverse, o.KeepSelfLoops, in.weights = true, true, in.weights || c.o.Weighted
	if c.o.Weighted {
		o.Weights, o.Combine = true, graph.CombineSum
	}
	in.vertexColumns = in.vertexColumns || c.column != ""
}

func (c *pagerankCalculation) prepare(_ *graph.Placed, in *inputFlags) error {
	if c.in = in; c.column != "" && len(in.vertices) == 0 {
		return errNoTable
	}
	return nil
}

func (c *pagerankCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("rank", []float64{})}
}

func (*pagerankCalculation) bytes(p *graph.Placed) uint64 {
	return pagerank.Bytes(p, pagerank.Options{})
}

func (c *pagerankCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	if c.column != "" && c.o.Personalization == nil {
		if err := c.personalize(ctx, p.Graph()); err != nil {
			return nil, err
		}
	}
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := pagerank.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return pagerankAnswer{r, c.o, c.column}, nil
}

// personalize reads the column.
func (c *pagerankCalculation) personalize(ctx context.Context, g *graph.Graph) error {
	paths, err := c.in.tablesOnly()
	if err != nil {
		return err
	}
	t, err := c.in.vertexTable(paths)
	if err != nil {
		return err
	}
	t.Properties, t.SkipUnknown = []string{c.column}, c.in.unknown.value == "skip"
	o := arrow.Options{Workers: int(c.in.workers), FollowLinks: c.in.links, AllowOutside: c.in.outside}
	c.in.limits.arrow(&o)
	o.SkipNulls = c.in.nulls.value == "skip"
	x, err := arrow.LoadProperties(ctx, g, *t, o)
	if err != nil {
		return err
	}
	jumps, err := x.Numbers(c.column, 0)
	if err != nil {
		return err
	}
	for v, n := range jumps {
		if !(n >= 0 && n <= math.MaxFloat64) {
			return fmt.Errorf("--personalization %s: vertex %s has %v; want finite numbers, 0 or more: change them before loading", c.column, formatID(g.IDs(), uint32(v)), n)
		}
	}
	c.o.Personalization = jumps
	return nil
}

type pagerankAnswer struct {
	*pagerank.Result
	o      pagerank.Options
	column string
}

func (a pagerankAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("rank", a.Ranks)}
}
func (a pagerankAnswer) missing() int          { return 0 }
func (a pagerankAnswer) stats() traverse.Stats { return a.Stats }

func (a pagerankAnswer) lines(g *graph.Graph) ([][2]string, error) {
	ranks, err := a.Ranks.Slice()
	if err != nil {
		return nil, err
	}
	rounds := text.Count(a.Iterations) + ", the last changed ranks by " + short(a.Change) + " in sum"
	if a.o.Tolerance > 0 && !a.Converged {
		rounds += fmt.Sprintf("; NOT converged to %v, more --iterations or a larger --tolerance may do it", a.o.Tolerance)
	}
	top := "none"
	if best := largest(ranks, g.IDs(), 3); len(best) > 0 {
		names := make([]string, len(best))
		for i, v := range best {
			names[i] = formatID(g.IDs(), v) + " (" + short(ranks[v]) + ")"
		}
		top = strings.Join(names, ", ")
	}
	return [][2]string{{"rounds", rounds}, {"highest", top}}, nil
}

// short is a number with three digits.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// largest returns the vertices of the k largest values, the largest first, equal ones by id.
func largest(values []float64, ids *graph.IDs, k int) []uint32 {
	var best []uint32
	for v, x := range values {
		if x != x || len(best) == k && x < values[best[k-1]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, uint32(v), func(b, v uint32) int {
			if values[b] > x || values[b] == x && ids.Rank(b) < ids.Rank(v) {
				return -1
			}
			return 1
		})
		if best = slices.Insert(best, at, uint32(v)); len(best) > k {
			best = best[:k]
		}
	}
	return best
}

func (a pagerankAnswer) validate(g *graph.Graph) (string, error) {
	what := "ranks add up to 1"
	if a.Converged {
		what += ", and one more round changes them by less than the tolerance"
	}
	return what, pagerank.Validate(g, a.Result, a.o)
}

func (a pagerankAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options = map[string]any{"damping": a.o.Damping, "tolerance": max(a.o.Tolerance, 0), "iterations": a.o.Iterations}
	if a.o.Weighted {
		options["weighted"] = true
	}
	if a.column != "" {
		options[personalization] = a.column
	}
	return options, map[string]any{"rounds": a.Iterations, "converged": a.Converged}
}

// The defaults of package pagerank.
const (
	defaultDamping    = 0.85
	defaultTolerance  = 1e-6
	defaultIterations = 100
)
