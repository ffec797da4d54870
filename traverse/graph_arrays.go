// This file holds arrays that say something of the graph.

package traverse

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
)

// Numbers returns an array with every vertex's own number. It is the traversal's, as one of
// Array. After an error it is nil.
func Numbers(t *Traversal) *device.Buffer[uint32] {
	b := Unfilled[uint32](t)
	if t.err != nil {
		return nil
	}
	t.renewed(func() error { return t.space.on.numbers(b) })
	return b
}

// Degrees returns the out-degree of every vertex. It is the placed graph's, functors
// must not write it, and it is worked out on the first call. After an error it is nil.
func Degrees(t *Traversal) *device.Buffer[uint32] {
	return once(t, placed.Degrees, engine.degrees)
}

// First returns the first target of every vertex, in the order of its row; of a vertex without
// out-edges it is the vertex itself. Rows are ascending: where vertices are numbered by degree,
// it is the neighbour with the most neighbours. It is the placed graph's, as Degrees is.
func First(t *Traversal) *device.Buffer[uint32] {
	return once(t, placed.First, engine.firsts)
}

// once returns an array of the placed graph that write works out on the first call.
func once(t *Traversal, key placed.Array, write func(engine, *device.Buffer[uint32]) error) *device.Buffer[uint32] {
	if t.err != nil {
		return nil
	}
	x, err := t.p.Once(key, func() (any, error) {
		b, err := device.NewBuffer[uint32](run.Device(t.p), run.Numbers(t.p))
		if err != nil {
			return nil, err
		}
		if err := write(t.space.on, b); err != nil {
			return nil, errors.Join(err, b.Free())
		}
		return b, nil
	})
	b, _ := x.(*device.Buffer[uint32])
	return checked(t, b, err)
}

// Weights returns the weights of the graph's edges, by the edge's number in Graph.Out. They
// are the placed graph's (see graph.Placed.Weights), and functors must not write them (a step with
// one in Go that does is refused). After an error it is nil. What goes along in-edges, as reduce.In, takes graph.Placed.InWeights.
func Weights(t *Traversal) *device.Buffer[float32] {
	if t.err != nil {
		return nil
	}
	b, err := t.p.Weights()
	return checked(t, b, err)
}

// Offsets returns where the rows of the out-edges begin, an entry more than there are vertices
// (see graph.Placed.Offsets), and Targets where the edges lead: row v is the targets from
// Offsets[v] to before Offsets[v+1]. They are for functors that look at some edges alone, such as
// random walks; steps over all edges are faster. They are the placed graph's. After an error they
// are nil.
func Offsets(t *Traversal) *device.Buffer[uint64] {
	if t.err != nil {
		return nil
	}
	b, err := t.p.Offsets()
	return checked(t, b, err)
}

// Targets returns the targets of the edges; see Offsets.
func Targets(t *Traversal) *device.Buffer[uint32] {
	if t.err != nil {
		return nil
	}
	b, err := t.p.Targets()
	return checked(t, b, err)
}

// Ranks returns the rank of every vertex' external id among all ids, from 0 on, and ByRank the
// vertex of every rank. What ends up the same however vertices are numbered inside, such as the
// smallest id of a component, is worked out by rank. They are the placed graph's, and worked out
// on the first call; 4 bytes a vertex each. After an error they are nil.
func Ranks(t *Traversal) *device.Buffer[uint32] {
	return byIDs(t, placed.Ranks, (*graph.IDs).Ranks)
}

// ByRank returns the vertex of every rank; see Ranks.
func ByRank(t *Traversal) *device.Buffer[uint32] {
	return byIDs(t, placed.ByRank, (*graph.IDs).ByID)
}

// byIDs returns an array that the ids have, which is nil where it is that of Numbers.
func byIDs(t *Traversal, key placed.Array, of func(*graph.IDs) []uint32) *device.Buffer[uint32] {
	if t.err != nil {
		return nil
	}
	x, err := t.p.Once(key, func() (any, error) {
		b, err := device.NewBuffer[uint32](run.Device(t.p), run.Numbers(t.p))
		if err != nil {
			return nil, err
		}
		write := run.Choose(t.p, run.Ways[writeIDs]{Host: writeIDsOnOne, GPU: writeIDsOnOne, Shards: writeIDsOverShards})
		if err := write(t, b, key, of); err != nil {
			return nil, errors.Join(err, b.Free())
		}
		return b, nil
	})
	b, _ := x.(*device.Buffer[uint32])
	return checked(t, b, err)
}

type writeIDs func(t *Traversal, b *device.Buffer[uint32], key placed.Array, of func(*graph.IDs) []uint32) error

func writeIDsOnOne(t *Traversal, b *device.Buffer[uint32], _ placed.Array, of func(*graph.IDs) []uint32) error {
	if ids := of(t.p.Graph().IDs()); ids != nil {
		return b.Write(t.p.Device(), 0, ids)
	}
	return errors.Join(t.space.on.numbers(b), t.env.Stream.Sync())
}

// writeIDsOverShards writes ranks in the order of the GPUs' numbers, and vertices by rank.
func writeIDsOverShards(t *Traversal, b *device.Buffer[uint32], key placed.Array, of func(*graph.IDs) []uint32) error {
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
