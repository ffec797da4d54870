// This file holds WriteResult, which writes what a traversal found.

package arrow

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// Result is what a traversal found, as slices over the graph's vertices by
// internal vertex id. The results of Foray's searches are Results.
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
//   - vertex: the external id, in the type that the graph's ids have;
//   - depth: int32, missing where the vertex was not reached. Absent if the
//     result has no depths;
//   - parent: the parent's external id, missing where there is none. Absent if
//     the result has no parents.
//
// CSV has -1 for a missing depth and nothing for a missing parent, JSON lines
// have null for either; both have binary ids in hexadecimal. The file appears
// whole, in the place of one that was there before, or not at all.
//
// Errors wrap ErrResult, ErrOutputFormat, ErrOutputOption, an error of package
// graph about ids, ctx's error, or the operating system's; at most one
// WriteOptions may be given. g and r are only read.
func WriteResult(ctx context.Context, path string, g *graph.Graph, r Result, o ...WriteOptions) error {
	return writeResult(ctx, path, g, r, o, openOutput)
}

func writeResult(ctx context.Context, path string, g *graph.Graph, r Result, o []WriteOptions,
	open func(context.Context, *writeSpec) (output, error)) error {
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	if g == nil || r == nil {
		return fmt.Errorf("cannot write %s: %w: the graph or the result is nil", spec.path, ErrResult)
	}
	rows := resultRows{ids: g.IDs(), depths: r.Depths(), parents: r.Parents(), reachedOnly: spec.ReachedOnly}
	if err := rows.check(); err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.path, err)
	}
	w, err := newRowWriter(ctx, spec, open)
	if err != nil {
		return err
	}
	defer w.abort()
	return w.end(rows.write(w))
}

// resultRows makes rows of a result.
type resultRows struct {
	ids         *graph.IDs
	depths      []int32
	parents     []uint32
	reachedOnly bool

	vertices []uint32 // of the batch
	gathered []uint32 // their parents
}

// check reports what of the result doesn't belong to the graph.
func (r *resultRows) check() error {
	n := r.ids.Len
	if err := checkIDs(r.ids); err != nil {
		return err
	}
	if r.depths == nil && r.parents == nil {
		return fmt.Errorf("%w: it has neither depths nor parents", ErrResult)
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

// write writes all rows.
func (r *resultRows) write(w *rowWriter) error {
	fields := []outField{{name: "vertex", typ: idType(r.ids.Type)}}
	if r.depths != nil {
		fields = append(fields, outField{name: "depth", typ: depthType, optional: true, csvNull: "-1", repeats: true})
	}
	if r.parents != nil {
		fields = append(fields, outField{name: "parent", typ: idType(r.ids.Type), optional: true, repeats: true})
	}
	if err := w.begin(fields); err != nil {
		return err
	}
	b := outBatch{cols: make([]outColumn, len(fields))}
	for next := 0; next < r.ids.Len; {
		next = r.take(next)
		if err := r.fill(&b); err != nil {
			return err
		}
		if err := w.write(&b); err != nil {
			return err
		}
	}
	return nil
}

// take makes the batch's vertices those from v on that are to be written, and
// returns where the next batch begins. It looks at a batch's worth of vertices
// at a time, so that a search for the few that were reached can be cancelled.
func (r *resultRows) take(v int) int {
	r.vertices = r.vertices[:0]
	end := min(v+batchRows, r.ids.Len)
	for ; v < end; v++ {
		if !r.reachedOnly || r.reached(v) {
			r.vertices = append(r.vertices, uint32(v))
		}
	}
	return end
}

func (r *resultRows) reached(v int) bool {
	if r.depths != nil {
		return r.depths[v] >= 0
	}
	return r.parents[v] != graph.NoVertex
}

// fill makes the batch that of r.vertices.
func (r *resultRows) fill(b *outBatch) error {
	b.n = len(r.vertices)
	if err := b.cols[0].fillIDs(r.ids, r.vertices, false); err != nil {
		return err
	}
	if r.depths != nil {
		c := &b.cols[1]
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
		return b.cols[len(b.cols)-1].fillIDs(r.ids, r.gathered, true)
	}
	return nil
}
