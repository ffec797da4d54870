// This file holds what DuckDB does in the pipeline.

package main

import (
	"context"
	"database/sql"
	"fmt"
)

// lake makes the tables and writes one of them, in partitions: a directory per
// day, in it files compressed with zstd. %s is the directory. From u1 to u5 it
// is one step, but on a day that the search leaves out.
const lake = `
CREATE TABLE users AS FROM (VALUES
	('u1', 'Ada'), ('u2', 'Ben'), ('u3', 'Cleo'), ('u4', 'Dan'), ('u5', 'Eve'), ('u6', 'Finn')) AS t(id, name);
CREATE TABLE follows AS FROM (VALUES
	('u1', 'u2', DATE '2026-01-01'), ('u1', 'u3', DATE '2026-01-01'), ('u2', 'u4', DATE '2026-01-02'),
	('u3', 'u4', DATE '2026-01-02'), ('u4', 'u5', DATE '2026-01-03'), ('u6', 'u1', DATE '2026-01-03'),
	('u1', 'u5', DATE '2025-12-31')) AS t(follower, followed, day);
COPY follows TO '%s/follows' (FORMAT parquet, CODEC zstd, PARTITION_BY (day));`

// named joins names to the depths. Users without a depth weren't reached.
const named = `
SELECT name, depth FROM users LEFT JOIN '%s/depths.parquet' ON id = vertex ORDER BY depth NULLS LAST, name`

// show prints the names and depths that a query gives.
func show(ctx context.Context, db *sql.DB, query string) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var depth sql.NullInt32
		if err := rows.Scan(&name, &depth); err != nil {
			return err
		}
		if depth.Valid {
			fmt.Printf("%s: %d\n", name, depth.Int32)
		} else {
			fmt.Printf("%s isn't reached\n", name)
		}
	}
	return rows.Err()
}
