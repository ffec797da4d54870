// This file holds the options and the formats.

package edgelist

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/s3"
)

// format is the format of a file, whatever its compression.
type format uint8

const (
	formatAuto format = iota
	formatText
	formatMatrixMarket
	formatDIMACS
	formatSG
	formatWSG
	formatMETIS
	formatJSONLines
	formatBIN
	formatADJ
)

// formatNames are the values of Options.Format; that of formatAuto is "".
var formatNames = [...]string{"", "text", "mtx", "gr", "sg", "wsg", "metis", "jsonl", "bin", "adj"}

func (f format) String() string { return formatNames[f] }

// binary reports whether the format has no lines.
func (f format) binary() bool { return f == formatSG || f == formatWSG || f == formatBIN }

var formatOfExt = map[string]format{
	".el": formatText, ".wel": formatText, ".txt": formatText, ".csv": formatText,
	".tsv": formatText, ".edges": formatText, ".edgelist": formatText,
	".mtx": formatMatrixMarket, ".gr": formatDIMACS, ".sg": formatSG, ".wsg": formatWSG,
	".metis": formatMETIS, ".graph": formatMETIS, ".jsonl": formatJSONLines, ".ndjson": formatJSONLines,
	".bin": formatBIN, ".adj": formatADJ,
}

// FormatOf returns the format of a file, a value of Options.Format, by the end of its name, ignoring case and a
// further .gz, .zst or .bz2: .el, .wel, .txt, .csv, .tsv, .edges and .edgelist are text, .mtx Matrix Market, .gr
// DIMACS, .sg and .wsg serialized graphs, .metis and .graph METIS, .jsonl and .ndjson JSON lines, .bin and .adj graphs of GBBS and PASGAL.
// The error of other names wraps ErrFormat. Names of an unsupported compression, such as .csv.xz, have that error
// too, with the format of the compressed text.
func FormatOf(path string) (string, error) {
	f, err := formatOf(path)
	return f.String(), err
}

func formatOf(path string) (_ format, failed error) {
	defer location.Shown(&failed)
	base, _ := compressionOf(path)
	if f, ok := formatOfExt[strings.ToLower(filepath.Ext(base))]; ok {
		return f, nil
	}
	ext := filepath.Ext(path)
	for _, c := range unread {
		inner := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ext)))
		if f, text := formatOfExt[inner]; text && strings.EqualFold(ext, c.ext) {
			return f, fmt.Errorf("%s: %w", path, compressionError(c.name))
		}
	}
	return 0, fmt.Errorf("%s: %w: the name doesn't tell the format (known: .el .wel .txt .csv .tsv .edges .edgelist .mtx .gr .sg .wsg .metis .graph .jsonl .ndjson .bin .adj, each also with .gz, .zst or .bz2); set Options.Format",
		path, ErrFormat)
}

// ids is how the ids of a text edge list are read.
type ids uint8

const (
	idsAuto ids = iota
	idsInt64
	idsUint64
	idsString
	idsBinary
)

// idsNames are the values of Options.IDs.
var idsNames = [...]string{"", "int64", "uint64", "string", "binary"}

// header is whether a text has a header.
type header uint8

const (
	headerAuto header = iota
	headerNone
	headerFirst
)

// headerNames are the values of Options.Header.
var headerNames = [...]string{"", "none", "first"}

// noComment is the comment of a text that has no comments.
const noComment byte = 0xff

