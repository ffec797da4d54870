// Package arrival finds the earliest arrival at every vertex, over edges with a departure time and a duration.
package arrival

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run github.com/foray-graph/foray/cmd/generate

// Ride lowers the arrival at an edge's target.
//
//foray:functor
type Ride struct {
	Arrival        []int64 // of every vertex
	Time, Duration []int64 // of every edge
}

// Edge takes the edge if its source is reached before it departs.
func (f *Ride) Edge(e traverse.Edge) bool {
	if f.Arrival[e.Source] > f.Time[e.Index] {
		return false
	}
	at := f.Time[e.Index] + f.Duration[e.Index]
	return at < atomics.Min(&f.Arrival[e.Target], at)
}

// Times returns the earliest arrival at every vertex, for travelers who start at the source at a time;
// math.MaxInt64 means never.
func Times(t *traverse.Traversal, source uint32, start int64) *device.Buffer[int64] {
	arrival := traverse.Array[int64](t, math.MaxInt64)
	traverse.Set(t, arrival, source, start)
	ride := NewRide(arrival, traverse.EdgeColumn[int64](t, "time"), traverse.EdgeColumn[int64](t, "duration"))
	t.Repeat(t.From(source), advance.Push(ride), filter.Unique())
	return arrival
}
