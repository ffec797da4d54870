package filter_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

// What splits leave is tested in internal/testing/conformance, on every device.

func odd(_ operators.Worker, in, out []uint32) int {
	k := 0
	for _, v := range in {
		out[k] = v
		k += int(v & 1)
	}
	return k
}

// TestSplitSizes: queues and bitmaps of every size around what workers claim.
func TestSplitSizes(t *testing.T) {
	for _, workers := range workerCounts() {
		for _, n := range sizes() {
			b := newBench(t, context.Background(), n, workers)
			var even, odds, all []uint32
			for v := range uint32(n) {
				all = append(all, v)
				if v&1 == 0 {
					even = append(even, v)
				} else {
					odds = append(odds, v)
				}
			}
			no := frontier.New(b.p)
			for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
				b.load(form, all, nil)
				must(t, b.f.Split(b.fr, b.seen, no, filter.Func(odd)))
				for f, want := range map[*frontier.Frontier][]uint32{b.fr: all, b.seen: odds, no: even} {
					got := f.Vertices()
					slices.Sort(got)
					if f.Form() != form || f.Len() != len(want) || !slices.Equal(got, want) {
						t.Fatalf("%d workers, a %s of %d: a %s of %d, want %d", workers, form, n, f.Form(), f.Len(), len(want))
					}
				}
				must(t, b.f.Keep(b.fr, filter.Func(odd)))
				if got := b.fr.Vertices(); b.fr.Form() != form || !slices.Equal(got, odds) {
					t.Fatalf("%d workers, keep of a %s of %d: %d left, want %d", workers, form, n, len(got), len(odds))
				}
			}
		}
	}
}

func TestSplitErrors(t *testing.T) {
	b := newBench(t, context.Background(), 100, 2)
	other := newBench(t, context.Background(), 100, 2)
	near, far, freed := frontier.New(b.p), frontier.New(b.p), frontier.New(b.p)
	must(t, freed.Free())
	keys := func(n int) *device.Buffer[float32] {
		k, err := device.NewBuffer[float32](b.p.Device(), n)
		must(t, err)
		return k
	}
	enough, gone := keys(100), keys(100)
	must(t, gone.Free())
	b.load(frontier.Queue, []uint32{4, 5}, nil)
	must(t, far.Add(9))
	p := filter.Func(odd)
	for what, c := range map[string]struct{ err, want error }{
		"of none":                 {b.f.Split(nil, near, far, p), frontier.ErrForeign},
		"into none":               {b.f.Split(b.fr, nil, far, p), frontier.ErrForeign},
		"into no other":           {b.f.Split(b.fr, near, nil, p), frontier.ErrForeign},
		"into a freed one":        {b.f.Split(b.fr, freed, far, p), device.ErrClosed},
		"into another graph's":    {b.f.SplitAppend(b.fr, near, other.fr, p), frontier.ErrForeign},
		"into itself":             {b.f.Split(b.fr, b.fr, far, p), frontier.ErrAliased},
		"into itself, too":        {b.f.SplitAppend(b.fr, near, b.fr, p), frontier.ErrAliased},
		"into one":                {b.f.Split(b.fr, far, far, p), frontier.ErrAliased},
		"without a predicate":     {b.f.Split(b.fr, near, far, nil), filter.ErrPredicate},
		"with a nil Func":         {b.f.Split(b.fr, near, far, filter.Func(nil)), filter.ErrPredicate},
		"with a nil Below":        {b.f.Split(b.fr, near, far, (*filter.Below[float32])(nil)), filter.ErrPredicate},
		"without keys":            {b.f.Keep(b.fr, &filter.Below[float32]{}), filter.ErrPredicate},
		"with too few keys":       {b.f.Keep(b.fr, &filter.Below[float32]{Keys: keys(99)}), filter.ErrPredicate},
		"with keys that are gone": {b.f.Keep(b.fr, &filter.Below[float32]{Keys: gone}), filter.ErrPredicate},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: got %v, want %v", what, c.err, c.want)
		}
	}
	b.want("after refusing", b.fr, frontier.Queue, []uint32{4, 5})
	b.want("after refusing", far, frontier.Queue, []uint32{9})

	// An entry that is no vertex isn't used as an index.
	b.fr.Queue()[1] = 100
	below := &filter.Below[float32]{Keys: enough, Limit: 1}
	for what, run := range map[string]func() error{
		"split":  func() error { return b.f.Split(b.fr, near, far, below) },
		"append": func() error { return b.f.SplitAppend(b.fr, near, far, below) },
		"keep":   func() error { return b.f.Keep(b.fr, below) }, // empties it
	} {
		b.load(frontier.Queue, []uint32{4, 5}, nil)
		b.fr.Queue()[1] = 100
		if err := run(); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("%s of what is no vertex: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := host.New(2).Stream(ctx)
	defer s.Close()
	f, err := filter.New(s, b.p)
	must(t, err)
	cancel()
	if err := f.Split(b.fr, near, far, p); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	must(t, f.Free())
	if err := f.Split(b.fr, near, far, p); err == nil {
		t.Error("a freed Filterer splits")
	}
}

// TestSplitNonsense: predicates that don't do what they promise are errors, and
// the Filterer is as good as before.
func TestSplitNonsense(t *testing.T) {
	for _, workers := range []int{1, 3} {
		b := newBench(t, context.Background(), 20_000, workers)
		near, far := frontier.New(b.p), frontier.New(b.p)
		all := make([]uint32, 20_000)
		for v := range all {
			all[v] = uint32(v)
		}
		for what, p := range map[string]filter.Func{
			"-1":            func(_ operators.Worker, in, _ []uint32) int { return -1 },
			"one more":      func(_ operators.Worker, in, _ []uint32) int { return len(in) + 1 },
			"another order": func(_ operators.Worker, in, out []uint32) int { slices.Reverse(out[:copy(out, in)]); return len(in) },
			"no vertex":     func(_ operators.Worker, in, out []uint32) int { out[0] = 20_000; return 1 },
			"another one":   func(_ operators.Worker, in, out []uint32) int { out[0] = (in[0] + 10_000) % 20_000; return 1 },
		} {
			for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
				b.load(form, all, nil)
				if err := b.f.Split(b.fr, near, far, p); !errors.Is(err, filter.ErrPredicate) || near.Len() != 0 {
					t.Errorf("%d workers, split of a %s, %s: %d left, %v", workers, form, what, near.Len(), err)
				}
			}
			b.load(frontier.Bitmap, all, nil)
			if err := b.f.Keep(b.fr, p); !errors.Is(err, filter.ErrPredicate) || b.fr.Len() != 0 || len(b.fr.Vertices()) != 0 {
				t.Errorf("%d workers, keep of a bitmap, %s: %d left, %v", workers, what, b.fr.Len(), err)
			}
		}
		b.load(frontier.Queue, all, nil)
		must(t, b.f.Split(b.fr, near, far, filter.Func(odd)))
		if near.Len() != 10_000 || far.Len() != 10_000 {
			t.Errorf("after faults: %d and %d", near.Len(), far.Len())
		}
	}
}

