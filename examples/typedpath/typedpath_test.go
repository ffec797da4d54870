package typedpath

import (
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

func TestEnds(t *testing.T) {
	foraytest.Compare(t, func(x *traverse.Traversal, source uint32) *device.Buffer[uint32] {
		follows, likes := codes(t, x.Placed().Graph())
		return Ends(x, source, follows, likes)
	}, func(g *graph.Graph, source uint32) []uint32 {
		follows, likes := codes(t, g)
		out := g.Out()
		c, err := g.EdgeColumn("kind")
		if err != nil {
			t.Fatal(err)
		}
		kind := c.Values.([]uint32)
		found, seen, queue := make([]uint32, g.NumVertices()), map[uint32]bool{source: true}, []uint32{source}
		for len(queue) > 0 {
			v := queue[0]
			queue = queue[1:]
			for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
				u := out.Targets[e]
				if kind[e] == likes {
					found[u] = 1
				}
				if kind[e] == follows && !seen[u] {
					seen[u] = true
					queue = append(queue, u)
				}
			}
		}
		return found
	})
}

// codes returns those of both kinds.
func codes(t *testing.T, g *graph.Graph) (follows, likes uint32) {
	t.Helper()
	follows, err := g.Code("kind", "follows")
	if err != nil {
		t.Fatal(err)
	}
	if likes, err = g.Code("kind", "likes"); err != nil {
		t.Fatal(err)
	}
	return follows, likes
}
