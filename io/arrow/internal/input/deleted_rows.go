// This file holds the deleted rows of a data file.

package input

import (
	"context"
	"sync"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Deletes reports whether rows of the file may be deleted.
func (f *lakeFile) Deletes() bool {
	return f != nil && f.File != nil && (f.File.Deletes != nil || len(f.File.Equality) > 0)
}

// deletedRows has the deleted rows of a data file while workers read it.
type deletedRows struct {
	mu      sync.Mutex
	rows    []int64
	known   bool // they were read
	readers int
}

// DeletedRows returns the rows of the file that are deleted, ascending. They are kept
// until release is called as often.
func (f *lakeFile) DeletedRows(ctx context.Context, rows int64) ([]int64, error) {
	d := f.deleted
	d.mu.Lock()
	defer d.mu.Unlock()
	d.readers++
	if d.known || f.File.Deletes == nil {
		return d.rows, nil
	}
	var list []int64
	err := columnar.Guard(func() error {
		deleted, err := f.File.Deletes(ctx, f.Table.FS)
		if err == nil && deleted != nil {
			list = deleted.Rows
		}
		return err
	})
	if err != nil {
		return nil, f.Gone(f.File.Name, err)
	}
	for i, row := range list {
		if row < 0 || row >= rows || i > 0 && row <= list[i-1] {
			return nil, columnar.Corrupt("the table says that row %d of it is deleted, where it has %d rows", row, rows)
		}
	}
	d.rows, d.known = list, true
	return list, nil
}

// Release frees the deleted rows if no worker reads the file.
func (f *lakeFile) Release() {
	d := f.deleted
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.readers--; d.readers == 0 {
		d.rows, d.known = nil, false
	}
}
