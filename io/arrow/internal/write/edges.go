// This file holds WriteEdges, which writes the edges of a graph, and
// WriteEdgeBatches, which writes edges that no graph was made of.

package write

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// The columns of edges.
const (
	sourceColumn = "src"
	targetColumn = "dst"
	weightColumn = "weight"
	edgeIDColumn = "edge_id"
)

// WriteEdges is arrow.WriteEdges.
func WriteEdges(ctx context.Context, path string, g *graph.Graph, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	results := o.EdgeColumns
	o.EdgeColumns = nil
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the edges: %w", err)
	}
	if err := spec.checkPlain("edges"); err != nil {
		return err
	}
	rows, err := newEdgeRows(g, results, o.ReachedOnly)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	defer rows.release()
	return writeRows(ctx, spec, rows, OpenOutput)
}

// EdgeRecords is arrow.EdgeRecords.
func EdgeRecords(ctx context.Context, g *graph.Graph, columns []ResultColumn, o RecordOptions) (array.RecordReader, error) {
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if !input.IsNil(o.Properties) {
		return nil, fmt.Errorf("no records: %w: Properties are for results, not for edges", ErrOutputOption)
	}
	rows, err := newEdgeRows(g, columns, o.ReachedOnly)
	if err != nil {
		return nil, fmt.Errorf("no records: %w", err)
	}
	return newRecordReader(ctx, rows, o)
}

// edgeRows makes rows of the edges of a graph, with the results of each.
type edgeRows struct {
	g           *graph.Graph
	out         *graph.CSR
	fields      []outField
	columnsOf   []edgeColumn
	results     []edgeResult
	first       int // the first of columnsOf among the fields
	behind      int // the first of results
	reachedOnly bool
	directed    bool
	sided       *graph.IDs // of sources and targets that are separate, else nil
	fromHigher  bool       // an undirected edge is written where the row of its higher vertex has it
	held        func()     // lets go of the graph

	u        uint32 // the next row, and the next entry
	at       uint64
	src, dst []uint32
	entries  []uint64 // in the CSR, where there are results
}

func newEdgeRows(g *graph.Graph, columnsOf []ResultColumn, reachedOnly bool) (_ *edgeRows, err error) {
	if g == nil {
		return nil, fmt.Errorf("%w: the graph is nil", graph.ErrMalformed)
	}
	release, err := g.Hold()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	if err := g.Fetch(); err != nil {
		return nil, err
	}
	ids := g.IDs()
	if err := CheckIDs(ids); err != nil {
		return nil, err
	}
	r := &edgeRows{g: g, out: g.Out(), held: release, reachedOnly: reachedOnly, directed: g.Directed()}
	if ids.Sides != nil {
		r.sided = ids
	}
	r.fields = edgeFields(ids, g.WeightType(), r.out.EdgeIDs != nil)
	r.first = len(r.fields)
	if r.columnsOf, err = edgeColumns(g, r.fields); err != nil {
		return nil, err
	}
	for i := range r.columnsOf {
		r.fields = append(r.fields, r.columnsOf[i].field)
	}
	r.behind = len(r.fields)
	if r.results, err = edgeResults(g, columnsOf, r.fields); err != nil {
		return nil, err
	}
	for i := range r.results {
		r.fields = append(r.fields, r.results[i].fields...)
	}
	// Results belong to the direction of an undirected edge that isn't written without them.
	r.fromHigher = len(r.results) > 0 && !g.Directed() && ids.Sides == nil
	return r, nil
}

func (r *edgeRows) columns() []outField { return r.fields }

func (r *edgeRows) release() {
	if r.held != nil {
		r.held()
		r.held = nil
	}
}

// other reports that an entry is the direction of an undirected edge that isn't written.
func (r *edgeRows) other(u, v uint32) bool {
	switch {
	case r.directed:
		return false
	case r.sided != nil:
		return r.sided.Side(u) == graph.Target
	case r.fromHigher:
		return u < v
	}
	return v < u
}

