// This file holds the package's documentation, its options and the formats.

// Package edgelist reads graphs from text edge lists, Matrix Market, DIMACS
// shortest-path and GAP serialised files, plain or compressed by gzip or
// Zstandard, and writes text edge lists and GAP serialised files.
//
// Load makes a graph of a file; ReadFile and Read pass on its edges in
// batches. Lines are parsed by several goroutines, fed by one that reads and
// decompresses. The whole file is never held in memory, and no size that a
// file claims is believed before as many bytes have been seen.
//
// # Text
//
// One edge a line: two ids, then, if wanted, a weight; further columns are not
// looked at. All lines have as many columns as the first edge, but that a third
// may be missing where no weight is wanted: lists of neighbours, which have a
// line per vertex, are thus not taken for edges (but see Options.Ragged). Columns are separated by white space, by commas or by another
// byte (Options.Separator). Lines that begin with # or % are comments; blank
// lines are skipped; lines end in LF or CRLF.
//
// What the ids are is settled once, by Options.IDs or else by the first edge:
// if both its ids are decimal integers, all ids are int64, and any other id is
// an error; else all ids are strings.
//
// The first line is a header if Options.Header says so or columns are asked for
// by name; or, by default, if its first two columns aren't both integers and
// either it has two usual column names such as src and dst, source and target
// or from and to, wherever they stand, or integers or weights stand in the
// second line where it has none. The edges are then in the columns of these
// names, or of those in Options.Source and Options.Target; or, of a header
// without such names, in the only two columns besides one named weight. A
// header that tells less is refused (ErrColumns), and so is a first line of two
// words such as user,follows that may as well be an edge between strings.
// Weights are in the column named Options.Weight or weight, else in the third.
//
// Weights are decimal numbers, or NaN, Inf and -Inf in any case of letters, as
// graph.Builder takes them and as WriteText writes them.
//
// # Matrix Market
//
// Coordinate matrices, square, of any field and symmetry: entry i, j is the
// edge from i to j. Ids are the file's, from 1. Of the symmetries other than
// general, the mirrored entries are added if the graph is directed (an
// undirected graph has both directions anyway). Explicit zeros are edges. The
// number of entries must be the one declared.
//
// Vertices that no entry names aren't in the graph; with graph.Options.DenseIDs
// all up to the largest named are, and 0 besides.
//
// # DIMACS
//
// Shortest-path files (.gr): ids are the file's, from 1, and the same holds for
// vertices that no arc names; every arc has a weight. The number of arcs must
// be the one declared.
//
// # GAP serialised graphs
//
// The GAP Benchmark Suite's .sg, and .wsg with weights: arrays of a graph, so
// that nothing is parsed. Ids are dense from 0, and isolated vertices stay.
package edgelist

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/foray-graph/foray/graph"
)

// Format is the format of a file, whatever its compression.
type Format uint8

const (
	// FormatAuto goes by the name of the file (see FormatOf). Where that says
	// text, or where there is no name, a Matrix Market banner on the first line
	// makes it FormatMatrixMarket, anything else FormatText.
	FormatAuto Format = iota
	// FormatText is a text edge list.
	FormatText
	// FormatMatrixMarket is a Matrix Market coordinate file.
	FormatMatrixMarket
	// FormatDIMACS is a DIMACS shortest-path file.
	FormatDIMACS
	// FormatSG is a serialised graph of the GAP Benchmark Suite.
	FormatSG
	// FormatWSG is a serialised graph with int32 weights.
	FormatWSG
)

var formatNames = [...]string{"auto", "text", "mtx", "gr", "sg", "wsg"}

