// Package duckdb makes graph algorithms table functions of DuckDB, in Go programs that open DuckDB by
// github.com/duckdb/duckdb-go:
//
//	connector, err := duckdb.NewConnector("follows.db", nil) // of duckdb-go
//	db := sql.OpenDB(connector)
//	err = foray.Register(ctx, connector, foray.Options{}) // this package
//	rows, err := db.QueryContext(ctx, "SELECT * FROM foray_pagerank('edges', 'src', 'dst')")
//
// All connections to the database then have these functions. Every call reads the table, builds a graph,
// and runs the algorithm:
//
//	foray_bfs(table, source column, target column, source)           vertex, depth
//	foray_sssp(table, source column, target column, weight, source)  vertex, distance
//	foray_cc(table, source column, target column)                    vertex, component
//	foray_pagerank(table, source column, target column)              vertex, rank
//	foray_lpa(table, source column, target column)                   vertex, label
//	foray_louvain(table, source column, target column)               vertex, community
//	foray_leiden(table, source column, target column)                vertex, community, each of which is connected
//	foray_degree(table, source column, target column)                vertex, degree, centrality
//	foray_eigenvector(table, source column, target column)           vertex, centrality
//	foray_hits(table, source column, target column)                  vertex, hub, authority
//	foray_katz(table, source column, target column)                  vertex, centrality
//	foray_mis(table, source column, target column)                   vertex, member: 1 or 0
//	foray_color(table, source column, target column)                 vertex, color
//	foray_topo(table, source column, target column)                  vertex, level; edges are directed
//	foray_msf(table, source column, target column, weight)           src, dst, weight, tree: edges of the forest
//	foray_bridges(table, source column, target column)               src, dst, component, bridge: 1 or 0
//	foray_ktruss(table, source column, target column)                src, dst, trussness
//	foray_spanning(table, source column, target column)              src, dst, tree: edges of the forest
//	foray_kcore(table, source column, target column)                 vertex, core
//	foray_triangles(table, source column, target column)             vertex, triangles, coefficient
//	foray_closeness(table, source column, target column)             vertex, closeness, harmonic, eccentricity
//	foray_bc(table, source column, target column, samples)           vertex, betweenness
//	foray_bc_edges(table, source column, target column, samples)     src, dst, betweenness
//	foray_similar(table, source column, target column, most)         vertex, neighbor, score: the most similar ones of each
//	foray_walks(table, source column, target column, steps)          walk, step, vertex: a random walk from each vertex
//	foray_paths(table, source column, target column, source, target) path, step, vertex: all paths of the fewest edges
//
// # Arguments
//
// The table is a table or view: edges, schema.edges or database.schema.edges. A part with dots or double
// quotes stands in double quotes, as in SQL: '"my.table"'. Columns are names as they are, without quotes.
// All names are quoted before they become SQL, so an argument can't be a query. DuckDB reads a name that is no
// table as a file, as after FROM: '"edges.csv"'. Set enable_external_access to false if names come from users. The weight is a column of
// numbers. The source is the id of a vertex. The number of samples of foray_bc is 0 for exact scores.
//
// No argument may be NULL: duckdb-go (up to version 2.10504) ends the process then, before this package
// sees it. Check the parameters of prepared statements.
//
// Ids are integers, which the result has as BIGINT, or VARCHAR, ENUM or UUID, which it has as VARCHAR. Cast
// other ids in a view. Vertices that a search doesn't reach have NULL. A table without rows has no vertices.
//
// # What a call sees
//
// A function reads the table through another connection. It sees committed rows, not those of the
// caller's open transaction; neither temporary tables nor the caller's search path.
//
// The context of the query ends it. A prepared statement keeps the context of PrepareContext for calls
// without parameters.
//
// The package is a separate module: it needs cgo, and DuckDB's library, which duckdb-go brings along. See
// docs/duckdb.md for DuckDB's command line, which exchanges Parquet files with foray instead.
package duckdb
