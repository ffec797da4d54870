// This file holds how a function reads its table.

package duckdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/graph"
)

// edges is the table of edges of a call.
type edges struct {
	connector *duckdb.Connector
	table     string // quoted
	columns   []string
	types     []duckdb.Type // that the columns are cast to: BIGINT, VARCHAR or DOUBLE
	skipNulls bool
}

// batchRows is the number of rows that are passed to the builder at once.
const batchRows = 1 << 16

// describe finds the types of the columns.
func (e *edges) describe(ctx context.Context) error {
	var list []string
	for _, c := range e.columns {
		if strings.Contains(c, "\x00") {
			return fmt.Errorf("%w: the name of a column contains a zero byte", graph.ErrOptions)
		}
		list = append(list, quoted(c))
	}
	e.types = nil
	return e.query(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+e.table+" LIMIT 0", func(rows driver.Rows) error {
		typed := rows.(driver.RowsColumnTypeDatabaseTypeName)
		for i, c := range e.columns {
			name := typed.ColumnTypeDatabaseTypeName(i)
			t, ok := castTo(name, i == 2)
			if !ok && i == 2 {
				return fmt.Errorf("%w: the column %q is of type %s; a weight is a number: cast it in a view", graph.ErrWeights, c, name)
			}
			if !ok {
				return fmt.Errorf("%w: the column %q is of type %s; ids are integers of up to 64 bits, VARCHAR, ENUM or UUID: cast it in a view", graph.ErrIDType, c, name)
			}
			e.types = append(e.types, t)
		}
		if e.types[0] != e.types[1] {
			return fmt.Errorf("%w: the ids of %q are integers and those of %q strings, or the other way round; cast one of them in a view",
				graph.ErrIDType, e.columns[0], e.columns[1])
		}
		return nil
	})
}

// castTo returns the type that a column of ids or weights is read as.
func castTo(name string, weight bool) (duckdb.Type, bool) {
	switch base, _, _ := strings.Cut(name, "("); {
	case base == "TINYINT", base == "SMALLINT", base == "INTEGER", base == "BIGINT",
		base == "UTINYINT", base == "USMALLINT", base == "UINTEGER", base == "UBIGINT":
		return duckdb.TYPE_BIGINT, true
	case weight && (base == "FLOAT" || base == "DOUBLE" || base == "DECIMAL" || base == "HUGEINT" || base == "UHUGEINT"):
		return duckdb.TYPE_DOUBLE, true
	case !weight && (base == "VARCHAR" || base == "ENUM" || base == "UUID"):
		return duckdb.TYPE_VARCHAR, true
	}
	return duckdb.TYPE_INVALID, false
}

// sqlNames has the names of the types that columns are cast to.
var sqlNames = map[duckdb.Type]string{duckdb.TYPE_BIGINT: "BIGINT", duckdb.TYPE_DOUBLE: "DOUBLE", duckdb.TYPE_VARCHAR: "VARCHAR"}

// sql is the query for the edges.
func (e *edges) sql() string {
	var list, filled []string
	for i, c := range e.columns {
		list = append(list, "CAST("+quoted(c)+" AS "+sqlNames[e.types[i]]+")")
		filled = append(filled, quoted(c)+" IS NOT NULL")
	}
	text := "SELECT " + strings.Join(list, ", ") + " FROM " + e.table
	if e.skipNulls {
		text += " WHERE " + strings.Join(filled, " AND ")
	}
	return text
}

// graph reads the table and builds the graph. The error is graph.ErrEmpty if there are no rows.
func (e *edges) graph(ctx context.Context, o graph.Options) (*graph.Graph, error) {
	b := graph.NewBuilder(o)
	defer b.Close()
	if err := e.query(ctx, e.sql(), func(rows driver.Rows) error { return e.add(ctx, b, rows) }); err != nil {
		return nil, err
	}
	return b.Build(ctx)
}

// add passes all rows to the builder.
func (e *edges) add(ctx context.Context, b *graph.Builder, rows driver.Rows) error {
	var batch batch
	row := make([]driver.Value, len(e.columns))
	for {
		err := rows.Next(row)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || batch.rows == batchRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := batch.flush(b); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		for i, x := range row {
			if x == nil {
				return fmt.Errorf("%w: the column %q of %s has NULLs; leave them out in a view, or set Options.SkipNulls",
					graph.ErrOptions, e.columns[i], e.table)
			}
			batch.append(i, x)
		}
		batch.rows++
	}
}

// batch collects rows.
type batch struct {
	rows   int
	ints   [2][]int64
	texts  [2]graph.Strings
	whole  []int64
	floats []float64
}

// append adds a value to a column: the source, the target or the weight.
func (t *batch) append(column int, x driver.Value) {
	switch x := x.(type) {
	case int64:
		if column == 2 {
			t.whole = append(t.whole, x)
		} else {
			t.ints[column] = append(t.ints[column], x)
		}
	case float64:
		t.floats = append(t.floats, x)
	case string:
		s := &t.texts[column]
		if len(s.Offsets) == 0 {
			s.Offsets = append(s.Offsets, 0)
		}
		s.Data = append(s.Data, x...)
		s.Offsets = append(s.Offsets, int64(len(s.Data)))
	}
}

// flush passes the rows to the builder.
func (t *batch) flush(b *graph.Builder) error {
	if t.rows == 0 {
		return nil
	}
	batch := graph.Batch{Type: graph.Int64, Src: t.ints[0], Dst: t.ints[1], IntWeights: t.whole, FloatWeights: t.floats}
	if len(t.texts[0].Offsets) > 0 {
		batch.SrcStrings, batch.DstStrings = &t.texts[0], &t.texts[1]
	}
	err := b.Add(batch)
	t.rows, t.whole, t.floats = 0, t.whole[:0], t.floats[:0]
	for i := range 2 {
		t.ints[i] = t.ints[i][:0]
		t.texts[i].Offsets, t.texts[i].Data = t.texts[i].Offsets[:0], t.texts[i].Data[:0]
	}
	return err
}

// query runs a query on a new connection: the caller's is busy with the call.
func (e *edges) query(ctx context.Context, text string, use func(driver.Rows) error) (err error) {
	conn, err := e.connector.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	rows, err := conn.(driver.QueryerContext).QueryContext(ctx, text, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return use(rows)
}
