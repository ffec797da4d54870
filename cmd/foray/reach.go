// This file holds the reach command, and bfs --expand.

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var reachAlgorithm = algorithm{
	name: "reach", short: "Find what is reached in time, or by edges of kinds", several: true,
	long: `Finds what vertices are reached from one or several by edges with columns.

With --departure it finds the earliest arrival at each vertex: an edge can be
taken if its source is reached by its time (--time), and its target is then
reached at that time plus its duration (--duration).

With --expand it finds the least number of edges of a walk whose kinds match an
expression: kinds follow one another by commas, | separates alternatives, and *, +
and ? mean any number, at least one and at most one. A dot is any kind.

Columns come from tables, text with a header and JSON lines, or from a prepared
graph (foray convert --edge-columns). Repeated edges all count, unless --merge chooses.`,
	example: `  foray reach rides.parquet -s VIE --departure 2026-01-01T08:00 --duration takes
  foray reach events.foray --source alice --expand 'follows*,likes' -o likes.csv
  foray bfs events.parquet --source alice --expand '(follows|likes)+'`,
	table: "vertex and depth, or with --departure arrival, a date, a timestamp or an integer, as --time",
	make:  func() calculation { return &reachCalculation{} },
}

type reachCalculation struct {
	ids       []string
	o         reach.Options
	departure string

	why  string // the source was taken
	form logical.Type
	// logical is what times stand for, as graph.Column.Logical says.
	logical string
}

func (c *reachCalculation) addFlags(g flagGroup) {
	g.flags.StringArrayVarP(&c.ids, "source", "s", nil, "`ID` of a vertex to start from; may be repeated (default the one of largest degree)")
	g.flags.StringVar(&c.departure, "departure", "", "find the earliest arrivals from this `TIME` on, such as 2026-01-01T08:00:00 or, of a column of integers, 28800")
	g.flags.StringVar(&c.o.Time, "time", "time", "`COLUMN` of the times at which edges depart: dates, timestamps or integers")
	g.flags.StringVar(&c.o.Duration, "duration", "", "`COLUMN` of how long edges take, in the unit of --time (default they take no time)")
	c.addExpand(g)
}

// addExpand adds the flags that bfs has too.
func (c *reachCalculation) addExpand(g flagGroup) {
	g.flags.StringVar(&c.o.Expression, "expand", "", "follow walks whose kinds match this `EXPRESSION`, such as 'follows*,likes'")
	g.flags.StringVar(&c.o.Kind, "kind", "kind", "`COLUMN` of the kinds of edges, for --expand")
}

func (c *reachCalculation) check(given func(string) bool) error {
	switch {
	case !given("expand") && !given("departure"):
		return usagef("reach needs --departure, a time, or --expand, an expression of kinds")
	case given("expand") && given("departure"):
		return usagef("--departure and --expand are two searches; give one of them")
	case given("expand") && (given("time") || given("duration")):
		return usagef("--time and --duration are for --departure")
	case given("departure") && given("kind"):
		return usagef("--kind is for --expand")
	case given("departure") && c.departure == "":
		return usagef("--departure is empty; give a time, such as 2026-01-01T08:00:00")
	}
	return c.checkExpression(given)
}

// checkExpression parses the expression.
func (c *reachCalculation) checkExpression(given func(string) bool) error {
	if given("expand") {
		if _, err := reach.Kinds(c.o.Expression); err != nil {
			_, says, _ := strings.Cut(err.Error(), "Options.Expression: ")
			return &usageError{err: text.Named(fmt.Sprintf("--expand %q: %s", c.o.Expression, says), err)}
		}
	}
	return nil
}

func (c *reachCalculation) needs(o *graph.Options, in *inputFlags) {
	o.KeepSelfLoops = true // a walk may take them
	switch {
	case c.o.Expression != "":
		in.reads = []string{c.o.Kind}
	case c.o.Duration != "" && c.o.Duration != c.o.Time:
		in.reads = []string{c.o.Time, c.o.Duration}
	default:
		in.reads = []string{c.o.Time}
	}
}

func (c *reachCalculation) columns() []arrow.Column {
	if c.departure != "" {
		return []arrow.Column{arrow.NewColumn("arrival", []int64{}, reach.Never).Logical(c.logical)}
	}
	return []arrow.Column{arrow.NewColumn("depth", []int32{}, -1)}
}

func (c *reachCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	f := &bfsFlags{inputFlags: *in, sources: c.ids}
	if c.o.Sources, c.why, err = f.chooseSources(p.Graph()); err != nil || c.departure == "" {
		return err
	}
	col, err := p.Graph().EdgeColumn(c.o.Time)
	if err != nil {
		return fmt.Errorf("--time: %w", err)
	}
	if col.Dictionary != nil {
		return usagef("--time %s: the column has strings, not dates, timestamps or integers", c.o.Time)
	}
	c.logical = col.Logical
	if c.form, err = logical.Parse(col.Logical); err == nil && c.form.Integer() && c.form.Kind != logical.Plain {
		if c.o.Departure, err = c.form.ParseInt(c.departure); err != nil {
			return usagef("--departure %s: the column %s has values of type %s: %v", c.departure, c.o.Time, col.Logical, err)
		}
		return nil
	}
	c.form = logical.Type{}
	if c.o.Departure, err = strconv.ParseInt(c.departure, 10, 64); err != nil {
		return usagef("--departure %s: the column %s has integers; give one of the same unit", c.departure, c.o.Time)
	}
	return nil
}

