// This file holds results of searches, whose depths and parents are columns.

package write

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// Result is arrow.Result.
type Result interface {
	Depths() ([]int32, error)
	Parents() ([]uint32, error)
}

// depthColumn and parentColumn are the columns of a result.
func depthColumn(depths []int32) ResultColumn {
	return ResultColumn{Name: "depth", Values: depths, Null: -1, CSVNull: "-1"}
}

func parentColumn(parents []uint32) ResultColumn {
	return ResultColumn{Name: "parent", Values: parents, Vertices: true}
}

// found is what a result has. Either may be nil.
type found struct {
	depths  []int32
	parents []uint32
}

// foundOf returns what a result has.
func foundOf(r Result) (f found, err error) {
	var errs [2]error
	f.depths, errs[0] = optional(r.Depths())
	f.parents, errs[1] = optional(r.Parents())
	return f, cmp.Or(errs[:]...)
}

// optional returns an array that a result may lack, for which it has graph.ErrOptions or nil.
func optional[T any](all []T, err error) ([]T, error) {
	if errors.Is(err, graph.ErrOptions) {
		return nil, nil
	}
	return all, err
}

// columns are those that there are.
func (f found) columns() (cols []ResultColumn) {
	if f.depths != nil {
		cols = append(cols, depthColumn(f.depths))
	}
	if f.parents != nil {
		cols = append(cols, parentColumn(f.parents))
	}
	return cols
}

// ResultColumns is arrow.ResultColumns. A wrong result has one column, whose Wrong is the reason.
func ResultColumns(r Result) []ResultColumn {
	wrong := func(err error) []ResultColumn { return []ResultColumn{{Name: "result", Wrong: err}} }
	if input.IsNil(r) {
		return wrong(fmt.Errorf("%w: the graph or the result is nil", ErrResult))
	}
	f, err := foundOf(r)
	cols := f.columns()
	if err != nil {
		cols = wrong(fmt.Errorf("%w: %w", ErrResult, err))
	} else if len(cols) == 0 {
		cols = wrong(errNothing())
	}
	for i := range cols {
		cols[i].Of = r
	}
	cols[0].Check = f.check
	return cols
}

// check reports what can't be of a graph of n vertices. Where parents lead is looked at
// with their column.
//
// Where few is not nil, these alone are written, and looked at.
func (f found) check(n int, few []uint32) error {
	switch {
	case f.depths == nil && f.parents == nil:
		return errNothing()
	case f.depths != nil && len(f.depths) != n:
		return fmt.Errorf("%w: %d depths for %d vertices; write it with the graph that was searched", ErrResult, len(f.depths), n)
	case f.parents != nil && len(f.parents) != n:
		return fmt.Errorf("%w: %d parents for %d vertices; write it with the graph that was searched", ErrResult, len(f.parents), n)
	}
	bad := func(v int) error {
		return fmt.Errorf("%w: the depth of vertex %d is %d; it must be -1 or more", ErrResult, v, f.depths[v])
	}
	if f.depths != nil && few != nil {
		for _, v := range few {
			if f.depths[v] < -1 {
				return bad(int(v))
			}
		}
		return nil
	}
	for v, d := range f.depths {
		if d < -1 {
			return bad(v)
		}
	}
	return nil
}

// fewOf returns the vertices that a result lists because they are few (bfs.Result.Visited), in the order of
// rows, or nil.
func fewOf(g *graph.Graph, result any, byID bool) []uint32 {
	r, ok := result.(interface {
		Few() bool
		Visited() iter.Seq2[uint32, int32]
	})
	if !ok || !r.Few() {
		return nil
	}
	few := []uint32{}
	for v := range r.Visited() {
		few = append(few, v)
	}
	if byID {
		slices.SortFunc(few, func(a, b uint32) int { return cmp.Compare(g.IDs().Rank(a), g.IDs().Rank(b)) })
	} else {
		slices.Sort(few)
	}
	return few
}

// errNothing is a result of which there is nothing to write.
func errNothing() error { return fmt.Errorf("%w: it has neither depths nor parents", ErrResult) }

// foundOn reports what was found on another graph, where it knows its own. The same
// number of vertices says nothing: those of a reordered graph have other numbers.
func foundOn(g *graph.Graph, x any) error {
	of, ok := x.(interface{ Graph() *graph.Graph })
	if !ok {
		return nil
	}
	if searched := of.Graph(); searched != nil && searched != g {
		return fmt.Errorf("%w: it is of another graph, or of the same one in another order; write it with the graph that was searched", ErrResult)
	}
	return nil
}
