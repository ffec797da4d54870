// This file holds the info command, and the lists of kinds of vertices.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow"
)

const infoLong = `Describes the graph of the input: vertices, edges, ids, dropped edges, degrees,
and the memory of the graph and of a search. Sizes are in powers of 1000: 1 MB
is 1,000,000 bytes.

Degrees of a directed graph are out-degrees. A bar of the histogram is as long
as its share of the vertices.

Memory is the memory of the graph on the host and on a GPU, including data that
is prepared once for all its searches; and the additional memory of each search
for depths and parents, at most. foray devices lists the GPUs that can be used,
and their free memory.

`

func (a *app) infoCommand() *cobra.Command {
	f := &inputFlags{}
	g := newGroup(titleOutput)
	column := g.flags.String("column", "", "Parquet, Arrow and tables: describe the column of this `NAME` instead of the graph, from the metadata of the files: its types, values, nulls and encodings")
	cmd := &cobra.Command{
		Use:   "info PATH...",
		Short: "Describe a graph: size, degrees, memory",
		Long:  infoLong,
		Example: `  foray info testdata/karate.parquet
  foray info gen:kron20
  foray info follows/ --src user --dst follows --directed
  foray info testdata/karate.parquet --column src`,
		GroupID: groupGraphs,
		Args:    needArgs(1, -1, "info needs a PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if g.flags.Changed("column") {
				return a.infoColumn(cmd.Context(), args, *column, f)
			}
			return a.info(cmd.Context(), args, f)
		},
	}
	in := f.group()
	f.addEdgeWhere(in)
	f.addGPUMemory(g)
	setFlags(cmd, g, in)
	return cmd
}

func (a *app) info(ctx context.Context, paths []string, f *inputFlags) error {
	f.emptyToo = true
	g, err := a.load(ctx, paths, f, f.options())
	if err != nil {
		return err
	}
	defer g.Close()
	memory, err := memoryOf(g.Graph, int(f.workers))
	if err != nil {
		return err
	}
	a.result = &infoResult{head("info"), g.result(), degreesOf(g.Graph), memory, graphColumns(g.EdgeColumns()), graphColumns(g.VertexColumns())}
	a.done("nothing was written", "foray bfs with the same paths and flags searches the graph")
	w := &strings.Builder{}
	describeInput(w, g)
	describeGraph(w, g)
	within := &strings.Builder{}
	if f.gpuMemory > 0 {
		t, ok, err := graph.PlaceOptions{Memory: uint64(f.gpuMemory)}.Tiers(g.Graph)
		if err != nil {
			return err
		}
		fmt.Fprintln(within)
		if ok {
			item(within, "--gpu-memory", "%v", t)
		} else {
			item(within, "--gpu-memory", "the graph and a search take no more than %s", text.Bytes(uint64(f.gpuMemory)))
		}
	}
	if err := errors.Join(writeDegrees(a.stdout, w, g.Graph), memory.write(a.stdout)); err != nil {
		return err
	}
	_, err = io.WriteString(a.stdout, within.String())
	return err
}

// keyWidth is where the values of lines begin.
const keyWidth = 14

// item writes a line.
func item(w *strings.Builder, key, format string, args ...any) {
	fmt.Fprintf(w, "%-*s %s\n", keyWidth, key, text.Escape(fmt.Sprintf(format, args...)))
}

func describeInput(w *strings.Builder, g *loaded) {
	item(w, "input", "%s", g.in.name)
	for _, p := range g.in.parts {
		if p.prepared != "" {
			what, how := "file", "all of it checked"
			if inStore(p.prepared) {
				what = "object"
			}
			if g.in.flags.trust {
				how = "its arrays not checked"
			}
			item(w, what, "%s, a prepared graph, %s", text.Bytes(uint64(g.in.stats.Bytes)), how)
			for _, t := range g.in.stored {
				rows := ""
				if t.Where != "" {
					rows = ", its rows where " + t.Where
				}
				item(w, "made of", "%s of %s, a table of %s%s", snapshotName(&t), t.Path, t.Format, rows)
			}
		}
		if p.graphar != "" {
			describeCondition(w, g)
		}
		if p.arrow == nil {
			continue
		}
		s, st := p.arrow.Info(), g.in.stats
		item(w, "files", "%s (%s): %s; row groups or record batches: %s", text.Count(st.Files), text.Bytes(uint64(st.Bytes)),
			text.Plural(st.Rows, "row"), text.Count(st.RowGroups))
		item(w, "columns", "%s to %s, of %s", strings.Join(columnNames(s, s.SourceColumns), ","), strings.Join(columnNames(s, s.TargetColumns), ","), idTypeName(s))
		if more := g.in.flags.tableFlags.describe(); more != "" {
			item(w, "tables", "%s", more)
		}
		describeSnapshots(w, p.arrow, st.DeletedRows)
		describeCondition(w, g)
		if st.FilesIgnored > 0 {
			item(w, "not read", "%s in directories that end like neither Parquet nor Arrow, such as %s", text.Plural(st.FilesIgnored, "file"), st.Ignored)
		}
	}
	describeOthers(w, g.in)
	item(w, "loaded", "%s", g.loading())
}

