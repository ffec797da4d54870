// This file holds arrays that describe the graph.

package traverse

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/text"
)

// VertexIDs returns an array in which entry v is v. It belongs to the traversal, like Array's. After an
// error it is nil.
func VertexIDs(t *Traversal) *device.Buffer[uint32] {
	b := Uninitialized[uint32](t)
	if t.err != nil {
		return nil
	}
	t.renewed(func() error { return t.space.on.numbers(b) })
	return b
}

// Degrees returns the out-degree of every vertex. It belongs to the placed graph and is computed
// on the first call. Functors must not write it. After an error it is nil.
func Degrees(t *Traversal) *device.Buffer[uint32] {
	return once(t, placed.Degrees, engine.degrees)
}

// First returns the first target in the row of every vertex, or the vertex itself if it has no
// out-edges. Rows ascend, so if vertices are numbered by degree, it is the neighbor with the most
// neighbors. It belongs to the placed graph, like Degrees.
func First(t *Traversal) *device.Buffer[uint32] {
	return once(t, placed.First, engine.firsts)
}

// once returns an array of the placed graph, which write computes on the first call.
func once(t *Traversal, key placed.Array[uint32], write func(engine, *device.Buffer[uint32]) error) *device.Buffer[uint32] {
	if t.err != nil {
		return nil
	}
	b, err := placed.LoadOrMake(t.p.State(), key, func() (*device.Buffer[uint32], error) {
		b, err := device.NewBuffer[uint32](run.Device(t.p), run.Numbers(t.p))
		if err != nil {
			return nil, err
		}
		if err := write(t.space.on, b); err != nil {
			return nil, errors.Join(err, b.Close())
		}
		return b, nil
	})
	return checked(t, b, err)
}

// Weights returns the weights of the graph's edges, by the edge's number in Graph.Out. They
// belong to the placed graph. On a GPU they are uploaded on the first call and take 4 bytes an edge. Functors must not write them: a step whose
// functor in Go does is refused. After an error it is nil. Steps over in-edges, such as reduce.In,
// use graph.Placed.InWeights.
func Weights(t *Traversal) *device.Buffer[float32] {
	if t.err != nil {
		return nil
	}
	b, err := t.p.State().Weights()
	return checked(t, b, err)
}

// EdgeColumn returns a column of the graph's edges (graph.Options.EdgeColumns): entry e.Index belongs to edge e of a
// step over out-edges. T is the type of graph.Column.Values, uint32 for a column of strings, whose codes graph.Graph.Code
// returns. It belongs to the placed graph. On a GPU it is uploaded on the first call; on several GPUs it is
// divided with the rows. Functors must not write it. A step over in-edges of a directed graph refuses a functor that reads it by
// e.Index: use InEdgeColumn. After an error, such as graph.ErrNoColumn for a wrong name or type, it is nil.
func EdgeColumn[T device.Elem](t *Traversal, name string) *device.Buffer[T] {
	return columnOf[T](t, name, false)
}

// InEdgeColumn returns a column in the order of in-edges, for steps over them, such as reduce.In and advance.Pull: entry
// e.Index belongs to edge e. For an undirected graph it is EdgeColumn. The first call brings the column into that order,
// which takes a pass over the edges on the host. It is nil after an error, such as graph.ErrNoReverse.
func InEdgeColumn[T device.Elem](t *Traversal, name string) *device.Buffer[T] {
	return columnOf[T](t, name, true)
}

// Code returns the code of a string in a column of strings, of edges or vertices, for functors that compare codes, as graph.Graph.Code does. A
// column or string that the graph lacks is an error of the traversal, graph.ErrNoColumn.
func Code(t *Traversal, column, value string) uint32 {
	if t.err != nil {
		return graph.NoCode
	}
	code, err := t.p.Graph().Code(column, value)
	if t.fail(err) {
		return graph.NoCode
	}
	return code
}

// VertexColumn returns a column of the graph's vertices (graph.Graph.AddVertexColumns, arrow.Options.VertexColumns), with an
// entry for each vertex. T is the type of graph.Column.Values, uint32 for a column of strings, whose codes Code returns. It
// belongs to the placed graph, which makes it on the first call, on each of several GPUs. Functors must not write it. After an error, such as
// graph.ErrNoColumn for a wrong name or type, it is nil.
func VertexColumn[T device.Elem](t *Traversal, name string) *device.Buffer[T] {
	if t.err != nil {
		return nil
	}
	c, err := t.p.Graph().VertexColumn(name)
	if t.fail(err) {
		return nil
	}
	values, ok := c.Values.([]T)
	if !ok {
		t.fail(fmt.Errorf("traverse: %w: column %.100q of the vertices has values of type %T, not %T", errColumnType, name, c.Values, values))
		return nil
	}
	x, err := placed.LoadOrMakeIn(t.ctx, t.p.State(), placed.ColumnKey{Name: name, Vertices: true}, func() (any, error) {
		b, err := device.NewBuffer[T](run.Device(t.p), run.Numbers(t.p))
		if err != nil {
			return nil, err
		}
		if err := run.Write(t.p, b, values); err != nil {
			return nil, errors.Join(err, b.Close())
		}
		return b, nil
	})
	b, _ := x.(*device.Buffer[T])
	return checked(t, b, err)
}

