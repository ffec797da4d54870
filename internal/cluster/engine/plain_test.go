// This file compares parts with those that a few plain loops over all edges make.

package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// plainPart is what is in a part.
type plainPart struct {
	ids        []int64 // by number
	degrees    []uint32
	here       []ownDelegate
	nn         []plainRow[uint64]
	nd, dn, dd []plainRow[uint32]
}

type plainRow[T number] []T

func plain[T number](r rows[T]) []plainRow[T] {
	list := make([]plainRow[T], len(r.off)-1)
	for i := range list {
		list[i] = append(plainRow[T](nil), r.to[r.off[i]:r.off[i+1]]...)
	}
	return list
}

// parts makes them by loops. The homes of vertices and of edges between delegates are asked of b.
func (in *input) parts(h homes, threshold uint64) (delegates []int64, all []plainPart) {
	less := cmp.Compare[int64]
	if in.unsigned {
		less = func(x, y int64) int { return cmp.Compare(uint64(x), uint64(y)) }
	}
	degree := map[int64]uint32{}
	for _, v := range in.vertices {
		degree[v] += 0
	}
	for i, u := range in.src {
		v := in.dst[i]
		degree[u] += 0
		degree[v] += 0
		if u != v {
			degree[u]++
			if !in.directed {
				degree[v]++
			}
		}
	}
	ids := slices.SortedFunc(maps.Keys(degree), less)
	if in.dense {
		n := in.n
		if len(ids) > 0 {
			n = max(n, uint64(slices.Max(ids))+1)
		}
		ids = nil
		for id := range n {
			ids = append(ids, int64(id))
		}
	}
	all = make([]plainPart, h.size)
	places := map[int64]place{}
	for _, id := range ids {
		r := h.of(uint64(id))
		if in.dense {
			r, _ = h.deal(uint64(id))
		}
		places[id] = at(r, uint32(len(all[r].ids)))
		all[r].ids = append(all[r].ids, id)
		if uint64(degree[id]) > threshold {
			delegates = append(delegates, id)
		}
	}
	slices.SortFunc(delegates, func(x, y int64) int {
		return cmp.Or(cmp.Compare(degree[y], degree[x]), cmp.Compare(uint64(x), uint64(y)))
	})
	numbers := map[int64]uint32{}
	for n, id := range delegates {
		numbers[id] = uint32(n)
		r := places[id].owner()
		all[r].here = append(all[r].here, ownDelegate{places[id].local(), uint32(n)})
	}
	for r := range all {
		p := &all[r]
		slices.SortFunc(p.here, func(x, y ownDelegate) int { return cmp.Compare(x.local, y.local) })
		p.nn, p.nd = make([]plainRow[uint64], len(p.ids)), make([]plainRow[uint32], len(p.ids))
		p.dn, p.dd = make([]plainRow[uint32], len(delegates)), make([]plainRow[uint32], len(delegates))
		for _, id := range delegates {
			p.degrees = append(p.degrees, degree[id])
		}
	}
	one := func(u, v int64) {
		a, isA := numbers[u]
		b, isB := numbers[v]
		x, y := places[u], places[v]
		switch {
		case isA && isB:
			row := &all[h.dd(a, b)].dd[a]
			*row = append(*row, b)
		case isA:
			row := &all[y.owner()].dn[a]
			*row = append(*row, y.local())
		case isB:
			row := &all[x.owner()].nd[x.local()]
			*row = append(*row, b)
		default:
			row := &all[x.owner()].nn[x.local()]
			*row = append(*row, uint64(y))
		}
	}
	for i, u := range in.src {
		if v := in.dst[i]; u != v {
			one(u, v)
			if !in.directed {
				one(v, u)
			}
		}
	}
	for _, p := range all {
		for i := range p.nn {
			slices.Sort(p.nn[i])
			p.nn[i] = slices.Compact(p.nn[i])
		}
		for _, rows := range [][]plainRow[uint32]{p.nd, p.dn, p.dd} {
			for i := range rows {
				slices.Sort(rows[i])
				rows[i] = slices.Compact(rows[i])
			}
		}
	}
	return delegates, all
}

