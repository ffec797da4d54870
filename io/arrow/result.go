// This file holds WriteResult, which writes what a traversal found.

package arrow

import (
	"context"
	"fmt"
	"reflect"

	"github.com/foray-graph/foray/graph"
)

// Result is what a traversal found, as slices over the graph's vertices by
// internal vertex id. The results of Foray's searches are Results.
//
// A Result may have a method Graph() *graph.Graph as well, as bfs.Result has: the
// graph that was searched, or nil where it doesn't know. It is then written with
// that very graph only; all else is ErrResult, also the same graph in another order,
// whose vertices have other numbers.
type Result interface {
	// Depths is the depth of every vertex, -1 where it was not reached, or nil
	// if the result has none.
	Depths() []int32
	// Parents is the parent of every vertex, graph.NoVertex where it has none,
	// or nil if the result has none.
	Parents() []uint32
}

// WriteResult writes a result to the path, or to standard output if the path
// is "-": one row per vertex, in ascending order of internal vertex id, with
// the columns
//
//   - vertex: the external id, in the type that the graph's ids have; or vertex_1,
//     vertex_2 and so on for the parts of ids of several columns; with separate
//     sides vertex_side comes first. The same goes for parent;
//   - depth: int32, missing where the vertex was not reached. Absent if the
//     result has no depths;
//   - parent: the parent's external id, missing where there is none. Absent if
//     the result has no parents;
//   - those of WriteOptions.Properties, by their own names.
//
// With WriteOptions.PartitionBy the path is a directory with a file for each
// value of a column.
//
// CSV has -1 for a missing depth and nothing for a missing parent, JSON lines
// have null for either; both have binary ids in hexadecimal. The file appears
// whole, in the place of one that was there before, or not at all.
//
// Errors wrap ErrResult, also for no graph and no result, which a nil pointer is
// too, ErrOutputFormat, ErrOutputOption, an error of package graph about ids, ctx's
// error, or the operating system's; at most one WriteOptions may be given. A graph
// that was closed is device.ErrClosed. g and r are only read.
func WriteResult(ctx context.Context, path string, g *graph.Graph, r Result, o ...WriteOptions) error {
	return writeResult(ctx, path, g, r, o, openOutput)
}

func writeResult(ctx context.Context, path string, g *graph.Graph, r Result, o []WriteOptions,
	open func(context.Context, *writeSpec) (output, error)) error {
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	rows, err := newResultRows(g, r, spec.ReachedOnly, spec.Properties)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.path, err)
	}
	defer rows.release()
	if spec.PartitionBy != "" {
		return writePartitions(ctx, spec, rows, open)
	}
	return writeRows(ctx, spec, rows, open)
}

// rowSource is rows that come in batches.
type rowSource interface {
	// columns says what columns there are.
	columns() []outField
	// next makes b the next batch, which may have no rows, and reports whether
	// there was one. What is in b is the source's, until the next call.
	next(ctx context.Context, b *outBatch) (bool, error)
	// release gives up what next holds on to.
	release()
}

