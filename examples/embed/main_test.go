// This file holds the test of the program, and of what the README shows of it.

package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func Example() {
	dir, err := os.MkdirTemp("", "foray")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	search(context.Background(), "../../testdata/karate.parquet", filepath.Join(dir, "depths.parquet"))
	// Output:
	// 34 vertices, 78 edges
	// reached 34 in 4 levels
	// 34 is at depth 2 or 2
	// 1 is at depth 0
	// 2 is at depth 1
	// 3 is at depth 1
}

// TestREADME: what a reader pastes from the README is the program, whole.
func TestREADME(t *testing.T) {
	code, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, ok := strings.Cut(string(code), "\n\npackage main\n")
	if !ok {
		t.Fatal("main.go has no package clause after its comment")
	}
	if !strings.Contains(string(readme), "```go\npackage main\n"+program+"```\n") {
		t.Error("README.md shows other code than the program that is tested")
	}
}
