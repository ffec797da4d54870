// This program keeps a table of followers in DuckDB, and asks how far all users
// are from one of them: Foray's search is a table function, whose depths
// DuckDB joins to names.
package main

import (
	"context"
	"database/sql"
	"log"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/graph"
	foray "github.com/foray-graph/foray/io/duckdb"
)

func main() {
	ctx := context.Background()
	connector, err := duckdb.NewConnector("", nil) // in memory
	check(err)
	check(foray.Register(ctx, connector, foray.Options{Graph: graph.Options{Directed: true}}))
	db := sql.OpenDB(connector)
	defer db.Close()
	_, err = db.ExecContext(ctx, tables)
	check(err)
	check(show(ctx, db, named, "u1"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
