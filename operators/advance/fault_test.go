package advance_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
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

func (f *liar) Visit(_ operators.Worker, _ uint32, _ uint64, targets, _ []uint32) int {
	return f.say("Visit", len(targets))
}

type rowsLiar struct{ *liar }

func (f rowsLiar) VisitRows(_ operators.Worker, rows []operators.Row, _, _ []uint32) int {
	sum := 0
	for _, r := range rows {
		sum += int(r.Len)
	}
	return f.say("VisitRows", sum)
}

type ell4Liar struct{ rowsLiar }

func (f ell4Liar) VisitEll4(_ operators.Worker, sources []uint32, _ [][4]uint32, _ []uint32) int {
	return f.say("VisitEll4", 4*len(sources))
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
						"Visit":     &liar{by, "Visit", unique},
						"VisitRows": rowsLiar{&liar{by, "VisitRows", unique}},
						"VisitEll4": ell4Liar{rowsLiar{&liar{by, "VisitEll4", unique}}},
					} {
						if method == "VisitEll4" && b.p.State().Ell4() == nil {
							continue
						}
						says := func(k int, err error) {
							t.Helper()
							if !errors.Is(err, operators.ErrFunctor) || k != 0 || !strings.Contains(fmt.Sprint(err), method) || !strings.Contains(fmt.Sprint(err), "iar") {
								t.Errorf("%s, %d workers, %s of %s, unique %v: %d left, %v", name, workers, what, method, unique, k, err)
							}
						}
						for _, vs := range [][]uint32{all, all[:40]} {
							_, err := b.a.Push(b.load(vs), out, f)
							says(out.Len(), err)
						}
						if method != "VisitEll4" {
							_, k, err := b.a.PushLevel(device.Wrap(levels), 0, nil, f)
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

// TestFunctorsFields: Claim, Parents and InEdges whose fields don't fit are an error
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
	must(t, freed.Close())
	var all []uint32
	for v := range uint32(b.g.NumVertices()) {
		all = append(all, v)
	}
	in, out, seen := b.load(all), frontier.New(b.p), bitmap(b)
	for what, c := range map[string]struct {
		f    advance.Functor
		wrap error
	}{
		"no functor":             {nil, operators.ErrFunctor},
		"no bitmap":              {advance.Claim(nil), frontier.ErrForeign},
		"a queue":                {advance.Claim(in), frontier.ErrForm},
		"another graph's bitmap": {advance.Claim(bitmap(other)), frontier.ErrForeign},
		"a freed bitmap":         {advance.Claim(freed), device.ErrClosed},
	} {
		for _, call := range []func() error{
			func() error { _, err := b.a.Push(in, out, c.f); return err },
			func() error {
				_, _, err := b.a.PushLevel(device.Wrap(make([]int32, b.g.NumVertices())), 0, nil, c.f)
				return err
			},
		} {
			if err := call(); !errors.Is(err, operators.ErrFunctor) || !errors.Is(err, c.wrap) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if _, err := b.a.Push(in, seen, advance.Claim(seen)); !errors.Is(err, operators.ErrFunctor) || !errors.Is(err, frontier.ErrAliased) {
		t.Errorf("the output as what was seen: %v", err)
	}
	if out.Len() != 0 || seen.Form() != frontier.Bitmap {
		t.Error("something was done in spite of the error")
	}
	if _, err := b.a.Push(in, out, advance.Claim(seen)); err != nil || out.Len() == 0 {
		t.Errorf("a bitmap: %d vertices, %v", out.Len(), err)
	}

	short, err := device.NewBuffer[uint32](b.p.Device(), b.g.NumVertices()-1)
	must(t, err)
	for what, s := range map[string]advance.Sink{"no sink": nil, "a short array": advance.Parents(short)} {
		if _, err := b.a.Pull(seen, seen, out, s); !errors.Is(err, operators.ErrFunctor) {
			t.Errorf("pull, %s: %v", what, err)
		}
	}
	few, err := device.NewBuffer[uint64](b.p.Device(), b.g.NumVertices()-1)
	must(t, err)
	for what, s := range map[string]advance.Sink{"no sink": nil, "a short array": advance.InEdges(few)} {
		if _, err := b.a.Pull(seen, seen, out, s); !errors.Is(err, operators.ErrFunctor) {
			t.Errorf("pull with edges, %s: %v", what, err)
		}
	}
	for _, s := range []advance.Sink{advance.Parents(nil), advance.InEdges(nil)} {
		if _, err := b.a.Pull(seen, seen, out, s); err != nil {
			t.Errorf("pull without an array: %v", err)
		}
	}
}

// everything lets all targets through and claims to be unique.
type everything struct{ advance.Functor }

func (everything) Unique() bool { return true }

// TestNotUnique: a functor that says it is unique and isn't is an error once
// the frontier has no room left.
func TestNotUnique(t *testing.T) {
	g := testgraph.Uniform(2000, 40, testgraph.Directed).Graph(1)
	var all []uint32
	for v := range uint32(g.NumVertices()) {
		all = append(all, v)
	}
	f := everything{advance.Func(func(_ operators.Worker, _ uint32, _ uint64, targets, out []uint32) int { return copy(out, targets) })}
	for _, workers := range []int{1, 2, 4} {
		b := newBench(t, g, workers)
		out := frontier.New(b.p)
		if _, err := b.a.Push(b.load(all), out, f); !errors.Is(err, operators.ErrFunctor) || !strings.Contains(err.Error(), "unique") || out.Len() != 0 {
			t.Errorf("%d workers: %d left, %v", workers, out.Len(), err)
		}
	}
}

// TestNoVertexInFrontier: an entry that is no vertex is an error: of the functor
// that writes it, and of a push that finds it.
func TestNoVertexInFrontier(t *testing.T) {
	b := newBench(t, testgraph.ByName("uniform-directed").Graph(1), 2)
	next := frontier.New(b.p)
	bad := advance.Func(func(_ operators.Worker, _ uint32, _ uint64, targets, out []uint32) int {
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
