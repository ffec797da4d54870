// This file keeps columns with their edges: where parallel edges are merged, in the rows of in-edges, and where a graph
// is made of another one.

package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// checkColumns is the part of Options.Check for edge columns.
func (o Options) checkColumns() error {
	if len(o.EdgeColumns) == 0 {
		if o.Merge != MergeRefused || o.MergeBy != "" {
			return fmt.Errorf("%w: Options.Merge chooses among edges with columns, and Options.EdgeColumns is empty; use Options.Combine for weights", ErrOptions)
		}
		return o.checkFold()
	}
	for i, name := range o.EdgeColumns {
		if name == "" || !utf8.ValidString(name) || slices.Contains(o.EdgeColumns[:i], name) {
			return fmt.Errorf("%w: Options.EdgeColumns has %.100q, which is empty, not UTF-8, or there twice", ErrOptions, name)
		}
	}
	by := o.Merge == MergeLeast || o.Merge == MergeGreatest
	switch {
	case o.Merge > MergeGreatest:
		return fmt.Errorf("%w: Options.Merge is %v; want MergeRefused, MergeFirst, MergeLeast or MergeGreatest", ErrOptions, o.Merge)
	case by && !slices.Contains(o.EdgeColumns, o.MergeBy):
		return fmt.Errorf("%w: Options.Merge is %v by the column %.100q; want one of EdgeColumns: %s", ErrOptions, o.Merge, o.MergeBy, quoted(o.EdgeColumns))
	case !by && o.MergeBy != "":
		return fmt.Errorf("%w: Options.MergeBy is %.100q, but Options.Merge is %v; set MergeLeast or MergeGreatest", ErrOptions, o.MergeBy, o.Merge)
	case o.Merge != MergeRefused && o.KeepDuplicates:
		return fmt.Errorf("%w: Options.Merge is %v with KeepDuplicates; leave out one of them", ErrOptions, o.Merge)
	case o.DeviceOnly:
		return fmt.Errorf("%w: Options.DeviceOnly with EdgeColumns, which the host brings into the order of the rows; leave out one of them", ErrOptions)
	}
	return o.checkFold()
}

// hostColumns is the reason why a device doesn't build rows.
const hostColumns = "the host brings edge columns into the order of the rows"

// withColumns gives a graph, whose edge ids are the rows of the table, its columns.
func (g *Graph) withColumns(ctx context.Context, o Options, t *columnTable) (*Graph, error) {
	if err := t.freeze(); err != nil {
		return nil, err
	}
	if !o.KeepDuplicates {
		dropped, err := g.mergeEdges(ctx, o, t)
		if err != nil {
			return nil, err
		}
		g.simple = o.simple()
		g.stats.Duplicates = dropped
		if o.combines() {
			g.stats.Combined = o.Combine
		}
		if g, err = g.reranked(ctx, o, dropped); err != nil {
			return nil, err
		}
	}
	if err := t.gather(ctx, g, o.Workers); err != nil {
		return nil, err
	}
	return g, nil
}

// mergeEdges keeps one of parallel edges, as the options say.
func (g *Graph) mergeEdges(ctx context.Context, o Options, t *columnTable) (dropped uint64, err error) {
	m := merging{better: t.picker(&o), combine: o.combines(), by: o.Combine, t: g.weights, half: !g.directed}
	k := newCrew(ctx, Options{Workers: o.Workers})
	var settle func()
	if m.folders, settle, err = t.folders(&o, k.workers); err != nil {
		return 0, err
	}
	dropped, err = g.out.merge(k, m)
	if r, ok := err.(*repeated); ok {
		u, v := g.ids.Format(r.source), g.ids.Format(r.target)
		return 0, fmt.Errorf("%w: there are several edges between %.100s and %.100s, and nothing says whose columns count; set Options.Merge, Options.Fold for all columns, or KeepDuplicates to keep all edges", ErrOptions, u, v)
	}
	if err == nil && g.in != nil && g.in != g.out {
		m.folders = nil // the columns have what edges of out fold to
		_, err = g.in.merge(k, m)
	}
	if err == nil {
		settle()
	}
	return dropped, err
}

