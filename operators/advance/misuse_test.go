// This file tests operators that are used wrongly or after Close.

package advance_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// idle is a functor that does nothing, noSink a sink that does.
var idle = advance.Func(func(operators.Worker, uint32, uint64, []uint32, []uint32) int { return 0 })

type noSink struct{}

func (noSink) Found(operators.Worker, []uint32, []uint32) {}

// TestMisuse: what operators can't run on is an error of a kind.
func TestMisuse(t *testing.T) {
	g := testgraph.ByName("uniform-undirected").Graph(1)
	b := newBench(t, g, 2)
	other := testgraph.Place(g, 2)
	queue, queue2, bitmap, bitmap2 := frontier.New(b.p), frontier.New(b.p), frontier.New(b.p), frontier.New(b.p)
	freed, foreign := frontier.New(b.p), frontier.New(other)
	for _, f := range []*frontier.Frontier{queue, freed, foreign} {
		must(t, f.Add(1))
	}
	for _, f := range []*frontier.Frontier{bitmap, bitmap2} {
		must(t, f.Clear(frontier.Bitmap))
	}
	must(t, freed.Close())
	levels := make([]int32, g.NumVertices())
	push := func(in, out *frontier.Frontier, f advance.Functor) error { _, err := b.a.Push(in, out, f); return err }
	pull := func(in, seen, out *frontier.Frontier, s advance.Sink) error {
		_, err := b.a.Pull(in, seen, out, s)
		return err
	}
	levelOf := func(ls *device.Buffer[int32]) error { _, _, err := b.a.PushLevel(ls, 0, nil, idle); return err }
	level := func(a *advance.Advancer, ls []int32, f advance.Functor) error {
		_, _, err := a.PushLevel(device.Wrap(ls), 0, nil, f)
		return err
	}
	goneLevels, gone, goneEdges := device.Wrap(levels), device.Wrap(make([]uint32, len(levels))), device.Wrap(make([]uint64, len(levels)))
	must(t, errors.Join(goneLevels.Close(), gone.Close(), goneEdges.Close()))
	n := len(levels)
	for what, c := range map[string]struct {
		err, want error
		names     string
	}{
		"push of a bitmap":          {push(bitmap, queue, idle), frontier.ErrForm, "push: input frontier"},
		"push onto itself":          {push(queue, queue, idle), frontier.ErrAliased, "push"},
		"push of another graph's":   {push(foreign, queue, idle), frontier.ErrForeign, "push: input"},
		"push into another graph's": {push(queue, foreign, idle), frontier.ErrForeign, "push: output"},
		"push of none":              {push(nil, queue, idle), frontier.ErrForeign, "nil"},
		"push into none":            {push(queue, nil, idle), frontier.ErrForeign, "nil"},
		"push of a freed one":       {push(freed, queue, idle), device.ErrClosed, "push: input"},
		"push into a freed one":     {push(queue, freed, idle), device.ErrClosed, "push: output"},
		"push without a functor":    {push(queue, queue2, nil), operators.ErrFunctor, "nil"},
		"push with a nil Func":      {push(queue, queue2, advance.Func(nil)), operators.ErrFunctor, "nil"},
		"level without a functor":   {level(b.a, levels, nil), operators.ErrFunctor, "nil"},
		"level with a nil Func":     {level(b.a, levels, advance.Func(nil)), operators.ErrFunctor, "nil"},
		"closed levels":             {levelOf(goneLevels), device.ErrClosed, "push by level: closed: the array of levels"},
		"levels on a GPU":           {levelOf(discrete.View[int32](1<<20, n)), device.ErrNotSupported, "levels isn't on the device"},
		"closed parents":            {pull(bitmap, bitmap2, queue2, advance.Parents(gone)), device.ErrClosed, "the array of Parents"},
		"parents on a GPU":          {pull(bitmap, bitmap2, queue2, advance.Parents(discrete.View[uint32](1<<20, n))), device.ErrNotSupported, "the array of Parents isn't on the device"},
		"closed in-edges":           {pull(bitmap, bitmap2, queue2, advance.InEdges(goneEdges)), device.ErrClosed, "the array of InEdges"},
		"in-edges on a GPU":         {pull(bitmap, bitmap2, queue2, advance.InEdges(discrete.View[uint64](1<<20, n))), device.ErrNotSupported, "the array of InEdges isn't on the device"},
		"too few levels":            {level(b.a, levels[1:], idle), graph.ErrMalformed, "levels"},
		"pull of a queue":           {pull(queue, bitmap, queue2, noSink{}), frontier.ErrForm, "pull: input"},
		"pull past a queue":         {pull(bitmap, queue, queue2, noSink{}), frontier.ErrForm, "pull: seen"},
		"pull onto its input":       {pull(bitmap, bitmap2, bitmap, noSink{}), frontier.ErrAliased, "pull"},
		"pull onto the seen":        {pull(bitmap, bitmap2, bitmap2, noSink{}), frontier.ErrAliased, "pull"},
		"pull of another graph's":   {pull(foreign, bitmap, queue2, noSink{}), frontier.ErrForeign, "pull: input"},
		"pull into a freed one":     {pull(bitmap, bitmap, freed, noSink{}), device.ErrClosed, "pull: output"},
		"pull without a sink":       {pull(bitmap, bitmap, queue2, nil), operators.ErrFunctor, "sink"},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(fmt.Sprint(c.err), c.names) {
			t.Errorf("%s: got %v, want %v", what, c.err, c.want)
		}
	}

	var stream *host.Stream
	for what, s := range map[string]device.Stream{"nil": nil, "a nil pointer": stream} {
		if a, err := advance.New(s, b.p); !errors.Is(err, device.ErrNotSupported) || a != nil {
			t.Errorf("an Advancer on no stream (%s): %v", what, err)
		}
		if b.a.Bind(s) {
			t.Errorf("bound to no stream (%s)", what)
		}
	}
	if a, err := advance.New(b.s, nil); !errors.Is(err, graph.ErrNoGraph) || a != nil {
		t.Errorf("an Advancer over no graph: %v", err)
	}
}

