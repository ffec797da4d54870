// This file holds inputs: what paths on the command line stand for, and the
// flags that say how they are read.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/pathglob"
	"github.com/foray-graph/foray/internal/tableformat"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// inputFlags say how inputs are read and what graph is built of them.
type inputFlags struct {
	src, dst  string
	where     string
	ids       *enum
	nulls     *enum
	inFormat  *enum
	directed  bool
	order     *enum
	memory    size
	twoPass   bool
	ragged    bool
	header    *enum
	separator separator
	workers   positive
	trust     bool
	edge      string // of GraphAr
	weights   bool   // set by commands that can use them
	weightCol string // likewise
	edgeIDs   bool   // likewise
	edgeIDCol string // likewise
	tableFlags

	flags *pflag.FlagSet // those of group
}

// given reports whether a flag of the group stands on the command line.
func (f *inputFlags) given(name string) bool { return f.flags != nil && f.flags.Changed(name) }

// group returns the flags.
func (f *inputFlags) group() flagGroup {
	g := newGroup("Input")
	f.flags = g.flags
	f.ids = newEnum("TYPE", "auto", "dense", "int64", "uint64", "string", "binary")
	f.nulls = newEnum("error|skip", "error", "skip")
	f.order = newEnum("ORDER", "auto", "degree", "given")
	f.inFormat = newEnum("FORMAT", inputFormats...)
	g.flags.StringVar(&f.src, "src", "", "`COLUMN` of the edges' sources, of Parquet, Arrow and text with a header (default src, source or from); of Parquet and Arrow also several, as in tenant,user")
	g.flags.StringVar(&f.dst, "dst", "", "`COLUMN` of the edges' targets (default dst, target or to)")
	g.flags.StringVar(&f.where, "where", "", "Parquet, Arrow and GraphAr: only edges that meet this `CONDITION`, such as \"amount >= 100 and type in ('follow', 'like') and year = 2025\"")
	f.tableFlags.add(g)
	g.flags.BoolVar(&f.directed, "directed", false, "edges lead one way only")
	g.flags.Var(f.ids, "ids", "what ids are: dense (0 to n-1, so that no map is needed; of GraphAr its own numbers) or, in text, int64, uint64, string or binary; auto tells them by the file")
	g.flags.Var(f.nulls, "nulls", "Parquet, Arrow and GraphAr: what to do with edges that lack an id or a weight")
	g.flags.Var(f.inFormat, "input-format", "format of files whose names don't tell: parquet, arrow, text, csv, tsv, mtx, gr, sg or wsg")
	f.header = newEnum("auto|true|false", "auto", "true", "false")
	g.flags.Var(f.header, "header", "text: whether the first line names the columns; auto tells by the line")
	g.flags.Var(&f.separator, "separator", "text: what separates columns: one character, or space (any white space), tab or comma (default what the first line has)")
	g.flags.BoolVar(&f.ragged, "ragged", false, "text: let lines have more or fewer columns than the first, and ignore those that aren't needed")
	g.flags.Var(f.order, "order", "how vertices are numbered inside: by degree, given (as ids ascend), or auto, which is by degree where degrees differ much and leaves .sg and .wsg as they are")
	g.flags.Var(&f.memory, "memory-limit", "refuse to build a graph that takes more, such as 8GB or 8GiB (default what is free); a prepared graph that is mapped from a file doesn't count, its copy by --order does")
	g.flags.BoolVar(&f.twoPass, "two-pass", false, "read everything twice rather than hold the edges: about three times as long, for up to a quarter less memory where edges are fewer than some 30 million")
	g.flags.StringVar(&f.edge, "edge", "", "GraphAr: the `KIND` of edges, such as person_knows_person, or knows where that is clear (default the only one)")
	g.flags.BoolVar(&f.trust, "trust", false, "prepared graphs: open without checking the arrays, in a millisecond; for files that were checked before, since a search of a damaged one may end the process or be wrong")
	g.flags.Var(&f.workers, "workers", "threads that read, build and, on the host, search; 0: one per CPU")
	return g
}

// inputFormats are the values of --input-format. Which of Parquet and Arrow it
// is, a file says itself.
var inputFormats = []string{"auto", "parquet", "arrow", "feather", "ipc", "arrows", "text", "el", "csv", "tsv", "mtx", "gr", "sg", "wsg"}

// textFormatList is those of them that aren't found by looking into the file.
const textFormatList = "text, csv, tsv, mtx, gr, sg or wsg"

// columnar reports whether --input-format says Parquet or Arrow.
func (f *inputFlags) columnar() bool {
	switch f.inFormat.value {
	case "parquet", "arrow", "feather", "ipc", "arrows":
		return true
	}
	return false
}

