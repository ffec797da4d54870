// This file holds EachID, which reads the ids of a table alone: seeds and targets of searches.

package dataset

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
)

// EachID is arrow.IDs.
func EachID(ctx context.Context, t VertexTable, o Options, yield func(id string) error) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	if yield == nil {
		return errNoYield()
	}
	stats, where := o.Stats, o.Where
	o = o.ofVertices(&t)
	o.Where, o.Workers, o.Vertices = where, 1, &t
	if err := o.check(); err != nil {
		return err
	}
	t.orFirst = true
	o.Vertices = nil
	p, err := openPart(ctx, t.Paths, o)
	if err != nil {
		return err
	}
	p.settle(p.form)
	err = p.batches(ctx, func(s *slot) error {
		n := len(s.batch.Src)
		if s.batch.SrcStrings != nil {
			n = s.batch.SrcStrings.Len()
		}
		for i := range n {
			if err := yield(idText(s, i)); err != nil {
				return err
			}
		}
		return nil
	}, 0, p.rows())
	if stats != nil {
		*stats = p.Stats()
	}
	if err == nil && p.Stats().Rows == p.Stats().NullRows+p.Stats().RowsPassed+p.Stats().DeletedRows {
		return fmt.Errorf("%s: %w: there is no id", p.tables[0].Path, graph.ErrEmpty)
	}
	return err
}