// TestSplitAllocatesNothing, once there is room.
func TestSplitAllocatesNothing(t *testing.T) {
	b := newBench(t, context.Background(), 5000, 2)
	keys, err := device.NewBuffer[uint32](b.p.Device(), 5000)
	must(t, err)
	near, far := frontier.New(b.p), frontier.New(b.p)
	all := make([]uint32, 5000)
	for v := range all {
		all[v] = uint32(v)
	}
	must(t, keys.Write(b.p.Device(), 0, all))
	b.load(frontier.Queue, all, nil)
	below := &filter.Below[uint32]{Keys: keys, Limit: 2000}
	if allocs := testing.AllocsPerRun(10, func() { must(t, b.f.Split(b.fr, near, far, below)) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkSplit(b *testing.B) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(1, 2))
	keys, all := make([]float32, n), make([]uint32, n)
	for v := range all {
		keys[v], all[v] = r.Float32(), uint32(v)
	}
	for _, workers := range []int{1, 2} {
		for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
			b.Run(fmt.Sprintf("%s/workers=%d", form, workers), func(b *testing.B) {
				p := testgraph.Place(testgraph.Build(n, nil, testgraph.Undirected), workers)
				s := host.New(workers).Stream(context.Background())
				defer s.Close()
				f, err := filter.New(s, p)
				if err != nil {
					b.Fatal(err)
				}
				buffer, err := device.NewBuffer[float32](p.Device(), n)
				if err != nil {
					b.Fatal(err)
				}
				in, near, far := frontier.New(p), frontier.New(p), frontier.New(p)
				if err := errors.Join(buffer.Write(p.Device(), 0, keys), in.Clear(form), in.Add(all...)); err != nil {
					b.Fatal(err)
				}
				below := &filter.Below[float32]{Keys: buffer, Limit: 0.3}
				for b.Loop() {
					if err := f.Split(in, near, far, below); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/vertex")
			})
		}
	}
}
