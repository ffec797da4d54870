// This file holds what follows on the host after tiles of vertices were united. Vertices that are near in number are most
// often below the same root, so what was found for one vertex is kept for the next.

package cc

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
)

// acrossOnHost is across, for a list of vertices: two trees are linked once, not for each edge between them. All workers
// look at their roots, and would wait for the lines of memory.
type acrossOnHost struct {
	foreach.Functor[uint64] // across
	label                   *device.Buffer[uint32]
	rows                    *graph.CSR
	shift                   uint32 // a tile has 1<<shift vertices
}

// Visit links some vertices.
func (f *acrossOnHost) Visit(w operators.Worker, vs []uint32) uint64 {
	label := f.label.Host()
	above, over := uint32(graph.NoVertex), uint32(graph.NoVertex) // the parents that were linked last
	for i, v := range vs {
		up := atomics.Load(&label[v])
		row := f.rows.Neighbors(v)
		for _, u := range row[:min(len(row), looks)] {
			if u >= v || u>>f.shift == v>>f.shift {
				continue
			}
			beside := atomics.Load(&label[u])
			if up != above || beside != over {
				f.Functor.Visit(w, vs[i:i+1]) // all edges of the vertex
				above, over = up, beside
			}
		}
	}
	return 0
}

// settle counts components, and names their vertices by their roots.
type settle struct {
	foreach.Functor[uint64] // shorten
	label, named            *device.Buffer[uint32]
}

// Visit returns the number of roots.
func (f *settle) Visit(w operators.Worker, vs []uint32) (roots uint64) {
	label, named := f.label.Host(), f.named.Host()
	above, root := uint32(graph.NoVertex), uint32(0)
	for i, v := range vs {
		if up := atomics.Load(&label[v]); up != above {
			f.Functor.Visit(w, vs[i:i+1]) // its parent becomes the root
			above, root = up, atomics.Load(&label[v])
		}
		named[v] = root
		if root == v {
			roots++
		}
	}
	return roots
}
