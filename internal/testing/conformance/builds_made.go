// This file holds the tests of graphs whose edges a device makes.

package conformance

import (
	"reflect"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

// made compares graphs whose edges the device makes with those that the host makes.
func (s Suite) made(t *testing.T) {
	// Edges of more than one block (kMadeBlock); of the stars rows for the largest kind of sorting, of keys of
	// 4 bytes and of 8.
	large := []string{"star:300000", "star:140000,weights=1:9", "grid2d:300x230", "grid2d:230x300,torus,weights=0.5:2", "grid3d:40x30x41"}
	if s.Small {
		large = []string{"star:70000", "star:20000,weights=1:9", "grid2d:200x170", "grid2d:170x200,torus,weights=0.5:2", "grid3d:28x29x30"}
	}
	for _, spec := range append(large,
		"kron1", "kron5", "kron9:edgefactor=5,seed=7", "kron13", "kron12:a=0.25,b=0.25,c=0.25", "kron6:edgefactor=2000,weights=-3:250", "kron11:weights=-1.0:2.5,weightseed=9",
		"urand1", "urand:n=10007,edgefactor=9,seed=3", "urand12:weights=0.0:-0.0", "urand:n=1,edgefactor=70000", "urand10:weights=7:7",
		"grid2d:1x400", "grid2d:400x1", "grid2d:3x3,torus", "grid3d:1x1x50", "grid3d:1x50x2", "grid3d:7x1x5",
		"grid3d:31x29x37,torus", "road:40x30", "smallworld:n=400,k=8,p=0.1",
	) {
		t.Run(spec, func(t *testing.T) { s.madeOf(t, spec) })
	}
}

// madeOf compares the graphs of one generator, with three kinds of options.
func (s Suite) madeOf(t *testing.T, spec string) {
	g, err := gen.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []graph.Options{{}, {Directed: true, Reverse: true, KeepDuplicates: true, KeepSelfLoops: true, Order: graph.OrderGiven}, {Directed: true}} {
		o.Weights = g.WeightType() != graph.WeightsAuto
		want, err := gen.Build(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Device, o.DeviceOnly = s.Device, s.GPU
		got, err := gen.Build(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		stats := want.Stats()
		if s.GPU {
			stats.Device = s.Device.Info().Name
		}
		if !sameRows(got.Out(), want.Out()) || !sameRows(got.In(), want.In()) || !reflect.DeepEqual(got.IDs(), want.IDs()) || got.Stats() != stats || got.Order() != want.Order() {
			t.Errorf("%s, %+v: made on the device it differs", spec, o)
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
}
