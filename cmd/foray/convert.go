// This file holds the convert and gen commands, which write edges.

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/edgelist"
)

// edgeOutputHelp documents how edges are written: texts, serialized and
// graphs are the names of such formats, flags those that say what a prepared graph is.
func edgeOutputHelp(texts, serialized, graphs, flags string) string {
	return `The extension sets the format: .parquet, .arrow, .arrows (a stream), .csv,
.jsonl; ` + texts + ` (text, also with .gz or .zst); ` + serialized + ` (GAP);
.bin, .adj (GBBS and PASGAL); .mtx (Matrix Market); .foray (a prepared graph).
Every edge is written once and in its direction, including self-loops and
repeated edges: to Parquet, Arrow, .csv and .jsonl in input order, to other text
sorted by source and target. With --simple, and always for ` + graphs + `,
the output is a graph without self-loops and repeated edges, undirected unless
--directed is set.

Vertices of .sg, .wsg, .bin and .adj are 0 to n-1, those of .mtx 1 to n: if ids
differ, --vertex-numbers writes the numbers that vertices have in the graph.

A prepared graph is the graph that bfs, bench and info build before they search:
rows, the reverse, ids and their index, in one Arrow file that is mapped into
memory, so opening it takes as long as checking it. ` + flags + ` define the graph.

Except for ` + graphs + `, a file has only the vertices of its
edges, and convert reports how many others it leaves out. To get isolated vertices when you
read the file again, pass a list of vertices with --vertices, or --ids dense,
which makes vertices of 0 to the largest id.`
}

// convertFlags are what convert and gen have in common.
type convertFlags struct {
	inputFlags
	outputFlags
	simple  bool
	reverse bool // of .foray

	givenReverse func() bool
	numbers      bool   // write vertex numbers
	seed         string // of gen; empty means the spec's own

	weightRange string // of gen
	generates   bool   // the command is gen

	leftOut  []string // what the output has nothing of
	comments uint64   // lines of texts that were left out
	tuples   bool     // ids are of several columns
	sides    bool     // sources and targets are separate
	kinds    bool     // vertices have kinds
}

func (a *app) convertCommand() *cobra.Command {
	f := &convertFlags{outputFlags: outputFlags{edgeFormats: edgeFormats}}
	cmd := &cobra.Command{
		Use:   "convert IN... OUT",
		Short: "Convert edges between formats",
		Long: "Reads the edges of all INs and writes them to OUT; - is standard output.\n\n" +
			edgeOutputHelp(".el, .wel, .tsv, .txt", ".sg, .wsg", ".sg, .wsg, .bin, .adj,\n.mtx and .foray", "--order, --directed,\n--reverse and --weights") + "\n\nEach IN is a PATH.\n",
		Example: `  foray convert edges.csv.gz edges.parquet
  foray convert 'lake/follows/*.parquet' follows.sg
  foray convert roads.gr roads.wel --weights
  foray convert edges.parquet - | head
  foray convert follows/ follows.foray --src user --dst follows --directed`,
		GroupID: groupGraphs,
		Args:    needArgs(2, -1, "convert needs an IN and an OUT"),
	}
	in := f.inputFlags.group()
	out := newGroup(titleOutput)
	f.addFormat(out)
	f.addSimple(out)
	out.flags.BoolVar(&f.numbers, "vertex-numbers", false, "text, .sg, .bin, .adj: number vertices from 0 (.mtx: from 1) by ascending id (or by --order) and write these numbers as ids")
	out.flags.BoolVar(&f.weights, "weights", false, "keep weights, from the column weight or the third of a text; NaN and infinities are weights too")
	out.flags.StringVar(&f.weightCol, "weight", "", "keep weights from this `COLUMN`")
	f.addWeightType(out)
	f.addEdgeIDs(out, "take ids of edges along, as column edge_id or in .foray")
	f.addColumns(out)
	f.addVertexColumns(out)
	setFlags(cmd, in, out)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if s := err.Error(); strings.Contains(s, "'o' in -o") || s == "unknown flag: --output" {
			return usagef("convert has no -o: the last argument is OUT")
		}
		return flagError(cmd, err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f.output = args[len(args)-1]
		if f.output == "" {
			return usagef("OUT is empty: name a file, or - for standard output")
		}
		f.weights = f.weights || f.weightCol != ""
		if !cmd.Flags().Changed("workers") && !f.needsGraph() {
			f.workers = 1 // keeps the order of rows
		}
		return a.convert(cmd.Context(), args[:len(args)-1], f)
	}
	return cmd
}

// specs lists the shortest form of each SPEC, in lines of help.
func specs() string {
	var lines strings.Builder
	width := 0
	for line := range strings.Lines(gen.Usage()) {
		form, is := strings.CutPrefix(strings.TrimRight(line, "\n"), "  ")
		if !is || strings.HasPrefix(form, " ") { // what it is
			continue
		}
		form, _, _ = strings.Cut(form, ", ")
		form, _, _ = strings.Cut(form, "[")
		if width += 2 + len(form); width > helpWidth {
			lines.WriteByte('\n')
			width = 2 + len(form)
		}
		lines.WriteString("  " + form)
	}
	return lines.String() + "\n"
}

