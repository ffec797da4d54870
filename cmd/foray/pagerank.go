// This file holds the pagerank command.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

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
the sum of their weights; see --combine.

--start begins with the ranks that an earlier run wrote, which saves rounds after
few edges were added. --decay makes old edges count less: an edge that is a
half-life older than another one of its vertex counts half as much. Every copy of
a repeated edge then counts by its own time. Several columns of --personalization,
or several --jump-to, are up to 64 rankings of one graph, a column each.`,
	example: `  foray pagerank testdata/karate.parquet
  foray pagerank follows/ --src user --dst follows --directed -o ranks.parquet
  foray pagerank gen:kron20 --iterations 10 --damping 0.85 --tolerance 0
  foray pagerank transfers.parquet --directed --weighted --weight amount
  foray pagerank follows.foray --start yesterday.parquet -o today.parquet
  foray pagerank calls.parquet --directed --time at --decay 30d
  foray pagerank testdata/karate.parquet --jump-to 1 --jump-to 33,34 -o -`,
	table: "vertex and rank, or rank_COLUMN, or rank_1, rank_2 and so on of --jump-to",
	make:  func() calculation { return &pagerankCalculation{} },
}

type pagerankCalculation struct {
	o       pagerank.Options
	column  string   // of the personalization, or several
	jumpTo  []string // ids that walkers jump to, a list for each ranking
	start   string   // the table of earlier ranks
	time    string   // the column of edges
	decay   string   // the half-life
	until   string   // the reference
	names   []string // of rankings, where there are several
	several [][]float64
	in      *inputFlags
}

func (c *pagerankCalculation) addFlags(g flagGroup) {
	g.flags.Float64Var(&c.o.Damping, "damping", defaultDamping, "the `PROBABILITY` of following an edge rather than jumping")
	g.flags.Float64Var(&c.o.Tolerance, "tolerance", defaultTolerance, "end once a round changes the ranks by less than `X` in sum; 0: after --iterations")
	g.flags.IntVar(&c.o.Iterations, "iterations", defaultIterations, "run at most `N` rounds")
	g.flags.BoolVar(&c.o.Weighted, "weighted", false, "follow edges in proportion to their weights")
	g.flags.StringVar(&c.column, personalization, "", "walkers jump to vertices in proportion to this `COLUMN` of --vertices, numbers of any scale; nulls count as 0 (default uniform); several columns, as in a,b, are a ranking each")
	g.flags.StringArrayVar(&c.jumpTo, "jump-to", nil, "walkers jump to these vertices alone, `IDS` separated by commas; may be repeated, for a ranking each")
	g.flags.StringVar(&c.start, "start", "", "begin with the ranks in `FILE`, of Parquet or Arrow with columns vertex and rank, as -o writes them")
	g.flags.StringVar(&c.decay, "decay", "", "the weight of an edge halves with each `HALF-LIFE` of its age, such as 30d, 12h, 90m, 45s, or a number in the unit of --time")
	g.flags.StringVar(&c.time, "time", "", "`COLUMN` of the edges' times for --decay: dates, timestamps or numbers")
	g.flags.StringVar(&c.until, "reference", "", "the `TIME` that ages are counted back from for --decay; later edges carry nothing (default the latest)")
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
	case given("decay") != given("time"):
		return usagef("--decay and --time go together: the half-life, and the column of the edges' times")
	case given("reference") && !given("decay"):
		return usagef("--reference is for --decay")
	case given("start") && c.start == "":
		return usagef("--start is empty; name a file of earlier ranks")
	case given("jump-to") && given(personalization):
		return usagef("--jump-to and --personalization both say where walkers jump to; give one of them")
	case given("weight") && !c.o.Weighted:
		return usagef("--weight names the weights that --weighted follows edges by; pass that too")
	}
	if !(c.o.Tolerance >= 0 && c.o.Tolerance <= math.MaxFloat64) {
		return usagef("--tolerance is %v; want a finite number, 0 or more, such as %v", c.o.Tolerance, defaultTolerance)
	}
	if c.o.Tolerance == 0 {
		c.o.Tolerance = -1 // none
	}
	return c.checkRankings()
}

func (c *pagerankCalculation) needs(o *graph.Options, in *inputFlags) {
	o.Reverse, o.KeepSelfLoops, in.weights = true, true, in.weights || c.o.Weighted
	switch {
	case c.time != "": // every copy of an edge has its own time
		in.reads = withName(in.reads, c.time)
		o.Weights = c.o.Weighted
	case c.o.Weighted:
		o.Weights, o.NonNegative, o.Combine = true, true, graph.CombineSum
	}
	in.vertexColumns = in.vertexColumns || c.column != ""
}

func (c *pagerankCalculation) prepare(p *graph.Placed, in *inputFlags) error {
	if c.in = in; c.column != "" && len(in.vertices) == 0 {
		return errNoTable
	}
	if err := c.prepareDecay(p.Graph()); err != nil {
		return err
	}
	return c.prepareJumps(p.Graph())
}

func (c *pagerankCalculation) columns() []arrow.Column {
	if len(c.names) < 2 {
		return []arrow.Column{arrow.NewColumn("rank", []float64{})}
	}
	var all []arrow.Column
	for _, name := range c.names {
		all = append(all, arrow.NewColumn("rank_"+name, []float64{}))
	}
	return all
}

func (c *pagerankCalculation) bytes(p *graph.Placed) uint64 {
	o := c.o
	if c.time != "" {
		o.Decay.Column = c.time
	}
	if c.column != "" || len(c.jumpTo) > 0 {
		o.Personalization = []float64{}
	}
	return pagerank.Bytes(p, o) + 8*uint64(max(len(c.names), 1)-1)*uint64(p.NumVertices())
}

func (c *pagerankCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	if c.column != "" && c.several == nil {
		if err := c.personalize(ctx, p.Graph()); err != nil {
			return nil, err
		}
	}
	if c.start != "" && c.o.Start == nil {
		if err := c.readStart(ctx, p.Graph()); err != nil {
			return nil, err
		}
	}
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	if len(c.several) == 0 {
		r, err := pagerank.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return pagerankAnswer{[]*pagerank.Result{r}, c}, nil
	}
	all, err := pagerank.RunEach(ctx, p, o, c.several)
	if err != nil {
		return nil, err
	}
	return pagerankAnswer{all, c}, nil
}

type pagerankAnswer struct {
	all []*pagerank.Result // of one ranking at least
	c   *pagerankCalculation
}

func (a pagerankAnswer) columns() []arrow.Column {
	var list []arrow.Column
	for i, r := range a.all {
		name := "rank"
		if len(a.all) > 1 {
			name += "_" + a.c.names[i]
		}
		list = append(list, arrow.ValuesColumn(name, r.Ranks))
	}
	return list
}
func (a pagerankAnswer) missing() int          { return 0 }
func (a pagerankAnswer) stats() traverse.Stats { return a.all[0].Stats }

// Close closes all results.
func (a pagerankAnswer) Close() (err error) {
	for _, r := range a.all {
		err = errors.Join(err, r.Close())
	}
	return err
}

// rounds returns the most rounds of a ranking, and whether all converged.
func (a pagerankAnswer) rounds() (most int, change float64, converged bool) {
	converged = true
	for _, r := range a.all {
		most, change, converged = max(most, r.Iterations), max(change, r.Change), converged && r.Converged
	}
	return most, change, converged
}

func (a pagerankAnswer) lines(g *graph.Graph) ([][2]string, error) {
	most, change, converged := a.rounds()
	rounds := text.Count(most) + ", the last changed ranks by " + short(change) + " in sum"
	if len(a.all) > 1 {
		rounds = "at most " + rounds + " at most"
	}
	if a.c.o.Tolerance > 0 && !converged {
		rounds += fmt.Sprintf("; NOT converged to %v, more --iterations or a larger --tolerance may do it", a.c.o.Tolerance)
	}
	lines := [][2]string{{"rounds", rounds}}
	for i, r := range a.all {
		ranks, err := r.Ranks.Slice()
		if err != nil {
			return nil, err
		}
		top := highest(ranks, g.IDs())
		if len(a.all) > 1 {
			top = "rank_" + a.c.names[i] + ": " + top
		}
		if lines = append(lines, [2]string{"highest", top}); i+1 == mostShownRankings && len(a.all) > i+1 {
			lines = append(lines, [2]string{"", "and of " + text.Plural(len(a.all)-i-1, "more ranking")})
			break
		}
	}
	return lines, nil
}

// mostShownRankings is how many rankings are printed.
const mostShownRankings = 4

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
	if _, _, converged := a.rounds(); converged {
		what += ", and one more round changes them by less than the tolerance"
	}
	for i, r := range a.all {
		o := a.c.o
		if a.c.several != nil {
			o.Personalization = a.c.several[i]
		}
		if err := pagerank.Validate(g, r, o); err != nil {
			return "", err
		}
	}
	return what, nil
}

func (a pagerankAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	c := a.c
	options = map[string]any{"damping": c.o.Damping, "tolerance": max(c.o.Tolerance, 0), "iterations": c.o.Iterations}
	if c.o.Weighted {
		options["weighted"] = true
	}
	for name, value := range map[string]string{personalization: c.column, "start": c.start, "time": c.time, "decay": c.decay, "reference": c.until} {
		if value != "" {
			options[name] = value
		}
	}
	if len(c.jumpTo) > 0 {
		options["jump_to"] = c.jumpTo
	}
	most, _, converged := a.rounds()
	return options, map[string]any{"rounds": most, "converged": converged}
}

// The defaults of package pagerank.
const (
	defaultDamping    = 0.85
	defaultTolerance  = 1e-6
	defaultIterations = 100
)
