package filter_test

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sizes of queues: around what a worker does alone and what workers claim.
func sizes() []int {
	ns := []int{0, 1, 2, 64, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 10_000}
	if !testing.Short() && !testgraph.Race {
		ns = append(ns, 100_000)
	}
	return ns
}

func workerCounts() []int {
	if testing.Short() || testgraph.Race {
		return []int{1, 3}
	}
	return []int{1, 2, 3, 8}
}

// bench is a graph without edges, a stream, a Filterer and two frontiers.
type bench struct {
	t        *testing.T
	p        *graph.Placed
	s        *host.Stream
	f        *filter.Filterer
	fr, seen *frontier.Frontier
}

func newBench(t *testing.T, ctx context.Context, n, workers int) *bench {
	t.Helper()
	p := testgraph.Place(testgraph.Build(n, nil, testgraph.Undirected), workers)
	s := host.New(workers).Stream(ctx)
	f, err := filter.New(s, p)
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()); s.Close() })
	b := &bench{t: t, p: p, s: s, f: f, fr: frontier.New(p), seen: frontier.New(p)}
	must(t, b.seen.Clear(frontier.Bitmap))
	return b
}

// load puts the vertices into the frontiers, fr in that form.
func (b *bench) load(form frontier.Form, vs, seen []uint32) {
	b.t.Helper()
	must(b.t, b.fr.Clear(form))
	must(b.t, b.fr.Add(vs...))
	must(b.t, b.seen.Clear(frontier.Bitmap))
	must(b.t, b.seen.Add(seen...))
}

func (b *bench) want(what string, f *frontier.Frontier, form frontier.Form, want []uint32) {
	b.t.Helper()
	if f.Form() != form || f.Len() != len(want) || !slices.Equal(f.Vertices(), want) {
		b.t.Fatalf("%s: a %s of %d, want a %s of %d", what, f.Form(), f.Len(), form, len(want))
	}
	if form == frontier.Bitmap {
		count := 0
		for _, w := range f.Bits() {
			count += bits.OnesCount64(w)
		}
		if count != len(want) {
			b.t.Fatalf("%s: %d bits for %d vertices", what, count, len(want))
		}
	}
}

func set(vs []uint32) []uint32 { return slices.Compact(slices.Sorted(slices.Values(vs))) }

func has(sorted []uint32, v uint32) bool {
	_, ok := slices.BinarySearch(sorted, v)
	return ok
}