// describeCondition reports what a condition and nulls left out.
func describeCondition(w *strings.Builder, g *loaded) {
	st := &g.in.stats
	if g.in.flags.where != "" {
		item(w, "condition", "leaves out %s unopened, %s unread, and %s of the rest", text.Plural(st.FilesPassed, "file"),
			text.Plural(st.RowGroupsPassed, "row group"), text.Plural(st.RowsPassed, "row"))
		item(w, "", "%s read", text.Bytes(uint64(st.BytesRead)))
	}
	if st.NullRows > 0 {
		item(w, "nulls", "%s skipped", text.Plural(st.NullRows, "row"))
	}
}

// describeOthers describes inputs other than Parquet and Arrow files.
func describeOthers(w *strings.Builder, in *input) {
	if n := in.textNulls.Load(); n > 0 {
		item(w, "nulls", "%s of text skipped", text.Plural(n, "row"))
	}
	var what []string
	gens, texts, bytes := 0, 0, int64(0)
	for _, p := range in.parts {
		switch {
		case p.gen != nil:
			gens++
		case p.text != "":
			if info, err := os.Stat(p.text); err == nil && info.Mode().IsRegular() {
				bytes += info.Size()
			}
			texts++
		}
	}
	if gens > 0 {
		what = append(what, text.Plural(gens, "generated graph"))
	}
	if texts > 0 {
		what = append(what, fmt.Sprintf("%s of text (%s)", text.Plural(texts, "file"), text.Bytes(uint64(bytes))))
	}
	if len(what) > 0 && len(in.parts) > 1 {
		label := "besides"
		if !slices.ContainsFunc(in.parts, func(p part) bool { return p.arrow != nil }) {
			label = "parts"
		}
		item(w, label, "%s: %s", strings.Join(what, ", "), text.Plural(in.other.Load(), "edge"))
	}
}

// columnNames are the names of columns.
func columnNames(s arrow.Info, columns []int) []string {
	var names []string
	for _, i := range columns {
		names = append(names, s.Columns[i].Name)
	}
	return names
}

// idTypeName names the type of ids.
func idTypeName(s arrow.Info) string {
	if form, err := logical.Parse(s.Logical); err == nil && form.Kind == logical.Kinds {
		return "kinds " + kindNames(form)
	}
	if s.Logical != "" {
		return "type " + s.Logical
	}
	return "type " + s.Columns[s.Source].Type
}

func describeGraph(w *strings.Builder, g *loaded) {
	directed := "undirected"
	if g.Directed() {
		directed = "directed"
	}
	item(w, "vertices", "%s", text.Count(g.NumVertices()))
	switch weights, ids := g.Out().Weights != nil, g.Out().EdgeIDs != nil; {
	case weights && ids:
		directed += ", with weights (" + g.WeightType().String() + ") and ids"
	case weights:
		directed += ", with weights (" + g.WeightType().String() + ")"
	case ids:
		directed += ", with ids"
	}
	item(w, "edges", "%s, %s", text.Count(g.NumEdges()), directed)
	if columns := g.EdgeColumns(); len(columns) > 0 {
		item(w, "columns", "of edges: %s", columnTypes(columns))
	}
	if columns := g.VertexColumns(); len(columns) > 0 {
		item(w, "columns", "of vertices: %s", columnTypes(columns))
	}
	item(w, "dropped", "%s", g.dropped())
	form := "with a map"
	if g.IDs().Dense() || g.IDs().Dense32 != nil {
		form = "dense"
	}
	typ := g.IDs().Type.String()
	if g.IDs().Logical != "" {
		typ = g.IDs().Logical
	}
	if g.IDs().Sides != nil {
		form += ", sources and targets apart"
	}
	if kinds, err := logical.Parse(g.IDs().Logical); err == nil && kinds.Kind == logical.Kinds {
		item(w, "kinds", "%s", kindCounts(g.IDs()))
		typ = "of kinds " + kindNames(kinds)
	}
	item(w, "ids", "%s, %s", typ, form)
	order := map[graph.Order]string{graph.OrderDegree: "by descending degree", graph.OrderGiven: "as ids ascend"}
	how := order[g.Order()]
	if g.Order() == graph.OrderGiven && !idsAscend(g.IDs()) {
		how = "as they came, not as ids ascend"
	}
	item(w, "order", "%v: vertices are numbered %s", g.Order(), how)
}

