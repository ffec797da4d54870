// This file holds Contract: the quotient graph of a labeling.

package graph

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/internal/calls/callctx"
)

// Contract returns the quotient graph of a labeling: vertices with the same label become one vertex, whose external id is
// the label: a Uint32, or an Int64 if the labels are 0 to one less than their number. labels has one for each vertex of g, such as a result of components or communities; a vertex with
// NoVertex is left out, with its edges. Edges between two labels are parallel edges, which become one edge:
//
//   - o.Weights keeps weights, which o.Combine combines. An edge of a graph without weights counts 1, so that CombineSum
//     counts edges.
//   - o.KeepSelfLoops keeps edges between vertices with the same label as a self-loop of that label. Each edge counts once,
//     also in an undirected graph; in modularity it counts twice. Without it they are dropped.
//   - o.EdgeColumns keeps columns of g. o.Fold combines the values of parallel edges in columns; other columns have the
//     values of the edge that o.Merge chooses. o.EdgeIDs keeps ids, or gives edges the numbers of their entries in g.Out if g
//     has none. MergeFirst goes by these entries, and CombineFirst by the ids.
//   - o.KeepDuplicates keeps all edges. Order, Reverse, Device, MemoryLimit, Workers and Progress are as in building.
//
// o.Directed is taken from g. The result doesn't depend on Workers. It costs as much time and memory as building a graph
// of as many edges.
//
// Errors are ErrMalformed for another number of labels than vertices, ErrOptions, also for options about ids and vertices,
// ErrNoColumn, ErrEmpty if every label is NoVertex, ErrWeights for a sum past 64 bits, ErrNoGraph, device.ErrClosed, and
// those of Builder.Build.
func (g *Graph) Contract(ctx context.Context, labels []uint32, o Options) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("contracting: %w", ErrNoGraph)
	}
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.leave() // whose error is for the one that closes the graph
	if err := g.Fetch(); err != nil {
		return nil, fmt.Errorf("contracting: %w", err)
	}
	to, err := g.contracted(ctx, labels, o)
	if err != nil {
		return nil, fmt.Errorf("contracting: %w", err)
	}
	return to, nil
}

func (g *Graph) contracted(ctx context.Context, labels []uint32, o Options) (*Graph, error) {
	c, err := g.contraction(labels, o)
	if err != nil {
		return nil, err
	}
	b := NewBuilder(c.o)
	defer b.Close()
	b.columns = c.table
	k := newCrew(ctx, Options{Workers: o.Workers})
	blocks := (len(labels) + contractRows - 1) / contractRows
	err = k.each("", blocks, func(_, i int) error {
		return c.add(ctx, b, i*contractRows, min(len(labels), (i+1)*contractRows))
	})
	if err != nil {
		return nil, err
	}
	to, err := b.Build(ctx)
	if err != nil {
		return nil, err
	}
	c.identify(to)
	return to, nil
}

// contraction is a run of Contract.
type contraction struct {
	g      *Graph
	labels []uint32
	used   []uint32 // of them, ascending
	dense  bool     // they are 0 to len(used)-1
	o      Options
	table  *columnTable // whose rows are entries of g.out; nil without columns
}

// contraction checks the arguments of Contract.
func (g *Graph) contraction(labels []uint32, o Options) (*contraction, error) {
	switch {
	case len(labels) != g.NumVertices():
		return nil, fmt.Errorf("%w: %d labels for %d vertices", ErrMalformed, len(labels), g.NumVertices())
	case o.DenseIDs || o.Vertices > 0 || o.Bipartite:
		return nil, fmt.Errorf("%w: DenseIDs, Vertices and Bipartite are options for ids of an input; here vertices are labels", ErrOptions)
	}
	c := &contraction{g: g, labels: labels, used: distinct(labels), o: o}
	if len(c.used) == 0 {
		return nil, fmt.Errorf("%w: no vertex has a label", ErrEmpty)
	}
	c.dense = c.used[len(c.used)-1] == uint32(len(c.used)-1)
	if o.WeightType == WeightsAuto && g.weighted() && g.weights == WeightsFloat32 {
		c.o.WeightType = WeightsFloat32
	}
	c.o.Directed, c.o.DenseIDs, c.o.Vertices = g.directed, true, uint64(len(c.used))
	if err := c.o.Check(); err != nil {
		return nil, err
	}
	return c, c.columns()
}

// columns makes the table of the columns of g.
func (c *contraction) columns() error {
	if c.table = newColumnTable(c.o); c.table == nil {
		return nil
	}
	t, m := c.table, int(c.g.out.NumEdges())
	for _, name := range t.names {
		col, err := c.g.column(name)
		if err != nil {
			return err
		}
		like := Column{Name: name, Logical: col.Logical, Values: makeLike(col.Values, 0)}
		var d *dictionary
		if col.Dictionary != nil {
			like.Values, d = Strings{Binary: col.Dictionary.Binary}, &dictionary{all: col.Dictionary.clone()}
		}
		t.like, t.dicts = append(t.like, like), append(t.dicts, d)
		for k, lo := 0, 0; lo < m; k, lo = k+1, lo+contractColumn {
			hi := min(m, lo+contractColumn)
			if k == len(t.chunks) {
				t.chunks = append(t.chunks, &columnChunk{first: uint64(lo), last: uint64(hi - 1)})
				if ids := c.g.out.EdgeIDs; ids != nil {
					t.chunks[k].ids = ids[lo:hi]
				}
			}
			t.chunks[k].values = append(t.chunks[k].values, partOf(col.Values, lo, hi))
		}
	}
	return nil
}

