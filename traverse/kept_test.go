// This file tests what a Searcher keeps from run to run.

package traverse_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// plan is one of everything that a traversal has.
type plan struct {
	depth           *device.Buffer[int32]
	number, entries *device.Buffer[uint32]
	count           *operators.Scalar[uint64]
	far             *pile.Pile
	trail           *traverse.Trail
	cur, all, some  *traverse.Frontier
	bits            *frontier.Frontier
	steps           []operators.Step
}

func newPlan(t *traverse.Traversal) *plan {
	x := &plan{depth: traverse.Array[int32](t, -1), number: traverse.VertexIDs(t), entries: traverse.ArrayN[uint32](t, 3, 7),
		count: traverse.Scalar[uint64](t, operators.Sum), far: t.Pile(), trail: traverse.NewTrail(t),
		cur: t.From(), all: t.All(), some: t.From(5, 3), bits: t.Bits(2, 4)}
	ones := foreach.Func[uint64](func(_ operators.Worker, vs []uint32) uint64 { return uint64(len(vs)) })
	odd := filter.Func(func(_ operators.Worker, in, out []uint32) (n int) {
		for _, v := range in {
			if v%2 == 1 {
				out[n] = v
				n++
			}
		}
		return n
	})
	x.steps = []operators.Step{foreach.Each(ones, x.count), x.trail.Keep(), filter.Keep(odd), pile.Begin(x.far)}
	return x
}

// fresh returns an error for a part of the plan that isn't in its first state.
func (x *plan) fresh(t *traverse.Traversal) error {
	for v, d := range x.depth.Host() {
		if d != -1 || x.number.Host()[v] != uint32(v) {
			return fmt.Errorf("arrays have %d and %d of vertex %d", d, x.number.Host()[v], v)
		}
	}
	waiting, err := x.far.Len()
	some := x.some.Vertices()
	slices.Sort(some)
	if err != nil || waiting != 0 || x.trail.Len() != 0 || traverse.Get(t, x.count) != 0 || !slices.Equal(x.entries.Host(), []uint32{7, 7, 7}) {
		return fmt.Errorf("%d wait, %d in the trail, a count of %d, entries %v, %v", waiting, x.trail.Len(), traverse.Get(t, x.count), x.entries.Host(), err)
	}
	if x.cur.Len() != 0 || x.all.Len() != t.Placed().NumVertices() || !slices.Equal(some, []uint32{3, 5}) || x.bits.Len() != 2 {
		return fmt.Errorf("frontiers of %d, %d, %v, %d", x.cur.Len(), x.all.Len(), some, x.bits.Len())
	}
	return t.Err()
}

// use changes everything.
func (x *plan) use(t *traverse.Traversal, d int32) error {
	traverse.Set(t, x.depth, 1, d)
	traverse.Set(t, x.number, 1, 9)
	traverse.Set(t, x.entries, 1, 9)
	for _, cur := range []*traverse.Frontier{x.some, x.all} {
		t.Do(cur, x.steps[0], x.steps[2])
	}
	t.Do(x.some, x.steps[1])
	t.Do(x.some, x.steps[3])
	t.Replace(x.cur, 1, 2)
	if err := x.bits.Add(9); err != nil {
		return err
	}
	if n, err := x.far.Len(); n != 2 || err != nil || x.trail.Len() != 1 {
		return fmt.Errorf("%d wait, %d in the trail, %v", n, x.trail.Len(), err)
	}
	return t.Err()
}