// without returns vs without what is in drop, in order.
func without(vs, drop []uint32) (kept []uint32) {
	for _, v := range vs {
		if !has(drop, v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// eachInput calls f with random queues of all sizes over graphs that are
// smaller, as large and larger, some of them half seen already.
func eachInput(t *testing.T, f func(b *bench, what string, vs, seen []uint32)) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, k := range sizes() {
		for _, n := range []int{max(k/10, 1), k + 1} {
			for _, workers := range workerCounts() {
				b := newBench(t, context.Background(), n, workers)
				vs := make([]uint32, k)
				for i := range vs {
					vs[i] = uint32(r.IntN(n))
				}
				for _, share := range []float64{0, 0.5, 1} {
					var seen []uint32
					for v := range uint32(n) {
						if r.Float64() < share {
							seen = append(seen, v)
						}
					}
					f(b, fmt.Sprintf("%d of %d vertices, %g seen, %d workers", k, n, share, workers), vs, seen)
				}
			}
		}
	}
}

func TestCull(t *testing.T) {
	eachInput(t, func(b *bench, what string, vs, seen []uint32) {
		b.load(frontier.Queue, vs, seen)
		must(b.t, b.f.Cull(b.fr, b.seen))
		b.want(what, b.fr, frontier.Queue, without(vs, seen)) // duplicates and order kept
		b.want(what+": the mask", b.seen, frontier.Bitmap, seen)
		b.load(frontier.Bitmap, vs, seen)
		must(b.t, b.f.Cull(b.fr, b.seen))
		b.want(what, b.fr, frontier.Bitmap, without(set(vs), seen))
		b.want(what+": the mask", b.seen, frontier.Bitmap, seen)
	})
}

func TestUnvisited(t *testing.T) {
	eachInput(t, func(b *bench, what string, vs, seen []uint32) {
		left := without(set(vs), seen)
		both := set(append(slices.Clone(seen), left...))
		b.load(frontier.Queue, vs, seen)
		must(b.t, b.f.Unvisited(b.fr, b.seen))
		b.wantOneOfEach(what, vs, left)
		b.want(what+": the mask", b.seen, frontier.Bitmap, both)
		must(b.t, b.f.Unvisited(b.fr, b.seen)) // all are visited now
		b.want(what+", again", b.fr, frontier.Queue, nil)
		b.want(what+", again: the mask", b.seen, frontier.Bitmap, both)

		b.load(frontier.Bitmap, vs, seen)
		must(b.t, b.f.Unvisited(b.fr, b.seen))
		b.want(what, b.fr, frontier.Bitmap, left)
		b.want(what+": the mask", b.seen, frontier.Bitmap, both)
	})
}

// wantOneOfEach wants each vertex of left once in the queue, and the queue to
// be a subsequence of vs: the order is kept, whichever copy stays.
func (b *bench) wantOneOfEach(what string, vs, left []uint32) {
	b.t.Helper()
	got := b.fr.Vertices()
	if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, left) {
		b.t.Fatalf("%s: %d left, want %d", what, len(got), len(left))
	}
	i := 0
	for _, v := range vs {
		if i < len(got) && got[i] == v {
			i++
		}
	}
	if i < len(got) {
		b.t.Fatalf("%s: entry %d of %d is out of order", what, i, len(got))
	}
}

func TestUnique(t *testing.T) {
	eachInput(t, func(b *bench, what string, vs, _ []uint32) {
		b.load(frontier.Queue, vs, nil)
		must(b.t, b.f.Unique(b.fr))
		b.wantOneOfEach(what, vs, set(vs))
		b.load(frontier.Bitmap, vs, nil)
		must(b.t, b.f.Unique(b.fr))
		b.want(what, b.fr, frontier.Bitmap, set(vs))
	})
}

// TestKeep: what stays keeps its order, with predicates that keep all, none,
// and what a hash says, in place and not.
func TestKeep(t *testing.T) {
	eachInput(t, func(b *bench, what string, vs, _ []uint32) {
		for of, keep := range map[string]func(uint32) bool{
			"all": func(uint32) bool { return true }, "none": func(uint32) bool { return false },
			"few": func(v uint32) bool { return v*0x9e3779b1>>28 == 3 }, "most": func(v uint32) bool { return v*0x9e3779b1>>28 != 3 },
		} {
			b.load(frontier.Queue, vs, nil)
			b.f.Level = 7
			var calls atomic.Int64
			must(b.t, b.f.Keep(b.fr, filter.Func(func(w operators.Worker, in, out []uint32) int {
				if w.ID < 0 || w.ID >= b.s.Workers() || w.Alone && w.ID != 0 || w.Level != 7 || len(out) < len(in) || len(in) == 0 {
					b.t.Errorf("%s: worker %+v, %d in, room for %d", what, w, len(in), len(out))
				}
				calls.Add(int64(len(in)))
				k := 0
				for _, v := range in {
					if keep(v) {
						out[k] = v
						k++
					}
				}
				return k
			})))
			var want []uint32
			for _, v := range vs {
				if keep(v) {
					want = append(want, v)
				}
			}
			if calls.Load() != int64(len(vs)) {
				b.t.Fatalf("%s: asked for %d vertices", what, calls.Load())
			}
			b.want(what+", keeping "+of, b.fr, frontier.Queue, want)
		}
	})
}

// TestBitmapsOfManyWords: more words than a worker claims at once.
func TestBitmapsOfManyWords(t *testing.T) {
	for _, words := range []int{1023, 1024, 1025, 2048, 2049, 4097} {
		for _, workers := range []int{1, 3} {
			n := words*64 - 17
			b := newBench(t, context.Background(), n, workers)
			var vs, seen, left, both []uint32
			r := rand.New(rand.NewPCG(5, uint64(n)))
			for v := range uint32(n) {
				x := r.IntN(9)
				if x&1 != 0 {
					vs = append(vs, v)
				}
				if x < 4 {
					seen = append(seen, v)
				}
				if x&1 != 0 || x < 4 {
					both = append(both, v)
				}
				if x&1 != 0 && x >= 4 {
					left = append(left, v)
				}
			}
			what := fmt.Sprintf("%d words, %d workers", words, workers)
			b.load(frontier.Bitmap, vs, seen)
			must(t, b.f.Cull(b.fr, b.seen))
			b.want(what, b.fr, frontier.Bitmap, left)
			b.want(what, b.seen, frontier.Bitmap, seen)
			b.load(frontier.Bitmap, vs, seen)
			must(t, b.f.Unvisited(b.fr, b.seen))
			b.want(what, b.fr, frontier.Bitmap, left)
			b.want(what, b.seen, frontier.Bitmap, both)
		}
	}
}

func TestNoVertices(t *testing.T) {
	b := newBench(t, context.Background(), 0, 2)
	for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
		b.load(form, nil, nil)
		for _, f := range []func() error{
			func() error { return b.f.Cull(b.fr, b.seen) },
			func() error { return b.f.Unvisited(b.fr, b.seen) },
			func() error { return b.f.Unique(b.fr) },
		} {
			must(t, f())
			b.want("no vertices", b.fr, form, nil)
		}
	}
}
