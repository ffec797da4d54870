// Package edgelist reads graphs from text edge lists, Matrix Market, DIMACS
// shortest-path, METIS, JSON lines and GAP serialised files, plain or compressed by gzip,
// Zstandard or bzip2, and writes text edge lists and GAP serialised files.
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
// line per vertex, are thus not taken for edges (but see Options.Ragged). Lines end in LF or
// CRLF; blank lines are skipped.
//
// Columns are separated by tabs if the name ends in .tsv or the first line has tabs, by commas
// if it has commas, else by runs of spaces, or as Options.Separator says. Between tabs and commas a
// cell may be empty, which is an error in a column that is read. There a column may stand in double
// quotes: it may then hold separators and line ends, which stay as they are. A quote that is left open is
// an error.
//
// Lines that begin with # or % are comments in the texts that have them: those that begin
// with such a line, and those without a header whose columns white space separates. Files whose
// names end in .csv and .tsv have none. Options.Comment says otherwise, and Options.Stats counts them.
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
// words such as user,follows that may as well be an edge between strings, or that is the only line of
// a text that spaces don't separate, and holds no number.
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
// number of entries must be the one declared. The edges of a pattern have weight 1.
//
// The graph has all vertices that the size declares: 1 to n, also those that no entry
// names. A matrix without entries is a graph of n isolated vertices. With
// graph.Options.DenseIDs Load makes the same graph, without a vertex 0. Options.MaxVertices
// bounds what a head may declare.
//
// # DIMACS
//
// Shortest-path files (.gr): ids are the file's, from 1, and the graph has all
// vertices that the file declares, as of a matrix; every arc has a weight. The number of
// arcs must be the one declared.
//
// # METIS
//
// Graphs of METIS (.metis, .graph): a line of neighbours per vertex, with the weights of
// edges and vertices that the head declares; those of vertices aren't kept. Ids are the
// file's, from 1, and the graph has every vertex that has a line. Every edge stands in
// the lines of both its ends, as many as declared; it is passed on once, unless the
// graph is directed.
//
// # JSON lines
//
// An object per line (.jsonl, .ndjson), whose members named as a header's columns would
// be are the edge: those of the first object, or those in Options.Source, Target and
// Weight. Ids are integers, exact up to 64 bits, or strings, as in the first object;
// null is an error. Other members are not looked at.
//
// # Weights
//
// A weight without point and exponent is an integer, exact up to 64 bits, another a float64. Where a graph has
// both, all are floats. Integers past 64 bits are an error unless Options.Graph.WeightType asks for floats. Those of
// a real matrix of Matrix Market are floats.
//
// # GAP serialised graphs
//
// The GAP Benchmark Suite's .sg, and .wsg with weights: arrays of a graph, so
// that nothing is parsed. Ids are dense from 0, and isolated vertices stay.
//
// # Vertices
//
// Text and JSON lines name vertices by their edges. ReadVertices reads a list of further
// ones, with or without edges. Vertices that a format declares, and those of a list, come in batches
// that have graph.Batch.Vertices set, which graph.Builder takes as it takes edges.
package edgelist
