// This file tests graphs that are freed and closed while they are
// searched, by other goroutines and by the searches' own callbacks.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/intersect"
)

// lent returns a copy of a graph whose arrays are overwritten when the graph gives them
// back, as a file's would be unmapped. Code that reads them later finds invalid
// vertices, and the race detector finds that code. ids are in descending order.
func lent(t *testing.T, g *graph.Graph) (lent *graph.Graph, back func() int) {
	t.Helper()
	n := g.NumVertices()
	ids := &graph.IDs{Type: graph.Int64, Len: n, Ints: make([]int64, n)}
	for v := range ids.Ints {
		ids.Ints[v] = int64(n - v)
	}
	clone := func(c *graph.CSR) *graph.CSR {
		return &graph.CSR{Offsets: slices.Clone(c.Offsets), Targets: slices.Clone(c.Targets)}
	}
	out, parts := clone(g.Out()), graph.CSROptions{Directed: g.Directed(), IDs: ids}
	arrays := []*graph.CSR{{Offsets: out.Offsets, Targets: out.Targets}}
	if g.Directed() && g.In() != nil {
		parts.In = clone(g.In())
		arrays = append(arrays, &graph.CSR{Offsets: parts.In.Offsets, Targets: parts.In.Targets})
	}
	var times atomic.Int64
	values := ids.Ints
	parts.Stored.Release = func() error {
		times.Add(1)
		for _, c := range arrays {
			for i := range c.Offsets {
				c.Offsets[i] = 1 << 60
			}
			for i := range c.Targets {
				c.Targets[i] = graph.NoVertex
			}
		}
		clear(values)
		return nil
	}
	lent, err := graph.FromCSR(*out, parts)
	if err != nil {
		t.Fatal(err)
	}
	return lent, func() int { return int(times.Load()) }
}

// Freed frees and closes graphs while goroutines search them in every way: each
// search is right, or ends with device.ErrClosed, and nothing stays behind.
func (s Suite) Freed(t *testing.T) {
	r := rand.New(rand.NewPCG(127, 1))
	used := s.used()
	for _, name := range []string{"skewed-reverse", "road-undirected", "path", "components"} {
		g := sortRows(t, s.caseOf(name).Graph(127))
		uses := s.uses(t, g)
		for range s.rounds(6, 2, 1) {
			before := used()
			l, back := lent(t, g)
			p, err := l.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for what, use := range uses {
				use, end, err := use(p)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, what, err)
				}
				seed := r.Uint64()
				wg.Go(func() {
					r := rand.New(rand.NewPCG(seed, 1))
					err := error(nil)
					for err == nil {
						err = use(r)
					}
					if !errors.Is(err, device.ErrClosed) {
						t.Errorf("%s, %s: %v", name, what, err)
					}
					if err := end(); err != nil {
						t.Errorf("%s, %s: ending: %v", name, what, err)
					}
				})
			}
			time.Sleep(time.Duration(r.IntN(s.times(8, 300))) * time.Millisecond)
			ends := []func() error{l.Close, p.Close}
			if r.IntN(2) == 0 {
				slices.Reverse(ends)
			}
			for i, end := range ends {
				if back() != 0 {
					t.Errorf("%s: the graph is given back after %d of 2 calls", name, i)
				}
				if err := end(); err != nil {
					t.Error(err)
				}
			}
			wg.Wait()
			if back() != 1 {
				t.Errorf("%s: the graph was given back %d times", name, back())
			}
			if left := used(); left != before {
				t.Errorf("%s: %d bytes are left, there were %d", name, left, before)
			}
		}
	}
}

// use is one search, or a few operators, from somewhere; end ends what use needs.
type newUse func(p *graph.Placed) (use func(*rand.Rand) error, end func() error, err error)

