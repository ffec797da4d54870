// This file holds entries that are no vertices, from the functor or caller that
// writes them to whatever meets them.

package filter_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// embedded is a functor of a caller's that has a built-in one inside.
type embedded struct {
	advance.Functor // All
	to              uint32
}

func (f embedded) Visit(_ operators.Worker, _ uint32, _ uint64, _, out []uint32) int {
	out[0] = f.to
	return 1
}

// TestNoVertexLetThrough: a push reports which vertex a functor let through that the
// graph doesn't have, and leaves nothing behind.
func TestNoVertexLetThrough(t *testing.T) {
	for _, name := range []string{"road-undirected", "star", "uniform-directed"} {
		g := testgraph.ByName(name).Graph(3)
		n := uint32(g.NumVertices())
		for _, workers := range []int{1, 3} {
			b := newBench(t, context.Background(), int(n), workers)
			p, err := g.On(b.p.Device())
			must(t, err)
			adv, err := advance.New(b.s, p)
			must(t, err)
			in, out := frontier.New(p), frontier.New(p)
			for v := range n {
				must(t, in.Add(v))
			}
			for _, v := range []uint32{n, n + 1, n + 1000, 1<<32 - 1} {
				for what, f := range map[string]advance.Functor{
					"Func": advance.Func(func(_ operators.Worker, _ uint32, _ uint64, _, out []uint32) int {
						out[0] = v
						return 1
					}),
					"embedded": embedded{advance.All(), v},
				} {
					_, err := adv.Push(in, out, f)
					if !errors.Is(err, graph.ErrNoVertex) || !errors.Is(err, operators.ErrFunctor) || out.Len() != 0 {
						t.Errorf("%s, %d workers, %s, vertex %d of %d: %v, %d let through", name, workers, what, v, n, err, out.Len())
					}
				}
			}
			if _, err := adv.Push(in, out, advance.All()); err != nil || uint64(out.Len()) != g.NumDirectedEdges() {
				t.Errorf("%s: a push after it: %v, %d let through", name, err, out.Len())
			}
		}
	}
}

// TestNoVertexInQueue: entries that a caller wrote into a queue and that are no
// vertices are errors of every operator, wherever they are among many.
func TestNoVertexInQueue(t *testing.T) {
	for _, n := range []int{1, 34, 64, 10_000} {
		for _, workers := range workerCounts() {
			b := newBench(t, context.Background(), n, workers)
			adv, err := advance.New(b.s, b.p)
			must(t, err)
			out := frontier.New(b.p)
			for _, v := range []uint32{uint32(n), uint32(n) + 6, uint32(n) + 10_000, 1<<32 - 1} {
				for op, run := range map[string]func() error{
					"Cull":      func() error { return b.f.Cull(b.fr, b.seen) },
					"Unvisited": func() error { return b.f.Unvisited(b.fr, b.seen) },
					"Unique":    func() error { return b.f.Unique(b.fr) },
					"Convert":   func() error { return b.fr.Convert(b.s, frontier.Bitmap) },
					"Keep": func() error {
						return b.f.Keep(b.fr, filter.Func(func(_ operators.Worker, in, out []uint32) int { return copy(out, in) }))
					},
					"Push All":   func() error { _, err := adv.Push(b.fr, out, advance.All()); return err },
					"Push Claim": func() error { _, err := adv.Push(b.fr, out, advance.Claim(b.seen)); return err },
				} {
					for _, at := range []int{0, n / 2, n - 1} {
						must(t, b.seen.Clear(frontier.Bitmap))
						must(t, b.fr.Clear(frontier.Queue))
						for u := range n {
							must(t, b.fr.Add(uint32(u)))
						}
						b.fr.Queue()[at] = v
						if err := run(); !errors.Is(err, graph.ErrNoVertex) {
							t.Fatalf("%s, %d workers, vertex %d of %d: %v", op, workers, v, n, err)
						}
						if op[:4] == "Push" {
							continue
						}
						if b.fr.Len() != 0 {
							t.Errorf("%s, vertex %d of %d: %d entries are left", op, v, n, b.fr.Len())
						}
						if vs := b.seen.Vertices(); slices.ContainsFunc(vs, func(u uint32) bool { return u >= uint32(n) }) {
							t.Errorf("%s: the mask has vertex %d of %d", op, v, n)
						}
					}
				}
			}
		}
	}
}

// TestNoVertexInEll4: the same, where a push takes ELL4 rows.
func TestNoVertexInEll4(t *testing.T) {
	g := testgraph.ByName("road-undirected").Graph(3)
	n := uint32(g.NumVertices())
	for _, workers := range []int{1, 3} {
		d := host.New(workers)
		p, err := g.On(d)
		must(t, err)
		s := d.Stream(context.Background())
		adv, err := advance.New(s, p)
		must(t, err)
		in, out := frontier.New(p), frontier.New(p)
		for v := range n {
			must(t, in.Add(v))
		}
		for _, at := range []uint32{0, n / 2, n - 1} {
			in.Queue()[at] = n
			if _, err := adv.Push(in, out, ell4{}); !errors.Is(err, graph.ErrNoVertex) {
				t.Errorf("%d workers, entry %d: %v", workers, at, err)
			}
			in.Queue()[at] = at
			if _, err := adv.Push(in, out, ell4{to: n}); !errors.Is(err, graph.ErrNoVertex) {
				t.Errorf("%d workers, let through: %v", workers, err)
			}
		}
		s.Close()
	}
}

// ell4 lets through to for every source, twice in all if it is 0: it says that
// it is unique.
type ell4 struct{ to uint32 }

func (f ell4) Unique() bool   { return true }
func (f ell4) Ahead([]uint32) {}

func (f ell4) Visit(operators.Worker, uint32, uint64, []uint32, []uint32) int { return 0 }

func (f ell4) VisitEll4(_ operators.Worker, _ []uint32, _ [][4]uint32, out []uint32) int {
	out[0] = f.to
	if f.to == 0 {
		return 0
	}
	return 1
}
