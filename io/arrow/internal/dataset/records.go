// This file reads edges from Arrow records that are in memory.

package dataset

import (
	"context"
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// recordsName stands where a FileError has the path of a file.
const recordsName = "records"

// LoadRecords is arrow.LoadRecords.
func LoadRecords(ctx context.Context, r array.RecordReader, o Options) (_ *graph.Graph, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if o.TwoPass {
		return nil, fmt.Errorf("arrow: %w: records can be read only once; clear Options.TwoPass", input.ErrUnsupported)
	}
	var b *graph.Builder
	defer func() {
		if b != nil {
			b.Close()
		}
	}()
	var mu sync.Mutex // several goroutines read the table of vertices
	builder := func(first graph.Batch) *graph.Builder {
		mu.Lock()
		defer mu.Unlock()
		if b == nil {
			b = newBuilder(o.Graph, first)
		}
		return b
	}
	stats, err := eachRecord(ctx, r, o, builder, func(e graph.Batch) error {
		return builder(e).Add(e)
	})
	if o.Stats != nil {
		*o.Stats = stats
	}
	if err != nil {
		return nil, err
	}
	if b == nil {
		b = graph.NewBuilder(o.Graph)
	}
	return b.Build(ctx)
}

// openBeside opens the table of vertices of edges that are records, with the form of all ids together.
func openBeside(ctx context.Context, o *Options, c *choice) (*Dataset, error) {
	if len(o.VertexColumns) > 0 {
		return nil, fmt.Errorf("arrow: %w: Options.VertexColumns with records; call LoadProperties and Graph.AddVertexColumns", graph.ErrOptions)
	}
	if o.Vertices == nil {
		return nil, nil
	}
	if len(o.Vertices.Properties) > 0 {
		return nil, fmt.Errorf("arrow: %w: Options.Vertices.Properties with records; call LoadProperties", graph.ErrOptions)
	}
	edges := &Dataset{o: *o, form: c.own, tables: []*table{{Origin: input.Origin{Path: recordsName}}}}
	if err := edges.openVertices(ctx); err != nil {
		return nil, err
	}
	vertices := edges.more[0]
	c.read(edges.form)
	vertices.settle(edges.form)
	return vertices, nil
}

// newBuilder returns a builder for batches like e.
func newBuilder(o graph.Options, e graph.Batch) *graph.Builder {
	o.Weights = o.Weights || e.Weighted()
	o.EdgeIDs = o.EdgeIDs || e.EdgeIDs != nil
	return graph.NewBuilder(o)
}

func errNoYield() error {
	return fmt.Errorf("arrow: %w: yield is nil; give a function that takes the batches", graph.ErrOptions)
}

// eachRecord reads the records that r gives and calls yield with batches of their edges, except for integers that
// builder, if not nil, can take from where they are. Several goroutines call yield with batches of Options.Vertices.
func eachRecord(ctx context.Context, r array.RecordReader, o Options,
	builder func(graph.Batch) *graph.Builder, yield func(graph.Batch) error) (Stats, error) {
	var stats Stats
	if err := o.check(); err != nil {
		return stats, err
	}
	if input.IsNil(r) {
		return stats, fmt.Errorf("arrow: %w: there is no reader of records (nil)", graph.ErrOptions)
	}
	cols, paths := recordColumns(r.Schema())
	c, err := choose(cols, &o)
	if err != nil {
		return stats, input.InFile(recordsName, "", err)
	}
	for _, k := range c.kinds {
		if k != nil && k.column != "" {
			return stats, input.InFile(recordsName, "", atColumn(k.column, columnar.Unsupported("kinds that a column names have to be known before, and records can be had only once; name the kind itself, COLUMN:KIND")))
		}
	}
	condition, err := parseWhere(o.Where)
	if err != nil {
		return stats, err
	}
	filter, err := c.addWhere(cols, condition)
	if err != nil {
		return stats, input.InFile(recordsName, "", err)
	}
	vertices, err := openBeside(ctx, &o, &c)
	if err != nil {
		return stats, err
	}
	s := &slot{}
	s.size(len(c.picks))
	var compared []*columnar.Vector
	for _, k := range c.where {
		compared = append(compared, &s.cols[k])
	}
	mem := columnar.Unlimited()
	for r.Next() {
		rec := r.Record()
		for at := int64(0); at < rec.NumRows(); {
			if err := input.Stopped(ctx); err != nil {
				return stats, err
			}
			place := func(k int, row int64, err error) error {
				f := &input.FileError{Path: recordsName, Part: "record batch", Block: stats.RowGroups, Row: row, Err: err}
				if k >= 0 {
					f.Column = c.picks[k].path
				}
				return f
			}
			rows := int(min(columnar.BatchRows, rec.NumRows()-at))
			if builder != nil && filter == nil && !o.Graph.EdgeIDs && o.EdgeID == "" && len(c.columns) == 0 {
				done, err := addDirectly(builder, rec, &c, paths, int(at), rows)
				if err != nil {
					return stats, err
				}
				if done {
					at += int64(rows)
					stats.Rows += int64(rows)
					if o.Progress != nil {
						o.Progress(graph.Progress{Phase: ReadRows, Done: uint64(stats.Rows)})
					}
					continue
				}
			}
			for k, p := range c.picks {
				err := columnar.Guard(func() error {
					return readArray(&s.cols[k], mem, p.kind, rec, paths[p.column], int(at), rows)
				})
				if err != nil {
					return stats, place(k, -1, err)
				}
				rows = min(rows, s.cols[k].Len())
			}
			if rows == 0 {
				return stats, place(0, at, columnar.Corrupt("values are missing"))
			}
			var keep []bool
			if filter != nil {
				keep, _ = filter.Rows(compared, rows)
			}
			s.first = stats.Rows
			if k, row, err := s.pack(&c, rows, keep, o.SkipNulls); err != nil {
				if row >= 0 {
					row += int(at)
				}
				return stats, place(k, int64(row), err)
			}
			at += int64(rows)
			stats.Rows += int64(rows)
			stats.NullRows += int64(s.skipped)
			stats.RowsPassed += int64(s.dropped)
			if rows > s.skipped+s.dropped {
				if err := yield(s.batch); err != nil {
					return stats, err
				}
			}
			if o.Progress != nil {
				o.Progress(graph.Progress{Phase: ReadRows, Done: uint64(stats.Rows)})
			}
		}
		stats.RowGroups++
	}
	if err := r.Err(); err != nil {
		return stats, input.InFile(recordsName, "", err)
	}
	if vertices != nil {
		if err := vertices.Batches(ctx, yield); err != nil {
			return stats, err
		}
		more := vertices.Stats()
		stats.add(&more)
	}
	return stats, input.Stopped(ctx)
}

// recordColumns describes the columns of a schema, with the way through
// structs to each.
func recordColumns(schema *arrow.Schema) (cols []columnar.Column, paths [][]int) {
	var walk func(f arrow.Field, prefix string, nullable bool, way []int)
	walk = func(f arrow.Field, prefix string, nullable bool, way []int) {
		name := prefix + f.Name
		nullable = nullable || f.Nullable
		if st, ok := f.Type.(*arrow.StructType); ok {
			for i, child := range st.Fields() {
				walk(child, name+".", nullable, append(way[:len(way):len(way)], i))
			}
			return
		}
		c := columnar.Column{Path: name, Type: f.Type.String(), Nullable: nullable}
		called, _ := f.Metadata.GetValue("ARROW:extension:name")
		describeType(&c, f.Type, called == "arrow.uuid")
		cols, paths = append(cols, c), append(paths, way)
	}
	for i, f := range schema.Fields() {
		walk(f, "", false, []int{i})
	}
	return cols, paths
}

// describeType describes what can be read from a column of a type. uuid reports that
// the column is called one.
func describeType(c *columnar.Column, t arrow.DataType, uuid bool) {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	if d, ok := t.(arrow.DecimalType); ok && d.GetScale() == 0 {
		c.Digits = int(d.GetPrecision())
	}
	integer := func(id graph.IDType) {
		c.IsID, c.ID, c.Numeric, c.Class = true, id, true, columnar.Unsigned
		if id.Signed() {
			c.Class = columnar.Signed
		}
	}
	switch t.ID() {
	case arrow.INT8:
		integer(graph.Int8)
	case arrow.INT16:
		integer(graph.Int16)
	case arrow.INT32:
		integer(graph.Int32)
	case arrow.INT64:
		integer(graph.Int64)
	case arrow.UINT8:
		integer(graph.Uint8)
	case arrow.UINT16:
		integer(graph.Uint16)
	case arrow.UINT32:
		integer(graph.Uint32)
	case arrow.UINT64:
		integer(graph.Uint64)
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		c.IsID, c.ID, c.Class = true, graph.String, columnar.Text
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		c.IsID, c.ID, c.Class = true, graph.Binary, columnar.Bytes
		if f, ok := t.(*arrow.FixedSizeBinaryType); ok {
			c.Width, c.IsUUID = f.ByteWidth, uuid && f.ByteWidth == 16
			if f.ByteWidth == 16 {
				c.Class = columnar.UUID
			}
		}
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		c.Numeric, c.Class, c.Single = true, columnar.Float, t.ID() != arrow.FLOAT64
	case arrow.DECIMAL128, arrow.DECIMAL256:
		c.Numeric = true
		if d, ok := t.(arrow.DecimalType); ok && max(d.GetScale(), -d.GetScale()) <= columnar.MaxScale {
			if c.Class, c.Scale = columnar.BigDecimal, int(d.GetScale()); d.GetPrecision() <= columnar.MaxDigits {
				c.Class = columnar.Decimal
			}
		}
	case arrow.BOOL:
		c.Class = columnar.Bool
	case arrow.DATE32:
		c.Class = columnar.Date
	case arrow.DATE64:
		c.Class, c.Unit = columnar.Date, 1e3
	case arrow.TIME32:
		c.Class, c.Unit = columnar.Time, perSecond(t.(*arrow.Time32Type).Unit)
	case arrow.TIME64:
		c.Class, c.Unit = columnar.Time, perSecond(t.(*arrow.Time64Type).Unit)
	case arrow.TIMESTAMP:
		ts := t.(*arrow.TimestampType)
		c.Class, c.Unit, c.UTC = columnar.Timestamp, perSecond(ts.Unit), ts.TimeZone != ""
		c.Zone = ts.TimeZone
	}
}

// perSecond returns how many of a unit make a second.
func perSecond(u arrow.TimeUnit) int64 { return [...]int64{1, 1e3, 1e6, 1e9}[u&3] }