// higher reports that the external id of u comes after that of v, as graph.IDs.ByID says. The graph is held.
func higher(ids *graph.IDs, u, v uint32) bool {
	switch {
	case ids.Dense():
		return u > v
	case ids.StringOffsets != nil:
		return bytes.Compare(ids.Data[ids.StringOffsets[u]:ids.StringOffsets[u+1]], ids.Data[ids.StringOffsets[v]:ids.StringOffsets[v+1]]) > 0
	case ids.Dense32 != nil:
		return ids.Dense32[u] > ids.Dense32[v]
	case ids.Type.Signed():
		return ids.Ints[u] > ids.Ints[v]
	}
	return uint64(ids.Ints[u]) > uint64(ids.Ints[v])
}

func (r *edgeRows) next(ctx context.Context, b *outBatch) (bool, error) {
	r.src, r.dst, r.entries = r.src[:0], r.dst[:0], r.entries[:0]
	for i := range b.cols[:r.behind] {
		b.cols[i].reset()
	}
	ids, numbered := r.g.IDs(), r.out.EdgeIDs != nil
	at := len(idFields(ids, "", false))
	var weights *outColumn
	if r.out.Weights != nil {
		weights = &b.cols[2*at]
	}
	for ; r.u < uint32(r.out.NumVertices()) && len(r.src) < batchRows; r.at++ {
		if r.at == r.out.Offsets[r.u+1] {
			r.u++
			r.at--
			continue
		}
		if r.at%batchRows == 0 && ctx.Err() != nil { // many entries may be the other direction
			return false, ctx.Err()
		}
		u, v := r.u, r.out.Targets[r.at]
		if r.other(u, v) || r.reachedOnly && len(r.results) > 0 && r.results[0].missing(r.at) {
			continue
		}
		if !r.directed && r.sided == nil && higher(ids, u, v) { // whatever the numbering is
			u, v = v, u
		}
		r.src, r.dst = append(r.src, u), append(r.dst, v)
		if len(r.results) > 0 {
			r.entries = append(r.entries, r.at)
		}
		if weights != nil {
			weights.addWeight(r.out, r.g.WeightType(), r.at)
		}
		if numbered {
			b.cols[r.first-1].ints = append(b.cols[r.first-1].ints, int64(r.out.EdgeIDs[r.at]))
		}
		for k := range r.columnsOf {
			r.columnsOf[k].add(&b.cols[r.first+k], r.at)
		}
	}
	if b.n = len(r.src); b.n == 0 {
		return false, nil
	}
	if err := fillIDs(b.cols[:at], ids, r.src, false); err != nil {
		return false, err
	}
	if err := fillIDs(b.cols[at:2*at], ids, r.dst, false); err != nil {
		return false, err
	}
	for i := range r.columnsOf {
		if err := r.columnsOf[i].check(&b.cols[r.first+i]); err != nil {
			return false, err
		}
	}
	to := b.cols[r.behind:]
	for i := range r.results {
		n := len(r.results[i].fields)
		if err := r.results[i].fill(to[:n], r.entries); err != nil {
			return false, err
		}
		to = to[n:]
	}
	return true, nil
}

// edgeFields are the columns of edges.
func edgeFields(m *graph.IDs, weights graph.WeightType, numbered bool) []outField {
	fields := append(idFields(m, sourceColumn, false), idFields(m, targetColumn, false)...)
	for i := range fields {
		fields[i].noNUL = true
	}
	if weights != graph.WeightsAuto {
		fields = append(fields, outField{name: weightColumn, typ: weightTypeOf(weights)})
	}
	if numbered {
		fields = append(fields, outField{name: edgeIDColumn, typ: idType(graph.Uint64)})
	}
	return fields
}

