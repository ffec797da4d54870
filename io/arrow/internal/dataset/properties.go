// This file reads the properties of vertices, columns of the table of vertices
// that results carry, also as numbers to calculate with.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// ErrTwice: the table of vertices has properties of one vertex twice.
var ErrTwice = errors.New("a vertex is there twice")

// VertexProperties are columns of a table of vertices, by the vertices of a
// graph. Vertices that aren't in the table have nulls. It is immutable, safe for
// concurrent use, and takes 8 bytes for each value (12 and the bytes themselves
// for strings and binary, 1 for booleans) and a bit, of all vertices.
type VertexProperties struct {
	ids     *graph.IDs // of the graph that they were read for
	fields  []arrow.Field
	columns []propertyColumn
}

// propertyColumn is one column, by vertex.
type propertyColumn struct {
	class   columnar.Class
	bools   []bool
	ints    []int64
	doubles []float64
	refs    []blockRef // of strings
	blocks  [][]byte
	valid   []uint64 // a bit a vertex
}

// blockRef is where in the blocks a string is.
type blockRef struct{ block, off, len uint32 }

// Properties returns the properties that LoadProperties read last.
func (d *Dataset) Properties() *VertexProperties { return d.props }

// openProperties opens the table of vertices for its properties.
func (d *Dataset) openProperties(ctx context.Context) error {
	table := *d.o.Vertices
	table.properties = table.Properties
	for i, name := range table.Properties {
		if slices.Contains(table.Properties[:i], name) {
			return fmt.Errorf("arrow: %w: Options.Vertices.Properties names %q twice", graph.ErrOptions, name)
		}
	}
	p, err := openPart(ctx, table.Paths, d.o.ofVertices(&table))
	if err != nil {
		return err
	}
	if d.tables == nil { // else the table went with the others before
		if d.form, err = goesWith(p, d.form); err != nil {
			return err
		}
	}
	p.settle(d.form)
	d.propTable = p
	for _, t := range p.tables {
		cols := t.columns()
		for i, k := range t.choice.props {
			c := &cols[t.choice.picks[k].column]
			typ, ok := propertyType(c)
			if !ok {
				return input.InFile(t.Path, t.part(), atColumn(c.Path, noProperty(c)))
			}
			if t == p.tables[0] {
				d.propFields = append(d.propFields, propertyField(c.Path, typ, c))
				d.propClasses = append(d.propClasses, c.Class)
			} else if !arrow.TypeEqual(typ, d.propFields[i].Type) {
				return input.InFile(t.Path, t.part(), atColumn(c.Path, fmt.Errorf("%w: it is %v, but in %s it is %v; cast one of them",
					input.ErrColumnType, typ, p.tables[0].Path, d.propFields[i].Type)))
			}
		}
	}
	return nil
}

// propertyType returns the type of Arrow's that values of a column have.
func propertyType(c *columnar.Column) (arrow.DataType, bool) {
	switch c.Class {
	case columnar.Signed, columnar.Unsigned:
		return intType(c.ID), true
	case columnar.Float:
		if c.Single {
			return arrow.PrimitiveTypes.Float32, true
		}
		return arrow.PrimitiveTypes.Float64, true
	case columnar.Bool:
		return arrow.FixedWidthTypes.Boolean, true
	case columnar.Text:
		return arrow.BinaryTypes.String, true
	case columnar.Bytes:
		return arrow.BinaryTypes.Binary, true
	case columnar.UUID:
		return &arrow.FixedSizeBinaryType{ByteWidth: 16}, true
	case columnar.Time:
		if unit := columnar.UnitOf(columnar.UnitNames[c.Unit]); unit <= arrow.Millisecond {
			return &arrow.Time32Type{Unit: unit}, true
		} else {
			return &arrow.Time64Type{Unit: unit}, true
		}
	case columnar.Decimal:
		return &arrow.Decimal128Type{Precision: columnar.MaxDigits, Scale: int32(c.Scale)}, true
	case columnar.BigDecimal: // of which 64 bits hold all values, or loading fails
		return &arrow.Decimal128Type{Precision: columnar.MaxDigits + 1, Scale: int32(c.Scale)}, true
	case columnar.Date:
		if c.Unit == 0 {
			return arrow.PrimitiveTypes.Date32, true
		}
		return arrow.PrimitiveTypes.Date64, true
	case columnar.Timestamp:
		return &arrow.TimestampType{Unit: columnar.UnitOf(columnar.UnitNames[c.Unit]), TimeZone: c.Zone}, true
	}
	return nil, false
}

// propertyField is the field of a property, with what Arrow's extension type of UUIDs has.
func propertyField(name string, typ arrow.DataType, c *columnar.Column) arrow.Field {
	f := arrow.Field{Name: name, Type: typ, Nullable: true}
	if c.Class == columnar.UUID && c.IsUUID {
		f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.uuid", ""})
	}
	return f
}

func noProperty(c *columnar.Column) error {
	return fmt.Errorf("%w: properties are integers, floats, decimals, strings, binary, booleans, dates, times and timestamps, but it is %s; cast it", input.ErrColumnType, c.Type)
}