func (a *app) genCommand() *cobra.Command {
	f := &convertFlags{outputFlags: outputFlags{edgeFormats: edgeFormats}, generates: true}
	cmd := &cobra.Command{
		Use:   "gen SPEC -o FILE",
		Short: "Generate a graph",
		Long: "Generates the edges of a graph, always the same for the same SPEC, and writes\nthem. SPECs are\n\n" +
			strings.TrimRight(gen.Usage(), "\n") + "\n\n" +
			edgeOutputHelp(".el, .wel, .tsv, .txt", ".sg, .wsg", ".sg, .wsg, .bin, .adj,\n.mtx and .foray", "--directed,\n--reverse and --weights") + `

With --weights edges have weights, which depend on the edge and the seed, not on
the direction. Any SPEC accepts weights too, as in grid2d:weights=1:100, and a
separate seed for them, weightseed=N.

Other commands take gen:SPEC as a PATH.`,
		Example: `  foray gen kron20 -o kron20.parquet
  foray gen road --weights 1:100 -o roads.wsg
  foray gen road:400x200 --seed 7 -o road.sg
  foray gen star:5 -o -`,
		GroupID:     groupGraphs,
		Args:        needArgs(1, 1, "gen takes one SPEC"),
		Annotations: map[string]string{argumentKey: "SPECs (--help-all describes each):\n" + specs() + "\n"},
	}
	g := newGroup(titleInput)
	g.flags.StringVar(&f.seed, "seed", "", "`N` that selects one of 2^64 graphs, if the SPEC takes a seed, and their weights (default 0)")
	g.flags.StringVar(&f.weightRange, "weights", "", "give edges uniform random weights of `MIN:MAX`: integers as in 1:100, floats if a bound has a point or exponent, as in 0.5:2; uniform:MIN:MAX is the same")
	f.inputFlags.group() // defaults; of its flags, gen has those below
	g.flags.Var(&f.workers, "workers", "threads that generate; 0: one per CPU")
	g.flags.Var(&f.memory, "memory-limit", "end, with what is needed where that is known, before the whole command takes more memory, such as 8GB or 8GiB (default: building takes what is free)")
	out := f.outputFlags.group("write the edges to", "its name says the format")
	f.addSimple(out)
	out.flags.BoolVar(&f.directed, "directed", false, "with --simple, .sg, .bin, .adj, .mtx, .foray: edges are directed")
	setFlags(cmd, g, out)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.output == "" {
			return usagef("gen needs -o FILE")
		}
		spec := args[0]
		if _, _, err := named("gen:"+spec, false); err != nil {
			return err // names the spec as typed, without the additions of flags
		}
		add := func(option, value string) {
			sep := ":"
			if strings.Contains(spec, ":") {
				sep = ","
			}
			spec += sep + option + "=" + value
		}
		if f.seed != "" {
			add("seed", f.seed)
		}
		if cmd.Flags().Changed("weights") {
			add("weights", f.weightRange)
		}
		if t, isText := f.textFormat(); isText && t == "mtx" {
			f.numbers = true // which are the ids, and from 1 on in a matrix
		}
		if g, _, err := named("gen:"+spec, false); err == nil {
			f.weights = g != nil && g.WeightType() != graph.WeightsAuto
		}
		return a.convert(cmd.Context(), []string{"gen:" + spec}, f)
	}
	return cmd
}

func (f *convertFlags) addSimple(g flagGroup) {
	g.flags.BoolVar(&f.simple, "simple", false, "drop self-loops and repeated edges")
	f.givenReverse = func() bool { return g.flags.Changed("reverse") }
	g.flags.BoolVar(&f.reverse, "reverse", true, ".foray, with --directed: keep the reverse too, for searches that pull; --reverse=false halves the file")
}

// textFormat returns the format if package edgelist writes it.
func (f *convertFlags) textFormat() (string, bool) {
	if f.output == "-" || f.format != "" {
		return "", false
	}
	switch strings.ToLower(filepath.Ext(f.output)) {
	case ".csv", ".jsonl", ".ndjson": // which package arrow writes as tables
		return "", false
	}
	t, err := edgelist.FormatOf(f.output)
	return t, err == nil
}

// withWeights returns the spec of a PATH with weights.
func withWeights(path string) string {
	spec := strings.TrimPrefix(path, "gen:")
	if strings.Contains(spec, ":") {
		return spec + ",weights=1:100"
	}
	return spec + ":weights=1:100"
}

// namedWEL reports whether a name is the name of a text with weights.
func namedWEL(path string) bool { return strings.HasSuffix(uncompressed(path), ".wel") }

