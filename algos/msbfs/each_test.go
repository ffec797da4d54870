package msbfs_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testctx"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// naive returns what Each finds from a source: depth by depth, vertices ascending.
func naive(g *graph.Graph, source uint32, o msbfs.EachOptions) (f msbfs.Found) {
	d := oracle.Depths(g.Out(), source)
	f.Source = source
	for depth := int32(0); int(depth) <= g.NumVertices() && (o.DepthLimit == 0 || int(depth) <= o.DepthLimit); depth++ {
		for v := range uint32(g.NumVertices()) {
			if d[v] != depth || o.Targets != nil && !slices.Contains(o.Targets, v) {
				continue
			}
			f.Vertices, f.Depths = append(f.Vertices, v), append(f.Depths, depth)
			if !o.Parents {
				continue
			}
			parent := v
			for u := uint32(0); depth > 0; u++ {
				if d[u] == depth-1 && slices.Contains(g.Out().Neighbors(u), v) {
					parent = u
					break
				}
			}
			f.Parents = append(f.Parents, parent)
		}
	}
	return f
}

func checkEach(t *testing.T, g *graph.Graph, workers int, r *rand.Rand) {
	t.Helper()
	p := testgraph.Place(g, workers)
	defer p.Close()
	n := g.NumVertices()
	defer narrow(uint64(n))()
	o := msbfs.EachOptions{Parents: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		o.DepthLimit = 1 + r.IntN(4)
	}
	if r.IntN(3) == 0 {
		o.Targets = []uint32{}
		for range r.IntN(4) {
			o.Targets = append(o.Targets, uint32(r.IntN(n)))
		}
	}
	var sources []uint32
	for range r.IntN(150) {
		sources = append(sources, uint32(r.IntN(n)))
	}
	at := 0
	for f, err := range msbfs.Each(t.Context(), p, sources, o) {
		if err != nil {
			t.Fatal(err)
		}
		want := naive(g, sources[at], o)
		if f.Source != want.Source || !slices.Equal(f.Vertices, want.Vertices) || !slices.Equal(f.Depths, want.Depths) || !slices.Equal(f.Parents, want.Parents) {
			t.Fatalf("%d vertices, source %d of %d, %+v: %v, want %v", n, at, len(sources), o, f, want)
		}
		at++
	}
	if at != len(sources) {
		t.Fatalf("%d of %d sources", at, len(sources))
	}
}

func TestEach(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for range 240 {
		checkEach(t, testgraph.Random(r, 1+r.IntN(40), 3, true), 1+r.IntN(3), r)
	}
}

func TestEachErrors(t *testing.T) {
	p := testgraph.Placed(graph.Options{}, []int64{1, 2, 3}, []int64{2, 3, 4})
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		sources []uint32
		o       msbfs.EachOptions
		want    error
	}{
		"source":   {t.Context(), []uint32{0, 4}, msbfs.EachOptions{}, graph.ErrNoVertex},
		"target":   {t.Context(), []uint32{0}, msbfs.EachOptions{Targets: []uint32{9}}, graph.ErrNoVertex},
		"limit":    {t.Context(), []uint32{0}, msbfs.EachOptions{DepthLimit: -1}, graph.ErrOptions},
		"canceled": {stopped, []uint32{0}, msbfs.EachOptions{}, context.Canceled},
	} {
		if err := eachError(msbfs.Each(c.ctx, p, c.sources, c.o)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended := 0
	for _, err := range msbfs.Each(t.Context(), p, []uint32{0, 1, 2}, msbfs.EachOptions{}) {
		if ended++; err != nil {
			t.Error(err)
		}
		if ended == 2 {
			break
		}
	}
	p.Close()
	if err := eachError(msbfs.Each(t.Context(), p, []uint32{0}, msbfs.EachOptions{})); !errors.Is(err, device.ErrClosed) {
		t.Errorf("freed: %v", err)
	}
	if err := eachError(msbfs.Each(t.Context(), nil, []uint32{0}, msbfs.EachOptions{})); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("nil: %v", err)
	}
}

// eachError reads all results and returns the error.
func eachError(found iter.Seq2[msbfs.Found, error]) error {
	for _, err := range found {
		if err != nil {
			return err
		}
	}
	return nil
}

func ExampleEach() {
	p := testgraph.Placed(graph.Options{}, []int64{1, 2, 3}, []int64{2, 3, 4})
	defer p.Close()
	for f, err := range msbfs.Each(context.Background(), p, []uint32{0, 2}, msbfs.EachOptions{DepthLimit: 2, Parents: true}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(f.Source, f.Vertices, f.Depths, f.Parents)
	}
	// Output:
	// 0 [0 1 2] [0 1 2] [0 0 1]
	// 2 [2 1 3 0] [0 1 1 2] [2 2 2 1]
}

// TestEachCanceled cancels Each at random looks at its context: it ends soon, and looks often enough.
func TestEachCanceled(t *testing.T) {
	testlong.Project(t)
	s, err := gen.Parse("kron15")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), s, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 2)
	sources := make([]uint32, 64)
	for i := range sources {
		sources[i] = uint32(7 * i)
	}
	r := rand.New(rand.NewPCG(22, 2))
	for _, parents := range []bool{false, true} {
		first := int64(0) // how often it looked before it handed out the first source: while it searched
		each := func(ctx *testctx.Polled) (found int, err error) {
			first = 0
			for f, err := range msbfs.Each(ctx, p, sources, msbfs.EachOptions{Parents: parents}) {
				if err != nil {
					return found, err
				}
				if found == 0 {
					first = ctx.Polls()
				}
				found += len(f.Vertices)
			}
			return found, nil
		}
		all := testctx.NewPolled(0)
		found, err := each(all)
		if err != nil {
			t.Fatal(err)
		}
		// Notes of 4,096 vertices by 64 lanes are some milliseconds, and are taken in parts.
		if least := int64(found / (4096 * 64 / 16)); first < least {
			t.Errorf("parents %v: it looks at its context %d times for %d vertices that were found, want %d times at least", parents, first, found, least)
		}
		for range 20 {
			ctx := testctx.NewPolled(1 + r.Int64N(all.Polls()))
			if _, err := each(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("parents %v: canceled at look %d: %v", parents, ctx.Polls()-ctx.Late(), err)
			}
			if ctx.Late() > 10 {
				t.Errorf("parents %v: %d looks at the context after it was done", parents, ctx.Late())
			}
		}
	}
}
