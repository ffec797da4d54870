// This file holds arrays that say something of the graph.

package traverse

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/placed"
)

// Numbers returns an array with every vertex's own number. It is the traversal's, as one of
// Array. After an error it is nil.
func Numbers(t *Traversal) *device.Buffer[uint32] {
	b := Array[uint32](t, 0)
	if t.err != nil {
		return nil
	}
	t.fail(t.space.on.numbers(b))
	return b
}

// Degrees returns the out-degree of every vertex. It is the placed graph's, functors
// must not write it, and it is worked out on the first call. After an error it is nil.
func Degrees(t *Traversal) *device.Buffer[uint32] {
	if t.err != nil {
		return nil
	}
	x, err := t.p.Once(placed.Degrees, func() (any, error) {
		b, err := device.NewBuffer[uint32](t.p.Device(), t.p.NumVertices())
		if err != nil {
			return nil, err
		}
		if err := t.space.on.degrees(b); err != nil {
			return nil, errors.Join(err, b.Free())
		}
		return b, nil
	})
	if t.fail(err) {
		return nil
	}
	return x.(*device.Buffer[uint32])
}

// Weights returns the weights of the graph's edges, by the edge's number in Graph.Out. They
// are the placed graph's (see graph.Placed.Weights), and functors must not write them (a step with
// one in Go that does is refused). After an error it is nil. What goes along in-edges, as reduce.In, takes graph.Placed.InWeights.
func Weights(t *Traversal) *device.Buffer[float32] {
	if t.err != nil {
		return nil
	}
	b, err := t.p.Weights()
	if t.fail(err) {
		return nil
	}
	return b
}
