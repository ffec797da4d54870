// This file holds what the tests ask of DuckDB.

package main

import (
	"database/sql"
	"fmt"
	"testing"
)

// duck is a DuckDB in memory.
type duck struct {
	t  *testing.T
	db *sql.DB
}

func open(t *testing.T) duck {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // each connection would have separate tables
	return duck{t, db}
}

func (d duck) exec(format string, a ...any) {
	d.t.Helper()
	if _, err := d.db.Exec(fmt.Sprintf(format, a...)); err != nil {
		d.t.Fatalf("%s: %v", fmt.Sprintf(format, a...), err)
	}
}

// strings returns the first column of a query's result.
func (d duck) strings(format string, a ...any) []string {
	d.t.Helper()
	rows, err := d.db.Query(fmt.Sprintf(format, a...))
	if err != nil {
		d.t.Fatalf("%s: %v", fmt.Sprintf(format, a...), err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			d.t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		d.t.Fatal(err)
	}
	return all
}

// count returns the one number that a query gives.
func (d duck) count(format string, a ...any) int {
	d.t.Helper()
	var n int
	if err := d.db.QueryRow(fmt.Sprintf(format, a...)).Scan(&n); err != nil {
		d.t.Fatalf("%s: %v", fmt.Sprintf(format, a...), err)
	}
	return n
}
