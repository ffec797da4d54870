package closetriangles

import (
	"testing"

	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

const window = 20

func TestCount(t *testing.T) {
	foraytest.CompareScalar(t, func(x *traverse.Traversal, _ uint32) uint64 { return Count(x, window) }, naive)
}

// naive looks at all triples of edges of every vertex.
func naive(g *graph.Graph, _ uint32) (count uint64) {
	column, _ := g.EdgeColumn("time")
	out, time := g.Out(), column.Values.([]int64)
	for a := range uint32(g.NumVertices()) {
		for ab := out.Offsets[a]; ab < out.Offsets[a+1]; ab++ {
			for ac := out.Offsets[a]; ac < out.Offsets[a+1]; ac++ {
				b, c := out.Targets[ab], out.Targets[ac]
				if a == b || a == c || b == c || !g.Directed() && (a < b || b < c) {
					continue
				}
				for bc := out.Offsets[b]; bc < out.Offsets[b+1]; bc++ {
					if out.Targets[bc] == c && max(time[ab], time[ac], time[bc])-min(time[ab], time[ac], time[bc]) <= window {
						count++
					}
				}
			}
		}
	}
	return count
}
