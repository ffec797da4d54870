// This file holds the rows that the host counts triangles in: each edge once, from the
// vertex of lower degree to that of higher degree.

package intersect

import (
	"context"
	"runtime"
	"slices"
	"sort"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/layout/rowcheck"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

// oriented is an undirected graph whose vertices are ranked by descending degree. Row r has
// the neighbors of lower rank, which have the higher degrees, ascending. No row is longer
// than the square root of twice the edges, however large the hubs are (Schank and Wagner,
// 2005).
type oriented struct {
	begin, end []uint64 // of row r in targets
	targets    []uint32
	edges      uint64   // in all rows
	order      []uint32 // the vertex of a rank; nil where they are the same

	hubs uint32   // how many of the first ranks have a row in bits
	bits []uint64 // of hub v the words at words(v): a bit for each entry of its row
}

// row returns the neighbors of rank r that have lower ranks.
func (o *oriented) row(r uint32) []uint32 { return o.targets[o.begin[r]:o.end[r]] }

// words returns where the words of hub v begin: the rows before have a bit for each rank
// below their own.
func words(v uint32) uint64 {
	q, r := uint64(v>>6), uint64(v&63)
	return 32*q*(q+1) + r*(q+1)
}

// orientedBytes is what rows and bit rows take at most.
func orientedBytes(n int, edges uint64, twice bool) uint64 {
	bits := 8 * words(uint32(min(n, mostHubs)))
	if twice {
		bits *= 2
	}
	return 8*(uint64(n)+1) + 4*edges/2 + 4*uint64(n) + bits
}

// orient returns the rows of an undirected graph without parallel edges and self-loops. The error is the
// stream's.
func orient(s *host.Stream, g *graph.Graph) (*oriented, error) {
	c, n := g.Out(), g.NumVertices()
	o := &oriented{}
	if g.Order() == graph.OrderDegree {
		o.share(s, c, n)
	} else if order, err := byDegree(s.Context(), c, n); err != nil {
		return nil, err
	} else {
		o.order = order
		o.copy(s, c, n)
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	for r := range n {
		o.edges += o.end[r] - o.begin[r]
	}
	o.hubs = o.mostHubs()
	o.bits = o.matrix(s, nil)
	return o, s.Err()
}

// orientedKey is the key under which a placed graph keeps its oriented rows.
type orientedKey[T any] struct{ placed.Of[T] }

// orientable reports whether triangles of a placed graph can be counted in rows by degree: it is
// undirected, without parallel edges, and without self-loops, which make their vertices neighbors
// of themselves.
func orientable(ctx context.Context, p *graph.Placed) (bool, error) {
	if p.Graph().Directed() {
		return false, nil
	}
	rows, err := rowcheck.Of(ctx, p)
	return rows.Ascend && !rows.Twice && !rows.Loops, err
}

// orientedOf returns the rows of a placed graph, which are made once; nil where it has none.
func orientedOf(s *host.Stream, p *graph.Placed) (*oriented, error) {
	if ok, err := orientable(s.Context(), p); !ok {
		return nil, err
	}
	return placed.LoadOrMakeIn(s.Context(), p.State(), orientedKey[*oriented]{}, func() (*oriented, error) { return orient(s, p.Graph()) })
}

// shared calls do for ranges of vertices, on all processors, of which each goes over about as many edges. It
// leaves off where the stream is stopped.
func shared(s *host.Stream, n int, offsets []uint64, do func(lo, hi int)) {
	workers := runtime.GOMAXPROCS(0)
	if n == 0 {
		return
	}
	cut := func(w int) int {
		at := offsets[n] / uint64(workers) * uint64(w)
		if w == workers {
			return n
		}
		return sort.Search(n, func(v int) bool { return offsets[v] >= at })
	}
	var wg panics.Group
	for w := range workers {
		wg.Go(func() {
			for lo, hi := cut(w), cut(w+1); lo < hi && !s.Stopped(); {
				end := looks.Cut(offsets, lo, hi)
				do(lo, end)
				lo = end
			}
		})
	}
	wg.Wait()
}

// share takes the rows of a graph whose vertices are in order of degree already.
func (o *oriented) share(s *host.Stream, c *graph.CSR, n int) {
	o.begin, o.targets = c.Offsets[:n], c.Targets
	o.end = make([]uint64, n)
	shared(s, n, c.Offsets, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			o.end[v] = o.begin[v] + uint64(below(c.Neighbors(uint32(v)), uint32(v)))
		}
	})
}

