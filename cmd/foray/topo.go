// This file holds the topo command.

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var topoAlgorithm = algorithm{
	name: "topo", short: "Find topological levels and longest paths",
	long: `Finds the topological levels of a directed acyclic graph: the level of a vertex is
the number of edges of the longest path that ends at it, so each edge leads to a
higher level. With --weighted it also finds the length of the heaviest path to each
vertex, by weights of 0 or more.

A cycle is an error that lists its ids. Self-loops are cycles, and are kept.
Repeated edges become one edge, which with --weighted has the largest weight;
see --combine.`,
	example: `  foray topo tasks.csv --directed
  foray topo tasks.csv --directed --weighted --weight hours -o levels.parquet
  foray topo packages.parquet --src package --dst needs --directed --validate`,
	table: "vertex, level and, with --weighted, length",
	make:  func() calculation { return &topoCalculation{} },
}

type topoCalculation struct{ o topo.Options }

func (c *topoCalculation) addFlags(g flagGroup) {
	g.flags.BoolVar(&c.o.Weighted, "weighted", false, "also find the length of the heaviest path to each vertex")
}

func (c *topoCalculation) addInput(in flagGroup, f *inputFlags) { f.addWeights(in) }

func (c *topoCalculation) check(given func(string) bool) error {
	if given("weight") && !c.o.Weighted {
		return usagef("--weight names the weights that --weighted adds up; pass that too")
	}
	return nil
}

func (c *topoCalculation) needs(o *graph.Options, in *inputFlags) {
	o.KeepSelfLoops, in.weights = true, in.weights || c.o.Weighted
	if c.o.Weighted {
		o.Weights, o.NonNegative, o.Combine = true, true, graph.CombineMax
	}
}

func (c *topoCalculation) prepare(p *graph.Placed, in *inputFlags) error {
	if n := p.Graph().Stats().SelfLoops; n > 0 && !in.given("keep-self-loops") {
		return fmt.Errorf("topo: the graph was made without %s, which %s: convert the edges again with --keep-self-loops, or pass --keep-self-loops=false",
			text.Plural(int(n), "self-loop"), map[bool]string{true: "is a cycle", false: "are cycles"}[n == 1])
	}
	return nil
}

func (c *topoCalculation) columns() []arrow.Column {
	list := []arrow.Column{arrow.NewColumn("level", []uint32{})}
	if c.o.Weighted {
		list = append(list, arrow.NewColumn("length", []float64{}))
	}
	return list
}

func (c *topoCalculation) bytes(p *graph.Placed) uint64 { return topo.Bytes(p, c.o) }

func (c *topoCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := topo.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return topoAnswer{r, sync.OnceValues(r.Longest)}, nil
}

type topoAnswer struct {
	*topo.Result
	longest func() ([]uint32, error) // found once it is asked for: it takes longer than the levels
}

func (a topoAnswer) columns() []arrow.Column {
	list := []arrow.Column{arrow.ValuesColumn("level", a.Level)}
	if a.Length != nil {
		list = append(list, arrow.ValuesColumn("length", a.Length))
	}
	return list
}
func (a topoAnswer) missing() int          { return 0 }
func (a topoAnswer) stats() traverse.Stats { return a.Stats }

func (a topoAnswer) lines(g *graph.Graph) ([][2]string, error) {
	lines := [][2]string{{"levels", text.Count(a.Levels)}}
	longest, err := a.longest()
	if err != nil || len(longest) == 0 {
		return lines, err
	}
	length := text.Plural(len(longest)-1, "edge")
	if a.Length != nil {
		all, err := a.Length.Slice()
		if err != nil {
			return nil, err
		}
		length = fmt.Sprintf("length %v, %s", all[longest[len(longest)-1]], length)
	}
	return append(lines, [2]string{"longest", length + ": " + wayText(g.IDs(), longest)}), nil
}

// wayText lists the first ids of a path, and the last.
func wayText(m *graph.IDs, way []uint32) string {
	var ids []string
	for i, v := range way {
		if between := len(way) - 1 - i; i == maxIDs && between > 0 {
			ids = append(ids, text.Count(between)+" more", formatID(m, way[len(way)-1]))
			break
		}
		ids = append(ids, formatID(m, v))
	}
	return strings.Join(ids, " -> ")
}

func (a topoAnswer) validate(g *graph.Graph) (string, error) {
	return "every edge leads to a higher level, and no level could be lower", topo.Validate(g, a.Result)
}

// mostPathIDs is how long a path is at most whose ids are among the counts.
const mostPathIDs = 1000

func (a topoAnswer) metadata(g *graph.Graph) (options, counts map[string]any) {
	if a.Length != nil {
		options = map[string]any{"weighted": true}
	}
	counts = map[string]any{"levels": a.Levels}
	if longest, err := a.longest(); err == nil && len(longest) > 0 {
		counts["longest_edges"] = len(longest) - 1
		if len(longest) <= mostPathIDs {
			ids := make([]string, len(longest))
			for i, v := range longest {
				ids[i] = g.IDs().Format(v)
			}
			counts["longest_path"] = ids
		}
		if a.Length != nil {
			if all, err := a.Length.Slice(); err == nil {
				counts["longest_length"] = all[longest[len(longest)-1]]
			}
		}
	}
	return options, counts
}
