// This file holds triangles.

package oracle

import "github.com/foray-graph/foray/graph"

// Triangles counts the triangles at every vertex and works out the coefficients by the
// definition, on one goroutine: it looks at all pairs of neighbors.
func Triangles(g *graph.Graph) (triangles []uint64, coefficient []float64, total uint64) {
	n := g.NumVertices()
	leads := map[[2]uint32]bool{}
	for v := range uint32(n) {
		for _, w := range g.Out().Neighbors(v) {
			if w != v {
				leads[[2]uint32{v, w}] = true
			}
		}
	}
	near := make([]map[uint32]bool, n)
	for v := range near {
		near[v] = map[uint32]bool{}
	}
	for e := range leads {
		near[e[0]][e[1]], near[e[1]][e[0]] = true, true
	}
	triangles, coefficient = make([]uint64, n), make([]float64, n)
	for v, all := range near {
		links := 0
		for a := range all {
			for b := range all {
				if leads[[2]uint32{a, b}] {
					links++
				}
				if a < b && near[a][b] {
					triangles[v]++
				}
			}
		}
		if d := len(all); d > 1 {
			coefficient[v] = float64(links) / float64(d*(d-1))
		}
		total += triangles[v]
	}
	return triangles, coefficient, total / 3
}
