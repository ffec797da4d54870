// This file holds the kcore command.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
	"github.com/foray-graph/foray/traverse"
)

var kcoreAlgorithm = algorithm{
	name: "kcore", short: "Find core numbers",
	long: `Finds core numbers. The k-core of a graph is its largest subgraph in which every
vertex has at least k neighbors, along edges in either direction. The core number
of a vertex is the largest k whose k-core contains it. --graph-out writes the
edges of a k-core, with weights if --weight names them, if FILE is a .wel or .wsg,
or if PATH is a .foray that has them.`,
	example: `  foray kcore testdata/karate.parquet
  foray kcore follows/ --src user --dst follows -o cores.parquet
  foray kcore gen:kron20 --k 100 --graph-out dense.parquet`,
	table: "vertex and core",
	make:  func() calculation { return &kcoreCalculation{} },
}

type kcoreCalculation struct {
	o   kcore.Options
	k   uint32
	out string
}

func (c *kcoreCalculation) addFlags(g flagGroup) {
	g.flags.StringVar(&c.out, "graph-out", "", "write the edges of the core that --k sets to `FILE`, whose extension sets the format: ."+strings.Join(tableFormats, ", .")+"; "+edgeFormats)
	g.flags.Uint32Var(&c.k, "k", 0, "the core that --graph-out writes: vertices with a core number of at least `K`")
}

// addInput adds --weight, which only --graph-out uses.
func (c *kcoreCalculation) addInput(in flagGroup, f *inputFlags) {
	f.addWeights(in)
	in.flags.Lookup("weight").Usage = "with --graph-out: write the weights of edges too, from that `COLUMN` (without it only .wel and .wsg have them, from the column weight, or of a text the third)"
}

// edges are the flags for the output of --graph-out.
func (c *kcoreCalculation) edges() *convertFlags {
	return &convertFlags{outputFlags: outputFlags{output: c.out, edgeFormats: edgeFormats}}
}

func (c *kcoreCalculation) check(given func(string) bool) error {
	switch {
	case given("graph-out") && c.out == "":
		return usagef("--graph-out needs a file's name")
	case given("graph-out") != given("k"):
		return usagef("--k and --graph-out go together: the core and the file to write")
	case c.out == "" && given("weight"):
		return usagef("--weight names weights that --graph-out writes: give --k and --graph-out too")
	case c.out == "":
		return nil
	case c.k == 0:
		return usagef("--k 0 is the whole graph; convert writes that")
	case c.out == "-":
		return usagef("--graph-out needs a file; name one")
	}
	f := c.edges()
	switch t, isText := f.textFormat(); {
	case isText && !writable(t):
		return usagef("%s: DIMACS, METIS and compressed JSON lines are read but not written; there are .%s; %s", c.out, strings.Join(tableFormats, ", ."), edgeFormats)
	case isText && inStore(c.out):
		return usagef("%s: objects in stores are written as %s or foray", c.out, strings.Join(tableFormats, ", "))
	}
	return nil
}

// checkFile refuses what can't be written.
func (c *kcoreCalculation) checkFile(ctx context.Context) error {
	f := c.edges()
	switch _, isText := f.textFormat(); {
	case c.out == "":
		return nil
	case isText, f.prepares():
		return checkOutput(c.out)
	}
	return f.outputFlags.check(ctx)
}

// checkInput refuses weights of files that have no place for them.
func (c *kcoreCalculation) checkInput(in *inputFlags) error {
	if end := namedBare(c.out); end != "" && in.weightCol != "" {
		return usagef("%s: a file that ends in %s has no weights; call it %s, or leave out --weight", c.out, end, withWeightsEnd(end))
	}
	return nil
}

// needsWeights reports whether the name of --graph-out requires weights.
func (c *kcoreCalculation) needsWeights() bool {
	t, isText := c.edges().textFormat()
	return isText && (namedWEL(c.out) || t == "wsg")
}

func (c *kcoreCalculation) needs(o *graph.Options, in *inputFlags) {
	o.Weights = c.out != "" && (in.weightCol != "" || c.needsWeights())
	in.weights = in.weights || o.Weights
}

