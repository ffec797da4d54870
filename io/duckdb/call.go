// This file holds calls of a function.

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// call is a call in a query: a function with its arguments. DuckDB may execute it several times.
type call struct {
	ctx   context.Context
	f     *function
	o     Options
	edges edges
	last  string
}

// mostAtOnce is how many calls are checked at once at most. A view that reads itself by a function would be checked
// without end, each time on a new connection, until the thread's stack is full.
const mostAtOnce = 64

var atOnce atomic.Int32

// newCall checks the arguments.
func newCall(ctx context.Context, f *function, c *duckdb.Connector, o Options, args []any) (*call, error) {
	defer atOnce.Add(-1)
	if atOnce.Add(1) > mostAtOnce {
		return nil, fmt.Errorf("%w: more than %d calls at once; does a view read itself by this function?", graph.ErrOptions, mostAtOnce)
	}
	l := &call{ctx: ctx, f: f, o: o}
	for i, a := range args {
		text, is := a.(string)
		switch {
		case i == f.names(): // an id of any type, or a number
			l.last = fmt.Sprint(a)
		case i > f.names():
			l.last += "\x00" + fmt.Sprint(a)
		case !is:
			return nil, fmt.Errorf("%w: argument %d is %v; want a name in single quotes", graph.ErrOptions, i+1, a)
		case i > 0:
			l.edges.columns = append(l.edges.columns, text)
		default:
			table, err := tableName(text)
			if err != nil {
				return nil, err
			}
			l.edges.table = table
		}
	}
	l.edges.connector, l.edges.skipNulls = c, o.SkipNulls
	return l, l.edges.describe(ctx)
}

// ColumnInfos implements duckdb.ParallelChunkTableSource.
func (l *call) ColumnInfos() []duckdb.ColumnInfo {
	var infos []duckdb.ColumnInfo
	first := []column{{"vertex", ofIDs}}
	if l.f.table {
		first = nil
	}
	if l.f.edges {
		first = []column{{"src", ofIDs}, {"dst", ofIDs}}
	}
	for _, c := range append(first, l.f.columns...) {
		t := c.typ
		switch c.typ {
		case ofIDs:
			t = l.edges.types[0]
		case ofWeights:
			t = l.distances()
		}
		info, err := duckdb.NewTypeInfo(t)
		if err != nil { // a nil type, which DuckDB refuses
			info = nil
		}
		infos = append(infos, duckdb.ColumnInfo{Name: c.name, T: info})
	}
	return infos
}

// distances returns the type of distances: that of the weights.
func (l *call) distances() duckdb.Type {
	switch l.o.Graph.WeightType {
	case graph.WeightsAuto:
		return l.edges.types[2]
	case graph.WeightsInt64:
		return duckdb.TYPE_BIGINT
	}
	return duckdb.TYPE_DOUBLE
}

// Cardinality implements duckdb.ParallelChunkTableSource: the number of vertices isn't known yet.
func (*call) Cardinality() *duckdb.CardinalityInfo { return nil }

// Init implements duckdb.ParallelChunkTableSource: one thread asks for rows. The algorithm uses more.
func (*call) Init() duckdb.ParallelTableSourceInfo {
	return duckdb.ParallelTableSourceInfo{MaxThreads: 1}
}

// NewLocalState implements duckdb.ParallelChunkTableSource: the state of an execution.
func (*call) NewLocalState() any { return &execution{} }

// execution is what a call found, and which rows DuckDB has.
type execution struct {
	ran     bool
	rows    int // vertices, edges, or those of a table
	columns []values
	next    int
}

// FillChunk implements duckdb.ParallelChunkTableSource: it passes on the next rows. The first call runs the
// algorithm.
func (l *call) FillChunk(state any, chunk duckdb.DataChunk) error {
	x := state.(*execution)
	if !x.ran {
		x.ran = true
		if err := l.execute(x); err != nil {
			return fmt.Errorf("%s%s: %w", l.o.Prefix, l.f.name, err)
		}
	}
	n := min(duckdb.GetDataChunkCapacity(), x.rows-x.next)
	for col, c := range x.columns {
		for row := range n {
			if err := c.set(&chunk, col, row, x.next+row); err != nil {
				return err
			}
		}
	}
	x.next += n
	return chunk.SetSize(n)
}

// execute reads the table, builds the graph and runs the algorithm.
func (l *call) execute(x *execution) (err error) {
	o := l.o.Graph
	l.f.needs(&o)
	g, err := l.edges.graph(l.ctx, o)
	if errors.Is(err, graph.ErrEmpty) && l.f.last != source && l.f.last != pair {
		return nil
	}
	if err != nil {
		return err
	}
	dev := l.o.Device
	if dev == nil {
		dev = host.New(0)
		defer dev.Close()
	}
	p, err := g.On(dev)
	if err != nil {
		return errors.Join(err, g.Close())
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	columns, err := l.f.run(l.ctx, p, l.last)
	if err != nil {
		return err
	}
	if l.f.edges || l.f.table {
		x.rows, x.columns = columns[0].len(), columns
		return nil
	}
	x.rows, x.columns = g.NumVertices(), append([]values{ids{of: g.IDs()}}, columns...)
	return nil
}
