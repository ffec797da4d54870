// This file gives the vertices of a graph their primary keys.

package graphar

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// primary returns the group and the property that is the primary key, or nil.
func (v *vertexInfo) primary() (*propertyGroup, *property) {
	for i := range v.Groups {
		for k := range v.Groups[i].Properties {
			if p := &v.Groups[i].Properties[k]; p.Primary {
				return &v.Groups[i], p
			}
		}
	}
	return nil, nil
}

// name returns the graph with primary keys for ids, if the vertices have them.
func (s *source) name(ctx context.Context, g *graph.Graph) (*graph.Graph, error) {
	for _, v := range s.ends {
		if _, p := v.primary(); p == nil {
			return g, nil
		}
	}
	var keys arrow.IDColumn
	for i, v := range s.ends {
		if err := s.readKeys(ctx, v, s.counts[i], &keys); err != nil {
			return nil, err
		}
	}
	ids := &graph.IDs{Type: keys.Type, Len: g.NumVertices()}
	if keys.Type.Integer() {
		ids.Ints = make([]int64, ids.Len)
		for v := range ids.Ints {
			ids.Ints[v] = keys.Ints[g.IDs().Int(uint32(v))]
		}
	} else {
		ids.StringOffsets = make([]uint64, 1, ids.Len+1)
		ids.Data = make([]byte, 0, len(keys.Strings.Data))
		for v := range uint32(ids.Len) {
			ids.Data = append(ids.Data, keys.Strings.Value(int(g.IDs().Int(v)))...)
			ids.StringOffsets = append(ids.StringOffsets, uint64(len(ids.Data)))
		}
	}
	if err := s.distinct(ids); err != nil {
		return nil, err
	}
	p := graph.Parts{Out: *g.Out(), Directed: g.Directed(), IDs: ids, Order: g.Order(), Stats: g.Stats()}
	if g.Directed() {
		p.In = g.In()
	}
	p.Stored.Checked = true // a Builder made them
	return graph.New(p)
}

// readKeys appends the primary keys of n vertices.
func (s *source) readKeys(ctx context.Context, v *vertexInfo, n int64, keys *arrow.IDColumn) error {
	group, p := v.primary()
	if group.FileType != "parquet" {
		return unsupported(v.path, "the primary key %s is in %s; only Parquet is read; Options.IDs can be IDsIndex", p.Name, group.FileType)
	}
	dir := filepath.Join(s.root, filepath.FromSlash(v.Prefix), filepath.FromSlash(group.Prefix))
	for i, left := 0, n; left > 0; i++ {
		path := filepath.Join(dir, fmt.Sprintf("chunk%d", i))
		before := keys.Len()
		if err := arrow.ReadIDs(ctx, path, p.Name, keys); err != nil {
			return err
		}
		want := min(left, v.ChunkSize)
		if rows := int64(keys.Len() - before); rows != want {
			return fmt.Errorf("%s: %w: %d vertices, want %d: there are %d, %d in a chunk", path, ErrMismatch, rows, want, n, v.ChunkSize)
		}
		left -= want
	}
	return nil
}

// distinct reports ids that two vertices have.
func (s *source) distinct(ids *graph.IDs) error {
	byID := ids.ByID()
	at := func(i int) uint32 {
		if byID != nil {
			return byID[i]
		}
		return uint32(i)
	}
	for i := 1; i < ids.Len; i++ {
		u, v := at(i-1), at(i)
		same := ids.Int(u) == ids.Int(v)
		if !ids.Type.Integer() {
			same = bytes.Equal(ids.Bytes(u), ids.Bytes(v))
		}
		if same {
			return fmt.Errorf("%s: %w: two vertices have the primary key %s; Options.IDs can be IDsIndex", s.path, ErrIDs, ids.Format(u))
		}
	}
	return nil
}
