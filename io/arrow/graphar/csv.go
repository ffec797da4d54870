// This file reads chunks in CSV beside those in Parquet: their columns, and what
// is read of them here rather than by package arrow.

package graphar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/internal/csv"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// The file types that are read.
const (
	parquetType = "parquet"
	csvType     = "csv"
)

func isRead(fileType string) bool { return fileType == parquetType || fileType == csvType }

// endColumns are the columns of an adjacency list in CSV.
var endColumns = []dataset.Column{{Name: sourceColumn, Type: "int64"}, {Name: targetColumn, Type: "int64"}}

// readable refuses groups in other formats, and in CSV properties of types that it
// isn't read as.
func (g *propertyGroup) readable(path string, p *property, remedy string) error {
	if !isRead(g.FileType) {
		return unsupported(path, "the property %.100s is in %.20s; Parquet and CSV are read%s", p.Name, g.FileType, remedy)
	}
	if g.FileType == csvType && csv.ParseType(p.Type) == csv.None {
		return unsupported(path, "the property %.100s is of type %.40q, which isn't read from CSV; there it is one of %s", p.Name, p.Type, csv.Types())
	}
	return nil
}

// columns returns the columns of the group's files where they are CSV, of the
// properties of those names.
func (g *propertyGroup) columns(wanted func(name string) bool) (cols []dataset.Column) {
	if g.FileType != csvType {
		return nil
	}
	for _, p := range g.Properties {
		if wanted(p.Name) {
			cols = append(cols, dataset.Column{Name: p.Name, Type: p.Type})
		}
	}
	return cols
}

// csvColumns returns the columns of all files of an adjacency list that are CSV.
func (a *adjacency) csvColumns() map[string][]dataset.Column {
	csv := map[string][]dataset.Column{}
	if a.list.FileType == csvType {
		for _, f := range a.files {
			csv[f] = endColumns
		}
	}
	for g := range a.groups {
		if cols := a.groups[g].columns(func(name string) bool { return a.wanted[name] }); cols != nil {
			for _, f := range a.beside[g] {
				csv[f] = cols
			}
		}
	}
	return csv
}

// fieldsOf returns the columns of files as package arrow has them.
func fieldsOf(columns map[string][]dataset.Column) map[string][]arrow.Field {
	all := make(map[string][]arrow.Field, len(columns))
	for path, list := range columns {
		all[path] = fields(list)
	}
	return all
}

// fields returns columns as package arrow has them.
func fields(columns []dataset.Column) (all []arrow.Field) {
	for _, c := range columns {
		all = append(all, arrow.Field(c))
	}
	return all
}

// openCSV opens a file of CSV; close closes it.
func openCSV(path string, cols ...csv.Column) (r *csv.Reader, close func() error, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = unsupported(path, "it is no regular file")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("graphar: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("graphar: %w", err)
	}
	if r, err = csv.Open(f, cols); err != nil {
		f.Close()
		return nil, nil, csvError(path, err)
	}
	return r, f.Close, nil
}

// csvError makes an input.FileError of an error of package csv.
func csvError(path string, err error) error {
	f := &input.FileError{Path: path, Part: "line", Block: -1, Row: -1, Err: err}
	var at *csv.LineError
	if errors.As(err, &at) {
		f.Block, f.Column, f.Err = int(at.Line), at.Column, at.Err
	}
	return f
}

// countCSV returns how many rows a file of CSV has.
func countCSV(ctx context.Context, path string) (rows int64, err error) {
	r, shut, err := openCSV(path)
	if err != nil {
		return 0, err
	}
	defer shut()
	for ; ; rows++ {
		if rows%rowsPerCheck == 0 && ctx.Err() != nil {
			return 0, fmt.Errorf("graphar: reading %s: %w", path, ctx.Err())
		}
		if err := r.Skip(); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return 0, csvError(path, err)
		}
	}
}

// readIDs is dataset.ReadIDs for files of either type; in CSV the column has values
// of a type.
func readIDs(ctx context.Context, path, fileType, column, typ string, ids *dataset.IDColumn) error {
	if fileType != csvType {
		return dataset.ReadIDs(ctx, path, column, ids)
	}
	failed := func(err error) error {
		return &input.FileError{Path: path, Part: "line", Block: -1, Column: column, Row: -1, Err: err}
	}
	t := csv.ParseType(typ)
	id, ok := map[csv.Type]graph.IDType{csv.Int32: graph.Int32, csv.Int64: graph.Int64, csv.String: graph.String}[t]
	if !ok {
		return failed(fmt.Errorf("%w: ids are integers or strings, but it is %.40s", input.ErrColumnType, typ))
	}
	r, shut, err := openCSV(path, csv.Column{Name: column, Type: t})
	if err != nil {
		return err
	}
	defer shut()
	switch {
	case !r.Has(0):
		return failed(fmt.Errorf("%w: the header names %.300q", input.ErrColumn, r.Header()))
	case ids.Len() == 0:
		ids.Type = id
	case ids.Type != id:
		return failed(fmt.Errorf("%w: it is %v, but the ids before are %v", input.ErrColumnType, id, ids.Type))
	}
	if t == csv.String && len(ids.Strings.Offsets) == 0 {
		ids.Strings.Offsets = append(ids.Strings.Offsets, 0)
	}
	for {
		b, err := r.Read(ctx)
		switch {
		case err == io.EOF:
			return nil
		case err != nil && ctx.Err() != nil:
			return fmt.Errorf("graphar: reading %s: %w", path, ctx.Err())
		case err != nil:
			return csvError(path, err)
		}
		v := &b.Cols[0]
		for i, there := range v.Valid {
			if !there {
				return csvError(path, &csv.LineError{Line: b.Lines[i], Column: column, Err: fmt.Errorf("%w: a row without an id", input.ErrNull)})
			}
		}
		ids.Ints = append(ids.Ints, v.Ints...)
		base := int64(len(ids.Strings.Data))
		ids.Strings.Data = append(ids.Strings.Data, v.Data...)
		for i := 1; i < len(v.Offsets); i++ {
			ids.Strings.Offsets = append(ids.Strings.Offsets, base+v.Offsets[i])
		}
	}
}
