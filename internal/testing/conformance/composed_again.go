// This file tests functors written in Go that are launched repeatedly, with the same
// fields and with others: a launch examines only changed fields.

package conformance

import (
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/functor"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// ComposedAgain tests them.
func (s Suite) ComposedAgain(t *testing.T) {
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 2, 3}, Targets: []uint32{1, 2, 0}}, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	buffer := func(n int) *device.Buffer[uint32] {
		b, err := device.NewBuffer[uint32](s.Device, n)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for range 3 { // streams are used again
		x := traverse.New(t.Context(), p, traverse.Options{Engine: traverse.LevelByLevel})
		counts := []*device.Buffer[uint32]{traverse.Array[uint32](x, 0), traverse.Array[uint32](x, 0)}
		want := [2][]uint32{make([]uint32, 3), make([]uint32, 3)}
		for i := range 12 { // now one buffer, now the other, and other numbers
			x.Do(x.All(), foreach.All(composed.NewFar(counts[i/2%2], int64(i%5/2)), nil))
			want[i/2%2][i%5/2] += 3
		}
		if err := errors.Join(same(x, counts[0], want[0]), same(x, counts[1], want[1]), x.Close()); err != nil {
			t.Error(err)
		}

		x = traverse.New(t.Context(), p, traverse.Options{Engine: traverse.LevelByLevel})
		long, short := traverse.Array[uint32](x, 0), buffer(2)
		for i := range 3 {
			x.Do(x.All(), foreach.All(composed.NewFar(long, int64(i)), nil))
		}
		x.Do(x.All(), foreach.All(composed.NewFar(short, int64(2)), nil)) // 2 was an index before
		var f *functor.Fault
		if err := x.Close(); !errors.As(err, &f) || f.Len != 2 || f.Index != 2 {
			t.Errorf("an index of a shorter buffer: %v", err)
		}

		x = traverse.New(t.Context(), p, traverse.Options{Engine: traverse.LevelByLevel})
		gone := composed.NewFar(short, int64(1))
		for range 3 {
			x.Do(x.All(), foreach.All(gone, nil))
		}
		if err := errors.Join(x.Err(), short.Close()); err != nil {
			t.Error(err)
		}
		x.Do(x.All(), foreach.All(gone, nil))
		if err := x.Close(); !errors.Is(err, device.ErrClosed) {
			t.Errorf("a buffer that was freed: %v", err)
		}
	}
}
