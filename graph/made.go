// This file holds how a graph is built of edges that a device makes.

package graph

import (
	"context"
	"math/rand/v2"

	"github.com/foray-graph/foray/internal/engine/placed"
)

// making is placed.Making of the options of a Builder, or nil.
func (o *Options) making() *placed.Making {
	m, _ := o.Device.(*placed.Making)
	return m
}

// buildMade lets a device generate the edges of a generator (package gen), and builds the graph. The error is
// placed.ErrNotMade if the device doesn't support that, has too little memory, or the edges are few. Then the host can
// build the graph.
//
// Ids are vertices: DenseIDs and Vertices are set. Errors are the same as for Builder.Build, and with
// DeviceOnly device.ErrMemory for a graph that doesn't fit there.
func buildMade(ctx context.Context, o Options, by *placed.Making) (*Graph, error) {
	o.Device = by.Device
	m := by.Maker
	if err := o.Check(); err != nil {
		return nil, err
	}
	if !o.onDevice() && !o.shardsRows() || o.EdgeIDs || o.combines() || m.Edges == 0 { // these edges have no ids
		return nil, errNotThere
	}
	o.DenseIDs, o.Vertices = true, m.Vertices
	in := newIntake(o)
	if err := in.note(intakeBatch{typ: Uint32, edges: int(m.Edges), hi: m.Vertices - 1}); err != nil {
		return nil, err
	}
	b := &build{crew: newCrew(ctx, o), o: o, maxVertices: in.maxVertices, pool: &chunkPool{}, ids: idSource{typ: Uint32}, last: in.hi,
		items: in.edges, made: m, seed: rand.Uint64(), window: windowEdges, weightType: in.weightType(),
		load: load{o: o, edges: in.edges, items: in.edges, vertices: m.Vertices, made: true}, refuse: in.refuse}
	b.stats.InputEdges = in.edges
	return b.graph()
}

// errNotThere means that the device doesn't build, and that the host may.
var errNotThere = placed.ErrNotMade
