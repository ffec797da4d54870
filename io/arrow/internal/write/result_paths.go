// This file holds paths to targets: WritePaths and PathRecords.

package write

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// WritePaths is arrow.WritePaths.
func WritePaths(ctx context.Context, path string, g *graph.Graph, r Result, targets []uint32, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the paths: %w", err)
	}
	if err := spec.checkPlain("paths"); err != nil {
		return err
	}
	rows, err := newPathRows(g, r, targets, spec.ReachedOnly)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	defer rows.release()
	return writeRows(ctx, spec, rows, OpenOutput)
}

// PathRecords is arrow.PathRecords.
func PathRecords(ctx context.Context, g *graph.Graph, r Result, targets []uint32, o RecordOptions) (array.RecordReader, error) {
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if !input.IsNil(o.Properties) {
		return nil, fmt.Errorf("no records: %w: Properties are for results, not for paths", ErrOutputOption)
	}
	rows, err := newPathRows(g, r, targets, o.ReachedOnly)
	if err != nil {
		return nil, fmt.Errorf("no records: %w", err)
	}
	return newRecordReader(ctx, rows, o)
}

// pathRows makes rows of the paths to targets.
type pathRows struct {
	ids         *graph.IDs
	out         *graph.CSR // of which the edges' ids are; nil without them
	depths      []int32    // may be nil
	distances   any        // a slice of int64, float64 or float32; nil: none
	parents     []uint32
	targets     []uint32
	reachedOnly bool
	fields      []outField
	idColumns   int
	held        func() // lets go of the graph

	at      int      // the next target
	batch   []uint32 // the batch's targets
	lengths []int32  // of their paths, in edges; -1 for none
	offsets []int32
	paths   []uint32 // one after the other

	edges       []int64 // their edges' ids, bit for bit
	edgeOffsets []int32
}

func newPathRows(g *graph.Graph, result Result, targets []uint32, reachedOnly bool) (*pathRows, error) {
	whole, err := newColumnRows(g, ResultColumns(result), rowShape{})
	if err != nil {
		return nil, err
	}
	f, err := foundOf(result)
	if err != nil {
		whole.release()
		return nil, fmt.Errorf("%w: %w", ErrResult, err)
	}
	var distances any
	if d, ok := result.(interface{ Distances() any }); ok {
		distances = d.Distances()
		_, n, err := distanceType(distances)
		if err == nil && n != g.NumVertices() {
			err = fmt.Errorf("%w: %d distances for %d vertices", ErrResult, n, g.NumVertices())
		}
		if err != nil {
			whole.release()
			return nil, err
		}
	}
	r, err := pathRowsOf(g, f, distances, targets, reachedOnly)
	if err != nil {
		whole.release()
		return nil, err
	}
	r.held = whole.release
	return r, nil
}

func pathRowsOf(g *graph.Graph, f found, distances any, targets []uint32, reachedOnly bool) (*pathRows, error) {
	if f.parents == nil {
		return nil, fmt.Errorf("%w: paths are made of parents, and it has none; search with Options.Parents", ErrResult)
	}
	ids := g.IDs()
	for _, t := range targets {
		if uint64(t) >= uint64(ids.Len) {
			return nil, fmt.Errorf("target: %w: vertex %d of %d", graph.ErrNoVertex, t, ids.Len)
		}
	}
	r := &pathRows{ids: ids, depths: f.depths, distances: distances, parents: f.parents, targets: targets, reachedOnly: reachedOnly}
	r.fields = idFields(r.ids, "target", false)
	r.idColumns = len(r.fields)
	r.fields = append(r.fields, outField{name: "depth", typ: depthType, optional: true, csvNull: "-1", repeats: true})
	if distances != nil {
		t, _, err := distanceType(distances)
		if err != nil {
			return nil, err
		}
		r.fields = append(r.fields, outField{name: "distance", typ: weightTypeOf(t), optional: true})
	}
	for _, f := range idFields(r.ids, "path", true) {
		f.list, f.repeats = true, true
		r.fields = append(r.fields, f)
	}
	if g.Out().EdgeIDs != nil {
		r.out = g.Out()
		r.fields = append(r.fields, outField{name: "edges", typ: idType(graph.Uint64), optional: true, list: true, repeats: true})
	}
	return r, nil
}

func (r *pathRows) columns() []outField { return r.fields }

func (r *pathRows) release() { r.held() }

