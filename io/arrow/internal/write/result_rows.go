// This file holds rows on their way out: those of vertices, with their ids and columns.

package write

import (
	"cmp"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// rowSource is rows that come in batches.
type rowSource interface {
	// columns lists the columns.
	columns() []outField
	// next makes b the next batch, which may have no rows, and reports whether there was one.
	// The source owns the contents of b, until the next call.
	next(ctx context.Context, b *outBatch) (bool, error)
	// release gives up what next holds on to.
	release()
}

// writeVertices writes rows of vertices to a file, or to those of a directory. It
// releases them.
func writeVertices(ctx context.Context, spec WriteSpec, rows *vertexRows, open func(context.Context, *WriteSpec) (Output, error)) error {
	defer rows.release()
	if spec.PartitionBy != "" {
		return writePartitions(ctx, spec, rows, open)
	}
	return writeRows(ctx, spec, rows, open)
}

// writeRows writes all rows to one file.
func writeRows(ctx context.Context, spec WriteSpec, rows rowSource, open func(context.Context, *WriteSpec) (Output, error)) error {
	w, err := newRowWriter(ctx, spec, open)
	if err != nil {
		return err
	}
	defer w.abort()
	return w.end(w.writeAll(rows))
}

// writeAll writes all rows.
func (r *rowWriter) writeAll(rows rowSource) error {
	fields := rows.columns()
	if err := r.begin(fields); err != nil {
		return err
	}
	b := outBatch{cols: make([]outColumn, len(fields))}
	for {
		if more, err := rows.next(r.ctx, &b); err != nil || !more {
			return err
		}
		if err := r.write(&b); err != nil {
			return err
		}
	}
}

// vertexRows makes rows of vertices.
type vertexRows struct {
	ids         *graph.IDs
	cols        []vertexColumn
	reachedOnly bool        // leaves out rows without a value in the first of cols
	props       *properties // nil for none
	fields      []outField
	idColumns   int // that an id has
	batch       int // the most rows of one

	shape rowShape

	// of, where it isn't nil, are the vertices that have rows, in their order.
	of []uint32

	held func() // lets go of the graph

	at       int      // where the next batch begins, in of or among all
	vertices []uint32 // of the batch
}

// rowShape is what WriteOptions say of rows of vertices.
type rowShape struct {
	reachedOnly, byID bool
	props             Properties
	few               []uint32 // the only vertices that have rows, in their order; nil: any
	vertex            string   // what the column of vertices is called, "vertex" if empty
}

// shape returns what the options say of rows.
func (o *WriteOptions) shape() rowShape {
	return rowShape{reachedOnly: o.ReachedOnly, byID: o.SortByID, props: o.Properties, vertex: o.VertexColumn}
}

// newVertexRows makes rows of a graph's vertices with the columns that make returns, which is
// called with their number while the graph is held. The rows hold it until release.
func newVertexRows(g *graph.Graph, shape rowShape, make func(n int) ([]ResultColumn, error)) (*vertexRows, error) {
	held, err := g.Hold()
	if err != nil {
		return nil, err
	}
	r, err := vertexRowsOf(g, shape, make)
	if err != nil {
		held()
		return nil, err
	}
	r.held = held
	return r, nil
}

func vertexRowsOf(g *graph.Graph, shape rowShape, make func(n int) ([]ResultColumn, error)) (*vertexRows, error) {
	r := &vertexRows{ids: g.IDs(), reachedOnly: shape.reachedOnly, shape: shape, batch: batchRows}
	if shape.byID {
		r.of = r.ids.ByID() // nil where they are in that order already
	}
	if shape.few != nil {
		r.of = shape.few
	}
	cols, err := make(r.ids.Len)
	if err != nil {
		return nil, err
	}
	if err := CheckIDs(r.ids); err != nil {
		return nil, err
	}
	if err := r.setFields(cols); err != nil {
		return nil, err
	}
	for i := range r.cols {
		if err := r.cols[i].check(r.ids.Len, shape.few); err != nil {
			return nil, err
		}
	}
	if shape.reachedOnly && r.cols[0].missing == nil {
		return nil, fmt.Errorf("%w: ReachedOnly leaves out vertices for which the first column has no value, "+
			"but all of %.100q count; give the value that stands for a missing one, or let another column be the first", ErrOutputOption, r.cols[0].name)
	}
	return r, nil
}

// setFields sets the columns.
func (r *vertexRows) setFields(cols []ResultColumn) error {
	p, name := r.shape.props, cmp.Or(r.shape.vertex, "vertex")
	if !utf8.ValidString(name) {
		return fmt.Errorf("%w: VertexColumn, %.100q, isn't UTF-8", ErrOutputOption, name)
	}
	if err := belongs(p, r.ids); err != nil {
		return err
	}
	r.fields = idFields(r.ids, name, false)
	r.idColumns = len(r.fields)
	for i := range cols {
		c, err := newVertexColumn(r.ids, &cols[i], i)
		if err != nil {
			return err
		}
		if err := c.checkNames(r.fields, r.idColumns); err != nil {
			return err
		}
		r.cols = append(r.cols, c)
		r.fields = append(r.fields, c.fields...)
	}
	if input.IsNil(p) {
		return nil
	}
	var err error
	if r.props, err = newProperties(p, r.fields); err != nil {
		return err
	}
	r.fields = append(r.fields, r.props.fields...)
	return nil
}

func (r *vertexRows) columns() []outField { return r.fields }

func (r *vertexRows) release() {
	if r.props != nil {
		r.props.release()
	}
	if r.held != nil { // else who made them holds the graph
		r.held()
	}
}

func (r *vertexRows) next(ctx context.Context, b *outBatch) (bool, error) {
	if !r.take() {
		return false, nil
	}
	return true, r.fill(ctx, b)
}

// take makes the batch's vertices those that come next and are to be written,
// and reports whether any are left. It looks at a batch's worth of vertices at
// a time, so that a search for the few that were reached can be canceled.
func (r *vertexRows) take() bool {
	n := r.ids.Len
	if r.of != nil {
		n = len(r.of)
	}
	if r.at >= n {
		return false
	}
	r.vertices = r.vertices[:0]
	end := min(r.at+r.batch, n)
	for ; r.at < end; r.at++ {
		v := uint32(r.at)
		if r.of != nil {
			v = r.of[r.at]
		}
		if !r.reachedOnly || !r.cols[0].missing(v) {
			r.vertices = append(r.vertices, v)
		}
	}
	return true
}

// fill makes the batch that of r.vertices.
func (r *vertexRows) fill(ctx context.Context, b *outBatch) error {
	b.n = len(r.vertices)
	if err := fillIDs(b.cols[:r.idColumns], r.ids, r.vertices, false); err != nil {
		return err
	}
	next := r.idColumns
	for i := range r.cols {
		c := &r.cols[i]
		if err := c.fill(b.cols[next:next+len(c.fields)], r.vertices); err != nil {
			return fmt.Errorf("column %.100q: %w", c.name, err)
		}
		next += len(c.fields)
	}
	if r.props == nil || b.n == 0 {
		return nil
	}
	return r.props.fill(ctx, b.cols[next:], r.vertices)
}