// options returns what graph is built.
func (f *inputFlags) options() graph.Options {
	o := graph.Options{
		Directed: f.directed, DenseIDs: f.ids.value == "dense", SeparateIDs: f.separate,
		Weights: f.weights, EdgeIDs: f.keepsEdgeIDs(), MemoryLimit: uint64(f.memory), Workers: int(f.workers),
	}
	o.Order, _ = graph.ParseOrder(f.order.value) // the flag allows no other
	return o
}

// textIDs are the values of --ids that text files know; others read as auto.
var textIDs = map[string]edgelist.IDs{
	"int64": edgelist.IDsInt64, "uint64": edgelist.IDsUint64,
	"string": edgelist.IDsString, "binary": edgelist.IDsBinary,
}

// part is a part of the input: exactly one of the five.
type part struct {
	gen      gen.Generator
	text     string         // path
	prepared string         // path; it is the only part
	graphar  string         // likewise
	arrow    *arrow.Dataset // of one or more paths
}

// input is what a command reads.
type input struct {
	name  string // for people
	flags *inputFlags
	o     graph.Options
	parts []part
	stats arrow.Stats   // of the Parquet and Arrow files, once they were read
	other atomic.Uint64 // edges of other parts, where there are several

	properties *arrow.VertexProperties // of a prepared graph's vertices, or GraphAr's, once they were read
	textLeft   []string                // columns of texts that nothing was taken from, once they were read

	vertexStats arrow.Stats // of the tables of vertices of a prepared graph, once they were read

	saysDirected bool      // GraphAr's file does, once it was read
	rows         rowSample // of the tables of vertices, once they were read
}

// open finds out what the paths stand for, and reads the metadata of Parquet
// and Arrow files.
func (f *inputFlags) open(ctx context.Context, paths []string, o graph.Options, progress *progress) (*input, error) {
	if err := f.tableFlags.check(f.isGraphAr(paths[0])); err != nil {
		return nil, err
	}
	in := &input{flags: f, o: o, name: paths[0]}
	if len(paths) > 1 {
		in.name = fmt.Sprintf("%s and %d more", paths[0], len(paths)-1)
	}
	var arrows []string
	texts := false
	for _, p := range paths {
		g, files, err := named(p)
		if err != nil {
			return nil, err
		}
		if g != nil {
			in.parts = append(in.parts, part{gen: g})
			continue
		}
		before := len(arrows)
		for _, file := range files {
			if f.isGraphAr(file) {
				in.parts = append(in.parts, part{graphar: file})
			} else if isText, err := f.isText(file); err != nil {
				return nil, err
			} else if isText {
				if info, err := os.Stat(file); f.twoPass && err == nil && !info.Mode().IsRegular() {
					return nil, usagef("--two-pass reads twice, which %s can't be: not a regular file", file)
				}
				texts = true
				in.parts = append(in.parts, part{text: file})
			} else if is, err := f.isPrepared(file); err != nil {
				return nil, err
			} else if is {
				in.parts = append(in.parts, part{prepared: file})
			} else {
				arrows = append(arrows, file)
			}
		}
		if len(arrows)-before == len(files) { // a pattern says which directories are columns
			arrows = append(arrows[:before], p)
		} else if files[0] != p {
			if err := refuseTables(p, arrows[before:]); err != nil {
				return nil, err
			}
		}
	}
	if len(arrows) == 0 { // else it is refused by the same words below
		if err := in.checkWhole(); err != nil {
			return nil, err
		}
	}
	if f.ids.value != "auto" && f.ids.value != "dense" && !texts {
		return nil, usagef("--ids %s is for text; other files say themselves what their ids are", f.ids.value)
	}
	if len(arrows) > 0 {
		ao := arrow.Options{
			Source: f.src, Target: f.dst, Where: f.where, Graph: o, Workers: int(f.workers), Stats: &in.stats,
			Progress: func(rows, total int64) { progress.update("reading", uint64(rows), uint64(total)) },
		}
		ao.Nulls, _ = arrow.ParseNullPolicy(f.nulls.value) // the flag allows no other
		if f.weights {
			ao.Weight = f.weightCol
		}
		ao.EdgeID = f.edgeIDCol
		tables, err := f.tables(arrows, &ao)
		if err != nil {
			return nil, err
		}
		ao.Source, ao.Target, ao.Weight, ao.EdgeID, ao.Where = "", "", "", "", "" // each table has its own
		d, err := arrow.OpenTables(ctx, tables, ao)
		if err != nil {
			return nil, err
		}
		in.parts = append(in.parts, part{arrow: d})
		if err := in.checkWhole(); err != nil {
			return nil, err
		}
	} else if !texts && (f.src != "" || f.dst != "") {
		return nil, usagef("--src and --dst are for files that have columns with names: Parquet, Arrow, and text with a header")
	} else if !texts && !in.isGraphAr() && f.weightCol != "" {
		return nil, usagef("--weight is for files that have columns with names: Parquet, Arrow, GraphAr, and text with a header")
	} else if !in.isGraphAr() && f.nulls.value != "error" && !in.onlyProperties() {
		return nil, usagef("--nulls %s is for Parquet, Arrow and GraphAr; text has no nulls, every line needs its ids", f.nulls.value)
	}
	switch {
	case len(arrows) == 0 && len(f.edges) == 0 && len(f.vertices) > 0 && in.parts[0].prepared != "":
		if f.properties == "" {
			return nil, usagef("--vertices: %s is a prepared graph, which has the vertices that it has, so that --vertices is for --properties here; convert its edges with --vertices to prepare another one", in.parts[0].prepared)
		}
	case len(arrows) == 0 && len(f.edges) > 0 && in.parts[0].prepared != "":
		return nil, usagef("--edges: %s is a prepared graph, to which nothing is added; convert its edges with --edges to prepare another one", in.parts[0].prepared)
	case len(arrows) == 0 && f.tableFlags.given():
		return nil, f.tableFlags.needTable(in.parts, paths[0])
	case f.separate && len(in.parts) > 0 && in.parts[0].prepared != "":
		return nil, usagef("--separate-ids is for edges: %s is a prepared graph, which has the vertices that it has", in.parts[0].prepared)
	case len(arrows) == 0 && !in.isGraphAr() && f.where != "":
		return nil, usagef("--where is for Parquet, Arrow and GraphAr")
	case texts && f.where != "":
		return nil, usagef("--where is for Parquet and Arrow files, and %s is text", firstText(in.parts))
	case !texts && f.header.value != "auto":
		return nil, usagef("--header is for text")
	case !texts && f.separator.set:
		return nil, usagef("--separator is for text")
	case f.header.value == "false" && len(arrows) == 0 && (f.src != "" || f.dst != "" || f.weightCol != ""):
		return nil, usagef("--src, --dst and --weight name columns by the header; leave out --header false")
	}
	if f.ragged && !texts {
		return nil, usagef("--ragged is for text")
	}
	if f.unknown.value == "skip" && !in.onlyProperties() {
		return nil, usagef("--unknown-vertices skip is for --vertices of a prepared graph: one that is built has all of them")
	}
	return in, in.checkEdgeIDs()
}

