// This file holds the paths command.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/algos/paths"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var pathsAlgorithm = algorithm{
	name: "paths", short: "Find the k shortest paths of pairs",
	long: `Finds the --top shortest paths from each --source to each --target, or of the
pairs in --pairs, or with --shortest all shortest paths. A path visits no vertex twice.
Its length is the number of its edges, or with --weighted the sum of their weights, of
0 or more. The table has a row for each path, the shortest of a pair first; of equal
lengths that of fewer edges, then that of smaller ids comes first.

--coordinates directs searches at the source (A*). It names two columns of a prepared
graph's vertices. A --scale that an edge refutes is an error, since paths wouldn't be
the shortest. Searches run on the host, all pairs at the same time.`,
	example: `  foray paths testdata/karate.parquet --source 17 --target 27 -k 5 -o -
  foray paths roads.foray --pairs trips.csv --weighted --limit 60 -o p.parquet
  foray paths roads.foray -s 1 -t 9 --weighted --coordinates x,y`,
	table: "source, target, number, depth, with --weighted distance, and path, a list of ids",
	make:  func() calculation { return &pathsCalculation{} },
}

type pathsCalculation struct {
	byWeight
	app          *app // where there are such flags
	o            paths.Options
	from, to     []string
	pairs        string
	samples      int
	seed         uint64
	limit        distanceFlag
	coordinates  string
	metric       *enum
	k            int
	manyShortest bool // --top wasn't given, and all shortest paths are wanted
}

// rows is what rows are.
func (c *pathsCalculation) rows() string { return "paths" }

func (c *pathsCalculation) addFlags(g flagGroup) {
	c.metric = newEnum("METRIC", "euclidean", "haversine")
	g.flags.StringArrayVarP(&c.from, "source", "s", nil, "`ID` of a vertex that paths begin at; may be repeated")
	g.flags.StringArrayVarP(&c.to, "target", "t", nil, "`ID` of a vertex that paths lead to; may be repeated")
	g.flags.IntVar(&c.samples, "samples", 1, "without --source and --target, find the paths of `N` random pairs")
	g.flags.Uint64Var(&c.seed, "seed", 0, "random seed of --samples, a `NUMBER`")
	g.flags.IntVarP(&c.k, "top", "k", 1, fmt.Sprintf("find the `K` shortest paths of each pair, at most %d", paths.MostK))
	g.flags.BoolVar(&c.o.Shortest, "shortest", false, "find only paths of the least length, all of them without --top")
	g.flags.Var(&c.limit, "limit", "leave out paths longer than this `LENGTH`; 0: no limit")
	g.flags.StringVar(&c.coordinates, "coordinates", "", "direct searches by the coordinates in these two `COLUMNS` of a prepared graph's vertices, as in x,y or lon,lat (convert --vertex-columns)")
	g.flags.Var(c.metric, "metric", "of --coordinates: euclidean, in their unit, or haversine, of longitude and latitude in degrees, in meters")
	g.flags.Float64Var(&c.o.Coordinates.Scale, "scale", 0, "least length of an edge, divided by the distance of its ends; 0: the largest that is possible")
	c.addWeighted(g, "add up the weights of edges")
}

// addSeeds adds the flag of a file of pairs to the command foray paths.
func (c *pathsCalculation) addSeeds(a *app, g flagGroup) {
	c.app = a
	g.flags.StringVar(&c.pairs, "pairs", "", "find the paths of the pairs of ids in a table at `PATH`: Parquet, Arrow, .csv or .tsv, with the columns src and dst; PATH;columns=A,B names others")
}

func (c *pathsCalculation) checkSeeds(given func(string) bool, f *algorithmFlags, from []string) error {
	if f.inputFlags.seeds = c.pairs != ""; !given("pairs") {
		return nil
	}
	if given("source") || given("samples") {
		return usagef("--pairs names both ends of each pair; --source, --target and --samples name others")
	}
	path, _, err := splitPairs(c.pairs)
	if err != nil {
		return err
	}
	return f.checkInside(append(from, path), &f.outputFlags)
}

func (c *pathsCalculation) check(given func(string) bool) error {
	c.manyShortest = c.o.Shortest && !given("top")
	switch {
	case given("source") != given("target"):
		return usagef("--source and --target go together: the ends of paths")
	case given("source") && given("samples"):
		return usagef("--samples chooses the pairs that --source and --target name; pass one of them")
	case c.samples < 1:
		return usagef("--samples is %d; want at least 1", c.samples)
	case c.k < 1 || c.k > paths.MostK:
		return usagef("--top is %d; want a number from 1 to %d", c.k, paths.MostK)
	case (given("metric") || given("scale")) && c.coordinates == "":
		return usagef("--metric and --scale are for --coordinates")
	case !(c.o.Coordinates.Scale >= 0 && finite(c.o.Coordinates.Scale)):
		return usagef("--scale is %v; want a number, 0 or more", c.o.Coordinates.Scale)
	}
	return c.byWeight.check(given)
}

func (c *pathsCalculation) needs(o *graph.Options, in *inputFlags) {
	o.Reverse = true
	if in.weights = in.weights || c.weighted; c.weighted {
		o.Weights = true
	}
}

func (c *pathsCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	g := p.Graph()
	c.o.Weighted, c.o.Limit, c.o.K = c.weighted, float64(c.limit), c.k
	if c.manyShortest {
		c.o.K = 0
	}
	if c.coordinates != "" {
		if err := c.locate(g); err != nil {
			return err
		}
	}
	if c.pairs != "" {
		c.o.Pairs, err = readPairs(context.Background(), g, in, c.pairs)
		return err
	}
	from, err := in.vertexIDs(g, "source", c.from)
	if err != nil {
		return err
	}
	to, err := in.vertexIDs(g, "target", c.to)
	if err != nil {
		return err
	}
	c.o.Pairs = nil
	for _, u := range from {
		for _, v := range to {
			c.o.Pairs = append(c.o.Pairs, [2]uint32{u, v})
		}
	}
	if len(from) == 0 {
		c.o.Pairs = sampledPairs(g, c.samples, c.seed)
	}
	return nil
}

