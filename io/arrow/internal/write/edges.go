// This file holds WriteEdges, which writes the edges of a graph, and
// WriteEdgeBatches, which writes edges that no graph was made of.

package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
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
	if g == nil {
		return fmt.Errorf("cannot write %s: %w: the graph is nil", spec.Path, graph.ErrMalformed)
	}
	release, err := g.Hold()
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	defer release()
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	if err := CheckIDs(g.IDs()); err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	w, err := newRowWriter(ctx, spec, OpenOutput)
	if err != nil {
		return err
	}
	defer w.abort()
	return w.end(writeGraph(w, g, results))
}

// writeGraph writes the edges of the graph, with the results of each.
func writeGraph(w *rowWriter, g *graph.Graph, columnsOf []ResultColumn) error {
	out, ids := g.Out(), g.IDs()
	weighted, numbered := out.Weights != nil, out.EdgeIDs != nil
	fields := edgeFields(ids, g.WeightType(), numbered)
	first := len(fields)
	columns, err := edgeColumns(g, fields)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", w.spec.Path, err)
	}
	for i := range columns {
		fields = append(fields, columns[i].field)
	}
	behind := len(fields)
	results, err := edgeResults(g, columnsOf, fields)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", w.spec.Path, err)
	}
	for i := range results {
		fields = append(fields, results[i].field)
	}
	if err := w.begin(fields); err != nil {
		return err
	}
	var (
		src  = make([]uint32, 0, batchRows)
		dst  = make([]uint32, 0, batchRows)
		b    = outBatch{cols: make([]outColumn, len(fields))}
		rows []uint64 // in the CSR, where there are results
		at   = len(idFields(ids, "", false))
	)
	var weights, edgeIDs *outColumn
	if weighted {
		weights = &b.cols[2*at]
	}
	if numbered {
		edgeIDs = &b.cols[first-1]
	}
	flush := func() error {
		b.n = len(src)
		if err := fillIDs(b.cols[:at], ids, src, false); err != nil {
			return err
		}
		if err := fillIDs(b.cols[at:2*at], ids, dst, false); err != nil {
			return err
		}
		for i := range columns {
			if err := columns[i].check(&b.cols[first+i]); err != nil {
				return err
			}
		}
		for i := range results {
			if err := results[i].fill(&b.cols[behind+i], rows); err != nil {
				return err
			}
		}
		err := w.write(&b)
		src, dst, rows = src[:0], dst[:0], rows[:0]
		for i := range columns {
			b.cols[first+i].reset()
		}
		if weighted {
			weights.clear()
		}
		if numbered {
			edgeIDs.ints = edgeIDs.ints[:0]
		}
		return err
	}
	// The one of the two directions of an undirected edge that isn't written: that to the lower end, but with results, which
	// belong to that direction, the other one.
	other := func(u, v uint32) bool { return v < u }
	swaps := len(results) > 0 && !g.Directed() && ids.Sides == nil
	if swaps {
		other = func(u, v uint32) bool { return u < v }
	}
	seen := 0 // entries of the CSR, of which many may be the other direction
	for u := range uint32(out.NumVertices()) {
		start := out.Offsets[u]
		for i, v := range out.Neighbors(u) {
			if seen++; seen%batchRows == 0 && w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			if !g.Directed() && (other(u, v) && ids.Sides == nil || ids.Sides != nil && ids.Side(u) == graph.Target) {
				continue
			}
			if w.spec.ReachedOnly && len(results) > 0 && results[0].missing(start+uint64(i)) {
				continue
			}
			if len(src) == batchRows {
				if err := flush(); err != nil {
					return err
				}
			}
			if swaps {
				src, dst = append(src, v), append(dst, u)
			} else {
				src, dst = append(src, u), append(dst, v)
			}
			if len(results) > 0 {
				rows = append(rows, start+uint64(i))
			}
			if weighted {
				weights.addWeight(out, g.WeightType(), start+uint64(i))
			}
			if numbered {
				edgeIDs.ints = append(edgeIDs.ints, int64(out.EdgeIDs[start+uint64(i)]))
			}
			for k := range columns {
				columns[k].add(&b.cols[first+k], start+uint64(i))
			}
		}
	}
	return flush()
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
