// This file holds what can be known to go wrong with a result before there is
// one: CheckOutput and CheckColumns.

package write

import (
	"context"
	"fmt"
	"os"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/s3"
)

// CheckOutput is arrow.Check without columns.
func CheckOutput(ctx context.Context, path string, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	s, err := newWriteSpec(path, o)
	switch {
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", path, err)
	case s.stdout:
		return nil
	case s.PartitionBy != "":
		return checkDirectory(ctx, &s)
	case s3.Is(path):
		c := s.S3.Client()
		defer c.Close()
		return c.CheckWrite(ctx, path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	f, err := atomicfile.Create(ctx, path) // not a pipe, so it doesn't wait
	if err != nil {
		return err
	}
	f.Abort()
	return nil
}

func checkDirectory(ctx context.Context, s *WriteSpec) error {
	d, err := openDirectory(ctx, s)
	if err != nil {
		return err
	}
	defer d.Abort()
	if p, ok := d.(*storeDir); ok {
		return p.Probe()
	}
	return nil
}

// CheckColumns is arrow.Check with columns.
func CheckColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	if err := checkColumns(ctx, path, g, columns, o); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

func checkColumns(ctx context.Context, path string, g *graph.Graph, cols []ResultColumn, o WriteOptions) error {
	switch {
	case g == nil:
		return fmt.Errorf("%w: the graph is nil", ErrResult)
	case len(cols) == 0:
		return errNoColumn()
	}
	held, err := g.Hold()
	if err != nil {
		return err
	}
	defer held()
	if err := belongs(o.Properties, g.IDs()); err != nil {
		return err
	}
	s, err := newWriteSpec(path, o)
	if err != nil {
		return err
	}
	ids := g.IDs()
	if err := CheckIDs(ids); err != nil {
		return err
	}
	for i := range cols {
		if err := cols[i].wrong(); err != nil {
			return err
		}
	}
	rows := &vertexRows{ids: ids, batch: batchRows, shape: s.shape()}
	if err := rows.setFields(cols); err != nil {
		return err
	}
	defer rows.release()
	if s.PartitionBy == "" {
		return nil
	}
	column, err := rows.partitionColumn(s.PartitionBy)
	if err != nil {
		return err
	}
	properties := len(rows.fields)
	if rows.props != nil {
		properties -= len(rows.props.fields)
	}
	if s.ReachedOnly || column >= rows.idColumns && column < properties {
		return nil // only the search knows the number
	}
	// The same rows, without what a search finds.
	rows = &vertexRows{ids: ids, batch: batchRows, shape: s.shape()}
	if err := rows.setFields(nil); err != nil {
		return err
	}
	defer rows.release()
	if column, err = rows.partitionColumn(s.PartitionBy); err != nil {
		return err
	}
	_, err = rows.partition(ctx, column, s.MaxPartitions, false)
	return err
}
