package unite_test

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/cc/internal/unite"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// TestTiles compares with labels that are lowered until none changes.
func TestTiles(t *testing.T) {
	const n = 2*unite.Tile + 1000
	r := rand.New(rand.NewPCG(1, 2))
	var es []testgraph.Edge
	for range n {
		v := r.IntN(n)
		es = append(es, testgraph.Edge{From: uint32(v), To: uint32(min(n-1, v+r.IntN(40)))})
	}
	g := testgraph.Build(n, es, testgraph.Undirected)
	want := make([]uint32, n)
	for v := range want {
		want[v] = uint32(v)
	}
	for changed := true; changed; {
		changed = false
		for v := range uint32(n) {
			for _, u := range g.Out().Targets[g.Out().Offsets[v]:g.Out().Offsets[v+1]] {
				if u/unite.HostTile(n) == v/unite.HostTile(n) && want[u] < want[v] {
					want[v], changed = want[u], true
				}
			}
		}
	}
	for _, workers := range []int{1, 3} {
		p, err := g.On(host.New(workers))
		if err != nil {
			t.Fatal(err)
		}
		x := traverse.New(t.Context(), p)
		label := traverse.Uninitialized[uint32](x)
		x.Do(x.All(), unite.Tiles(label, 1000, false))
		if x.Err() != nil {
			t.Fatal(x.Err())
		}
		for v, l := range label.Host() {
			if l != want[v] {
				t.Fatalf("vertex %d has %d, want %d", v, l, want[v])
			}
		}
		x.Close()
		p.Close()
	}
}
