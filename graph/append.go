// This file holds Append and Without: a graph with more edges, or with fewer.

package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/internal/hugepage"
	"github.com/foray-graph/foray/internal/pages"
)

// AppendOptions say how Append and Without work. The zero value keeps a graph simple.
type AppendOptions struct {
	// KeepDuplicates makes Append keep edges that the graph has already.
	KeepDuplicates bool
	// Workers is the number of goroutines; 0 means GOMAXPROCS, less is an error.
	Workers int
}

// Append returns the graph with the edges of another one too, and with the vertices that only that one
// has. Vertices are the same where their external ids are. Those of g keep their numbers, and new ones
// follow in the order of their ids, so the order is OrderGiven whatever it was, also where ids don't
// ascend any more. Reorder numbers by degree again, and takes OrderGiven for what is there: reorder by
// degree first to number vertices as ids ascend. Neither graph changes, and nothing is shared with them.
//
// An edge that both have stays once, with the smaller weight, or of equal ones the smaller edge id,
// unless KeepDuplicates says otherwise. more needs weights and edge ids where g has them, and loses others.
// The reverse of a directed graph is kept up where g has it.
//
// Stats are the sums of both, with edges that both have among the Duplicates, as if all edges had been given to one
// Builder.
//
// It costs a copy of the arrays, and a merge for each vertex that more has; the memory is that of the
// graph a second time, and twice that of more.
//
// Vertices of several kinds may be of fewer kinds in more; each is one of g's then, with the same type of ids.
//
// Errors are ErrNoGraph, device.ErrClosed for a graph that was closed, ErrOptions where one is directed
// and the other isn't, ErrIDType where ids differ in what they are, ErrIDRange for an integer id that
// g's type doesn't hold, ErrNoWeights, ErrNoEdgeIDs, ErrTooManyVertices, or the context's.
func (g *Graph) Append(ctx context.Context, more *Graph, o AppendOptions) (*Graph, error) {
	r, err := g.changed(ctx, more, o, true)
	if err != nil {
		return nil, fmt.Errorf("appending: %w", err)
	}
	return r, nil
}

// Without returns the graph without the edges of another one, whatever weights they have there, and
// without others between the same vertices. All vertices stay, with their numbers; Induced leaves
// vertices out. Stats stay those of g: they say what it was built of, and don't count edges that were
// taken away. Edges that g doesn't have change nothing, and neither do vertices. Costs and errors are those
// of Append.
func (g *Graph) Without(ctx context.Context, edges *Graph, o AppendOptions) (*Graph, error) {
	r, err := g.changed(ctx, edges, o, false)
	if err != nil {
		return nil, fmt.Errorf("removing edges: %w", err)
	}
	return r, nil
}

// change is one run of Append, or of Without.
type change struct {
	*crew
	g, more  *Graph
	o        AppendOptions
	adds     bool
	otherIDs *IDs     // of more, as ids of g's kinds
	n        int      // vertices of the result
	place    []uint32 // of a vertex of more in the result; NoVertex: none
	from     []uint32 // of a vertex of the result in more; NoVertex: none
	stats    BuildStats
}

func (g *Graph) changed(ctx context.Context, more *Graph, o AppendOptions, adds bool) (*Graph, error) {
	if g == nil || more == nil {
		return nil, ErrNoGraph
	}
	if err := (Options{Workers: o.Workers}).Check(); err != nil {
		return nil, err
	}
	for _, x := range []*Graph{g, more} {
		if err := x.enter(); err != nil {
			return nil, err
		}
		defer x.leave() // whose error is for the one that closes the graph
		if err := x.Fetch(); err != nil {
			return nil, err
		}
	}
	c := &change{crew: newCrew(ctx, Options{Workers: o.Workers}), g: g, more: more, o: o, adds: adds}
	if err := c.check(); err != nil {
		return nil, err
	}
	p := Parts{Directed: g.directed, Order: OrderGiven, Stored: Stored{Checked: true}}
	var err error
	if p.IDs, err = c.ids(); err != nil {
		return nil, err
	}
	c.stats = g.stats
	if adds {
		c.stats.InputEdges += more.stats.InputEdges
		c.stats.SelfLoops += more.stats.SelfLoops
		c.stats.Duplicates += more.stats.Duplicates
	}
	out, dropped, err := c.rows(g.out, more.out)
	if err != nil {
		return nil, err
	}
	p.Out = *out
	if g.directed && g.in != nil {
		in := more.in
		if in == nil {
			t := more.out.Transpose()
			in = &t
		}
		if p.In, _, err = c.rows(g.in, in); err != nil {
			return nil, err
		}
	}
	if adds {
		c.stats.Duplicates += dropped
	}
	p.Stats = c.stats
	to, err := New(p)
	if err == nil {
		to.ascends = g.ascends
	}
	return to, err
}

