package pile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// placed is a path of four vertices on the host.
func placed(t *testing.T) *graph.Placed {
	b := graph.NewBuilder(graph.Options{Directed: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{0, 1, 2}, []int64{1, 2, 3}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// liar is a Sorter that doesn't do what it promises.
type liar struct {
	k int
	v uint32
}

func (f liar) Sort(_ operators.Worker, _ uint32, _ uint64, _, out, due []uint32) int {
	if f.k == 1 {
		out[0], due[0] = f.v, 9
	}
	return f.k
}
func (liar) Due(_ operators.Worker, vs, due []uint32) {
	for i := range vs {
		due[i] = pile.Never
	}
}

// TestMisuse: what can't be done is an error of the traversal.
func TestMisuse(t *testing.T) {
	p, other := placed(t), placed(t)
	freed, err := farpile.New(p)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := farpile.New(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(freed.Close(), freed.Close(), (*farpile.Pile)(nil).Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		step func(x *traverse.Traversal) operators.Step
		want error
	}{
		{"push without a functor", func(x *traverse.Traversal) operators.Step { return advance.PushNear(nil, x.Pile()) }, operators.ErrFunctor},
		{"refill without a functor", func(x *traverse.Traversal) operators.Step { return pile.Refill(x.Pile(), nil) }, operators.ErrFunctor},
		{"no pile", func(*traverse.Traversal) operators.Step { return advance.PushNear(liar{}, nil) }, graph.ErrOptions},
		{"refill from no pile", func(*traverse.Traversal) operators.Step { return pile.Refill(nil, liar{}) }, graph.ErrOptions},
		{"freed", func(*traverse.Traversal) operators.Step { return advance.PushNear(liar{}, (*pile.Pile)(freed)) }, device.ErrClosed},
		{"another graph's", func(*traverse.Traversal) operators.Step { return advance.PushNear(liar{}, (*pile.Pile)(foreign)) }, graph.ErrOptions},
		{"more than there are", func(x *traverse.Traversal) operators.Step { return advance.PushNear(liar{k: 2}, x.Pile()) }, operators.ErrFunctor},
		{"no vertex", func(x *traverse.Traversal) operators.Step { return advance.PushNear(liar{1, 77}, x.Pile()) }, graph.ErrNoVertex},
		{"visit of nothing", func(*traverse.Traversal) operators.Step { return advance.Visit(nil) }, operators.ErrFunctor},
		{"bits of nothing", func(*traverse.Traversal) operators.Step { return advance.PushBits(nil) }, operators.ErrFunctor},
		{"bits of no vertex", func(*traverse.Traversal) operators.Step {
			return advance.PushBits(advance.Func(func(_ operators.Worker, _ uint32, _ uint64, _, out []uint32) int {
				out[0] = 50
				return 1
			}))
		}, graph.ErrNoVertex},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := traverse.New(t.Context(), p)
			defer x.Close()
			x.Do(x.From(0), c.step(x))
			if !errors.Is(x.Err(), c.want) {
				t.Errorf("%v, want %v", x.Err(), c.want)
			}
		})
	}
}

// TestNeverDue: what the functor drops leaves the pile, and the next traversal finds it empty.
func TestNeverDue(t *testing.T) {
	p := placed(t)
	for range 2 {
		x := traverse.New(context.Background(), p)
		far := x.Pile()
		cur := x.From(0)
		x.Do(cur, advance.PushNear(liar{1, 3}, far))
		if n, err := far.Len(); n != 1 || err != nil || cur.Len() != 0 {
			t.Fatalf("%d in the pile (%v), %d in the frontier; want 1, 0", n, err, cur.Len())
		}
		x.Do(cur, pile.Refill(far, liar{}))
		stage, err := far.Stage()
		if n, e := far.Len(); n != 0 || e != nil || cur.Len() != 0 || stage != 0 || err != nil || x.Err() != nil {
			t.Fatalf("%d in the pile (%v), %d in the frontier, stage %d (%v), %v; want nothing", n, e, cur.Len(), stage, err, x.Err())
		}
		x.Do(x.From(0), advance.PushNear(liar{1, 3}, far)) // it stays in there
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNone: no pile has no stage and no vertices, which is an error.
func TestNone(t *testing.T) {
	var none *pile.Pile
	if stage, err := none.Stage(); stage != 0 || !errors.Is(err, graph.ErrOptions) {
		t.Errorf("stage %d, %v", stage, err)
	}
	if n, err := none.Len(); n != 0 || !errors.Is(err, graph.ErrOptions) {
		t.Errorf("%d vertices, %v", n, err)
	}
}