// namedBare returns the end of a name that is of a text, or serialized graph, without
// weights, or nothing.
func namedBare(path string) string {
	for _, end := range []string{".el", ".sg", ".bin"} {
		if strings.HasSuffix(uncompressed(path), end) {
			return end
		}
	}
	return ""
}

// uncompressed returns the name of a text in lower case, without the extension of its compression.
func uncompressed(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".zst")
}

// withWeightsEnd is the end of a name that has weights, where end has none.
func withWeightsEnd(end string) string {
	if end == ".bin" {
		return ".adj"
	}
	return ".w" + end[1:]
}

// isGraph reports whether the format holds a graph, and not edges in their order.
func isGraph(format string) bool { return format == "mtx" || serialized(format) }

// serialized reports whether the format holds rows of vertices 0 to n-1: one of GAP's, or of GBBS and PASGAL.
func serialized(format string) bool {
	return slices.Contains([]string{"sg", "wsg", "bin", "adj"}, format)
}

// writable reports whether package edgelist writes the format.
func writable(format string) bool { return format == "text" || isGraph(format) }

// needsGraph reports whether edges can't be passed on as they come.
func (f *convertFlags) needsGraph() bool {
	_, isText := f.textFormat()
	return f.simple || isText || f.prepares()
}

// prepares reports whether the output is a prepared graph.
func (f *convertFlags) prepares() bool { return f.format == "" && namedPrepared(f.output) }

func (a *app) convert(ctx context.Context, paths []string, f *convertFlags) error {
	t, isText := f.textFormat()
	switch {
	case isText && !writable(t):
		return usagef("%s: DIMACS, METIS and compressed JSON lines are read but not written; there are .%s; %s", f.output, strings.Join(tableFormats, ", ."), f.edgeFormats)
	case isText && inStore(f.output):
		return usagef("%s: objects in stores are written as %s or foray", f.output, strings.Join(tableFormats, ", "))
	case f.prepares() && f.compression != "":
		return usagef("--compression is for parquet and arrow; a prepared graph is mapped uncompressed")
	case isText && f.compression != "":
		return usagef("--compression is for parquet and arrow; text is compressed if its name ends in .gz or .zst")
	case isText && f.keepsEdgeIDs():
		return usagef("--edge-ids and --edge-id: %s can't store edge ids; there are .%s and .foray", f.output, strings.Join(tableFormats, ", ."))
	case f.checkColumns(f.prepares()) != nil:
		return f.checkColumns(f.prepares())
	case f.checkVertexColumns(paths, f.prepares()) != nil:
		return f.checkVertexColumns(paths, f.prepares())
	case f.givenReverse() && !f.prepares():
		return usagef("--reverse is for .foray, a prepared graph")
	case !isText && f.numbers:
		return usagef("--vertex-numbers is for text, .mtx, .sg, .bin and .adj")
	case isText && f.weights && namedBare(f.output) != "":
		end := namedBare(f.output)
		return usagef("%s: a file that ends in %s has no weights; call it %s, or leave out --weights", f.output, end, withWeightsEnd(end))
	case isText && (namedWEL(f.output) || t == "wsg"):
		f.weights = true
	}
	if err := f.checkWeights(paths, ", which .wel, .wsg and --weights of convert are for"); err != nil {
		return err
	}
	if err := f.checkInside(paths, &f.outputFlags); err != nil {
		return err
	}
	if isText || f.prepares() {
		if err := checkOutput(f.output); err != nil {
			return err
		}
	} else if err := f.outputFlags.check(ctx); err != nil {
		return err
	}
	start := time.Now()
	var edges uint64
	var err error
	if f.needsGraph() || f.onlyWhole(paths) {
		edges, err = a.convertGraph(ctx, paths, f, t, isText)
	} else {
		edges, err = a.convertBatches(ctx, paths, f)
	}
	if err == nil {
		err = a.tellNotes(f)
	}
	if err != nil || f.output == "-" {
		return err
	}
	size, bytes := "", uint64(0)
	if info, err := os.Stat(f.output); err == nil && info.Mode().IsRegular() {
		bytes = uint64(info.Size())
		size = ", " + text.Bytes(bytes)
	}
	if inStore(f.output) {
		// It is written; that the store doesn't tell its size is no failure.
		if o, err := s3.New(s3.Options{}).Stat(ctx, f.output); err == nil {
			bytes = uint64(o.Size)
			size = ", " + text.Bytes(bytes)
		}
	}
	if f.comments > 0 {
		size += ", " + text.Plural(f.comments, "comment line") + " left out"
	}
	if a.json {
		name := "convert"
		if f.generates {
			name = "gen"
		}
		a.result = &writtenResult{head(name), edges, bytes, append([]string{}, f.leftOut...), millis(time.Since(start)), []outputResult{{Path: f.output}}}
	}
	a.done("edges are in "+f.output, "foray bfs "+f.output+" searches them")
	_, err = fmt.Fprintf(a.stdout, "%s: %s%s, in %s\n", text.Escape(f.output), text.Plural(edges, "edge"), size, text.Duration(time.Since(start)))
	return err
}
