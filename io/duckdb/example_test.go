package duckdb_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/duckdb/duckdb-go/v2"
	foray "github.com/foray-graph/foray/io/duckdb"
)

func Example() {
	ctx := context.Background()
	connector, err := duckdb.NewConnector("", nil) // in memory
	if err != nil {
		log.Fatal(err)
	}
	if err := foray.Register(ctx, connector, foray.Options{}); err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE TABLE edges AS FROM (VALUES ('ada', 'ben'), ('ben', 'cleo'), ('dan', 'eve')) t(src, dst)"); err != nil {
		log.Fatal(err)
	}
	rows, err := db.QueryContext(ctx, "SELECT vertex, depth FROM foray_bfs('edges', 'src', 'dst', 'ada') WHERE depth IS NOT NULL ORDER BY depth")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var vertex string
		var depth int
		if err := rows.Scan(&vertex, &depth); err != nil {
			log.Fatal(err)
		}
		fmt.Println(vertex, depth)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ada 0
	// ben 1
	// cleo 2
}