// merging is how merge makes parallel edges one.
type merging struct {
	better  func(a, b uint64) bool // the edge of row a stays rather than the one of b; nil: parallel edges are an error
	folders []folder               // of each worker; nil: nothing is folded
	combine bool                   // weights are, by and of type t; else the edge keeps its own
	by      Combine
	t       WeightType
	half    bool // an edge is in two rows, of which that of the lesser vertex folds
}

// repeated says that a row has a target twice.
type repeated struct{ source, target uint32 }

func (r *repeated) Error() string {
	return fmt.Sprintf("repeated edge from %d to %d", r.source, r.target)
}

// merge keeps one of the entries of a row with the same target, that with the best edge id, and returns how many it
// dropped. Rows ascend.
func (c *CSR) merge(k *crew, m merging) (dropped uint64, err error) {
	n := c.NumVertices()
	r := newRowBuckets(c.Offsets, rowParts(c))
	if repeats, err := c.repeats(k, r); err != nil || !repeats {
		return 0, err
	}
	if m.combine && m.by == CombineSum {
		if err := c.widen(k.ctx, m.t); err != nil {
			return 0, err
		}
	}
	ends := make([]uint64, n)
	var inexact atomic.Bool
	err = k.each("", r.len(), func(w, i int) error {
		var x combiner
		for v := r.starts[i]; v < r.starts[i+1]; v++ {
			to, hi := c.Offsets[v], c.Offsets[v+1]
			for e := to; e < hi; {
				best, end := e, e+1
				for ; end < hi && c.Targets[end] == c.Targets[e]; end++ {
					if m.better == nil {
						return &repeated{uint32(v), c.Targets[e]}
					}
					if m.better(c.EdgeIDs[end], c.EdgeIDs[best]) {
						best = end
					}
				}
				if m.folders != nil && end > e+1 && (!m.half || uint32(v) <= c.Targets[e]) {
					if err := m.folders[w].fold(c.EdgeIDs[e:end], c.EdgeIDs[best]); err != nil {
						return err
					}
				}
				if id := c.EdgeIDs[best]; m.combine {
					if err := x.group(c, e, end, to, m.by, m.t); err != nil {
						return err
					}
					c.EdgeIDs[to] = id
				} else if to != best {
					c.moveEntry(to, best)
				}
				to, e = to+1, end
			}
			ends[v] = to
		}
		if x.inexact {
			inexact.Store(true)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	dropped, err = c.close(k.ctx, ends)
	if err == nil && m.combine && !inexact.Load() {
		c.IntWeights, c.FloatWeights = nil, nil
	}
	return dropped, err
}

func (c *CSR) moveEntry(to, from uint64) {
	c.Targets[to], c.EdgeIDs[to] = c.Targets[from], c.EdgeIDs[from]
	if c.Weights != nil {
		c.Weights[to] = c.Weights[from]
	}
	if c.IntWeights != nil {
		c.IntWeights[to] = c.IntWeights[from]
	}
	if c.FloatWeights != nil {
		c.FloatWeights[to] = c.FloatWeights[from]
	}
}

// numbered returns a graph with the same edges, whose ids are their entries in g.out, with bits of tag besides. It
// shares the other arrays.
func (g *Graph) numbered(ctx context.Context, tag uint64) (*Graph, error) {
	to := &Graph{ids: g.ids, directed: g.directed, order: g.order, stats: g.stats, ascends: g.ascends, simple: g.simple, weights: g.weights}
	to.vertices.Store(g.vertices.Load())
	out := *g.out
	out.EdgeIDs = pages.Uncleared[uint64](len(out.Targets))
	hugepage.Expect(out.EdgeIDs)
	for e := range out.EdgeIDs {
		out.EdgeIDs[e] = uint64(e) | tag
	}
	to.out = &out
	switch g.in {
	case nil:
	case g.out:
		to.in = to.out
	default:
		entries, err := g.inEntries(ctx)
		if err != nil {
			return nil, err
		}
		in := *g.in
		in.EdgeIDs = entries
		for e := range entries {
			entries[e] |= tag
		}
		to.in = &in
	}
	return to, nil
}

// sameColumns reports that what is added lacks columns of the graph.
func (g *Graph) sameColumns(more *Graph) error {
	for i := range g.columns {
		c, err := more.column(g.columns[i].Name)
		if err != nil {
			return fmt.Errorf("what is added lacks a column of the graph: %w", err)
		}
		if was, is := g.columns[i].typeName(), c.typeName(); was != is && g.out.NumEdges() > 0 {
			return fmt.Errorf("%w: column %.100q of the graph is %s, and that of what is added %s; load both with the same types", errColumnType, c.Name, was, is)
		}
	}
	return nil
}

// moveColumns gives a graph the columns of g, from whose numbered graph it was made, and the edges their ids. Entries
// with the tag belong to added, which is nil if there are none.
func (g *Graph) moveColumns(ctx context.Context, to, added *Graph) error {
	for i := range g.columns {
		col := g.columns[i]
		var more any
		if added != nil {
			c, err := added.column(col.Name)
			if err != nil {
				return err
			}
			if len(g.out.Targets) == 0 { // whose columns have no type
				col = *c
				col.Values = makeLike(c.Values, 0)
			}
			more = c.Values
			if col.Dictionary != nil {
				all, ofG, ofMore := mergeDictionaries(col.Dictionary, c.Dictionary)
				col.Dictionary, col.Values, more = all, recode(ofG, col.Values), recode(ofMore, more)
			}
		}
		col.Dictionary = col.Dictionary.clone() // of a mapped file, perhaps
		from := col.Values
		col.Values = makeLike(from, len(to.out.Targets))
		if err := gatherAll(ctx, col.Values, from, more, to.out.EdgeIDs); err != nil {
			return err
		}
		to.columns = append(to.columns, col)
	}
	if err := g.keepEntries(ctx, to, added); err != nil {
		return err
	}
	for _, c := range to.bothRows() {
		switch {
		case g.out.EdgeIDs == nil:
			c.EdgeIDs = nil
		default:
			for e, from := range c.EdgeIDs {
				if from&addedEntry == 0 {
					c.EdgeIDs[e] = g.out.EdgeIDs[from]
				} else {
					c.EdgeIDs[e] = added.out.EdgeIDs[from&^addedEntry]
				}
			}
		}
	}
	return nil
}

// clone returns a copy of a dictionary; of nil, nil.
func (s *Strings) clone() *Strings {
	if s == nil {
		return nil
	}
	return &Strings{Offsets: slices.Clone(s.Offsets), Data: slices.Clone(s.Data), Binary: s.Binary}
}

// bothRows returns the rows of out-edges and, if they are others, those of in-edges.
func (g *Graph) bothRows() []*CSR {
	if g.in == nil || g.in == g.out {
		return []*CSR{g.out}
	}
	return []*CSR{g.out, g.in}
}

// keepEntries records which edge of to.out each edge of to.in is, where the order of parallel edges doesn't tell: in rows
// that don't all ascend. Edges have the numbers of their entries in g and added.
func (g *Graph) keepEntries(ctx context.Context, to, added *Graph) error {
	if to.in == nil || to.in == to.out || g.ascends && g.entries == nil {
		return nil
	}
	at := make([]uint64, len(g.out.Targets))
	var atAdded []uint64
	if added != nil {
		atAdded = make([]uint64, len(added.out.Targets))
	}
	place := func(from uint64) *uint64 {
		if from&addedEntry == 0 {
			return &at[from]
		}
		return &atAdded[from&^addedEntry]
	}
	for e, from := range to.out.EdgeIDs {
		*place(from) = uint64(e)
	}
	to.entries = make([]uint64, len(to.in.EdgeIDs))
	for e, from := range to.in.EdgeIDs {
		to.entries[e] = *place(from)
	}
	return ctx.Err()
}

// recode returns codes of another dictionary; of nil codes stay.
func recode(of []uint32, values any) any {
	if of == nil {
		return values
	}
	codes := slices.Clone(values.([]uint32))
	for i, c := range codes {
		if c != NoCode {
			codes[i] = of[c]
		}
	}
	return codes
}

// gatherAll copies values of entries: of more where they have the tag.
func gatherAll(ctx context.Context, to, from, more any, entries []uint64) error {
	k := newCrew(ctx, Options{})
	m := len(entries)
	return k.each("", (m+gatherBlock-1)/gatherBlock, func(_, b int) error {
		lo, hi := b*gatherBlock, min(m, (b+1)*gatherBlock)
		gatherValues(to, from, more, entries[lo:hi], lo)
		return nil
	})
}

// inEntries returns the entry in g.out of each entry of g.in. Parallel edges have the same order in both.
func (g *Graph) inEntries(ctx context.Context) ([]uint64, error) {
	if g.entries != nil {
		return slices.Clone(g.entries), ctx.Err()
	}
	k := newCrew(ctx, Options{})
	entries, sources := make([]uint64, len(g.in.Targets)), make([]uint32, len(g.in.Targets))
	hugepage.Expect(entries)
	at := slices.Clone(g.in.Offsets[:max(0, len(g.in.Offsets)-1)])
	for u := range g.out.NumVertices() {
		if k.stopped(u) {
			return nil, ctx.Err()
		}
		for e := g.out.Offsets[u]; e < g.out.Offsets[u+1]; e++ {
			v := g.out.Targets[e]
			if at[v] == g.in.Offsets[v+1] {
				return nil, notReverse(v)
			}
			entries[at[v]], sources[at[v]] = e, uint32(u)
			at[v]++
		}
	}
	parts := newRowBuckets(g.in.Offsets, rowParts(g.in))
	return entries, k.each("", parts.len(), func(_, i int) error {
		for v := parts.starts[i]; v < parts.starts[i+1]; v++ {
			lo, hi := g.in.Offsets[v], g.in.Offsets[v+1]
			row := g.in.Targets[lo:hi]
			if slices.Equal(row, sources[lo:hi]) {
				continue
			}
			// Rows of another order, of a graph from elsewhere.
			order := make([]int, len(row))
			for j := range order {
				order[j] = j
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[a], row[b]) })
			was := slices.Clone(entries[lo:hi])
			for j, to := range order {
				if row[to] != sources[lo+uint64(j)] {
					return notReverse(uint32(v))
				}
				entries[lo+uint64(to)] = was[j]
			}
		}
		return nil
	})
}

func notReverse(v uint32) error {
	return fmt.Errorf("%w: the reverse graph has other edges to vertex %d than the graph", ErrMalformed, v)
}

// inColumn returns the values of a column in the order of g.in.
func (g *Graph) inColumn(ctx context.Context, c *Column) (any, error) {
	if g.in == g.out {
		return c.Values, nil
	}
	entries, err := g.inEntries(ctx)
	if err != nil {
		return nil, err
	}
	to := makeLike(c.Values, len(entries))
	return to, gatherAll(ctx, to, c.Values, nil, entries)
}

// setColumns checks the columns of FromCSR and makes them the graph's.
func (g *Graph) setColumns(columns []Column, checked bool) error {
	for i := range columns {
		c := &columns[i]
		if slices.ContainsFunc(g.columns, func(x Column) bool { return x.Name == c.Name }) || c.Name == "" || !utf8.ValidString(c.Name) {
			return fmt.Errorf("%w: CSROptions.EdgeColumns has %.100q, which is empty, not UTF-8, or there twice", ErrOptions, c.Name)
		}
		if !checked {
			if err := c.check(c.Name, len(g.out.Targets), false); err != nil {
				return err
			}
		}
		g.columns = append(g.columns, *c)
	}
	return nil
}