// Options say how to read. The zero value reads any of the formats, by the
// file's name, as an undirected graph without weights.
type Options struct {
	// Graph configures the graph to build. With Weights every edge must have a weight; without it
	// weights are ignored.
	Graph graph.Options

	// Format is the format of the input, whatever its compression: "text" (an edge list), "mtx" (Matrix Market
	// coordinates), "gr" (DIMACS shortest paths), "sg" or, with int32 weights, "wsg" (serialized graphs of the GAP
	// Benchmark Suite), "metis", "jsonl" (JSON lines, an object per edge), or "bin" or "adj" (graphs of GBBS and
	// PASGAL). "" uses the name of the file (see
	// FormatOf). If that means text, or there is no name, a Matrix Market banner on the first line makes it "mtx",
	// anything else "text".
	Format string
	// IDs is how text ids are read, by the name of their type: "int64" (decimal integers), "uint64" (decimal
	// integers, not negative), "string" (UTF-8), or "binary" (byte strings of any content). "" goes by the first
	// edge: int64 if both its ids are decimal integers, else strings. Other formats have int64 ids.
	IDs string
	// Header is whether the first line of a text edge list that is neither blank nor a comment names the columns:
	// "first" if it does, "none" if it is an edge. "" decides by the first two lines, as the package comment says.
	Header string
	// Source, Target and Weight name the columns of the ends of an edge and, if Graph.Weights is
	// set, of weights, by the header that the text must then have. For an empty name the header
	// decides. Only text has column names.
	Source, Target, Weight string
	// Separator of text columns: ' ' for runs of spaces and tabs, or one byte such as ',', ';' or
	// '\t' with, or without, spaces around it; then a column may be in double quotes. A quoted
	// column may contain separators and line breaks, with quotes doubled; an id may contain spaces,
	// or be empty if quoted. 0 detects the separator from the name and the first line: tabs, if the
	// name ends in .tsv or the line has one; else a comma, if it has one; else spaces, and then a
	// later line with a tab is an error. In a line with both tabs and commas, the names of columns
	// or integers decide between them, else tabs separate, or in a .csv commas.
	Separator byte

	// SkipLines is how many lines at the beginning of a text aren't looked at, whatever
	// they hold: what a program wrote before the header, or the edges.
	SkipLines int

	// Comment is the byte that lines begin with which are comments of a text edge list,
	// and left out. 0 goes by the file: # and %, with or without
	// blanks before, begin comments where such a line stands before the first other one, and in a text
	// without a header whose columns are separated by white space or tabs, as SNAP's are.
	// A file whose name ends in .csv or .tsv has none then.
	Comment byte
	// NoComments says that the text has no comments, whatever lines begin with.
	NoComments bool
	// Comments, if not nil, is called with the number of lines that were left out as comments, once each time
	// that the input was read.
	Comments func(lines uint64)

	// Ragged lets lines of a text edge list have more or fewer columns than the
	// first edge has, of which those that aren't needed are ignored.
	Ragged bool

	// LeftOut, if not nil, is called with the names, by a text's header, of the
	// columns that nothing is taken from, if there are any: once each time that the
	// text is read, before its edges are. The slice is the caller's.
	LeftOut func(names []string)

	// Columns, if not nil, is called like LeftOut, for each text and for JSON lines, with the
	// columns of the source, the target and the weight: their names in the header, or "" without a
	// header, and their positions from 0. told reports which of them were found by name, a usual one
	// or the one in Source, Target or Weight. Others were used because no more columns are left, so
	// a reader of several texts may require the same columns in all. The position is -1 if no weight
	// is read. An error ends reading.
	Columns func(names [3]string, at [3]int, told [3]bool) error

	// ColumnTypes has the types of the columns that Graph.EdgeColumns and VertexColumns name, as the package comment
	// lists them. A column without an entry has the type of its values. Read and ReadFile, which read once,
	// take the type of the first rows. If the map isn't nil they add it, and if a later value doesn't fit,
	// the error is ErrColumnType and the map has a type that fits that value too: read again with it. Load does so, and
	// only keeps the entries that it was given.
	ColumnTypes map[string]string
	// SkipNulls leaves out rows that lack a value of such a column whose values can't be missing. By default they are
	// ErrSyntax. Skipped, if not nil, is called with their number each time that a text was read to its end.
	SkipNulls bool
	Skipped   func(rows uint64)

	// MaxExpansion is how many bytes may come of each byte of a compressed input,
	// beyond the first 256 MiB; 0 means 500. More is device.ErrMemory: text that repeats a good
	// deal gets 200 times as long, and one that is made to take a day without an end.
	MaxExpansion int

	// MaxVertices is how many vertices the head of a Matrix Market or DIMACS file may
	// declare, beyond 64 for each of its entries; 0 means 2^24 (16,777,216). More is
	// device.ErrMemory: a head of a few bytes would have any amount of memory taken.
	MaxVertices uint64

	// S3 configures access to an object of a store, s3://bucket/key.
	S3 S3Options

	// Workers is the number of goroutines that parse; 0 means Graph.Workers
	// or, if that is 0 too, GOMAXPROCS. With 1, batches come in the file's order.
	Workers int
	// TwoPass makes Load read the file twice instead of holding the edges, see
	// graph.TwoPass: slower, but it takes little more memory than the graph
	// itself. Serialized graphs never need it.
	TwoPass bool
	// Progress, if not nil, is called now and then, from one goroutine, in phase "read bytes", with the bytes of
	// input that were read so far, as they are stored (compressed). Graph.Progress reports edges and how the
	// graph is built.
	Progress func(graph.Progress)
	// Name is what errors call the input; "" means the path or "input".
	Name string

	// OnlyVertices says that the file is a list of vertices, one a line, which may have no edges. Read and
	// ReadFile pass them on in batches that have Batch.Vertices set, and in a graph.Builder they join the edges
	// of any other source.
	//
	// The list is a text of columns or JSON lines. Source names the column of the ids, or the member. If it is
	// empty, that is the column called id, vertex, node, vertex_id or node_id, else the first column of a text
	// that has no header, or the only one. The first line is a header if Header or Source requires one, if it
	// has such a name, or if it isn't an integer where the second one is. A text is cut at commas, if the first
	// line has one, else at tabs, or as Separator says. Lines may have any number of columns.
	//
	// VertexColumns names columns that batches of the list have in Batch.Columns, read as Graph.EdgeColumns of edges are.
	//
	// IDs has to be the same for vertices and edges, since "" looks at the first line alone. Target, Weight,
	// Graph and TwoPass are ignored. Load refuses it.
	OnlyVertices  bool
	VertexColumns []string

	format  format // Format, or what was found; check sets it
	ids     ids    // IDs
	header  header // Header
	comment byte   // Comment, or noComment
	ext     string // of the path, if it is .csv or .tsv

	// Sizes for tests; 0 means the constants below.
	chunk, maxLine, batch int
	freely                uint64
}