// errColumnType: the graph has the column, of another type.
var errColumnType = text.Named("column of another type", graph.ErrNoColumn)

func columnOf[T device.Elem](t *Traversal, name string, in bool) *device.Buffer[T] {
	if t.err != nil {
		return nil
	}
	x, err := t.p.State().EdgeColumn(t.ctx, name, in)
	b, ok := x.(*device.Buffer[T])
	if err == nil && !ok {
		var want T
		c, _ := t.p.Graph().EdgeColumn(name)
		err = fmt.Errorf("traverse: %w: column %.100q has values of type %T, not []%T", errColumnType, name, c.Values, want)
	}
	return checked(t, b, err)
}

// Rows returns the rows of out-edges: their offsets, one more than there are vertices (on a
// GPU perhaps a copy of 8 bytes a vertex, made on the first call), and the targets of the edges. Row v is targets from offsets[v] to before
// offsets[v+1]. Both arrays are for functors that read only some edges, such as random walks; steps
// over all edges are faster. They belong to the placed graph. After an error they are nil.
func Rows(t *Traversal) (offsets *device.Buffer[uint64], targets *device.Buffer[uint32]) {
	if t.err != nil {
		return nil, nil
	}
	o, err := t.p.State().Offsets()
	if offsets = checked(t, o, err); t.err != nil {
		return nil, nil
	}
	b, err := t.p.State().Targets()
	if targets = checked(t, b, err); t.err != nil {
		return nil, nil
	}
	return offsets, targets
}

// Ranks returns the rank of every vertex's external id among all ids, from 0 on, and ByRank the
// vertex of every rank. Use ranks to compute results that don't depend on the internal numbering,
// such as the smallest id of a component. Both arrays belong to the placed graph and are computed on
// the first call; they take 4 bytes a vertex each. After an error they are nil.
func Ranks(t *Traversal) *device.Buffer[uint32] {
	return byIDs(t, placed.Ranks, (*graph.IDs).Ranks)
}

// ByRank returns the vertex of every rank; see Ranks.
func ByRank(t *Traversal) *device.Buffer[uint32] {
	return byIDs(t, placed.ByRank, (*graph.IDs).ByID)
}

// byIDs returns an array of the ids. of returns nil if the array is the identity, as VertexIDs has it.
func byIDs(t *Traversal, key placed.Array[uint32], of func(*graph.IDs) []uint32) *device.Buffer[uint32] {
	if t.err != nil {
		return nil
	}
	b, err := placed.LoadOrMake(t.p.State(), key, func() (*device.Buffer[uint32], error) {
		b, err := device.NewBuffer[uint32](run.Device(t.p), run.Numbers(t.p))
		if err != nil {
			return nil, err
		}
		write := run.Choose(t.p, run.Ways[writeIDs]{Host: writeIDsOnOne, GPU: writeIDsOnOne, Shards: writeIDsOverShards})
		if err := write(t, b, key, of); err != nil {
			return nil, errors.Join(err, b.Close())
		}
		return b, nil
	})
	return checked(t, b, err)
}

type writeIDs func(t *Traversal, b *device.Buffer[uint32], key placed.Array[uint32], of func(*graph.IDs) []uint32) error

func writeIDsOnOne(t *Traversal, b *device.Buffer[uint32], _ placed.Array[uint32], of func(*graph.IDs) []uint32) error {
	if ids := of(t.p.Graph().IDs()); ids != nil {
		return b.Write(t.p.Device(), 0, ids)
	}
	return errors.Join(t.space.on.numbers(b), t.env.Stream.Sync())
}

// writeIDsOverShards writes ranks in the order of the GPUs' numbers, and vertices by rank.
func writeIDsOverShards(t *Traversal, b *device.Buffer[uint32], key placed.Array[uint32], of func(*graph.IDs) []uint32) error {
	ids := of(t.p.Graph().IDs())
	if ids == nil {
		ids = make([]uint32, t.p.NumVertices())
		for i := range ids {
			ids[i] = uint32(i)
		}
	}
	if key == placed.Ranks {
		return run.Write(t.p, b, ids)
	}
	return b.Write(run.Device(t.p), 0, ids)
}

// checked returns an array, or nil after an error.
func checked[T device.Elem](t *Traversal, b *device.Buffer[T], err error) *device.Buffer[T] {
	if t.fail(err) {
		return nil
	}
	return b
}