// locate reads the coordinates.
func (c *pathsCalculation) locate(g *graph.Graph) error {
	x, y, two := strings.Cut(c.coordinates, ",")
	if !two || x == "" || y == "" {
		return usagef("--coordinates %q: name two columns, as in x,y", c.coordinates)
	}
	if c.metric.value == "haversine" {
		c.o.Coordinates.Metric = paths.Haversine
	}
	for name, into := range map[string]*[]float64{x: &c.o.Coordinates.X, y: &c.o.Coordinates.Y} {
		column, err := g.VertexColumn(name)
		if err != nil {
			return fmt.Errorf("--coordinates: %w", err)
		}
		if *into = floatsOf(column); *into == nil {
			return fmt.Errorf("--coordinates: column %.100q has no numbers: %w", name, graph.ErrOptions)
		}
	}
	return nil
}

// floatsOf returns the numbers of a column, or nil for strings.
func floatsOf(c graph.Column) []float64 {
	if c.Dictionary != nil {
		return nil
	}
	switch values := c.Values.(type) {
	case []float64:
		return values
	case []float32:
		return asFloats(values)
	case []int64:
		return asFloats(values)
	case []int32:
		return asFloats(values)
	case []uint64:
		return asFloats(values)
	case []uint32:
		return asFloats(values)
	}
	return nil
}

func asFloats[T float32 | int64 | int32 | uint64 | uint32](values []T) []float64 {
	all := make([]float64, len(values))
	for i, x := range values {
		all[i] = float64(x)
	}
	return all
}

func (c *pathsCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("depth", []int32{})}
}

func (c *pathsCalculation) bytes(*graph.Placed) uint64 { return 0 } // it is all the host's

func (c *pathsCalculation) run(ctx context.Context, p *graph.Placed, _ func(traverse.Level)) (answer, error) {
	o := c.o
	o.Logger = logOf(ctx)
	r, err := paths.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return pathsAnswer{r, c}, nil
}

type pathsAnswer struct {
	*paths.Result
	c *pathsCalculation
}

func (a pathsAnswer) columns() []arrow.Column { return a.c.columns() }
func (a pathsAnswer) missing() int            { return 0 }
func (a pathsAnswer) stats() traverse.Stats   { return traverse.Stats{Device: "host"} }
func (a pathsAnswer) Close() error            { return nil }
func (a pathsAnswer) tabulates() bool         { return true }

func (a pathsAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (rows int, err error) {
	wo.ReachedOnly, wo.SortByID = false, false
	n := len(a.Pair)
	source, target, number, depth := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]int32, n)
	for i, pair := range a.Pair {
		source[i], target[i], number[i], depth[i] = a.c.o.Pairs[pair][0], a.c.o.Pairs[pair][1], 1, int32(len(a.Path(i))-1)
		if i > 0 && a.Pair[i-1] == pair {
			number[i] = number[i-1] + 1
		}
	}
	table := func(n int) []arrow.Column {
		all := []arrow.Column{arrow.NewColumn("source", source[:n]).Vertices(), arrow.NewColumn("target", target[:n]).Vertices(), arrow.NewColumn("number", number[:n]), arrow.NewColumn("depth", depth[:n])}
		if a.c.weighted {
			all = append(all, arrow.NewColumn("distance", a.Length[:n]))
		}
		return append(all, arrow.NewListColumn("path", a.Offsets[:n+1], a.Vertices[:a.Offsets[n]]))
	}
	return n, arrow.WriteTable(ctx, path, g, table(0), oneBatch(table(n)), wo)
}

func (a pathsAnswer) lines(g *graph.Graph) ([][2]string, error) {
	what := fmt.Sprintf("%s of %s", text.Plural(len(a.Pair), "path"), text.Plural(len(a.c.o.Pairs), "pair"))
	if a.Without > 0 {
		what += fmt.Sprintf("; %s without a path", text.Count(a.Without))
		if a.c.limit > 0 {
			what += " within --limit"
		}
	}
	lines := [][2]string{{"paths", what}}
	if len(a.Pair) > 0 {
		lines = append(lines, [2]string{"first", fmt.Sprintf("length %v: %s", a.Length[0], wayText(g.IDs(), a.Path(0)))})
	}
	if a.Scale > 0 {
		lines = append(lines, [2]string{"scale", short(a.Scale)})
	}
	return lines, nil
}

func (a pathsAnswer) validate(g *graph.Graph) (string, error) {
	return "paths follow edges, visit no vertex twice and come in ascending order; the first of up to 16 pairs are the shortest", paths.Validate(g, a.Result, a.c.o)
}

func (a pathsAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	options = a.c.options(map[string]any{})
	if !a.c.manyShortest {
		options["top"] = a.c.k
	}
	if a.c.o.Shortest {
		options["shortest"] = true
	}
	if a.c.limit > 0 {
		options["limit"] = float64(a.c.limit)
	}
	if a.c.pairs == "" && len(a.c.from) == 0 {
		options["samples"], options["seed"] = a.c.samples, a.c.seed
	}
	if a.c.coordinates != "" {
		options["coordinates"], options["metric"], options["scale"] = a.c.coordinates, a.c.metric.value, a.Scale
	}
	return options, map[string]any{"paths": len(a.Pair), "pairs": len(a.c.o.Pairs), "without": a.Without}
}