// writeRows writes all rows to one file.
func writeRows(ctx context.Context, spec writeSpec, rows rowSource, open func(context.Context, *writeSpec) (output, error)) error {
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

// resultRows makes rows of a result.
type resultRows struct {
	ids         *graph.IDs
	depths      []int32
	parents     []uint32
	reachedOnly bool
	props       *properties // nil for none
	fields      []outField
	idColumns   int // that an id has
	batch       int // the most rows of one

	// of, where it isn't nil, are the vertices that have rows, in their order.
	of []uint32

	held func() // lets go of the graph

	at       int      // where the next batch begins, in of or among all
	vertices []uint32 // of the batch
	gathered []uint32 // their parents
}

// errNothing is a result of which there is nothing to write.
func errNothing() error { return fmt.Errorf("%w: it has neither depths nor parents", ErrResult) }

// isNil reports nothing, as an interface that is nil or has a nil pointer in it: a
// search that failed returns a *bfs.Result that is nil.
func isNil(x any) bool {
	v := reflect.ValueOf(x)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

func newResultRows(g *graph.Graph, result Result, reachedOnly bool, p Properties) (*resultRows, error) {
	if g == nil || isNil(result) {
		return nil, fmt.Errorf("%w: the graph or the result is nil", ErrResult)
	}
	held, err := g.Hold()
	if err != nil {
		return nil, err
	}
	r, err := resultRowsOf(g, result, reachedOnly, p)
	if err != nil {
		held()
		return nil, err
	}
	r.held = held
	return r, nil
}

// searchedOn reports a result of another graph, where it knows its own. The same
// number of vertices says nothing: those of a reordered graph have other numbers.
func searchedOn(g *graph.Graph, result Result) error {
	of, ok := result.(interface{ Graph() *graph.Graph })
	if !ok {
		return nil
	}
	if searched := of.Graph(); searched != nil && searched != g {
		return fmt.Errorf("%w: it is of another graph, or of the same one in another order; write it with the graph that was searched", ErrResult)
	}
	return nil
}

func resultRowsOf(g *graph.Graph, result Result, reachedOnly bool, p Properties) (*resultRows, error) {
	if err := searchedOn(g, result); err != nil {
		return nil, err
	}
	r := &resultRows{ids: g.IDs(), depths: result.Depths(), parents: result.Parents(), reachedOnly: reachedOnly, batch: batchRows}
	if failed, ok := result.(interface{ Err() error }); ok && failed.Err() != nil {
		return nil, fmt.Errorf("%w: %w", ErrResult, failed.Err())
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := r.setFields(r.depths != nil, r.parents != nil, p); err != nil {
		return nil, err
	}
	return r, nil
}

// setFields says what columns there are.
func (r *resultRows) setFields(depths, parents bool, p Properties) error {
	if err := belongs(p, r.ids); err != nil {
		return err
	}
	r.fields = idFields(r.ids, "vertex", false)
	r.idColumns = len(r.fields)
	if depths {
		r.fields = append(r.fields, outField{name: "depth", typ: depthType, optional: true, csvNull: "-1", repeats: true})
	}
	if parents {
		for _, f := range idFields(r.ids, "parent", true) {
			f.repeats = true
			r.fields = append(r.fields, f)
		}
	}
	if isNil(p) {
		return nil
	}
	var err error
	if r.props, err = newProperties(p, r.fields); err != nil {
		return err
	}
	r.fields = append(r.fields, r.props.fields...)
	return nil
}

// check reports what of the result doesn't belong to the graph.
func (r *resultRows) check() error {
	n := r.ids.Len
	if err := checkIDs(r.ids); err != nil {
		return err
	}
	if r.depths == nil && r.parents == nil {
		return errNothing()
	}
	if r.depths != nil && len(r.depths) != n {
		return fmt.Errorf("%w: %d depths for %d vertices; write it with the graph that was searched", ErrResult, len(r.depths), n)
	}
	if r.parents != nil && len(r.parents) != n {
		return fmt.Errorf("%w: %d parents for %d vertices; write it with the graph that was searched", ErrResult, len(r.parents), n)
	}
	for v, p := range r.parents {
		if p != graph.NoVertex && uint64(p) >= uint64(n) {
			return fmt.Errorf("%w: the parent of vertex %d is %d, of %d vertices; write it with the graph that was searched",
				ErrResult, v, p, n)
		}
	}
	for v, d := range r.depths {
		if d < -1 {
			return fmt.Errorf("%w: the depth of vertex %d is %d; it must be -1 or more", ErrResult, v, d)
		}
	}
	return nil
}

func (r *resultRows) columns() []outField { return r.fields }

func (r *resultRows) release() {
	if r.props != nil {
		r.props.release()
	}
	if r.held != nil { // else who made them holds the graph
		r.held()
	}
}

func (r *resultRows) next(ctx context.Context, b *outBatch) (bool, error) {
	if !r.take() {
		return false, nil
	}
	return true, r.fill(ctx, b)
}

// take makes the batch's vertices those that come next and are to be written,
// and reports whether any are left. It looks at a batch's worth of vertices at
// a time, so that a search for the few that were reached can be cancelled.
func (r *resultRows) take() bool {
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
		if !r.reachedOnly || r.reached(v) {
			r.vertices = append(r.vertices, v)
		}
	}
	return true
}

func (r *resultRows) reached(v uint32) bool {
	if r.depths != nil {
		return r.depths[v] >= 0
	}
	return r.parents[v] != graph.NoVertex
}

// fill makes the batch that of r.vertices.
func (r *resultRows) fill(ctx context.Context, b *outBatch) error {
	b.n = len(r.vertices)
	if err := fillIDs(b.cols[:r.idColumns], r.ids, r.vertices, false); err != nil {
		return err
	}
	next := r.idColumns
	if r.depths != nil {
		c := &b.cols[next]
		next++
		c.ints, c.valid = c.ints[:0], c.valid[:0]
		for _, v := range r.vertices {
			c.ints = append(c.ints, int64(r.depths[v]))
			c.valid = append(c.valid, r.depths[v] >= 0)
		}
	}
	if r.parents != nil {
		r.gathered = r.gathered[:0]
		for _, v := range r.vertices {
			r.gathered = append(r.gathered, r.parents[v])
		}
		if err := fillIDs(b.cols[next:next+r.idColumns], r.ids, r.gathered, true); err != nil {
			return err
		}
		next += r.idColumns
	}
	if r.props == nil || b.n == 0 {
		return nil
	}
	return r.props.fill(ctx, b.cols[next:], r.vertices)
}
