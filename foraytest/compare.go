// This file compares traversals with naive functions.

package foraytest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/generate"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// graphSeed is the seed of the graphs.
const graphSeed = 1

// nearly is by which part of the larger one floats may differ: some hundred roundings of
// float32.
const nearly = 1e-5

// Options of Compare, CompareEdges and CompareScalar. The zero value tests on every graph of Graphs.
type Options struct {
	// Graphs, if not nil, are tested instead of those of the function Graphs, for example with other columns.
	Graphs []Graph
	// Keep, if not nil, chooses graphs, for example the undirected ones: func(g *graph.Graph) bool { return !g.Directed() }.
	// A test that has no graph left fails.
	Keep func(g *graph.Graph) bool
	// Unsorted tests on graphs whose rows are in random order. They have no edge columns.
	Unsorted bool
}

// Compare runs a traversal from some vertices of every graph of Graphs, and compares the array
// that it returns with the naive function's result: an element per vertex, by internal number. It
// does so on the host with one worker and with four, and on the emulated GPU with each engine, in
// subtests named after the device, engine and graph. Without a C++ compiler the subtests on the
// emulated GPU are skipped. At most one Options may be given.
//
// Floats may differ by 1e-5 of the larger one, since sums are added up in another
// order; NaN is equal to NaN.
//
// Directed graphs are tested with their reverse and without it. Without it, a traversal that needs
// the reverse (reduce.In) is skipped. Compare fails if foray_functors.go, in the test's folder,
// isn't up to date with the functors there.
//
// Compare checks //foray:unique: a functor that is marked so and lets a vertex through twice in one step of the host, or
// of the emulated GPU level by level, fails the test, with an error that names the functor and the vertex.
//
// run doesn't free the array or close the traversal; its errors are the traversal's. naive may
// be called more than once for a graph and source.
func Compare[T device.Elem](t *testing.T, run func(x *traverse.Traversal, source uint32) *device.Buffer[T], naive func(g *graph.Graph, source uint32) []T, o ...Options) {
	t.Helper()
	compare(t, o, func(x *traverse.Traversal, source uint32) error {
		b := run(x, source)
		if b == nil {
			return errors.Join(x.Err(), errors.New("the traversal returned no array"))
		}
		r, err := traverse.Result(x, b)
		if err != nil {
			return err
		}
		got, err := r.Slice()
		return errors.Join(err, equal(got, naive(x.Placed().Graph(), source), "vertex", err == nil), r.Close())
	})
}

// CompareEdges is Compare for an array with an element per edge, of traverse.EdgeArray, which the naive function returns by
// number of the edge in Graph.Out.
func CompareEdges[T device.Elem](t *testing.T, run func(x *traverse.Traversal, source uint32) *device.Buffer[T], naive func(g *graph.Graph, source uint32) []T, o ...Options) {
	t.Helper()
	compare(t, o, func(x *traverse.Traversal, source uint32) error {
		b := run(x, source)
		if b == nil {
			return errors.Join(x.Err(), errors.New("the traversal returned no array"))
		}
		r, err := traverse.EdgeResult(x, b)
		if err != nil {
			return err
		}
		got, err := r.Slice()
		return errors.Join(err, equal(got, naive(x.Placed().Graph(), source), "edge", err == nil), r.Close())
	})
}

// CompareScalar is Compare for a number, such as what traverse.Get returns.
func CompareScalar[T device.Elem](t *testing.T, run func(x *traverse.Traversal, source uint32) T, naive func(g *graph.Graph, source uint32) T, o ...Options) {
	t.Helper()
	compare(t, o, func(x *traverse.Traversal, source uint32) error {
		got := run(x, source)
		if err := x.Err(); err != nil {
			return err
		}
		if want := naive(x.Placed().Graph(), source); !near(got, want) {
			return fmt.Errorf("the result is %v, the naive function says %v", got, want)
		}
		return nil
	})
}

