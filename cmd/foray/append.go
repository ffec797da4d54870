// This file holds the append command, which adds edges to a prepared graph or takes them away, and keeps other
// appends from changing the graph at the same time.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
)

// appendFlags are the flags of append.
type appendFlags struct {
	inputFlags
	output         string
	remove         bool
	removeVertices string

	tables []arrow.TableSnapshot // whose edges the graph has
}

func (a *app) appendCommand() *cobra.Command {
	f := &appendFlags{}
	cmd := &cobra.Command{
		Use:   "append GRAPH [EDGES...]",
		Short: "Add edges to a prepared graph, or remove edges and vertices",
		Long: `Adds the edges of all EDGES, and the vertices that they name or declare, to a
prepared graph (.foray). --remove removes those edges instead. --vertices also
adds vertices without edges, and needs no EDGES. The new graph is written to a
temporary file that replaces the old one: readers see the old graph or the new
one. While one append changes a file, another one is refused (Linux and macOS;
not in stores). -o writes another file.

For a table of Iceberg or Delta Lake, --since SNAPSHOT adds only the rows that
were added after that snapshot. It is an error if rows were removed or changed
since: then convert the table again. If nothing was added the file is unchanged.
GRAPH records its snapshot, which foray info GRAPH prints: --since last continues
from there.

EDGES are read with the settings of the graph: directed or not, with weights if
it has them, the same types of ids. If the graph has ids of edges, --edge-id
COLUMN supplies the ids of new edges; with --edge-ids they are the row numbers of
EDGES, from 0, which may repeat existing ids. Edges of a prepared graph keep
their ids. An existing edge is not duplicated: --combine sets its weight, by
default as the graph was prepared. A graph with self-loops gets new ones too.
Vertices keep their numbers, and new ones follow; after many new vertices, foray
convert GRAPH OUT.foray --order degree makes searches of skewed graphs faster
again. --remove removes all edges between two vertices, whatever their weights,
and keeps the vertices. --remove-vertices removes vertices, at the end, with all
their edges, also those in EDGES; it needs no EDGES. Later vertices are
renumbered.

Each of EDGES is a PATH.
`,
		Example: `  foray convert follows-2025.parquet follows.foray --directed
  foray append follows.foray follows-2026-01.parquet
  foray append follows.foray lake/ --where "day = 2026-01-02" -o new.foray
  foray append follows.foray lake/follows/ --since last
  foray append follows.foray --vertices new-users.csv
  foray append follows.foray gone.csv --remove
  foray append follows.foray --remove-vertices closed-accounts.csv`,
		GroupID: groupGraphs,
		Args:    needArgs(1, -1, "append needs a GRAPH and EDGES"),
	}
	in := f.inputFlags.group()
	in.flags.StringVar(&f.since, "since", "", "one table of Iceberg or Delta Lake: only the rows that were added after this `SNAPSHOT`, named as in --snapshot, or last for the snapshot that GRAPH has")
	in.flags.StringVar(&f.weightCol, "weight", "", "take weights from this `COLUMN` (default weight)")
	in.flags.Lookup("combine").Usage = "weight of repeated edges, among EDGES or in GRAPH: min, max, their sum, or first, which keeps GRAPH's; auto is the setting that GRAPH was prepared with"
	in.flags.Lookup("keep-self-loops").Usage = "also add edges from a vertex to itself; by default they are added if GRAPH has some"
	f.addEdgeIDs(in, "ids of the new edges, if the graph has edge ids")
	out := newGroup(titleOutput)
	out.flags.StringVarP(&f.output, "output", "o", "", "write the graph to this `FILE`, and leave GRAPH unchanged (default GRAPH)")
	out.flags.BoolVar(&f.remove, "remove", false, "remove the edges")
	out.flags.StringVar(&f.removeVertices, "remove-vertices", "", "remove the vertices whose ids are in a table or text, with all their edges; `PATH` is Parquet, Arrow, a table of Iceberg or Delta Lake, .csv, .tsv or a text with an id a line, or - for a text on standard input, PATH;column=NAME names the column (default id, vertex, or the first), with kinds COLUMN:KIND or next to a column kind; ids that the graph lacks are counted, and a text that can't be an id is an error")
	setFlags(cmd, in, out)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if args[0] == "" {
			return usagef("the name of GRAPH is empty")
		}
		if cmd.Flags().Changed("output") && f.output == "" {
			return usagef("the name of a file to write is empty; omit -o to change GRAPH")
		}
		switch {
		case cmd.Flags().Changed("since") && f.since == "":
			return usagef("--since is empty; leave it out to add the whole table")
		case cmd.Flags().Changed("remove-vertices") && f.removeVertices == "":
			return usagef("--remove-vertices is empty")
		case len(args) > 1:
		case f.removeVertices == "" && len(f.vertices) == 0:
			return usagef("append needs a GRAPH and EDGES, or --remove-vertices, or --vertices")
		default:
			if name := f.forEdges(cmd.Flags()); name != "" {
				return usagef("--%s needs EDGES, and none are given", name)
			}
		}
		if f.output == "" {
			f.output = args[0]
		}
		return a.append(cmd.Context(), args[0], args[1:], f)
	}
	return cmd
}

