// This file holds how distances are told, whatever type they have.

package main

import (
	"fmt"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
)

// distanceTexts are distances as text.
type distanceTexts struct {
	ints    []int64 // or
	doubles []float64
	singles []float32
}

func newDistanceTexts(d sssp.Distances) (t distanceTexts, err error) {
	switch d.Type() {
	case graph.WeightsInt64:
		t.ints, err = d.Int64.Slice()
	case graph.WeightsFloat32:
		t.singles, err = d.Float32.Slice()
	default:
		t.doubles, err = d.Float64.Slice()
	}
	return t, err
}

// reached reports whether a vertex was reached.
func (t *distanceTexts) reached(v uint32) bool {
	switch {
	case t.ints != nil:
		return t.ints[v] >= 0
	case t.doubles != nil:
		return finite(t.doubles[v])
	}
	return finite(float64(t.singles[v]))
}

func finite(x float64) bool { return x-x == 0 }

// of returns the distance of a vertex.
func (t *distanceTexts) of(v uint32) string {
	switch {
	case t.ints != nil:
		return fmt.Sprint(t.ints[v])
	case t.doubles != nil:
		return fmt.Sprint(t.doubles[v])
	}
	return fmt.Sprint(t.singles[v])
}

// farthest returns the largest distance of a reached vertex.
func (t *distanceTexts) farthest() string {
	n := max(len(t.ints), len(t.doubles), len(t.singles))
	far := uint32(0)
	for v := range uint32(n) {
		if t.reached(v) && (!t.reached(far) || t.less(far, v)) {
			far = v
		}
	}
	if n == 0 || !t.reached(far) {
		return "0"
	}
	return t.of(far)
}

func (t *distanceTexts) less(u, v uint32) bool {
	switch {
	case t.ints != nil:
		return t.ints[u] < t.ints[v]
	case t.doubles != nil:
		return t.doubles[u] < t.doubles[v]
	}
	return t.singles[u] < t.singles[v]
}

// distanceTypeText describes the type of distances, and where they were found if not on the device.
func distanceTypeText(r *sssp.Result) string {
	s := map[graph.WeightType]string{
		graph.WeightsInt64: "int64, exact", graph.WeightsFloat64: "float64", graph.WeightsFloat32: "float32, rounded",
	}[r.Distances.Type()]
	if r.WhyHost != "" {
		s += "; one thread of the host searched: " + r.WhyHost + "; --weight-type float32 searches on the device"
	}
	return s
}
