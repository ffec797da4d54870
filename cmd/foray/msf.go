// This file holds the msf and spanning commands.

package main

import (
	"context"
	"fmt"
	"math"

	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var msfAlgorithm = algorithm{
	name: "msf", short: "Find a minimum spanning forest",
	long: `Finds the minimum spanning forest, or with --maximum the maximum one: edges without
a cycle that join the same vertices as all edges do, whose weights have the least
or the largest sum. The direction of edges doesn't count. Of edges of equal weight
the one with the lower edge id comes first, then the one with the lower ids at its
ends, so that the forest is unique. Of repeated edges the best weight stays.`,
	example: `  foray msf roads.gr
  foray msf links.csv --weight latency -o forest.parquet
  foray msf links.csv --weight bandwidth --maximum -o - --validate`,
	table: "of edges in the forest: src, dst, weight and tree, the smallest id of the tree",
	make:  func() calculation { return &msfCalculation{} },
}

var spanningAlgorithm = algorithm{
	name: "spanning", short: "Find a spanning forest",
	long: `Finds a spanning forest: edges without a cycle that join the same vertices as all
edges do. The direction of edges and their weights don't count. Edges with lower
ids at their ends come first, so that the forest is unique.`,
	example: `  foray spanning testdata/karate.parquet
  foray spanning links.csv -o forest.csv
  foray spanning gen:kron20 --validate`,
	table: "of edges in the forest: src, dst, weight if edges have one, and tree, the smallest id of the tree",
	make:  func() calculation { return &msfCalculation{o: msf.Options{Unweighted: true}} },
}

type msfCalculation struct{ o msf.Options }

func (c *msfCalculation) addFlags(g flagGroup) {
	if !c.o.Unweighted {
		g.flags.BoolVar(&c.o.Maximum, "maximum", false, "find the forest of the largest weight")
	}
}

func (c *msfCalculation) addInput(in flagGroup, f *inputFlags) {
	if !c.o.Unweighted {
		f.addWeights(in)
	}
	f.addEdgeIDs(in, "edges have ids, by which ties are decided and which -o has")
}

func (c *msfCalculation) rows() string { return edgeRows }

func (c *msfCalculation) check(func(string) bool) error { return nil }

func (c *msfCalculation) needs(o *graph.Options, in *inputFlags) {
	if c.o.Unweighted {
		return
	}
	o.Weights, in.weights = true, true
	if o.Combine = graph.CombineMin; c.o.Maximum {
		o.Combine = graph.CombineMax
	}
}

func (c *msfCalculation) prepare(*graph.Placed, *inputFlags) error { return nil }

func (c *msfCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("tree", []uint32{}).Vertices()}
}
func (c *msfCalculation) bytes(p *graph.Placed) uint64 { return msf.Bytes(p, c.o) }

func (c *msfCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := msf.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return msfAnswer{r, c.o}, nil
}

// writeEdges writes rows of edges. The flags of rows of vertices, which foray run may have for other algorithms, don't count.
func writeEdges(ctx context.Context, path string, g *graph.Graph, columns []arrow.Column, wo arrow.WriteOptions) error {
	wo.EdgeColumns, wo.SortByID, wo.VertexColumn, wo.Properties = columns, false, "", nil
	return arrow.WriteEdges(ctx, path, g, wo)
}

type msfAnswer struct {
	*msf.Result
	o msf.Options
}

func (a msfAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("tree", a.Tree).Vertices()}
}
func (a msfAnswer) missing() int          { return 0 }
func (a msfAnswer) stats() traverse.Stats { return a.Stats }
func (a msfAnswer) tabulates() bool       { return true }

func (a msfAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (int, error) {
	wo.ReachedOnly = true
	return a.Edges, writeEdges(ctx, path, g, a.columns(), wo)
}

func (a msfAnswer) lines(g *graph.Graph) ([][2]string, error) {
	all := [][2]string{{"forest", fmt.Sprintf("%s in %s", text.Plural(a.Edges, "edge"), text.Plural(a.Trees, "tree"))}}
	if !a.o.Unweighted {
		weight, err := a.Weight()
		if err != nil {
			return nil, err
		}
		all = append(all, [2]string{"weight", fmt.Sprintf("%.17g", weight)})
	}
	return append(all, [2]string{"rounds", text.Count(a.Stats.Rounds)}), nil
}

func (a msfAnswer) validate(g *graph.Graph) (string, error) {
	return "Kruskal's algorithm found the same edges and trees", msf.Validate(g, a.Result, a.o)
}

func (a msfAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	if a.o.Maximum {
		options = map[string]any{"maximum": true}
	}
	counts = map[string]any{"edges": a.Edges, "trees": a.Trees}
	if weight, err := a.Weight(); err == nil && !a.o.Unweighted {
		counts["weight"] = weight
		if math.IsInf(weight, 0) || math.IsNaN(weight) {
			counts["weight"] = nil // JSON has no such number
		}
	}
	return options, counts
}
