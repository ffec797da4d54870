// This file holds the tests of traversals that are given what doesn't fit, or are closed and
// freed at odd times.

package traverse_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// TestMisuse: what doesn't fit is an error, however it is fused.
func TestMisuse(t *testing.T) {
	g := testgraph.ByName("skewed-undirected").Graph(3)
	p, other := testgraph.Place(g, 4), testgraph.Place(g, 4)
	mask := func(p *graph.Placed, form frontier.Form) *frontier.Frontier {
		f := frontier.New(p)
		if err := f.Clear(form); err != nil {
			t.Fatal(err)
		}
		return f
	}
	freed := mask(p, frontier.Bitmap)
	freed.Close()
	push := advance.Push(advance.All())
	for name, c := range map[string]struct {
		want  error
		steps func(x *traverse.Traversal) []operators.Step
	}{
		"no functor, unique": {operators.ErrFunctor, func(*traverse.Traversal) []operators.Step {
			return []operators.Step{advance.Push(nil), filter.Unique()}
		}},
		"no functor, unvisited": {operators.ErrFunctor, func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{advance.Push(advance.Func(nil)), filter.Unvisited(x.Bits())}
		}},
		"claim of nothing, unvisited": {operators.ErrFunctor, func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{advance.Push(advance.Claim(nil)), filter.Unvisited(x.Bits())}
		}},
		"no mask": {frontier.ErrForeign, func(*traverse.Traversal) []operators.Step {
			return []operators.Step{push, filter.Unvisited(nil)}
		}},
		"a queue as mask": {frontier.ErrForm, func(*traverse.Traversal) []operators.Step {
			return []operators.Step{push, filter.Unvisited(mask(p, frontier.Queue))}
		}},
		"another graph's mask": {frontier.ErrForeign, func(*traverse.Traversal) []operators.Step {
			return []operators.Step{push, filter.Unvisited(mask(other, frontier.Bitmap))}
		}},
		"a freed mask": {device.ErrClosed, func(*traverse.Traversal) []operators.Step {
			return []operators.Step{push, filter.Unvisited(freed)}
		}},
		"a pile of nothing": {graph.ErrOptions, func(*traverse.Traversal) []operators.Step {
			return []operators.Step{advance.PushNear(later{}, &pile.Pile{})}
		}},
		"a reduce without a functor": {operators.ErrFunctor, func(*traverse.Traversal) []operators.Step {
			return []operators.Step{reduce.In[float32, uint64](nil, nil)}
		}},
	} {
		x := traverse.New(t.Context(), p)
		x.Repeat(x.From(1), append(c.steps(x), traverse.MaxRounds(5))...)
		if err := x.Close(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	x := traverse.New(t.Context(), p)
	if traverse.Get[uint64](x, nil); !errors.Is(x.Err(), graph.ErrOptions) {
		t.Errorf("Get of no scalar: %v", x.Err())
	}
	x.Close()
	for how, name := range map[operators.Reduction]string{operators.Or: "Or", 9: "reduction 9"} {
		x := traverse.New(t.Context(), p)
		if s := traverse.Scalar[float64](x, how); s != nil || !errors.Is(x.Err(), graph.ErrOptions) || !strings.Contains(x.Err().Error(), name) {
			t.Errorf("a scalar of float64 by %s: %v", name, x.Err())
		}
		x.Close()
	}
	if x := traverse.New(t.Context(), &graph.Placed{}); !errors.Is(x.Err(), graph.ErrNoGraph) {
		t.Errorf("over a Placed of nothing: %v", x.Err())
	}
	var noContext context.Context
	x = traverse.New(noContext, p)
	if err := x.Close(); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "traverse: graph: bad option: the context is nil; give context.Background()") {
		t.Errorf("without a context: %v", err)
	}
	if _, err := traverse.Run(noContext, p, traverse.Algorithm[int, int]{Run: func(*traverse.Traversal, int) (int, error) { return 0, nil }}, 0, traverse.Options{}); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("an algorithm without a context: %v", err)
	}
	x = traverse.New(t.Context(), nil)
	if cur := x.From(1); cur.Vertices() != nil || cur.Len() != 0 || !errors.Is(x.Err(), graph.ErrNoGraph) {
		t.Errorf("over no graph: %v", x.Err())
	}
	var none *traverse.Values[uint32]
	if _, err := none.ByID(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("ByID of nil: %v", err)
	}
	type searcher = *traverse.Searcher[int, int]
	if _, err := traverse.NewPool[int, int](p, nil, nil); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("a pool without make: %v", err)
	}
	if _, err := traverse.NewPool(nil, func() (s searcher, err error) { return s, nil }, nil); !errors.Is(err, graph.ErrNoGraph) {
		t.Errorf("a pool over nothing: %v", err)
	}
}

