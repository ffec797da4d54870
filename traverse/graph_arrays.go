// This file holds arrays that say something of the graph.

package traverse

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/step"
)

// Numbers returns an array with every vertex's own number. It is the traversal's, as one of
// Array. After an error it is nil.
func Numbers(t *Traversal) *device.Buffer[uint32] {
	b := Array[uint32](t, 0)
	if t.err != nil {
		return nil
	}
	if h := b.Host(); h != nil || b.Len() == 0 {
		for i := range h {
			h[i] = uint32(i)
		}
		return b
	}
	t.fail(t.space.stay.over("numbers", b, b.Len(), false))
	return b
}

type degreesKey struct{}

// Degrees returns the out-degree of every vertex. It is the placed graph's, must not be
// written to, and is worked out on the first call. After an error it is nil.
func Degrees(t *Traversal) *device.Buffer[uint32] {
	if t.err != nil {
		return nil
	}
	x, err := t.p.Once(degreesKey{}, func() (any, error) {
		n := t.p.NumVertices()
		b, err := device.NewBuffer[uint32](t.p.Device(), n)
		if err != nil {
			return nil, err
		}
		if h := b.Host(); h != nil || n == 0 {
			for v := range h {
				h[v] = uint32(t.p.Graph().Out().Degree(uint32(v)))
			}
			return b, nil
		}
		if err := errors.Join(t.space.stay.over("degrees"+step.Width(t.p), b, n, true), t.space.stay.s.Sync()); err != nil {
			return nil, errors.Join(err, b.Free())
		}
		return b, nil
	})
	if t.fail(err) {
		return nil
	}
	return x.(*device.Buffer[uint32])
}

// over launches a kernel that writes an array, with the offsets of the rows or without.
func (y *stay) over(kernel string, b *device.Buffer[uint32], n int, offsets bool) error {
	k, err := y.s.Kernel(image, kernel)
	if err != nil {
		return err
	}
	to, rows, count := uint64(b.Pointer()), step.Out(y.space.p).Offsets, uint32(n)
	y.args.Reset()
	gpu.Struct(&y.args, &to)
	if offsets {
		gpu.Struct(&y.args, &rows)
	}
	gpu.Struct(&y.args, &count)
	return y.s.Launch(k, n/gpu.Block+1, &y.args)
}

// Weights returns the weights of the graph's edges, by the edge's number in Graph.Out. They
// are the placed graph's (see graph.Placed.Weights), and must not be written to. After an
// error it is nil. What goes along in-edges, as reduce.In, takes graph.Placed.InWeights.
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