// equal compares arrays, if there are any.
func equal[T device.Elem](got, want []T, what string, is bool) error {
	if !is {
		return nil
	}
	if len(got) != len(want) {
		return fmt.Errorf("the array has %d elements, the naive function returned %d", len(got), len(want))
	}
	for i := range want {
		if !near(got[i], want[i]) {
			return fmt.Errorf("%s %d has %v, the naive function says %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// test is one run of a traversal, and the comparison.
type test func(x *traverse.Traversal, source uint32) error

func compare(t *testing.T, list []Options, one test) {
	t.Helper()
	if len(list) > 1 {
		t.Fatalf("%d Options; give one at most", len(list))
	}
	if err := checkFunctors(t.Context(), "."); err != nil {
		t.Fatal(err)
	}
	var o Options
	if len(list) == 1 {
		o = list[0]
	}
	graphs, err := o.graphs()
	if err != nil {
		t.Fatal(err)
	}
	tuning.CheckUnique.Store(true)
	for _, workers := range []int{1, 4} {
		t.Run(fmt.Sprintf("host with %d workers", workers), func(t *testing.T) {
			compareOn(t, host.New(workers), graphs, one, traverse.AutoEngine)
		})
	}
	t.Run("emulated GPU", func(t *testing.T) {
		compareOn(t, EmulatedGPU(t), graphs, one, traverse.LevelByLevel, traverse.AutoEngine)
	})
}

// checkFunctors reports a file of generated functors that isn't up to date. A folder of tests alone has no functors.
func checkFunctors(ctx context.Context, dir string) error {
	err := generate.Check(ctx, dir)
	if err == nil || errors.Is(err, generate.ErrNone) {
		return nil
	}
	files, listing := filepath.Glob(filepath.Join(dir, "*.go"))
	if listing == nil && !slices.ContainsFunc(files, func(name string) bool { return !strings.HasSuffix(name, "_test.go") }) {
		return nil
	}
	return err
}

// graphs returns the graphs to test on.
func (o *Options) graphs() (some []Graph, err error) {
	all := o.Graphs
	switch {
	case all != nil && len(all) == 0:
		return nil, fmt.Errorf("foraytest: %w: Options.Graphs is empty; name graphs, or leave it nil to test on those of Graphs", graph.ErrOptions)
	case all != nil:
	case o.Unsorted:
		for _, c := range testgraph.Tiny() {
			all = append(all, Graph{c.Name, c.Weighted(graphSeed)})
		}
	default:
		all = Graphs(graphSeed)
	}
	for i, g := range all {
		if g.Graph == nil {
			return nil, fmt.Errorf("foraytest: %w: Options.Graphs[%d], named %.100q: %w", graph.ErrOptions, i, g.Name, graph.ErrNoGraph)
		}
		if g.Graph.NumVertices() > 0 && (o.Keep == nil || o.Keep(g.Graph)) {
			some = append(some, g)
		}
	}
	switch {
	case len(some) > 0:
		return some, nil
	case o.Keep != nil:
		return nil, fmt.Errorf("foraytest: %w: Options.Keep leaves no graph with a vertex, of %d graphs", graph.ErrOptions, len(all))
	}
	return nil, fmt.Errorf("foraytest: %w: no graph of Options.Graphs has a vertex", graph.ErrOptions)
}

func compareOn(t *testing.T, dev device.Device, graphs []Graph, one test, engines ...traverse.Engine) {
	for _, g := range graphs {
		n := g.Graph.NumVertices()
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
					err := compareOnce(t.Context(), p, source, e, one)
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

func compareOnce(ctx context.Context, p *graph.Placed, source uint32, e traverse.Engine, one test) (err error) {
	x := traverse.New(ctx, p, traverse.Options{Engine: e})
	defer func() {
		if closing := x.Close(); err == nil {
			err = closing
		}
	}()
	return one(x, source)
}

// near reports whether two values are equal, floats up to rounding.
func near[T device.Elem](a, b T) bool {
	if a == b || a != a && b != b {
		return true
	}
	switch any(a).(type) {
	case float32, float64:
		x, y := float64(a), float64(b)
		if math.IsInf(x, 0) || math.IsInf(y, 0) {
			return false // a different infinity, or none
		}
		return math.Abs(x-y) <= nearly*math.Max(math.Abs(x), math.Abs(y))
	}
	return false
}
