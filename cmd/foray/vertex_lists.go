// This file holds vertices that --vertices names and that the readers of tables of edges
// don't add themselves: those of text, and those of tables beside edges of text.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// vertexLists are files of vertices, and what ids are in the edges that were read.
type vertexLists struct {
	texts []string
	table *arrow.VertexTable // nil: none

	mu    sync.Mutex
	known bool
	typ   graph.IDType
	what  string // graph.IDs.Logical
}

// any reports whether there are such files.
func (l *vertexLists) any() bool { return len(l.texts) > 0 || l.table != nil }

// note notes what ids are in a batch of edges.
func (l *vertexLists) note(b *graph.Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known || b.Vertices || len(b.Src) == 0 && (b.SrcStrings == nil || b.SrcStrings.Len() == 0) {
		return
	}
	l.known, l.typ, l.what = true, b.Type, b.Logical
	if b.SrcStrings != nil {
		l.typ = graph.String
		if b.SrcStrings.Binary {
			l.typ = graph.Binary
		}
	}
}

// noteSchema notes the type of ids of tables of edges, where no row shows it.
func (l *vertexLists) noteSchema(s arrow.Info) {
	if !l.known {
		l.known, l.typ, l.what = true, s.IDType, s.Logical
	}
}

// split returns the paths of --vertices that are tables, and those that are text.
func (f *tableFlags) split(ctx context.Context, in *inputFlags) (tables, texts []string, err error) {
	for _, path := range f.vertices {
		switch format, err := edgelist.FormatOf(path); {
		case err != nil && listOfIDs(path):
			texts = append(texts, path)
			continue
		case err != nil:
			tables = append(tables, path)
			continue
		case format != "text" && format != "jsonl":
			return nil, nil, usagef("--vertices: %s is a graph (%v), and vertices are listed by Parquet, Arrow, text and JSON lines; name it as a PATH itself", path, format)
		}
		var files []string
		if inStore(path) {
			files, err = in.textObjects(ctx, path)
		} else {
			files, err = expand(path, in.links)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--vertices: %w", missing(path, err))
		}
		texts = append(texts, files...)
	}
	return tables, texts, nil
}

