// This file holds the tests of pushes that end early: canceled contexts and
// functors that panic.

package advance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testctx"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// TestPushCanceled cancels from within the functor, which waits until the
// stream knows: no more than the groups in work are visited then.
func TestPushCanceled(t *testing.T) {
	for _, name := range []string{"skewed-directed", "road-directed", "hubs"} {
		g := testgraph.ByName(name).Graph(1)
		all := frontiers(rand.New(rand.NewPCG(1, 1)), g.NumVertices())["all"]
		for _, workers := range []int{1, 3} {
			for _, what := range []string{"push", "ell4"} {
				ctx, cancel := context.WithCancel(context.Background())
				b := newBenchOf(t, ctx, g, workers)
				f := newEll4Visitor(b, 256)
				stop := &stopper{ell4Visitor: f, s: b.s, cancel: cancel}
				var err error
				switch what {
				case "push":
					_, err = b.a.Push(b.load(all), frontier.New(b.p), advance.Func(stop.Visit))
				case "ell4":
					_, err = b.a.Push(b.load(all), frontier.New(b.p), stop)
				}
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %s on %d workers: %v", name, what, workers, err)
				}
				visited := 0
				for e := range f.edges {
					visited += int(f.edges[e].Load())
				}
				for v := range f.ell4 {
					visited += 4 * int(f.ell4[v].Load())
				}
				if visited >= int(g.NumDirectedEdges()) {
					t.Errorf("%s, %s on %d workers: nothing was left out", name, what, workers)
				}
				// Another stream, the same memory.
				s := host.New(workers).Stream(context.Background())
				defer s.Close()
				if !b.a.Bind(s) {
					t.Fatal("a stream with as many workers doesn't fit")
				}
				b.pushRows("after canceling", frontier.New(b.p), all, 256)
				b.pushEll4("after canceling", frontier.New(b.p), all, 256)
			}
		}
	}
}

// TestPushLevelCanceled does so on a graph that no worker reads all of before
// it looks.
func TestPushLevelCanceled(t *testing.T) {
	g := testgraph.Uniform(100_000, 1, testgraph.Directed).Graph(1)
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		b := newBenchOf(t, ctx, g, workers)
		visited := atomic.Int64{}
		edges, _, err := b.a.PushLevel(device.Wrap(make([]int32, g.NumVertices())), 0, nil, advance.Func(
			func(_ operators.Worker, _ uint32, _ uint64, targets, _ []uint32) int {
				cancel()
				for !b.s.Stopped() {
					runtime.Gosched()
				}
				visited.Add(int64(len(targets)))
				return 0
			}))
		if !errors.Is(err, context.Canceled) || visited.Load() >= 90_000 {
			t.Errorf("%d workers: %v, %d edges of 100,000 visited", workers, err, visited.Load())
		}
		if edges != uint64(visited.Load()) {
			t.Errorf("%d workers: %d edges, %d visited", workers, edges, visited.Load())
		}
	}
}

// stopper cancels the context in the first call.
type stopper struct {
	*ell4Visitor
	s      *host.Stream
	cancel func()
}

func (f *stopper) stop() {
	f.cancel()
	for !f.s.Stopped() {
		runtime.Gosched()
	}
}

func (f *stopper) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	f.stop()
	return f.ell4Visitor.Visit(w, source, firstEdge, targets, out)
}

func (f *stopper) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	f.stop()
	return f.ell4Visitor.VisitRows(w, rows, targets, out)
}

func (f *stopper) VisitEll4(w operators.Worker, sources []uint32, rows [][4]uint32, out []uint32) int {
	f.stop()
	return f.ell4Visitor.VisitEll4(w, sources, rows, out)
}

