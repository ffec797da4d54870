// This file holds ReadIDs, which reads one column of ids: where a format keeps
// the vertices in a separate table.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/csv"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
)

// IDColumn is ids of one type, in the order of the rows that they come from.
type IDColumn struct {
	Type    graph.IDType
	Ints    []int64
	Strings graph.Strings
}

// Len returns the number of ids.
func (c *IDColumn) Len() int {
	if c.Type.Integer() {
		return len(c.Ints)
	}
	return c.Strings.Len()
}

// ReadIDs appends the ids in a column of a Parquet file to c, in the order of its rows. To an empty c the column
// gives its type; ids of another type are ErrColumnType, a null is ErrNull, and a file that isn't Parquet is ErrFormat.
// On an error c has some of the ids.
func ReadIDs(ctx context.Context, path, column string, c *IDColumn) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	if c == nil {
		return fmt.Errorf("arrow: %w: there is no IDColumn for the ids of %s (nil)", graph.ErrOptions, path)
	}
	return eachVector(ctx, path, nil, func(cols []columnar.Column, _ int64) ([]int, []columnar.Kind, error) {
		col := slices.IndexFunc(cols, func(c columnar.Column) bool { return c.Path == column })
		if col < 0 {
			return nil, nil, atColumn(column, input.ColumnErrorf("the file has none of that name; %s", list(cols)))
		}
		what := cols[col]
		switch {
		case !what.IsID:
			return nil, nil, atColumn(column, fmt.Errorf("%w: ids are integers, strings or binary, but it is %s", input.ErrColumnType, what.Type))
		case c.Len() == 0:
			c.Type = what.ID
			c.Strings.Binary = what.ID == graph.Binary
		case c.Type != what.ID:
			return nil, nil, atColumn(column, fmt.Errorf("%w: it is %v, but the ids before are %v", input.ErrColumnType, what.ID, c.Type))
		}
		return []int{col}, []columnar.Kind{columnar.KindFor(what.ID)}, nil
	}, func(_ int, v *columnar.Vector, _ int64) error {
		if v.Nulls > 0 {
			return fmt.Errorf("%w: a row without an id", input.ErrNull)
		}
		c.add(v)
		return nil
	})
}

// chooseVectors returns which columns are read, and as what; takeVector gets values of the k-th of them.
type (
	chooseVectors = func(cols []columnar.Column, rows int64) ([]int, []columnar.Kind, error)
	takeVector    = func(k int, v *columnar.Vector, row int64) error
)

// eachVector reads columns of a Parquet file, or of CSV with those columns, one after
// the other. choose says
// which, by their index, and as what; rows is how many rows there are. take gets
// the values of the k-th of them from a row of the file on.
func eachVector(ctx context.Context, path string, columns []Column, choose chooseVectors, take takeVector) error {
	from := input.Origin{}
	if columns != nil {
		cols, err := csvColumns(columns)
		if err != nil {
			return err
		}
		from.CSV = map[string][]csv.Column{path: cols}
	}
	f, err := input.OpenPartOf(ctx, &from, path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = columnar.Guard(func() error {
		if f.CSV != nil {
			return eachCSVVector(ctx, f.CSV, choose, take)
		}
		return eachParquetVector(ctx, f, choose, take)
	})
	if stop := ctx.Err(); err != nil && stop != nil && errors.Is(err, stop) {
		return input.Stopped(ctx)
	}
	return input.InFile(path, "row group", err)
}

func eachParquetVector(ctx context.Context, f input.BlobPart, choose chooseVectors, take takeVector) error {
	var head [len(parquet.Magic)]byte
	if n, err := f.ReadAt(head[:], 0); string(head[:n]) != parquet.Magic {
		if err == nil || errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: it isn't Parquet", input.ErrFormat)
		}
		return fmt.Errorf("%w: it isn't Parquet: %w", input.ErrFormat, err)
	}
	file, err := parquet.Open(f, f.Size)
	if err != nil {
		return err
	}
	cols := file.Columns()
	at, kinds, err := choose(cols, file.Rows)
	if err != nil {
		return err
	}
	if err := file.Select(at, kinds); err != nil {
		return err
	}
	mem := columnar.NewMemory(columnar.NewPool(f.Size))
	r := parquet.NewReader(mem)
	defer r.Close()
	var v columnar.Vector
	for k := range at {
		row := int64(0)
		for i, group := range file.Groups {
			mem.Begin(ctx, f.Size)
			r.Open(ctx, file, f, i)
			for end := row + group.Rows; row < end; row += int64(v.Len()) {
				if err := ctx.Err(); err != nil {
					return err
				}
				err := r.Read(k, &v, int(min(columnar.BatchRows, end-row)))
				if err == nil && v.Len() == 0 {
					err = columnar.Corrupt("there are no more rows, where %d belong", end-row)
				}
				if err == nil {
					err = take(k, &v, row)
				}
				if err != nil {
					return columnar.PlaceAt(i, cols[at[k]].Path, err)
				}
			}
			if mem.End() {
				v = columnar.Vector{}
				r.Drop()
				mem.Reset()
			}
		}
	}
	return nil
}

func eachCSVVector(ctx context.Context, values *csv.Table, choose chooseVectors, take takeVector) error {
	at, kinds, err := choose(values.Columns, values.Rows)
	if err != nil {
		return err
	}
	mem := columnar.Unlimited()
	var v columnar.Vector
	for k, c := range at {
		for row := int64(0); row < values.Rows; row += int64(v.Len()) {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := values.Read(c, &v, mem, kinds[k], row, int(min(columnar.BatchRows, values.Rows-row)))
			if err == nil {
				err = take(k, &v, row)
			}
			if err != nil {
				return columnar.PlaceAt(0, values.Columns[c].Path, err)
			}
		}
	}
	return nil
}

func (c *IDColumn) add(v *columnar.Vector) {
	if v.Kind == columnar.Ints {
		c.Ints = append(c.Ints, v.Ints...)
		return
	}
	if len(c.Strings.Offsets) == 0 {
		c.Strings.Offsets = append(c.Strings.Offsets, 0)
	}
	base := int64(len(c.Strings.Data)) - v.Offsets[0]
	for _, end := range v.Offsets[1:] {
		c.Strings.Offsets = append(c.Strings.Offsets, base+end)
	}
	c.Strings.Data = append(c.Strings.Data, v.Data[v.Offsets[0]:v.Offsets[len(v.Offsets)-1]]...)
}

// EachID is arrow.IDs.
func EachID(ctx context.Context, t VertexTable, o Options, yield func(id string) error) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	if yield == nil {
		return errNoYield()
	}
	stats, where := o.Stats, o.Where
	o = o.ofVertices(&t)
	o.Where, o.Workers, o.Vertices = where, 1, &t
	if err := o.check(); err != nil {
		return err
	}
	t.orFirst = true
	o.Vertices = nil
	p, err := openPart(ctx, t.Paths, o)
	if err != nil {
		return err
	}
	p.settle(p.form)
	err = p.batches(ctx, func(s *slot) error {
		n := len(s.batch.Src)
		if s.batch.SrcStrings != nil {
			n = s.batch.SrcStrings.Len()
		}
		for i := range n {
			if err := yield(idText(s, i)); err != nil {
				return err
			}
		}
		return nil
	}, 0, p.rows())
	if stats != nil {
		*stats = p.Stats()
	}
	if err == nil && p.Stats().Rows == p.Stats().NullRows+p.Stats().RowsPassed+p.Stats().DeletedRows {
		return fmt.Errorf("%s: %w: there is no id", p.tables[0].Path, graph.ErrEmpty)
	}
	return err
}
