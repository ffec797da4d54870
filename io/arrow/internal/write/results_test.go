// This file holds what tests of results call: the columns of a result are written, checked or handed over.

package write

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
)

// WriteResult writes the columns of a result.
func WriteResult(ctx context.Context, path string, g *graph.Graph, r Result, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	return writeResult(ctx, path, g, r, o, OpenOutput)
}

func writeResult(ctx context.Context, path string, g *graph.Graph, r Result, o WriteOptions,
	open func(context.Context, *WriteSpec) (Output, error)) error {
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	rows, err := newColumnRows(g, ResultColumns(r), spec.shape())
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	return writeVertices(ctx, spec, rows, open)
}

// CheckResult is CheckColumns for a result.
func CheckResult(ctx context.Context, path string, g *graph.Graph, depths, parents bool, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	var cols []ResultColumn
	if depths {
		cols = append(cols, depthColumn(nil))
	}
	if parents {
		cols = append(cols, parentColumn(nil))
	}
	if g != nil && len(cols) == 0 {
		return fmt.Errorf("cannot write %s: %w", path, errNothing())
	}
	return CheckColumns(ctx, path, g, cols, o)
}

// Records returns the records of a result.
func Records(ctx context.Context, g *graph.Graph, r Result, o RecordOptions) (array.RecordReader, error) {
	return ColumnRecords(ctx, g, ResultColumns(r), o)
}
