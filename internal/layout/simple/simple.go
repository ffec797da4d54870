// Package simple builds undirected simple graphs, without duplicates and self-loops, from placed
// graphs, for algorithms that are defined on such graphs.
package simple

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/layout/rowcheck"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// verticesAtOnce is how many vertices a worker claims at once: with rows of 16 some tens of
// microseconds, a thousand times the claim.
const verticesAtOnce = 512

// lookEntries is after how many entries of rows a worker looks at the context: sorting takes some 50 ns for each.
const lookEntries = 1 << 15

// Graph is a placed graph's simple graph: itself, or one with its vertices by descending
// degree, which the placed graph keeps.
type Graph struct {
	Placed *graph.Placed
	Order  []uint32               // the placed graph's vertex of every vertex; nil if both are the same graph
	Both   *device.Buffer[uint64] // of a directed graph a bit for every edge: it leads both ways
}

// Close frees what isn't the graph's.
func (x *Graph) Close() error {
	if x.Order == nil {
		return nil
	}
	return errors.Join(x.Placed.Close(), x.Both.Close()) // the first waits for those who use both
}

type key struct{ placed.Of[*Graph] }

// Of returns the simple graph of a placed graph, which is made once. It is the placed graph's. No algorithm that wants
// it runs on several GPUs.
func Of(ctx context.Context, p *graph.Placed) (*Graph, error) {
	if err := run.CheckShards(p, false); err != nil {
		return nil, err
	}
	if ok, err := Is(ctx, p); err != nil {
		return nil, err
	} else if ok {
		return &Graph{Placed: p}, nil
	}
	return placed.LoadOrMakeIn(ctx, p.State(), key{}, func() (*Graph, error) {
		g, order, both, err := simplify(ctx, p.Graph())
		if err != nil {
			return nil, err
		}
		x := &Graph{Order: order}
		if x.Placed, err = g.On(p.Device()); err != nil {
			return nil, err
		}
		if p.Graph().Directed() {
			if x.Both, err = device.NewBuffer[uint64](p.Device(), len(both)); err != nil {
				return nil, errors.Join(err, x.Placed.Close())
			}
			if err := x.Both.Write(p.Device(), 0, both); err != nil {
				return nil, errors.Join(err, x.Close())
			}
		}
		return x, nil
	})
}

// Is reports whether the graph is undirected, and its rows ascend without self-loops and
// duplicates, which it looks for once.
func Is(ctx context.Context, p *graph.Placed) (bool, error) {
	if p.Graph().Directed() {
		return false, p.Err()
	}
	rows, err := rowcheck.Of(ctx, p)
	return rows.Ascend && !rows.Twice && !rows.Loops, err
}

// each calls do for every vertex, on all processors, as long as the context isn't done. do returns how many entries
// it looked at.
func each(ctx context.Context, c *graph.CSR, do func(worker int, v uint32) int) error {
	n, next := int64(c.NumVertices()), atomic.Int64{}
	var wg panics.Group
	for w := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for ctx.Err() == nil {
				lo := next.Add(verticesAtOnce) - verticesAtOnce
				if lo >= n {
					return
				}
				entries := 0
				for v := lo; v < min(lo+verticesAtOnce, n); v++ {
					entries += do(w, uint32(v))
					if entries >= lookEntries { // hubs are next to each other
						if ctx.Err() != nil {
							return
						}
						entries = 0
					}
				}
			}
		})
	}
	if err := wg.Err(); err != nil {
		return err
	}
	return ctx.Err()
}

// simplify returns the simple graph, its vertices in descending order of degree, the vertex of g
// of each of them, and which edges lead both ways in g: a bit each.
func simplify(ctx context.Context, g *graph.Graph) (s *graph.Graph, order []uint32, both []uint64, err error) {
	if err := g.Fetch(); err != nil {
		return nil, nil, nil, err
	}
	out, in := g.Out(), g.In()
	n := g.NumVertices()
	switch {
	case !g.Directed():
		in = nil
	case in == nil:
		if in, err = turned(ctx, out); err != nil {
			return nil, nil, nil, err
		}
	}
	rows := make([]row, runtime.GOMAXPROCS(0))
	degree := make([]uint32, n)
	if err = each(ctx, out, func(w int, v uint32) int {
		degree[v] = uint32(len(rows[w].of(ctx, v, out, in, nil)))
		return len(rows[w])
	}); err != nil {
		return nil, nil, nil, err
	}
	if order, err = byDegree(ctx, degree); err != nil {
		return nil, nil, nil, err
	}
	place, offsets := make([]uint32, n), make([]uint64, n+1)
	if err = looks.Pieces(ctx, n, func(lo, hi int) {
		for r, v := range order[lo:hi] {
			place[v] = uint32(lo + r)
			offsets[lo+r+1] = offsets[lo+r] + uint64(degree[v])
		}
	}); err != nil {
		return nil, nil, nil, err
	}
	targets := pages.Uncleared[uint32](int(offsets[n]))
	hugepage.Expect(targets)
	both = make([]uint64, (len(targets)+63)/64)
	if err = each(ctx, out, func(w int, v uint32) int {
		at := offsets[place[v]]
		for i, x := range rows[w].of(ctx, v, out, in, place) {
			e := at + uint64(i)
			targets[e] = uint32(x >> 2)
			if x&3 == 3 {
				atomic.OrUint64(&both[e>>6], 1<<(e&63))
			}
		}
		return len(rows[w])
	}); err != nil {
		return nil, nil, nil, err
	}
	s, err = graph.FromCSR(graph.CSR{Offsets: offsets, Targets: targets}, graph.CSROptions{Order: graph.OrderDegree, Stored: graph.Stored{Checked: true}})
	return s, order, both, err
}