func (c *kcoreCalculation) prepare(p *graph.Placed, _ *inputFlags) error {
	return kcore.Prepare(context.Background(), p)
}

func (c *kcoreCalculation) columns() []arrow.Column {
	return []arrow.Column{arrow.NewColumn("core", []uint32{})}
}

func (*kcoreCalculation) bytes(p *graph.Placed) uint64 { return kcore.Bytes(p, kcore.Options{}) }

func (c *kcoreCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	o := c.o
	o.EachLevel = report
	o.Logger = logOf(ctx)
	r, err := kcore.Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return kcoreAnswer{r, c}, nil
}

type kcoreAnswer struct {
	*kcore.Result
	asked *kcoreCalculation
}

func (a kcoreAnswer) columns() []arrow.Column {
	return []arrow.Column{arrow.ValuesColumn("core", a.Core)}
}
func (a kcoreAnswer) missing() int          { return 0 }
func (a kcoreAnswer) stats() traverse.Stats { return a.Stats }

func (a kcoreAnswer) lines(*graph.Graph) ([][2]string, error) {
	core, err := a.Core.Slice()
	if err != nil {
		return nil, err
	}
	inner := 0
	for _, k := range core {
		if k == a.Degeneracy {
			inner++
		}
	}
	return [][2]string{
		{"degeneracy", fmt.Sprintf("%s; that core has %s", text.Count(a.Degeneracy), text.Plural(inner, "vertex"))},
		{"rounds", text.Count(a.Stats.Rounds)},
	}, nil
}

// also writes the requested core.
func (a kcoreAnswer) also(ctx context.Context, w io.Writer) error {
	if a.asked.out == "" {
		return nil
	}
	sub, err := a.Subgraph(a.asked.k)
	if err != nil {
		return err
	}
	f := a.asked.edges()
	wo := edgelist.WriteOptions{Weights: sub.Out().Weights != nil && namedBare(f.output) == "" || a.asked.needsWeights()}
	switch t, isText := f.textFormat(); {
	case f.prepares():
		err = arrow.WriteGraph(ctx, f.output, sub, arrow.WriteGraphOptions{})
	case !isText:
		err = arrow.WriteEdges(ctx, f.output, sub, f.outputFlags.options(nil))
	default:
		if err = edgelist.Write(ctx, f.output, sub, wo); t != "text" && errors.Is(err, graph.ErrIDRange) {
			err = fmt.Errorf("%s: the ids of .sg, .wsg, .bin and .adj are 0 to n-1, of .mtx 1 to n, those of this core aren't; write .el, .wel, .parquet or .foray, which keep them: %w", f.output, graph.ErrIDRange)
		}
	}
	if err != nil {
		return err
	}
	return line(w, fmt.Sprintf("%s-core", text.Count(a.asked.k)), fmt.Sprintf("%s, %s, %s", f.output, text.Plural(sub.NumVertices(), "vertex"), text.Plural(int(sub.NumEdges()), "edge")))
}

func (a kcoreAnswer) validate(g *graph.Graph) (string, error) {
	return "every vertex has enough neighbors in its core, and too few for the next", kcore.Validate(g, a.Result)
}

func (a kcoreAnswer) metadata(*graph.Graph) (options, counts map[string]any) {
	return nil, map[string]any{"degeneracy": a.Degeneracy}
}

// file is the additional output file.
func (c *kcoreCalculation) file() string { return c.out }

// tellLeftOut reports the columns of the input that aren't in it.
func (c *kcoreCalculation) tellLeftOut(a *app, g *loaded) error {
	if c.out == "" {
		return nil
	}
	f := c.edges()
	f.leftOut = g.in.leftOut()
	if namedBare(c.out) != "" && g.Out().Weights != nil {
		f.leftOut = append(f.leftOut, "the weights")
	}
	if _, isText := f.textFormat(); isText && g.Out().EdgeIDs != nil {
		f.leftOut = append(f.leftOut, "the edges' ids")
	}
	return a.tellLeftOut(f, "--weight COLUMN keeps weights")
}
