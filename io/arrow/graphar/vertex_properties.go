// This file reads the chunks of vertices.

package graphar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
)

// eachChunk is eachPath for chunks whose vertices have the numbers that they say.
func (s *source) eachChunk(ctx context.Context, v *vertexInfo, g *propertyGroup, n int64, f func(path string, lo, hi int64) error) error {
	return s.eachPath(ctx, v, g, n, func(path string, lo, hi int64) error {
		if err := checkRows(ctx, path, g.FileType, v, n, hi-lo); err != nil { // before they are read
			return err
		}
		if err := s.checkNumbers(ctx, path, g.FileType, lo); err != nil {
			return err
		}
		return f(path, lo, hi)
	})
}

// eachPath calls f with the path of each chunk of a group of n vertices, and the
// numbers that it has.
func (s *source) eachPath(ctx context.Context, v *vertexInfo, g *propertyGroup, n int64, f func(path string, lo, hi int64) error) error {
	dir := filepath.Join(s.root, filepath.FromSlash(v.Prefix), filepath.FromSlash(g.Prefix))
	for i, lo := 0, int64(0); lo < n; i++ {
		hi := lo + min(n-lo, v.ChunkSize)
		path := filepath.Join(dir, fmt.Sprintf("chunk%d", i))
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("graphar: loading %s: %w", dir, err)
		}
		if err := s.check(v.path, path); err != nil {
			return err
		}
		if err := f(path, lo, hi); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// checkNumbers compares the numbers that a chunk gives its vertices with their
// rows. Not all writers give them any.
func (s *source) checkNumbers(ctx context.Context, path, fileType string, lo int64) error {
	if s.numbered[path] {
		return nil
	}
	var c dataset.IDColumn
	err := readIDs(ctx, path, fileType, vertexColumn, "int64", &c)
	switch {
	case errors.Is(err, input.ErrColumn):
		return nil
	case err != nil:
		return err
	}
	for i, x := range c.Ints {
		if x != lo+int64(i) {
			return fmt.Errorf("%s: %w: row %d has vertex %d, want %d", path, errMismatch, i, x, lo+int64(i))
		}
	}
	if s.numbered == nil {
		s.numbered = map[string]bool{}
	}
	s.numbered[path] = true
	return nil
}

// checkCount compares the number of vertices with what the chunks of a group
// state, before memory is taken for so many. Without a Parquet file, and a CSV file that is read anyhow, the
// edges, of so many bytes, have to make it plausible.
func (s *source) checkCount(ctx context.Context, v *vertexInfo, n, edgeBytes int64) error {
	for _, fileType := range []string{parquetType, csvType} { // of CSV all has to be read
		for i := range v.Groups {
			g := &v.Groups[i]
			if g.FileType != fileType || fileType == csvType && !s.reads(v, g) {
				continue
			}
			return s.eachPath(ctx, v, g, n, func(path string, lo, hi int64) error {
				return checkRows(ctx, path, fileType, v, n, hi-lo)
			})
		}
	}
	if n > columnar.MaxRows(edgeBytes) {
		return fmt.Errorf("%s: %w: it says that there are %d vertices, of which no chunk has a property, and %d bytes of edges are too few for so many",
			filepath.Join(s.root, filepath.FromSlash(v.Prefix), "vertex_count"), errMismatch, n, edgeBytes)
	}
	return nil
}

// checkRows compares the number of rows of a chunk of n vertices with what it has
// to be.
func checkRows(ctx context.Context, path, fileType string, v *vertexInfo, n, want int64) error {
	rows, err := countRows(ctx, path, fileType)
	if err == nil && rows != want {
		err = fmt.Errorf("%s: %w: %d vertices, want %d: there are %d, %d in a chunk", path, errMismatch, rows, want, n, v.ChunkSize)
	}
	return err
}

// countRows returns the row count that a Parquet file states, or the rows of a CSV file.
func countRows(ctx context.Context, path, fileType string) (rows int64, err error) {
	if fileType == csvType {
		return countCSV(ctx, path)
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = unsupported(path, "it is no regular file")
	}
	if err != nil {
		return 0, fmt.Errorf("graphar: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("graphar: %w", err)
	}
	defer f.Close()
	err = columnar.Guard(func() error {
		p, err := parquet.Open(f, info.Size())
		if err == nil {
			rows = p.Rows
		}
		return err
	})
	if err != nil {
		err = &input.FileError{Path: path, Part: "row group", Block: -1, Row: -1, Err: err}
	}
	return rows, err
}

// checkProperties looks that there are the properties of vertices that options
// name.
func (s *source) checkProperties() error {
	s.o.Properties, s.o.VertexColumns = slices.Clone(s.o.Properties), slices.Clone(s.o.VertexColumns)
	return errors.Join(s.checkNames("Properties", s.o.Properties), s.checkNames("VertexColumns", s.o.VertexColumns))
}

// checkNames is checkProperties for one option. Names become those in the file.
func (s *source) checkNames(option string, names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("graphar: %w: Options.%s names %.100q twice", graph.ErrOptions, option, name)
		}
		found := false
		var all []propertyGroup
		for _, v := range s.ends {
			g, p := find(v.Groups, name)
			all = append(all, v.Groups...)
			if p == nil {
				continue
			}
			found, names[i] = true, p.Name
			if err := g.readable(v.path, p, ""); err != nil {
				return err
			}
		}
		if !found {
			return missing(s.ends[0].path, option, name, listed(all))
		}
	}
	return nil
}

