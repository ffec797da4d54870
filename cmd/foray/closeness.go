// This file holds the closeness command.

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var closenessAlgorithm = algorithm{
	name: "closeness", short: "Find how near vertices are to all others", several: true,
	long: `Finds closeness, harmonic centrality and eccentricity of every vertex, as networkx
defines them, by a search from every vertex, many at a time. In a directed graph
the first two use distances to a vertex, and eccentricity, the largest distance,
uses distances from it. If a graph isn't connected, eccentricity is the largest
distance to a reached vertex.

The time grows with vertices times edges. --source, which may be repeated, finds
the values of some vertices only. --samples quickly finds bounds of all
eccentricities instead, in undirected graphs.`,
	example: `  foray closeness testdata/karate.parquet
  foray closeness follows/ --directed --source 42 --source 7 -o -
  foray closeness gen:kron20 --samples 64 -o bounds.parquet`,
	table: "vertex, closeness, harmonic and eccentricity; with --samples vertex, eccentricity_least and eccentricity_most",
	make:  func() calculation { return &closenessCalculation{} },
}

type closenessCalculation struct {
	sources []string
	samples positive
	lanes   upTo
	seed    uint64
	of      []uint32
	seen    func(graph.Progress) // is called after searches; nil: nothing is
}

func (c *closenessCalculation) observe(f func(graph.Progress)) { c.seen = f }

func (*closenessCalculation) called() string { return "closeness" }

func (c *closenessCalculation) sooner(g *graph.Graph) string {
	switch {
	case len(c.of) > 0 || c.samples > 0:
		return ""
	case g.Directed():
		return "--source finds the values of some vertices"
	}
	return "--samples N finds bounds of eccentricities by N searches, --source the values of some vertices"
}

// mostLanes is how many lanes package closeness has.
const mostLanes = 512

func (c *closenessCalculation) addFlags(g flagGroup) {
	g.flags.StringArrayVarP(&c.sources, "source", "s", nil, "`ID` of a vertex to find values for; may be repeated (default all)")
	g.flags.Var(&c.samples, "samples", "find bounds of eccentricities by searches from this number of vertices; 0: exact values")
	c.lanes = upTo{0, mostLanes}
	g.flags.Var(&c.lanes, "lanes", "number of simultaneous searches, 512 at most (default 64, or 256 on a GPU if there are many vertices)")
	g.flags.Uint64Var(&c.seed, "samples-seed", 1, "random seed `N` of --samples")
}

func (c *closenessCalculation) check(given func(string) bool) error {
	switch {
	case c.samples > 0 && len(c.sources) > 0:
		return usagef("--samples finds bounds for all vertices; omit --source")
	case given("samples-seed") && c.samples == 0:
		return usagef("--samples-seed needs --samples")
	}
	return nil
}

// checkInput refuses bounds of directed graphs; prepare does if the graph's file declares it directed.
func (c *closenessCalculation) checkInput(in *inputFlags) error {
	if c.samples > 0 && in.directed {
		return usagef("--samples and --directed don't go together: bounds are for undirected graphs; leave out --samples for exact values")
	}
	return nil
}

func (c *closenessCalculation) needs(o *graph.Options, _ *inputFlags) { o.Reverse = true }

func (c *closenessCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	if c.samples > 0 && p.Graph().Directed() {
		return usagef("--samples finds bounds for undirected graphs, and this one is directed; leave out --samples for exact values")
	}
	c.of, err = in.vertexIDs(p.Graph(), "source", c.sources)
	return err
}

func (c *closenessCalculation) columns() []arrow.Column {
	if c.samples > 0 {
		return []arrow.Column{arrow.NewColumn("eccentricity_least", []int32{}, -1), arrow.NewColumn("eccentricity_most", []int32{}, -1)}
	}
	return []arrow.Column{
		arrow.NewColumn("closeness", []float64{}, math.NaN()),
		arrow.NewColumn("harmonic", []float64{}, math.NaN()),
		arrow.NewColumn("eccentricity", []int32{}, -1),
	}
}

func (c *closenessCalculation) bytes(p *graph.Placed) uint64 {
	return closeness.Bytes(p, closeness.Options{Of: c.of, Lanes: c.lanes.n})
}

