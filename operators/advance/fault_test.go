package advance_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testgraph"
	"github.com/foray-graph/foray/operators/advance"
)

// liar returns how many targets it got, except for one call, and has all three
// methods; what it returns there is by.
type liar struct {
	by     func(most int) int
	method string // that lies
	unique bool
}

func (f *liar) say(method string, most int) int {
	if method == f.method {
		return f.by(most)
	}
	return 0
}

func (f *liar) Unique() bool   { return f.unique }
func (f *liar) Ahead([]uint32) {}

func (f *liar) Visit(_ advance.Worker, _ uint32, _ uint64, targets, _ []uint32) int {
	return f.say("Visit", len(targets))
}

type rowsLiar struct{ *liar }

func (f rowsLiar) VisitRows(_ advance.Worker, rows []advance.Row, _, _ []uint32) int {
	sum := 0
	for _, r := range rows {
		sum += int(r.Len)
	}
	return f.say("VisitRows", sum)
}

type foursLiar struct{ rowsLiar }

func (f foursLiar) VisitFours(_ advance.Worker, sources []uint32, _ [][4]uint32, _ []uint32) int {
	return f.say("VisitFours", 4*len(sources))
}

// TestFunctorReturnsNonsense: a count that can't be is an error that names the
// method; the output is empty and the Advancer as good as before.
func TestFunctorReturnsNonsense(t *testing.T) {
	counts := map[string]func(int) int{
		"-1":        func(int) int { return -1 },
		"the least": func(int) int { return -1 << 63 },
		"one more":  func(most int) int { return most + 1 },
		"the most":  func(int) int { return 1<<63 - 1 },
	}
	for _, name := range []string{"road-undirected", "star", "uniform-directed"} {
		g := testgraph.ByName(name).Graph(3)
		n := g.NumVertices()
		var all []uint32
		levels := make([]int32, n)
		for v := range uint32(n) {
			all = append(all, v)
		}
		for _, workers := range []int{1, 3} {
			b := newBench(t, g, workers)
			out := frontier.New(b.p)
			for what, by := range counts {
				for _, unique := range []bool{false, true} {
					for method, f := range map[string]advance.Functor{
						"Visit":      &liar{by, "Visit", unique},
						"VisitRows":  rowsLiar{&liar{by, "VisitRows", unique}},
						"VisitFours": foursLiar{rowsLiar{&liar{by, "VisitFours", unique}}},
					} {
						if method == "VisitFours" && b.p.Fours() == nil {
							continue
						}
						says := func(k int, err error) {
							t.Helper()
							if !errors.Is(err, advance.ErrFunctor) || k != 0 || !strings.Contains(fmt.Sprint(err), method) || !strings.Contains(fmt.Sprint(err), "iar") {
								t.Errorf("%s, %d workers, %s of %s, unique %v: %d left, %v", name, workers, what, method, unique, k, err)
							}
						}
						for _, vs := range [][]uint32{all, all[:40]} {
							_, err := b.a.Push(b.load(vs), out, f)
							says(out.Len(), err)
						}
						if method != "VisitFours" {
							_, k, err := b.a.PushLevel(levels, 0, f)
							says(k, err)
						}
					}
				}
			}
			v := newVisitor(b, 100)
			edges, err := b.a.Push(b.load(all), out, v)
			must(t, err)
			if edges != g.NumDirectedEdges() {
				t.Errorf("%s: %d edges after faults", name, edges)
			}
			v.check(t, name+" after faults", all)
		}
	}
}

