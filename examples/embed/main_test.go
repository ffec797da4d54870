// This file holds the test of the program; internal/tools/doctest looks that the README shows it.

package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
)

func Example() {
	dir, err := os.MkdirTemp("", "foray")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	search(context.Background(), "../../testdata/karate.parquet", filepath.Join(dir, "depths.parquet"))
	// Output:
	// reached 34 of 34 vertices in 4 levels
	// 34 is at depth 2
}
