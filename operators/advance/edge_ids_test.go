package advance_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// TestEdgeIDs: the number of an edge that a functor sees leads to its id.
func TestEdgeIDs(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	type end struct{ src, dst int64 }
	edges := map[end]uint64{}
	var e graph.Batch
	for i := range 3000 {
		x := end{r.Int64N(300), r.Int64N(40)}
		if _, ok := edges[x]; ok || x.src == x.dst {
			continue
		}
		edges[x] = uint64(i) << 33
		e.Src, e.Dst, e.EdgeIDs = append(e.Src, x.src), append(e.Dst, x.dst), append(e.EdgeIDs, edges[x])
	}
	b := graph.NewBuilder(graph.Options{Directed: true, EdgeIDs: true, Order: graph.OrderDegree})
	if err := b.Add(e); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	dev := host.New(2)
	defer dev.Close()
	dg, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer dg.Close()
	stream, err := dev.NewStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	adv, err := advance.New(stream, dg)
	if err != nil {
		t.Fatal(err)
	}
	cur, next := frontier.New(dg), frontier.New(dg)
	if err := cur.Clear(frontier.Queue); err != nil {
		t.Fatal(err)
	}
	for v := range uint32(g.NumVertices()) {
		if err := cur.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	seen := 0
	ids, m := g.Out().EdgeIDs, g.IDs()
	visit := advance.Func(func(_ operators.Worker, source uint32, first uint64, targets, _ []uint32) int {
		mu.Lock()
		defer mu.Unlock()
		for i, v := range targets {
			seen++
			if want := edges[end{m.Int(source), m.Int(v)}]; ids[first+uint64(i)] != want {
				t.Errorf("the edge from %d to %d has id %d, want %d", m.Int(source), m.Int(v), ids[first+uint64(i)], want)
			}
		}
		return 0
	})
	if _, err := adv.Push(cur, next, visit); err != nil {
		t.Fatal(err)
	}
	if seen != len(edges) {
		t.Errorf("%d of %d edges were seen", seen, len(edges))
	}
}
