// This file holds what DuckDB does.

package main

import (
	"context"
	"database/sql"
	"fmt"
)

// tables makes the tables, and a view of the follows that count. From u1 to u5 it is
// one step, but on a day that the view leaves out.
const tables = `
CREATE TABLE users AS FROM (VALUES
	('u1', 'Ada'), ('u2', 'Ben'), ('u3', 'Cleo'), ('u4', 'Dan'), ('u5', 'Eve'), ('u6', 'Finn')) AS t(id, name);
CREATE TABLE follows AS FROM (VALUES
	('u1', 'u2', DATE '2026-01-01'), ('u1', 'u3', DATE '2026-01-01'), ('u2', 'u4', DATE '2026-01-02'),
	('u3', 'u4', DATE '2026-01-02'), ('u4', 'u5', DATE '2026-01-03'), ('u6', 'u1', DATE '2026-01-03'),
	('u1', 'u5', DATE '2025-12-31')) AS t(follower, followed, day);
CREATE VIEW recent AS FROM follows WHERE day >= DATE '2026-01-01';`

// named joins names to the depths. Users without a depth weren't reached.
const named = `
SELECT name, depth FROM users LEFT JOIN foray_bfs('recent', 'follower', 'followed', ?) ON id = vertex ORDER BY depth NULLS LAST, name`

// show prints the names and depths that a query gives.
func show(ctx context.Context, db *sql.DB, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
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