// idsAscend reports whether vertices are numbered as their ids ascend. A grown graph's may not be.
func idsAscend(m *graph.IDs) bool {
	for rank, v := range m.ByID() {
		if uint32(rank) != v {
			return false
		}
	}
	return true
}

// dropped reports what building the graph left out.
func (g *loaded) dropped() string {
	st := g.Stats()
	repeated := st.Duplicates
	if !g.Directed() {
		repeated = (repeated + 1) / 2 // counted in both directions
	}
	s := droppedEdges(st.SelfLoops, repeated, st.InputEdges)
	if n := g.in.comments(); n > 0 {
		s += ", " + text.Plural(n, "comment line")
	}
	if repeated > 0 && (g.in.o.Weights || g.in.parts[0].prepared != "" && g.Out().Weights != nil) {
		s += "; " + combinedText[st.Combined]
	}
	return s
}

// combinedText describes the weight of repeated edges.
var combinedText = map[graph.Combine]string{
	graph.CombineMin: "the smallest weight stays", graph.CombineMax: "the largest weight stays",
	graph.CombineSum: "their weights are added up", graph.CombineFirst: "the first weight stays",
}

func droppedEdges(loops, repeated, of uint64) string {
	return fmt.Sprintf("%s, %s of %s given", text.Plural(loops, "self-loop"), text.Plural(repeated, "repeated edge"), text.Plural(of, "edge"))
}

// barWidth is how long a bar for all vertices would be.
const barWidth = 40

// degreesOf counts the degrees of a graph; nil stands for no vertices.
func degreesOf(g *graph.Graph) *degreesResult {
	if g.NumVertices() == 0 {
		return nil
	}
	h := g.DegreeHistogram()
	x := &degreesResult{Mean: h.Mean, Max: h.Max, MaxVertex: g.IDs().Format(h.MaxVertex), Bins: []binResult{}}
	for k, count := range h.Bins {
		lo, hi := binRange(k)
		x.Bins = append(x.Bins, binResult{lo, min(hi, max(h.Max, lo)), count})
	}
	return x
}

// writeDegrees writes what w has, and the degrees.
func writeDegrees(out io.Writer, w *strings.Builder, g *graph.Graph) error {
	if g.NumVertices() == 0 {
		item(w, "degrees", "none: the graph has no vertices")
		_, err := io.WriteString(out, w.String())
		return err
	}
	h := g.DegreeHistogram()
	item(w, "degrees", "mean %.2f, largest %s (vertex %s), %s", h.Mean, text.Count(h.Max),
		formatID(g.IDs(), h.MaxVertex), text.Plural(h.Isolated, "isolated vertex"))
	fmt.Fprintln(w)
	n := uint64(g.NumVertices())
	t := text.Table{Align: "rrrl"}
	t.Row("degree", "vertices", "share")
	for _, bin := range degreesOf(g).Bins {
		lo, hi, count := bin.Lo, bin.Hi, bin.Vertices
		name := text.Count(lo)
		if hi > lo {
			name += " to " + text.Count(hi)
		}
		t.Row(name, text.Count(count), text.Percent(count, n), bar(count, n))
	}
	if _, err := io.WriteString(out, w.String()); err != nil {
		return err
	}
	err := t.Write(out, "  ")
	if err == nil {
		_, err = fmt.Fprintln(out)
	}
	return err
}

// bar is a bar as long as the share, to an eighth of a character.
func bar(count, total uint64) string {
	eighths := int(float64(count)/float64(total)*barWidth*8 + 0.5)
	if count > 0 && eighths == 0 {
		eighths = 1
	}
	s := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		s += string(rune('█' + 8 - r)) // ▉ is seven eighths, ▏ one
	}
	return s
}