// addColumns gives a graph the columns of vertices that options name; at has the vertex of each number.
func (s *source) addColumns(ctx context.Context, g *graph.Graph, at []uint32) error {
	p, err := s.readProperties(ctx, g, at, s.o.VertexColumns)
	if err != nil || p == nil {
		return err
	}
	var columns []graph.Column
	for _, name := range s.o.VertexColumns {
		c, err := p.Column(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		columns = append(columns, c)
	}
	return g.AddVertexColumns(columns...)
}

// readProperties reads the properties of vertices of those names; at has the vertex of each
// number.
func (s *source) readProperties(ctx context.Context, g *graph.Graph, at []uint32, wanted []string) (*arrow.Properties, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	var files []arrow.PropertyFile
	base := int64(0)
	for i, v := range s.ends {
		for k := range v.Groups {
			var names []string
			for _, p := range v.Groups[k].Properties {
				if slices.Contains(wanted, p.Name) {
					names = append(names, p.Name)
				}
			}
			if len(names) == 0 {
				continue
			}
			csv := fields(v.Groups[k].columns(func(name string) bool { return slices.Contains(names, name) }))
			err := s.eachChunk(ctx, v, &v.Groups[k], s.counts[i], func(path string, lo, hi int64) error {
				files = append(files, arrow.PropertyFile{Path: path, Columns: names, Vertices: at[base+lo : base+hi], CSV: csv})
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		base += s.counts[i]
	}
	p, err := arrow.ReadProperties(ctx, g, wanted, files)
	switch {
	case errors.Is(err, dataset.ErrRows):
		return nil, fmt.Errorf("%w: %w", errMismatch, err)
	case err != nil:
		return nil, err
	}
	for _, f := range p.Fields() {
		for _, v := range s.ends {
			if _, q := find(v.Groups, f.Name); q != nil && !q.fits(f.Type.Name()) {
				return nil, q.misfit(v.path, "the chunks", f.Type.Name())
			}
		}
	}
	return p, nil
}

// reads reports whether a group has the ids of vertices, or properties that options
// name.
func (s *source) reads(v *vertexInfo, g *propertyGroup) bool {
	for i, end := range s.ends {
		if end == v && s.keys != nil && s.keys[i].group == g {
			return true
		}
	}
	return slices.ContainsFunc(g.Properties, func(p property) bool {
		return slices.Contains(s.o.Properties, p.Name) || slices.Contains(s.o.VertexColumns, p.Name)
	})
}
