package sssp

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// Tree is what a search found, copied to the host: what arrow.WritePaths and arrow.PathRecords make
// paths of, and arrow.WriteResult a table.
type Tree struct {
	parents   []uint32
	distances any // a slice of int64, float64 or float32
}

// Tree copies the result to the host. Paths need the parents, which Options.Parents asks for. Errors
// are those of the values: the result was freed, or the device fails.
func (r *Result) Tree() (*Tree, error) {
	t := &Tree{}
	var err error
	switch d := r.Distances; d.Type() {
	case graph.WeightsInt64:
		t.distances, err = d.Int64.All()
	case graph.WeightsFloat64:
		t.distances, err = d.Float64.All()
	default:
		t.distances, err = d.Float32.All()
	}
	if err != nil {
		return nil, fmt.Errorf("sssp: %w", err)
	}
	if r.Parents == nil {
		return t, nil
	}
	if t.parents, err = r.Parents.All(); err != nil {
		return nil, fmt.Errorf("sssp: %w", err)
	}
	return t, nil
}

// Depths is nil: paths are as long as their parents make them.
func (t *Tree) Depths() []int32 { return nil }

// Parents has the parent of every vertex, or is nil where none were asked for.
func (t *Tree) Parents() []uint32 { return t.parents }

// Distances has the distance of every vertex, in the type that the result has them: a slice of int64,
// float64 or float32.
func (t *Tree) Distances() any { return t.distances }