func (r *pathRows) next(ctx context.Context, b *outBatch) (bool, error) {
	if r.at == len(r.targets) {
		return false, nil
	}
	r.batch, r.lengths, r.paths = r.batch[:0], r.lengths[:0], r.paths[:0]
	r.offsets = append(r.offsets[:0], 0)
	r.edges, r.edgeOffsets = r.edges[:0], append(r.edgeOffsets[:0], 0)
	for r.at < len(r.targets) && len(r.batch) < batchRows && len(r.paths) < pathElements {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := r.add(ctx, r.targets[r.at]); err != nil {
			return false, err
		}
		r.at++
	}
	return true, r.fill(b)
}

// add adds a target to the batch.
func (r *pathRows) add(ctx context.Context, target uint32) error {
	n, err := r.length(ctx, target)
	if err != nil {
		return err
	}
	if n < 0 && r.reachedOnly {
		return nil
	}
	if r.depths != nil && int64(r.depths[target]) != n {
		return fmt.Errorf("%w: vertex %d is at depth %d, but its parents lead to a source in %d steps (-1: not at all)",
			ErrResult, target, r.depths[target], n)
	}
	r.batch, r.lengths = append(r.batch, target), append(r.lengths, int32(n))
	begin := len(r.paths)
	for range n + 1 {
		r.paths = append(r.paths, 0)
	}
	for i, v := len(r.paths)-1, target; i >= begin; i, v = i-1, r.parents[v] {
		r.paths[i] = v
	}
	r.offsets = append(r.offsets, int32(len(r.paths)))
	return r.addEdges(r.paths[begin:])
}

// addEdges adds the edges of a path, if they have ids.
func (r *pathRows) addEdges(path []uint32) error {
	if r.out == nil {
		return nil
	}
	for i := 1; i < len(path); i++ {
		u, v := path[i-1], path[i]
		row := r.out.Neighbors(u)
		at, ok := slices.BinarySearch(row, v)
		if !ok { // rows of graph.FromCSR need not ascend
			at = slices.Index(row, v)
		}
		if at < 0 {
			return fmt.Errorf("%w: vertex %d is the parent of %d, but no edge leads there", ErrResult, u, v)
		}
		r.edges = append(r.edges, int64(r.out.EdgeIDs[r.out.Offsets[u]+uint64(at)]))
	}
	r.edgeOffsets = append(r.edgeOffsets, int32(len(r.edges)))
	return nil
}

// length is how many edges lead from a source to the target, or -1 if it was
// not reached.
func (r *pathRows) length(ctx context.Context, target uint32) (int64, error) {
	const most = maxPathBytes / 4
	if r.parents[target] == graph.NoVertex {
		return -1, nil
	}
	n := int64(0)
	for v := target; r.parents[v] != v; n++ {
		if v = r.parents[v]; r.parents[v] == graph.NoVertex {
			return 0, fmt.Errorf("%w: vertex %d is the parent of another but has none itself", ErrResult, v)
		}
		if n >= int64(len(r.parents)) {
			return 0, fmt.Errorf("%w: the parents of vertex %d lead in a circle", ErrResult, target)
		}
		if n%batchRows == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if n >= most {
			return 0, fmt.Errorf("%w: the path to vertex %d has more than %d edges, more than a list can", ErrOutputOption, target, most)
		}
	}
	return n, nil
}

// fill makes the batch that of the targets.
func (r *pathRows) fill(b *outBatch) error {
	b.n = len(r.batch)
	if err := fillIDs(b.cols[:r.idColumns], r.ids, r.batch, false); err != nil {
		return err
	}
	depth := &b.cols[r.idColumns]
	depth.ints, depth.valid = depth.ints[:0], depth.valid[:0]
	for _, n := range r.lengths {
		depth.ints, depth.valid = append(depth.ints, int64(n)), append(depth.valid, n >= 0)
	}
	plain := r.idColumns + 1
	if r.distances != nil {
		distance := &b.cols[plain]
		plain++
		distance.clear()
		distance.valid = depth.valid
		for _, v := range r.batch {
			distance.addDistance(r.distances, v)
		}
	}
	lists := b.cols[plain:]
	vertices := lists
	if r.out != nil {
		edges := &lists[len(lists)-1]
		edges.ints, edges.offsets = r.edges, r.edgeOffsets
		vertices = lists[:len(lists)-1]
	}
	if err := fillIDs(vertices, r.ids, r.paths, false); err != nil {
		return err
	}
	for i := range vertices {
		vertices[i].offsets = r.offsets
	}
	for i := range lists {
		c := &lists[i]
		c.valid = append(c.valid[:0], depth.valid...)
		f := &r.fields[plain+i]
		for row := range b.n {
			if n := columnBytes(f, c, row, row+1); n > maxPathBytes {
				return fmt.Errorf("%w: the path to vertex %d takes %d bytes; at most %d are written", ErrOutputOption, r.batch[row], n, maxPathBytes)
			}
		}
	}
	return nil
}
