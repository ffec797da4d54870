// This file holds Contract: the quotient graph of a labeling.

package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/internal/calls/callctx"
)

// Contract returns the quotient graph of a labeling: vertices with the same label become one vertex, whose external id, a
// Uint32, is the label. labels has one for each vertex of g, such as a result of components or communities; a vertex with
// NoVertex is left out, with its edges. Edges between two labels are parallel edges, which become one edge:
//
//   - o.Weights keeps weights, which o.Combine combines. An edge of a graph without weights counts 1, so that CombineSum
//     counts edges.
//   - o.KeepSelfLoops keeps edges between vertices with the same label as a self-loop of that label. Each edge counts once,
//     also in an undirected graph; in modularity it counts twice. Without it they are dropped.
//   - o.EdgeColumns keeps columns of g, of the edge that o.Merge chooses. o.EdgeIDs keeps ids, or gives edges the numbers of
//     their entries in g.Out if g has none.
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
	switch {
	case len(labels) != g.NumVertices():
		return nil, fmt.Errorf("%w: %d labels for %d vertices", ErrMalformed, len(labels), g.NumVertices())
	case o.DenseIDs || o.Vertices > 0 || o.Bipartite:
		return nil, fmt.Errorf("%w: DenseIDs, Vertices and Bipartite are options for ids of an input; here vertices are labels", ErrOptions)
	}
	used := distinct(labels)
	if len(used) == 0 {
		return nil, fmt.Errorf("%w: no vertex has a label", ErrEmpty)
	}
	if o.WeightType == WeightsAuto && g.weights == WeightsFloat32 {
		o.WeightType = WeightsFloat32
	}
	o.Directed, o.DenseIDs, o.Vertices = g.directed, true, uint64(len(used))
	c := &contraction{g: g, labels: labels, used: used, o: o}
	for _, name := range o.EdgeColumns {
		col, err := g.column(name)
		if err != nil {
			return nil, err
		}
		c.columns = append(c.columns, col)
	}
	b := NewBuilder(o)
	defer b.Close()
	k := newCrew(ctx, Options{Workers: o.Workers})
	blocks := (len(labels) + contractRows - 1) / contractRows
	err := k.each("", blocks, func(_, i int) error {
		return c.add(ctx, b, i*contractRows, min(len(labels), (i+1)*contractRows))
	})
	if err != nil {
		return nil, err
	}
	to, err := b.Build(ctx)
	if err != nil {
		return nil, err
	}
	if used[len(used)-1] != uint32(len(used)-1) {
		ids := &IDs{Type: Uint32, Len: len(used), Ints: make([]int64, len(used))}
		for v := range ids.Ints {
			ids.Ints[v] = int64(used[to.ids.Int(uint32(v))])
		}
		to.ids = ids
	}
	return to, nil
}

// distinct returns the labels, ascending, without NoVertex.
func distinct(labels []uint32) []uint32 {
	used := slices.DeleteFunc(slices.Clone(labels), func(l uint32) bool { return l == NoVertex })
	slices.Sort(used)
	return slices.Compact(used)
}

// contraction is a run of Contract.
type contraction struct {
	g            *Graph
	labels, used []uint32
	o            Options
	columns      []*Column
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

// add adds the edges of rows lo to hi-1, each undirected edge once.
func (c *contraction) add(ctx context.Context, b *Builder, lo, hi int) error {
	e, out := &Batch{Type: Int64}, c.g.out
	flush := func() error {
		if len(e.Src) == 0 {
			return nil
		}
		c.columnsOf(e)
		err := b.Add(*e)
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

// columnsOf gives a batch the weights, ids and columns of its edges, whose entries are its rows.
func (c *contraction) columnsOf(e *Batch) {
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
	if o.EdgeIDs {
		if e.EdgeIDs = slices.Clone(e.Rows); out.EdgeIDs != nil {
			e.EdgeIDs = gathered(out.EdgeIDs, e.Rows)
		}
	}
	for _, col := range c.columns {
		to := Column{Name: col.Name, Logical: col.Logical, Values: makeLike(col.Values, len(e.Rows))}
		gatherValues(to.Values, col.Values, nil, e.Rows, 0)
		if d := col.Dictionary; d != nil {
			s := Strings{Offsets: make([]int64, 1, len(e.Rows)+1), Binary: d.Binary}
			for _, code := range to.Values.([]uint32) {
				if to.Valid = append(to.Valid, code != NoCode); code != NoCode {
					s.Data = append(s.Data, d.Value(int(code))...)
				}
				s.Offsets = append(s.Offsets, int64(len(s.Data)))
			}
			to.Values = s
		}
		e.Columns = append(e.Columns, to)
	}
}

func gathered[T any](from []T, entries []uint64) []T {
	to := make([]T, len(entries))
	for i, e := range entries {
		to[i] = from[e]
	}
	return to
}
