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
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// source is what Load reads.
type source struct {
	o        Options
	path     string
	root     string
	bounds   *pathglob.Bounds // of everything that is read
	edge     *edgeInfo
	ends     []*vertexInfo // of the source and, if that is another, of the target
	counts   []int64       // of vertices, of each
	vertices int64         // in all
	keys     []key         // of each type; nil for their numbers
	numbered map[string]bool
	stats    arrow.Stats // of the edges
}

// Loaded is a graph, and what its files say besides.
type Loaded struct {
	Graph *graph.Graph
	// Properties are the properties of vertices that Options.Properties names; nil without any. Vertices of a type
	// without the property have nulls.
	Properties *arrow.Properties
	// Directed is the value in the file of the edges for being directed.
	Directed bool
	// Stats counts what was read, of the edges.
	Stats arrow.Stats
}

// Load makes a graph of the edges of one kind. All vertices of the types at
// their ends are vertices of the graph, also those without an edge, and where Options.Where
// leaves no edge at all. Where both
// types have primary keys that are the same, they can't be told apart, which is
// graph.ErrOptions.
//
// Errors come from package arrow for the chunks, and from
// package graph for building, with the file that they are about.
func Load(ctx context.Context, path string, o Options) (_ *Loaded, failed error) {
	defer shown(&failed)
	if err := callctx.Check(ctx, "graphar"); err != nil {
		return nil, err
	}
	s, err := open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	list, err := s.choose()
	if err != nil {
		return nil, err
	}
	g, err := s.build(ctx, list)
	if err != nil {
		return nil, err
	}
	at := make([]uint32, s.vertices) // the vertex of each number
	for v := range uint32(g.NumVertices()) {
		at[g.IDs().Int(v)] = v
	}
	if !o.IndexIDs {
		if g, err = s.name(ctx, g); err != nil {
			return nil, err
		}
	}
	p, err := s.readProperties(ctx, g, at, s.o.Properties)
	if err == nil {
		err = s.addColumns(ctx, g, at)
	}
	if err != nil {
		return nil, err
	}
	return &Loaded{Graph: g, Properties: p, Directed: s.edge.Directed, Stats: s.stats}, nil
}

// open reads the YAML files.
func open(ctx context.Context, path string, o Options) (*source, error) {
	if o.IndexIDs && o.VertexID != "" {
		return nil, fmt.Errorf("graphar: %w: Options.VertexID is %.100q, but Options.IndexIDs asks for numbers", graph.ErrOptions, o.VertexID)
	}
	bounds := boundsOf(path, o.FollowLinks, o.AllowOutside)
	root, vertices, edges, err := readInfo(path, bounds, tables.NewBudget(o.MaxMetadata))
	if err != nil {
		return nil, err
	}
	s := &source{o: o, path: path, root: root, bounds: bounds}
	atomicfile.NoteTable(ctx, filepath.Dir(path))
	atomicfile.NoteTable(ctx, root)
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
			return nil, fmt.Errorf("%s: %w: %s has vertices of type %q, of which nothing is said", path, errInfo, e.name(), name)
		}
		n, err := s.vertexCount(vertices[at])
		if err != nil {
			return nil, err
		}
		if chunks := [2]int64{e.SourceChunks, e.TargetChunks}[i]; chunks != vertices[at].ChunkSize {
			return nil, fmt.Errorf("%s: %w: %d vertices in a chunk, but %s says %d", vertices[at].path, errMismatch, vertices[at].ChunkSize, e.path, chunks)
		}
		s.ends, s.counts = append(s.ends, vertices[at]), append(s.counts, n)
		s.vertices += n
	}
	if !o.IndexIDs {
		if s.keys, err = s.chooseKeys(); err != nil {
			return nil, err
		}
	}
	if err := s.checkProperties(); err != nil {
		return nil, err
	}
	if s.vertices > int64(graph.NoVertex) {
		return nil, fmt.Errorf("%s: %w: %d", path, graph.ErrTooManyVertices, s.vertices)
	}
	return s, nil
}

// check reports a path that a file of the graph names, and that lies elsewhere.
func (s *source) check(file, path string) error { return checkIn(s.bounds, file, path) }

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
		return nil, fmt.Errorf("%s: %w: the graph has no edges", path, errEdge)
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return nil, fmt.Errorf("%s: %w: none is called %q; there are %s", path, errEdge, name, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("%s: %w: name one of them in Options.Edge: %s", path, errEdge, strings.Join(names, ", "))
}

