package iceberg_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/foray-graph/foray/io/arrow"
	_ "github.com/foray-graph/foray/io/arrow/iceberg"
)

// The directory of a table stands for its current rows. This table is new and has none.
func Example() {
	lake, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(lake)
	if err := os.Mkdir(filepath.Join(lake, "metadata"), 0o777); err != nil {
		log.Fatal(err)
	}
	err = os.WriteFile(filepath.Join(lake, "metadata", "v1.metadata.json"), []byte(`{
		"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "s3://lake/follows",
		"last-sequence-number": 0, "last-updated-ms": 1764460800000, "last-column-id": 2, "current-schema-id": 0,
		"schemas": [{"type": "struct", "schema-id": 0, "fields": [
			{"id": 1, "name": "src", "required": true, "type": "long"},
			{"id": 2, "name": "dst", "required": true, "type": "long"}]}],
		"default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}], "last-partition-id": 999,
		"default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}],
		"current-snapshot-id": -1, "snapshots": []}`), 0o666)
	if err != nil {
		log.Fatal(err)
	}
	d, err := arrow.Open(context.Background(), []string{lake}, arrow.Options{Source: "src", Target: "dst"})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range d.Info().Columns {
		fmt.Println(c.Name, c.Type)
	}
	fmt.Println(d.Info().Rows, "rows")
	// Output:
	// src int64
	// dst int64
	// 0 rows
}
