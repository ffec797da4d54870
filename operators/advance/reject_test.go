package advance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/traverse"
)

// choosy accepts some edges. It notes what it was asked for each vertex, without locks: calls
// for one vertex are one after another.
type choosy struct {
	in    *graph.CSR
	share uint64 // of 256 edges, how many are accepted
	asked [][]uint64
	wrong atomic.Pointer[string]
}

func (f *choosy) accepts(edge uint64) bool { return edge*0x9e3779b97f4a7c15>>56 < f.share }

func (f *choosy) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	f.wrong.Store(&text)
}

func (f *choosy) Found(operators.Worker, []uint32, []uint32) { f.say("Found was called") }

func (f *choosy) HitEdges(w operators.Worker, vertices, parents []uint32, edges []uint64, hits []bool) {
	if len(vertices) == 0 || len(parents) != len(vertices) || len(edges) != len(vertices) || len(hits) != len(vertices) || w.Level != 5 {
		f.say("%d vertices, %d parents, %d edges, %d hits at level %d", len(vertices), len(parents), len(edges), len(hits), w.Level)
		return
	}
	for i, v := range vertices {
		if hits[i] {
			f.say("hits[%d] is true", i)
		}
		if e := edges[i]; f.in.Targets[e] != parents[i] {
			f.say("edge %d isn't one from %d", e, parents[i])
		}
		f.asked[v] = append(f.asked[v], edges[i])
		hits[i] = f.accepts(edges[i])
	}
}

// TestPullRejects: a sink that rejects edges is asked about those from the frontier in the order
// of the row, until it accepts one.
func TestPullRejects(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(6, 6))
	several := make([]testgraph.Edge, 4000) // many of them parallel
	for i := range several {
		several[i] = testgraph.Edge{From: uint32(r.IntN(60)), To: uint32(r.IntN(60))}
	}
	graphs := map[string]*graph.Graph{
		"parallel edges": testgraph.Build(60, several, testgraph.Undirected),
		"many tiles":     testgraph.Uniform(30_000, 6, testgraph.Undirected).Graph(1),
	}
	for _, c := range testgraph.All() {
		if c.Kind != testgraph.Directed {
			graphs[c.Name] = c.Graph(8)
		}
	}
	for name, g := range graphs {
		for _, workers := range workerCounts() {
			b := newBench(t, g, workers)
			b.a.Level = 5
			for _, share := range []float64{0.01, 0.3, 1} {
				for _, accepted := range []uint64{0, 20, 128, 256} {
					in, seen, out := bitmap(t, b, r, share), bitmap(t, b, r, 0.2), frontier.New(b.p)
					f := &choosy{in: g.In(), share: accepted, asked: make([][]uint64, g.NumVertices())}
					edges, err := b.a.Pull(in, seen, out, f)
					must(t, err)
					if w := f.wrong.Load(); w != nil {
						t.Fatal(*w)
					}
					if err := f.check(in, seen, out, edges); err != nil {
						t.Fatalf("%s, %d workers, share %g, %d accepted: %v", name, workers, share, accepted, err)
					}
				}
			}
		}
	}
}

func (f *choosy) check(in, seen, out *frontier.Frontier, edges uint64) error {
	has := func(f *frontier.Frontier, v uint32) bool { return f.Bits()[v>>6]>>(v&63)&1 != 0 }
	found, least, most := 0, uint64(0), uint64(0)
	for v := range uint32(f.in.NumVertices()) {
		var want []uint64
		hit := false
		if first := f.in.Offsets[v]; !has(seen, v) {
			for e := first; e < f.in.Offsets[v+1] && !hit; e++ {
				if most++; has(in, f.in.Targets[e]) {
					want = append(want, e)
					hit = f.accepts(e)
				}
			}
			least += uint64(len(want))
		}
		if hit {
			found++
		}
		if !slices.Equal(f.asked[v], want) || has(out, v) != hit {
			return fmt.Errorf("vertex %d: asked about %v, want %v; found: %t, want %t", v, f.asked[v], want, has(out, v), hit)
		}
	}
	if out.Len() != found || edges < least || edges > most {
		return fmt.Errorf("%d vertices found, want %d, by %d edges, want %d to %d", out.Len(), found, edges, least, most)
	}
	return nil
}

// TestPullStepErrors has pulls that can't be.
func TestPullStepErrors(t *testing.T) {
	g := testgraph.ByName("uniform-reverse").Graph(1)
	p, err := g.On(host.New(2))
	must(t, err)
	defer p.Close()
	for what, c := range map[string]struct {
		step func(x *traverse.Traversal, cur *traverse.Frontier) error
		want error
	}{
		"no functor": {func(x *traverse.Traversal, cur *traverse.Frontier) error {
			x.Do(cur, advance.Pull(nil, x.Bits(0)))
			return x.Err()
		}, operators.ErrFunctor},
		"no bitmap": {func(x *traverse.Traversal, cur *traverse.Frontier) error {
			x.Do(cur, advance.Pull(advance.Parents(nil), nil))
			return x.Err()
		}, frontier.ErrForeign},
		"a short array": {func(x *traverse.Traversal, cur *traverse.Frontier) error {
			x.Do(cur, advance.Pull(composed.NewAdopt(device.Wrap(make([]uint32, 3)), traverse.Array[int32](x, 0)), x.Bits(0)))
			return x.Err()
		}, graph.ErrOptions},
	} {
		x := traverse.New(context.Background(), p)
		if err := c.step(x, x.From(0)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		} else if what == "no bitmap" && !strings.Contains(err.Error(), "advance: pull: seen frontier: nil; frontier.New makes a frontier, and traverse.Traversal.Bits") {
			t.Errorf("%s: %v", what, err)
		}
		_ = x.Close()
	}
}