// WriteEdgeBatches is arrow.WriteBatches.
func WriteEdgeBatches(ctx context.Context, path string,
	read func(ctx context.Context, yield func(graph.Batch) error) error, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the edges: %w", err)
	}
	if err := spec.checkPlain("edges"); err != nil {
		return err
	}
	if read == nil {
		return fmt.Errorf("cannot write %s: %w: there is no function to read them from (nil)", spec.Path, ErrEdgeBatch)
	}
	w, err := newRowWriter(ctx, spec, OpenOutput)
	if err != nil {
		return err
	}
	defer w.abort()
	e := edgeBatches{w: w}
	err = read(ctx, e.yield)
	e.mu.Lock() // a reader that leaves goroutines behind can't write any more
	defer e.mu.Unlock()
	switch {
	case e.err != nil && !errors.Is(err, e.err):
		err = e.err
	case e.err == nil && err != nil && ctx.Err() == nil:
		return err // the input's fault, whose error names it
	}
	if err == nil && !e.begun {
		err = w.begin(edgeFields(&graph.IDs{Type: e.typ, Logical: e.logical}, e.weights, e.numbered))
	}
	e.err = fmt.Errorf("%w: yield was called after read had returned", ErrEdgeBatch)
	return w.end(err)
}

// edgeBatches writes batches as they come.
type edgeBatches struct {
	mu       sync.Mutex
	w        *rowWriter
	begun    bool
	typ      graph.IDType
	logical  string
	weights  graph.WeightType
	numbered bool // edges have ids
	out      outBatch
	err      error // the first one; all later calls return it
}

func (e *edgeBatches) yield(b graph.Batch) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = e.write(&b)
	}
	return e.err
}

func (e *edgeBatches) write(b *graph.Batch) error {
	n, typ, err := edgeBatchShape(b)
	if err != nil {
		return err
	}
	if len(b.Columns) > 0 {
		return fmt.Errorf("%w: a batch has edge columns, which aren't written from batches; build a graph, and write it by WriteEdges", ErrEdgeBatch)
	}
	if n == 0 {
		if !e.begun {
			e.logical = b.Logical
			e.typ, e.weights, e.numbered = typ, batchWeights(b), b.EdgeIDs != nil // if nothing else comes
		}
		return nil
	}
	if !e.begun {
		e.begun, e.typ, e.logical, e.weights, e.numbered = true, typ, b.Logical, batchWeights(b), b.EdgeIDs != nil
		fields := edgeFields(&graph.IDs{Type: typ, Logical: b.Logical}, e.weights, e.numbered)
		e.out.cols = make([]outColumn, len(fields))
		if err := e.w.begin(fields); err != nil {
			return err
		}
	}
	if typ != e.typ || b.Logical != e.logical {
		return fmt.Errorf("%w: a batch of %s ids after one of %s ids; convert one of them, since all edges of a file have ids of one type", graph.ErrIDType,
			cmp.Or(b.Logical, typ.String()), cmp.Or(e.logical, e.typ.String()))
	}
	if b.Weighted() != (e.weights != graph.WeightsAuto) {
		return fmt.Errorf("%w: some batches have weights and some have none", ErrEdgeBatch)
	}
	if t := batchWeights(b); t != e.weights && e.weights != graph.WeightsFloat64 {
		return fmt.Errorf("%w: %w: a batch has weights of %v after one of %v; give all as FloatWeights", ErrEdgeBatch, graph.ErrWeights, t, e.weights)
	}
	if (b.EdgeIDs != nil) != e.numbered {
		return fmt.Errorf("%w: some batches have edge ids and some have none", ErrEdgeBatch)
	}
	for lo := 0; lo < n; lo += batchRows {
		if err := e.writeRows(b, lo, min(lo+batchRows, n)); err != nil {
			return err
		}
	}
	return nil
}