// partOf returns values lo to hi-1.
func partOf(values any, lo, hi int) any {
	switch a := values.(type) {
	case []int32:
		return a[lo:hi]
	case []uint32:
		return a[lo:hi]
	case []int64:
		return a[lo:hi]
	case []uint64:
		return a[lo:hi]
	case []float32:
		return a[lo:hi]
	case []float64:
		return a[lo:hi]
	}
	return nil
}

// identify gives the vertices of the quotient graph, which have the numbers of labels, the labels as ids.
func (c *contraction) identify(to *Graph) {
	if c.dense {
		return
	}
	ids := &IDs{Type: Uint32, Len: len(c.used), Ints: make([]int64, len(c.used))}
	for v := range ids.Ints {
		ids.Ints[v] = int64(c.used[to.ids.Int(uint32(v))])
	}
	to.ids = ids
}

// distinct returns the labels, ascending, without NoVertex.
func distinct(labels []uint32) []uint32 {
	most := uint32(0)
	for _, l := range labels {
		if l != NoVertex {
			most = max(most, l)
		}
	}
	if uint64(most)/64 <= uint64(len(labels)) {
		seen := newBitset(uint64(most) + 1)
		for _, l := range labels {
			if l != NoVertex {
				seen[l/64] |= 1 << (l % 64)
			}
		}
		used := make([]uint32, 0, seen.count())
		for i, word := range seen {
			for ; word != 0; word &= word - 1 {
				used = append(used, uint32(64*i+bits.TrailingZeros64(word)))
			}
		}
		return used
	}
	used := slices.DeleteFunc(slices.Clone(labels), func(l uint32) bool { return l == NoVertex })
	slices.Sort(used)
	return slices.Compact(used)
}

// of returns the number of a vertex's label among those in use.
func (c *contraction) of(v uint32) (int64, bool) {
	label := c.labels[v]
	if label == NoVertex {
		return 0, false
	}
	if int(label) < len(c.used) && c.used[label] == label { // labels from 0 on, none left out up to it
		return int64(label), true
	}
	i, _ := slices.BinarySearch(c.used, label)
	return int64(i), true
}

// numbers returns the numbers of all vertices' labels.
func (c *contraction) numbers(ctx context.Context) ([]uint32, error) {
	if c.dense {
		return c.labels, ctx.Err()
	}
	k := newCrew(ctx, Options{Workers: c.o.Workers})
	to := make([]uint32, len(c.labels))
	blocks := (len(to) + contractRows - 1) / contractRows
	return to, k.each("", blocks, func(_, i int) error {
		for v := i * contractRows; v < min(len(to), (i+1)*contractRows); v++ {
			if n, ok := c.of(uint32(v)); ok {
				to[v] = uint32(n)
			} else {
				to[v] = NoVertex
			}
		}
		return nil
	})
}

// add adds the edges of rows lo to hi-1, each undirected edge once.
func (c *contraction) add(ctx context.Context, b *Builder, lo, hi int) error {
	e, out := &Batch{Type: Int64}, c.g.out
	flush := func() error {
		if len(e.Src) == 0 {
			return nil
		}
		c.extrasOf(e)
		err := b.add(*e)
		*e = Batch{Type: Int64, Src: e.Src[:0], Dst: e.Dst[:0], Rows: e.Rows[:0]}
		return err
	}
	for v := uint32(lo); v < uint32(hi); v++ {
		from, ok := c.of(v)
		if !ok {
			continue
		}
		for i := out.Offsets[v]; i < out.Offsets[v+1]; i++ {
			w := out.Targets[i]
			to, ok := c.of(w)
			if !ok || !c.g.directed && w < v {
				continue
			}
			e.Src, e.Dst, e.Rows = append(e.Src, from), append(e.Dst, to), append(e.Rows, i)
			if len(e.Src) == contractEdges {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}

// extrasOf gives a batch the weights and ids of its edges, whose entries are its rows.
func (c *contraction) extrasOf(e *Batch) {
	out, o := c.g.out, c.o
	switch {
	case !o.Weights:
	case out.IntWeights != nil:
		e.IntWeights = gathered(out.IntWeights, e.Rows)
	case out.FloatWeights != nil:
		e.FloatWeights = gathered(out.FloatWeights, e.Rows)
	case out.Weights == nil:
		e.IntWeights = make([]int64, len(e.Rows))
		for i := range e.IntWeights {
			e.IntWeights[i] = 1
		}
	case c.g.weights == WeightsInt64:
		e.IntWeights = make([]int64, len(e.Rows))
		for i, at := range e.Rows {
			e.IntWeights[i] = int64(out.Weights[at])
		}
	case c.g.weights == WeightsFloat64:
		e.FloatWeights = make([]float64, len(e.Rows))
		for i, at := range e.Rows {
			e.FloatWeights[i] = float64(out.Weights[at])
		}
	default:
		e.Weights = gathered(out.Weights, e.Rows)
	}
	switch {
	case c.table != nil, o.EdgeIDs && out.EdgeIDs == nil:
		e.EdgeIDs = e.Rows
	case o.EdgeIDs:
		e.EdgeIDs = gathered(out.EdgeIDs, e.Rows)
	}
}

func gathered[T any](from []T, entries []uint64) []T {
	to := make([]T, len(entries))
	for i, e := range entries {
		to[i] = from[e]
	}
	return to
}
