// This file holds the kclique command.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/foray-graph/foray/algos/kclique"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var kcliqueAlgorithm = algorithm{
	name: "kclique", short: "Count cliques",
	long: `Counts cliques: sets of vertices that are all joined with each other, maximal or not.
Directions of edges don't count. Without --k it counts cliques of all sizes, and the
table has a row for each size. With --k it counts those of K vertices, and the table has
a row for each vertex: how many of these cliques it is in.

The time may grow exponentially with the degeneracy of the graph (kcore). The
processors of the host count, also for a graph on a GPU.`,
	example: `  foray kclique testdata/karate.parquet
  foray kclique friends.csv --k 4 -o cliques.parquet
  foray kclique gen:kron16 --k 5 --count-only`,
	table: "vertex and cliques with --k; else size and cliques",
	make:  func() calculation { return &kcliqueCalculation{} },
}

type kcliqueCalculation struct {
	o    kclique.Options
	k    uint32
	seen func(graph.Progress) // is called after searches; nil: nothing is
}

func (c *kcliqueCalculation) observe(f func(graph.Progress)) { c.seen = f }

func (*kcliqueCalculation) called() string { return "kclique" }

func (c *kcliqueCalculation) sooner(*graph.Graph) string {
	if c.o.K > 0 {
		return ""
	}
	return "--k K counts cliques of K vertices only"
}

func (c *kcliqueCalculation) addFlags(g flagGroup) {
	g.flags.Uint32Var(&c.k, "k", 0, "count cliques of `K` vertices, also at each vertex; 0: of all sizes")
	g.flags.BoolVar(&c.o.CountOnly, "count-only", false, "with --k: find only the total count")
}

// rows names the rows of the table.
func (c *kcliqueCalculation) rows() string {
	if c.k > 0 {
		return ""
	}
	return "sizes"
}

func (c *kcliqueCalculation) check(given func(string) bool) error {
	switch c.o.K = int(c.k); {
	case c.o.CountOnly && c.o.K == 0:
		return usagef("--count-only is for --k; cliques of all sizes are counted in total only")
	case c.o.CountOnly && given("output"):
		return usagef("--count-only finds nothing for every vertex that -o could write; leave one of them out")
	}
	return nil
}

func (c *kcliqueCalculation) needs(*graph.Options, *inputFlags)        {}
func (c *kcliqueCalculation) prepare(*graph.Placed, *inputFlags) error { return nil }
func (c *kcliqueCalculation) bytes(p *graph.Placed) uint64             { return kclique.Bytes(p, c.o) }

func (c *kcliqueCalculation) columns() []arrow.Column {
	if c.o.CountOnly {
		return nil
	}
	return []arrow.Column{arrow.NewColumn("cliques", []uint64{})}
}

func (c *kcliqueCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o, reports := c.o, 0
	o.Progress = func(at graph.Progress) {
		if c.seen != nil {
			c.seen(at)
		}
		if reports++; report != nil {
			report(traverse.Level{Level: reports})
		}
	}
	o.Logger = logOf(ctx)
	r, err := kclique.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return kcliqueAnswer{r, c}, nil
}

type kcliqueAnswer struct {
	*kclique.Result
	c *kcliqueCalculation
}

func (a kcliqueAnswer) columns() []arrow.Column {
	if a.Cliques == nil {
		return a.c.columns()
	}
	return []arrow.Column{arrow.ValuesColumn("cliques", a.Cliques)}
}
func (a kcliqueAnswer) missing() int          { return 0 }
func (a kcliqueAnswer) stats() traverse.Stats { return a.Stats }
func (a kcliqueAnswer) tabulates() bool       { return a.c.o.K == 0 }

func (a kcliqueAnswer) writeTable(ctx context.Context, path string, g *graph.Graph, wo arrow.WriteOptions) (rows int, err error) {
	wo.ReachedOnly, wo.SortByID = false, false
	var sizes []uint32
	var counts []uint64
	for k, count := range a.Counts[1:] {
		if !count.IsUint64() {
			return 0, fmt.Errorf("kclique: %w: there are %v cliques of %d vertices, more than a column has room for: leave out -o, or pass --k", device.ErrSize, shortened(count), k+1)
		}
		sizes, counts = append(sizes, uint32(k+1)), append(counts, count.Uint64())
	}
	like := []arrow.Column{arrow.NewColumn("size", []uint32{}), arrow.NewColumn("cliques", []uint64{})}
	return len(sizes), arrow.WriteTable(ctx, path, g, like, oneBatch([]arrow.Column{arrow.NewColumn("size", sizes), arrow.NewColumn("cliques", counts)}), wo)
}

// shortened is a count, with six digits if it has many.
func shortened(x *big.Int) string {
	if x.IsUint64() {
		return text.Count(x.Uint64())
	}
	return fmt.Sprintf("%.6g", new(big.Float).SetInt(x))
}

func (a kcliqueAnswer) lines(g *graph.Graph) ([][2]string, error) {
	if k := a.c.o.K; k > 0 {
		what := fmt.Sprintf("%s of %s", shortened(a.Total), text.Plural(k, "vertex"))
		if a.Cliques == nil || a.Total.Sign() == 0 {
			return [][2]string{{"cliques", what}}, nil
		}
		counts, err := a.Cliques.Slice()
		if err != nil {
			return nil, err
		}
		most := 0
		for v, k := range counts {
			if k > counts[most] {
				most = v
			}
		}
		return [][2]string{{"cliques", what + fmt.Sprintf("; vertex %s is in most of them, %s", formatID(g.IDs(), uint32(most)), text.Count(counts[most]))}}, nil
	}
	largest := len(a.Counts) - 1
	lines := [][2]string{{"cliques", shortened(a.Total)}, {"largest", text.Plural(largest, "vertex")}}
	most := 1
	for k := 1; k <= largest; k++ {
		if a.Counts[k].Cmp(a.Counts[most]) > 0 {
			most = k
		}
	}
	if largest > 0 {
		lines[1][1] += fmt.Sprintf(", %s of them", shortened(a.Counts[largest]))
		lines = append(lines, [2]string{"most", fmt.Sprintf("%s of %s", shortened(a.Counts[most]), text.Plural(most, "vertex"))})
	}
	return lines, nil
}

func (a kcliqueAnswer) validate(g *graph.Graph) (string, error) {
	return "an enumeration found the same, of up to 3 vertices if there are more than 200,000 cliques", kclique.Validate(g, a.Result, a.c.o)
}

func (a kcliqueAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	counts = map[string]any{"cliques": json.Number(a.Total.String())}
	if a.c.o.K > 0 {
		return map[string]any{"k": a.c.o.K}, counts
	}
	sizes := []json.Number{}
	for _, count := range a.Counts[1:] {
		sizes = append(sizes, json.Number(count.String()))
	}
	counts["largest"], counts["sizes"] = len(a.Counts)-1, sizes
	return nil, counts
}
