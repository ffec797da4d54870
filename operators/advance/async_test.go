// This file tests pushes with two piles and their refills that have no rounds.

package advance_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// relaxing lowers distances along edges whose weights are numbers below most.
type relaxing struct {
	dist        []uint32
	most, width uint32
	calls       atomic.Int64
	each        func(w operators.Worker, call int64) // before each tile, or nil
}

func (f *relaxing) weight(source, target uint32) uint32 { return hash(source, target) % f.most }

func (f *relaxing) Sort(w operators.Worker, source uint32, _ uint64, targets, out, due []uint32) int {
	if call := f.calls.Add(1); f.each != nil {
		f.each(w, call)
	}
	k, from := 0, atomic.LoadUint32(&f.dist[source])
	if from == math.MaxUint32 { // not reached
		return 0
	}
	for _, v := range targets {
		d := from + f.weight(source, v)
		for old := atomic.LoadUint32(&f.dist[v]); d < old; old = atomic.LoadUint32(&f.dist[v]) {
			if atomic.CompareAndSwapUint32(&f.dist[v], old, d) {
				out[k], due[k] = v, d/f.width
				k++
				break
			}
		}
	}
	return k
}

func (f *relaxing) Due(_ operators.Worker, vs, due []uint32) {
	for i, v := range vs {
		if due[i] = pile.Never; int(v) < len(f.dist) {
			due[i] = atomic.LoadUint32(&f.dist[v]) / f.width
		}
	}
}

// relaxingRows takes many rows in a call.
type relaxingRows struct{ *relaxing }

func (f relaxingRows) SortRows(w operators.Worker, rows []operators.Row, targets, out, due []uint32) int {
	k := 0
	for _, r := range rows {
		k += f.Sort(w, r.Source, r.First, targets[r.First:][:r.Len], out[k:], due[k:])
	}
	return k
}

// settle lowers all distances until no edge lowers one.
func (f *relaxing) settle(g *graph.CSR) []uint32 {
	d := slices.Clone(f.dist)
	for changed := true; changed; {
		changed = false
		for v := range d {
			for _, u := range g.Neighbors(uint32(v)) {
				if d[v] == math.MaxUint32 {
					break
				}
				if x := d[v] + f.weight(uint32(v), u); x < d[u] {
					d[u], changed = x, true
				}
			}
		}
	}
	return d
}

// jitter delays some calls, so that workers overtake each other.
func jitter(w operators.Worker, call int64) {
	switch call * 2654435761 >> 7 % 64 {
	case 0, 1:
		runtime.Gosched()
	case 2:
		if w.ID%3 == 1 {
			time.Sleep(50 * time.Microsecond)
		}
	}
}

var anyRound = advance.NearOptions{AnyRound: true}

// TestNoRounds compares distances with the fixed point, whatever the shape, the weights, the width of stages, the
// workers and the beginning.
func TestNoRounds(t *testing.T) {
	seeds, n := testlong.Of(3, 100), 30_000
	if quick() {
		seeds, n = 1, 10_000
	}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(46, seed))
		graphs := map[string]*graph.Graph{
			"loops, parallel edges": testgraph.Random(r, 1+r.IntN(300), 1+r.IntN(3), true),
			"sparse":                testgraph.Random(r, n, 2, true),
			"road":                  testgraph.ByName("road-undirected").Graph(seed),
			"path":                  testgraph.Path(2000).Graph(seed),
			"uniform":               testgraph.Uniform(n, 2, testgraph.Undirected).Graph(seed),
			"long rows":             testgraph.Skewed(5000, 4, testgraph.Undirected).Graph(seed),
		}
		for name, g := range graphs {
			for _, workers := range []int{1, 2, 7, 16} {
				noRounds(t, r, fmt.Sprintf("seed %d, %s, %d workers", seed, name, workers), g, workers)
			}
		}
	}
}

