// This file tests rows without a value, and files that change while they are read.

package dataset

import (
	"context"
	"io/fs"
	"os"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestNullRow: the row is that in its row group, past the first batch too.
func TestNullRow(t *testing.T) {
	testlong.Project(t)
	const rows, group, null = 200_000, 150_000, 90_123
	valid := make([]bool, rows)
	for i := range valid {
		valid[i] = i != group+null%50_000 && i != null
	}
	ids := ramp(rows, 0)
	data := samples.WriteParquet(t, rows, group, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, nil, parquet.Types.Int64, 0), Values: ids},
		{Node: samples.Node(t, "dst", false, nil, parquet.Types.Int64, 0), Values: ids},
		{Node: samples.Node(t, "w", true, nil, parquet.Types.Int64, 0), Values: ids, Valid: valid}})
	path := tempFile(t, "w.parquet", data)
	_, err := Load(context.Background(), path, Options{Weight: "w", Workers: 1})
	check(t, err, input.ErrNull, `row group 0, column "w", row 90123: null: an edge without weight`)
	_, d, err := collect(t, []string{path}, Options{Weight: "w", SkipNulls: true})
	if err != nil || d.Stats().NullRows != 2 {
		t.Errorf("%+v, %v", d.Stats(), err)
	}
}

// TestChanged: a file that changes between Open and Batches is not read.
func TestChanged(t *testing.T) {
	path := tempFile(t, "a.parquet", craft.File(10, column64("src", 0, ramp(10, 0)), column64("dst", 0, ramp(10, 0))))
	d, err := Open(context.Background(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	samples.WriteTo(t, path, []byte("PAR1"))
	err = d.Batches(context.Background(), func(graph.Batch) error { return nil })
	check(t, err, input.ErrChanged, `a\.parquet: it was changed or removed after it was listed: it had \d+ bytes and has 4; run it again`)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	err = d.Batches(context.Background(), func(graph.Batch) error { return nil })
	check(t, err, fs.ErrNotExist, `^arrow: .*a\.parquet`)
}