func (c *closenessCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	batches := 0
	o := closeness.Options{Of: c.of, Lanes: c.lanes.n, Progress: func(at graph.Progress) {
		if c.seen != nil {
			c.seen(at)
		}
		if batches++; report != nil {
			report(traverse.Level{Level: batches})
		}
	}}
	if c.samples > 0 {
		b, err := closeness.Bound(ctx, p, int(c.samples), c.seed, o)
		if err != nil {
			return nil, err
		}
		return boundsAnswer{b, c}, nil
	}
	o.Logger = logOf(ctx)
	r, err := closeness.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return closenessAnswer{r, c}, nil
}

type closenessAnswer struct {
	*closeness.Result
	c *closenessCalculation
}

func (a closenessAnswer) columns() []arrow.Column {
	return []arrow.Column{
		arrow.ValuesColumn("closeness", a.Closeness, math.NaN()),
		arrow.ValuesColumn("harmonic", a.Harmonic, math.NaN()),
		arrow.ValuesColumn("eccentricity", a.Eccentricity, -1),
	}
}

func (a closenessAnswer) missing() int {
	if a.c.of == nil {
		return 0
	}
	return a.Closeness.Graph().NumVertices() - len(a.c.of)
}

func (a closenessAnswer) stats() traverse.Stats { return a.Stats }

func (a closenessAnswer) lines(g *graph.Graph) ([][2]string, error) {
	values, err := a.Closeness.Slice()
	if err != nil {
		return nil, err
	}
	eccentricity, err := a.Eccentricity.Slice()
	if err != nil {
		return nil, err
	}
	known := make([]float64, len(values))
	radius, diameter := int32(math.MaxInt32), int32(-1)
	for v, x := range values {
		known[v] = -1
		if !math.IsNaN(x) {
			known[v] = x
			radius, diameter = min(radius, eccentricity[v]), max(diameter, eccentricity[v])
		}
	}
	var names []string
	for _, v := range largest(known, g.IDs(), 3) {
		if known[v] >= 0 {
			names = append(names, formatID(g.IDs(), v)+" ("+short(known[v])+")")
		}
	}
	if len(names) == 0 {
		return [][2]string{{"closest", "none"}}, nil
	}
	return [][2]string{{"closest", strings.Join(names, ", ")}, {"eccentr.", fmt.Sprintf("%d to %d", radius, diameter)}}, nil
}

func (a closenessAnswer) validate(g *graph.Graph) (string, error) {
	return "values are in range, and up to 64 of them those of plain searches", closeness.Validate(g, a.Result)
}

func (a closenessAnswer) metadata(g *graph.Graph) (options, counts map[string]any) {
	if a.c.of != nil {
		var ids []string
		for _, v := range a.c.of {
			ids = append(ids, g.IDs().Format(v))
		}
		options = map[string]any{"sources": ids}
	}
	return options, nil
}

type boundsAnswer struct {
	*closeness.Bounds
	c *closenessCalculation
}

func (a boundsAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("eccentricity_least", a.Least, -1), arrow.ValuesColumn("eccentricity_most", a.Most, -1)}
}
func (a boundsAnswer) stats() traverse.Stats { return a.Stats }

func (a boundsAnswer) missing() int {
	least, err := a.Least.Slice()
	if err != nil {
		return 0 // writing them reports it
	}
	missing := 0
	for _, x := range least {
		if x < 0 {
			missing++
		}
	}
	return missing
}

func (a boundsAnswer) lines(*graph.Graph) ([][2]string, error) {
	least, err := a.Least.Slice()
	if err != nil {
		return nil, err
	}
	most, err := a.Most.Slice()
	if err != nil {
		return nil, err
	}
	exact := 0
	for v, x := range least {
		if x >= 0 && x == most[v] {
			exact++
		}
	}
	lines := [][2]string{{"samples", text.Count(len(a.Samples))}}
	if len(least) > 0 {
		lines = append(lines, [2]string{"diameter", fmt.Sprintf("at least %d", max(slices.Max(least), 0))},
			[2]string{"exact", fmt.Sprintf("%s (%s)", text.Plural(exact, "vertex"), text.Percent(uint64(exact), uint64(len(least))))})
	}
	return lines, nil
}

func (a boundsAnswer) validate(g *graph.Graph) (string, error) {
	return "up to 64 eccentricities of plain searches are within the bounds", closeness.ValidateBounds(g, a.Bounds)
}

func (a boundsAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return map[string]any{"samples": int(a.c.samples), "samples-seed": a.c.seed}, nil
}