// S3Options configure access to an S3-compatible store, as arrow.S3Options do. Empty fields are taken from the environment
// and files that AWS's own tools read.
type S3Options struct {
	Endpoint                           string // http://host:port or https://host; AWS if it is set nowhere
	Region                             string
	AccessKey, SecretKey, SessionToken string
	Profile                            string
	Anonymous                          bool // without credentials, though there may be some
	Attempts                           int  // how often a request is sent at most; 0 for 6, over some seconds

	// MinRate is how many bytes a second an object has to come with, over 30 seconds of waiting for it; 0 means
	// 1,000, less than 0 any. A store that is slower, time and again, is ErrStore.
	MinRate int64
}

func (o *S3Options) client() s3.Client {
	return s3.New(s3.Options{Endpoint: o.Endpoint, Region: o.Region, AccessKey: o.AccessKey, SecretKey: o.SecretKey,
		SessionToken: o.SessionToken, Profile: o.Profile, Anonymous: o.Anonymous, Attempts: o.Attempts, MinRate: o.MinRate})
}

func (o Options) workers() int {
	n := runtime.GOMAXPROCS(0)
	switch {
	case o.Workers > 0:
		n = o.Workers
	case o.Graph.Workers > 0:
		n = o.Graph.Workers
	}
	if limit := o.Graph.MemoryLimit; limit > 0 {
		n = max(1, int(min(uint64(n), limit/readShare/workerBytes)))
	}
	return n
}