func intType(t graph.IDType) arrow.DataType {
	p := &arrow.PrimitiveTypes
	return [...]arrow.DataType{graph.Int64: p.Int64, graph.Int32: p.Int32, graph.Int16: p.Int16, graph.Int8: p.Int8,
		graph.Uint64: p.Uint64, graph.Uint32: p.Uint32, graph.Uint16: p.Uint16, graph.Uint8: p.Uint8}[t]
}

// IDs returns the ids of the graph that the properties are of.
func (p *VertexProperties) IDs() *graph.IDs { return p.ids }

// LoadProperties reads the properties of the vertices of a graph of the dataset.
func (d *Dataset) LoadProperties(ctx context.Context, g *graph.Graph) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	if d.propTable == nil {
		return nil
	}
	release, err := g.Hold()
	if err != nil {
		return fmt.Errorf("properties of vertices: %w", err)
	}
	defer release()
	hint := "was the table changed?"
	if d.tables == nil {
		hint = "set VertexTable.SkipUnknown to leave such rows out; or build the graph with Options.Vertices, which adds all of the table"
	}
	l := &propertyLoad{ctx: ctx, ids: g.IDs(), hint: hint, skip: d.o.Vertices.SkipUnknown, side: d.o.Vertices.Side, seen: make([]uint64, (g.NumVertices()+63)/64),
		p: &VertexProperties{ids: g.IDs(), fields: d.propFields}}
	n := g.NumVertices()
	for _, class := range d.propClasses {
		l.p.columns = append(l.p.columns, newPropertyColumn(class, n))
	}
	err = d.propTable.batches(ctx, l.take, 0, d.propTable.rows())
	d.propTable.stats.UnknownRows = l.skipped.Load()
	if err != nil {
		return fmt.Errorf("properties of vertices: %w", err)
	}
	d.props = l.p
	return nil
}

// PropertiesOf is arrow.Dataset.Properties, with what was read for them.
func (d *Dataset) PropertiesOf(ctx context.Context, g *graph.Graph) (_ *VertexProperties, _ Stats, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, Stats{}, err
	}
	if d == nil || d.propTable == nil {
		return nil, Stats{}, nil
	}
	if d.props == nil || g == nil || d.props.ids != g.IDs() {
		if err := d.LoadProperties(ctx, g); err != nil {
			return nil, Stats{}, err
		}
	}
	return d.shownProperties(), d.propTable.Stats(), nil
}

// LoadVertexProperties is arrow.LoadProperties.
func LoadVertexProperties(ctx context.Context, g *graph.Graph, t VertexTable, o Options) (_ *VertexProperties, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	stats := o.Stats
	o = o.ofVertices(nil)
	o.Vertices = &t
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(t.Properties) == 0 {
		return nil, fmt.Errorf("arrow: %w: VertexTable.Properties is empty; name columns", graph.ErrOptions)
	}
	release, err := g.Hold()
	if err != nil {
		return nil, fmt.Errorf("properties of vertices: %w", err)
	}
	defer release()
	d := &Dataset{o: o, form: columnar.FormOfIDs(g.IDs())}
	if err := d.openProperties(ctx); err != nil {
		return nil, fmt.Errorf("properties of vertices: %w", err)
	}
	err = d.LoadProperties(ctx, g)
	if stats != nil {
		*stats = d.propTable.Stats()
	}
	return d.props, err
}

// goesWith returns what ids of a table are read as to be looked up among ids of
// another form. Those of integers may be of any width; keys of other forms are
// the same bytes only if the forms are the same.
func goesWith(p *Dataset, form logical.Type) (logical.Type, error) {
	both, ok := columnar.CommonForm(form, p.form)
	if t := p.tables[0]; !ok || both.String() != form.String() && !(form.Kind == logical.Plain && columnar.BaseOf(form).Integer()) {
		return form, input.InFile(t.Path, t.part(), atColumn(t.choice.picks[0].path, fmt.Errorf("%w: it is %v, but ids of the graph are %v; %s",
			input.ErrColumnType, t.choice.own, form, columnar.TypesThatMix)))
	}
	return both, nil
}

// newPropertyColumn makes a column of nulls for n vertices.
func newPropertyColumn(class columnar.Class, n int) propertyColumn {
	c := propertyColumn{class: class, valid: make([]uint64, (n+63)/64)}
	switch {
	case class == columnar.Bool:
		c.bools = make([]bool, n)
	case class.Kind() == columnar.Ints, class == columnar.BigDecimal:
		c.ints = make([]int64, n)
	case class.Kind() == columnar.Numbers:
		c.doubles = make([]float64, n)
	default:
		c.refs = make([]blockRef, n)
	}
	return c
}

// propertyLoad is a run of LoadProperties.
type propertyLoad struct {
	ctx  context.Context
	ids  *graph.IDs
	hint string // what to do about a vertex that isn't in the graph
	skip bool   // leave such vertices out instead
	side graph.Side
	seen []uint64
	mu   sync.Mutex // guards the lists of blocks
	p    *VertexProperties

	skipped atomic.Int64 // rows
}

