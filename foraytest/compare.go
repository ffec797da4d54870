// This file compares traversals with naive functions.

package foraytest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/generate"
	"github.com/foray-graph/foray/traverse"
)

// graphSeed is the seed of the graphs.
const graphSeed = 1

// nearly is by which part of the larger one floats may differ: some hundred roundings of
// float32.
const nearly = 1e-5

// Compare runs a traversal from some vertices of every graph of Graphs, and compares the array
// that it returns with the naive function's result: an element per vertex, by internal number. It
// does so on the host with one worker and with four, and on the emulated GPU with each engine, in
// subtests named after the device, engine and graph. Without a C++ compiler the subtests on the
// emulated GPU are skipped.
//
// Floats may differ by 1e-5 of the larger one, since sums are added up in another
// order; NaN is equal to NaN.
//
// Directed graphs are tested with their reverse and without it. Without it, a traversal that needs
// the reverse (reduce.In) is skipped. Compare fails if foray_functors.go, in the test's folder,
// isn't up to date with the functors there.
//
// run doesn't free the array or close the traversal; its errors are the traversal's. naive may
// be called more than once for a graph and source.
func Compare[T device.Elem](t *testing.T, run func(x *traverse.Traversal, source uint32) *device.Buffer[T], naive func(g *graph.Graph, source uint32) []T) {
	t.Helper()
	if err := generate.Check(t.Context(), "."); err != nil && !errors.Is(err, generate.ErrNone) {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 4} {
		t.Run(fmt.Sprintf("host with %d workers", workers), func(t *testing.T) {
			compareOn(t, host.New(workers), run, naive, traverse.AutoEngine)
		})
	}
	t.Run("emulated GPU", func(t *testing.T) {
		compareOn(t, EmulatedGPU(t), run, naive, traverse.LevelByLevel, traverse.AutoEngine)
	})
}

func compareOn[T device.Elem](t *testing.T, dev device.Device, run func(x *traverse.Traversal, source uint32) *device.Buffer[T], naive func(g *graph.Graph, source uint32) []T, engines ...traverse.Engine) {
	for _, g := range Graphs(graphSeed) {
		n := g.Graph.NumVertices()
		if n == 0 {
			continue
		}
		for _, e := range engines {
			name := g.Name
			if len(engines) > 1 {
				name = e.String() + ", " + name
			}
			t.Run(name, func(t *testing.T) {
				p, err := g.Graph.On(dev)
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := p.Close(); err != nil {
						t.Error(err)
					}
				}()
				for _, source := range []uint32{0, uint32(n / 2), uint32(n - 1)} {
					err := compareOnce(t.Context(), p, source, e, run, naive(g.Graph, source))
					if errors.Is(err, graph.ErrNoReverse) {
						t.Skip("needs the reverse of the directed graph: build it with graph.Options.Reverse")
					}
					if err != nil {
						t.Fatalf("from vertex %d: %v", source, err)
					}
				}
			})
		}
	}
}

func compareOnce[T device.Elem](ctx context.Context, p *graph.Placed, source uint32, e traverse.Engine, run func(x *traverse.Traversal, source uint32) *device.Buffer[T], want []T) (err error) {
	x := traverse.New(ctx, p, traverse.Options{Engine: e})
	defer func() {
		if closing := x.Close(); err == nil {
			err = closing
		}
	}()
	b := run(x, source)
	if b == nil {
		return errors.Join(x.Err(), errors.New("the traversal returned no array"))
	}
	r, err := traverse.Result(x, b)
	if err != nil {
		return err
	}
	got, err := r.Slice()
	if err != nil {
		return errors.Join(err, r.Close())
	}
	if len(got) != len(want) {
		return errors.Join(fmt.Errorf("the array has %d elements, the naive function returned %d", len(got), len(want)), r.Close())
	}
	for v := range want {
		if !near(got[v], want[v]) {
			return errors.Join(fmt.Errorf("vertex %d has %v, the naive function says %v", v, got[v], want[v]), r.Close())
		}
	}
	return r.Close()
}

// near reports whether two values are equal, floats up to rounding.
func near[T device.Elem](a, b T) bool {
	if a == b || a != a && b != b {
		return true
	}
	switch any(a).(type) {
	case float32, float64:
		x, y := float64(a), float64(b)
		return math.Abs(x-y) <= nearly*math.Max(math.Abs(x), math.Abs(y))
	}
	return false
}
