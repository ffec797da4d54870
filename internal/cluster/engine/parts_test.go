// This file tests what a search is made of: where vertices live, tables of ids, the
// choice of the threshold, and what goes wrong.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// generated is a rank's share of a generator's edges.
func generated(g gen.Generator, rank, size int) Edges {
	return Edges{Dense: true, Vertices: g.NumVertices(), Read: func(ctx context.Context, yield func(src, dst []int64) error) error {
		s, d := make([]uint32, gen.BlockEdges), make([]uint32, gen.BlockEdges)
		src, dst := make([]int64, gen.BlockEdges), make([]int64, gen.BlockEdges)
		for i := rank; i < g.Blocks(); i += size {
			n := g.Block(i, s, d)
			for k := range n {
				src[k], dst[k] = int64(s[k]), int64(d[k])
			}
			if err := yield(src[:n], dst[:n]); err != nil {
				return err
			}
		}
		return nil
	}}
}

func TestHomes(t *testing.T) {
	for size := uint64(1); size <= 7; size++ {
		h := homes{size, true}
		for _, n := range []uint64{0, 1, size, 1000, 1001, 1006} {
			have := make([]uint64, size)
			for id := range n {
				r, local := h.deal(id)
				if h.dealt(r, local) != id {
					t.Fatalf("%d of %d ranks: %d is dealt as %d of rank %d, which is %d", id, size, id, local, r, h.dealt(r, local))
				}
				if local != have[r] {
					t.Fatalf("%d of %d ranks: number %d of rank %d, not %d", id, size, local, r, have[r])
				}
				have[r]++
			}
			for r, want := range have {
				if got := h.count(r, n); got != want {
					t.Errorf("rank %d of %d has %d of %d, not %d", r, size, got, n, want)
				}
			}
		}
	}
	// No rank has all ids of a pattern.
	h := homes{4, true}
	have := make([]int, 4)
	for i := range uint64(4000) {
		r, _ := h.deal(i * 4)
		have[r]++
	}
	for r, n := range have {
		if n < 800 || n > 1200 {
			t.Errorf("rank %d has %d of 4,000 multiples of 4", r, n)
		}
	}
}

func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, want := newTable(0), map[uint64]uint32{}
	for range 10_000 {
		id := r.Uint64N(4000) << (r.UintN(2) * 50)
		n, known := want[id]
		if got, ok := x.find(id); ok != known || ok && got != n {
			t.Fatalf("%d: %d, %t, not %d, %t", id, got, ok, n, known)
		}
		if !known {
			want[id] = uint32(len(want))
		}
		if got := x.add(id); got != want[id] {
			t.Fatalf("%d: %d, not %d", id, got, want[id])
		}
	}
	if x.n != len(want) || uint64(12*len(x.keys)) > 2*tableBytes(uint64(x.n)) {
		t.Errorf("%d ids in %d slots, not %d", x.n, len(x.keys), len(want))
	}
}

func TestSplits(t *testing.T) {
	smallTiles(t)
	r := rand.New(rand.NewPCG(2, 1))
	degrees := make([]uint32, 500)
	for i := range degrees {
		degrees[i] = uint32(r.ExpFloat64() * 20)
	}
	thresholds := candidates(uint64(slices.Max(degrees)))
	for _, s := range splits(t.Context(), newTeam(3, func() {}), degrees, thresholds) {
		want := split{threshold: s.threshold}
		for _, d := range degrees {
			if uint64(d) > s.threshold {
				want.delegates++
				want.edges += uint64(d)
			}
		}
		if s != want {
			t.Errorf("%+v, want %+v", s, want)
		}
	}
	if last := thresholds[len(thresholds)-1]; last < uint64(slices.Max(degrees)) || thresholds[0] != 0 || !slices.IsSorted(thresholds) {
		t.Errorf("thresholds %v", thresholds)
	}
}

// TestForecast: what is foretold covers what is held.
func TestForecast(t *testing.T) {
	for _, spec := range []string{"kron12", "urand11", "star:5000", "path:5000", "grid2d:60x60"} {
		g, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, threshold := range []int64{Auto, 0, 16, 1 << 40} {
			onRanks(t, 3, func(c comm.Comm) error {
				p, err := Build(t.Context(), c, generated(g, c.Rank(), c.Size()), Options{Threshold: threshold})
				if err != nil {
					return err
				}
				if s := p.Stats; s.Foretold == 0 || s.Foretold*3 < s.Bytes || s.MostEntries*3 > s.Entries*2+3000 {
					t.Errorf("%s, threshold %d: foretold %d for a third of %d; the largest part has %d of %d edges", spec, threshold, s.Foretold, s.Bytes, s.MostEntries, s.Entries)
				}
				return nil
			})
		}
	}
}

