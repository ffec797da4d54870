// This file holds Load.

package graphar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// IDs says what the external ids of the graph are.
type IDs uint8

const (
	// IDsAuto is the primary key where the vertices have one, else IDsIndex.
	IDsAuto IDs = iota
	// IDsIndex is the vertex's number in GraphAr, from 0. Where edges lead from
	// one type of vertices to another, those of the second come after those of
	// the first.
	IDsIndex
)

// Options say what to read and what graph to build of it. The zero value reads
// the only kind of edges there is.
type Options struct {
	// Edge names the kind of edges: all three types as in "person_knows_person",
	// or the middle one where that is clear. It may be empty where there is one.
	Edge string
	// IDs says what ids the vertices get.
	IDs IDs
	// Graph says what graph to build. What the file says of being directed
	// doesn't matter: that is Graph.Directed. Vertices and DenseIDs are set by
	// what is read. Weights are ErrUnsupported.
	Graph graph.Options
	// TwoPass, Workers and Progress are those of arrow.Options.
	TwoPass  bool
	Workers  int
	Progress func(rows, total int64)
}

// source is what Load reads.
type source struct {
	o        Options
	path     string
	root     string
	edge     *edgeInfo
	ends     []*vertexInfo // of the source and, if that is another, of the target
	counts   []int64       // of vertices, of each
	vertices int64         // in all
}

// Load makes a graph of the edges of one kind. All vertices of the types at
// their ends are vertices of the graph, also those without an edge. Where both
// types have primary keys that are the same, they can't be told apart, which is
// ErrIDs.
//
// Errors are those of this package, of package arrow for the chunks, and of
// package graph for building, with the file that they are about.
func Load(ctx context.Context, path string, o Options) (*graph.Graph, error) {
	s, err := open(path, o)
	if err != nil {
		return nil, err
	}
	list, err := s.choose()
	if err != nil {
		return nil, err
	}
	g, err := s.build(ctx, list)
	if err != nil || o.IDs == IDsIndex {
		return g, err
	}
	return s.name(ctx, g)
}

// open reads the YAML files.
func open(path string, o Options) (*source, error) {
	if o.Graph.Weights {
		return nil, unsupported(path, "weights: properties of edges aren't read yet")
	}
	root, vertices, edges, err := readInfo(path)
	if err != nil {
		return nil, err
	}
	s := &source{o: o, path: path, root: root}
	if s.edge, err = chooseEdge(path, edges, o.Edge); err != nil {
		return nil, err
	}
	e := s.edge
	for i, name := range []string{e.Source, e.Target} {
		if i == 1 && e.Source == e.Target {
			break
		}
		at := slices.IndexFunc(vertices, func(v *vertexInfo) bool { return v.Type == name })
		if at < 0 {
			return nil, fmt.Errorf("%s: %w: %s has vertices of type %q, of which nothing is said", path, ErrInfo, e.name(), name)
		}
		n, err := vertexCount(root, vertices[at])
		if err != nil {
			return nil, err
		}
		if chunks := [2]int64{e.SourceChunks, e.TargetChunks}[i]; chunks != vertices[at].ChunkSize {
			return nil, fmt.Errorf("%s: %w: %d vertices in a chunk, but %s says %d", vertices[at].path, ErrMismatch, vertices[at].ChunkSize, e.path, chunks)
		}
		s.ends, s.counts = append(s.ends, vertices[at]), append(s.counts, n)
		s.vertices += n
	}
	if s.vertices > int64(graph.NoVertex) {
		return nil, fmt.Errorf("%s: %w: %d", path, graph.ErrTooManyVertices, s.vertices)
	}
	return s, nil
}