// TestKept: what is kept is made once, and is as it was then in each run; a run that fails, is canceled or
// panics leaves nothing.
func TestKept(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("skewed-undirected").Graph(3), 3)
	errBad := errors.New("bad")
	made, taken := 0, []*plan{}
	var cancel func()
	a := traverse.Algorithm[string, *traverse.Values[int32]]{Run: func(t *traverse.Traversal, q string) (*traverse.Values[int32], error) {
		x := traverse.Kept(t, func() *plan { made++; return newPlan(t) })
		if err := t.Err(); err != nil {
			return nil, err
		}
		if err := x.fresh(t); err != nil {
			return nil, err
		}
		taken = append(taken, x)
		if err := x.use(t, int32(len(taken))); err != nil {
			return nil, err
		}
		if again := traverse.Kept(t, func() *plan { return nil }); again != x {
			return nil, errors.New("another one")
		}
		switch q {
		case "fails":
			return nil, errBad
		case "misused":
			t.Do(x.cur, nil)
		case "canceled":
			cancel()
			t.Repeat(x.all, x.steps[2], traverse.MaxRounds(3))
		case "panics":
			panic(errBad)
		case "closes":
			t.Close()
		}
		v, err := traverse.Result(t, x.depth)
		if q == "takes twice" {
			_, err = traverse.Result(t, x.depth)
		}
		return v, err
	}}
	s, err := traverse.NewSearcher(p, a, traverse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(q string) (v *traverse.Values[int32], err error) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		cancel = stop
		defer func() {
			if r := recover(); r != nil {
				err, _ = r.(error)
			}
		}()
		return s.Run(ctx, q)
	}
	for i, c := range []struct {
		q    string
		want error
	}{{"fails", errBad}, {"misused", graph.ErrOptions}, {"canceled", context.Canceled}, {"panics", errBad}, {"closes", device.ErrClosed}, {"takes twice", graph.ErrOptions}} {
		var before *traverse.Values[int32]
		for range 3 {
			v, err := run("")
			if err != nil {
				t.Fatalf("before one that %s: %v", c.q, err)
			}
			if all, err := v.Slice(); err != nil || all[1] != int32(len(taken)) || all[0] != -1 {
				t.Fatalf("before one that %s: %v, %v", c.q, all, err)
			}
			if before != nil && before != v {
				t.Error("another result in the same memory")
			}
			before = v
		}
		if _, err := run(c.q); !errors.Is(err, c.want) {
			t.Fatalf("%s: %v", c.q, err)
		}
		if _, err := before.Slice(); !errors.Is(err, device.ErrClosed) {
			t.Errorf("%s: a result of the run before: %v", c.q, err)
		}
		if made != i+1 {
			t.Errorf("%s: made %d times, want %d", c.q, made, i+1)
		}
	}
	v, err := run("")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // freeing it leaves the array to the next run
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.Slice(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("freed: %v", err)
	}
	if v, err = run(""); err != nil || made != 7 {
		t.Fatalf("made %d times, %v", made, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := v.Slice(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	// Without a Searcher nothing is kept, and results are the caller's.
	one, err := traverse.Run(t.Context(), p, a, "", traverse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := traverse.Run(t.Context(), p, a, "", traverse.Options{})
	if err != nil || made != 9 {
		t.Fatalf("made %d times, %v", made, err)
	}
	first, err := one.Slice()
	second, e := two.Slice()
	if err != nil || e != nil || first[1]+1 != second[1] {
		t.Errorf("%d and %d, %v, %v", first[1], second[1], err, e)
	}
	if err := errors.Join(one.Close(), two.Close()); err != nil {
		t.Error(err)
	}
}

// TestKeptFrontiers: a frontier of an earlier run can't be used.
func TestKeptFrontiers(t *testing.T) {
	p := testgraph.Place(testgraph.Path(9).Graph(1), 1)
	var before *traverse.Frontier
	a := traverse.Algorithm[bool, int]{Run: func(t *traverse.Traversal, stale bool) (int, error) {
		if stale {
			if n, vs := before.Len(), before.Vertices(); n != 0 || vs != nil {
				return 0, fmt.Errorf("it has %d, %v", n, vs)
			}
			t.Fill(before)
			return 0, t.Err()
		}
		before = t.From(1, 2)
		return before.Len(), t.Err()
	}}
	s, err := traverse.NewSearcher(p, a, traverse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		if n, err := s.Run(t.Context(), false); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		if _, err := s.Run(t.Context(), true); !errors.Is(err, frontier.ErrForeign) {
			t.Fatal(err)
		}
	}
}

// TestKeptWorkers: workers stay between runs and end with Close, also after the placed graph was freed.
func TestKeptWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	p := testgraph.Place(testgraph.ByName("skewed-undirected").Graph(3), 4)
	a := traverse.Algorithm[int, int]{Run: func(t *traverse.Traversal, _ int) (int, error) {
		x := traverse.Kept(t, func() *plan { return newPlan(t) })
		return 0, errors.Join(t.Err(), x.use(t, 1))
	}}
	for range 3 {
		s, err := traverse.NewSearcher(p, a, traverse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := s.Run(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for range 1000 { // they are counted for a moment after they said that they are done
			if runtime.NumGoroutine() <= before {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines are left, there were %d", n, before)
		}
	}
	s, err := traverse.NewSearcher(p, a, traverse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), 0); !errors.Is(err, device.ErrClosed) {
		t.Errorf("over a graph that was freed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
