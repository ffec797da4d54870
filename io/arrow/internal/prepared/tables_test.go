// This file tests that prepared graphs keep which snapshots of tables they have.

package prepared

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func TestPreparedTables(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	o := samples.S3Options(f.Env())
	g, err := dataset.Load(context.Background(), "../../../../testdata/karate.parquet", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := []input.TableSnapshot{{Path: "s3://lake/follows", Format: "Delta Lake", Name: "follows", TableID: "a-b", ID: "12", Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Where: "x = 'ü'"},
		{Path: "/lake/likes", Format: "Apache Iceberg", Name: "likes", ID: "8888888888888888888"}}
	for _, path := range []string{filepath.Join(t.TempDir(), "g.foray"), "s3://lake/g.foray"} {
		for _, want := range [][]input.TableSnapshot{whole, nil} {
			given := slices.Clone(want)
			for i := range given {
				given[i].Files, given[i].Since = 7, "3" // which aren't kept
			}
			if err := WriteGraph(context.Background(), path, g, WriteGraphOptions{S3: o, Tables: given}); err != nil {
				t.Fatal(err)
			}
			got := []input.TableSnapshot{{ID: "before"}}
			h, err := OpenGraph(context.Background(), path, OpenGraphOptions{S3: o, Tables: &got})
			if err != nil || !slices.Equal(got, want) || h.NumEdges() != g.NumEdges() {
				t.Errorf("%s: %+v, %v; want %+v", path, got, err, want)
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
