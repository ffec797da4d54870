// This file holds what happens at a vertex.

package triangles

import "github.com/foray-graph/foray/traverse"

//go:generate go run ../../cmd/generate

// rate works out the coefficient of a vertex.
//
//foray:functor
type rate struct {
	Links       []uint64 // between neighbors, of every vertex
	Degree      []uint32
	Coefficient []float64
	Each        uint64 // how many directed edges a link is
}

// Vertex returns it, too.
func (f *rate) Vertex(v traverse.Vertex) float64 {
	d := uint64(f.Degree[v.ID])
	if d < 2 {
		return 0 // which is there already
	}
	c := float64(f.Each*f.Links[v.ID]) / float64(d*(d-1))
	f.Coefficient[v.ID] = c
	return c
}
