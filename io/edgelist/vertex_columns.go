// This file makes columns of lists of vertices columns of a graph.

package edgelist

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
)

// VertexColumns reads the columns Options.VertexColumns of lists of vertices, texts or JSON lines, for
// graph.Graph.AddVertexColumns. Source names the column of the ids. The graph must have all vertices of the lists; a
// vertex that they lack, or that lacks a value, has NaN in a column of floats and a missing string in a column of strings. In
// other columns it is ErrSyntax. The lists are read again if their first rows don't show the types of the columns, so pipes are
// refused.
//
// A vertex that is there twice is ErrDamaged, and one that the graph lacks graph.ErrNoVertex. The error is graph.ErrNoGraph,
// graph.ErrOptions without VertexColumns or for a graph whose ids a text doesn't have, device.ErrClosed, or one of ReadFile.
func VertexColumns(ctx context.Context, g *graph.Graph, paths []string, o Options) (_ []graph.Column, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "edgelist"); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("edgelist: columns of vertices: %w", graph.ErrNoGraph)
	}
	release, err := g.Hold()
	if err != nil {
		return nil, fmt.Errorf("edgelist: columns of vertices: %w", err)
	}
	defer release()
	ids := g.IDs()
	switch {
	case len(o.VertexColumns) == 0:
		return nil, fmt.Errorf("%w: VertexColumns is empty; name columns", errOptions)
	case ids.Logical != "" || ids.Sides != nil:
		return nil, fmt.Errorf("%w: ids of the graph are %s, which texts don't have; write the vertices as Parquet", errOptions, max(ids.Logical, "on two sides"))
	}
	o.OnlyVertices = true
	if o.IDs == "" {
		o.IDs = "int64"
		switch ids.Type {
		case graph.Uint64:
			o.IDs = "uint64"
		case graph.String:
			o.IDs = "string"
		case graph.Binary:
			o.IDs = "binary"
		}
	}
	for _, path := range paths {
		if !regular(path) {
			return nil, fmt.Errorf("%s: %w: columns of vertices are read of regular files; write it to one first", path, errOptions)
		}
	}
	var l *vertexLoad
	err = o.again(ctx, func() error {
		l = &vertexLoad{ctx: ctx, ids: ids, n: g.NumVertices(), seen: make([]bool, g.NumVertices())}
		for _, path := range paths {
			if err := ReadFile(ctx, path, o, func(b graph.Batch) error { return named(path, l.take(&b)) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.finish(o.VertexColumns)
}

// vertexLoad is a run of VertexColumns.
type vertexLoad struct {
	ctx context.Context
	ids *graph.IDs
	n   int

	mu      sync.Mutex
	seen    []bool // by vertex
	columns []vertexValues
}

// vertexValues are the values of a column by vertex: an array of numbers or, of strings, where each is in data.
type vertexValues struct {
	like graph.Column
	all  any
	at   [][2]int // from and to; of a missing string -1
	data []byte
}

// take keeps the columns of a batch. Calls come from several goroutines.
func (l *vertexLoad) take(b *graph.Batch) error {
	n := len(b.Src)
	if b.SrcStrings != nil {
		n = b.SrcStrings.Len()
	}
	vertices := make([]uint32, n)
	for i := range vertices {
		if i%lookRows == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		var ok bool
		var id any
		if b.SrcStrings != nil {
			id = string(b.SrcStrings.Value(i))
			vertices[i], ok = l.ids.FindBytes(graph.Source, b.SrcStrings.Value(i))
		} else {
			id = b.Src[i]
			vertices[i], ok = l.ids.FindInt(graph.Source, b.Src[i])
		}
		if !ok {
			return fmt.Errorf("%w: %.100v is in the list of vertices", graph.ErrNoVertex, id)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range vertices {
		if l.seen[v] {
			return fmt.Errorf("%w: vertex %.100s is in the list twice", ErrDamaged, l.ids.Format(v))
		}
		l.seen[v] = true
	}
	if l.columns == nil {
		l.columns = make([]vertexValues, len(b.Columns))
	}
	for k := range b.Columns {
		l.columns[k].set(&b.Columns[k], vertices, l.n)
	}
	return nil
}

func (c *vertexValues) set(from *graph.Column, vertices []uint32, n int) {
	first := c.like.Values == nil
	c.like = *from
	switch a := from.Values.(type) {
	case graph.Strings:
		if first {
			c.at = make([][2]int, n)
			for v := range c.at {
				c.at[v][0] = -1
			}
		}
		for i, v := range vertices {
			if from.Valid != nil && !from.Valid[i] {
				continue
			}
			c.data = append(c.data, a.Value(i)...)
			c.at[v] = [2]int{len(c.data) - len(a.Value(i)), len(c.data)}
		}
	case []int32:
		setValues(c, a, vertices, n, 0)
	case []uint32:
		setValues(c, a, vertices, n, 0)
	case []int64:
		setValues(c, a, vertices, n, 0)
	case []uint64:
		setValues(c, a, vertices, n, 0)
	case []float32:
		setValues(c, a, vertices, n, float32(math.NaN()))
	case []float64:
		setValues(c, a, vertices, n, math.NaN())
	}
}

func setValues[T any](c *vertexValues, from []T, vertices []uint32, n int, none T) {
	all, ok := c.all.([]T)
	if !ok {
		all = make([]T, n)
		for v := range all {
			all[v] = none
		}
		c.all = all
	}
	for i, v := range vertices {
		all[v] = from[i]
	}
}

// finish returns the columns, if each vertex has a value where one can't be missing.
func (l *vertexLoad) finish(names []string) ([]graph.Column, error) {
	if l.columns == nil {
		return nil, fmt.Errorf("edgelist: %w: the lists hold no vertex", graph.ErrEmpty)
	}
	var all []graph.Column
	for k := range l.columns {
		c := &l.columns[k]
		to := graph.Column{Name: names[k], Values: c.all, Logical: c.like.Logical}
		switch c.all.(type) {
		case []float32, []float64:
		case nil:
			s := graph.Strings{Offsets: make([]int64, 1, l.n+1), Binary: c.like.Values.(graph.Strings).Binary}
			to.Valid = make([]bool, l.n)
			for v, at := range c.at {
				if v%lookRows == 0 && l.ctx.Err() != nil {
					return nil, l.ctx.Err()
				}
				if to.Valid[v] = at[0] >= 0; to.Valid[v] {
					s.Data = append(s.Data, c.data[at[0]:at[1]]...)
				}
				s.Offsets = append(s.Offsets, int64(len(s.Data)))
			}
			to.Values = s
		default:
			for v, ok := range l.seen {
				if !ok {
					return nil, fmt.Errorf("%w: vertex %.100s isn't in the list of vertices, and so has no value in the column %.100q, whose values can't be missing; add it", ErrSyntax, l.ids.Format(uint32(v)), names[k])
				}
			}
		}
		all = append(all, to)
	}
	return all, nil
}