// TestFunctorsFields: Claim and Parents whose fields don't fit are an error
// before anything is written, on every operator that takes them.
func TestFunctorsFields(t *testing.T) {
	b := newBench(t, testgraph.ByName("uniform-reverse").Graph(3), 2)
	other := newBench(t, testgraph.ByName("uniform-reverse").Graph(3), 2)
	bitmap := func(b *bench) *frontier.Frontier {
		f := frontier.New(b.p)
		must(t, f.Clear(frontier.Bitmap))
		return f
	}
	freed := bitmap(b)
	must(t, freed.Free())
	var all []uint32
	for v := range uint32(b.g.NumVertices()) {
		all = append(all, v)
	}
	in, out, seen := b.load(all), frontier.New(b.p), bitmap(b)
	for what, c := range map[string]struct {
		f    *advance.Claim
		wrap error
	}{
		"no claim":               {nil, advance.ErrFunctor},
		"no bitmap":              {&advance.Claim{}, frontier.ErrForeign},
		"a queue":                {&advance.Claim{Seen: in}, frontier.ErrForm},
		"another graph's bitmap": {&advance.Claim{Seen: bitmap(other)}, frontier.ErrForeign},
		"a freed bitmap":         {&advance.Claim{Seen: freed}, device.ErrClosed},
	} {
		for _, call := range []func() error{
			func() error { _, err := b.a.Push(in, out, c.f); return err },
			func() error {
				_, _, err := b.a.PushLevel(make([]int32, b.g.NumVertices()), 0, c.f)
				return err
			},
		} {
			if err := call(); !errors.Is(err, advance.ErrFunctor) || !errors.Is(err, c.wrap) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if _, err := b.a.Push(in, seen, &advance.Claim{Seen: seen}); !errors.Is(err, advance.ErrFunctor) || !errors.Is(err, frontier.ErrAliased) {
		t.Errorf("the output as what was seen: %v", err)
	}
	if out.Len() != 0 || seen.Form() != frontier.Bitmap {
		t.Error("something was done in spite of the error")
	}
	if _, err := b.a.Push(in, out, &advance.Claim{Seen: seen}); err != nil || out.Len() == 0 {
		t.Errorf("a bitmap: %d vertices, %v", out.Len(), err)
	}

	short, err := device.NewBuffer[uint32](b.p.Device(), b.g.NumVertices()-1)
	must(t, err)
	for what, s := range map[string]*advance.Parents{"no sink": nil, "a short array": {Array: short}} {
		if _, err := b.a.Pull(seen, seen, out, s); !errors.Is(err, advance.ErrFunctor) {
			t.Errorf("pull, %s: %v", what, err)
		}
	}
	if _, err := b.a.Pull(seen, seen, out, &advance.Parents{}); err != nil {
		t.Errorf("pull without an array: %v", err)
	}
}

// everything lets all targets through and says that it is unique.
type everything struct{ advance.Func }

func (everything) Unique() bool { return true }

// TestNotUnique: a functor that says it is unique and isn't is an error once
// the frontier has no room left.
func TestNotUnique(t *testing.T) {
	g := testgraph.Uniform(2000, 40, testgraph.Directed).Graph(1)
	var all []uint32
	for v := range uint32(g.NumVertices()) {
		all = append(all, v)
	}
	f := everything{func(_ advance.Worker, _ uint32, _ uint64, targets, out []uint32) int { return copy(out, targets) }}
	for _, workers := range []int{1, 2, 4} {
		b := newBench(t, g, workers)
		out := frontier.New(b.p)
		if _, err := b.a.Push(b.load(all), out, f); !errors.Is(err, advance.ErrFunctor) || !strings.Contains(err.Error(), "unique") || out.Len() != 0 {
			t.Errorf("%d workers: %d left, %v", workers, out.Len(), err)
		}
	}
}

// TestNoVertexInFrontier: an entry that is no vertex is an error: of the functor
// that writes it, and of a push that finds it.
func TestNoVertexInFrontier(t *testing.T) {
	b := newBench(t, testgraph.ByName("uniform-directed").Graph(1), 2)
	next := frontier.New(b.p)
	bad := advance.Func(func(_ advance.Worker, _ uint32, _ uint64, targets, out []uint32) int {
		out[0] = 1 << 31
		return 1
	})
	if _, err := b.a.Push(b.load([]uint32{1, 2, 3, 4, 5, 6, 7, 8}), next, bad); !errors.Is(err, graph.ErrNoVertex) || !strings.Contains(err.Error(), "2147483648") || next.Len() != 0 {
		t.Fatalf("%d left, %v", next.Len(), err)
	}
	must(t, next.Add(1, 2))
	next.Queue()[1] = 1 << 31
	if _, err := b.a.Push(next, b.in, idle); !errors.Is(err, graph.ErrNoVertex) || !strings.Contains(err.Error(), "2147483648") {
		t.Errorf("got %v, want ErrNoVertex", err)
	}
}

// idle is a functor that does nothing, noSink a sink that does.
var idle = advance.Func(func(advance.Worker, uint32, uint64, []uint32, []uint32) int { return 0 })

type noSink struct{}

func (noSink) Found(advance.Worker, []uint32, []uint32) {}

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
	must(t, freed.Free())
	levels := make([]int32, g.NumVertices())
	push := func(in, out *frontier.Frontier, f advance.Functor) error { _, err := b.a.Push(in, out, f); return err }
	pull := func(in, seen, out *frontier.Frontier, s advance.Sink) error {
		_, err := b.a.Pull(in, seen, out, s)
		return err
	}
	level := func(a *advance.Advancer, ls []int32, f advance.Functor) error {
		_, _, err := a.PushLevel(ls, 0, f)
		return err
	}
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
		"push without a functor":    {push(queue, queue2, nil), advance.ErrFunctor, "nil"},
		"push with a nil Func":      {push(queue, queue2, advance.Func(nil)), advance.ErrFunctor, "nil"},
		"level without a functor":   {level(b.a, levels, nil), advance.ErrFunctor, "nil"},
		"level with a nil Func":     {level(b.a, levels, advance.Func(nil)), advance.ErrFunctor, "nil"},
		"too few levels":            {level(b.a, levels[1:], idle), graph.ErrMalformed, "levels"},
		"pull of a queue":           {pull(queue, bitmap, queue2, noSink{}), frontier.ErrForm, "pull: input"},
		"pull past a queue":         {pull(bitmap, queue, queue2, noSink{}), frontier.ErrForm, "pull: seen"},
		"pull onto its input":       {pull(bitmap, bitmap2, bitmap, noSink{}), frontier.ErrAliased, "pull"},
		"pull onto the seen":        {pull(bitmap, bitmap2, bitmap2, noSink{}), frontier.ErrAliased, "pull"},
		"pull of another graph's":   {pull(foreign, bitmap, queue2, noSink{}), frontier.ErrForeign, "pull: input"},
		"pull into a freed one":     {pull(bitmap, bitmap, freed, noSink{}), device.ErrClosed, "pull: output"},
		"pull without a sink":       {pull(bitmap, bitmap, queue2, nil), advance.ErrFunctor, "sink"},
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

// TestClosed: operators on a closed stream or a freed placed graph fail.
func TestClosed(t *testing.T) {
	g := testgraph.ByName("uniform-undirected").Graph(1)
	levels := make([]int32, g.NumVertices())
	closed := func(what string, b *bench) {
		t.Helper()
		bits := frontier.New(b.p)
		_, push := b.a.Push(b.in, frontier.New(b.p), idle)
		_, _, level := b.a.PushLevel(levels, 0, idle)
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
		must(t, b.p.Free())
		closed("the placed graph", b)
		if _, err := advance.New(s, b.p); !errors.Is(err, device.ErrClosed) {
			t.Errorf("an Advancer over a freed graph: %v", err)
		}
	}
}
