// This file tests the program. That it links is half of the test: it has
// iceberg-go, Parquet of Arrow for Go v18, and Foray.

package main

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/iceberg-go/catalog/hadoop"
	"github.com/apache/iceberg-go/table"
	"github.com/foray-graph/foray/io/arrow"

	"github.com/apache/iceberg-go"
)

func Example() {
	main()
	// Output:
	// reached 1000 of 1000 vertices in 501 levels
	// the table of depths has 1000 rows
	// the file of depths has 1000 rows
}

// TestErrors: what iceberg-go refuses, and what Foray does.
func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lake, err := hadoop.NewCatalog("lake", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := lake.CreateNamespace(ctx, table.Identifier{"a"}, nil); err != nil {
		t.Fatal(err)
	}
	tbl, err := lake.CreateTable(ctx, table.Identifier{"a", "b"}, iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "src", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		iceberg.NestedField{ID: 2, Name: "dst", Type: iceberg.PrimitiveTypes.Int64, Required: true}))
	if err != nil {
		t.Fatal(err)
	}
	edges, err := ring(10)
	if err != nil {
		t.Fatal(err)
	}
	defer edges.Release()
	if tbl, err = tbl.Append(ctx, edges, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := load(ctx, tbl, arrow.Options{Source: "src", Target: "to"}); err == nil {
		t.Error("a column that isn't there")
	}
	cancel()
	if _, err := load(ctx, tbl, arrow.Options{Source: "src", Target: "dst"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
