package oracle

import (
	"slices"

	"github.com/foray-graph/foray/graph"
)

// SimplePath is a path that visits no vertex twice.
type SimplePath struct {
	Length   float64
	Vertices []uint32
}

// SimplePaths returns all simple paths from a source to a target, by trying all of them. The lightest of parallel edges counts.
func SimplePaths(g *graph.Graph, source, target uint32, weighted bool) (all []SimplePath) {
	var walk func(path []uint32, length float64)
	walk = func(path []uint32, length float64) {
		u := path[len(path)-1]
		if u == target {
			all = append(all, SimplePath{length, slices.Clone(path)})
			return
		}
		lightest := map[uint32]float64{}
		for e := g.Out().Offsets[u]; e < g.Out().Offsets[u+1]; e++ {
			w := 1.0
			if weighted {
				w = g.Out().FloatWeight(e)
			}
			v := g.Out().Targets[e]
			if before, ok := lightest[v]; !ok || w < before {
				lightest[v] = w
			}
		}
		for v, w := range lightest {
			if !slices.Contains(path, v) {
				walk(append(path, v), length+w)
			}
		}
	}
	walk([]uint32{source}, 0)
	return all
}
