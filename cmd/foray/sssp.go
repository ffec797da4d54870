// This file holds the sssp command.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var ssspAlgorithm = algorithm{
	name: "sssp", short: "Find shortest paths", oneSource: true, several: true,
	long: `Finds the shortest paths from one vertex, or from the nearest of several, to all
others, by the weights of edges: the distance of each vertex and, with --parents,
the vertex before it on its path. Weights must be 0 or more; an edge of weight
+Inf can't be used. Integer weights give int64 distances, which are exact; other
weights give float64 distances. --weight-type float32 rounds to 32 bits, for speed.

With --paths the table has a row for each --target instead: target, depth (the
number of edges), distance, and path, the ids from the source to the target.`,
	example: `  foray sssp roads.gr --source 1
  foray sssp flights.csv --weight minutes --source VIE --parents -o tree.parquet
  foray sssp flights.csv --weight minutes -s VIE -t LIS --paths -o -
  foray sssp gen:kron20:weights=1:255 --limit 30 --validate`,
	table: "vertex, distance and, with --parents, parent; with --paths target, depth, distance and path",
	make:  func() calculation { return &ssspCalculation{} },
}

type ssspCalculation struct {
	seedFlags
	app            *app // where there are such flags
	ids, targetIDs []string
	limit, delta   distanceFlag
	parents, paths bool
	prepares       *enum // when the graph is prepared
	float32        bool

	sources, targets []uint32
	why              string // the source was taken
	says             sssp.Prepared
	repeats          bool // the same graph is searched repeatedly
}

func (c *ssspCalculation) addFlags(g flagGroup) {
	g.flags.StringArrayVarP(&c.ids, "source", "s", nil, "`ID` of a vertex to start from; may be repeated (default the one of largest degree)")
	g.flags.StringArrayVarP(&c.targetIDs, "target", "t", nil, "`ID` of a vertex; the search ends when the distances of all targets are certain; may be repeated")
	g.flags.Var(&c.limit, "limit", "leave out vertices farther than this `DISTANCE`; 0: no limit")
	g.flags.Var(&c.delta, "delta", "settle vertices in stages of this `WIDTH` of distance, which affects only the time; 0: chosen by the graph")
	g.flags.BoolVar(&c.parents, "parents", false, "find the parent of every vertex too: the vertex before it on a shortest path")
	g.flags.BoolVar(&c.paths, "paths", false, "write the paths to the --target vertices to -o, as lists of ids; finds parents")
	c.prepares = newEnum("WHEN", "auto", "always", "never")
	g.flags.Var(c.prepares, "prepare", "sort the edges of each vertex by weight, on the device, which makes searches of the same graph faster: auto does so if a large graph is searched repeatedly (foray run, foray bench, --sources-from), always before the first search, never searches the rows as they are")
	g.flags.Lookup("prepare").NoOptDefVal = "always"
}

// addSeeds adds the flags of searches from many sources to the command foray sssp.
func (c *ssspCalculation) addSeeds(a *app, g flagGroup) {
	c.app = a
	c.seedFlags.add(g, "--limit")
}

func (c *ssspCalculation) checkSeeds(given func(string) bool, f *algorithmFlags, paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); given("prepare") && errors.Is(err, fs.ErrNotExist) && slices.Contains([]string{"auto", "always", "never"}, path) {
			return usagef("--prepare takes its value after an equals sign: --prepare=%s", path)
		}
	}
	f.inputFlags.seeds = c.sourcesFrom != "" || c.targetsFrom != ""
	if err := c.seedFlags.check(given, &f.outputFlags); err != nil {
		return err
	}
	return f.checkInside(c.seedFlags.paths(paths), &f.outputFlags)
}

// each returns the search from many sources, or nil if none is requested.
func (c *ssspCalculation) each(f *algorithmFlags) *eachSearch {
	if c.sourcesFrom == "" {
		return nil
	}
	return c.eachSSSP(f)
}

func (c *ssspCalculation) addInput(in flagGroup, f *inputFlags) { f.addWeights(in) }

func (c *ssspCalculation) check(given func(string) bool) error {
	switch {
	case c.paths && len(c.targetIDs) == 0 && c.targetsFrom == "":
		return usagef("--paths needs a --target: the vertex that paths lead to")
	case c.paths && given("partition-by"):
		return usagef("--paths and --partition-by don't go together")
	}
	return nil
}

// written is the flag that selects the output.
func (c *ssspCalculation) written() string {
	if c.paths {
		return "--paths"
	}
	return ""
}

func (c *ssspCalculation) needs(o *graph.Options, in *inputFlags) {
	in.weights, o.Weights, o.Reverse = true, true, c.always()
	c.float32 = in.weightType != nil && in.weightType.value == "float32"
}

// always reports whether the graph is prepared before the first search.
func (c *ssspCalculation) always() bool { return c.prepares.value == "always" }

// repeat says that the searches to come are of the same graph: what auto prepares is prepared before them.
func (c *ssspCalculation) repeat() { c.repeats = true }

// preparation is when searches prepare the graph themselves.
func (c *ssspCalculation) preparation() sssp.Preparation {
	return map[string]sssp.Preparation{"auto": sssp.PrepareAuto, "always": sssp.PrepareAlways, "never": sssp.PrepareNever}[c.prepares.value]
}

// distanceColumn is the column of distances, in their type.
func distanceColumn(d sssp.Distances) arrow.Column {
	switch {
	case d.Int64 != nil:
		return arrow.ValuesColumn("distance", d.Int64, -1)
	case d.Float32 != nil:
		return arrow.ValuesColumn("distance", d.Float32, float32(math.Inf(1)))
	}
	return arrow.ValuesColumn("distance", d.Float64, math.Inf(1))
}

