package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Options configure the functions.
type Options struct {
	// Prefix begins the names of the functions; "" means "foray_". Register several sets of
	// functions under several prefixes, as for directed and undirected graphs.
	Prefix string
	// Device runs the algorithms; nil means the host. It must stay open as long as the database.
	Device device.Device
	// Graph configures the graphs: Directed, KeepSelfLoops, Workers, MemoryLimit and others. A function
	// sets Reverse, Weights and KeepSelfLoops if its algorithm needs them.
	Graph graph.Options
	// SkipNulls leaves out rows that lack an id or a weight. By default they are an error.
	SkipNulls bool
}

// Register adds the functions to the connector's database, for all its connections. The error is
// graph.ErrOptions for wrong options, and for a name that a table function has, or DuckDB's.
func Register(ctx context.Context, c *duckdb.Connector, o Options) error {
	if ctx == nil || c == nil {
		return fmt.Errorf("duckdb: %w: the context or the connector is nil", graph.ErrOptions)
	}
	if err := o.Graph.Check(); err != nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	if o.Graph.EdgeIDs {
		return fmt.Errorf("duckdb: %w: Graph.EdgeIDs is set, but the functions read no ids of edges", graph.ErrOptions)
	}
	if o.Prefix == "" {
		o.Prefix = "foray_"
	}
	db := sql.OpenDB(unowned{c})
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	defer conn.Close()
	for _, f := range functions {
		if err := free(ctx, conn, o.Prefix+f.name); err != nil {
			return err
		}
		if err := f.register(conn, c, o); err != nil {
			return fmt.Errorf("duckdb: %s%s: %w", o.Prefix, f.name, err)
		}
	}
	return nil
}

// free returns an error for a name that a table function has: DuckDB would keep that one, without an error.
func free(ctx context.Context, conn *sql.Conn, name string) error {
	var n int
	const count = "SELECT count(*) FROM duckdb_functions() WHERE function_type = 'table' AND lower(function_name) = lower(?)"
	if err := conn.QueryRowContext(ctx, count, name).Scan(&n); err != nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	if n > 0 {
		return fmt.Errorf("duckdb: %w: there is a table function %s; set Options.Prefix", graph.ErrOptions, name)
	}
	return nil
}

// unowned is a connector that sql.DB.Close leaves open: it hides the method Close.
type unowned struct{ driver.Connector }

// register adds the function to a database.
func (f *function) register(conn *sql.Conn, c *duckdb.Connector, o Options) error {
	// DuckDB doesn't cast a number to VARCHAR for an argument. ANY takes ids of all types.
	info, err := duckdb.NewTypeInfo(duckdb.TYPE_ANY)
	if err != nil {
		return err
	}
	types := slices.Repeat([]duckdb.TypeInfo{info}, f.arguments())
	return duckdb.RegisterTableUDF(conn, o.Prefix+f.name, duckdb.ParallelChunkTableFunction{
		Config: duckdb.TableFunctionConfig{Arguments: types},
		BindArgumentsContext: func(ctx context.Context, _ map[string]any, args ...any) (duckdb.ParallelChunkTableSource, error) {
			call, err := newCall(ctx, f, c, o, args)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", o.Prefix, f.name, err)
			}
			return call, nil
		},
	})
}
