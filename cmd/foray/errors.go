// This file holds errors: those of usage, and how others are put to the user.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// usageError is a command line that is wrong whatever the input is.
type usageError struct {
	err error
	see string // the command whose help says more; empty means the one that ran
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// usageOf makes a condition that can't be parsed a wrong command line.
func usageOf(err error) error {
	var usage *usageError
	if errors.Is(err, arrow.ErrCondition) && !errors.As(err, &usage) {
		return &usageError{err: err}
	}
	return err
}

// needArgs makes the check that there are from lo to hi arguments; hi < 0
// means any number.
func needArgs(lo, hi int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < lo:
			return usagef("%s", what)
		case hi >= 0 && len(args) > hi:
			return usagef("%s, not %q", what, args[hi])
		}
		// From here on file:// addresses are replaced by their paths.
		for i := range args {
			var err error
			if args[i], err = location.Path(args[i]); err != nil {
				return &usageError{err: err}
			}
		}
		return nil
	}
}

// refusals are errors of data that is damaged or incomplete, so that no result of it would be right.
var refusals = []error{
	arrow.ErrDamaged, arrow.ErrNull, edgelist.ErrDamaged, edgelist.ErrSyntax, graph.ErrMalformed, limit.Err,
}

// refusedData reports whether an error is that the data was refused.
func refusedData(err error) bool {
	if errors.Is(err, arrow.ErrSnapshot) && errors.Is(err, fs.ErrNotExist) { // a file of a table is missing
		return true
	}
	return slices.ContainsFunc(refusals, func(kind error) bool { return errors.Is(err, kind) })
}

// hinted is an error with what the user can do about it.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hinted) Unwrap() error { return e.err }

func hint(err error, format string, args ...any) error {
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// explain puts an error of the libraries in terms of the command line.
func explain(err error) error {
	var h *hinted
	var written *atomicfile.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &h), errors.As(err, &written), errors.Is(err, arrow.ErrSnapshot):
	case errors.As(err, &path) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)):
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return err
}