// fails runs f on three ranks, all of which must return an error with that text.
func fails(t *testing.T, want string, is error, f func(ctx context.Context, c comm.Comm) error) {
	t.Helper()
	var all sync.WaitGroup
	for _, c := range comm.InProcess(3) {
		all.Go(func() {
			err := f(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), want) || is != nil && !errors.Is(err, is) {
				t.Errorf("rank %d: %v, want %q", c.Rank(), err, want)
			}
		})
	}
	all.Wait()
}

func TestNoMemory(t *testing.T) {
	g, err := gen.Parse("kron10")
	if err != nil {
		t.Fatal(err)
	}
	fails(t, "rank 1: ", device.ErrMemory, func(ctx context.Context, c comm.Comm) error {
		o := Options{Threshold: Auto}
		if c.Rank() == 1 {
			o.MemoryLimit = 100_000
		}
		_, err := Build(ctx, c, generated(g, c.Rank(), c.Size()), o)
		return err
	})
	const gib = 1 << 30
	budgets := []budget{{"a", 10 * gib, false, []uint64{4 * gib}, gib, 0}, {"a", 10 * gib, false, []uint64{5 * gib}, gib, 0}, {"b", 3 * gib, false, []uint64{2 * gib}, gib, 0}, {"c", 0, false, []uint64{99 * gib}, gib, 0}}
	if _, _, says := shortage(budgets, 0); says != "" {
		t.Error(says)
	}
	budgets[1].Needs[0] += 2 * gib
	if rank, excess, says := shortage(budgets, 0); rank != 0 || excess != gib || !strings.Contains(says, "with 1 rank on the same host a, more than the") || !strings.HasSuffix(says, " that are free; start more ranks on more hosts") {
		t.Error(rank, excess, says)
	}
	budgets[0].Fixed = 5 * gib
	if rank, _, says := shortage(budgets, 0); rank != 0 || !strings.HasSuffix(says, "; 6.44 GB of that are for edges on their way, however many ranks there are; start fewer ranks on this host, with more workers each") {
		t.Error(rank, says)
	}
	budgets[2].Free, budgets[2].Given = gib/2, true
	if rank, _, says := shortage(budgets, 0); rank != 2 || !strings.HasSuffix(says, "of its limit; start more ranks on more hosts, or raise Options.MemoryLimit") {
		t.Error(rank, says)
	}
	budgets[2].Fixed++
	if rank, _, says := shortage(budgets, 0); rank != 2 || !strings.HasSuffix(says, "however many ranks there are; raise Options.MemoryLimit") {
		t.Error(rank, says)
	}
	budgets[0].Needs[0], budgets[2].Given, budgets[2].Ahead = gib, false, 3*gib/2
	if rank, _, says := shortage(budgets, 0); rank != 2 || !strings.HasSuffix(says, "free memory on this host, or give fewer Options.Workers") {
		t.Error(rank, says)
	}
	// A small graph needs little, and a large one doesn't take more on its way.
	f := forecast{ranks: 4, read: 1000, block: 1000, workers: 8}
	if need := f.bytes(); need > 300_000 || f.fixed() != 0 {
		t.Errorf("edges on their way are reckoned as %d, of which %d fixed, for a thousand", need, f.fixed())
	}
	f.read, f.block = 1<<40, 1<<16
	if most := f.fixed(); most != f.intake() || most < 256<<20 || most > 320<<20 {
		t.Errorf("edges on their way are reckoned as %d", most)
	}
}

var errRead = errors.New("page 7 is damaged")

func TestReadFails(t *testing.T) {
	in := input{src: slices.Repeat([]int64{1, 2, 3}, 100), dst: slices.Repeat([]int64{2, 3, 4}, 100)}
	for reading := range 2 {
		fails(t, "page 7 is damaged", nil, func(ctx context.Context, c comm.Comm) error {
			e := in.edges(c.Rank(), c.Size())
			n := 0
			if read := e.Read; c.Rank() == 1 {
				e.Read = func(ctx context.Context, yield func(src, dst []int64) error) error {
					if n++; n > reading {
						return errRead
					}
					return read(ctx, yield)
				}
			}
			_, err := Build(ctx, c, e, Options{Threshold: Auto})
			return err
		})
	}
}