// idText returns the i-th id of a batch as graph.IDs.Format has it.
func idText(s *slot, i int) string {
	m := graph.IDs{Type: s.batch.Type, Logical: s.batch.Logical, Len: 1}
	if b := s.batch.SrcStrings; b != nil {
		m.Type, m.Data = graph.String, b.Value(i)
		if b.Binary {
			m.Type = graph.Binary
		}
		m.StringOffsets = []uint64{0, uint64(len(m.Data))}
	} else {
		m.Ints = s.batch.Src[i : i+1]
	}
	return m.Format(0)
}

// setBit sets a bit and reports whether it was set.
func setBit(words []uint64, i uint32) bool {
	bit := uint64(1) << (i % 64)
	return atomic.OrUint64(&words[i/64], bit)&bit != 0
}

// take keeps the properties of a batch. Calls come from several goroutines.
func (l *propertyLoad) take(s *slot) error {
	n := len(s.batch.Src)
	if s.batch.SrcStrings != nil {
		n = s.batch.SrcStrings.Len()
	}
	vertices := make([]uint32, 0, n)
	if l.skip {
		s.resetKeep(n)
	}
	for i := range n {
		if i%lookRows == 0 && l.ctx.Err() != nil { // as ids are sought in all of the graph's
			return l.ctx.Err()
		}
		var v uint32
		var ok bool
		if s.batch.SrcStrings != nil {
			v, ok = l.ids.FindBytes(l.side, s.batch.SrcStrings.Value(i))
		} else {
			v, ok = l.ids.FindInt(l.side, s.batch.Src[i])
		}
		if !ok && l.skip {
			s.keep[i] = false
			continue
		}
		if !ok {
			return fmt.Errorf("%w: %s is in the table; %s", graph.ErrNoVertex, idText(s, i), l.hint)
		}
		if setBit(l.seen, v) {
			return fmt.Errorf("%w: %s; leave one of the rows out", ErrTwice, l.ids.Format(v))
		}
		vertices = append(vertices, v)
	}
	if skipped := n - len(vertices); skipped > 0 {
		l.skipped.Add(int64(skipped))
		for _, k := range s.props {
			s.cols[k].Compact(s.keep)
			compactValid(&s.cols[k], s.keep)
		}
	}
	for i := range l.p.columns {
		if err := l.column(&l.p.columns[i], &s.cols[s.props[i]], vertices); err != nil {
			return atColumn(l.p.fields[i].Name, err)
		}
	}
	return nil
}

func (l *propertyLoad) column(c *propertyColumn, from *columnar.Vector, vertices []uint32) error {
	block, start := uint32(0), int64(0)
	if c.refs != nil && len(vertices) > 0 {
		start = from.Offsets[0]
		data := slices.Clone(from.Data[start:from.Offsets[len(vertices)]])
		l.mu.Lock()
		block = uint32(len(c.blocks))
		c.blocks = append(c.blocks, data)
		l.mu.Unlock()
	}
	for i, v := range vertices {
		if from.Nulls > 0 && !from.Valid[i] {
			continue
		}
		setBit(c.valid, v)
		switch {
		case c.bools != nil:
			c.bools[v] = from.Ints[i] != 0
		case c.class == columnar.BigDecimal:
			x, ok := int64Of(from.Data[from.Offsets[i]:from.Offsets[i+1]])
			if !ok {
				return errBigDecimal()
			}
			c.ints[v] = x
		case c.class == columnar.Decimal && (from.Ints[i] >= maxDecimal18 || from.Ints[i] <= -maxDecimal18):
			return columnar.Corrupt("a decimal of more than %d digits", columnar.MaxDigits)
		case c.ints != nil:
			c.ints[v] = from.Ints[i]
		case c.doubles != nil:
			c.doubles[v] = from.Doubles[i]
		default:
			c.refs[v] = blockRef{block, uint32(from.Offsets[i] - start), uint32(from.Offsets[i+1] - from.Offsets[i])}
		}
	}
	return nil
}

// Numbers is arrow.Properties.Numbers.
func (p *VertexProperties) Numbers(name string, none float64) ([]float64, error) {
	i := slices.IndexFunc(p.fields, func(f arrow.Field) bool { return f.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("arrow: %w: there is no property %q", graph.ErrOptions, name)
	}
	c, t := &p.columns[i], p.fields[i].Type.ID()
	value := func(v int) float64 { return float64(c.ints[v]) }
	switch {
	case arrow.IsFloating(t):
		value = func(v int) float64 { return c.doubles[v] }
	case arrow.IsUnsignedInteger(t):
		value = func(v int) float64 { return float64(uint64(c.ints[v])) }
	case !arrow.IsSignedInteger(t):
		return nil, fmt.Errorf("%w: property %q is %v; want integers or floats", input.ErrColumnType, name, p.fields[i].Type)
	}
	a := make([]float64, p.ids.Len)
	for v := range a {
		if a[v] = none; c.valid[v/64]>>(v%64)&1 != 0 {
			a[v] = value(v)
		}
	}
	return a, nil
}
