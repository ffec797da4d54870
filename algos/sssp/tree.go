package sssp

import "fmt"

// Tree is what a search found, copied to the host: what arrow.WritePaths and arrow.PathRecords make
// paths of, and arrow.WriteResult a table.
type Tree struct {
	parents   []uint32
	distances []float32
}

// Tree copies the result to the host. Paths need the parents, which Options.Parents asks for. Errors
// are those of the values: the result was freed, or the device fails.
func (r *Result) Tree() (*Tree, error) {
	t := &Tree{}
	var err error
	if t.distances, err = r.Distances.All(); err != nil {
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

// Distances has the distance of every vertex.
func (t *Tree) Distances() []float32 { return t.distances }