// comparePart compares a part with the one that loops made.
func (in *input) comparePart(p *Part, delegates []int64, want *plainPart) error {
	if got := p.IDs(); !slices.Equal(got, want.ids) {
		return fmt.Errorf("vertices %v, want %v", got, want.ids)
	}
	if !slices.Equal(p.delegate, unsigned(delegates)) || !slices.Equal(p.degree, want.degrees) || !slices.Equal(p.here, want.here) {
		return fmt.Errorf("delegates %v of %v, here %v; want %v of %v, here %v", p.delegate, p.degree, p.here, delegates, want.degrees, want.here)
	}
	for n, id := range p.delegate {
		if got, ok := p.numbers.find(id); !ok || got != uint32(n) {
			return fmt.Errorf("delegate %d is found as %d, %t", n, got, ok)
		}
	}
	isDelegate := map[int64]bool{}
	for _, id := range delegates {
		isDelegate[id] = true
	}
	for i, id := range want.ids {
		if _, ok := p.numbers.find(uint64(id)); ok != isDelegate[id] {
			return fmt.Errorf("%d is found among delegates: %t", id, ok)
		}
		if p.byID != nil {
			if n, ok := p.byID.find(uint64(id)); !ok || n != uint32(i) {
				return fmt.Errorf("id %d is found as %d, %t", id, n, ok)
			}
		}
	}
	if got := plain(p.nn); !reflect.DeepEqual(got, want.nn) {
		return fmt.Errorf("nn %v, want %v", got, want.nn)
	}
	for i, got := range [][]plainRow[uint32]{plain(p.nd), plain(p.dn), plain(p.dd)} {
		if want := [][]plainRow[uint32]{want.nd, want.dn, want.dd}[i]; !reflect.DeepEqual(got, want) {
			return fmt.Errorf("%s %v, want %v", []string{"nd", "dn", "dd"}[i], got, want)
		}
	}
	return nil
}

func (in *input) compareParts(t *testing.T, ranks int, o Options, read func(e Edges) Edges) {
	t.Helper()
	var stats [8]Stats
	onRanks(t, ranks, func(c comm.Comm) error {
		p, err := Build(t.Context(), c, read(in.edges(c.Rank(), c.Size())), o)
		if err != nil {
			return err
		}
		stats[c.Rank()] = p.Stats
		delegates, want := in.parts(p.homes, p.Stats.Threshold)
		return in.comparePart(p, delegates, &want[c.Rank()])
	})
	delegates, want := in.parts(homes{uint64(ranks), in.dense}, stats[0].Threshold)
	s := Stats{Ranks: ranks, Machines: 1, InputEdges: uint64(len(in.src)), Delegates: uint64(len(delegates)), Threshold: stats[0].Threshold}
	sum := func(n *uint64, rows []plainRow[uint32]) {
		for _, r := range rows {
			*n += uint64(len(r))
		}
	}
	for _, p := range want {
		s.Vertices += uint64(len(p.ids))
		for _, r := range p.nn {
			s.NN += uint64(len(r))
		}
		sum(&s.ND, p.nd)
		sum(&s.DN, p.dn)
		sum(&s.DD, p.dd)
	}
	s.Entries = s.NN + s.ND + s.DN + s.DD
	edges := map[[2]int64]bool{}
	for i, u := range in.src {
		v := in.dst[i]
		if !in.directed {
			u, v = min(u, v), max(u, v)
		}
		switch e := [2]int64{u, v}; {
		case u == v:
			s.SelfLoops++
		case edges[e]:
			s.Repeated++
		default:
			edges[e] = true
		}
	}
	for r := range ranks {
		got := stats[r]
		got.Bytes, got.MostEntries, got.Foretold, got.Sent, got.Took = 0, 0, 0, 0, 0
		if got != s {
			t.Errorf("rank %d of %d: %+v, want %+v", r, ranks, got, s)
		}
	}
}

// TestPlain compares parts of random graphs with those that loops make.
func TestPlain(t *testing.T) {
	smallTiles(t)
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for i := range rounds {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		in := input{directed: r.IntN(2) == 0, dense: r.IntN(2) == 0, unsigned: r.IntN(2) == 0}
		n := 1 + r.IntN(120)
		if r.IntN(4) == 0 {
			in.n = uint64(n)
		}
		id := func() int64 {
			x := int64(r.IntN(n))
			if r.IntN(3) == 0 {
				x /= int64(1 + r.IntN(n)) // hubs
			}
			if !in.dense {
				x = x*int64(mix(9)) ^ int64(mix(uint64(i)))
			}
			return x
		}
		for range r.IntN(1200) {
			in.src, in.dst = append(in.src, id()), append(in.dst, id())
		}
		for range r.IntN(10) {
			in.vertices = append(in.vertices, id())
		}
		o := Options{Threshold: []int64{Auto, 0, 1, 5, 20, 1 << 40}[r.IntN(6)], Workers: 1 + r.IntN(4)}
		in.compareParts(t, 1+r.IntN(4), o, func(e Edges) Edges { return e })
		if t.Failed() {
			t.Fatalf("input %d: %d vertices, %d edges, %+v", i, n, len(in.src), o)
		}
	}
}