// TestStoppedBeforeTheFirstVisit: the context is done between the operator's
// look and the workers'.
func TestStoppedBeforeTheFirstVisit(t *testing.T) {
	g := testgraph.ByName("skewed-reverse").Graph(1)
	all := frontiers(rand.New(rand.NewPCG(1, 1)), g.NumVertices())["all"]
	for _, workers := range []int{1, 3} {
		for _, what := range []string{"push", "level", "pull"} {
			ctx := testctx.NewLate()
			b := newBenchOf(t, ctx, g, workers)
			in := b.load(all)
			none, out := frontier.New(b.p), frontier.New(b.p)
			must(t, none.Clear(frontier.Bitmap))
			if what == "pull" {
				must(t, in.Convert(b.s, frontier.Bitmap))
			}
			f := &rowsVisitor{visitor: newVisitor(b, 256)}
			ctx.Cancel(1, b.s.Stopped)
			var err error
			switch what {
			case "push":
				_, err = b.a.Push(in, out, f)
			case "level":
				_, _, err = b.a.PushLevel(device.Wrap(make([]int32, g.NumVertices())), 0, nil, f)
			case "pull":
				_, err = b.a.Pull(in, none, out, &finds{})
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s on %d workers: %v", what, workers, err)
			}
		}
	}
}

// TestPushPanics: a panic of the functor, on whichever worker, comes out of
// Push, and the Advancer can be used again.
func TestPushPanics(t *testing.T) {
	testlong.Project(t)
	// Levels are read in chunks of 16,384 vertices: only the last of these has
	// one for every worker.
	const chunk = 1 << 14
	large := testgraph.Uniform(4*chunk, 1, testgraph.Directed)
	for _, c := range []testgraph.Case{testgraph.ByName("skewed-directed"), testgraph.ByName("road-directed"), testgraph.ByName("hubs"), large} {
		name, g := c.Name, c.Graph(1)
		all := frontiers(rand.New(rand.NewPCG(1, 1)), g.NumVertices())["all"]
		levels := make([]int32, g.NumVertices())
		for _, workers := range []int{1, 2, 4} {
			b := newBench(t, g, workers)
			out := frontier.New(b.p)
			for _, who := range []int{0, 1, 3} {
				if who >= workers {
					continue
				}
				for _, what := range []string{"rows", "ell4", "level"} {
					f := &panicker{ell4Visitor: newEll4Visitor(b, 256), who: who, s: b.s}
					p := bounded(t, "a functor that panics", func() {
						var err error
						switch what {
						case "rows":
							_, err = b.a.Push(b.load(all), out, struct{ advance.RowsFunctor }{f})
						case "ell4":
							_, err = b.a.Push(b.load(all), out, f)
						case "level":
							_, _, err = b.a.PushLevel(device.Wrap(levels), 0, nil, f)
						}
						if err != nil {
							t.Error(err)
						}
					})
					if f.did.Load() && (p == nil || !strings.Contains(fmt.Sprint(p), "boom")) {
						t.Errorf("%s on %s: worker %d of %d panicked, got %v", what, name, who, workers, p)
					}
					shared := what != "level" || g.NumVertices() > (workers-1)*chunk
					if !f.did.Load() && who == 0 && shared {
						t.Errorf("%s on %s: worker 0 of %d got nothing", what, name, workers)
					}
				}
				b.pushRows("after a panic", out, all, 256)
				b.pushEll4("after a panic", out, all, 256)
			}
		}
	}
}

// panicker panics on one worker; the others wait until it has, or for so long
// that it seems not to come.
type panicker struct {
	*ell4Visitor
	s   *host.Stream
	who int
	did atomic.Bool
}

func (f *panicker) boom(w operators.Worker) {
	if w.ID == f.who {
		f.did.Store(true)
		panic("boom")
	}
	for i := 0; i < 1000 && !f.did.Load(); i++ {
		runtime.Gosched()
	}
}

func (f *panicker) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	f.boom(w)
	return f.ell4Visitor.VisitRows(w, rows, targets, out)
}

func (f *panicker) VisitEll4(w operators.Worker, sources []uint32, rows [][4]uint32, out []uint32) int {
	f.boom(w)
	return f.ell4Visitor.VisitEll4(w, sources, rows, out)
}