// uses are all ways to use a placed graph. g is the same graph; it isn't freed.
func (s Suite) uses(t *testing.T, g *graph.Graph) map[string]newUse {
	n := g.NumVertices()
	ctx := context.Background()
	check := func(r *bfs.Result) error {
		want := oracle.Depths(g.Out(), r.Sources...)
		got, err := r.Depths()
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("depths from %v are wrong", r.Sources)
		}
		return err
	}
	none := func() error { return nil }
	uses := map[string]newUse{}
	for _, v := range s.variants()[:s.times(2, 2)] {
		if !v.fits(g, bfs.Options{}) {
			continue
		}
		uses[v.name] = func(p *graph.Placed) (func(*rand.Rand) error, func() error, error) {
			return func(r *rand.Rand) error {
				res, err := v.run(p, []uint32{r.Uint32N(uint32(n))}, bfs.Options{Outputs: testsearch.Outputs(true, r.IntN(2) == 0), ByID: r.IntN(2) == 0})
				if err != nil {
					return err
				}
				defer res.Close()
				res.TraversedEdges() // whose graph may be gone
				return check(res)
			}, none, nil
		}
		uses[v.name+" searcher"] = func(p *graph.Placed) (func(*rand.Rand) error, func() error, error) {
			one, err := v.searcher(p, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
			if err != nil {
				return nil, nil, err
			}
			return func(r *rand.Rand) error {
				one.Bytes()
				if r.IntN(2) == 0 {
					res, err := one.Run(ctx, bfs.Query{Sources: []uint32{r.Uint32N(uint32(n))}})
					if err != nil {
						return err
					}
					return check(res)
				}
				return testgraph.Each(one.Batch(ctx, []uint32{r.Uint32N(uint32(n)), 0, 1}), func(_ int, res *bfs.Result) error { return check(res) })
			}, one.Close, nil
		}
		uses[v.name+" pool"] = func(p *graph.Placed) (func(*rand.Rand) error, func() error, error) {
			pool, err := v.pool(p, bfs.Options{}, nil)
			if err != nil {
				return nil, nil, err
			}
			return func(r *rand.Rand) error {
				return pool.Run(ctx, bfs.Query{Sources: []uint32{r.Uint32N(uint32(n))}}, check)
			}, pool.Close, nil
		}
	}
	uses["with a callback"] = func(p *graph.Placed) (func(*rand.Rand) error, func() error, error) {
		return func(r *rand.Rand) error {
			res, err := bfs.Run(ctx, p, r.Uint32N(uint32(n)), bfs.Options{EachLevel: func(bfs.Level) {
				if r.IntN(10) == 0 {
					time.Sleep(time.Millisecond)
				}
			}})
			if err != nil {
				return err
			}
			defer res.Close()
			return check(res)
		}, none, nil
	}
	uses["parts"] = func(p *graph.Placed) (func(*rand.Rand) error, func() error, error) {
		return func(r *rand.Rand) error { return s.parts(p, r.Uint32N(uint32(n)), check) }, none, nil
	}
	uses["operators"] = func(p *graph.Placed) (func(*rand.Rand) error, func() error, error) {
		return func(r *rand.Rand) error { return s.operate(p, r.Uint32N(uint32(n))) }, none, nil
	}
	uses["intersections"] = func(p *graph.Placed) (func(*rand.Rand) error, func() error, error) {
		want := expect(g, intersect.Options{}, allVertices(g))
		return func(r *rand.Rand) error { return s.intersect(p, want) }, none, nil
	}
	return uses
}

// parts is a search by a Variant that only pushes, level by level: it has no kernel.
func (s Suite) parts(p *graph.Placed, source uint32, check func(*bfs.Result) error) error {
	parts := bfs.Variant{Name: "parts", Pulls: func(*bfs.Turn) bool { return false }}
	found, err := bfs.Run(context.Background(), p, source, bfs.Options{Variant: &parts})
	if err != nil {
		return err
	}
	defer found.Close()
	return check(found)
}

// operate takes a few steps from a vertex by calling operators directly, which hold nothing
// in between.
func (s Suite) operate(p *graph.Placed, source uint32) (err error) {
	stream, err := s.Device.NewStream(context.Background())
	if err != nil {
		return err
	}
	defer stream.Close()
	a, err := advance.New(stream, p)
	if err != nil {
		return err
	}
	defer a.Close()
	f, err := filter.New(stream, p)
	if err != nil {
		return err
	}
	defer f.Close()
	cur, next, seen := frontier.New(p), frontier.New(p), frontier.New(p)
	for _, x := range []*frontier.Frontier{cur, next, seen} {
		defer x.Close()
	}
	if err := errors.Join(cur.Clear(frontier.Queue), next.Clear(frontier.Queue), seen.Clear(frontier.Bitmap), cur.Add(source)); err != nil {
		return err
	}
	through := advance.Func(func(_ operators.Worker, _ uint32, _ uint64, targets, out []uint32) int { return copy(out, targets) })
	for range 8 {
		if !s.GPU {
			if _, err := a.Push(cur, next, through); err != nil {
				return err
			}
			cur, next = next, cur
		}
		for _, err := range []error{f.Unvisited(cur, seen), cur.Convert(stream, frontier.Bitmap), cur.Add(source), cur.Convert(stream, frontier.Queue), f.Unique(cur)} {
			if err != nil {
				return err
			}
		}
	}
	return stream.Sync()
}

// intersect counts the common neighbors of all edges.
func (s Suite) intersect(p *graph.Placed, want expected) error {
	stream, err := s.Device.NewStream(context.Background())
	if err != nil {
		return err
	}
	defer stream.Close()
	x, err := intersect.New(stream, p)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Run(intersect.Options{}, intersect.Count(nil)); err != nil {
		return err
	}
	edges, common, err := x.Totals()
	if err == nil && (edges != want.edges || common != want.common) {
		err = fmt.Errorf("%d edges, %d in common, want %d and %d", edges, common, want.edges, want.common)
	}
	return err
}
