// This file gives the vertices of a graph their keys.

package graphar

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
)

// key is the property that is the id of vertices.
type key struct {
	group *propertyGroup
	*property
}

// chooseKeys returns the keys of the vertices, nil where not all have one.
func (s *source) chooseKeys() (keys []key, err error) {
	for _, v := range s.ends {
		k, err := v.key(s.o.VertexID)
		if err != nil || k == nil {
			return nil, err
		}
		keys = append(keys, *k)
	}
	return keys, nil
}

// key returns the property of that name, or the primary key, or nil.
func (v *vertexInfo) key(name string) (*key, error) {
	if name != "" {
		g, p := find(v.Groups, name)
		if p == nil {
			return nil, missing(v.path, "VertexID", name, listed(v.Groups))
		}
		return &key{g, p}, nil
	}
	var found []key
	var names []string
	for i := range v.Groups {
		for k := range v.Groups[i].Properties {
			if p := &v.Groups[i].Properties[k]; p.Primary {
				found, names = append(found, key{&v.Groups[i], p}), append(names, p.Name)
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return &found[0], nil
	}
	return nil, fmt.Errorf("%s: %w: the primary keys are %s; name one property in Options.VertexID", v.path, errIDs, strings.Join(names, ", "))
}

// name returns the graph with keys for ids, if the vertices have them.
func (s *source) name(ctx context.Context, g *graph.Graph) (*graph.Graph, error) {
	if s.keys == nil {
		return g, nil
	}
	var keys dataset.IDColumn
	for i, v := range s.ends {
		if err := s.readKeys(ctx, v, s.keys[i], s.counts[i], &keys); err != nil {
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
	p := graph.CSROptions{Directed: g.Directed(), IDs: ids, Order: g.Order(), Stats: g.Stats(), EdgeColumns: g.EdgeColumns()}
	if g.Directed() {
		p.In = g.In()
	}
	p.Stored.Checked = true // a Builder made them
	return graph.FromCSR(*g.Out(), p)
}

// readKeys appends the keys of n vertices.
func (s *source) readKeys(ctx context.Context, v *vertexInfo, k key, n int64, keys *dataset.IDColumn) error {
	if err := k.group.readable(v.path, k.property, "; Options.IndexIDs takes their numbers"); err != nil {
		return err
	}
	return s.eachChunk(ctx, v, k.group, n, func(path string, _, _ int64) error {
		if err := readIDs(ctx, path, k.group.FileType, k.Name, k.Type, keys); err != nil {
			return err
		}
		if !k.fits(keys.Type.String()) {
			return k.misfit(v.path, path, keys.Type.String())
		}
		return nil
	})
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
			return fmt.Errorf("%s: %w: two vertices have the id %s; Options.IndexIDs takes their numbers", s.path, errIDs, ids.Format(u))
		}
	}
	return nil
}
