// This file holds the append command, which adds edges to a prepared graph or takes them away.

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
)

// appendFlags are those of append.
type appendFlags struct {
	inputFlags
	output string
	remove bool
}

func (a *app) appendCommand() *cobra.Command {
	f := &appendFlags{}
	cmd := &cobra.Command{
		Use:   "append GRAPH EDGES...",
		Short: "Add edges to a prepared graph",
		Long: `Adds the edges of all EDGES, and the vertices that they name, to a prepared
graph (.foray), or with --remove takes those edges away. The file is written
whole under another name and then takes the old one's place: it is the old graph
or the new one, whatever happens; of two at the same time the one that ends last
counts. -o names another file.

EDGES are read as the graph is: directed or not, with weights and ids of edges
if it has them, the same types of ids. An edge that is there already stays once,
with the smaller weight. Vertices keep their numbers, and new ones follow; with
many of them, foray convert GRAPH OUT.foray --order degree makes searches of
skewed graphs faster again. --remove takes all edges between two vertices,
whatever their weights, and leaves the vertices.

Each of EDGES is a PATH.
` + inputHelp + whereHelp,
		Example: `  foray convert follows-2025.parquet follows.foray --directed
  foray append follows.foray follows-2026-01.parquet
  foray append follows.foray lake/follows/ --where "day = 2026-01-02" -o new.foray
  foray append follows.foray gone.csv --remove`,
		GroupID: groupGraphs,
		Args:    needArgs(2, -1, "append needs a GRAPH and EDGES"),
	}
	in := f.inputFlags.group()
	out := newGroup("Output")
	out.flags.StringVarP(&f.output, "output", "o", "", "write the graph to that `FILE`, and leave GRAPH as it is (default GRAPH)")
	out.flags.BoolVar(&f.remove, "remove", false, "take the edges away")
	out.flags.StringVar(&f.weightCol, "weight", "", "take weights from that `COLUMN` (default weight)")
	f.addEdgeIDs(out, "of a graph with ids of edges")
	setFlags(cmd, in, out)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("output") && f.output == "" {
			return usagef("the name of a file to write is empty; leave -o away to change GRAPH")
		}
		if f.output == "" {
			f.output = args[0]
		}
		return a.append(cmd.Context(), args[0], args[1:], f)
	}
	return cmd
}

// append adds the edges of paths to the graph in a file.
func (a *app) append(ctx context.Context, path string, paths []string, f *appendFlags) (err error) {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	if f.output != path && !namedPrepared(f.output) {
		return usagef("%s: append writes a prepared graph, whose name ends in .foray", f.output)
	}
	start := time.Now()
	base, err := a.openBase(ctx, path, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	o := f.inputFlags.options()
	o.Order, o.Reverse = graph.OrderGiven, base.Directed() && base.In() != nil
	more, err := a.load(ctx, paths, &f.inputFlags, o)
	if err != nil {
		return err
	}
	defer more.Close()
	change := base.Append
	if f.remove {
		change = base.Without
	}
	g, err := change(ctx, more.Graph, graph.AppendOptions{Workers: int(f.workers)})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	progress := a.progress()
	defer progress.end()
	if err := arrow.WriteGraph(ctx, f.output, g, arrow.WriteGraphOptions{
		Workers: int(f.workers), Progress: func(done, total uint64) { progress.bytes("writing", done, total) },
	}); err != nil {
		return err
	}
	progress.end()
	_, err = fmt.Fprintf(a.stdout, "%s: %s, %s; before %s, %s; in %s\n", text.Escape(f.output), text.Plural(g.NumEdges(), "edge"), text.Plural(g.NumVertices(), "vertex"),
		text.Plural(base.NumEdges(), "edge"), text.Plural(base.NumVertices(), "vertex"), text.Duration(time.Since(start)))
	return err
}

// openBase opens the graph, and makes the flags those by which edges are read as the graph is.
func (a *app) openBase(ctx context.Context, path string, f *appendFlags) (*graph.Graph, error) {
	if is, err := f.isPrepared(path); err != nil {
		return nil, err
	} else if !is {
		return nil, usagef("%s is no prepared graph: make one of its edges, foray convert %s GRAPH.foray", path, path)
	}
	if f.given("order") {
		return nil, usagef("--order: vertices keep their numbers; foray convert %s OUT.foray --order %s numbers them anew", path, f.order.value)
	}
	progress := a.progress()
	defer progress.end()
	g, err := arrow.OpenGraph(ctx, path, arrow.OpenGraphOptions{
		Trust: f.trust, S3: f.limits.s3(), Workers: int(f.workers), MemoryLimit: uint64(f.memory),
		Progress: func(done, total uint64) { progress.bytes("checking", done, total) },
	})
	if err != nil {
		return nil, err
	}
	f.trust = false // it is for prepared graphs alone
	if f.given("directed") && f.directed != g.Directed() {
		what := "undirected"
		if g.Directed() {
			what = "directed"
		}
		return nil, errors.Join(usagef("--directed: the graph in %s is %s, and edges are read so", path, what), g.Close())
	}
	f.directed, f.separate = g.Directed(), f.separate || g.IDs().Sides != nil
	switch weights := g.Out().Weights != nil && !f.remove; {
	case f.weightCol != "" && !weights:
		return nil, errors.Join(usagef("--weight: weights are not used here; leave it out"), g.Close())
	default:
		f.weights = weights
	}
	if g.Out().EdgeIDs != nil && !f.remove && !f.keepsEdgeIDs() {
		f.edgeIDs = true
	}
	if g.IDs().Type == graph.String && g.IDs().Logical == "" && f.ids.value == "auto" {
		f.ids.value = "string" // of text, whose ids may all be numbers this time
	}
	return g, nil
}
