// This file holds the tests of reduces over hubs, and of one Repeat after another.

package conformance

import (
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/testing/functors"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Hubs reduces over both directions of a graph that has one long row of out-edges and many
// of in-edges, which a frontier may have more than once.
func (s Suite) Hubs(t *testing.T) {
	const n, hubs, first = 4300, 20, 100
	var es []testgraph.Edge
	for range 40 {
		for v := range uint32(n) {
			es = append(es, testgraph.Edge{From: 0, To: v})
		}
	}
	for h := range uint32(hubs) {
		for v := range uint32(n - first) {
			es = append(es, testgraph.Edge{From: first + v, To: 1 + h})
		}
	}
	p, err := testgraph.Build(n, es, testgraph.WithReverse).On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all := make([]uint32, n)
	for v := range all {
		all[v] = uint32(v)
	}
	some := []uint32{first, first + 1, first + 2}
	for _, e := range s.engines() {
		if err := s.reduceBoth(t, p, e, all, all, false); err != nil {
			t.Errorf("%s: %v", e, err)
		}
	}
	// A push that nothing follows lets each hub through thrice.
	if err := s.reduceBoth(t, p, traverse.LevelByLevel, some, all[1:1+hubs], true); err != nil {
		t.Errorf("after a push: %v", err)
	}
}

// reduceBoth reduces over the in-edges and the out-edges of a frontier, or of the vertices that it
// is pushed to.
func (s Suite) reduceBoth(t *testing.T, p *graph.Placed, e traverse.Engine, from, over []uint32, push bool) error {
	x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
	defer x.Close()
	value := func(v uint32) uint32 { return functors.Mix(v, 7) % 13 }
	tally := traverse.Array[uint32](x, 0)
	for v := range uint32(p.NumVertices()) {
		traverse.Set(x, tally, v, value(v))
	}
	in, out := traverse.Array[uint32](x, 0), traverse.Array[uint32](x, 0)
	cur := x.From(from...)
	if push {
		x.Do(cur, advance.Push(&functors.Some{Share: 17}))
	}
	x.Repeat(cur, reduce.In(&functors.Gather{Counts: tally, Totals: in}, nil), reduce.Out(&functors.Gather{Counts: tally, Totals: out}, nil), traverse.MaxRounds(2))
	for i, b := range []*device.Buffer[uint32]{in, out} {
		rows, want := []*graph.CSR{p.Graph().In(), p.Graph().Out()}[i], make([]uint32, p.NumVertices())
		for _, v := range over {
			for _, u := range rows.Neighbors(v) {
				want[v] += value(u) ^ value(v)
			}
		}
		res, err := traverse.Result(x, b)
		if err != nil {
			return err
		}
		if err := errors.Join(compare(res, want), res.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Repeats runs one Repeat after another by every engine: each counts its rounds from 0.
func (s Suite) Repeats(t *testing.T) {
	p, err := testgraph.Path(100).Graph(1).On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, e := range append(s.engines(), traverse.AutoEngine) {
		x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
		cur, round := x.From(0), traverse.Array[uint32](x, 0)
		traverse.Set(x, round, 0, 9)
		for i := range 3 {
			x.Repeat(cur, advance.Push(&functors.Reach{Round: round}), filter.Unique(), traverse.MaxRounds(2))
			if st := x.Stats(); st.Rounds != 2*(i+1) || !st.Limited || x.Level() != 2 {
				t.Errorf("%s, Repeat %d: %+v, level %d, %v", e, i, st, x.Level(), x.Err())
			}
		}
		x.Repeat(cur, advance.Push(&functors.Some{}), filter.Unique())
		if st := x.Stats(); st.Limited || x.Err() != nil {
			t.Errorf("%s: %+v, %v", e, st, x.Err())
		}
		res, err := traverse.Result(x, round)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := res.Slice(); err != nil || !slices.Equal(got[:8], []uint32{9, 1, 2, 1, 2, 1, 2, 0}) {
			t.Errorf("%s: rounds %v, %v", e, got[:8], err)
		}
		if err := errors.Join(res.Close(), x.Close()); err != nil {
			t.Error(err)
		}
	}
}

// ForeignMemory gives steps on a GPU scalars and arrays of the host, and freed ones: errors,
// instead of a kernel that writes there.
func (s Suite) ForeignMemory(t *testing.T) {
	p, err := testgraph.Path(100).Graph(1).On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	onHost := host.New(1)
	theirs, err := step.NewScalar[uint64](onHost, operators.Sum)
	if err != nil {
		t.Fatal(err)
	}
	freed, err := step.NewScalar[uint64](s.Device, operators.Sum)
	if err != nil {
		t.Fatal(err)
	}
	if err := freed.Close(); err != nil {
		t.Fatal(err)
	}
	array, err := device.NewBuffer[uint32](onHost, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer array.Close()
	for _, e := range s.engines() {
		for name, c := range map[string]struct {
			want error
			step func(tally *device.Buffer[uint32]) operators.Step
		}{
			"a scalar of the host": {device.ErrNotSupported, func(tally *device.Buffer[uint32]) operators.Step {
				return foreach.Each(&functors.Add{Counts: tally}, (*operators.Scalar[uint64])(theirs))
			}},
			"a freed scalar": {device.ErrClosed, func(tally *device.Buffer[uint32]) operators.Step {
				return foreach.All(&functors.Add{Counts: tally}, (*operators.Scalar[uint64])(freed))
			}},
			"of a reduce": {device.ErrClosed, func(tally *device.Buffer[uint32]) operators.Step {
				return reduce.Out(&functors.Gather{Counts: tally, Totals: tally}, (*operators.Scalar[uint64])(freed))
			}},
			"an array of the host": {device.ErrNotSupported, func(*device.Buffer[uint32]) operators.Step {
				return advance.Visit(&functors.Tally{Counts: array})
			}},
		} {
			x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
			x.Repeat(x.From(1), c.step(traverse.Array[uint32](x, 0)), traverse.MaxRounds(1))
			if err := x.Close(); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v, want %v", e, name, err, c.want)
			}
		}
	}
}

// ClosedByCallbacks closes traversals from within their own callbacks.
func (s Suite) ClosedByCallbacks(t *testing.T) {
	g := testgraph.Path(100).Graph(1)
	for _, e := range s.engines() {
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		var x *traverse.Traversal
		levels := 0
		x = traverse.New(t.Context(), p, traverse.Options{Engine: e, Stats: true, EachLevel: func(traverse.Level) {
			levels++
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}})
		x.Repeat(x.From(1), advance.Push(&functors.Some{Share: 17}), filter.Unvisited(x.Bits(1)))
		if err := x.Close(); !errors.Is(err, device.ErrClosed) || levels != 1 {
			t.Errorf("%s: %v after %d levels", e, err, levels)
		}
		if err := p.Close(); err != nil { // which waits for traversals
			t.Error(err)
		}
	}
}