// byDegree returns the vertices by descending degree, ties by number. The error is the context's.
func byDegree(ctx context.Context, c *graph.CSR, n int) ([]uint32, error) {
	most := uint64(0)
	for v := range n {
		most = max(most, c.Degree(uint32(v)))
	}
	// Degrees are below n, as rows have no entry twice: a counting sort.
	at := make([]uint32, most+2)
	if err := looks.Pieces(ctx, n, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			at[most-c.Degree(uint32(v))+1]++
		}
	}); err != nil {
		return nil, err
	}
	for d := 1; d < len(at); d++ {
		at[d] += at[d-1]
	}
	order := make([]uint32, n)
	return order, looks.Pieces(ctx, n, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			i := &at[most-c.Degree(uint32(v))]
			order[*i] = uint32(v)
			*i++
		}
	})
}

// copy makes rows of a graph in another order.
func (o *oriented) copy(s *host.Stream, c *graph.CSR, n int) {
	rank := make([]uint32, n)
	for r, v := range o.order {
		rank[v] = uint32(r)
	}
	offsets := make([]uint64, n+1)
	shared(s, n, c.Offsets, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			own, k := rank[v], uint64(0)
			for _, w := range c.Neighbors(uint32(v)) {
				if rank[w] < own {
					k++
				}
			}
			offsets[own+1] = k
		}
	})
	if s.Stopped() {
		offsets[n] = 0 // and orient says why
		o.begin, o.end = offsets[:n], offsets[1:]
		return
	}
	for r := range n {
		offsets[r+1] += offsets[r]
	}
	o.begin, o.end = offsets[:n], offsets[1:]
	o.targets = make([]uint32, offsets[n])
	hugepage.Advise(o.targets)
	shared(s, n, offsets, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			row, k := o.targets[offsets[r]:offsets[r+1]], 0
			for _, w := range c.Neighbors(o.order[r]) {
				if x := rank[w]; x < uint32(r) {
					row[k] = x
					k++
				}
			}
			slices.Sort(row)
		}
	})
}

// mostHubs returns how many hubs get a bit row: as many as keep the rows within the bounds of
// tuning.go.
func (o *oriented) mostHubs() (hubs uint32) {
	entries := uint64(0)
	for v := range uint32(min(len(o.begin), mostHubs)) {
		entries += o.end[v] - o.begin[v]
		if entries*hubSparse >= words(v+1) {
			hubs = v + 1
		}
	}
	return hubs
}

// matrix returns the bit rows of the hubs, with the edges that only has, or with all where
// that is nil. It leaves off where the stream is stopped.
func (o *oriented) matrix(s *host.Stream, only []uint64) []uint64 {
	m := make([]uint64, words(o.hubs))
	for lo := 0; lo < len(m) && !s.Stopped(); lo += adviseWords { // the system copies pages meanwhile
		hi := min(lo+adviseWords, len(m))
		hugepage.Advise(m[lo:hi:hi])
	}
	for v := range o.hubs {
		if v%lookHubs == 0 && s.Stopped() {
			break
		}
		row := m[words(v):words(v+1)]
		for e := o.begin[v]; e < o.end[v]; e++ {
			if w := o.targets[e]; only == nil || only[e>>6]>>(e&63)&1 != 0 {
				row[w>>6] |= 1 << (w & 63)
			}
		}
	}
	return m
}