// chooseEdge returns the kind of edges of that name.
func chooseEdge(path string, edges []*edgeInfo, name string) (*edgeInfo, error) {
	var names []string
	var found []*edgeInfo
	for _, e := range edges {
		names = append(names, e.name())
		if e.name() == name {
			return e, nil
		}
		if name == "" || e.Edge == name {
			found = append(found, e)
		}
	}
	switch {
	case len(edges) == 0:
		return nil, fmt.Errorf("%s: %w: the graph has no edges", path, ErrEdge)
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return nil, fmt.Errorf("%s: %w: none is called %q; there are %s", path, ErrEdge, name, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("%s: %w: name one of them in Options.Edge: %s", path, ErrEdge, strings.Join(names, ", "))
}

// choose returns the adjacency list to read: any in Parquet has all edges.
func (s *source) choose() (*adjacency, error) {
	var types []string
	var best *adjList
	for i := range s.edge.AdjLists {
		l := &s.edge.AdjLists[i]
		types = append(types, l.FileType)
		if l.FileType == "parquet" && (best == nil || l.Ordered && !best.Ordered) {
			best = l
		}
	}
	if best == nil {
		return nil, unsupported(s.edge.path, "the adjacency lists are in %s; only Parquet is read", strings.Join(types, ", "))
	}
	a := &adjacency{list: best, chunk: s.edge.ChunkSize}
	a.dir = filepath.Join(s.root, filepath.FromSlash(s.edge.Prefix), filepath.FromSlash(best.Prefix))
	a.vertices, a.part = s.counts[0], s.edge.SourceChunks
	if best.AlignedBy == "dst" {
		a.vertices, a.part = s.counts[len(s.counts)-1], s.edge.TargetChunks
	}
	if n, err := readCount(filepath.Join(a.dir, "vertex_count")); err == nil && n != a.vertices {
		return nil, fmt.Errorf("%s: %w: vertex_count says %d, but there are %d vertices of that type", a.dir, ErrMismatch, n, a.vertices)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return a, nil
}

// build makes a graph whose ids are the vertices' numbers.
func (s *source) build(ctx context.Context, a *adjacency) (*graph.Graph, error) {
	if err := a.find(ctx); err != nil {
		return nil, err
	}
	if len(a.files) == 0 {
		return nil, fmt.Errorf("%s: %w: there are no chunks of edges", a.dir, graph.ErrEmpty)
	}
	o := s.o.Graph
	o.DenseIDs, o.Vertices = true, uint64(s.vertices)
	d, err := arrow.Open(ctx, a.files, arrow.Options{
		Source: sourceColumn, Target: targetColumn, Graph: o, TwoPass: s.o.TwoPass, Workers: s.o.Workers, Progress: s.o.Progress,
	})
	if err != nil {
		return nil, err
	}
	if a.known && d.Rows() != a.edges {
		return nil, fmt.Errorf("%s: %w: the chunks have %d edges, but the counts say %d", a.dir, ErrMismatch, d.Rows(), a.edges)
	}
	if a.list.Ordered {
		if err := a.checkOffsets(ctx, d.Rows()); err != nil {
			return nil, err
		}
	}
	if s.vertices == 0 {
		return nil, fmt.Errorf("%s: %w: %d edges, but no vertices", a.dir, ErrMismatch, d.Rows())
	}
	read := func(ctx context.Context, yield func(graph.Batch) error) error {
		return d.Batches(ctx, func(b graph.Batch) error { return s.yield(a, b, yield) })
	}
	if s.o.TwoPass {
		return graph.TwoPass(ctx, o, read)
	}
	b := graph.NewBuilder(o)
	if err := read(ctx, b.Add); err != nil {
		return nil, err
	}
	return b.Build(ctx)
}

// yield checks the ends of edges, and moves targets of another type behind the
// sources.
func (s *source) yield(a *adjacency, b graph.Batch, yield func(graph.Batch) error) error {
	if b.SrcStrings != nil {
		return fmt.Errorf("%s: %w: the ends of edges are strings, not numbers", a.dir, ErrMismatch)
	}
	from, to := s.counts[0], s.counts[len(s.counts)-1]
	for i, u := range b.Src {
		if v := b.Dst[i]; uint64(u) >= uint64(from) || uint64(v) >= uint64(to) {
			return fmt.Errorf("%s: %w: an edge leads from vertex %d of %d to %d of %d", a.dir, ErrMismatch, u, from, v, to)
		}
	}
	if len(s.counts) == 2 {
		moved := make([]int64, len(b.Dst))
		for i, v := range b.Dst {
			moved[i] = v + from
		}
		b.Dst = moved
	}
	return yield(b)
}