// held returns what reading a file takes: of a small one, some tens of bytes for each byte.
func (o Options) held(path string) uint64 {
	all := uint64(o.workers()) * workerBytes
	if st, err := os.Stat(path); !s3.Is(path) && err == nil && st.Mode().IsRegular() {
		all = min(all, 1<<20+32*uint64(st.Size()))
	}
	return all
}

// edgeColumns are the names of the columns that are read besides ids and weights.
func (o *Options) edgeColumns() []string {
	if o.OnlyVertices {
		return o.VertexColumns
	}
	return o.Graph.EdgeColumns
}

// named reports whether columns are asked for by name.
func (o *Options) named() bool { return o.Source != "" || o.Target != "" || o.Weight != "" }

// parse sets format, ids and header by their names.
func (o *Options) parse() error {
	f, i, h := slices.Index(formatNames[:], o.Format), slices.Index(idsNames[:], o.IDs), slices.Index(headerNames[:], o.Header)
	switch {
	case f < 0:
		return fmt.Errorf("%w: unknown format %q (text, mtx, gr, sg, wsg, metis, jsonl, bin or adj)", errOptions, o.Format)
	case i < 0:
		return fmt.Errorf("%w: IDs is %q (int64, uint64, string or binary)", errOptions, o.IDs)
	case h < 0:
		return fmt.Errorf("%w: Header is %q (first or none)", errOptions, o.Header)
	}
	if o.Format != "" {
		o.format = format(f)
	}
	o.ids, o.header = ids(i), header(h)
	return nil
}

// check returns an error for options that mean nothing, and fills in sizes.
func (o *Options) check() error {
	if err := o.parse(); err != nil {
		return err
	}
	if o.OnlyVertices {
		o.Graph, o.Target, o.Weight = graph.Options{Workers: o.Graph.Workers}, "", ""
	}
	switch {
	case o.NoComments && o.Comment != 0:
		return fmt.Errorf("%w: Comment is %q, but NoComments says that there are none", errOptions, o.Comment)
	case o.header == headerNone && o.named():
		return fmt.Errorf("%w: Source, Target and Weight are names in a header, but Header is \"none\"", errOptions)
	case len(o.VertexColumns) > 0 && !o.OnlyVertices:
		return fmt.Errorf("%w: VertexColumns names columns of a list of vertices; set OnlyVertices to read one", errOptions)
	case o.header == headerNone && !numbered(o.edgeColumns()):
		return fmt.Errorf("%w: Graph.EdgeColumns has names in a header, but Header is \"none\"; of such a text name columns by number, from \"1\"", errOptions)
	case o.Weight != "" && !o.Graph.Weights:
		return fmt.Errorf("%w: Weight is %q, but Graph.Weights isn't set", errOptions, o.Weight)
	case o.Workers < 0:
		return fmt.Errorf("%w: Workers is %d", errOptions, o.Workers)
	case o.SkipLines < 0:
		return fmt.Errorf("%w: SkipLines is %d", errOptions, o.SkipLines)
	case o.Comment != 0 && (o.Comment == o.Separator || strings.IndexByte(" \t\n\r\"+-.,", o.Comment) >= 0),
		o.Comment >= 0x80, '0' <= o.Comment && o.Comment <= '9':
		return fmt.Errorf("%w: Comment can't be %q", errOptions, o.Comment)
	case o.MaxExpansion < 0:
		return fmt.Errorf("%w: MaxExpansion is %d; want a number above 0, or 0 for the default", errOptions, o.MaxExpansion)
	case strings.IndexByte("\n\r\"#%+-.", o.Separator) >= 0, o.Separator >= 0x80,
		'0' <= o.Separator && o.Separator <= '9':
		return fmt.Errorf("%w: Separator can't be %q", errOptions, o.Separator)
	}
	if o.comment = o.Comment; o.NoComments {
		o.comment = noComment
	}
	if o.MaxExpansion == 0 {
		o.MaxExpansion = maxExpansion
	}
	if o.MaxVertices == 0 {
		o.MaxVertices = declaredFreely
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