// listOfIDs reports whether a file is text though its name doesn't show a format: a pipe, or a file
// whose first bytes hold no NUL byte and no brace, with which JSON metadata of a table begins.
func listOfIDs(path string) bool {
	if isText, err := seedsAreText(path); err != nil || !isText {
		return false
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return err == nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	return n > 0 && bytes.IndexByte(head[:n], 0) < 0 && head[0] != '{'
}

// findLists settles which vertices are read apart from the tables of edges.
func (in *input) findLists(ctx context.Context, tables bool) error {
	f := in.flags
	paths, texts, err := f.tableFlags.split(ctx, f)
	if err != nil {
		return err
	}
	switch {
	case len(texts) > 0 && (f.properties != "" && f.vertexCols == "" || f.vertexColumns):
		return usagef("--vertices: %s is text, of which results have the ids alone; their columns come from Parquet and Arrow", texts[0])
	case len(texts) > 0 && len(paths) > 0 && f.vertexCols != "":
		return usagef("--vertex-columns: %s is text and %s isn't; columns are read of one of both", texts[0], paths[0])
	case len(texts) > 0 && (f.vertexAt != "" || f.vertexAsOf.set()) && len(paths) == 0:
		return usagef("--vertex-snapshot and --vertex-as-of are of tables, and %s is text", texts[0])
	case f.twoPass && slices.ContainsFunc(texts, isPipe):
		return usagef("--two-pass reads twice, which a pipe can't be: write --vertices to a file first")
	case len(texts) > 0 && f.parts > 0:
		return usagef("--vertices: %s is text, which several processes can't read in parts; write it as Parquet", texts[0])
	}
	in.lists.texts = texts
	if len(paths) > 0 && !tables {
		if f.properties != "" && f.vertexCols == "" || f.vertexColumns {
			return usagef("--vertices: columns of %s go with edges in Parquet and Arrow; convert the edges first, foray convert EDGES edges.parquet", paths[0])
		}
		in.lists.table, err = f.vertexTable(paths)
	}
	return err
}

// openVertices is open for vertices alone, which are added to a graph.
func (f *inputFlags) openVertices(ctx context.Context, o graph.Options) (*input, error) {
	if err := f.tableFlags.check(false); err != nil {
		return nil, err
	}
	in := &input{flags: f, o: o, name: strings.Join(f.vertices, ", ")}
	in.lists.known, in.lists.typ, in.lists.what = true, f.idsLike.Type, f.idsLike.Logical
	return in, in.findLists(ctx, false)
}

// isPipe reports whether a path is a file that can be read once.
func isPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// readLists passes on the vertices of the lists, with ids as in the edges.
func (in *input) readLists(ctx context.Context, progress *progress, yield func(graph.Batch) error) error {
	l, f := &in.lists, in.flags
	take := func(b graph.Batch) error {
		if l.known && l.typ.Integer() {
			b.Type = l.typ // whose range is checked where it is added
		}
		b.Side = f.vertexTableSide()
		in.rows.add(&b)
		return yield(b)
	}
	if l.any() && l.known && l.what != "" {
		path := append(l.texts, f.vertices...)[0]
		if len(in.parts) == 0 {
			return usagef("--vertices: %s: ids are %s, which are read beside edges alone: name EDGES too, in a table with such ids", path, l.what)
		}
		return usagef("--vertices: %s: ids are %s, which are not read of text; write the vertices as Parquet", path, l.what)
	}
	for _, path := range l.texts {
		o := in.listOptions(path, progress)
		if err := edgelist.ReadFile(ctx, path, o, take); err != nil {
			return &reworded{"--vertices: " + strings.ReplaceAll(err.Error(), "Options.Source", "Options.VertexID"), err}
		}
	}
	if l.table == nil {
		return nil
	}
	o := arrow.Options{UnionByName: f.union, FollowLinks: f.links}
	f.limits.arrow(&o)
	o.SkipNulls = f.nulls.value == "skip"
	t := idBatch{take: take, typ: l.typ, known: l.known, path: l.table.Paths[0]}
	if t.typ == graph.Binary {
		return usagef("--vertices: %s: ids of the edges are binary, which are not read of tables beside text; leave out --ids binary", t.path)
	}
	if err := eachID(ctx, *l.table, o, t.add); err != nil && !errors.Is(err, graph.ErrEmpty) {
		return err
	}
	return t.flush()
}

// listOptions returns how a list of vertices is read.
func (in *input) listOptions(path string, progress *progress) edgelist.Options {
	o := in.textOptions(path, progress)
	o.OnlyVertices, o.Source, o.LeftOut, o.Columns, o.SkipLines, o.Skipped = true, in.flags.vertexID, nil, nil, 0, nil
	if o.Format = ""; in.lists.known {
		o.IDs = idsOfText(in.lists.typ)
	}
	if _, err := edgelist.FormatOf(path); err != nil {
		o.Format = "text"
	}
	return o
}

// idsOfText returns how ids of that type are read of text.
func idsOfText(t graph.IDType) string {
	switch {
	case t == graph.Uint64:
		return "uint64"
	case t.Integer():
		return "int64"
	case t == graph.Binary:
		return "binary"
	}
	return "string"
}

// idBatch makes batches of vertices of the text of their ids.
type idBatch struct {
	take    func(graph.Batch) error
	path    string
	typ     graph.IDType
	known   bool // the first id says it otherwise
	ints    []int64
	strings graph.Strings
}

// idBatchLen is the length of batches.
const idBatchLen = 1 << 14

func (b *idBatch) add(id string) error {
	if !b.known {
		if b.known, b.typ = true, graph.String; isInt(id) {
			b.typ = graph.Int64
		}
	}
	switch {
	case !b.typ.Integer():
		if len(b.strings.Offsets) == 0 {
			b.strings.Offsets = append(b.strings.Offsets, 0)
		}
		b.strings.Data = append(b.strings.Data, id...)
		b.strings.Offsets = append(b.strings.Offsets, int64(len(b.strings.Data)))
	case b.typ == graph.Uint64:
		x, err := strconv.ParseUint(id, 10, 64)
		if err != nil {
			return b.fault(id)
		}
		b.ints = append(b.ints, int64(x))
	default:
		x, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return b.fault(id)
		}
		b.ints = append(b.ints, x)
	}
	if len(b.ints)+b.strings.Len() < idBatchLen {
		return nil
	}
	return b.flush()
}

func isInt(id string) bool {
	_, err := strconv.ParseInt(id, 10, 64)
	return err == nil
}

func (b *idBatch) fault(id string) error {
	return fmt.Errorf("--vertices: %s: %w: %.100q is no %v, which ids of the edges are; --ids string reads all of them as strings", b.path, graph.ErrIDType, id, b.typ)
}

func (b *idBatch) flush() error {
	if len(b.ints)+b.strings.Len() == 0 {
		return nil
	}
	e := graph.Batch{Type: b.typ, Src: b.ints, Vertices: true}
	if !b.typ.Integer() {
		e.Src, e.SrcStrings = nil, &b.strings
	}
	err := b.take(e)
	b.ints, b.strings.Data, b.strings.Offsets = b.ints[:0], b.strings.Data[:0], b.strings.Offsets[:0]
	return err
}
