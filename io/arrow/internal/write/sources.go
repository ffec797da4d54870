// This file writes what searches from many sources found, a row for each vertex that
// each of them reached.

package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// SourceRows is arrow.SourceRows.
type SourceRows struct {
	Source    uint32
	Vertices  []uint32
	Depths    []int32
	Distances any
	Parents   []uint32
}

// SourceTable is arrow.SourceTable.
type SourceTable struct {
	Distances graph.WeightType
	Parents   bool
	Read      func(ctx context.Context, yield func(SourceRows) error) error
}

// WriteSources is arrow.WriteSources.
func WriteSources(ctx context.Context, path string, g *graph.Graph, t SourceTable, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write what was found: %w", err)
	}
	switch {
	case spec.PartitionBy != "" || !input.IsNil(spec.Properties):
		return fmt.Errorf("cannot write %s: %w: PartitionBy and Properties are for results of one search, not of many", spec.Path, ErrOutputOption)
	case g == nil || t.Read == nil:
		return fmt.Errorf("cannot write %s: %w: the graph or SourceTable.Read is nil", spec.Path, ErrResult)
	}
	release, err := g.Hold()
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	defer release()
	s := &sourceWriter{ctx: ctx, ids: g.IDs(), t: t, byID: spec.SortByID}
	fields, err := s.fields(spec.VertexColumn)
	if err == nil {
		err = CheckIDs(s.ids)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	if s.w, err = newRowWriter(ctx, spec, OpenOutput); err != nil {
		return err
	}
	defer s.w.abort()
	if err = s.w.begin(fields); err == nil {
		s.out.cols = make([]outColumn, len(fields))
		err = t.Read(ctx, s.add)
		if err != nil && s.failed == nil && ctx.Err() == nil {
			return err // the search's fault, whose error names it
		}
		if err == nil {
			err = s.flush()
		}
	}
	if s.failed != nil && (err == nil || !errors.Is(err, s.failed)) { // Read may have lost it
		err = s.failed
	}
	return s.w.end(err)
}

// sourceWriter gathers rows into batches.
type sourceWriter struct {
	ctx    context.Context
	ids    *graph.IDs
	t      SourceTable
	byID   bool
	w      *rowWriter
	out    outBatch
	wide   int // columns of an id
	failed error

	sources, vertices, parents []uint32
	depths                     []int32
	distances                  outColumn
	order                      []uint64 // ranks, and places among the rows below
}

// fields returns the columns.
func (s *sourceWriter) fields(vertex string) ([]outField, error) {
	all := idFields(s.ids, "source", false)
	s.wide = len(all)
	for i := range all {
		all[i].repeats = true
	}
	all = append(all, idFields(s.ids, cmp.Or(vertex, "vertex"), false)...)
	if s.t.Distances != graph.WeightsAuto {
		all = append(all, outField{name: "distance", typ: weightTypeOf(s.t.Distances)})
	} else {
		all = append(all, outField{name: "depth", typ: depthType, repeats: true})
	}
	if s.t.Parents {
		all = append(all, idFields(s.ids, "parent", true)...)
	}
	for i := range all {
		if slices.ContainsFunc(all[:i], func(f outField) bool { return f.name == all[i].name }) {
			return nil, fmt.Errorf("%w: two columns are named %.100q; WriteOptions.VertexColumn renames that of the vertices' ids", ErrOutputOption, all[i].name)
		}
	}
	return all, nil
}

// add takes the rows of one source.
func (s *sourceWriter) add(r SourceRows) (err error) {
	defer func() {
		if s.failed == nil {
			s.failed = err
		}
	}()
	n, bad := len(r.Vertices), s.ids.Len
	values := len(r.Depths)
	if s.t.Distances != graph.WeightsAuto {
		t, have, err := distanceType(r.Distances)
		if err == nil && t != s.t.Distances && have > 0 {
			err = fmt.Errorf("%w: distances are %v; SourceTable.Distances is %v", ErrResult, t, s.t.Distances)
		}
		if err != nil {
			return err
		}
		values = have
	}
	if values != n || s.t.Parents && len(r.Parents) != n {
		return fmt.Errorf("%w: %d vertices of a source have %d depths or distances and %d parents", ErrResult, n, values, len(r.Parents))
	}
	check := func(v uint32, none bool) error {
		if int64(v) >= int64(bad) && !(none && v == graph.NoVertex) {
			return fmt.Errorf("%w: vertex %d of %d", ErrResult, v, bad)
		}
		return nil
	}
	if err := check(r.Source, false); err != nil {
		return err
	}
	s.order = s.order[:0]
	for i, v := range r.Vertices {
		if i%batchRows == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if s.byID && int64(v) < int64(bad) {
			s.order = append(s.order, uint64(s.ids.Rank(v))<<32|uint64(i))
		}
		if err := check(v, false); err != nil {
			return err
		}
		if s.t.Parents {
			if err := check(r.Parents[i], true); err != nil {
				return err
			}
		}
	}
	if err := looks.Sort(s.ctx, s.order); err != nil {
		return err
	}
	for i := range r.Vertices {
		if s.byID {
			i = int(uint32(s.order[i]))
		}
		s.sources, s.vertices = append(s.sources, r.Source), append(s.vertices, r.Vertices[i])
		if s.t.Distances != graph.WeightsAuto {
			s.distances.addDistance(r.Distances, uint32(i))
		} else {
			s.depths = append(s.depths, r.Depths[i])
		}
		if s.t.Parents {
			s.parents = append(s.parents, r.Parents[i])
		}
		if len(s.sources) == batchRows {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the batch.
func (s *sourceWriter) flush() error {
	s.out.n = len(s.sources)
	cols := s.out.cols
	for _, vs := range [][]uint32{s.sources, s.vertices} {
		if err := fillIDs(cols[:s.wide], s.ids, vs, false); err != nil {
			return err
		}
		cols = cols[s.wide:]
	}
	cols[0].clear()
	if s.t.Distances != graph.WeightsAuto {
		cols[0].ints, cols[0].floats, cols[0].doubles = s.distances.ints, s.distances.floats, s.distances.doubles
	}
	for _, d := range s.depths {
		cols[0].ints = append(cols[0].ints, int64(d))
	}
	if s.t.Parents {
		if err := fillIDs(cols[1:], s.ids, s.parents, true); err != nil {
			return err
		}
	}
	err := s.w.write(&s.out)
	s.sources, s.vertices, s.parents = s.sources[:0], s.vertices[:0], s.parents[:0]
	s.depths = s.depths[:0]
	s.distances.clear()
	return err
}
