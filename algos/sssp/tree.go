package sssp

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

// Tree is what a search found, copied to the host: what arrow.WritePaths and arrow.PathRecords make
// paths of, and arrow.Write a table. It is the caller's, and stays as it is when the result is
// closed or its Searcher runs again.
type Tree struct {
	parents   []uint32
	distances any // a slice of int64, float64 or float32
}

// Tree copies the result to the host. Paths need the parents, which Options.Parents asks for. Errors
// are the same as for the values: the result was closed, or the device fails.
func (r *Result) Tree() (*Tree, error) {
	t := &Tree{}
	var err error
	switch d := r.Distances; d.Type() {
	case graph.WeightsInt64:
		t.distances, err = copied(d.Int64)
	case graph.WeightsFloat64:
		t.distances, err = copied(d.Float64)
	default:
		t.distances, err = copied(d.Float32)
	}
	if err != nil {
		return nil, fmt.Errorf("sssp: %w", err)
	}
	if r.Parents == nil {
		return t, nil
	}
	if t.parents, err = copied(r.Parents); err != nil {
		return nil, fmt.Errorf("sssp: %w", err)
	}
	return t, nil
}

// copied returns a copy of the values: on the host the next search writes over those of All.
func copied[T device.Elem](values *traverse.Values[T]) ([]T, error) {
	all, err := values.Slice()
	return slices.Clone(all), err
}

// Depths returns graph.ErrOptions: paths are as long as their parents make them.
func (t *Tree) Depths() ([]int32, error) {
	return nil, fmt.Errorf("sssp: %w: a tree of distances has no depths", graph.ErrOptions)
}

// Parents returns the parent of every vertex. The error is graph.ErrOptions where none were asked
// for.
func (t *Tree) Parents() ([]uint32, error) {
	if t.parents == nil {
		return nil, fmt.Errorf("sssp: %w: the search left out parents; set Options.Parents", graph.ErrOptions)
	}
	return t.parents, nil
}

// Distances has the distance of every vertex, in the type that the result has them: a slice of int64,
// float64 or float32.
func (t *Tree) Distances() any { return t.distances }