// TestPlainGenerated compares parts of graphs that take more than one batch, and more than one bucket, with the sizes
// that such are made with.
func TestPlainGenerated(t *testing.T) {
	testlong.Project(t)
	if testing.Short() {
		t.Skip("needs a run without -short: graphs of more than one batch take long")
	}
	for _, spec := range []string{"kron13", "urand12", "star:40000", "path:30000", "grid2d:100x100"} {
		g, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		in := input{dense: true, n: g.NumVertices()}
		s, d := make([]uint32, gen.BlockEdges), make([]uint32, gen.BlockEdges)
		for i := range g.Blocks() {
			for k := range g.Block(i, s, d) {
				in.src, in.dst = append(in.src, int64(s[k])), append(in.dst, int64(d[k]))
			}
		}
		for _, c := range []struct {
			ranks     int
			threshold int64
		}{{1, Auto}, {3, Auto}, {2, 0}, {2, 1 << 40}} {
			in.compareParts(t, c.ranks, Options{Threshold: c.threshold, Workers: 3}, func(e Edges) Edges {
				// Larger blocks than seven edges.
				small := e.Read
				e.Read = func(ctx context.Context, yield func(src, dst []int64) error) error {
					var src, dst []int64
					err := small(ctx, func(s, d []int64) error {
						src, dst = append(src, s...), append(dst, d...)
						if len(src) < 5000 {
							return nil
						}
						err := yield(src, dst)
						src, dst = src[:0], dst[:0]
						return err
					})
					if err == nil && len(src) > 0 {
						err = yield(src, dst)
					}
					return err
				}
				return e
			})
		}
	}
}

// TestSorted: what is sorted in parts is in order.
func TestSorted(t *testing.T) {
	smallTiles(t)
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{0, 1, 2, 100, 5000, 70_000} {
		list := make([]uint64, n)
		for i := range list {
			list[i] = mix(uint64(i)) >> r.UintN(60)
		}
		want := slices.Sorted(slices.Values(list))
		for _, workers := range []int{1, 3} {
			got, err := sorted(t.Context(), newTeam(workers, func() {}), slices.Clone(list), cmp.Compare[uint64])
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d numbers, %d workers: not in order (%v)", n, workers, err)
			}
		}
		by := make([]uint64, n)
		if ascend(newTeam(1, func() {}), list, by); !slices.Equal(list, want) {
			t.Errorf("%d numbers by digits: not in order", n)
		}
	}
}

// TestBuildCanceled: a rank's context ends while it reads, the first or the second time.
func TestBuildCanceled(t *testing.T) {
	smallTiles(t)
	in := input{dense: true, src: slices.Repeat([]int64{1, 2, 3}, 1000), dst: slices.Repeat([]int64{2, 3, 4}, 1000)}
	for _, dense := range []bool{false, true} {
		for reading := range 2 {
			in.dense = dense
			fails(t, "context canceled", context.Canceled, func(ctx context.Context, c comm.Comm) error {
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				e := in.edges(c.Rank(), c.Size())
				n, blocks := 0, 0
				read := e.Read
				e.Read = func(ctx context.Context, yield func(src, dst []int64) error) error {
					n++
					return read(ctx, func(src, dst []int64) error {
						if blocks++; c.Rank() == 1 && n > reading && blocks%100 == 0 {
							cancel()
						}
						return yield(src, dst)
					})
				}
				_, err := Build(ctx, c, e, Options{Threshold: 2, Workers: 2})
				return err
			})
		}
	}
}

// TestChangesDense: the second reading has an id that is larger than all of the first, or as large as ids get.
func TestChangesDense(t *testing.T) {
	for _, id := range []int64{7, -1} {
		fails(t, "the input changed while it was read", graph.ErrMalformed, func(ctx context.Context, c comm.Comm) error {
			n := 0
			_, err := Build(ctx, c, Edges{Dense: true, Read: func(_ context.Context, yield func(src, dst []int64) error) error {
				if n++; n == 2 && c.Rank() == 1 {
					return yield([]int64{1, 2, 3}, []int64{2, 3, id})
				}
				return yield([]int64{1, 2, 3}, []int64{2, 3, 4})
			}}, Options{Threshold: Auto})
			return err
		})
	}
	fails(t, "an id below 0", graph.ErrIDRange, func(ctx context.Context, c comm.Comm) error {
		_, err := Build(ctx, c, Edges{Dense: true, Read: func(_ context.Context, yield func(src, dst []int64) error) error {
			return yield([]int64{1, -1}, []int64{2, 3})
		}}, Options{Threshold: Auto})
		return err
	})
}
