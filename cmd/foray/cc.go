// This file holds the cc command.

package main

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var ccAlgorithm = algorithm{
	name: "cc", short: "Find connected components", several: true,
	long: `Finds the connected components of a graph: two vertices are in the same component
if a path joins them, ignoring the direction of its edges. Every vertex is labeled
with the smallest id of its component.

--strong finds the strongly connected components of a directed graph instead: in
one of these every vertex can reach every other one along the edges.`,
	example: `  foray cc testdata/karate.parquet
  foray cc follows/ --src user --dst follows -o components.parquet
  foray cc web.txt --directed --strong -o - | cut -d, -f2 | sort | uniq -c
  foray cc gen:kron20 --validate`,
	table: "vertex and component",
	make:  func() calculation { return &ccCalculation{} },
}

type ccCalculation struct{ strong bool }

func (c *ccCalculation) addFlags(g flagGroup) {
	g.flags.BoolVar(&c.strong, "strong", false, "find strongly connected components; in an undirected graph they are the same")
}

func (c *ccCalculation) check(func(string) bool) error         { return nil }
func (c *ccCalculation) needs(o *graph.Options, _ *inputFlags) { o.Reverse = c.strong }

// idle reports --strong where it changes nothing.
func (c *ccCalculation) idle(g *graph.Graph) string {
	if c.strong && !g.Directed() {
		return "--strong changes nothing: the graph is undirected, and its strongly connected components are its components; --directed keeps the direction of edges"
	}
	return ""
}

func (c *ccCalculation) prepare(p *graph.Placed, _ *inputFlags) error {
	if c.strong {
		return nil
	}
	return cc.Prepare(context.Background(), p)
}

func (c *ccCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("component", []uint32{}).Vertices()}
}

func (c *ccCalculation) bytes(p *graph.Placed) uint64 { return cc.Bytes(p, cc.Options{}) }

func (c *ccCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	find := cc.Run
	if c.strong {
		find = cc.Strong
	}
	r, err := find(ctx, p, cc.Options{EachLevel: report, Logger: logOf(ctx)})
	if err != nil {
		return nil, err
	}
	return ccAnswer{r}, nil
}

type ccAnswer struct{ *cc.Result }

func (a ccAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("component", a.Component).Vertices()}
}
func (a ccAnswer) missing() int          { return 0 }
func (a ccAnswer) stats() traverse.Stats { return a.Stats }

func (a ccAnswer) lines(g *graph.Graph) ([][2]string, error) {
	sizes, err := a.Sizes()
	if err != nil {
		return nil, err
	}
	s := "none"
	if len(sizes) > 0 {
		s = fmt.Sprintf("%s; the largest, that of vertex %s, has %s (%s)", text.Count(a.Components), formatID(g.IDs(), sizes[0].Component),
			text.Plural(sizes[0].Vertices, "vertex"), text.Percent(uint64(sizes[0].Vertices), uint64(g.NumVertices())))
	}
	return [][2]string{{"method", a.Method}, {"components", s}}, nil
}

func (a ccAnswer) validate(g *graph.Graph) (string, error) {
	if a.Strong() {
		return "components equal the result of a single-threaded search, and labels are the smallest ids", cc.Validate(g, a.Result)
	}
	return "every component is joined by edges, none leads out of one, and labels are the smallest ids", cc.Validate(g, a.Result)
}

func (a ccAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	if a.Strong() {
		options = map[string]any{"strong": true}
	}
	return options, map[string]any{"components": a.Components}
}