// onlyProperties reports whether a table of vertices is read for its properties
// alone.
func (in *input) onlyProperties() bool {
	return len(in.parts) == 1 && in.parts[0].prepared != "" && in.flags.properties != ""
}

func firstText(parts []part) string {
	for _, p := range parts {
		if p.text != "" {
			return p.text
		}
	}
	return ""
}

// named returns the graph that a PATH has generated, or the files that it names.
func named(path string) (gen.Generator, []string, error) {
	if spec, ok := strings.CutPrefix(path, "gen:"); ok {
		g, err := gen.Parse(spec)
		if err != nil {
			if name, options, ok := strings.Cut(spec, ","); ok && !strings.Contains(name, ":") {
				err = hint(err, "options stand behind a colon: %s:%s", name, options)
			}
			return nil, nil, &usageError{err, "foray gen"}
		}
		return g, nil, nil
	}
	switch path {
	case "":
		return nil, nil, usagef("a PATH is empty")
	case "-":
		return nil, nil, usagef("- is no PATH; /dev/stdin --input-format text reads text from standard input")
	}
	files, err := expand(path)
	return nil, files, missing(path, err)
}

// expand returns the files that a path stands for: itself, or what matches a
// pattern. A directory stays, for package arrow to look into.
func expand(path string) ([]string, error) {
	if inStore(path) {
		return []string{path}, nil
	}
	if _, err := os.Stat(path); err == nil {
		return []string{path}, nil
	} else if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(path, "*?[") {
		return nil, err
	}
	matches, err := pathglob.Match(path)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", path, err)
	}
	var files []string
	for _, m := range matches {
		// Writers give such names to what isn't data.
		if b := filepath.Base(m); b[0] != '.' && b[0] != '_' {
			files = append(files, m)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no file matches %q", path)
	}
	return files, nil
}