func noRounds(t *testing.T, r *rand.Rand, name string, g *graph.Graph, workers int) {
	p := testgraph.Place(g, workers)
	defer p.Close()
	n := g.NumVertices()
	x := traverse.New(t.Context(), p)
	defer x.Close()
	far := x.Pile()
	for _, most := range []uint32{1, 3, 256, 1 << 16} {
		f := &relaxing{dist: slices.Repeat([]uint32{math.MaxUint32}, n), most: most}
		f.width = []uint32{1, 2, 1 + most/2, 3 * most, 1 << 30}[r.IntN(5)]
		if r.IntN(2) == 0 {
			f.each = jitter
		}
		sources := make([]uint32, 1+r.IntN(5))
		for i := range sources {
			sources[i] = r.Uint32N(uint32(n))
			f.dist[sources[i]] = r.Uint32N(4 * most)
		}
		cur := x.From()
		x.Do(cur, pile.Begin(far))
		begin := r.IntN(3)
		switch begin {
		case 0: // all expanded in stage 0
			x.Replace(cur, sources...)
		case 1: // in their stages, some of which wait in the pile
			x.Replace(cur, sources...)
			x.Do(cur, pile.Begin(far))
			f.width = max(f.width, 2)
			for _, v := range sources { // of stage 1 and later: the first is stage 0 already
				f.dist[v] += f.width
			}
			x.Do(cur, pile.Refill(far, f))
		case 2: // all vertices
			cur = x.All()
		}
		want := f.settle(g.Out())
		var s advance.Sorter = f
		var due pile.Functor = f
		switch r.IntN(3) {
		case 0:
			s = relaxingRows{f}
		case 1:
			s = relaxingRows{f}
			due = s.(pile.Functor)
		}
		before := x.Stats().Rounds
		x.Repeat(cur, advance.PushNear(s, far, anyRound), pile.Refill(far, due))
		what := fmt.Sprintf("%s, weights below %d, stages of %d, beginning %d", name, most, f.width, begin)
		if err := x.Err(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if left, err := far.Len(); left != 0 || err != nil || cur.Len() != 0 {
			t.Errorf("%s: %d vertices are left in the pile (%v), %d in the frontier", what, left, err, cur.Len())
		}
		if rounds := x.Stats().Rounds - before; rounds != 1 {
			t.Errorf("%s: %d rounds", what, rounds)
		}
		for v := range want {
			if f.dist[v] != want[v] {
				t.Fatalf("%s: vertex %d is at distance %d, want %d", what, v, f.dist[v], want[v])
			}
		}
	}
}

// steps counts steps from vertex 0. It is a value that can't be compared.
type steps struct{ dist []uint32 }

func (f steps) Sort(_ operators.Worker, source uint32, _ uint64, targets, out, due []uint32) int {
	k := 0
	for _, v := range targets {
		if d := atomic.LoadUint32(&f.dist[source]) + 1; d < atomic.LoadUint32(&f.dist[v]) {
			atomic.StoreUint32(&f.dist[v], d)
			out[k], due[k] = v, d
			k++
		}
	}
	return k
}

func (f steps) Due(_ operators.Worker, vs, due []uint32) {
	for i, v := range vs {
		due[i] = atomic.LoadUint32(&f.dist[v])
	}
}

// TestNoRoundsValue: push and refill have a functor that is a value with a slice.
func TestNoRoundsValue(t *testing.T) {
	p := testgraph.Place(testgraph.Path(100).Graph(1), 2)
	defer p.Close()
	x := traverse.New(t.Context(), p)
	defer x.Close()
	f, far := steps{slices.Repeat([]uint32{math.MaxUint32}, 100)}, x.Pile()
	f.dist[0] = 0
	x.Repeat(x.From(0), advance.PushNear(f, far, anyRound), pile.Refill(far, f))
	if err := x.Err(); err != nil || slices.Max(f.dist) != 99 {
		t.Errorf("%v, %d", err, slices.Max(f.dist))
	}
}

// TestNoRoundsEnds: a push without rounds ends when its context does, when the functor panics, and when it returns what
// it must not. The next one is as good as new, and no goroutine is left.
func TestNoRoundsEnds(t *testing.T) {
	g := testgraph.Uniform(30_000, 2, testgraph.Undirected).Graph(5)
	began := runtime.NumGoroutine()
	for _, workers := range []int{1, 2, 7, 16} {
		dev := host.New(workers)
		p, err := g.On(dev)
		must(t, err)
		search := func(ctx context.Context, s func(*relaxing) advance.Sorter, each func(operators.Worker, int64)) (panicked any, err error) {
			x := traverse.New(ctx, p)
			defer x.Close()
			far := x.Pile()
			f := &relaxing{dist: slices.Repeat([]uint32{math.MaxUint32}, g.NumVertices()), most: 256, width: 300, each: each}
			f.dist[7] = 0
			panicked = bounded(t, "a push without rounds", func() {
				x.Repeat(x.From(7), advance.PushNear(s(f), far, anyRound), pile.Refill(far, f))
			})
			if err = x.Err(); err == nil && panicked == nil {
				if want := f.settle(g.Out()); !slices.Equal(f.dist, want) {
					t.Errorf("%d workers: wrong distances", workers)
				}
			}
			return panicked, err
		}
		plain := func(f *relaxing) advance.Sorter { return f }
		rows := func(f *relaxing) advance.Sorter { return relaxingRows{f} }
		for _, at := range []int64{1, 500, 20_000} {
			ctx, cancel := context.WithCancel(t.Context())
			if p, err := search(ctx, rows, func(_ operators.Worker, call int64) {
				if call == at {
					cancel()
				}
			}); !errors.Is(err, context.Canceled) || p != nil {
				t.Errorf("%d workers, canceled: %v, %v", workers, err, p)
			}
			cancel()
			p, _ := search(t.Context(), plain, func(_ operators.Worker, call int64) {
				if call == at {
					panic("boom")
				}
			})
			if p == nil || !strings.Contains(fmt.Sprint(p), "boom") {
				t.Errorf("%d workers: the panic came as %v", workers, p)
			}
			for wrong, want := range map[string]error{"count": operators.ErrFunctor, "vertex": graph.ErrNoVertex} {
				if p, err := search(t.Context(), func(f *relaxing) advance.Sorter { return &wrongly{f, at, wrong} }, nil); !errors.Is(err, want) || p != nil {
					t.Errorf("%d workers, wrong %s: %v, %v", workers, wrong, err, p)
				}
			}
			if p, err := search(t.Context(), rows, nil); err != nil || p != nil {
				t.Errorf("%d workers, afterwards: %v, %v", workers, err, p)
			}
		}
		must(t, p.Close())
		must(t, dev.Close())
	}
	for i := 0; runtime.NumGoroutine() > began; i++ {
		if i == 1000 {
			t.Fatalf("%d goroutines, of which %d are new", runtime.NumGoroutine(), runtime.NumGoroutine()-began)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// wrongly is a functor that returns what it must not at one call.
type wrongly struct {
	*relaxing
	at    int64
	wrong string
}

func (f *wrongly) Sort(w operators.Worker, source uint32, first uint64, targets, out, due []uint32) int {
	k := f.relaxing.Sort(w, source, first, targets, out, due)
	if f.calls.Load() < f.at || len(targets) == 0 {
		return k
	}
	if f.wrong == "count" {
		return len(targets) + 1
	}
	out[0], due[0] = math.MaxUint32, 0
	return max(k, 1)
}

// TestRoundsAreTold: where each round is told, there are rounds.
func TestRoundsAreTold(t *testing.T) {
	g := testgraph.Path(100).Graph(1)
	p := testgraph.Place(g, 3)
	defer p.Close()
	told := 0
	x := traverse.New(t.Context(), p, traverse.Options{EachLevel: func(traverse.Level) { told++ }})
	defer x.Close()
	f, far := &relaxing{dist: slices.Repeat([]uint32{math.MaxUint32}, 100), most: 256, width: 10}, x.Pile()
	f.dist[0] = 0
	want := f.settle(g.Out())
	x.Repeat(x.From(0), advance.PushNear(f, far, anyRound), pile.Refill(far, f))
	if err := x.Err(); err != nil || told < 10 || !slices.Equal(f.dist, want) {
		t.Errorf("%d rounds, %v", told, err)
	}
}
