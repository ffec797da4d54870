// This file holds the flags that say how inputs are read.

package main

import (
	"github.com/spf13/pflag"

	"github.com/foray-graph/foray/graph"
)

// inputFlags say how inputs are read and what graph is built of them.
type inputFlags struct {
	src, dst    string
	appendTo    string     // the graph to which edges are added or of which they are taken away, whose properties the flags have then
	idsLike     *graph.IDs // of that graph
	where       string
	snapshot    string
	asOf        timeFlag
	since       string // set by commands that can use it
	tableID     string // that the table has to have which since is of
	ids         *enum
	nulls       *enum
	union       bool
	inFormat    *enum
	directed    bool
	loops       bool
	combine     *enum
	tellsEdges  bool // which edges the graph has by default is said; set by commands that run algorithms
	searches    bool // the algorithm determines which graph it takes by default
	order       *enum
	memory      size
	gpuMemory   size   // set by commands that have --device
	left        uint64 // what loading may take of it; see boundMemory
	twoPass     bool
	ragged      bool
	header      *enum
	separator   separator
	comment     comment
	workers     positive
	skipLines   positive
	trust       bool
	limits      limits
	links       bool
	outside     bool
	outputs     []string // that are written, to be compared with what was opened
	part        int      // of parts that processes read; set where there are several
	parts       int
	edge        string            // of GraphAr
	weights     bool              // set by commands that can use them
	weightCol   string            // likewise
	weightType  *enum             // likewise
	edgeIDs     bool              // likewise
	edgeIDCol   string            // likewise
	edgeCols    string            // likewise: columns of edges
	columnTypes map[string]string // likewise: the types of edgeCols in texts, if edges are appended
	merge       string            // likewise
	vertexCols  string            // likewise: columns of vertices
	reads       []string          // columns of edges that the algorithm reads
	edgeWhere   string            // likewise: a condition on columns of edges
	columnsOf   string            // the graph to append to, if its edges have columns
	emptyToo    bool              // an input without rows is a graph without vertices; set by commands that search none
	idsOf       string            // the graph to append to, if it has edge ids and no flag sets the ids of new edges
	tableFlags

	flags *pflag.FlagSet // those of group
	all   *pflag.FlagSet // the command's; set by commands that run several algorithms
}

// given reports whether a flag of the group stands on the command line.
func (f *inputFlags) given(name string) bool { return f.flags != nil && f.flags.Changed(name) }