// append adds the edges of paths to the graph in a file, or takes them away, and then vertices.
func (a *app) append(ctx context.Context, path string, paths []string, f *appendFlags) (err error) {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	if f.output != path && !namedPrepared(f.output) {
		return usagef("%s: append writes a prepared graph, whose name ends in .foray", f.output)
	}
	if leadTo(path, f.output) { // else the graph stays as it is
		atomicfile.MayReplace(ctx, path)
	}
	start := time.Now()
	release, err := f.hold(path)
	if err != nil {
		return err
	}
	defer release()
	base, err := a.openBase(ctx, path, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	g := base
	var read, gone, same string
	if f.since == "last" {
		if f.since, err = lastSnapshot(path, paths[0], f.where, f.tables); err != nil {
			return err
		}
	}
	if f.since != "" {
		f.tableID = knownTable(paths[0], f.where, f.tables)
	}
	if len(paths) > 0 || len(f.vertices) > 0 {
		if g, read, same, err = a.appendEdges(ctx, base, path, paths, f); err != nil {
			return err
		}
	}
	if f.removeVertices != "" {
		if err := a.checkRoom(host.New(0), "removing vertices", graphBytes(g)); err != nil {
			return err
		}
		if g, gone, err = withoutVertices(ctx, g, f); err != nil {
			return err
		}
	}
	if g == base && f.output == path {
		s := strings.Join(slices.DeleteFunc([]string{same, gone}, func(s string) bool { return s == "" }), "; ")
		a.sayOfAppend(f, base, g, false, []string{s}, start)
		_, err = fmt.Fprintf(a.stdout, "%s stays as it is: %s\n", text.Escape(path), text.Escape(s))
		return err
	}
	progress := a.progress()
	defer progress.end()
	if err := arrow.WriteGraph(ctx, f.output, g, arrow.WriteGraphOptions{
		Workers: int(f.workers), Tables: f.tables, Progress: progress.inBytes("writing"),
	}); err != nil {
		return err
	}
	progress.end()
	s := fmt.Sprintf("%s: %s, %s; before %s, %s", f.output, text.Plural(g.NumEdges(), "edge"), text.Plural(g.NumVertices(), "vertex"),
		text.Plural(base.NumEdges(), "edge"), text.Plural(base.NumVertices(), "vertex"))
	var notes []string
	for _, more := range []string{same, read, gone} {
		if more != "" {
			notes = append(notes, more)
		}
	}
	a.sayOfAppend(f, base, g, true, notes, start)
	s = strings.Join(append(append([]string{s}, notes...), "in "+text.Duration(time.Since(start))), "; ")
	_, err = fmt.Fprintln(a.stdout, text.Escape(s))
	return err
}

// sayOfAppend sets the result and the last line.
func (a *app) sayOfAppend(f *appendFlags, base, g *graph.Graph, changed bool, notes []string, start time.Time) {
	if a.json {
		x := &appendResult{resultHead: head("append"), Changed: changed, Notes: append([]string{}, notes...), Vertices: g.NumVertices(), Edges: g.NumEdges(),
			VerticesBefore: base.NumVertices(), EdgesBefore: base.NumEdges(), TookMS: millis(time.Since(start)), Outputs: []outputResult{}}
		if changed {
			x.Outputs = append(x.Outputs, outputResult{Path: f.output})
		}
		a.result = x
	}
	a.done("the graph is in "+f.output, "foray bfs "+f.output+" searches it")
}

// appendEdges returns the graph with the edges of paths, or without them, and a text about the snapshot of a
// table. It returns base itself if there are no edges, and the reason in same.
func (a *app) appendEdges(ctx context.Context, base *graph.Graph, path string, paths []string, f *appendFlags) (g *graph.Graph, said, same string, err error) {
	// Before anything is read: the new graph is no smaller, unless edges are removed.
	if !f.remove {
		if err := a.checkRoom(host.New(0), "a changed copy of "+path, graphBytes(base)); err != nil {
			return nil, "", "", err
		}
	}
	o := f.inputFlags.options()
	o.Order, o.Reverse = graph.OrderGiven, base.Directed() && base.In() != nil
	if _, given := f.combined(); !given && !(base.Stats().Combined == graph.CombineFirst && !o.EdgeIDs) {
		o.Combine = base.Stats().Combined
	}
	if !f.given("keep-self-loops") {
		o.KeepSelfLoops = f.remove || hasLoop(base)
	}
	more, err := a.load(ctx, paths, &f.inputFlags, o)
	switch {
	case err == nil:
	case errors.Is(err, graph.ErrEmpty): // nothing is new
		return base, "", strings.NewReplacer("empty input: ", "", "; check what wrote it", "").Replace(oneLine(err)), nil
	case f.since != "" && (errors.Is(err, arrow.ErrRemoved) || errors.Is(err, arrow.ErrSnapshot) && errors.Is(err, fs.ErrNotExist)):
		return nil, "", "", hint(err, "foray convert %s %s rebuilds the graph", paths[0], path)
	default:
		return nil, "", "", f.appendError(ctx, paths, err)
	}
	defer more.Close()
	what := "adding the edges of " + more.in.name
	if f.remove {
		what = "removing the edges of " + more.in.name
	}
	if err := a.checkRoom(host.New(0), what, changeBytes(base, more.Graph, f.remove, o.Combine)); err != nil {
		return nil, "", "", err
	}
	change, doing := base.Append, "appending %s to %s: %w"
	if f.remove {
		change, doing = base.RemoveEdges, "removing the edges of %s from %s: %w"
	}
	if g, err = change(ctx, more.Graph, graph.AppendOptions{Combine: o.Combine, Workers: int(f.workers)}); err != nil {
		if e := errors.Unwrap(err); e != nil { // which names the operation
			err = e
		}
		return nil, "", "", fmt.Errorf(doing, more.in.name, path, err)
	}
	var read []string
	for _, t := range more.in.tables() {
		read = append(read, fmt.Sprintf("%s of %s read", snapshotName(&t), t.Path))
		record, note := withTable, ""
		if f.remove {
			record = withoutTable
		}
		if f.tables, note = record(f.tables, t); note != "" {
			read = append(read, note)
		}
	}
	if n := more.in.comments(); n > 0 {
		read = append(read, text.Plural(n, "comment line")+" left out")
	}
	return g, strings.Join(read, ", "), "", nil
}

// graphBytes returns what a copy of a graph takes, in the host's memory.
func graphBytes(g *graph.Graph) uint64 {
	ids := g.IDs()
	bytes := uint64(g.NumVertices())*vertexBytes + uint64(2*len(ids.Data)) + writesGraph
	for _, rows := range []*graph.CSR{g.Out(), g.In()} {
		if rows != nil {
			bytes += rows.NumEdges() * entryBytes(rows)
		}
		if !g.Directed() {
			break // whose rows are the same in both directions
		}
	}
	return bytes
}

// changeBytes returns what graph.Append or, to remove edges, RemoveEdges takes at most, and writing what they return.
func changeBytes(base, more *graph.Graph, removes bool, combine graph.Combine) uint64 {
	const place = 8 // of an entry in the rows that change
	rows := more.Out()
	bytes := graphBytes(base) + rows.NumEdges()*(entryBytes(rows)+place)
	if !removes {
		bytes += graphBytes(more) - writesGraph
		if rows.Weights != nil && (combine == graph.CombineMax || combine == graph.CombineSum) { // of weights in 64 bits
			bytes += (base.Out().NumEdges() + rows.NumEdges()) * 8
		}
	}
	return bytes
}

// entryBytes returns what an entry of a row takes.
func entryBytes(rows *graph.CSR) uint64 {
	bytes := uint64(4)
	if rows.Weights != nil {
		bytes += 4
	}
	if rows.EdgeIDs != nil {
		bytes += 8
	}
	return bytes
}

const (
	// vertexBytes is the memory of a vertex of a new graph, without its id's text: an offset, its id and its place in the
	// index, and while graphs are merged its places in both.
	vertexBytes = 40
	// writesGraph is the memory that writing a graph takes.
	writesGraph = 8 << 20
)

// withoutVertices returns the graph without the vertices that a list names, and a text with their number. It
// returns g itself if it has none of them.
func withoutVertices(ctx context.Context, g *graph.Graph, f *appendFlags) (*graph.Graph, string, error) {
	l, err := readSeeds(ctx, g, &f.inputFlags, "remove-vertices", f.removeVertices)
	if err != nil {
		return nil, "", err
	}
	said := fmt.Sprintf("%s of %s taken away", text.Plural(len(l.list), "vertex"), l.path)
	if l.missing > 0 {
		said += fmt.Sprintf(", %s of %s not in the graph", text.Count(l.missing), text.Plural(l.rows, "id"))
	}
	if l.comments > 0 {
		said += ", " + text.Plural(l.comments, "comment line") + " left out"
	}
	if len(l.list) == 0 {
		return g, said, nil
	}
	rest := make([]uint32, 0, g.NumVertices()-len(l.list))
	for v := range uint32(g.NumVertices()) {
		if !l.seen[v] {
			rest = append(rest, v)
		}
	}
	g, err = g.InducedSubgraph(rest)
	return g, said, err
}

// openBase opens the graph, and makes the flags those by which edges are read as the graph is.
func (a *app) openBase(ctx context.Context, path string, f *appendFlags) (*graph.Graph, error) {
	if is, err := f.isPrepared(path); err != nil {
		return nil, err
	} else if !is {
		return nil, usagef("%s isn't a prepared graph: build one from its edges, foray convert %s GRAPH.foray", path, path)
	}
	if f.given("order") {
		return nil, usagef("--order: vertices keep their numbers; foray convert %s OUT.foray --order %s renumbers them", path, f.order.value)
	}
	if err := a.boundMemory(&f.inputFlags, new(graph.Options)); err != nil {
		return nil, err
	}
	progress := a.progress()
	defer progress.end()
	g, info, err := arrow.OpenGraph(ctx, path, arrow.OpenGraphOptions{
		Trust: f.trust, S3: f.limits.s3(), Workers: int(f.workers), MemoryLimit: f.left,
		Progress: progress.inBytes("checking"),
	})
	if err != nil {
		return nil, err
	}
	f.tables = info.Tables
	f.trust = false // it is for prepared graphs alone
	if f.given("directed") && f.directed != g.Directed() {
		return nil, errors.Join(usagef("--directed=%v: the graph in %s is %s, and edges are read so; leave it out", f.directed, path, leads(g.Directed())), g.Close())
	}
	f.appendTo = path
	f.directed, f.separate = g.Directed(), f.separate || g.IDs().Sides != nil
	switch weights := g.Out().Weights != nil && !f.remove; {
	case f.weightCol != "" && !weights:
		return nil, errors.Join(usagef("--weight: weights are not used here; leave it out"), g.Close())
	default:
		f.weights = weights
	}
	if g.Out().EdgeIDs != nil && !f.remove && !f.keepsEdgeIDs() {
		f.edgeIDs, f.idsOf = true, path // a prepared graph's edges have theirs; others are refused
	}
	if columns := g.EdgeColumns(); len(columns) > 0 && !f.remove {
		f.edgeCols, f.columnsOf, f.merge = quotedFields(columns), path, "first"
		if g.NumEdges() > 0 { // else the edges that come have types
			f.columnTypes = typesOf(columns)
		}
		if g.Out().NumEdges() == 0 || hasParallel(g.Out()) { // all edges are kept
			f.merge = "keep"
		}
	}
	f.idsLike = g.IDs()
	if g.IDs().Type == graph.String && g.IDs().Logical == "" && f.ids.value == "auto" {
		f.ids.value = "string" // of text, whose ids may all be numbers this time
	}
	return g, nil
}

// hasParallel reports whether a row has a target twice. Rows of prepared graphs with columns ascend.
func hasParallel(c *graph.CSR) bool {
	for v := range uint32(c.NumVertices()) {
		row := c.Neighbors(v)
		for i := 1; i < len(row); i++ {
			if row[i] == row[i-1] {
				return true
			}
		}
	}
	return false
}

// hold keeps other appends from the graph while this one reads and replaces it, so that none is lost.
func (f *appendFlags) hold(path string) (release func(), err error) {
	if inStore(path) || stat(path) == nil || !leadTo(path, f.output) {
		return func() {}, nil // what is read stays
	}
	if release, err = atomicfile.Hold(path); errors.Is(err, atomicfile.ErrHeld) {
		err = fmt.Errorf("%s: another foray append is changing it; nothing was changed here: try again when that one has ended", path)
	}
	return release, err
}

// leadTo reports whether two paths lead to the same file. Names are compared first: another append may
// replace the file between two looks at it.
func leadTo(a, b string) bool {
	if a == b {
		return true
	}
	to, errA := filepath.EvalSymlinks(a)
	too, errB := filepath.EvalSymlinks(b)
	if errA == nil && errB == nil && to == too {
		return true
	}
	x, y := stat(a), stat(b)
	return x != nil && y != nil && os.SameFile(x, y)
}

// stat returns what is known of a file, or nil.
func stat(path string) fs.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}
