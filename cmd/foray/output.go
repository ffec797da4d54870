// This file holds the flags of outputs and the formats.

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
)

// outputFlags say where and how a table is written.
type outputFlags struct {
	output      string
	format      string
	compression string
	reachedOnly bool
	partitionBy string
	overwrite   bool

	sort         *enum // of commands with rows of vertices; nil in others
	vertexColumn string
	terminal     io.Writer // instead of standard output: the terminal that output named

	edgeFormats string // for edges: the formats beside tables
}

// tableFormats are the formats of tables, which are extensions too.
var tableFormats = []string{"parquet", "arrow", "feather", "ipc", "arrows", "csv", "jsonl", "ndjson"}

// group returns the flags; what describes -o, and more the contents of the file.
func (f *outputFlags) group(what, more string) flagGroup {
	g := newGroup(titleOutput)
	g.flags.StringVarP(&f.output, "output", "o", "", what+" `FILE`, - is standard output; "+more)
	f.addFormat(g)
	return g
}

func (f *outputFlags) addFormat(g flagGroup) {
	g.flags.StringVar(&f.format, "format", "", "`FORMAT` of the output: parquet, arrow, arrows (a stream), csv or jsonl (default by FILE's name, csv for -)")
	g.flags.StringVar(&f.compression, "compression", "", "compress by `CODEC`: zstd, snappy, gzip, brotli or none for parquet (default zstd), zstd, lz4 or none for arrow (default none)")
}

// addRows adds the flags that say how rows of vertices are written.
func (f *outputFlags) addRows(g flagGroup) {
	f.sort = newEnum("none|id", "none", "id")
	g.flags.Var(f.sort, "sort", "order of rows: none (internal vertex numbers), or id: by ascending id (if vertices have kinds, by kind first)")
	g.flags.StringVar(&f.vertexColumn, "vertex-column", "", "`NAME` of the column of vertices (default vertex), for example the input's")
}

// byID reports whether rows come by ascending id.
func (f *outputFlags) byID() bool { return f.sort != nil && f.sort.value == "id" }

// checkRows refuses the flags of addRows if there are no such rows: other is what they are instead, or "".
func (f *outputFlags) checkRows(other string) error {
	switch {
	case !f.byID() && f.vertexColumn == "":
	case f.output == "":
		return usagef("--sort and --vertex-column need -o: the file to write")
	case other != "":
		return usagef("--sort and --vertex-column are for rows of vertices, not for %s", other)
	}
	return nil
}

// edgeFormats is what edges are written as besides tables, which goes by the
// name of the file.
const edgeFormats = ".el, .wel, .tsv, .txt, .edges, .edgelist (text, also with .gz or .zst), .sg, .wsg (GAP), .bin, .adj (GBBS, PASGAL), .mtx (Matrix Market), .foray (a prepared graph)"

// check refuses what can't be written before anything is read, and where nothing
// can be.
func (f *outputFlags) check(ctx context.Context) error {
	if f.output == "" {
		if f.format != "" || f.compression != "" {
			return usagef("--format and --compression are for -o")
		}
		return nil
	}
	path, err := location.Path(f.output)
	if err != nil {
		switch scheme, _, _ := strings.Cut(strings.ToLower(f.output), "://"); scheme {
		case "file", "gs", "gcs", "oss", "s3a", "s3n": // what it says holds of outputs too
			return &usageError{err: err}
		default:
			return usagef("-o: results are not written to %s:// addresses, but to files and S3-compatible stores (s3://BUCKET/KEY); write a file, then upload it", scheme)
		}
	}
	f.output = path
	if t := terminalAt(f.output); t != nil { // /dev/tty and the like
		f.output, f.terminal = "-", text.NewEscaper(t)
	}
	format := f.tableFormat()
	if !slices.Contains(tableFormats, format) {
		names := "." + strings.Join(tableFormats, ", .")
		edges := f.edgeFormats != ""
		if edges {
			names += "; " + f.edgeFormats
		}
		switch {
		case f.format != "":
			return usagef("--format %s: there are %s", f.format, orList(tableFormats))
		case format == "":
			return usagef("%s: the name doesn't determine the format; end it in one of %s; or give --format: %s", f.output, names, orList(tableFormats))
		case !edges && slices.Contains([]string{"gz", "zst"}, format):
			return usagef("%s: compressed text isn't written; write .parquet, which is compressed inside, or -o - | gzip", f.output)
		}
		return usagef("%s: .%s isn't written; there are %s", f.output, format, names)
	}
	if c := codecs(format); f.compression != "" && !slices.Contains(c, f.compression) {
		return usagef("--compression %s: %s takes %s", f.compression, format, orList(c))
	}
	return arrow.Check(ctx, f.output, nil, nil, f.options(nil))
}

// checkInputs refuses to let --overwrite replace what is read: a lake that is
// partitioned looks like a result.
func (f *outputFlags) checkInputs(paths []string) error {
	if !f.overwrite || f.output == "" {
		return nil
	}
	clean := func(p string) string {
		if inStore(p) {
			return strings.TrimRight(p, "/") + "/"
		}
		if abs, err := filepath.Abs(p); err == nil {
			p = abs
		}
		if real, err := filepath.EvalSymlinks(p); err == nil {
			p = real
		}
		return strings.TrimRight(filepath.ToSlash(p), "/") + "/"
	}
	out := clean(f.output)
	for _, p := range paths {
		whole := p
		if i := strings.IndexAny(p, "*?["); i >= 0 { // what is below a pattern's first names
			whole = p[:strings.LastIndexByte(p[:i], '/')+1]
		}
		in := clean(whole)
		if strings.HasPrefix(in, out) || whole == p && strings.HasPrefix(out, in) {
			return usagef("--overwrite: %s is read, so %s can't be replaced; name another directory", p, f.output)
		}
	}
	return nil
}

// terminalAt returns the terminal that a path leads to, or nil.
func terminalAt(path string) *os.File {
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	t, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil // which comes up when it is written
	}
	if !isTerminal(t) {
		t.Close()
		return nil
	}
	return t
}

// tableFormat is what --format or the file's name says.
func (f *outputFlags) tableFormat() string {
	switch {
	case f.format != "":
		return f.format
	case f.output == "-":
		return "csv"
	}
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(f.output)), ".")
	if f.partitionBy != "" && !slices.Contains(tableFormats, format) {
		return "parquet" // the name of a directory needn't say
	}
	return format
}

// codecs returns the compressions that a format can have.
func codecs(format string) []string {
	switch format {
	case "parquet":
		return []string{"zstd", "snappy", "gzip", "brotli", "none"}
	case "arrow", "feather", "ipc", "arrows":
		return []string{"zstd", "lz4", "none"}
	}
	return []string{"none"}
}

// options returns how package arrow writes.
func (f *outputFlags) options(stdout io.Writer) arrow.WriteOptions {
	if f.terminal != nil {
		stdout = f.terminal
	}
	return arrow.WriteOptions{Format: f.tableFormat(), Compression: f.compression, ReachedOnly: f.reachedOnly,
		PartitionBy: f.partitionBy, Overwrite: f.overwrite, SortByID: f.byID(), VertexColumn: f.vertexColumn, Stdout: stdout}
}

// hasMetadata reports whether the format has a place for metadata.
func (f *outputFlags) hasMetadata() bool {
	switch f.tableFormat() {
	case "csv", "jsonl", "ndjson":
		return false
	}
	return true
}