func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// ParseFormat returns the format of that name: auto, text, mtx, gr, sg or wsg.
func ParseFormat(name string) (Format, error) {
	for i, s := range formatNames {
		if s == name {
			return Format(i), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown format %q (auto, text, mtx, gr, sg or wsg)", ErrFormat, name)
}

var formatOfExt = map[string]Format{
	".el": FormatText, ".wel": FormatText, ".txt": FormatText, ".csv": FormatText,
	".tsv": FormatText, ".edges": FormatText, ".edgelist": FormatText,
	".mtx": FormatMatrixMarket, ".gr": FormatDIMACS, ".sg": FormatSG, ".wsg": FormatWSG,
}

// FormatOf returns the format of a file by the end of its name, ignoring case
// and a further .gz or .zst: .el, .wel, .txt, .csv, .tsv, .edges and .edgelist
// are text, .mtx Matrix Market, .gr DIMACS, .sg and .wsg serialised graphs.
// Other names get an error that wraps ErrFormat.
func FormatOf(path string) (Format, error) {
	base, _ := compressionOf(path)
	if f, ok := formatOfExt[strings.ToLower(filepath.Ext(base))]; ok {
		return f, nil
	}
	return 0, fmt.Errorf("%s: %w: the name doesn't tell the format (known: .el .wel .txt .csv .tsv .edges .edgelist .mtx .gr .sg .wsg, each also with .gz or .zst); set Options.Format",
		path, ErrFormat)
}

// compressionOf splits a name in what is left without the compression's
// suffix, and the compression: "", "gzip" or "zstd".
func compressionOf(path string) (base, compression string) {
	ext := filepath.Ext(path)
	switch strings.ToLower(ext) {
	case ".gz":
		return strings.TrimSuffix(path, ext), "gzip"
	case ".zst":
		return strings.TrimSuffix(path, ext), "zstd"
	}
	return path, ""
}

// IDs says how the ids of a text edge list are read.
type IDs uint8

const (
	// IDsAuto goes by the first edge: int64 if both its ids are decimal
	// integers, else strings.
	IDsAuto IDs = iota
	// IDsInt64 wants decimal integers that fit an int64.
	IDsInt64
	// IDsUint64 wants decimal integers, not negative, that fit a uint64.
	IDsUint64
	// IDsString takes ids as strings, which must be UTF-8.
	IDsString
	// IDsBinary takes ids as byte strings of any content.
	IDsBinary
)

var idsNames = [...]string{"auto", "int64", "uint64", "string", "binary"}

func (i IDs) String() string {
	if int(i) < len(idsNames) {
		return idsNames[i]
	}
	return fmt.Sprintf("IDs(%d)", uint8(i))
}

// Header says whether the first line of a text edge list that is neither blank
// nor a comment names the columns.
type Header uint8

const (
	// HeaderAuto decides by the first two lines, as the package comment says.
	HeaderAuto Header = iota
	// HeaderNone: the first line is an edge.
	HeaderNone
	// HeaderFirst: the first line is a header.
	HeaderFirst
)

// Options say how to read. The zero value reads any of the formats, by the
// file's name, as an undirected graph without weights.
type Options struct {
	// Graph says what graph to build. Weights asks for the weights: then every
	// edge must have one, else what stands in their place isn't looked at.
	Graph graph.Options

	// Format of the input.
	Format Format
	// IDs says how text ids are read. Other formats have int64 ids.
	IDs IDs
	// Header says whether a text edge list has a header line.
	Header Header
	// Source, Target and Weight name the columns of the ends of an edge and, if
	// Graph.Weights is set, of weights, by the header that the text must then
	// have. Of one that is empty the header decides. Other formats than text
	// have no names.
	Source, Target, Weight string
	// Separator of text columns: ' ' for runs of spaces and tabs, or one byte
	// such as ',', ';' or '\t' with, or without, spaces around it; then a column
	// may stand in double quotes, a quote inside being doubled, and an id may
	// hold spaces, or be empty if it stands in quotes. 0 goes by the first line: a comma, if it holds one; else a
	// tab, if it holds one and ids are strings; else white space.
	Separator byte

	// Ragged lets lines of a text edge list have more or fewer columns than the
	// first edge has, of which those that aren't needed are ignored.
	Ragged bool

	// LeftOut, if not nil, is called with the names, by a text's header, of the
	// columns that nothing is taken from, if there are any: once each time that the
	// text is read, before its edges are. The slice is the caller's.
	LeftOut func(names []string)

	// MaxExpansion is how many bytes may come of each byte of a compressed input,
	// beyond the first 256 MiB; 0 means 500. More is ErrLimit: text that repeats a good
	// deal gets 200 times as long, and one that is made to take a day without an end.
	MaxExpansion int

	// Workers is the number of goroutines that parse; 0 means Graph.Workers
	// or, if that is 0 too, GOMAXPROCS. With 1, batches come in the file's order.
	Workers int
	// TwoPass makes Load read the file twice instead of holding the edges, see
	// graph.TwoPass: slower, but it takes little more memory than the graph
	// itself. Serialised graphs never need it.
	TwoPass bool
	// Progress, if not nil, is called now and then, from one goroutine, with
	// the bytes of input read so far, as they are stored (compressed), and all
	// of them, 0 if unknown.
	Progress func(read, total uint64)
	// Name is what errors call the input; "" means the path or "input".
	Name string

	// Sizes for tests; 0 means the constants below.
	chunk, maxLine, batch int
	freely                uint64
}

func (o Options) workers() int {
	switch {
	case o.Workers > 0:
		return o.Workers
	case o.Graph.Workers > 0:
		return o.Graph.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// named reports whether columns are asked for by name.
func (o *Options) named() bool { return o.Source != "" || o.Target != "" || o.Weight != "" }

// check returns an error for options that mean nothing, and fills in sizes.
func (o *Options) check() error {
	switch {
	case int(o.Format) >= len(formatNames):
		return fmt.Errorf("%w: %v", ErrOption, o.Format)
	case int(o.IDs) >= len(idsNames):
		return fmt.Errorf("%w: %v", ErrOption, o.IDs)
	case o.Header > HeaderFirst:
		return fmt.Errorf("%w: Header(%d)", ErrOption, o.Header)
	case o.Header == HeaderNone && o.named():
		return fmt.Errorf("%w: Source, Target and Weight are names in a header, but Header is HeaderNone", ErrOption)
	case o.Weight != "" && !o.Graph.Weights:
		return fmt.Errorf("%w: Weight is %q, but Graph.Weights isn't set", ErrOption, o.Weight)
	case o.Workers < 0:
		return fmt.Errorf("%w: Workers is %d", ErrOption, o.Workers)
	case o.MaxExpansion < 0:
		return fmt.Errorf("%w: MaxExpansion is %d; want a number above 0, or 0 for the default", ErrOption, o.MaxExpansion)
	case strings.IndexByte("\n\r\"#%+-.", o.Separator) >= 0, o.Separator >= 0x80,
		'0' <= o.Separator && o.Separator <= '9':
		return fmt.Errorf("%w: Separator can't be %q", ErrOption, o.Separator)
	}
	if o.MaxExpansion == 0 {
		o.MaxExpansion = maxExpansion
	}
	if o.freely == 0 {
		o.freely = expandsFreely
	}
	if o.chunk == 0 {
		o.chunk = chunkBytes
	}
	if o.maxLine == 0 {
		o.maxLine = maxLineBytes
	}
	if o.batch == 0 {
		o.batch = batchEdges
	}
	return nil
}
