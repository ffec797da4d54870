// Package edgelist reads graphs from text edge lists, Matrix Market, DIMACS
// shortest-path, METIS, JSON lines, GAP serialized files and files of GBBS and PASGAL, plain or compressed by gzip,
// Zstandard or bzip2, and writes text edge lists, Matrix Market, GAP serialized files and files of GBBS and PASGAL.
//
// The guide is [docs/loading.md].
//
// Load builds a graph from a file; ReadFile and Read pass its edges on in batches. Several goroutines
// parse lines, fed by one that reads and decompresses. The whole file is never held in memory, and a size
// that a file claims isn't trusted before that many bytes have been read.
//
// # Text
//
// One edge a line: two ids, then, if requested, a weight; further columns are ignored unless they are named. All lines must
// have as many columns as the first edge, except that a third may be missing if no weights are requested.
// So lists of neighbors, which have a line per vertex, aren't mistaken for edges (but see
// Options.Ragged). Lines end in LF or CRLF; blank lines are skipped.
//
// Columns are separated by tabs if the name ends in .tsv or the first line has tabs, by commas if it has
// commas, else by runs of spaces, or as Options.Separator sets. Between tabs and commas a cell may be
// empty, which is an error in a column that is read. Such a cell may be in double quotes: it may then
// contain separators and line breaks, which are kept. An unclosed quote is an error.
//
// Lines that begin with # or % are comments in the texts that have them: those that begin with such a
// line, and those without a header whose columns white space separates. Files whose names end in .csv and
// .tsv have none. Options.Comment and NoComments override this, and Options.Comments counts comments.
//
// The type of ids is determined once, by Options.IDs or else by the first edge: if both its ids are
// decimal integers, all ids are int64, and any other id is an error; else all ids are strings.
//
// The first line is a header if Options.Header requires it or columns are named; or, by default, if its first
// two columns aren't both integers and either it has two usual column names such as src and dst, source
// and target or from and to, at any position, or the second line has integers or weights where the first
// has none. The edges are then in the columns of these names, or of those in Options.Source and
// Options.Target; or, of a header without such names, in the only two columns besides one named weight.
// An ambiguous header is refused (ErrFormat), and so is a first line of two words such as user,follows
// that may as well be an edge between strings, or that is the only line of a text that spaces don't
// separate, and holds no number. A text without a line is a graph without edges, as some programs write it, unless it
// has to have a header: that is ErrDamaged. Weights are in the column named Options.Weight or weight, else in the
// third.
//
// Weights are decimal numbers, or NaN, Inf and -Inf in any case of letters, as
// graph.Builder takes them and as Write writes them.
//
// # Matrix Market
//
// Coordinate matrices, square, of any field and symmetry: entry i, j is the
// edge from i to j. Ids are the file's, from 1. Of the symmetries other than
// general, the mirrored entries are added if the graph is directed (an
// undirected graph has both directions anyway). Explicit zeros are edges. The
// number of entries must be the one declared. The edges of a pattern have weight 1.
//
// The graph has all vertices that the size declares: 1 to n, also those that no entry names. A matrix
// without entries is a graph of n isolated vertices. With graph.Options.DenseIDs Load makes the same
// graph, without a vertex 0. Options.MaxVertices limits what a header may declare.
//
// # DIMACS
//
// Shortest-path files (.gr): ids are the file's, from 1, and the graph has all
// vertices that the file declares, as of a matrix; every arc has a weight. The number of
// arcs must be the one declared.
//
// # METIS
//
// Graphs of METIS (.metis, .graph): a line of neighbors per vertex, with the weights of edges and
// vertices that the header declares; weights of vertices aren't kept. Ids are the file's, from 1, and the
// graph has every vertex that has a line. Every edge stands in the lines of both its ends, as many as
// declared; it is passed on once, unless the graph is directed.
//
// # JSON lines
//
// An object per line (.jsonl, .ndjson), whose members named as a header's columns would be are the edge:
// those of the first object, or those in Options.Source, Target and Weight. Ids are integers, exact up to
// 64 bits, or strings, as in the first object; null is an error. Other members are ignored.
//
// # Weights
//
// A weight without point and exponent is an integer, exact up to 64 bits, another a float64. Where a graph has
// both, all are floats. Integers past 64 bits are an error unless Options.Graph.WeightType asks for floats. Those of
// a real matrix of Matrix Market are floats.
//
// # Columns of edges
//
// Options.Graph.EdgeColumns names columns of a text, or members of JSON lines, that the edges keep. Of a text without a header
// the columns are named by their numbers, from "1". A column has the narrowest type that holds all of its values:
//
//   - bool: true and false, in any case of letters, which become uint32, 1 and 0;
//   - int64: decimal digits, perhaps after a minus. Digits that begin with a zero, such as 007, and integers past 64 bits are
//     strings;
//   - float64: numbers with a point or an exponent, NaN, Inf and -Inf, and integers beside these;
//   - date32: dates such as 2026-01-31, as days since 1970;
//   - timestamp[us]: dates with a time such as 2026-01-31T12:30 or 2026-01-31 12:30:15.25, and dates beside these, as
//     microseconds since 1970; timestamp[ns] if a value has more digits. With a zone, such as Z or +02:00, in all values
//     they are timestamp[us,UTC];
//   - string: all else, and values of several types. In JSON lines numbers in quotes are strings.
//
// A cell without a character, null, and a member that an object lacks are missing values: NaN among floats, graph.NoCode among
// strings, and else ErrSyntax, unless Options.SkipNulls leaves out the row. A cell of two quotes is an empty string in a
// column of strings. A column without any value has strings.
//
// Options.ColumnTypes sets types, also int32, uint32, uint64, float32, date64, other units such as timestamp[ms], time[us],
// decimal(18,2), binary and uuid. Load reads a file again if a value doesn't have the type of the first rows; a pipe is read once.
//
// # GAP serialized graphs
//
// The GAP Benchmark Suite's .sg, and .wsg with weights: arrays of a graph, so
// that nothing is parsed. Ids are dense from 0, and isolated vertices stay.
//
// # GBBS and PASGAL
//
// Rows of a graph, as binary numbers (.bin) or as text (.adj), the latter with weights if its first word is
// WeightedAdjacencyGraph. Ids are dense from 0, and isolated vertices stay. A file doesn't say whether its graph is
// directed: where an undirected graph is wanted, and each edge has its opposite, each pair is one edge.
//
// # Vertices
//
// Text and JSON lines name vertices by their edges. Options.OnlyVertices reads a list of further
// ones, with or without edges. Vertices that a format declares, and those of a list, come in batches
// that have graph.Batch.Vertices set, which graph.Builder takes as it takes edges.
//
// [docs/loading.md]: https://github.com/foray-graph/foray/blob/main/docs/loading.md
package edgelist