// TestCloseEnds: operators of an Advancer that was closed fail.
func TestCloseEnds(t *testing.T) {
	b := newBench(t, testgraph.ByName("uniform-undirected").Graph(1), 2)
	bits := frontier.New(b.p)
	must(t, bits.Clear(frontier.Bitmap))
	must(t, errors.Join(b.a.Close(), b.a.Close()))
	_, push := b.a.Push(b.load([]uint32{1}), frontier.New(b.p), idle)
	_, _, level := b.a.PushLevel(device.Wrap(make([]int32, b.g.NumVertices())), 0, nil, idle)
	_, pull := b.a.Pull(bits, bits, frontier.New(b.p), noSink{})
	for _, err := range []error{push, level, pull} {
		if !errors.Is(err, device.ErrClosed) || !strings.Contains(fmt.Sprint(err), "the Advancer") {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
}

// TestClosed: operators on a closed stream or a freed placed graph fail.
func TestClosed(t *testing.T) {
	g := testgraph.ByName("uniform-undirected").Graph(1)
	levels := make([]int32, g.NumVertices())
	closed := func(what string, b *bench) {
		t.Helper()
		bits := frontier.New(b.p)
		_, push := b.a.Push(b.in, frontier.New(b.p), idle)
		_, _, level := b.a.PushLevel(device.Wrap(levels), 0, nil, idle)
		_, pull := b.a.Pull(bits, bits, frontier.New(b.p), noSink{})
		for _, err := range []error{push, level, pull} {
			if !errors.Is(err, device.ErrClosed) {
				t.Errorf("%s: got %v, want ErrClosed", what, err)
			}
		}
	}
	for _, workers := range []int{1, 2} {
		b := newBench(t, g, workers)
		must(t, b.s.Close())
		closed("the stream", b)
		s := host.New(workers).Stream(context.Background())
		defer s.Close()
		if !b.a.Bind(s) {
			t.Error("another stream doesn't fit")
		}
		if _, err := b.a.Push(b.load([]uint32{1}), frontier.New(b.p), idle); err != nil {
			t.Errorf("on another stream: %v", err)
		}
		must(t, b.p.Close())
		closed("the placed graph", b)
		if _, err := advance.New(s, b.p); !errors.Is(err, device.ErrClosed) {
			t.Errorf("an Advancer over a freed graph: %v", err)
		}
	}
}