// group returns the flags.
func (f *inputFlags) group() flagGroup {
	g := newGroup(titleInput)
	f.flags = g.flags
	f.ids = newEnum("TYPE", "auto", "dense", "int64", "uint64", "string", "binary")
	f.nulls = newEnum("error|skip", "error", "skip")
	f.order = newEnum("ORDER", "auto", "degree", "given")
	f.inFormat = newEnum("FORMAT", inputFormats...)
	g.flags.StringVar(&f.src, "src", "", "`COLUMN` of the edges' sources, of Parquet, Arrow, JSON lines and text with a header (default src, source or from); in Parquet and Arrow also several, as in tenant,user, or with a kind of vertices, COLUMN:KIND, as in user:u; vertices are then named kind:id, and src:{kind_column} takes the kind of each row from a column")
	g.flags.StringVar(&f.dst, "dst", "", "`COLUMN` of the edges' targets (default dst, target or to); with a kind if --src has one")
	g.flags.StringVar(&f.where, "where", "", "Parquet, Arrow and GraphAr: only edges that meet this `CONDITION`, such as \"amount >= 100 and type in ('follow', 'like') and year = 2025\"")
	g.flags.StringVar(&f.snapshot, "snapshot", "", "tables of Iceberg and Delta Lake: the `SNAPSHOT` to read, a version of Delta Lake or an id, branch or tag of Iceberg (default the current one)")
	g.flags.Var(&f.asOf, "as-of", "tables of Iceberg and Delta Lake: read the snapshot that was current at this `TIME`, such as 2025-03-01 or 2025-03-01T15:04:05Z (UTC if there is no zone)")
	f.tableFlags.add(g)
	g.flags.BoolVar(&f.directed, "directed", false, "edges are directed")
	f.addParallel(g)
	g.flags.Var(f.ids, "ids", "type of ids: dense (0 to n-1, so that no map is needed; 1 to n in formats that count from 1; in GraphAr its own numbers) or, in text, int64, uint64, string or binary; auto detects the type from the file")
	g.flags.Var(f.nulls, "nulls", "what to do with edges that lack an id or a weight (of Parquet, Arrow and GraphAr) or a value of a column that is read")
	g.flags.Var(f.inFormat, "input-format", "format of files whose extension doesn't determine it: parquet, arrow, text, csv, tsv, jsonl, mtx, gr, metis, sg or wsg")
	g.flags.BoolVar(&f.union, "union-by-name", false, "Parquet and Arrow: a column that some files of a PATH lack is null in those files (default: it is an error); see --nulls")
	f.header = newEnum("auto|true|false", "auto", "true", "false")
	g.flags.Var(f.header, "header", "text: whether the first line names the columns; auto detects it")
	g.flags.Var(&f.separator, "separator", "text: column separator: one character, or space (any white space), tab or comma (default tab for .tsv, else detected from the first line)")
	g.flags.Var(&f.comment, "comment", "text: the character that starts comments, or none; also in lists of ids (default # and % if white space separates columns and there is no header, or if the first line is such a comment; none in .csv and .tsv)")
	g.flags.Var(&f.skipLines, "skip-lines", "text: skip the first N lines of each file")
	g.flags.BoolVar(&f.ragged, "ragged", false, "text: let lines have more or fewer columns than the first, and ignore columns that aren't needed")
	g.flags.Var(f.order, "order", "internal order of vertices: degree, given (by ascending id), or auto: by degree if degrees differ widely; .sg and .wsg keep their order")
	g.flags.Var(&f.memory, "memory-limit", "end, with what is needed where that is known, before the whole command takes more memory, such as 8GB or 8GiB (default: building takes what is free); a prepared graph that is mapped from a file doesn't count, its copy by --order does")
	g.flags.BoolVar(&f.twoPass, "two-pass", false, "read everything twice instead of holding the edges: takes about three times as long and up to a quarter less memory for fewer than some 30 million edges")
	g.flags.StringVar(&f.edge, "edge", "", "GraphAr: the `KIND` of edges, such as person_knows_person, or knows if it is unambiguous (default the only one)")
	g.flags.BoolVar(&f.trust, "trust", false, "prepared graphs: open without checking the arrays, in a millisecond; for files that were checked before: a search of a damaged graph may crash, be wrong, or never end")
	g.flags.BoolVar(&f.links, "follow-links", false, "follow symbolic links that lead out of a directory, a table or a pattern's base directory; by default they are an error")
	g.flags.BoolVar(&f.outside, "allow-outside", false, "tables and GraphAr: read files that the metadata names outside of the table's directory or bucket; by default they are an error")
	g.flags.Var(&f.limits, "limits", limitsUsage)
	g.flags.Var(&f.workers, "workers", "threads that read, build and, on the host, search; 0: one per CPU")
	return g
}

// inputFormats are the values of --input-format. Parquet and Arrow files are told apart by
// their content.
var inputFormats = []string{"auto", "parquet", "arrow", "feather", "ipc", "arrows", "text", "el", "csv", "tsv", "mtx", "gr", "sg", "wsg", "bin", "adj", "metis", "graph", "jsonl", "ndjson"}

// textFormatList lists the formats that can't be detected from a file's content.
const textFormatList = "text, csv, tsv, jsonl, mtx, gr, metis, sg or wsg"

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
		Directed: f.directed, DenseIDs: f.ids.value == "dense", Bipartite: f.separate,
		KeepSelfLoops: f.loops, Weights: f.weights, EdgeIDs: f.keepsEdgeIDs(), MemoryLimit: uint64(f.memory), Workers: int(f.workers),
	}
	if f.weightType != nil {
		o.WeightType, _ = graph.Parse[graph.WeightType](f.weightType.value)
	}
	o.Order, _ = graph.Parse[graph.Order](f.order.value) // the flag allows no other
	o.Combine, _ = f.combined()
	f.setColumns(&o)
	return o
}

// textIDs are the values of --ids that text files know; others read as auto.
var textIDs = map[string]string{
	"int64": "int64", "uint64": "uint64", "string": "string", "binary": "binary",
}