// flagNames puts the libraries' options in terms of flags. At each place of a
// message the first that fits is taken.
var flagNames = strings.NewReplacer(
	"bad option: bfs: graph: bad option: ", "bad option: ", "bad option: dobfs: graph: bad option: ", "bad option: ",
	": graph: ", ": ", ": gen: ", ": ", ": arrow: ", ": ", ": edgelist: ", ": ", ": graphar: ", ": ",
	", which package graphar reads; name that file", "; name that file instead",
	"build the graph with its reverse, or use bfs", "convert the edges again, without --reverse=false, or search with --algo bfs",
	"build the graph with its reverse (graph.Options.Reverse)", "convert the edges again, without --reverse=false",
	"the graph has no reverse (graph.Options.Reverse)", "the graph has no reverse; convert the edges again, without --reverse=false",
	"use a Builder, or set Options.WeightType to WeightsFloat32", "leave out --two-pass, or give --weight-type float32",
	"Weighted needs an undirected graph without duplicate edges and self-loops: build it so", "--weighted needs an undirected graph without self-loops: leave out --directed and --keep-self-loops",
	"Coordinates.Scale is", "--scale is",
	"or ask for it to be overwritten", "or replace it with --overwrite",
	"; partition by another column, or let WriteOptions.MaxPartitions be more", "; partition by another column",
	"set WriteOptions.VertexNumbers to write", "--vertex-numbers writes",
	"set Options.SkipNulls to leave such edges out", "--nulls skip leaves such edges out",
	"set Options.SkipNulls to leave such rows out", "--nulls skip leaves such rows out",
	"set Options.ColumnTypes to read it as", "write the input to a file, which is read as", "Options.ColumnTypes has", "the graph's columns have",
	`set Options.IDs to "uint64" or "string"`, "set --ids to uint64 or string",
	`set Options.IDs to "string"`, "set --ids to string",
	`set Options.IDs to "binary"`, "set --ids to binary",
	"package edgelist reads JSON lines, an object per edge, by the name .jsonl", "--input-format jsonl reads JSON lines, an object per edge",
	"package edgelist reads text and other formats", "set --input-format to one of "+textFormatList,
	"set Options.Ragged to ignore", "--ragged ignores",
	"set Options.Separator to", "give --separator", "or to '\\t' if a tab does", "or tab if a tab does", "set Options.Comment to", "give --comment", "Options.Comment", "--comment",
	`set Options.Format to "jsonl"`, "--input-format jsonl reads it",
	"set Options.Format", "--input-format tells",
	"set Options.Graph.Directed", "set --directed",
	`set Options.Header to "first" or, if it is an edge, to "none"`, "pass --header true if it is one, --header false if it is an edge",
	`or, if the line is an edge, set Options.Header to "none"`, "or, if the line is an edge, set --header false",
	`or, if the line is a vertex, set Options.Header to "none"`, "or, if the line is a vertex, set --header false",
	"name one of them in Options.Edge", "--edge names one of them",
	"Options.IndexIDs asks for", "--ids dense asks for", "Options.IndexIDs takes their numbers", "--ids dense takes GraphAr's own numbers",
	"build without DenseIDs", "leave out --ids dense",
	"OpenGraph opens it", "name it alone, and in a store let its name end in .foray",
	"Load makes a graph of its edges, WriteGraph prepares it", "foray convert prepares its edges; --input-format arrow reads it",
	"Load makes a graph of it, WriteGraph prepares it", "foray convert prepares its edges; --input-format parquet reads it",
	"even TwoPass", "even --two-pass", "with OrderGiven needs", "with --order given takes", "TwoPass needs", "--two-pass takes",
	"even OrderGiven needs", "even --order given takes", "OrderGiven needs", "--order given takes",
	"a Builder needs", "without --two-pass it takes", "a Builder with OrderGiven needs", "--order given without --two-pass takes",
	"leave out Snapshot and AsOf", "leave out --snapshot and --as-of", "there are several tables, which have snapshots of their own; read them by OpenTables, or as of a time", "there are several tables, each with its own snapshots; pass the others with --edges, or read all with --as-of",
	": Snapshot is ", ": --snapshot is ", "leave out Since", "leave out --since",
	"set Options.UnionByName to read it as null in", "--union-by-name reads it as null in",
	"WriteOptions.VertexColumn renames", "--vertex-column renames", "rename the other, or set WriteOptions.VertexColumn", "give --vertex-column another name",
	"set Options.FollowLinks", "give --follow-links", "set Options.AllowOutside", "give --allow-outside",
	"S3Options.MaxObjects", "--limits objects=N", "Options.MaxFooter", "--limits footer=SIZE", "Options.MaxExpansion", "--limits expansion=N", "Options.MaxMetadata", "--limits metadata=SIZE",
	"raise the limit, Options.MaxVertices", "--limits vertices=N raises the limit",
	"S3Options.MinRate sets", "--limits rate=N sets",
	"Options.SkipLines", "--skip-lines", "Options.Initial", "--initial",
	"Options.Where", "--where", "Options.Source", "--src", "Options.Target", "--dst",
	"set VertexTable.SkipUnknown to leave such rows out", "--unknown-vertices skip leaves such rows out",
	"build the graph with Options.Vertices, which adds all of the table", "convert its edges with --vertices, which adds all of the table, to prepare another graph",
	"name one property in Options.VertexID", "--vertex-id names one property", "Options.VertexID", "--vertex-id", "Options.Properties", "--properties",
	"Options.Vertices.ID", "--vertex-id", "Options.Vertices.Properties", "--properties", "Options.Bipartite with kinds", "--separate-ids with kinds", "Options.Bipartite with DenseIDs", "--separate-ids with --ids dense or a generated graph",
	"set Options.Graph.WeightType to WeightsFloat64", "give --weight-type float64", "set Options.WeightType to WeightsFloat64", "give --weight-type float64",
	"leave Options.Graph.WeightType at WeightsAuto", "leave --weight-type out", "leave Options.WeightType at WeightsAuto", "leave --weight-type out",
	"set Options.WeightType to WeightsFloat32", "give --weight-type float32", "set Options.Limit, or load the weights as floats (graph.Options.WeightType)", "give --limit, or --weight-type float64",
	"set Options.Limit, or leave out Options.Float32 and graph.WeightsFloat32", "give --limit, or leave --weight-type float32 out", "set Options.Limit, or scale the weights down before loading", "give --limit, or scale the weights down before loading",
	"set Options.Limit, or ", "give --limit, or ", "leave out Options.Float32 and graph.WeightsFloat32", "leave --weight-type float32 out",
	"; use Options.Combine for weights", "; --combine is for weights",
	"load the graph with graph.WeightsFloat32", "give --weight-type float32", "(graph.WeightsFloat32)", "(--weight-type float32)",
	"nothing says whose columns count; set Options.Merge, Options.Fold for all columns, or KeepDuplicates to keep all edges", "nothing says whose columns count; give --merge first, least:COLUMN, greatest:COLUMN or keep",
	"load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", "give --weights, or --weight COLUMN",
	"build it with graph.Options.Directed", "give --directed, or convert the edges again with it",
	"want one of EdgeColumns", "want one of --edge-columns", "Options.Combine is ", "--combine is ",
	"TwoPass doesn't hold the edges, and so no edge columns; use a Builder, or clear arrow.Options.TwoPass", "--two-pass holds no edge columns; leave it out",
	"load it with arrow.Options.VertexColumns, or call AddVertexColumns", "convert its edges with --vertices and --vertex-columns",
	"name that table in Options.Vertices", "name that table in --vertices", "Options.VertexColumns", "--vertex-columns",
	"Options.Expression", "--expand", "Options.Graph.EdgeColumns", "--edge-columns", "Options.EdgeColumns", "--edge-columns", "Options.MergeBy", "--merge", "Options.Merge", "--merge",
	"Options.EdgeID", "--edge-id", "Options.Weights", "--weights", "Options.Weight", "--weight",
	": PartitionBy ", ": --partition-by ",
	"Options.MemoryLimit", "--memory-limit", "Options.Workers", "--workers", "TwoPass", "--two-pass", "OrderGiven", "--order given",
)

