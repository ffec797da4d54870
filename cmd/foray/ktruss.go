// This file holds the ktruss command.

package main

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var ktrussAlgorithm = algorithm{
	name: "ktruss", short: "Find the trussness of edges",
	long: `Finds the trussness of every edge. The k-truss of a graph is its largest subgraph in
which every edge is in at least k-2 triangles of the subgraph. The trussness of an
edge is the largest k whose k-truss has the edge, 2 or more. Directions of edges
don't count.

The table has a row for each edge. With --k it has the edges of one truss only.`,
	example: `  foray ktruss testdata/karate.parquet
  foray ktruss follows/ --src user --dst follows -o trusses.parquet
  foray ktruss gen:kron16 --k 20 -o dense.parquet`,
	table: "of edges: src, dst, weight if edges have one, and trussness",
	make:  func() calculation { return &ktrussCalculation{} },
}

type ktrussCalculation struct {
	o ktruss.Options
	k uint32
}

func (c *ktrussCalculation) addFlags(g flagGroup) {
	g.flags.Uint32Var(&c.k, "k", 0, "write only the edges of the `K`-truss, with a trussness of at least K; 0: all edges")
}

func (c *ktrussCalculation) rows() string                             { return edgeRows }
func (c *ktrussCalculation) check(func(string) bool) error            { return nil }
func (c *ktrussCalculation) needs(*graph.Options, *inputFlags)        {}
func (c *ktrussCalculation) prepare(*graph.Placed, *inputFlags) error { return nil }
func (c *ktrussCalculation) bytes(p *graph.Placed) uint64             { return ktruss.Bytes(p, c.o) }

func (c *ktrussCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("trussness", []uint32{}, 0)}
}

func (c *ktrussCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := ktruss.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return ktrussAnswer{r, c}, nil
}

type ktrussAnswer struct {
	*ktruss.Result
	c *ktrussCalculation
}

// edges returns how many edges the k-truss has.
func (a ktrussAnswer) edges(k uint32) (edges uint64) {
	for at, more := range a.Edges {
		if uint64(at) >= uint64(k) {
			edges += more
		}
	}
	return edges
}

// truss has the trussness of the edges of one truss, and 0 for others.
type truss struct {
	*traverse.EdgeValues[uint32]
	k uint32
}

func (t truss) Slice() ([]uint32, error) {
	values, err := t.EdgeValues.Slice()
	if err != nil || t.k <= 2 {
		return values, err
	}
	some := make([]uint32, len(values))
	for e, x := range values {
		if x >= t.k {
			some[e] = x
		}
	}
	return some, nil
}

func (a ktrussAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("trussness", truss{a.Trussness, a.c.k}, 0)}
}
func (a ktrussAnswer) missing() int          { return 0 }
func (a ktrussAnswer) stats() traverse.Stats { return a.Stats }
func (a ktrussAnswer) tabulates() bool       { return true }

func (a ktrussAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (int, error) {
	wo.ReachedOnly = true // leaves out self-loops and edges of other trusses
	values, err := a.Trussness.Slice()
	if err != nil {
		return 0, err
	}
	rows := 0
	for _, x := range values {
		if x >= max(a.c.k, 2) {
			rows++
		}
	}
	return rows, writeEdges(ctx, path, g, a.columns(), wo)
}

func (a ktrussAnswer) lines(*graph.Graph) ([][2]string, error) {
	lines := [][2]string{{"trussness", "the graph has no edges"}}
	if k := a.Largest(); k > 0 {
		lines[0][1] = fmt.Sprintf("up to %s; that truss has %s", text.Count(k), text.Plural(a.Edges[k], "edge"))
	}
	if k := a.c.k; k > 0 {
		lines = append(lines, [2]string{"edges", fmt.Sprintf("%s in the %s-truss", text.Count(a.edges(k)), text.Count(k))})
	}
	return append(lines, [2]string{"rounds", text.Count(a.Stats.Rounds)}), nil
}

func (a ktrussAnswer) validate(g *graph.Graph) (string, error) {
	return "removing edges one by one found the same", ktruss.Validate(g, a.Result)
}

func (a ktrussAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	if a.c.k > 0 {
		options = map[string]any{"k": a.c.k}
	}
	counts = map[string]any{"largest": a.Largest()}
	if a.c.k > 0 {
		counts["edges"] = a.edges(a.c.k)
	}
	return options, counts
}