// byDegree returns the vertices in descending order of degree, and vertices of one degree in their own order. It
// sorts by counting, which takes a few milliseconds; sorting by comparison took as long as the rest. The error is the
// context's.
func byDegree(ctx context.Context, degree []uint32) ([]uint32, error) {
	order := make([]uint32, len(degree))
	if len(degree) == 0 {
		return order, nil
	}
	next := make([]uint32, uint64(slices.Max(degree))+1) // where the next vertex of a degree goes
	if err := looks.Pieces(ctx, len(degree), func(lo, hi int) {
		for _, d := range degree[lo:hi] {
			next[d]++
		}
	}); err != nil {
		return nil, err
	}
	at := uint32(0)
	for d := len(next) - 1; d >= 0; d-- {
		next[d], at = at, at+next[d]
	}
	return order, looks.Pieces(ctx, len(degree), func(lo, hi int) {
		for v, d := range degree[lo:hi] {
			order[next[d]] = uint32(lo + v)
			next[d]++
		}
	})
}

// row is a worker's memory for neighbors: vertices, shifted by two, with 1 for targets of an edge
// and 2 for sources of one.
type row []uint64

// of returns the neighbors of v, ascending and each once, as numbered by place. It returns none once the
// context has ended.
func (r *row) of(ctx context.Context, v uint32, out, in *graph.CSR, place []uint32) []uint64 {
	a := (*r)[:0]
	add := func(c *graph.CSR, tag uint64) {
		for _, w := range c.Neighbors(v) {
			if w == v {
				continue
			}
			if place != nil {
				w = place[w]
			}
			a = append(a, uint64(w)<<2|tag)
		}
	}
	add(out, 1)
	if in != nil {
		add(in, 2)
	}
	*r = a
	if looks.Sort(ctx, a) != nil {
		return nil // each caller checks the context
	}
	k := 0
	for _, x := range a {
		if k > 0 && a[k-1]>>2 == x>>2 {
			a[k-1] |= x
			continue
		}
		a[k] = x
		k++
	}
	return a[:k]
}

// turned returns the reverse of rows. The error is the context's.
func turned(ctx context.Context, c *graph.CSR) (*graph.CSR, error) {
	n := c.NumVertices()
	r := &graph.CSR{Offsets: make([]uint64, n+1), Targets: make([]uint32, len(c.Targets))}
	if err := looks.Pieces(ctx, len(c.Targets), func(lo, hi int) {
		for _, w := range c.Targets[lo:hi] {
			r.Offsets[w+1]++
		}
	}); err != nil {
		return nil, err
	}
	if err := looks.Pieces(ctx, n, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			r.Offsets[v+1] += r.Offsets[v]
		}
	}); err != nil {
		return nil, err
	}
	at := slices.Clone(r.Offsets)
	return r, looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for v := uint32(lo); v < uint32(hi); v++ {
			for _, w := range c.Neighbors(v) {
				r.Targets[at[w]] = v
				at[w]++
			}
		}
	})
}

// Degrees returns the degree in the simple graph of every vertex of the placed graph, where
// they aren't the same graph.
func (x *Graph) Degrees() []uint32 {
	to := make([]uint32, len(x.Order))
	for v, u := range x.Order {
		to[u] = uint32(x.Placed.Graph().Degree(uint32(v)))
	}
	return to
}

// Moved returns values of the simple graph's vertices in the order of the placed graph's vertices, if the two
// graphs differ.
func Moved[T device.Elem](x *Graph, values []T) []T {
	to := make([]T, len(values))
	for v, u := range x.Order {
		to[u] = values[v]
	}
	return to
}

// Bytes returns the largest amount of memory that a placed graph's simple graph takes on its device, in addition
// to the graph. It reads the graph's rows once.
func Bytes(p *graph.Placed) uint64 {
	if ok, err := Is(context.Background(), p); ok || err != nil {
		return 0
	}
	n, m := uint64(p.NumVertices()), 2*p.Graph().NumDirectedEdges()
	return 8*(n+1) + 4*m + m/8
}