// TestChanges: the second reading isn't like the first.
func TestChanges(t *testing.T) {
	for _, second := range map[string]struct{ src, dst []int64 }{
		"fewer":  {[]int64{1}, []int64{2}},
		"others": {[]int64{1, 2, 70}, []int64{2, 3, 71}},
	} {
		fails(t, "the input changed while it was read", graph.ErrMalformed, func(ctx context.Context, c comm.Comm) error {
			n := 0
			_, err := Build(ctx, c, Edges{Read: func(_ context.Context, yield func(src, dst []int64) error) error {
				if n++; n == 2 && c.Rank() == 1 {
					return yield(second.src, second.dst)
				}
				return yield([]int64{1, 2, 3}, []int64{2, 3, 4})
			}}, Options{Threshold: Auto})
			return err
		})
	}
}

func TestCanceled(t *testing.T) {
	g, err := gen.Parse("path:100000")
	if err != nil {
		t.Fatal(err)
	}
	fails(t, "rank 1", context.Canceled, func(ctx context.Context, c comm.Comm) error {
		p, err := Build(ctx, c, generated(g, c.Rank(), c.Size()), Options{Threshold: Auto})
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if c.Rank() == 1 {
			cancel()
		}
		_, err = p.Search(ctx, []int64{0}, SearchOptions{})
		return err
	})
}

func TestTooLargeDense(t *testing.T) {
	fails(t, "since ids are to be dense and one is", device.ErrMemory, func(ctx context.Context, c comm.Comm) error {
		e := (&input{dense: true, src: []int64{1, 1 << 33}, dst: []int64{2, 3}}).edges(c.Rank(), c.Size())
		_, err := Build(ctx, c, e, Options{Threshold: Auto, MemoryLimit: 1 << 20})
		return err
	})
	fails(t, "there are 5 vertices", graph.ErrIDRange, func(ctx context.Context, c comm.Comm) error {
		e := (&input{dense: true, n: 5, src: []int64{1, 5}, dst: []int64{2, 3}}).edges(c.Rank(), c.Size())
		_, err := Build(ctx, c, e, Options{Threshold: Auto})
		return err
	})
}

// TestCheck: a result that isn't right is found out.
func TestCheck(t *testing.T) {
	in := input{src: []int64{1, 2, 3, 4, 1, 8}, dst: []int64{2, 3, 4, 5, 4, 9}}
	// By the rule that is broken; the rank that has another edge may say another one.
	for _, spoil := range map[string]func(r *Result, at map[int64]int){
		"rule 3": func(r *Result, at map[int64]int) { change(r, at, 5, 4, 4) },
		"rule 4": func(r *Result, at map[int64]int) { change(r, at, 5, -1, 0) },
		"rule 5": func(r *Result, at map[int64]int) { change(r, at, 3, 2, 5) },
		"rule 2": func(r *Result, at map[int64]int) { change(r, at, 8, 0, 8) },
		"rule 1": func(r *Result, at map[int64]int) { change(r, at, 1, 0, 2) },
	} {
		for _, threshold := range []int64{0, 1, 1 << 40} {
			fails(t, "not a valid result: rule ", ErrInvalid, func(ctx context.Context, c comm.Comm) error {
				p, err := Build(ctx, c, in.edges(c.Rank(), c.Size()), Options{Threshold: threshold})
				if err != nil {
					return err
				}
				r, err := p.Search(ctx, []int64{1}, SearchOptions{Parents: true})
				if err != nil {
					return err
				}
				at := map[int64]int{}
				for i, id := range p.IDs() {
					at[id] = i
				}
				spoil(r, at)
				err = r.Check(ctx)
				if err != nil && !errors.Is(err, ErrInvalid) { // what another rank says is text
					err = fmt.Errorf("%w: %s", ErrInvalid, err)
				}
				return err
			})
		}
	}
}

// change gives a vertex another depth and parent, on its home.
func change(r *Result, at map[int64]int, id int64, depth int32, parent int64) {
	if i, ok := at[id]; ok {
		r.Depths[i], r.Parents[i] = depth, parent
	}
}

func TestDirection(t *testing.T) {
	h := &hostEngine{Part: &Part{}}
	for _, c := range []struct {
		x    half
		d    Direction
		want bool
	}{
		{half{push: 10, left: 1000, candidates: 100, back: 1000}, Either, false},
		{half{push: 900, left: 100, candidates: 100, back: 1000}, Either, true},
		{half{push: 900, left: 100, candidates: 100, back: 1000}, Push, false},
		{half{push: 10, left: 1000, candidates: 100, back: 1000}, Pull, true},
		{half{push: 10, left: 0, candidates: 0}, Either, true},
		{half{}, Either, false},
	} {
		if got := h.pulls(&c.x, c.d, 1); got != c.want {
			t.Errorf("%+v, %d: %t", c.x, c.d, got)
		}
	}
}
