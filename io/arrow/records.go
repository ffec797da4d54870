// This file reads edges from Arrow records, and returns results as such.

package arrow

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// LoadRecords builds a graph from the records of r, and doesn't release r. Options.Vertices names
// a table of vertices in files; call LoadProperties for its properties.
// Options.TwoPass is errors.ErrUnsupported, since records can be read only once. Inconsistent
// records, as from a damaged file, are an error, and a nil reader is
// graph.ErrOptions.
func LoadRecords(ctx context.Context, r array.RecordReader, o Options) (_ *graph.Graph, failed error) {
	defer shown(&failed)
	return dataset.LoadRecords(ctx, r, o.inside())
}

// RecordOptions say what records of a result are like. The zero value works.
type RecordOptions struct {
	// Allocator is where all memory of the records comes from; nil means
	// memory.DefaultAllocator. An allocator that panics, as one with a limit
	// may, ends the reader with an error; nothing is left allocated.
	Allocator memory.Allocator
	// BatchRows is the most rows that a record has; 0 means 65,536, and more
	// means the same.
	BatchRows int
	// MemoryLimit is how many bytes the values of one record take at most, give
	// or take bitmaps; records have fewer rows for it. A single row that takes
	// more is an error. 0 means 1 GiB a column.
	MemoryLimit uint64
	// ReachedOnly leaves out vertices that were not reached, as WriteOptions.ReachedOnly has it, and targets.
	ReachedOnly bool
	// Properties are columns of the graph's vertices, for Records; nil means none.
	Properties *Properties
	// Metadata goes into the schema as keys and values, all UTF-8.
	Metadata map[string]string
}

func (o *RecordOptions) inside() write.RecordOptions {
	return write.RecordOptions{Allocator: o.Allocator, BatchRows: o.BatchRows, MemoryLimit: o.MemoryLimit, ReachedOnly: o.ReachedOnly,
		Properties: o.Properties.inside(), Metadata: o.Metadata}
}

// Records returns the rows that Write writes as record batches, with the
// schema that its IPC files have. A record is the reader's until the next call
// of Next; retain it to keep it longer. The reader must be released.
//
// The graph and the values are only read. Values and results must not be closed before the
// reader is at its end; the graph is held until then (graph.Graph.Hold). ctx is looked at before every record; Err then has its
// error. Other errors are the same as for Write. The reader is for one goroutine at a
// time, except for Retain and Release.
func Records(ctx context.Context, g *graph.Graph, columns []Column, o RecordOptions) (_ array.RecordReader, failed error) {
	defer shown(&failed)
	r, err := write.ColumnRecords(ctx, g, insideColumnsOf(columns), o.inside())
	if err != nil {
		return nil, err
	}
	return reader{r}, nil
}

// PathRecords returns the rows that WritePaths writes as record batches, as
// Records does. RecordOptions.Properties must be nil.
func PathRecords(ctx context.Context, g *graph.Graph, r Result, targets []uint32, o RecordOptions) (_ array.RecordReader, failed error) {
	defer shown(&failed)
	records, err := write.PathRecords(ctx, g, r, targets, o.inside())
	if err != nil {
		return nil, err
	}
	return reader{records}, nil
}

// TableRecords returns the rows of a table, such as pairs of vertices or paths, as record batches, as Records does. The columns are those of
// NewColumn and NewListColumn, of the same number of rows; those of vertices become external ids. They are read until the reader is at its
// end. RecordOptions.Properties must be nil, and ReachedOnly false.
func TableRecords(ctx context.Context, g *graph.Graph, columns []Column, o RecordOptions) (_ array.RecordReader, failed error) {
	defer shown(&failed)
	records, err := write.TableRecords(ctx, g, insideColumnsOf(columns), o.inside())
	if err != nil {
		return nil, err
	}
	return reader{records}, nil
}

// EdgeRecords returns the rows that WriteEdges writes as record batches, as Records does. The columns are
// WriteOptions.EdgeColumns there, and may be none. RecordOptions.Properties must be nil; RecordOptions.ReachedOnly leaves
// out edges for which the first column has no value.
func EdgeRecords(ctx context.Context, g *graph.Graph, columns []Column, o RecordOptions) (_ array.RecordReader, failed error) {
	defer shown(&failed)
	records, err := write.EdgeRecords(ctx, g, insideColumnsOf(columns), o.inside())
	if err != nil {
		return nil, err
	}
	return reader{records}, nil
}