// refuseTables returns an arrow.ErrTable if a file among the matches of a pattern is
// one of a table. Into directories package arrow looks itself.
func refuseTables(pattern string, matches []string) error {
	var finder tableformat.Finder
	for _, m := range matches {
		if info, err := os.Stat(m); err != nil || info.IsDir() {
			continue
		}
		if err := finder.Check(filepath.Dir(m)); err != nil {
			return fmt.Errorf("%s: %w", pattern, err)
		}
	}
	return nil
}

// inStore reports whether a path is one of an object in a store.
func inStore(path string) bool { return strings.HasPrefix(path, "s3://") }

// isText reports whether package edgelist reads the file.
func (f *inputFlags) isText(path string) (bool, error) {
	if inStore(path) {
		if _, err := edgelist.FormatOf(path); err == nil || f.inFormat.value != "auto" && !f.columnar() {
			return false, usagef("%s: of stores only Parquet, Arrow and prepared graphs are read; copy text to a file first", path)
		}
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	switch {
	case info.IsDir(), f.columnar():
		return false, nil
	case f.inFormat.value != "auto":
		return true, nil
	}
	_, err = edgelist.FormatOf(path)
	if err != nil && !info.Mode().IsRegular() {
		return false, hint(fmt.Errorf("%s: not a regular file, and its name doesn't end like that of a text", path),
			"--input-format text reads text from pipes; Parquet and Arrow are read from files alone")
	}
	return err == nil, nil
}

// textOptions returns how a text file is read.
func (in *input) textOptions(progress *progress) edgelist.Options {
	g := in.o
	g.Directed = in.flags.directed // what is in the file, not what is made of it
	o := edgelist.Options{
		Graph: g, Workers: int(in.flags.workers), TwoPass: in.flags.twoPass, IDs: textIDs[in.flags.ids.value], Ragged: in.flags.ragged,
		Progress: func(read, total uint64) { progress.bytes("reading", read, total) },
	}
	o.LeftOut = func(names []string) { in.textLeft = append(in.textLeft, names...) }
	if in.flags.header.value != "false" {
		o.Source, o.Target = in.flags.src, in.flags.dst
		if o.Graph.Weights {
			o.Weight = in.flags.weightCol
		}
	}
	switch in.flags.header.value {
	case "true":
		o.Header = edgelist.HeaderFirst
	case "false":
		o.Header = edgelist.HeaderNone
	}
	switch f := in.flags.inFormat.value; f {
	case "auto":
	case "csv":
		o.Format, o.Separator = edgelist.FormatText, ','
	case "tsv":
		o.Format, o.Separator = edgelist.FormatText, '\t'
	case "el":
		o.Format = edgelist.FormatText
	default:
		o.Format, _ = edgelist.ParseFormat(f) // the flag allows no other
	}
	if in.flags.separator.set {
		o.Separator = in.flags.separator.value
	}
	return o
}

// batches reads all edges. It may be called again.
func (in *input) batches(ctx context.Context, progress *progress, yield func(graph.Batch) error) error {
	in.other.Store(0)
	counted := func(b graph.Batch) error {
		n := len(b.Src)
		if b.SrcStrings != nil {
			n = b.SrcStrings.Len()
		}
		in.other.Add(uint64(n))
		return yield(b)
	}
	for _, p := range in.parts {
		var err error
		switch {
		case p.gen != nil:
			err = generate(ctx, p.gen, int(in.flags.workers), progress, counted)
		case p.arrow != nil:
			in.rows.reset()
			err = p.arrow.Batches(ctx, func(b graph.Batch) error {
				if b.Vertices {
					in.rows.add(&b)
				}
				return yield(b)
			})
			in.stats = p.arrow.Stats()
		default:
			err = edgelist.ReadFile(ctx, p.text, in.textOptions(progress), counted)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// generate passes on a generator's edges, in order.
func generate(ctx context.Context, g gen.Generator, workers int, progress *progress, yield func(graph.Batch) error) error {
	b := graph.Batch{Type: graph.Uint32}
	done := uint64(0)
	return gen.Ordered(ctx, g, workers, func(_ int, src, dst []uint32) error {
		b.Src, b.Dst = widen(b.Src, src), widen(b.Dst, dst)
		done += uint64(len(src))
		progress.update("generating", done, g.NumEdges())
		return yield(b)
	})
}

// widen copies ids into wide, which it makes longer where needed.
func widen(wide []int64, ids []uint32) []int64 {
	if cap(wide) < len(ids) {
		wide = make([]int64, len(ids))
	}
	wide = wide[:len(ids)]
	for i, id := range ids {
		wide[i] = int64(id)
	}
	return wide
}
