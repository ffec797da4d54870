// This file hands tables of any rows over as Arrow's record batches.

package write

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// TableRecords is arrow.TableRecords.
func TableRecords(ctx context.Context, g *graph.Graph, columns []ResultColumn, o RecordOptions) (array.RecordReader, error) {
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	switch {
	case g == nil:
		return nil, fmt.Errorf("no records: %w: the graph is nil", ErrResult)
	case o.ReachedOnly || !input.IsNil(o.Properties):
		return nil, fmt.Errorf("no records: %w: ReachedOnly and Properties are for rows of vertices", ErrOutputOption)
	}
	release, err := g.Hold()
	if err != nil {
		return nil, fmt.Errorf("no records: %w", err)
	}
	rows := &tableRows{tableWriter: tableWriter{ids: g.IDs(), like: columns}, let: release}
	if err = CheckIDs(rows.ids); err == nil {
		err = rows.setFields()
	}
	if err == nil {
		err = rows.take(columns)
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("no records: %w", err)
	}
	return newRecordReader(ctx, rows, o)
}

// tableRows are the rows of one batch.
type tableRows struct {
	tableWriter
	at  int    // the next row
	let func() // releases the graph; nil after that
}

func (t *tableRows) columns() []outField { return t.fields }

func (t *tableRows) next(_ context.Context, b *outBatch) (bool, error) {
	if t.at >= t.cols[0].values {
		return false, nil
	}
	lo := t.at
	t.at = t.cut(lo)
	return true, t.fill(b, lo, t.at)
}

func (t *tableRows) release() {
	if t.let != nil {
		t.let()
		t.let = nil
	}
}
