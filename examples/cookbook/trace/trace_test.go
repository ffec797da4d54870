package main

import (
	"math"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// start is the day on which goods are at the first place; the days of deliveries are 0 to 8.
const start = 2

func TestArrivals(t *testing.T) {
	testlong.Project(t)
	foraytest.Compare(t, func(t *traverse.Traversal, place uint32) *device.Buffer[float32] { return arrivals(t, place, start) }, naive)
}

// naive carries goods over deliveries until nothing changes.
func naive(g *graph.Graph, place uint32) []float32 {
	out, day := g.Out(), make([]float32, g.NumVertices())
	for v := range day {
		day[v] = float32(math.Inf(1))
	}
	day[place] = start
	for changed := true; changed; {
		changed = false
		for v := range day {
			for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
				if w := out.Weights[e]; w >= day[v] && w < day[out.Targets[e]] {
					day[out.Targets[e]], changed = w, true
				}
			}
		}
	}
	return day
}