// later is due at the first stage.
type later struct{}

func (later) Sort(_ operators.Worker, _ uint32, _ uint64, targets, out, due []uint32) int {
	for i := range targets {
		due[i] = 1
	}
	return copy(out, targets)
}

func (later) Due(_ operators.Worker, vs, due []uint32) {
	for i := range vs {
		due[i] = 1
	}
}

// TestTwoPiles: what waits in one pile never comes from another, which is an error.
func TestTwoPiles(t *testing.T) {
	p := testgraph.Place(testgraph.Path(100).Graph(1), 2)
	x := traverse.New(t.Context(), p)
	far := x.Pile()
	x.Repeat(x.From(3), advance.PushNear(later{}, far), pile.Refill(far, later{}), traverse.MaxRounds(5))
	if err := x.Close(); err != nil {
		t.Errorf("one pile: %v", err)
	}
	x = traverse.New(t.Context(), p)
	x.Repeat(x.From(3), advance.PushNear(later{}, x.Pile()), filter.Unique(), pile.Refill(x.Pile(), later{}))
	if err := x.Close(); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "traverse: step refill: graph: bad option: its pile isn't that of the step push near") {
		t.Errorf("two piles: %v", err)
	}
	// By Do the caller says when which pile is refilled.
	x = traverse.New(t.Context(), p)
	near, other, cur := x.Pile(), x.Pile(), x.From(3)
	x.Do(cur, advance.PushNear(later{}, near))
	x.Do(cur, pile.Refill(other, later{}))
	empty := cur.Len()
	x.Do(cur, pile.Refill(near, later{}))
	if empty != 0 || cur.Len() != 2 || x.Close() != nil {
		t.Errorf("%d vertices, then %d: %v", empty, cur.Len(), x.Err())
	}
}

