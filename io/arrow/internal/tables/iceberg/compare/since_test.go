// This file reads what was added to tables that iceberg-go writes.
package compare

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	aarrow "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog/hadoop"
	"github.com/apache/iceberg-go/table"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// edgesOf is rows of edges from up to to.
func edgesOf(from, to int64) array.RecordReader {
	schema := aarrow.NewSchema([]aarrow.Field{{Name: "src", Type: aarrow.PrimitiveTypes.Int64}, {Name: "dst", Type: aarrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for v := from; v < to; v++ {
		b.Field(0).(*array.Int64Builder).Append(v)
		b.Field(1).(*array.Int64Builder).Append(v % 3)
	}
	r, err := array.NewRecordReader(schema, []aarrow.RecordBatch{b.NewRecordBatch()})
	if err != nil {
		panic(err)
	}
	return r
}

// TestSince: of random appends, overwrites of nothing, compactions and deletes by
// iceberg-go, the rows between any two snapshots are those that were appended, or an error
// where some were deleted.
func TestSince(t *testing.T) {
	ctx := context.Background()
	compared, refused := 0, 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		dir := t.TempDir()
		lake, err := hadoop.NewCatalog("lake", dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := lake.CreateNamespace(ctx, table.Identifier{"n"}, nil); err != nil {
			t.Fatal(err)
		}
		tbl, err := lake.CreateTable(ctx, table.Identifier{"n", "t"}, iceberg.NewSchema(0,
			iceberg.NestedField{ID: 1, Name: "src", Type: iceberg.PrimitiveTypes.Int64},
			iceberg.NestedField{ID: 2, Name: "dst", Type: iceberg.PrimitiveTypes.Int64}))
		if err != nil {
			t.Fatal(err)
		}
		type step struct {
			id       int64
			from, to int64 // rows that were added
			removes  bool
		}
		var steps []step
		next := int64(0)
		for len(steps) < 8 {
			s := step{from: next, to: next}
			k := r.IntN(8)
			if len(steps) == 0 {
				k = 0
			}
			switch {
			case k < 4:
				s.to += 1 + r.Int64N(5)
				tbl, err = tbl.Append(ctx, edgesOf(s.from, s.to), nil)
			case k < 6:
				s.to += 1 + r.Int64N(5)
				tbl, err = tbl.Overwrite(ctx, edgesOf(s.from, s.to), nil, table.WithOverwriteFilter(iceberg.EqualTo(iceberg.Reference("src"), int64(-1))))
			case k == 6:
				var tasks []table.FileScanTask
				if tasks, err = tbl.Scan().PlanFiles(ctx); err != nil {
					break
				}
				var done *table.RewriteResult
				done, err = tbl.RewriteDataFiles(ctx, []table.CompactionTaskGroup{{Tasks: tasks}}, table.RewriteDataFilesOptions{})
				if err == nil {
					tbl = done.Table
				}
			default:
				if r.IntN(2) == 0 {
					continue
				}
				s.removes = true
				tbl, err = tbl.Delete(ctx, iceberg.EqualTo(iceberg.Reference("src"), r.Int64N(next)), nil)
			}
			if err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, len(steps), err)
			}
			next = s.to
			s.id = tbl.CurrentSnapshot().SnapshotID
			if n := len(steps); n > 0 && steps[n-1].id == s.id { // nothing was done, as a row was deleted before
				continue
			}
			steps = append(steps, s)
		}
		for i := range steps {
			for j := i; j < len(steps); j++ {
				var want []int64
				removed := false
				for _, s := range steps[i+1 : j+1] {
					for v := s.from; v < s.to; v++ {
						want = append(want, v)
					}
					removed = removed || s.removes
				}
				d, err := arrow.Open(ctx, []string{tbl.MetadataLocation()}, arrow.Options{Since: fmt.Sprint(steps[i].id), Snapshot: fmt.Sprint(steps[j].id)})
				if removed {
					if !errors.Is(err, arrow.ErrRemoved) {
						t.Fatalf("seed %d: %d to %d of %+v: %v", seed, i, j, steps, err)
					}
					refused++
					continue
				}
				if err != nil {
					t.Fatalf("seed %d: %d to %d of %+v: %v", seed, i, j, steps, err)
				}
				var mu sync.Mutex
				var got []int64
				err = d.Read(ctx, func(b graph.Batch) error {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, b.Src...)
					return nil
				})
				slices.Sort(got)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("seed %d: %d to %d of %+v: %v, %v; want %v", seed, i, j, steps, got, err, want)
				}
				compared++
			}
		}
	}
	t.Logf("%d compared, %d refused", compared, refused)
}