func (*reachCalculation) bytes(p *graph.Placed) uint64 { return 28 * uint64(p.NumVertices()) }

func (c *reachCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel, o.Logger = report, logOf(ctx)
	if c.departure != "" {
		times, err := reach.Arrivals(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return newReachAnswer(c, times, reach.Never, arrow.ValuesColumn("arrival", times, reach.Never).Logical(c.logical), times.Stats)
	}
	depths, err := reach.Match(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return newReachAnswer(c, depths, -1, arrow.ValuesColumn("depth", depths, -1), depths.Stats)
}

// reachAnswer is a result of reach.
type reachAnswer struct {
	c        *reachCalculation
	values   interface{ Close() error }
	column   arrow.Column
	all      []int64
	reached  int
	farthest int64
	ran      traverse.Stats
}

func newReachAnswer[T int32 | int64](c *reachCalculation, values *traverse.Values[T], none T, column arrow.Column, ran traverse.Stats) (answer, error) {
	slice, err := values.Slice()
	if err != nil {
		return nil, errors.Join(err, values.Close())
	}
	a := &reachAnswer{c: c, values: values, column: column, ran: ran}
	for _, x := range slice {
		a.all = append(a.all, int64(x))
		if x != none {
			if a.reached == 0 || int64(x) > a.farthest {
				a.farthest = int64(x)
			}
			a.reached++
		}
	}
	return a, nil
}

func (a *reachAnswer) columns() []arrow.Column { return []arrow.Column{a.column} }
func (a *reachAnswer) missing() int            { return len(a.all) - a.reached }
func (a *reachAnswer) stats() traverse.Stats   { return a.ran }
func (a *reachAnswer) Close() error            { return a.values.Close() }

// time writes an arrival in the form of the column.
func (a *reachAnswer) time(x int64) string {
	if a.c.form.Integer() && a.c.form.Kind != logical.Plain {
		return a.c.form.FormatInt(x)
	}
	return strconv.FormatInt(x, 10)
}

func (a *reachAnswer) lines(g *graph.Graph) ([][2]string, error) {
	list := [][2]string{{"source", idList(g.IDs(), a.c.o.Sources) + a.c.why}}
	reached := fmt.Sprintf("%s of %s (%s) in %s", text.Count(a.reached), text.Plural(len(a.all), "vertex"),
		text.Percent(uint64(a.reached), uint64(len(a.all))), text.Plural(a.ran.Rounds, "round"))
	switch {
	case a.reached == 0:
	case a.c.departure != "":
		reached += ", the last at " + a.time(a.farthest)
		list = append(list, [2]string{"departure", a.time(a.c.o.Departure)})
	default:
		reached += ", the farthest at depth " + text.Count(a.farthest)
	}
	return append(list, [2]string{"reached", reached}), nil
}

func (a *reachAnswer) validate(g *graph.Graph) (string, error) {
	if a.c.departure != "" {
		return "arrivals equal those of Dijkstra's algorithm on one thread", reach.ValidateArrivals(context.Background(), g, a.c.o, a.all)
	}
	depths := make([]int32, len(a.all))
	for i, x := range a.all {
		depths[i] = int32(x)
	}
	return "depths equal those of a search over pairs of a vertex and a state on one thread", reach.ValidateMatch(context.Background(), g, a.c.o, depths)
}

func (a *reachAnswer) metadata(g *graph.Graph) (options, counts map[string]any) {
	sources := []string{}
	for _, v := range a.c.o.Sources {
		sources = append(sources, g.IDs().Format(v))
	}
	counts = map[string]any{"reached": a.reached, "rounds": a.ran.Rounds, "sources": sources}
	if a.c.departure != "" {
		if a.reached > 0 {
			counts["last_arrival"] = a.time(a.farthest)
		}
		options = map[string]any{"departure": a.time(a.c.o.Departure), "time": a.c.o.Time}
		if a.c.o.Duration != "" {
			options["duration"] = a.c.o.Duration
		}
		return options, counts
	}
	if a.reached > 0 {
		counts["greatest_depth"] = a.farthest
	}
	return map[string]any{"expand": a.c.o.Expression, "kind": a.c.o.Kind}, counts
}

// expand is what bfs --expand runs: the search of reach, with the flags of bfs.
func (a *app) expand(cmd *cobra.Command, args []string, f *bfsFlags) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	for _, name := range []string{"target", "sources-from", "targets-from", "depth-limit", "hops", "algo", "strategy", "parents", "paths", "plot", "all-levels", "alpha", "beta", "edge-ids", "edge-id"} {
		if given(name) {
			return usagef("--%s isn't for --expand, which finds depths alone; leave it out", name)
		}
	}
	c := &reachCalculation{ids: f.sources, o: f.expand.o}
	g := &algorithmFlags{inputFlags: f.inputFlags, outputFlags: f.outputFlags, device: f.device, validate: f.validate, algorithm: reachAlgorithm, calculation: c}
	g.algorithm.name = bfsName
	if err := c.checkExpression(given); err != nil {
		return err
	}
	if err := f.outputFlags.check(cmd.Context()); err != nil {
		return err
	}
	return a.calculate(cmd.Context(), args, g)
}
