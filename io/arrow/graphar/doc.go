// This file holds the package's documentation, and its errors.

// Package graphar reads graphs from directories in the format of Apache GraphAr:
// YAML files that say what there is, and Parquet or CSV files with chunks of
// vertices and edges.
//
//	loaded, err := graphar.Load(ctx, "ldbc/ldbc.graph.yml", graphar.Options{Edge: "person_knows_person"})
//	g := loaded.Graph
//
// The guide is [docs/loading.md].
//
// The path names the YAML file of a graph or of an edge type. One kind of edges is
// read, from one of its adjacency lists, ordered or not, by source or by target,
// one in Parquet before one in CSV, and an ordered one before others. External ids are the
// primary keys of the vertices, another property, or their numbers in GraphAr
// (Options.VertexID, Options.IndexIDs). Edges may lead from one kind of vertices to
// another; both are then vertices of the graph.
//
// Properties of edges are weights (Options.Weight), ids (Options.EdgeID) and what
// conditions compare (Options.Where); those of vertices go with results
// (Options.Properties, Loaded.Properties). The graph keeps those that Options.Graph.EdgeColumns and
// Options.VertexColumns name. Only the property groups that are
// asked for are read, and of those what a condition leaves.
//
// What the files say is compared: the number of vertices with the rows of their
// chunks, that of edges with theirs and with those of property groups, the
// numbers of vertices with the rows where they stand, the offsets of ordered
// lists with both, and types with columns. Chunks in ORC or JSON are errors.ErrUnsupported.
//
// Errors wrap the errors of packages arrow and graph: files that contradict themselves, GraphAr or each other are arrow.ErrDamaged,
// a kind of edges or ids that would have to be guessed are graph.ErrOptions, and a missing file is fs.ErrNotExist.
//
// The first row of a chunk in CSV names the columns, whose types the YAML file says:
// bool, int32, int64, float, double, string, date (2025-01-31) or timestamp
// (2025-01-31 15:04:05.123, in UTC where it names no zone). Values are separated by
// commas, and stand in double quotes where they have a comma, a quote, which is
// doubled, or a line end. A value without a character is null, but "" a string. Such
// a chunk is held in memory while it is read, and has at most 4 GiB.
//
// The format is described at https://graphar.apache.org/docs/specification/format,
// version 1, and of its C++ library where the specification doesn't say.
//
// [docs/loading.md]: https://github.com/foray-graph/foray/blob/main/docs/loading.md
package graphar

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/internal/errs"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// shown makes *err an error that callers know, as package arrow does.
func shown(err *error) {
	errs.Show(err, func(f input.FileError) error { return (*arrow.FileError)(&f) })
}

// The kinds of errors, which callers know by those of packages arrow and graph.
var (
	// errInfo: a YAML file that doesn't follow GraphAr, or that contradicts itself.
	errInfo error = &kind{"graphar: malformed information file", input.ErrDamaged}
	// errMismatch: files that contradict each other.
	errMismatch error = &kind{"graphar: files that don't fit together", input.ErrDamaged}
	// errEdge: a kind of edges that isn't there, or would have to be guessed.
	errEdge error = &kind{"graphar: which edges", graph.ErrOptions}
	// errIDs: properties that can't be the ids of a graph.
	errIDs error = &kind{"graphar: no ids", graph.ErrOptions}
)

// kind is an error with its own text.
type kind struct {
	text string
	is   error
}

func (k *kind) Error() string { return k.text }
func (k *kind) Unwrap() error { return k.is }

func unsupported(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", path, input.ErrUnsupported, fmt.Sprintf(format, args...))
}
