// This file compares a version with the checksums that writers leave beside commits.

package delta

import (
	"context"
	"encoding/json"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// checkSums compares the number of files and their size with what the version's
// checksum file says, where there is one that can be read.
func (l *log) checkSums(ctx context.Context, s *state, version int64) error {
	e, ok := l.sums[version]
	if !ok {
		return nil
	}
	f, err := l.fs.Open(ctx, e.Name)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	budget := tables.BudgetOf(l.fs)
	if f.Size() > budget.Left()/2 { // some list the files; what they say isn't needed
		return nil
	}
	if err := budget.Take(f.Size()); err != nil {
		return err
	}
	data, err := readAll(f, f.Size())
	if err != nil {
		return err
	}
	var sums struct {
		NumFiles       *int64 `json:"numFiles"`
		TableSizeBytes *int64 `json:"tableSizeBytes"`
	}
	if json.Unmarshal(data, &sums) != nil {
		return nil // of a writer that is at it, or was stopped: the commit counts without
	}
	var bytes int64
	for f := range s.files.all {
		bytes += f.size
	}
	if sums.NumFiles != nil && *sums.NumFiles != int64(s.files.live) || sums.TableSizeBytes != nil && *sums.TableSizeBytes != bytes {
		return columnar.Corrupt("the log has %d files of %d bytes, where the checksums in %s say otherwise", s.files.live, bytes, e.Name)
	}
	return nil
}