// memoryOf returns the memory of the graph and of a search for depths and parents, on
// the host and on a GPU, by the library's own estimates.
func memoryOf(g *graph.Graph, workers int) (memoryResult, error) {
	m := estimate(g)
	searchHost, searchGPU, shared, err := searchBytes(g, workers)
	return memoryResult{m.graph + g.State().PreparedBytes(), g.RemoteBytes() + shared, m.ids, searchHost, searchGPU}, err
}

func (m memoryResult) write(w io.Writer) error {
	t := text.Table{Align: "lrr"}
	t.Row("memory", "host", "GPU")
	t.Row("graph", text.Bytes(m.GraphHost), text.Bytes(m.GraphGPU))
	t.Row("id map", text.Bytes(m.IDs), "on the host")
	t.Row("a search", text.Bytes(m.SearchHost), text.Bytes(m.SearchGPU))
	t.Row("in all", text.Bytes(m.GraphHost+m.IDs+m.SearchHost), text.Bytes(m.GraphGPU+m.SearchGPU))
	return t.Write(w, "")
}

// searchBytes returns what a search takes at most on the host and on a GPU, and what all searches share there.
func searchBytes(g *graph.Graph, workers int) (onHost, remote, shared uint64, err error) {
	p, err := g.On(host.New(workers)) // which takes nothing
	if err != nil {
		return 0, 0, 0, err
	}
	defer p.Close()
	var s *bfs.Searcher
	if bench.Auto(g).Kind == bench.DOBFS {
		o := dobfs.Options{Outputs: bfs.Depths | bfs.Parents}
		s, err = dobfs.NewSearcher(p, o)
		remote, shared = o.RemoteBytes(g)
	} else {
		o := bfs.Options{Outputs: bfs.Depths | bfs.Parents}
		s, err = bfs.NewSearcher(p, o)
		remote, shared = o.RemoteBytes(g)
	}
	if err != nil {
		return 0, 0, 0, err
	}
	defer s.Close()
	return s.Bytes(), remote, shared, nil
}

// memory is what a graph takes on the host, in bytes.
type memory struct {
	graph uint64 // rows, with weights and ids of edges
	ids   uint64 // the id map
}

func estimate(g *graph.Graph) memory {
	n, e := uint64(g.NumVertices()), g.NumDirectedEdges()
	csrs := uint64(1)
	if g.In() != nil && g.In() != g.Out() {
		csrs = 2
	}
	m := memory{graph: csrs * (8*(n+1) + 4*e + 4*uint64(len(g.Out().Weights)) + 8*uint64(len(g.Out().IntWeights)+len(g.Out().FloatWeights)+len(g.Out().EdgeIDs)))}
	ids := g.IDs()
	m.ids = uint64(len(ids.Dense32))*4 + uint64(len(ids.Ints))*8 + uint64(len(ids.StringOffsets))*8 + uint64(len(ids.Data))
	return m
}

// binRange returns the smallest and the largest degree of bin k of a graph.DegreeHistogram.
func binRange(k int) (lo, hi uint64) {
	if k == 0 {
		return 0, 0
	}
	return 1 << (k - 1), 1<<k - 1
}

// maxKindNames is how many kinds a line names.
const maxKindNames = 8

// kindNames lists the kinds and the types of their ids. If all have the same type, it
// is listed once.
func kindNames(form logical.Type) string {
	same := true
	for _, p := range form.Parts {
		same = same && p.String() == form.Parts[0].String()
	}
	var names []string
	for i, name := range form.Names {
		if i == maxKindNames {
			names = append(names, fmt.Sprintf("%d more", len(form.Names)-i))
			break
		}
		if !same {
			name += " (" + form.Parts[i].String() + ")"
		}
		names = append(names, name)
	}
	all := strings.Join(names, ", ")
	if same && len(form.Parts) > 0 {
		all += " (" + form.Parts[0].String() + ")"
	}
	return all
}

// kindCounts lists the number of vertices of each kind.
func kindCounts(m *graph.IDs) string {
	var counts []string
	from := 0
	for i, name := range m.Kinds() {
		// The order of ids is by kind first.
		to := from + sort.Search(m.Len-from, func(k int) bool { return m.Kind(m.AtRank(uint32(from+k))) != name })
		if i == maxKindNames {
			counts = append(counts, fmt.Sprintf("%d more kinds: %s", len(m.Kinds())-i, text.Plural(m.Len-from, "vertex")))
			break
		}
		counts = append(counts, name+": "+text.Plural(to-from, "vertex"))
		from = to
	}
	return strings.Join(counts, ", ")
}