// TestFreedByCaller: what the caller freed of a traversal doesn't harm the next ones.
func TestFreedByCaller(t *testing.T) {
	p := testgraph.Place(testgraph.Path(100).Graph(1), 2)
	for i := range 3 {
		x := traverse.New(t.Context(), p)
		far, bits, array := x.Pile(), x.Bits(1), traverse.Array[uint32](x, 7)
		x.Do(x.From(3), advance.PushNear(later{}, far))
		if n, err := far.Len(); n != 2 || err != nil || array.Len() != 100 || x.Err() != nil {
			t.Fatalf("traversal %d: %d in the pile, %v, %v", i, n, err, x.Err())
		}
		if err := errors.Join((*farpile.Pile)(far).Close(), bits.Close(), array.Close(), x.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAfterPanic: a functor that panics leaves nothing to the next traversal.
func TestAfterPanic(t *testing.T) {
	g := testgraph.ByName("skewed-undirected").Graph(3)
	near := slices.Clone(g.Out().Neighbors(1))
	slices.Sort(near)
	near = slices.Compact(near)
	for _, workers := range []int{1, 4} {
		p := testgraph.Place(g, workers)
		for _, bad := range []func(x *traverse.Traversal) operators.Step{
			func(*traverse.Traversal) operators.Step { return advance.Push(panics{}) },
			func(*traverse.Traversal) operators.Step { return advance.PushBits(panics{}) },
			func(x *traverse.Traversal) operators.Step { return advance.PushNear(panics{}, x.Pile()) },
		} {
			func() {
				x := traverse.New(t.Context(), p)
				defer x.Close()
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				x.Do(x.All(), bad(x), filter.Unique())
			}()
			x := traverse.New(t.Context(), p)
			cur, far := x.All(), x.Pile()
			x.Do(cur, advance.PushBits(advance.All()))
			reached := 0
			for v := range uint32(g.NumVertices()) {
				if g.In().Degree(v) > 0 {
					reached++
				}
			}
			if cur.Len() != reached {
				t.Errorf("%d vertices, want %d: %v", cur.Len(), reached, x.Err())
			}
			x.Do(x.From(1), advance.PushNear(later{}, far))
			if n, err := far.Len(); n != len(near) {
				t.Errorf("%d vertices in the pile, want %d: %v", n, len(near), errors.Join(err, x.Err()))
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// panics does so at a vertex in the midst, once it has let others through.
type panics struct{}

func (panics) Visit(_ operators.Worker, source uint32, _ uint64, targets, out []uint32) int {
	if source == 2000 {
		panic("made to fail")
	}
	return copy(out, targets)
}

func (panics) Sort(w operators.Worker, source uint32, first uint64, targets, out, due []uint32) int {
	panics{}.Visit(w, source, first, targets, out)
	return later{}.Sort(w, source, first, targets, out, due)
}

// TestCloseInCallback: the traversal ends, and lets go of the placed graph.
func TestCloseInCallback(t *testing.T) {
	p := testgraph.Place(testgraph.Path(100).Graph(1), 2)
	var x *traverse.Traversal
	levels := 0
	x = traverse.New(t.Context(), p, traverse.Options{EachLevel: func(traverse.Level) {
		levels++
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}})
	cur := x.From(1)
	x.Repeat(cur, advance.Push(advance.All()), filter.Unique())
	if err := x.Close(); !errors.Is(err, device.ErrClosed) || levels != 1 || cur.Vertices() != nil {
		t.Errorf("%v after %d levels", err, levels)
	}
	if err := p.Close(); err != nil { // which waits for traversals
		t.Error(err)
	}
}

// TestLeftArrays: what a traversal that ended, or one on another device, made is no use to another.
func TestLeftArrays(t *testing.T) {
	p := testgraph.Place(testgraph.Path(10).Graph(1), 1)
	x := traverse.New(t.Context(), p)
	few, count := traverse.ArrayN[uint32](x, 3, 7), traverse.Scalar[uint64](x, operators.Sum)
	foreign := traverse.Scalar[uint64](traverse.New(t.Context(), testgraph.Place(testgraph.Path(10).Graph(1), 1)), operators.Sum)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if !few.Closed() || few.Len() != 0 {
		t.Error("an array of ArrayN lasts longer than its traversal")
	}
	for what, c := range map[string]struct {
		of   *operators.Scalar[uint64]
		want error
	}{"ended": {count, device.ErrClosed}, "another device": {foreign, device.ErrNotSupported}} {
		x := traverse.New(t.Context(), p)
		if n := traverse.Get(x, c.of); n != 0 || !errors.Is(x.Err(), c.want) || !strings.HasPrefix(x.Err().Error(), "traverse: ") {
			t.Errorf("%s: %d, %v", what, n, x.Err())
		}
		x.Close()
	}
}

// TestRepeats: levels, limits and the end of one Repeat have nothing to do with those of the
// one before.
func TestRepeats(t *testing.T) {
	p := testgraph.Place(testgraph.Path(100).Graph(1), 2)
	x := traverse.New(t.Context(), p)
	defer x.Close()
	push := advance.Push(advance.All())
	cur := x.From(0)
	for i := range 2 {
		x.Repeat(cur, push, filter.Unique(), traverse.MaxRounds(3))
		if st := x.Stats(); st.Rounds != 3*(i+1) || !st.Limited || x.Level() != 3 {
			t.Errorf("Repeat %d: %+v, level %d", i, st, x.Level())
		}
	}
	x.Repeat(cur, filter.Keep(filter.Func(func(_ operators.Worker, _, _ []uint32) int { return 0 })))
	if st := x.Stats(); st.Limited {
		t.Errorf("limited: %+v", st)
	}
	// UntilFrontierExceeds is no end where nothing changes the frontier.
	y := traverse.New(t.Context(), p)
	defer y.Close()
	if y.Repeat(y.From(0), traverse.UntilFrontierExceeds(5)); !errors.Is(y.Err(), graph.ErrOptions) {
		t.Errorf("Wide alone: %v", y.Err())
	}
	// MaxRounds looks at this frontier, not at the one before.
	x.Repeat(x.From(0), traverse.MaxRounds(1), push, filter.Unique())
	if st := x.Stats(); !st.Limited || x.Err() != nil {
		t.Errorf("not limited: %+v, %v", st, x.Err())
	}
}

// TestValuesAtOnce: values are read by many goroutines.
func TestValuesAtOnce(t *testing.T) {
	g, err := testgraph.ByName("skewed-undirected").Graph(3).Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	x := traverse.New(context.Background(), testgraph.Place(g, 2))
	defer x.Close()
	res, err := traverse.Result(x, traverse.VertexIDs(x))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			all, err := res.Slice()
			byID, e := res.ByID()
			if len(all) != g.NumVertices() || len(byID) != len(all) || err != nil || e != nil {
				t.Errorf("%d and %d values, %v, %v", len(all), len(byID), err, e)
			}
		})
	}
	wg.Wait()
}