// choose returns the adjacency list to read: each has all edges.
func (s *source) choose() (*adjacency, error) {
	var types []string
	var best *adjList
	for i := range s.edge.AdjLists {
		l := &s.edge.AdjLists[i]
		types = append(types, l.FileType)
		// Parquet is read faster, and by parts; ordered lists say more that can be compared.
		if isRead(l.FileType) && (best == nil || l.FileType == parquetType && best.FileType == csvType ||
			l.FileType == best.FileType && l.Ordered && !best.Ordered) {
			best = l
		}
	}
	if best == nil {
		return nil, unsupported(s.edge.path, "the adjacency lists are in %s; Parquet and CSV are read", strings.Join(types, ", "))
	}
	a := &adjacency{list: best, chunk: s.edge.ChunkSize, check: func(path string) error { return s.check(s.edge.path, path) }}
	a.dir = filepath.Join(s.root, filepath.FromSlash(s.edge.Prefix), filepath.FromSlash(best.Prefix))
	a.vertices, a.part = s.counts[0], s.edge.SourceChunks
	if best.AlignedBy == "dst" {
		a.vertices, a.part = s.counts[len(s.counts)-1], s.edge.TargetChunks
	}
	if err := s.chooseGroups(a); err != nil {
		return nil, err
	}
	count := filepath.Join(a.dir, "vertex_count")
	if err := a.check(count); err != nil {
		return nil, err
	}
	if n, err := readCount(count); err == nil && n != a.vertices {
		return nil, fmt.Errorf("%s: %w: vertex_count says %d, but there are %d vertices of that type", a.dir, errMismatch, n, a.vertices)
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
	o := s.o.Graph
	o.DenseIDs, o.Vertices = true, uint64(s.vertices)
	if len(a.files) == 0 {
		return s.withoutEdges(ctx, a, o)
	}
	d, err := arrow.OpenTables(ctx, []arrow.Table{{
		Paths: a.files, Beside: a.beside, CSV: fieldsOf(a.csvColumns()), Source: sourceColumn, Target: targetColumn, Weight: a.weight, EdgeID: s.o.EdgeID, Where: s.o.Where,
	}}, arrow.Options{SkipNulls: s.o.SkipNulls, Graph: o, TwoPass: s.o.TwoPass, Workers: s.o.Workers, Progress: s.o.Progress, Logger: s.o.Logger, Metrics: s.o.Metrics,
		MaxFooter: s.o.MaxFooter, MaxExpansion: s.o.MaxExpansion, MaxMetadata: s.o.MaxMetadata})
	switch {
	case errors.Is(err, dataset.ErrRows):
		return nil, fmt.Errorf("%w: %w", errMismatch, err)
	case errors.Is(err, input.ErrColumn) && len(a.groups) > 0:
		return nil, fmt.Errorf("%w: %s says what properties edges have: %w", errMismatch, s.edge.path, err)
	case err != nil:
		return nil, err
	}
	for i, v := range s.ends {
		if err := s.checkCount(ctx, v, s.counts[i], d.Stats().Bytes); err != nil {
			return nil, err
		}
	}
	defer func() { s.stats = d.Stats() }()
	info := d.Info()
	if err := s.checkTypes(info, a); err != nil {
		return nil, err
	}
	if rows := info.RowsInFiles; a.known && rows != a.edges {
		return nil, fmt.Errorf("%s: %w: the chunks have %d edges, but the counts say %d", a.dir, errMismatch, rows, a.edges)
	}
	if a.list.Ordered {
		if err := a.checkOffsets(ctx, info.RowsInFiles); err != nil {
			return nil, err
		}
	}
	if s.vertices == 0 {
		return nil, fmt.Errorf("%s: %w: %d edges, but no vertices", a.dir, errMismatch, info.RowsInFiles)
	}
	o.Weights = o.Weights || a.weight != ""
	o.EdgeIDs = o.EdgeIDs || s.o.EdgeID != ""
	read := func(ctx context.Context, yield func(graph.Batch) error) error {
		return d.Read(ctx, func(b graph.Batch) error { return s.yield(a, b, yield) })
	}
	g, err := s.buildOf(ctx, o, read)
	if errors.Is(err, graph.ErrEmpty) {
		err = d.EmptyError()
	}
	return g, err
}

// withoutEdges makes a graph of the vertices alone, where there are no chunks of edges.
func (s *source) withoutEdges(ctx context.Context, a *adjacency, o graph.Options) (*graph.Graph, error) {
	if s.vertices == 0 {
		return nil, fmt.Errorf("%s: %w: there are no chunks of edges, and no vertices", a.dir, graph.ErrEmpty)
	}
	for i, v := range s.ends {
		if err := s.checkCount(ctx, v, s.counts[i], 0); err != nil {
			return nil, err
		}
	}
	return s.buildOf(ctx, o, func(context.Context, func(graph.Batch) error) error { return nil })
}

func (s *source) buildOf(ctx context.Context, o graph.Options, read func(context.Context, func(graph.Batch) error) error) (*graph.Graph, error) {
	if s.o.TwoPass {
		return graph.TwoPass(ctx, o, read)
	}
	b := graph.NewBuilder(o)
	defer b.Close()
	if err := read(ctx, b.Add); err != nil {
		return nil, err
	}
	return b.Build(ctx)
}

// yield checks the ends of edges, and moves targets of another type behind the
// sources.
func (s *source) yield(a *adjacency, b graph.Batch, yield func(graph.Batch) error) error {
	if b.SrcStrings != nil {
		return fmt.Errorf("%s: %w: the ends of edges are strings, not numbers", a.dir, errMismatch)
	}
	from, to := s.counts[0], s.counts[len(s.counts)-1]
	for i, u := range b.Src {
		if v := b.Dst[i]; uint64(u) >= uint64(from) || uint64(v) >= uint64(to) {
			return fmt.Errorf("%s: %w: an edge leads from vertex %d of %d to %d of %d", a.dir, errMismatch, u, from, v, to)
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