// check reports graphs that don't go together.
func (c *change) check() error {
	g, more := c.g, c.more
	switch {
	case g.directed != more.directed:
		which := []string{"directed", "undirected"}
		if more.directed {
			slices.Reverse(which)
		}
		return fmt.Errorf("%w: the graph is %s, and the other one %s; build both alike", ErrOptions, which[0], which[1])
	case c.adds && g.out.Weights != nil && more.out.Weights == nil && more.out.NumEdges() > 0:
		return fmt.Errorf("%w: the graph has weights, and what is added has none", ErrNoWeights)
	case c.adds && g.out.EdgeIDs != nil && more.out.EdgeIDs == nil && more.out.NumEdges() > 0:
		return fmt.Errorf("%w: the graph has edge ids, and what is added has none", ErrNoEdgeIDs)
	}
	return nil
}

// rows returns the rows of the result in a direction, and how many entries were left out or, of those
// that are added, weren't there.
func (c *change) rows(base, more *CSR) (*CSR, uint64, error) {
	delta, err := c.moved(base, more)
	if err != nil {
		return nil, 0, err
	}
	offsets := make([]uint64, c.n+1)
	mergers := make([]merger, c.workers)
	parts := c.parts(c.n)
	err = c.each("", parts, func(w, i int) error {
		lo, hi := span(c.n, parts, i)
		for v := lo; v < hi; v++ {
			offsets[v+1] = rowLength(base, v)
			if u := c.from[v]; u != NoVertex {
				offsets[v+1] = uint64(mergers[w].merge(c, c.row(base, v), delta.row(more.Offsets[u], more.Offsets[u+1]), cells{}))
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for v := range c.n {
		offsets[v+1] += offsets[v]
	}
	to := &CSR{Offsets: offsets, Targets: pages.Uncleared[uint32](int(offsets[c.n]))}
	hugepage.Expect(to.Targets)
	if base.Weights != nil {
		to.Weights = make([]float32, len(to.Targets))
	}
	if base.EdgeIDs != nil {
		to.EdgeIDs = pages.Uncleared[uint64](len(to.Targets))
	}
	err = c.each("", parts, func(w, i int) error {
		lo, hi := span(c.n, parts, i)
		for v := lo; v < hi; v++ {
			u := c.from[v]
			if u == NoVertex {
				first := v
				for v+1 < hi && c.from[v+1] == NoVertex {
					v++
				}
				c.copyRows(to, base, first, v+1)
				continue
			}
			mergers[w].merge(c, c.row(base, v), delta.row(more.Offsets[u], more.Offsets[u+1]), to.row(offsets[v], offsets[v+1]))
		}
		return nil
	})
	return to, base.NumEdges() + more.NumEdges() - to.NumEdges(), err
}

func rowLength(c *CSR, v int) uint64 {
	if v >= c.NumVertices() {
		return 0
	}
	return c.Offsets[v+1] - c.Offsets[v]
}

// row is that of a vertex of the result in the base.
func (c *change) row(base *CSR, v int) cells {
	if v >= base.NumVertices() {
		return base.row(0, 0)
	}
	return base.row(base.Offsets[v], base.Offsets[v+1])
}

// copyRows copies rows that stay as they are.
func (c *change) copyRows(to, base *CSR, lo, hi int) {
	hi = min(hi, base.NumVertices())
	if lo >= hi {
		return
	}
	from, row := base.row(base.Offsets[lo], base.Offsets[hi]), to.row(to.Offsets[lo], to.Offsets[hi])
	copy(row.targets, from.targets)
	copy(row.weights, from.weights)
	copy(row.ids, from.ids)
}

// moved returns the entries of more with the numbers that vertices have in the result, sorted by row.
// They have what the entries of base have.
func (c *change) moved(base, more *CSR) (*CSR, error) {
	to := &CSR{Offsets: more.Offsets, Targets: make([]uint32, more.NumEdges())}
	if base.Weights != nil && c.adds {
		to.Weights = slices.Clone(more.Weights)
	}
	if base.EdgeIDs != nil && c.adds {
		to.EdgeIDs = slices.Clone(more.EdgeIDs)
	}
	n := more.NumVertices()
	sorters := make([]rowSorter, c.workers)
	parts := c.parts(n)
	return to, c.each("", parts, func(w, i int) error {
		lo, hi := span(n, parts, i)
		for u := lo; u < hi; u++ {
			row := to.row(more.Offsets[u], more.Offsets[u+1])
			for j, t := range more.Neighbors(uint32(u)) {
				row.targets[j] = c.place[t]
			}
			sorters[w].sort(row)
		}
		return nil
	})
}

// merger makes rows of two.
type merger struct {
	sorter rowSorter
	base   cells
	to     cells // null arrays: entries are counted alone
	n      int   // of them
}

// put appends entries i to end-1.
func (m *merger) put(from cells, i, end int) {
	if m.to.targets != nil {
		copy(m.to.targets[m.n:], from.targets[i:end])
		if m.to.weights != nil {
			copy(m.to.weights[m.n:], from.weights[i:end])
		}
		if m.to.ids != nil {
			copy(m.to.ids[m.n:], from.ids[i:end])
		}
	}
	m.n += end - i
}

// merge merges two rows into another one, or counts what that would have, and returns how long it is.
// It looks at few entries of the first beside those that the second has too.
func (m *merger) merge(c *change, base, delta, to cells) int {
	if !c.g.ascends && !slices.IsSorted(base.targets) { // rows of a graph that nobody here built
		m.base = cells{append(m.base.targets[:0], base.targets...), append(m.base.weights[:0], base.weights...), append(m.base.ids[:0], base.ids...)}
		if base.weights == nil {
			m.base.weights = nil
		}
		if base.ids == nil {
			m.base.ids = nil
		}
		m.sorter.sort(m.base)
		base = m.base
	}
	m.to, m.n = to, 0
	i := 0
	for j := 0; j < len(delta.targets); {
		t, end := delta.targets[j], j+1
		for end < len(delta.targets) && delta.targets[end] == t {
			end++
		}
		first := lowerBound(base.targets, i, t)
		last := first
		for last < len(base.targets) && base.targets[last] == t {
			last++
		}
		m.put(base, i, first)
		switch {
		case !c.adds:
		case first == last:
			m.put(delta, j, end)
		case c.o.KeepDuplicates:
			for k := first; k < last || j < end; {
				if k == last || j < end && delta.before(j, base, k) {
					m.put(delta, j, j+1)
					j++
				} else {
					m.put(base, k, k+1)
					k++
				}
			}
		case delta.before(j, base, first):
			m.put(delta, j, j+1)
			m.put(base, first+1, last) // which the graph kept
		default:
			m.put(base, first, last)
		}
		i, j = last, end
	}
	m.put(base, i, len(base.targets))
	return m.n
}

// lowerBound returns the first entry from i on that isn't less than t.
func lowerBound(row []uint32, i int, t uint32) int {
	step := 1
	for i+step <= len(row) && row[i+step-1] < t {
		i += step
		step *= 2
	}
	end := min(i+step, len(row))
	for i < end {
		if mid := int(uint(i+end) >> 1); row[mid] < t {
			i = mid + 1
		} else {
			end = mid
		}
	}
	return i
}

// before reports whether entry j is lighter than entry i of another row, or has the smaller id.
func (r cells) before(j int, other cells, i int) bool {
	if r.weights != nil {
		if a, b := weightKey(r.weights[j]), weightKey(other.weights[i]); a != b {
			return a < b
		}
	}
	return r.ids != nil && r.ids[j] < other.ids[i]
}

// errIDs says that ids differ in what they are.
func errIDs(a, b *IDs) error {
	what := func(m *IDs) string {
		s := m.Type.String()
		if m.Logical != "" {
			s = m.Logical
		}
		if m.Sides != nil {
			s += ", sources and targets apart"
		}
		return s
	}
	more := ""
	if a.Kinds() != nil && b.Kinds() != nil {
		more = "; each kind of what is added or left out has to be one of the graph's, with the same type of ids: build a graph with other kinds of all edges"
	}
	return fmt.Errorf("%w: ids of the graph are %s, those of what is added or left out %s%s", ErrIDType, what(a), what(b), more)
}