// packages are the prefixes of errors that say which package they come from.
var packages = []string{"arrow: ", "edgelist: ", "graphar: ", "graph: ", "gen: ", "bfs: ", "dobfs: ", "bench: ", "comm: "}

// oneLine is the error's text in terms of the command line, without line breaks
// and without the name of the package that it comes from.
func oneLine(err error) string {
	s := strings.TrimSpace(err.Error())
	// In which call of a communicator it was matters where ranks make different ones.
	if failed := (*comm.Error)(nil); errors.As(err, &failed) && failed.Call != "" && !errors.Is(err, comm.ErrMismatch) {
		s = strings.Replace(s, ", in "+failed.Call+": ", ": ", 1)
	}
	for again := true; again; { // bfs: graph: bad option
		again = false
		for _, p := range packages {
			var cut bool
			s, cut = strings.CutPrefix(s, p)
			again = again || cut
		}
	}
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return text.Escape(location.Redact(flagNames.Replace(strings.Join(lines, "; "))))
}

// oneLine returns the error's line. It names the flag or the line of the configuration file that a setting comes from,
// instead of the variable of the environment that the run set.
func (a *app) oneLine(err error) string {
	s := oneLine(err)
	if a.origins != nil {
		s = a.origins.Replace(s)
	}
	return s
}

// note writes a line to standard error.
func (a *app) note(format string, args ...any) error {
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintf(a.stderr, "foray: %s\n", text.Escape(location.Redact(fmt.Sprintf(format, args...))))
	return err
}

// checkOutput makes sure that a file can be written before work is put into
// its contents. What isn't a plain file is left alone.
func checkOutput(path string) error {
	if path == "" || path == "-" || inStore(path) {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	f, err := atomicfile.Create(context.Background(), path) // not a pipe, so it doesn't wait
	if err != nil {
		return err
	}
	f.Abort()
	return nil
}