func (c *ssspCalculation) columns() []arrow.Column {
	list := []arrow.Column{arrow.NewColumn("distance", []float64{}, math.Inf(1))}
	if c.parents {
		list = append(list, arrow.NewColumn("parent", []uint32{}).Vertices())
	}
	return list
}

func (c *ssspCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	f := &bfsFlags{inputFlags: *in, sources: c.ids}
	if c.sources, c.why, err = f.chooseSources(p.Graph()); err != nil {
		return err
	}
	if c.targets, err = in.vertexIDs(p.Graph(), "target", c.targetIDs); err != nil {
		return err
	}
	if c.targetsFrom != "" {
		if c.targets, err = c.app.moreTargets(context.Background(), p.Graph(), in, &c.seedFlags, c.targets); err != nil {
			return err
		}
	}
	if !c.always() && !(c.repeats && c.prepares.value == "auto" && p.Graph().NumDirectedEdges() >= tuning.ByWeightEdges) {
		return nil
	}
	c.says, err = sssp.Prepare(context.Background(), p)
	return err
}

func (c *ssspCalculation) bytes(p *graph.Placed) uint64 {
	s, err := sssp.NewSearcher(p, sssp.Options{Parents: c.parents, Float32: c.float32})
	if err != nil {
		return 0
	}
	defer s.Close()
	return s.Bytes()
}

func (c *ssspCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	if len(c.targets) == 0 {
		report = nil // the host would search in rounds, which takes longer
	}
	r, err := sssp.RunMultiSource(ctx, p, c.sources, sssp.Options{
		Parents: c.parents || c.paths, Limit: float64(c.limit), Delta: float64(c.delta), Float32: c.float32, Targets: c.targets, Prepare: c.preparation(), EachLevel: report, Logger: logOf(ctx),
	})
	if err != nil {
		return nil, err
	}
	return &ssspAnswer{r, c}, nil
}

type ssspAnswer struct {
	*sssp.Result
	c *ssspCalculation
}

func (a *ssspAnswer) columns() []arrow.Column {
	list := []arrow.Column{distanceColumn(a.Distances)}
	if a.c.parents {
		list = append(list, arrow.ValuesColumn("parent", a.Parents).Vertices())
	}
	return list
}
func (a *ssspAnswer) missing() int          { return a.Distances.Graph().NumVertices() - a.Reached }
func (a *ssspAnswer) stats() traverse.Stats { return a.Stats }

// idList lists the first ids of vertices.
func idList(m *graph.IDs, vs []uint32) string {
	var ids []string
	for i, v := range vs {
		if i == maxIDs {
			ids = append(ids, fmt.Sprintf("and %s more", text.Count(len(vs)-maxIDs)))
			break
		}
		ids = append(ids, formatID(m, v))
	}
	return strings.Join(ids, ", ")
}

func (a *ssspAnswer) lines(g *graph.Graph) ([][2]string, error) {
	texts, err := newDistanceTexts(a.Distances)
	if err != nil {
		return nil, err
	}
	n := g.NumVertices()
	list := [][2]string{{"source", idList(g.IDs(), a.Sources) + a.c.why}}
	if a.c.says.Why != "" {
		list = append(list, [2]string{"rows", "not by weight: " + flagNames.Replace(a.c.says.Why)})
	}
	reached := fmt.Sprintf("%s of %s (%s) in %s, the farthest at distance %v", text.Count(a.Reached), text.Plural(n, "vertex"),
		text.Percent(uint64(a.Reached), uint64(n)), text.Plural(a.Stats.Rounds, "round"), texts.farthest())
	if len(a.c.targets) > 0 && !slices.ContainsFunc(a.c.targets, func(v uint32) bool { return !texts.reached(v) }) {
		reached += "; what is farther than the targets isn't looked for"
	}
	list = append(list, [2]string{"reached", reached}, [2]string{"distances", distanceTypeText(a.Result)})
	if len(a.c.targets) > 0 {
		var at []string
		for _, v := range a.c.targets {
			d := "not reached"
			if texts.reached(v) {
				d = "at distance " + texts.of(v)
			}
			at = append(at, formatID(g.IDs(), v)+" "+d)
		}
		list = append(list, [2]string{"targets", strings.Join(at, ", ")})
	}
	return list, nil
}

func (a *ssspAnswer) validate(g *graph.Graph) (string, error) {
	what := "no edge makes a path shorter, and every distance is the length of a path"
	if a.Parents != nil {
		what += "; parents form a tree of such paths"
	}
	return what, sssp.Validate(g, a.Result)
}

func (a *ssspAnswer) metadata(g *graph.Graph) (options, counts map[string]any) {
	options = map[string]any{}
	if a.c.parents || a.c.paths {
		options["parents"] = true
	}
	if a.c.limit > 0 {
		options["limit"] = float64(a.c.limit)
	}
	if len(a.c.targets) > 0 {
		options["targets"] = len(a.c.targets)
	}
	counts = map[string]any{"reached": a.Reached, "sources.count": len(a.Sources), "by_weight": a.ByWeight}
	if len(a.Sources) == 1 {
		counts["source"] = g.IDs().Format(a.Sources[0])
	}
	return options, counts
}

// tabulates reports that -o gets paths.
func (a *ssspAnswer) tabulates() bool { return a.c.paths }

func (a *ssspAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (rows int, err error) {
	tree, err := a.Tree()
	if err != nil {
		return 0, err
	}
	parents, err := tree.Parents()
	if err != nil {
		return 0, err
	}
	for _, v := range a.c.targets {
		if !wo.ReachedOnly || parents[v] != graph.NoVertex {
			rows++
		}
	}
	return rows, arrow.WritePaths(ctx, path, g, tree, a.c.targets, wo)
}
