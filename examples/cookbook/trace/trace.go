// This program traces goods from a place along deliveries, in the order of their dates
// (docs/cookbook/supply.md).
package main

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../../cmd/generate

// Carry carries goods over a delivery that leaves no earlier than the goods arrived.
//
//foray:functor
type Carry struct {
	Day []float32 // the first day on which goods are at a place; +Inf: never
}

// Edge lets the target through if goods arrive there earlier than was known.
func (c *Carry) Edge(e traverse.Edge) bool {
	if e.Weight < c.Day[e.Source] {
		return false
	}
	return e.Weight < atomics.Min(&c.Day[e.Target], e.Weight)
}

// arrivals finds the first day on which goods from a place can be at each place.
func arrivals(t *traverse.Traversal, place uint32, day float32) *device.Buffer[float32] {
	first := traverse.Array[float32](t, float32(math.Inf(1)))
	traverse.Set(t, first, place, day)
	t.Repeat(t.From(place), advance.Push(NewCarry(first)), filter.Unique())
	return first
}