// writeRows writes rows lo to hi of the batch.
func (e *edgeBatches) writeRows(b *graph.Batch, lo, hi int) error {
	e.out.n = hi - lo
	if e.numbered {
		c := &e.out.cols[len(e.out.cols)-1]
		c.ints = c.ints[:0]
		for _, id := range b.EdgeIDs[lo:hi] {
			c.ints = append(c.ints, int64(id))
		}
	}
	if e.logical != "" {
		return e.writeLogical(b, lo, hi)
	}
	for i, ints := range [2][]int64{b.Src, b.Dst} {
		c := &e.out.cols[i]
		if e.typ.Integer() {
			c.ints = ints[lo:hi]
			if err := c.checkRange(e.typ); err != nil {
				return err
			}
			continue
		}
		strings := b.SrcStrings
		if i == 1 {
			strings = b.DstStrings
		}
		c.bytes = c.bytes[:0]
		for j := lo; j < hi; j++ {
			from, to := strings.Offsets[j], strings.Offsets[j+1]
			if from < 0 || from > to || to > int64(len(strings.Data)) {
				return fmt.Errorf("%w: string %d is bytes %d to %d of %d", ErrEdgeBatch, j, from, to, len(strings.Data))
			}
			if err := checkIDLength(uint64(to - from)); err != nil {
				return err
			}
			c.bytes = append(c.bytes, strings.Data[from:to:to])
		}
	}
	if e.weights != graph.WeightsAuto {
		e.out.cols[2].setWeights(b, e.weights, lo, hi)
	}
	return e.w.write(&e.out)
}

// writeLogical is writeRows for logical ids, such as the ids of a map.
func (e *edgeBatches) writeLogical(b *graph.Batch, lo, hi int) error {
	numbers := make([]uint32, hi-lo)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	at := 0
	for i, ints := range [2][]int64{b.Src, b.Dst} {
		m := &graph.IDs{Type: e.typ, Len: hi - lo, Logical: e.logical}
		if e.typ.Integer() {
			m.Ints = ints[lo:hi]
		} else {
			strings := []*graph.Strings{b.SrcStrings, b.DstStrings}[i]
			m.Data = strings.Data
			for _, x := range strings.Offsets[lo : hi+1] {
				m.StringOffsets = append(m.StringOffsets, uint64(x)) // what is negative is past the end
			}
		}
		n := len(idFields(m, "", false))
		if err := fillIDs(e.out.cols[at:at+n], m, numbers, false); err != nil {
			return err
		}
		at += n
	}
	if e.weights != graph.WeightsAuto {
		e.out.cols[at].setWeights(b, e.weights, lo, hi)
	}
	return e.w.write(&e.out)
}

// edgeBatchShape returns the number of edges of a batch and their type.
func edgeBatchShape(b *graph.Batch) (n int, t graph.IDType, err error) {
	m := 0
	switch {
	case b.Vertices:
		return 0, 0, fmt.Errorf("%w: a batch of vertices, not of edges", ErrEdgeBatch)
	case b.SrcStrings != nil && b.DstStrings != nil && b.Src == nil && b.Dst == nil:
		n, m, t = b.SrcStrings.Len(), b.DstStrings.Len(), graph.String
		if b.SrcStrings.Binary {
			t = graph.Binary
		}
		if b.SrcStrings.Binary != b.DstStrings.Binary {
			return 0, t, fmt.Errorf("%w: one id is binary and one a string", graph.ErrIDType)
		}
	case b.SrcStrings == nil && b.DstStrings == nil:
		n, m, t = len(b.Src), len(b.Dst), b.Type
		if !t.Integer() {
			return 0, t, fmt.Errorf("%w: integers of type %v", graph.ErrIDType, t)
		}
	default:
		return 0, t, fmt.Errorf("%w: give Src and Dst, or SrcStrings and DstStrings", ErrEdgeBatch)
	}
	if n != m || b.Weighted() && WeightCount(b) != n || b.EdgeIDs != nil && len(b.EdgeIDs) != n {
		return 0, t, fmt.Errorf("%w: %d sources, %d targets, %d weights, %d edge ids", ErrEdgeBatch, n, m, WeightCount(b), len(b.EdgeIDs))
	}
	return n, t, nil
}
